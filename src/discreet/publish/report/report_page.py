"""The report of a release: one HTML file that needs nothing else, for readers who are not statisticians.

It is a function of the public part of the specification, the certificate and the measurements, so anyone can make it
again, byte for byte. All that is said of the noise comes from the integers of the perturbation table; all that is
promised is rounded up. Nothing in it depends on where the data are, on the secret, or on the version of the software.
"""

from collections.abc import Sequence
from html import escape
from importlib.resources import files as resources
from typing import TYPE_CHECKING

from discreet.labels import OTHER, TOTAL
from discreet.plan.layout import Layout
from discreet.plan.sections import Dimension, TableSpec
from discreet.plan.spec import ReleaseSpec
from discreet.publish.report.adding import adding
from discreet.publish.report.distortion import Distortion, distortion, sizes
from discreet.publish.report.guarantee_section import guarantee, in_words
from discreet.publish.report.html import MOST_LABELS, grid, label, several
from discreet.publish.report.preview import heading, preview
from discreet.publish.report.reading import reading

if TYPE_CHECKING:
    from discreet.publish.folder import Published


def page(published: "Published") -> bytes:
    """The report of what a folder is made from."""
    errors = [distortion(published.plan.ptable.table, size) for size in sizes(published.plan.ptable.table)]
    parts = [
        _head(published.plan.spec),
        "<main>",
        _lead(published, errors),
        _published(published.plan.spec, published.plan.layout),
        guarantee(
            published.plan.spec,
            published.plan.layout,
            published.plan.ptable,
            published.plan.touches,
            published.plan.promise,
        ),
        reading(published.plan.layout, published.plan.ptable, errors, published.measurements),
        adding(published),
        _tables(published),
        _checking(),
        "</main></body></html>\n",
    ]
    return "\n".join(parts).encode()


def _head(spec: ReleaseSpec) -> str:
    style = resources("discreet").joinpath("publish", "report", "page.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(spec.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header><h1>{escape(spec.title)}</h1><p class="version">Data version {escape(spec.version)}</p></header>'
    )


# The first screen


def _lead(published: "Published", errors: Sequence[Distortion]) -> str:
    spec, layout = published.plan.spec, published.plan.layout
    unit = "row" if spec.unit.id is None else "person"
    counts = len(layout.cells[0])
    facts = [
        ("table" if len(layout.tables) == 1 else "tables", f"{len(layout.tables):,}"),
        ("different counts", f"{counts:,}"),
        (f"of them hold one {unit}, at most", f"{min(counts, published.plan.touches * spec.unit.contributions):,}"),
        ("19 in 20 measurements are this close", f"±{errors[-1].within:,}"),
    ]
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return (
        "<p>These are tables of counts about people. To protect everyone in them, every count was changed at random"
        " before it was published. So a number here is near the true one, and as a rule not equal to it; how near is"
        " said below.</p>"
        + in_words(spec, published.plan.ptable, published.plan.promise)
        + _given(published)
        + f'<dl class="facts">{listed}</dl>'
    )


def _given(published: "Published") -> str:
    """Warn of counts that were given, and are far from what was measured."""
    unlikely = [each for each in published.given_counts if not each.explained]
    if not unlikely:
        return ""
    listed = "".join(f"<li>{label(each.text, 300)}</li>" for each in unlikely[:MOST_LABELS])
    return (
        '<div class="warning"><p><strong>Counts that the publisher gave are far from what was measured.</strong> Noise'
        " does not explain the difference, and the tables follow the counts that were given:</p>"
        f"<ul>{listed}</ul></div>"
    )


# What was published


def _published(spec: ReleaseSpec, layout: Layout) -> str:
    rows = []
    for table, places in layout.tables:
        groupings = [layout.groupings[place] for place in places]
        by = ", ".join(heading(side) for side in groupings[0].axes) or "one count of everyone"
        margins = [" by ".join(label(s.book.name) for s in g.axes) or "the total" for g in groupings[1:]]
        shown = "; ".join(margins[:MOST_LABELS]) + ("; …" if len(margins) > MOST_LABELS else "")
        rows.append([label(table.name), by, _filter(table), shown or "none", f"{sum(g.size for g in groupings):,}"])
    heads = ["table", "counts by", "who is in it", "totals (margins)", "counts"]
    dimensions = [
        [label(book.name), _categories(spec.dimensions[book.name]), _levels(spec.dimensions[book.name])]
        for book in layout.books
    ]
    listed = grid("Categories", ["dimension", "categories", "coarser levels"], dimensions, 0) if dimensions else ""
    return (
        '<section aria-labelledby="published"><h2 id="published">What was published</h2>'
        + grid("Tables", heads, rows, 1)
        + listed
        + f'<p class="note">What was not stated, or is none of these categories, is counted as <code>{OTHER}</code>. A'
        f" total over a dimension is called <code>{TOTAL}</code> in the files. A count that is in several tables was"
        " measured once.</p></section>"
    )


def _filter(table: TableSpec) -> str:
    parts = [f"{label(name)}: {several(labels)}" for name, labels in table.filter.items()]
    return "; ".join(parts) or "everyone"


def _categories(dimension: Dimension) -> str:
    if dimension.ranges is None:
        return several(dimension.categories or ())
    return several(f"{name} ({_range(*ends)})" for name, ends in dimension.ranges.items())


def _range(lower: float | None, upper_end: float | None) -> str:
    if lower is None:
        return "any number" if upper_end is None else f"under {upper_end:.15g}"
    return f"{lower:.15g} and over" if upper_end is None else f"{lower:.15g} to under {upper_end:.15g}"


def _levels(dimension: Dimension) -> str:
    return "; ".join(f"{label(name)}: {several(groups)}" for name, groups in dimension.levels.items()) or "none"


# The tables


def _tables(published: "Published") -> str:
    shown = []
    for (table, places), counts in zip(published.plan.layout.tables, published.tables, strict=True):
        parts = [
            (published.plan.layout.groupings[place], numbers) for place, numbers in zip(places, counts, strict=True)
        ]
        within = "" if not table.filter else f'<p class="note">Only {_filter(table)}.</p>'
        shown.append(f"<h3>{label(table.name)}</h3>{within}{preview(table, parts)}")
    return (
        '<section aria-labelledby="tables"><h2 id="tables">The tables</h2>'
        "<p>Published counts, with the noise in them. The files in this folder have all rows and all margins.</p>"
        f"{''.join(shown)}</section>"
    )


def _checking() -> str:
    return (
        '<section aria-labelledby="checking"><h2 id="checking">How to check it</h2>'
        "<p>Anyone can check this folder, with nothing but the folder: <code>discreet verify DIR</code> recomputes the"
        " guarantee from the integers in <code>certificate.json</code>, and makes the tables and this page again from"
        " <code>measurements.csv</code>, byte for byte. It cannot tell whether the publisher drew the noise as the"
        " certificate says, or keeps a secret well.</p></section>"
    )

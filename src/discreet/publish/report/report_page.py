"""The report of a release: one HTML file without other files, for readers who are not statisticians.

The report is a function of the public part of the specification, the certificate and the measurements. So anyone can
make it again, byte for byte. The errors come from the integers of the perturbation table, and promised numbers are
rounded up. The report does not depend on the location of the data, the secret, or the version of the software.
"""

from collections.abc import Sequence
from html import escape
from importlib.resources import files as resources
from typing import TYPE_CHECKING

from discreet.labels import OTHER, TOTAL
from discreet.plan.layout import Layout
from discreet.plan.sections import Dimension, TableSpec
from discreet.plan.spec import ReleaseSpec
from discreet.publish.report._html import MOST_LABELS, grid, label, several
from discreet.publish.report.adding_section import adding
from discreet.publish.report.distortion import Distortion, distortion, sizes
from discreet.publish.report.guarantee_section import guarantee, in_words
from discreet.publish.report.reading_section import reading
from discreet.publish.report.table_preview import heading, preview

if TYPE_CHECKING:
    from discreet.publish.folder import Published


def report_html(published: "Published") -> bytes:
    """Return the report as HTML."""
    plan = published.plan
    errors = [distortion(plan.ptable.table, size) for size in sizes(plan.ptable.table)]
    parts = [
        _head(plan.spec),
        "<main>",
        _lead(published, errors),
        _published(plan.spec, plan.layout),
        guarantee(plan.spec, plan.layout, plan.ptable, plan.touches, plan.promise),
        reading(plan.layout, plan.ptable, errors, published.measurements),
        adding(published),
        _tables(published),
        _checking(),
        "</main></body></html>\n",
    ]
    return "\n".join(parts).encode()


def _head(spec: ReleaseSpec) -> str:
    """Return the head of the page, with its style sheet and a policy that loads nothing else."""
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
    """Return the first screen: what the tables are, the guarantee in words, and four numbers."""
    spec, layout = published.plan.spec, published.plan.layout
    unit = "row" if spec.unit.id is None else "person"
    counts = len(layout.cells.definitions)
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
    """Return a warning if counts that the specification fixes are far from their measurements."""
    unlikely = [given_count for given_count in published.given_counts if not given_count.explained]
    if not unlikely:
        return ""
    listed = "".join(f"<li>{label(given_count.text, 300)}</li>" for given_count in unlikely[:MOST_LABELS])
    return (
        '<div class="warning"><p><strong>Counts that the publisher gave are far from what was measured.</strong> Noise'
        " does not explain the difference, and the tables follow the counts that were given:</p>"
        f"<ul>{listed}</ul></div>"
    )


# What was published


def _published(spec: ReleaseSpec, layout: Layout) -> str:
    """Return the section that lists tables and categories."""
    rows = []
    for table, grouping_indices in layout.tables:
        groupings = [layout.groupings[index] for index in grouping_indices]
        margins = [" by ".join(label(axis.book.name) for axis in grouping.axes) for grouping in groupings[1:]]
        listed = "; ".join(margin or "the total" for margin in margins[:MOST_LABELS])
        rows.append(
            [
                label(table.name),
                ", ".join(heading(axis) for axis in groupings[0].axes) or "one count of everyone",
                _filter(table),
                (listed + ("; …" if len(margins) > MOST_LABELS else "")) or "none",
                f"{sum(grouping.size for grouping in groupings):,}",
            ]
        )
    heads = ["table", "counts by", "who is in it", "totals (margins)", "counts"]
    dimensions = [
        [label(book.name), _categories(spec.dimensions[book.name]), _levels(spec.dimensions[book.name])]
        for book in layout.books
    ]
    categories = grid("Categories", ["dimension", "categories", "coarser levels"], dimensions, 0) if dimensions else ""
    return (
        '<section aria-labelledby="published"><h2 id="published">What was published</h2>'
        + grid("Tables", heads, rows, 1)
        + categories
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


def _range(lower: float | None, upper: float | None) -> str:
    if lower is None:
        return "any number" if upper is None else f"under {upper:.15g}"
    return f"{lower:.15g} and over" if upper is None else f"{lower:.15g} to under {upper:.15g}"


def _levels(dimension: Dimension) -> str:
    return "; ".join(f"{label(name)}: {several(groups)}" for name, groups in dimension.levels.items()) or "none"


# The tables


def _tables(published: "Published") -> str:
    """Return the section with the first rows of each table."""
    layout, shown = published.plan.layout, []
    for (table, grouping_indices), counts in zip(layout.tables, published.tables, strict=True):
        margins = [(layout.groupings[index], numbers) for index, numbers in zip(grouping_indices, counts, strict=True)]
        within = "" if not table.filter else f'<p class="note">Only {_filter(table)}.</p>'
        shown.append(f"<h3>{label(table.name)}</h3>{within}{preview(table, margins)}")
    return (
        '<section aria-labelledby="tables"><h2 id="tables">The tables</h2>'
        "<p>Published counts, with the noise in them. The files in this folder have all rows and all margins.</p>"
        f"{''.join(shown)}</section>"
    )


def _checking() -> str:
    """Return the section on how to check the folder."""
    return (
        '<section aria-labelledby="checking"><h2 id="checking">How to check it</h2>'
        "<p>Anyone can check this folder, with nothing but the folder: <code>discreet verify DIR</code> recomputes the"
        " guarantee from the integers in <code>certificate.json</code>, and makes the tables and this page again from"
        " <code>measurements.csv</code>, byte for byte. It cannot tell whether the publisher drew the noise as the"
        " certificate says, or keeps a secret well.</p></section>"
    )

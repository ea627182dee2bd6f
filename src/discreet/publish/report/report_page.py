"""The report of a release: one HTML file without other files, for readers who are not statisticians.

The report is a function of the public part of the specification, the certificate and the measurements. So anyone can
make it again, byte for byte. The errors come from the integers of the perturbation table, and promised numbers are
rounded up. The report does not depend on the location of the data, the secret, or the version of the software.

The tables come first, then what is in them, how to read them, the guarantee, and how to check all of it.
"""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files as resources
from typing import TYPE_CHECKING

import numpy as np

from discreet.labels import OTHER, TOTAL
from discreet.plan.codebook import Codebook
from discreet.plan.fixed import EVERYONE
from discreet.plan.layout import Layout
from discreet.plan.sections import Dimension, TableSpec
from discreet.publish.cell_intervals import NO_END
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.manifest import certificate_names
from discreet.publish.report._html import MOST_LABELS, grid, label, link, section, several
from discreet.publish.report.adding_section import adding
from discreet.publish.report.distortion import Distortion, distortion, sizes
from discreet.publish.report.guarantee_section import guarantee, in_words
from discreet.publish.report.reading_section import reading
from discreet.publish.report.table_grid import heading, table_grid
from discreet.publish.table_files import file_names, table_margins

if TYPE_CHECKING:
    from discreet.publish.folder import Published

SECTIONS = ("tables", "published", "reading", "guarantee", "adding", "checking")


def report_html(published: "Published") -> bytes:
    """Return the report as HTML."""
    plan, labels = published.plan, DisplayLabels(published.plan.spec)
    errors = [[distortion(table, size) for size in sizes(table)] for table in published.noise]
    parts = [
        _head(labels),
        "<main>",
        _lead(labels, published, errors),
        _contents(labels, published),
        _tables(labels, published),
        _published(labels, plan.layout),
        reading(labels, plan, errors, published.measurements),
        guarantee(labels.words, plan),
        adding(labels, published),
        _checking(labels, published),
        "</main></body></html>\n",
    ]
    return "\n".join(parts).encode()


def _head(labels: DisplayLabels) -> str:
    """Return the head of the page, with its style sheet and a policy that loads nothing else."""
    style = resources("discreet").joinpath("publish", "report", "page.css").read_text(encoding="utf-8")
    spec, title = labels.spec, escape(labels.title)
    return (
        f'<!DOCTYPE html>\n<html lang="{spec.language}">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header><h1>{title}</h1><p class="version">'
        f"{labels.words('version', version=escape(spec.version))}</p>{_metadata(labels)}</header>"
    )


def _metadata(labels: DisplayLabels) -> str:
    """Return description, contact, licence and notes, as far as they are given."""
    words, metadata = labels.words, labels.spec.metadata
    description = f"<p>{escape(labels.description)}</p>" if labels.description else ""
    given = {"contact": metadata.contact, "licence": metadata.licence}
    listed = [f"<li>{words(name, text=_linked(text))}</li>" for name, text in given.items() if text is not None]
    listed.extend(f"<li>{escape(note)}</li>" for note in labels.notes)
    return description + (f'<ul class="metadata">{"".join(listed)}</ul>' if listed else "")


def _linked(text: str) -> str:
    """Return a text as HTML, as a link if it is a web address."""
    shown = escape(text)
    return f'<a href="{shown}">{shown}</a>' if text.startswith(("https://", "http://")) and " " not in text else shown


# The first screen


def _lead(labels: DisplayLabels, published: "Published", errors: Sequence[Sequence[Distortion]]) -> str:
    """Return the first screen: what the tables are, the guarantee in words, and four numbers."""
    spec, layout, words = labels.spec, published.plan.layout, labels.words
    unit = "row" if spec.unit.id is None else "person"
    counts = published.plan.measured.size
    all_alike = set(published.plan.measured.noise_of) == {0}
    touched = min(counts, published.plan.touches * spec.unit.contributions)
    facts = [
        (words("fact_table" if len(layout.tables) == 1 else "fact_tables"), words.number(len(layout.tables))),
        (words("fact_counts" if all_alike else "fact_measured"), words.number(counts)),
        (words(f"fact_{unit}"), f"≤ {words.number(touched)}"),
        (words("fact_within"), f"±{words.number(max(of_table[-1].within for of_table in errors))}"),
    ]
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    meaning = words(f"touches_{unit}", touched=words.number(touched), counts=words.number(counts))
    return (
        f"<p>{words('lead')}</p>"
        + in_words(words, spec, published.plan.ptables, published.plan.promise)
        + _given_counts(labels, published)
        + f'<dl class="facts">{listed}</dl>'
        + (f'<p class="note">{meaning}</p>' if touched > 1 else "")
    )


def _given_counts(labels: DisplayLabels, published: "Published") -> str:
    """Return a warning if counts that the specification fixes are far from their measurements."""
    unlikely = [given_count for given_count in published.given_counts if not given_count.explained]
    if not unlikely:
        return ""
    words = labels.words
    listed = []
    for literal in unlikely[:MOST_LABELS]:
        people = words("everyone") if literal.people == EVERYONE else literal.people
        count, measured = words.number(literal.count), words.number(literal.measured)
        reason = "" if literal.differs is None else f": {label(literal.differs, 1000)}"
        listed.append(f"<li>{words('given', count=count, who=label(people, 300), measured=measured)}{reason}</li>")
    return (
        f'<div class="warning"><p><strong>{words("given_far")}</strong> {words("given_far_more")}</p>'
        f"<ul>{''.join(listed)}</ul></div>"
    )


def _contents(labels: DisplayLabels, published: "Published") -> str:
    """Return links to the sections and to the tables."""
    words, layout = labels.words, published.plan.layout
    headings = {name: words(name) for name in SECTIONS}
    if not published.table_plan.parts:
        headings["adding"] = words("not_adding")
    tables = "".join(
        f'<li><a href="#table-{escape(table.name)}">{label(labels.table(table.name))}</a></li>'
        for table, _ in layout.tables[:MOST_LABELS]
    )
    items = "".join(
        f'<li><a href="#{name}">{text}</a>{f"<ul>{tables}</ul>" if name == "tables" else ""}</li>'
        for name, text in headings.items()
    )
    return f'<nav aria-labelledby="contents"><h2 id="contents">{words("contents")}</h2><ul>{items}</ul></nav>'


# The tables


def _tables(labels: DisplayLabels, published: "Published") -> str:
    """Return the section with the tables."""
    layout, words, shown = published.plan.layout, labels.words, []
    for index, (table, _) in enumerate(layout.tables):
        margins = table_margins(layout, index, published.tables, published.intervals)
        within = f'<p class="note">{words("only", filter=_filter(labels, table))}</p>' if table.filter else ""
        title = labels.table(table.name)
        listed = ", ".join(link(name) for name in file_names(table.name, labels.spec.outputs))
        shown.append(
            f'<h3 id="table-{escape(table.name)}">{label(title)}</h3>{within}{table_grid(labels, table, margins)}'
            f'<p class="note">{words("files", files=listed)}</p>'
        )
    return section("tables", words("tables"), f"<p>{_about_intervals(labels, published)}</p>{''.join(shown)}")


def _about_intervals(labels: DisplayLabels, published: "Published") -> str:
    """Return what the intervals are, in sentences that this release needs."""
    words = labels.words
    sentences = [words("tables_intro")]
    if published.table_plan.parts:
        sentences.append(words("tables_widened"))
    if None in published.plan.measured.noise_of:
        sentences.append(words("tables_unmeasured"))
    if published.given_counts:
        sentences.append(words("tables_fixed"))
    if any(bool(np.any(ends.high == NO_END)) for tables in published.intervals for ends in tables):
        sentences.append(words("tables_no_end"))
    if any(table.margins not in ("all", "none") for table in labels.spec.tables):
        sentences.append(words("tables_dash"))
    return " ".join(sentences)


# What was published


def _published(labels: DisplayLabels, layout: Layout) -> str:
    """Return the section that lists tables and categories."""
    words, spec, rows = labels.words, labels.spec, []
    for table, grouping_indices in layout.tables:
        groupings = [layout.groupings[index] for index in grouping_indices]
        margins = [
            " × ".join(label(labels.dimension(axis.book.name)) for axis in grouping.axes) for grouping in groupings[1:]
        ]
        listed = "; ".join(margin or words("the_total") for margin in margins[:MOST_LABELS])
        rows.append(
            [
                label(labels.table(table.name)),
                ", ".join(heading(labels, axis) for axis in groupings[0].axes) or words("one_count_of_everyone"),
                _filter(labels, table),
                (listed + ("; …" if len(margins) > MOST_LABELS else "")) or words("none"),
                words.number(sum(grouping.size for grouping in groupings)),
            ]
        )
    heads = [words(f"head_{name}") for name in ("table", "by", "who", "margins", "counts")]
    dimensions = [
        [
            label(labels.dimension(book.name)),
            _categories(labels, book.name, spec.dimensions[book.name]),
            _levels(labels, book, spec.dimensions[book.name]),
        ]
        for book in layout.books
    ]
    dimension_heads = [words(f"head_{name}") for name in ("dimension", "categories", "levels")]
    categories = grid(words("cap_categories"), dimension_heads, dimensions, 0) if dimensions else ""
    note = words("note_published", other=OTHER, total=TOTAL)
    return section(
        "published",
        words("published"),
        grid(words("cap_tables"), heads, rows, 1) + categories + f'<p class="note">{note}</p>',
    )


def _filter(labels: DisplayLabels, table: TableSpec) -> str:
    parts = [
        f"{label(labels.dimension(name))}: {several(labels.category(name, text) for text in values)}"
        for name, values in table.filter.items()
    ]
    return "; ".join(parts) or labels.words("everyone")


def _categories(labels: DisplayLabels, name: str, dimension: Dimension) -> str:
    if dimension.ranges is None:
        return _listed(labels, name, dimension.categories or ())
    ranges = dimension.ranges.items()
    return several(f"{labels.category(name, leaf)} ({_range(labels, *ends)})" for leaf, ends in ranges)


def _listed(labels: DisplayLabels, name: str, values: Iterable[str]) -> str:
    return several(labels.category(name, value) for value in values)


def _range(labels: DisplayLabels, lower: float | str | None, upper: float | str | None) -> str:
    words = labels.words
    if isinstance(lower, str):
        return words("dates_from", lower=lower) if upper is None else words("dates", lower=lower, upper=upper)
    if isinstance(upper, str):
        return words("dates_before", upper=upper)
    low, high = ("" if end is None else words.number(f"{end:.15g}") for end in (lower, upper))
    if lower is None:
        return words("any_number") if upper is None else words("range_under", upper=high)
    return words("range_over", lower=low) if upper is None else words("range", lower=low, upper=high)


def _levels(labels: DisplayLabels, book: Codebook, dimension: Dimension) -> str:
    """Return the groups of every level, and the declared leaves that are in no group."""
    levels = []
    for level, groups in dimension.levels.items():
        text = f"{label(level)}: {_listed(labels, book.name, groups)}"
        if leaves := book.in_no_group(level):
            text += f", {label(labels.category(book.name, OTHER))} ({_listed(labels, book.name, leaves)})"
        levels.append(text)
    return "; ".join(levels) or labels.words("none")


def _checking(labels: DisplayLabels, published: "Published") -> str:
    """Return the section on how to check the folder."""
    certificate = ", ".join(map(link, certificate_names(len(published.plan.ptables))))
    measurements = link("measurements.csv")
    text = labels.words("checking_text", certificate=certificate, measurements=measurements)
    return section("checking", labels.words("checking"), f"<p>{text}</p>")

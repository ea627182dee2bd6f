"""The documents of the JSON API: a release, and a table. Their models are the OpenAPI description."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from discreet.infer.any_table.answered_table import AnsweredTable
from discreet.infer.any_table.counted_cells import CountedCells
from discreet.infer.any_table.table_change import ChangedCells
from discreet.infer.any_table.table_question import MOST_TABLE_CELLS, AxisChoice, ResolvedAxis, TableQuestion
from discreet.plan.metadata import Language
from discreet.publish.cell_intervals import NO_END
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.joint_intervals import LEVEL
from discreet.web.explorer.catalogue import Catalogue, ShownRelease
from discreet.web.explorer.table_view import TableView

NOISE_RULE = (
    "a count is mostly noise if half the width of its interval exceeds the count, or if the interval has no end"
)

MOST_NAMED = 12
"""The most categories of a filter that are named."""


class CategoryEntry(BaseModel):
    """A category of a dimension."""

    label: str = Field(description="The label in files and query strings.")
    name: str = Field(description="What readers call the category.")


class LevelEntry(BaseModel):
    """A level of a dimension at which tables can be shown."""

    level: str | None = Field(description="The name of the level; null for the finest one.")
    categories: list[CategoryEntry]


class DimensionEntry(BaseModel):
    """A dimension of a release."""

    dimension: str
    name: str = Field(description="What readers call the dimension.")
    levels: list[LevelEntry] = Field(description="The levels that published tables determine, from the finest.")


class PublishedTable(BaseModel):
    """A table as the release publishes it."""

    table: str
    title: str
    dimensions: list[str]
    cells: int
    query: str = Field(description="The query string that shows the table.")


class GuaranteeEntry(BaseModel):
    """What the release promises for one person."""

    epsilon: str
    delta: float
    unit: Literal["one row", "one person"]


class ReleaseEntry(BaseModel):
    """A release in the list."""

    release: str = Field(description="The name of the release in addresses.")
    title: str
    version: str


class ReleaseDocument(ReleaseEntry):
    """A release: what it counts, and which tables can be shown."""

    description: str
    notes: list[str]
    contact: str | None
    licence: str | None
    guarantee: GuaranteeEntry | None
    dimensions: list[DimensionEntry]
    tables: list[PublishedTable]
    comparable: list[str] = Field(description="Releases of earlier versions of the same data, for changes.")
    most_cells: int = Field(description="The most cells of a table.")


class AxisEntry(BaseModel):
    """A dimension in rows or columns."""

    dimension: str
    level: str | None
    name: str
    categories: list[CategoryEntry]


class BlockEntry(BaseModel):
    """Counts with intervals, as flat lists. The last dimension of columns changes fastest."""

    count: list[int]
    low: list[int] = Field(description="The first count of the interval.")
    high: list[int | None] = Field(description="The last count of the interval; null if it has no end.")
    mostly_noise: list[bool] = Field(description=NOISE_RULE)
    published: bool = Field(description="True if every count is published in a table; false for sums of them.")
    source: str = Field(description="The dimensions of the published table whose cells were added up.")


class ChangeEntry(BaseModel):
    """Changes since an earlier release, as flat lists."""

    change: list[int]
    low: list[int | None] = Field(description="The ends of the interval of the change; null if they are not known.")
    high: list[int | None]


class TableDocument(BaseModel):
    """A table."""

    release: str
    version: str
    before: str | None = Field(description="The name of the earlier release.")
    before_release: ReleaseEntry | None = Field(description="What the earlier release is called, and its version.")
    interval_level: float = Field(description="The least chance that an interval holds the true count.")
    rows: list[AxisEntry]
    columns: list[AxisEntry]
    keep: dict[str, list[str]]
    blocks: dict[str, BlockEntry] = Field(description="cells, and the margins: row_totals, column_totals, total.")
    changes: dict[str, ChangeEntry] | None
    noise_rule: str = NOISE_RULE
    read: dict[str, str] = Field(description="Lines of Python and of R that read the table.")


class ErrorDocument(BaseModel):
    """Why there is no answer."""

    error: str
    kind: str = Field(description="unknown, invalid, unpublished, incomparable or too_large.")
    nearest: list[str] = Field(default=[], description="Query strings of tables that can be shown.")
    cells: int | None = None


def display_labels(release: ShownRelease, language: Language | None = None) -> DisplayLabels:
    """Return what readers call everything in a release, in a language. None: the language of the release."""
    spec = release.opened.spec
    return DisplayLabels(spec if language is None else spec.model_copy(update={"language": language}))


def release_entry(release: ShownRelease, labels: DisplayLabels) -> dict[str, Any]:
    """Return a release as an entry of the list."""
    return {"release": release.name, "title": labels.title or release.name, "version": release.opened.spec.version}


def release_in_words(release: ShownRelease, language: Language | None = None) -> str:
    """Return the title and the version of a release."""
    entry = release_entry(release, display_labels(release, language))
    return f"{entry['title']} \u00b7 {entry['version']}"


def filters_in_words(question: TableQuestion, labels: DisplayLabels) -> list[str]:
    """Return what each filter of a question keeps, with the first categories of a long filter."""
    return [
        f"{labels.dimension(name)}: {', '.join(labels.category(name, label) for label in kept[:MOST_NAMED])}"
        + (", \u2026" if len(kept) > MOST_NAMED else "")
        for name, kept in question.keep
    ]


def release_document(catalogue: Catalogue, release: ShownRelease, labels: DisplayLabels) -> dict[str, Any]:
    """Return the description of a release."""
    spec, promise = release.opened.spec, release.opened.published.plan.promise
    unit = "one row" if spec.unit.id is None else "one person"
    return release_entry(release, labels) | {
        "description": labels.description,
        "notes": labels.notes,
        "contact": spec.metadata.contact,
        "licence": spec.metadata.licence,
        "guarantee": None
        if promise is None
        else {"epsilon": promise.epsilon, "delta": float(promise.delta), "unit": unit},
        "dimensions": [
            {
                "dimension": name,
                "name": labels.dimension(name),
                "levels": [
                    {
                        "level": level,
                        "categories": _categories(labels, name, release.opened.books[name].level(level).labels),
                    }
                    for level in levels
                ],
            }
            for name, levels in release.levels.items()
        ],
        "tables": [_published_table(release, labels, number) for number in range(len(release.opened.layout.tables))],
        "comparable": catalogue.comparable[release.name],
        "most_cells": MOST_TABLE_CELLS,
    }


def published_question(release: ShownRelease, number: int) -> TableQuestion:
    """Return the question that a published table answers: its last dimension in columns, the others in rows."""
    table, _ = release.opened.layout.tables[number]
    axes = tuple(AxisChoice(axis.dimension, axis.level) for axis in table.dimensions)
    keep = tuple((name, tuple(labels)) for name, labels in table.filter.items())
    return TableQuestion(axes[: max(1, len(axes) - 1)], axes[max(1, len(axes) - 1) :], keep)


def _published_table(release: ShownRelease, labels: DisplayLabels, number: int) -> dict[str, Any]:
    table, indices = release.opened.layout.tables[number]
    return {
        "table": table.name,
        "title": labels.table(table.name),
        "dimensions": [axis.dimension for axis in table.dimensions],
        "cells": release.opened.layout.groupings[indices[0]].size,
        "query": TableView(published_question(release, number)).query(),
    }


def _categories(labels: DisplayLabels, dimension: str, names: tuple[str, ...]) -> list[dict[str, str]]:
    return [{"label": name, "name": labels.category(dimension, name)} for name in names]


def _axis(labels: DisplayLabels, axis: ResolvedAxis) -> dict[str, Any]:
    return {
        "dimension": axis.book.name,
        "level": axis.level,
        "name": labels.axis(axis.book.name, axis.level),
        "categories": _categories(labels, axis.book.name, axis.labels),
    }


def table_document(
    release: ShownRelease,
    view: TableView,
    shown: AnsweredTable,
    changes: Mapping[str, ChangedCells] | None,
    labels: DisplayLabels,
    address: str,
    before: ShownRelease | None = None,
) -> dict[str, Any]:
    """Return a table as a document.

    Parameters
    ----------
    release, view
        What is shown.
    shown, changes
        The answer, and the changes since the earlier release of the view.
    labels
        What readers call everything.
    address
        The address of the API with a slash at its end, for the lines that read the table.
    before
        The earlier release of the view; None without one.
    """
    language = labels.spec.language
    return {
        "release": release.name,
        "version": release.opened.spec.version,
        "before": view.before,
        "before_release": None if before is None else release_entry(before, display_labels(before, language)),
        "interval_level": LEVEL,
        "rows": [_axis(labels, axis) for axis in shown.resolved.rows],
        "columns": [_axis(labels, axis) for axis in shown.resolved.columns],
        "keep": {name: list(kept) for name, kept in view.question.keep},
        "blocks": {name: _block(block) for name, block in shown.blocks.items()},
        "changes": None if changes is None else {name: _change(own) for name, own in changes.items()},
        "noise_rule": NOISE_RULE,
        "read": reading_lines(release, view, address),
    }


def _block(block: CountedCells) -> dict[str, Any]:
    return {
        "count": block.counts.ravel().tolist(),
        "low": block.low.ravel().tolist(),
        "high": [None if high == NO_END else high for high in block.high.ravel().tolist()],
        "mostly_noise": block.noisy.ravel().tolist(),
        "published": block.is_published,
        "source": block.release.layout.groupings[block.index].name,
    }


def _change(own: ChangedCells) -> dict[str, Any]:
    known = own.known.ravel().tolist()
    low, high = (
        [number if is_known else None for number, is_known in zip(ends.ravel().tolist(), known, strict=True)]
        for ends in (own.low, own.high)
    )
    return {"change": own.changes.ravel().tolist(), "low": low, "high": high}


def reading_lines(release: ShownRelease, view: TableView, address: str) -> dict[str, str]:
    """Return lines of Python and R that read the table as a data frame."""
    url = f"{address}releases/{release.name}/table.csv?{view.query()}"
    options = 'keep_default_na=False, na_values={"high": [""]}'
    return {
        "python": f'import pandas as pd\ntable = pd.read_csv("{url}", {options})',
        "r": f'table <- read.csv("{url}", check.names = FALSE, na.strings = "")',
    }

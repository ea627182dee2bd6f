"""A table as a file: CSV, Excel, Parquet and JSON-stat, with the columns of published files.

The files are made as those of a release are (`publish.table_files`): one row a cell, `_total` where a dimension is
summed over, and the columns count, low and high.

A file must not state the counts of some people as the counts of all. So every filter has a column of its own, with the
same words in every row: what the filter keeps. The column has the name of the dimension, or `only DIMENSION` if the
dimension is in rows or columns, where `_total` sums over the kept categories alone. JSON-stat has no such columns: its
first note says whom the filters keep.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from discreet.arrays import Integers
from discreet.extras import require
from discreet.infer.any_table.answered_table import AnsweredTable
from discreet.infer.any_table.table_question import ResolvedAxis
from discreet.plan.layout import Grouping, GroupingAxis, Layout
from discreet.plan.sections import Axis, TableSpec
from discreet.publish import table_files, table_workbook
from discreet.publish.cell_intervals import CountIntervals
from discreet.publish.display_labels import DisplayLabels

if TYPE_CHECKING:
    from discreet.plan.codebook import Codebook

FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "json-stat": "application/json",
}
"""The media type of every format."""

ENDINGS = {"csv": "csv", "xlsx": "xlsx", "parquet": "parquet", "json-stat": "json"}

NAME = "table"


def table_file(shown: AnsweredTable, form: str, labels: DisplayLabels) -> bytes:
    """Return a table as a file.

    Parameters
    ----------
    shown
        The table.
    form
        One of `FORMATS`.
    labels
        What readers call everything.

    Raises
    ------
    MissingExtraError
        XlsxWriter is not installed, and the format is xlsx.
    """
    rows, columns = shown.resolved.rows, shown.resolved.columns
    shown_axes: tuple[ResolvedAxis, ...] = (*rows, *columns)
    axes = {"cells": shown_axes, "row_totals": rows, "column_totals": columns, "total": ()}
    filters = () if form == "json-stat" else _filter_axes(shown, labels.category if form == "xlsx" else _same_label)
    groupings = tuple(Grouping((*_grouping_axes(axes[name]), *filters), ()) for name in shown.blocks)
    counts = [block.counts for block in shown.blocks.values()]
    ends = [CountIntervals(block.low, block.high) for block in shown.blocks.values()]
    spec = TableSpec(
        name=NAME,
        dimensions=[
            *(Axis(dimension=axis.book.name, level=axis.level) for axis in shown_axes),
            *(Axis(dimension=axis.book.name) for axis in filters),
        ],
        filter={name: list(kept) for name, kept in shown.resolved.question.keep},
    )
    books = (*(axis.book for axis in shown_axes), *(axis.book for axis in filters))
    layout = Layout(books, groupings, ((spec, tuple(range(len(groupings)))),))
    if form == "xlsx":
        require("xlsxwriter", "excel", "workbooks")
        margins = table_files.table_margins(layout, 0, [counts], [ends])
        plan = shown.release.published.plan
        cells = table_files.table_rows(spec, margins)
        return table_workbook.table_workbook(labels, plan, spec, cells, is_in_folder=False)
    return _file(labels, layout, counts, ends, form)


def _grouping_axes(axes: Sequence[ResolvedAxis]) -> tuple[GroupingAxis, ...]:
    return tuple(GroupingAxis(axis.book, axis.level, axis.labels, axis.members) for axis in axes)


def _filter_axes(shown: AnsweredTable, words: Callable[[str, str], str]) -> tuple[GroupingAxis, ...]:
    """Return an axis for each filter. Its one label is what the filter keeps: names joined by ` + `.

    Parameters
    ----------
    shown
        The table.
    words
        Returns the word for a label of a dimension.
    """
    books, question = shown.release.books, shown.resolved.question
    shown_names = {axis.dimension for axis in question.axes}
    axes = []
    for name, kept in question.keep:
        column = filter_column(name, books) if name in shown_names else name
        label = " + ".join(words(name, own) for own in kept)
        axes.append(GroupingAxis(replace(books[name], name=column), None, (label,), (books[name].select([*kept]),)))
    return tuple(axes)


def filter_column(name: str, books: Mapping[str, "Codebook"]) -> str:
    """Return the name of the column for the filter of a dimension in rows or columns. No dimension has that name."""
    column = f"only {name}"
    while column in books:
        column = f"only {column}"
    return column


def _same_label(_dimension: str, label: str) -> str:
    return label


def _file(
    labels: DisplayLabels, layout: Layout, counts: Sequence[Integers], ends: Sequence[CountIntervals], form: str
) -> bytes:
    files = table_files.tables_as_files(labels, layout, [counts], [form], [ends])
    name = f"{NAME}.{table_files.INTERVALS}.csv" if form == "csv" else f"{NAME}.{ENDINGS[form]}"
    return files[name]

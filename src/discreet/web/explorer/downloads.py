"""A table as a file: CSV, Excel, Parquet and JSON-stat, with the columns of published files.

The files are made as those of a release are (`publish.table_files`): one row a cell, `_total` where a dimension is
summed over, and the columns count, low and high.
"""

from collections.abc import Sequence

from discreet.arrays import Integers
from discreet.extras import require
from discreet.infer.any_table.answered_table import AnsweredTable
from discreet.infer.any_table.table_question import ResolvedAxis
from discreet.plan.layout import Grouping, GroupingAxis, Layout
from discreet.plan.sections import Axis, TableSpec
from discreet.publish import table_files, table_workbook
from discreet.publish.cell_intervals import CountIntervals
from discreet.publish.display_labels import DisplayLabels

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
    axes = {"cells": (*rows, *columns), "row_totals": rows, "column_totals": columns, "total": ()}
    groupings = [Grouping(_grouping_axes(axes[name]), ()) for name in shown.blocks]
    counts = [block.counts for block in shown.blocks.values()]
    ends = [CountIntervals(block.low, block.high) for block in shown.blocks.values()]
    spec = TableSpec(
        name=NAME,
        dimensions=[Axis(dimension=axis.book.name, level=axis.level) for axis in (*rows, *columns)],
    )
    layout = Layout(
        tuple(axis.book for axis in (*rows, *columns)), tuple(groupings), ((spec, tuple(range(len(groupings)))),)
    )
    if form == "xlsx":
        require("xlsxwriter", "excel", "workbooks")
        margins = table_files.table_margins(layout, 0, [counts], [ends])
        plan = shown.release.published.plan
        return table_workbook.table_workbook(labels, plan, spec, table_files.table_rows(spec, margins))
    return _file(labels, layout, counts, ends, form)


def _grouping_axes(axes: Sequence[ResolvedAxis]) -> tuple[GroupingAxis, ...]:
    return tuple(GroupingAxis(axis.book, axis.level, axis.labels, axis.members) for axis in axes)


def _file(
    labels: DisplayLabels, layout: Layout, counts: Sequence[Integers], ends: Sequence[CountIntervals], form: str
) -> bytes:
    files = table_files.tables_as_files(labels, layout, [counts], [form], [ends])
    name = f"{NAME}.{table_files.INTERVALS}.csv" if form == "csv" else f"{NAME}.{ENDINGS[form]}"
    return files[name]

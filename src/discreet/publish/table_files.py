"""The files of measurements and of tables: CSV, Parquet and JSON-stat.

The files are functions of the public specification and the measurements. So a third party can make them again, byte for
byte. Files of version 1 of the format have counts without intervals, and number the groupings of measurements.
"""

import csv
import io
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from operator import add, itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.arrays import Integers
from discreet.labels import TOTAL
from discreet.plan.layout import Grouping, GroupingAxis, Layout
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.sections import TableSpec
from discreet.publish.cell_intervals import NO_END, CountIntervals
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.manifest import FILTERS_SINCE, VERSION, AxisEntry, GroupingEntry, Version
from discreet.publish.metadata_files import csvw
from discreet.publish.sdmx_csv import sdmx_csv

MEASUREMENTS = "measurements.csv"

NUMBERS = ("count", "low", "high")
"""The columns of numbers. Files of version 1 have the first of them only."""

EXTENSIONS = {"csv": "csv", "parquet": "parquet", "json-stat": "json", "sdmx-csv": "sdmx.csv", "xlsx": "xlsx"}
"""How the file names of each format end."""

INTERVALS = "intervals"
"""TABLE.csv has counts only, so that the count is its last column; TABLE.intervals.csv has `low` and `high` too."""

CSVW = "csv-metadata.json"
"""How the file names end that describe CSV files."""

MEASURE = "measure"
"""The dimension of a JSON-stat cube that has NUMBERS as its categories."""

Margins = Sequence[tuple[Grouping, Sequence[Integers]]]
"""The groupings of a table, the finest first, each with its counts, and the ends of their intervals if it has them."""


def measurements_file(layout: Layout, measurements: Sequence[Integers | None], version: Version = VERSION) -> bytes:
    """Return the content of measurements.csv: one row for each cell of each measured grouping.

    The columns are the name of the grouping, a label for each dimension, and the measurement. If the grouping does not
    have the dimension, the label is what the filter of its table keeps, or `_total` without a filter. Version 1 has the
    index of the grouping, and no label instead of `_total`; before version 6 the filter is `_total`, too.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [book.name for book in layout.books]
    writer.writerow(["grouping", *names, "measurement"])
    grouping_names: Sequence[Any] = range(len(layout.groupings)) if version == 1 else grouping_words(layout)
    missing = "" if version == 1 else TOTAL
    kept = [{}] * len(layout.groupings) if version < FILTERS_SINCE else _kept(layout)
    for name, grouping, filters, numbers in zip(grouping_names, layout.groupings, kept, measurements, strict=True):
        if numbers is None:
            continue
        axes = {axis.book.name: axis.labels for axis in grouping.axes}
        others = {column: (filters.get(column, missing),) for column in names if column not in axes}
        labels = others | axes
        columns = itemgetter(0, *(1 + list(labels).index(column) for column in names), -1)
        products = itertools.product([name], *labels.values())
        writer.writerows(map(columns, _with_numbers(products, numbers)))
    return out.getvalue().encode()


def _kept(layout: Layout) -> list[dict[str, str]]:
    """Return for each grouping what the filter of its first table keeps, for each dimension that is no axis."""
    kept: dict[int, dict[str, str]] = {}
    for table, grouping_indices in layout.tables:
        for index in grouping_indices:
            kept.setdefault(
                index, {book.name: table.filter_words[book.name] for book, _ in layout.groupings[index].within}
            )
    return [kept[index] for index in range(len(layout.groupings))]


def grouping_words(layout: Layout) -> list[str]:
    """Return the name of each grouping: the first table that has the grouping, and the dimensions."""
    words: dict[int, str] = {}
    for table, grouping_indices in layout.tables:
        for index in grouping_indices:
            words.setdefault(index, f"{table.name}: {layout.groupings[index].name}")
    return [words[index] for index in range(len(layout.groupings))]


def _with_numbers(labels: Iterable[tuple[Any, ...]], *columns: Integers) -> Iterator[tuple[Any, ...]]:
    """Return tuples of labels, each with its numbers appended. An interval without an end has None there."""
    lists: list[list[Any]] = [column.ravel().tolist() for column in columns]
    if len(lists) == len(NUMBERS):
        lists[-1] = [None if number == NO_END else number for number in lists[-1]]
    return map(add, labels, zip(*lists, strict=True))


def file_names(table: str, formats: Sequence[str]) -> list[str]:
    """Return the names of the files of a table, in version 2 of the format."""
    names = [f"{table}.{EXTENSIONS[name]}" for name in formats]
    if "csv" not in formats:
        return names
    return [*names, f"{table}.{INTERVALS}.csv", f"{table}.{CSVW}", f"{table}.{INTERVALS}.{CSVW}"]


def tables_as_files(
    labels: DisplayLabels,
    layout: Layout,
    tables: Sequence[Sequence[Integers]],
    formats: Sequence[str],
    intervals: Sequence[Sequence[CountIntervals]] | None,
) -> dict[str, bytes]:
    """Return the content of the files of all tables, by file name.

    Parameters
    ----------
    labels
        The words of the specification. Version 1 of the format does not use them.
    tables
        For each table of the layout, the counts of its groupings.
    formats
        Some of "csv", "parquet", "json-stat" and "sdmx-csv". `table_workbook` makes "xlsx".
    intervals
        The intervals of the counts; None for version 1 of the format.
    """
    files = {}
    for number, (table, _) in enumerate(layout.tables):
        margins = table_margins(layout, number, tables, intervals)
        if "csv" in formats:
            files[f"{table.name}.csv"] = _csv(table, [(grouping, columns[:1]) for grouping, columns in margins])
        if "csv" in formats and intervals is not None:
            files[f"{table.name}.{INTERVALS}.csv"] = _csv(table, margins)
            files[f"{table.name}.{CSVW}"] = csvw(labels, table, f"{table.name}.csv", NUMBERS[:1])
            files[f"{table.name}.{INTERVALS}.{CSVW}"] = csvw(labels, table, f"{table.name}.{INTERVALS}.csv", NUMBERS)
        if "parquet" in formats:
            files[f"{table.name}.parquet"] = _parquet(table, margins)
        if "json-stat" in formats:
            files[f"{table.name}.json"] = _json_stat(None if intervals is None else labels, table, margins)
        if "sdmx-csv" in formats:
            name = f"{table.name}.{EXTENSIONS['sdmx-csv']}"
            files[name] = sdmx_csv(labels, table, margins, table_rows(table, margins))
    return files


def table_margins(
    layout: Layout,
    table_index: int,
    tables: Sequence[Sequence[Integers]],
    intervals: Sequence[Sequence[CountIntervals]] | None,
) -> Margins:
    """Return the groupings of a table, the finest first, each with its counts and the ends of their intervals."""
    groupings = [layout.groupings[index] for index in layout.tables[table_index][1]]
    if intervals is None:
        return [(grouping, (counts,)) for grouping, counts in zip(groupings, tables[table_index], strict=True)]
    return [
        (grouping, (counts, ends.low, ends.high))
        for grouping, counts, ends in zip(groupings, tables[table_index], intervals[table_index], strict=True)
    ]


def table_rows(table: TableSpec, margins: Margins) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each cell: a label for each dimension, `_total` for dimensions summed over, and the numbers."""
    for grouping, columns in margins:
        labels = {axis.book.name: axis.labels for axis in grouping.axes}
        products = itertools.product(*(labels.get(axis.dimension, (TOTAL,)) for axis in table.dimensions))
        yield from _with_numbers(products, *columns)


def _numbers(margins: Margins) -> tuple[str, ...]:
    """Return the names of the columns of numbers."""
    return NUMBERS[: len(margins[0][1])]


def _csv(table: TableSpec, margins: Margins) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(axis.dimension for axis in table.dimensions), *_numbers(margins)])
    writer.writerows(table_rows(table, margins))
    return out.getvalue().encode()


def _parquet(table: TableSpec, margins: Margins) -> bytes:
    import pyarrow.parquet as pq  # slow to load, and most releases do not write Parquet

    columns, dimensions = list(zip(*table_rows(table, margins), strict=True)), len(table.dimensions)
    arrays = [pa.array(column, pa.string()) for column in columns[:dimensions]]
    arrays.extend(pa.array(column, pa.int64()) for column in columns[dimensions:])
    content = pa.table(arrays, names=[*(axis.dimension for axis in table.dimensions), *_numbers(margins)])
    out = io.BytesIO()
    pq.write_table(content, out)
    return out.getvalue()


def _json_stat(labels: DisplayLabels | None, table: TableSpec, margins: Margins) -> bytes:
    """Return a table as JSON-stat 2: one cube for all margins, with null in margins that are not published.

    Parameters
    ----------
    labels
        The words of the specification; None for version 1 of the format.
    """
    finest = margins[0][0]
    own = {axis.book.name: list(axis.labels) for axis in finest.axes}
    summed = {name for grouping, _ in margins for name in own if name not in [axis.book.name for axis in grouping.axes]}
    categories = {name: [*values, TOTAL] if name in summed else values for name, values in own.items()}
    levels = {axis.dimension: axis.level for axis in table.dimensions}
    numbers = _numbers(margins)
    shape = [*(len(values) for values in categories.values()), len(numbers)]
    cube: npt.NDArray[np.object_] = np.full(shape, None, dtype=object)
    index = {name: {label: i for i, label in enumerate(values)} for name, values in categories.items()}
    for row in table_rows(table, margins):
        cube[tuple(index[name][label] for name, label in zip(categories, row, strict=False))] = row[len(categories) :]
    sides = categories if labels is None else categories | {MEASURE: list(numbers)}
    document = {
        "version": "2.0",
        "class": "dataset",
        "label": table.name if labels is None else labels.table(table.name),
        **({} if labels is None else _json_stat_notes(labels, table, finest.axes)),
        "id": list(sides),
        "size": [len(values) for values in sides.values()],
        **({} if labels is None else {"role": {"metric": [MEASURE]}}),
        "dimension": {
            name: _json_stat_dimension(labels, name, levels.get(name), values) for name, values in sides.items()
        },
        "value": cube.ravel().tolist(),
    }
    return (json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _json_stat_notes(labels: DisplayLabels, table: TableSpec, axes: Sequence[GroupingAxis]) -> dict[str, Any]:
    """Return source, notes, contact and licence of a JSON-stat document."""
    metadata = labels.spec.metadata
    columns = " ".join([labels.words("readme_columns"), labels.words("readme_marks"), *labels.leaves_in_other(axes)])
    notes = [*filter(None, [labels.people(table), labels.description]), *labels.notes, columns]
    extension = {"contact": metadata.contact, "licence": metadata.licence}
    return {
        "source": f"{labels.title} ({labels.spec.version})",
        "note": notes,
        "extension": {name: text for name, text in extension.items() if text is not None},
    }


def _json_stat_dimension(
    labels: DisplayLabels | None, name: str, level: str | None, values: list[str]
) -> dict[str, Any]:
    if labels is None or name == MEASURE:
        return {"label": name, "category": {"index": values}}
    texts = {value: labels.category(name, value) for value in values}
    return {"label": labels.axis(name, level), "category": {"index": values, "label": texts}}


def grouping_entries(plan: ReleasePlan) -> list[GroupingEntry]:
    """Return the manifest's entry for each grouping."""
    ptables = map(plan.ptable_of, range(len(plan.layout.groupings)))
    return [
        GroupingEntry(
            dimensions=[AxisEntry(dimension=axis.book.name, level=axis.level) for axis in grouping.axes],
            within={book.name: sorted(book.leaves[leaf] for leaf in members) for book, members in grouping.within},
            cells=grouping.size,
            ptable=None if ptable is None else ptable.digest,
            distance=plan.spec.unit.contributions,
            multiplicity=grouping.multiplicity,
        )
        for grouping, ptable in zip(plan.layout.groupings, ptables, strict=True)
    ]

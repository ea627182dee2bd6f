"""Read the measurements and the tables of a folder (docs/folder.md)."""

import csv
import io
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from .cells import Grouping, Layout
from .findings import Report, json_of, need
from .weights import Table

Counts = list[int]
"""One integer for every cell of a grouping."""

TableCounts = list[Counts]
"""The counts of every grouping of a table."""

TOTAL = "_total"


def measurements(report: Report, layout: Layout, table: Table, content: dict[str, bytes]) -> list[Counts]:
    """Return the measurements of every grouping.

    Raise WrongError unless the file has the cells of the specification, each with a number that the table can give.
    """
    rows = _rows(content["measurements.csv"])
    names = list(layout.books)
    need(next(rows, None) == ["grouping", *names, "measurement"], "its columns differ from the specification")
    result, measured = [], dict[int, int]()
    for number, grouping in enumerate(layout.groupings):
        values = []
        labels = product(*(axis.labels for axis in grouping.axes))
        index = {axis.dimension: position for position, axis in enumerate(grouping.axes)}
        for cell, label in zip(layout.cells[number], labels, strict=True):
            row = next(rows, [])
            expected = [str(number), *(label[index[name]] if name in index else "" for name in names)]
            need(row[:-1] == expected, f"a row is {row!r:.120}, and should start with {expected!r:.120}")
            value = _integer(row[-1])
            first = measured.setdefault(cell, value)
            need(first == value, f"one cell has two measurements, {first} and {value}")
            values.append(value)
        result.append(values)
    need(next(rows, None) is None, "it has more rows than cells")
    is_reachable = reachable(table)
    for value in sorted(set(measured.values())):
        need(is_reachable(value), f"{value} is no measurement that the certificate's table can give")
    report.add("proved", "measurements.csv", f"{len(measured)} cells, each with a number that the table can give it")
    return result


def reachable(table: Table) -> Callable[[int], bool]:
    """Return a function that is True for the numbers that some count from 0 on gives with a positive weight."""
    small = {output for row in table.rows for output, weight in enumerate(row.weights, row.first) if weight}
    start, period = len(table.rows), len(table.interior)
    classes: list[tuple[int, dict[int, list[int]]]] = []
    for first, row in enumerate(table.interior, start):
        noise_of: dict[int, list[int]] = defaultdict(list)  # by the residue of count + noise
        for z, weight in enumerate(row.weights, row.first):
            if weight:
                noise_of[(first + z) % period].append(z)
        classes.append((first, noise_of))

    def is_reachable(value: int) -> bool:
        if value in small:
            return True
        for first, noise_of in classes:  # is there a count c >= first of this row, and a noise z, with c + z == value?
            noise = noise_of.get(value % period, [])
            index = 0 if table.upper is None else bisect_left(noise, value - table.upper)
            if index < len(noise) and noise[index] <= value - first:
                return True
        return False

    return is_reachable


def _rows(raw: bytes) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(raw.decode(), newline=""), strict=True)


def _integer(text: str) -> int:
    value = int(text)
    need(str(value) == text, f"{text!r:.40} is not written as an integer")
    return value


def counts(report: Report, spec: dict[str, Any], layout: Layout, content: dict[str, bytes]) -> list[TableCounts | None]:
    """Return the counts of every table; None for a table in Parquet only.

    Raise WrongError unless all files have the cells of the specification, the same counts, and no negative count.
    """
    result: list[TableCounts | None] = []
    for table, indices in layout.tables:
        name = table["name"]
        groupings = [layout.groupings[index] for index in indices]
        dimensions = [axis["dimension"] for axis in table["dimensions"]]
        read = []
        if "csv" in spec["outputs"]:
            read.append(_from_csv(content[f"{name}.csv"], name, dimensions, groupings))
        if "json-stat" in spec["outputs"]:
            read.append(_from_json(content[f"{name}.json"], name, dimensions, groupings))
        need(all(table_counts == read[0] for table_counts in read), f"{name}.json has other counts than {name}.csv")
        least = min((min(values) for table_counts in read for values in table_counts), default=0)
        need(least >= 0, f"table {name} has a negative count, {least}")
        if "parquet" in spec["outputs"]:
            report.state(f"{name}.parquet: its content (its digest is checked, but this checker does not read Parquet)")
        result.append(read[0] if read else None)
    if any(table_counts is not None for table_counts in result):
        report.add("proved", "tables", "they have the cells of the specification and no negative count")
    return result


def _labels(grouping: Grouping, dimensions: list[str]) -> Iterator[tuple[str, ...]]:
    labels_of = {axis.dimension: axis.labels for axis in grouping.axes}
    return product(*(labels_of.get(dimension, (TOTAL,)) for dimension in dimensions))


def _from_csv(raw: bytes, name: str, dimensions: list[str], groupings: list[Grouping]) -> TableCounts:
    rows = _rows(raw)
    need(next(rows, None) == [*dimensions, "count"], f"{name}.csv has other columns than the specification")
    table_counts = []
    for grouping in groupings:
        values = []
        for labels in _labels(grouping, dimensions):
            row = next(rows, [""])
            need(row[:-1] == list(labels), f"{name}.csv: a row is {row!r:.120}, and should start with {labels!r:.120}")
            values.append(_integer(row[-1]))
        table_counts.append(values)
    need(next(rows, None) is None, f"{name}.csv has more rows than cells")
    return table_counts


def _from_json(raw: bytes, name: str, dimensions: list[str], groupings: list[Grouping]) -> TableCounts:
    """Read JSON-stat 2: one cube with all margins, null if a margin is not published."""
    labels_of = {axis.dimension: list(axis.labels) for axis in groupings[0].axes}
    for grouping in groupings:
        for dimension in set(labels_of) - {axis.dimension for axis in grouping.axes}:
            labels_of[dimension] += [] if TOTAL in labels_of[dimension] else [TOTAL]
    sides = [labels_of[dimension] for dimension in dimensions]
    document = json_of(raw)
    values = document.pop("value")
    expected = {
        "version": "2.0",
        "class": "dataset",
        "label": name,
        "id": dimensions,
        "size": [len(side) for side in sides],
        "dimension": {
            dimension: {"label": dimension, "category": {"index": labels_of[dimension]}} for dimension in dimensions
        },
    }
    need(document == expected, f"{name}.json does not describe the dimensions of the specification")
    cube = dict(zip(product(*sides), values, strict=True))
    result = [[cube.pop(labels) for labels in _labels(grouping, dimensions)] for grouping in groupings]
    need(all(type(value) is int for values in result for value in values), f"{name}.json has a count that is none")
    need(all(value is None for value in cube.values()), f"{name}.json has counts that are not published")
    return result

"""Read the measurements and the tables of a folder (docs/folder.md)."""

import csv
import io
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from .cells import OTHER, TOTAL, Grouping, Layout, Noise
from .findings import Report, json_of, need
from .weights import Table

Counts = list[int]
"""One integer for every cell of a grouping."""

TableCounts = list[Counts]
"""The counts of every grouping of a table."""

Ends = tuple[int, int | None]
"""The ends of the interval of a count. None: the interval has no upper end."""

NUMBERS = ["count", "low", "high"]
SDMX_STRUCTURE = ["STRUCTURE", "STRUCTURE_ID", "ACTION"]
SDMX_NUMBERS = ["OBS_VALUE", "OBS_LOW", "OBS_HIGH"]
SDMX_PEOPLE = "STAT_POP"

FILTERS_SINCE = 6
"""The version of the format since which filters are named beside numbers."""


class PublishedTable(NamedTuple):
    """The numbers of a table: counts of every grouping, and the ends of their intervals; None in version 1."""

    counts: TableCounts
    ends: list[list[Ends]] | None


def measurements(
    report: Report, version: int, layout: Layout, noise: Noise, tables: list[Table], content: dict[str, bytes]
) -> list[Counts | None]:
    """Return the measurements of every grouping; None if the grouping is not measured.

    Raise WrongError unless the file has the cells of the measured groupings, each with a number that its table of noise
    can give.
    """
    rows = _rows(content["measurements.csv"])
    names = list(layout.books)
    need(next(rows, None) == ["grouping", *names, "measurement"], "its columns differ from the specification")
    result: list[Counts | None] = []
    measured: dict[tuple[int, int], int] = {}
    grouping_names, kept = _grouping_names(layout), _kept(layout)
    for number, (grouping, table) in enumerate(zip(layout.groupings, noise, strict=True)):
        if table is None:
            result.append(None)
            continue
        values = []
        name, missing = (str(number), "") if version == 1 else (grouping_names[number], TOTAL)
        others = dict.fromkeys(names, missing) | (kept[number] if version >= FILTERS_SINCE else {})
        labels = product(*(axis.labels for axis in grouping.axes))
        index = {axis.dimension: position for position, axis in enumerate(grouping.axes)}
        for cell, label in zip(layout.cells[number], labels, strict=True):
            row = next(rows, [])
            expected = [name, *(label[index[column]] if column in index else others[column] for column in names)]
            need(row[:-1] == expected, f"a row is {row!r:.120}, and should start with {expected!r:.120}")
            value = _integer(row[-1])
            first = measured.setdefault((cell, table), value)
            need(first == value, f"one cell has two measurements, {first} and {value}")
            values.append(value)
        result.append(values)
    need(next(rows, None) is None, "it has more rows than cells")
    for number, own in enumerate(tables):
        is_reachable = reachable(own)
        for value in sorted({value for (_, table), value in measured.items() if table == number}):
            need(is_reachable(value), f"{value} is no measurement that the certificate's table can give")
    report.add("proved", "measurements.csv", f"{len(measured)} cells, each with a number that the table can give it")
    return result


def _grouping_names(layout: Layout) -> dict[int, str]:
    """Return the name of every grouping: the first table that has it, and its dimensions."""
    names: dict[int, str] = {}
    for table, indices in layout.tables:
        for index in indices:
            dimensions = " by ".join(axis.dimension for axis in layout.groupings[index].axes)
            names.setdefault(index, f"{table['name']}: {dimensions or 'total'}")
    return names


def _kept(layout: Layout) -> dict[int, dict[str, str]]:
    """Return for every grouping what the filter of its first table keeps, for each dimension that is no axis."""
    kept: dict[int, dict[str, str]] = {}
    for table, indices in layout.tables:
        for index in indices:
            filtered = [name for name, _ in layout.groupings[index].within]
            kept.setdefault(index, {name: " + ".join(table["filter"][name]) for name in filtered})
    return kept


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


def counts(
    report: Report, manifest: dict[str, Any], layout: Layout, content: dict[str, bytes]
) -> list[PublishedTable | None]:
    """Return the numbers of every table; None for a table in Parquet only.

    Raise WrongError unless all files have the cells of the specification, the same numbers, and no negative count.
    """
    result: list[PublishedTable | None] = []
    spec, numbers = manifest["spec"], NUMBERS[:1] if manifest["version"] == 1 else NUMBERS
    for table, indices in layout.tables:
        name = table["name"]
        groupings = [layout.groupings[index] for index in indices]
        dimensions = [axis["dimension"] for axis in table["dimensions"]]
        read = []
        if "csv" in spec["outputs"]:
            plain = _from_csv(content[f"{name}.csv"], name, dimensions, groupings, NUMBERS[:1])
            if len(numbers) > 1:
                file_name = f"{name}.intervals"
                read.append(_from_csv(content[f"{file_name}.csv"], file_name, dimensions, groupings, numbers))
                counts_of = [[row[:1] for row in values] for values in read[0]]
                need(counts_of == plain, f"the files of table {name} have different numbers")
            else:
                read.append(plain)
        if "json-stat" in spec["outputs"]:
            read.append(_from_json(content[f"{name}.json"], name, dimensions, groupings, numbers))
        if "sdmx-csv" in spec["outputs"]:
            people = manifest["version"] >= FILTERS_SINCE and bool(table["filter"])
            read.append(_from_sdmx(content[f"{name}.sdmx.csv"], name, dimensions, groupings, people=people))
        need(all(rows == read[0] for rows in read), f"the files of table {name} have different numbers")
        least = min((row[0] for rows in read for values in rows for row in values), default=0)
        need(least >= 0, f"table {name} has a negative count, {least}")
        for ending, kind in (("parquet", "Parquet"), ("xlsx", "workbooks")):
            if ending in spec["outputs"]:
                report.state(
                    f"{name}.{ending}: its content (its digest is checked, but this checker does not read {kind})"
                )
        result.append(_published(read[0]) if read else None)
    if any(table_counts is not None for table_counts in result):
        report.add("proved", "tables", "they have the cells of the specification and no negative count")
    return result


def _published(rows: list[list[list[Any]]]) -> PublishedTable:
    table_counts = [[row[0] for row in values] for values in rows]
    if len(rows[0][0]) == 1:
        return PublishedTable(table_counts, None)
    return PublishedTable(table_counts, [[(row[1], row[2]) for row in values] for values in rows])


def _labels(grouping: Grouping, dimensions: list[str]) -> Iterator[tuple[str, ...]]:
    labels_of = {axis.dimension: axis.labels for axis in grouping.axes}
    return product(*(labels_of.get(dimension, (TOTAL,)) for dimension in dimensions))


def _from_csv(
    raw: bytes, name: str, dimensions: list[str], groupings: list[Grouping], numbers: list[str]
) -> list[list[list[Any]]]:
    """Return the numbers of every cell of every grouping. Only `high` may be empty, which is None."""
    rows = _rows(raw)
    need(next(rows, None) == [*dimensions, *numbers], f"{name}.csv has other columns than the specification")
    width = len(dimensions)
    table_rows = []
    for grouping in groupings:
        values = []
        for labels in _labels(grouping, dimensions):
            row = next(rows, [])
            expected = row[:width] == list(labels) and len(row) == width + len(numbers)
            need(expected, f"{name}.csv: a row is {row!r:.120}, and should start with {labels!r:.120}")
            values.append([None if text == "" and n == 2 else _integer(text) for n, text in enumerate(row[width:])])
        table_rows.append(values)
    need(next(rows, None) is None, f"{name}.csv has more rows than cells")
    return table_rows


def _from_sdmx(
    raw: bytes, name: str, dimensions: list[str], groupings: list[Grouping], *, people: bool
) -> list[list[list[Any]]]:
    """Read SDMX-CSV. In each column, every label has one code, and no two labels have the same code.

    With `people`, the last column says in every row whom the filter keeps.
    """
    rows = _rows(raw)
    head = next(rows, [])
    width, last = 3 + len(dimensions), [SDMX_PEOPLE] if people else []
    texts: set[str] = set()
    need(
        head[:3] == SDMX_STRUCTURE and head[width:] == SDMX_NUMBERS + last and len(set(head)) == len(head),
        f"{name}.sdmx.csv has other columns than an SDMX-CSV file of the table",
    )
    codes: list[dict[str, str]] = [{"_T": TOTAL, "_O": OTHER} for _ in dimensions]
    labels_of: list[dict[str, str]] = [{TOTAL: "_T", OTHER: "_O"} for _ in dimensions]
    table_rows = []
    for grouping in groupings:
        values = []
        for labels in _labels(grouping, dimensions):
            row = next(rows, [])
            need(len(row) == len(head) and row[0] == "dataflow", f"{name}.sdmx.csv: a row is {row!r:.120}")
            for code, label, own, other in zip(row[3:width], labels, codes, labels_of, strict=True):
                one_to_one = own.setdefault(code, label) == label and other.setdefault(label, code) == code
                need(one_to_one, f"{name}.sdmx.csv: {code!r:.60} and {label!r:.60} do not belong to each other alone")
            texts.update(row[width + 3 :])
            numbers = row[width : width + 3]
            values.append([None if text == "" and n == 2 else _integer(text) for n, text in enumerate(numbers)])
        table_rows.append(values)
    need(next(rows, None) is None, f"{name}.sdmx.csv has more rows than cells")
    need(len(texts) == len(last) and "" not in texts, f"{name}.sdmx.csv does not say in one text whom the filter keeps")
    return table_rows


def _from_json(
    raw: bytes, name: str, dimensions: list[str], groupings: list[Grouping], numbers: list[str]
) -> list[list[list[Any]]]:
    """Read JSON-stat 2: one cube with all margins, null if a margin is not published."""
    labels_of = {axis.dimension: list(axis.labels) for axis in groupings[0].axes}
    for grouping in groupings:
        for dimension in set(labels_of) - {axis.dimension for axis in grouping.axes}:
            labels_of[dimension] += [] if TOTAL in labels_of[dimension] else [TOTAL]
    sides = {dimension: labels_of[dimension] for dimension in dimensions}
    with_measure = sides if len(numbers) == 1 else sides | {"measure": numbers}
    document = json_of(raw)
    values = document.pop("value")
    expected = {
        "version": "2.0",
        "class": "dataset",
        "id": list(with_measure),
        "size": [len(side) for side in with_measure.values()],
        "dimension": {dimension: {"category": {"index": side}} for dimension, side in with_measure.items()},
    }
    texts = _without_texts(document, since_2=len(numbers) > 1)
    expected |= {} if len(numbers) == 1 else {"role": {"metric": ["measure"]}}
    need(document == expected, f"{name}.json does not describe the dimensions of the specification")
    need(texts if len(numbers) > 1 else texts == [name, *sides], f"{name}.json has other labels")
    width = len(numbers)
    cells = list(product(*sides.values()))
    need(len(values) == width * len(cells), f"{name}.json has {len(values)} numbers for {len(cells)} cells")
    cube = {cell: values[width * i : width * (i + 1)] for i, cell in enumerate(cells)}
    result = [[cube.pop(labels) for labels in _labels(grouping, dimensions)] for grouping in groupings]
    for row in (row for rows in result for row in rows):
        need(all(type(value) is int for value in row[:2]), f"{name}.json has a number that is none")
        need(row[2:] in ([], [None]) or type(row[2]) is int, f"{name}.json has a number that is none")
    need(all(value is None for row in cube.values() for value in row), f"{name}.json has numbers not published")
    return result


def _without_texts(document: dict[str, Any], *, since_2: bool) -> list[str]:
    """Remove titles, labels and notes from a JSON-stat document, and return titles of the cube and its dimensions.

    In version 2 they are the publisher's words, so only their form is checked.
    """
    titles = [document.pop("label")]
    if since_2:
        words = [document.pop("source"), *document.pop("note"), *document.pop("extension").values()]
        need(all(isinstance(text, str) for text in words), "a source or a note is not a text")
    for dimension, side in document["dimension"].items():
        titles.append(side.pop("label"))
        if since_2 and dimension != "measure":
            labels = side["category"].pop("label")
            need(list(labels) == side["category"]["index"], f"labels of {dimension!r:.60} are not of its categories")
            need(all(isinstance(text, str) for text in labels.values()), f"a label of {dimension!r:.60} is no text")
    need(all(isinstance(title, str) for title in titles), "a label is not a text")
    return titles

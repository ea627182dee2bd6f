"""The files of measurements and of tables.

Everything here is a function of the public specification and the measurements, so a third party can make the tables
again, byte for byte.
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
from discreet.plan.layout import Grouping, Layout
from discreet.plan.sections import TableSpec
from discreet.publish.manifest import AxisEntry, GroupingEntry

MEASUREMENTS = "measurements.csv"


def measurements(layout: Layout, values: Sequence[Integers]) -> bytes:
    """All groupings in one file: the grouping's number, a column for every dimension, the measurement."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [book.name for book in layout.books]
    writer.writerow(["grouping", *names, "measurement"])
    for number, (grouping, numbers) in enumerate(zip(layout.groupings, values, strict=True)):
        sides = [side.book.name for side in grouping.axes]
        chosen = itemgetter(0, *(2 + sides.index(name) if name in sides else 1 for name in names), -1)
        labels = itertools.product([number], [""], *(side.labels for side in grouping.axes))
        writer.writerows(map(chosen, _beside(labels, numbers)))
    return out.getvalue().encode()


def _beside(labels: Iterable[tuple[Any, ...]], numbers: Integers) -> Iterator[tuple[Any, ...]]:
    """Rows of labels, each with its number at the end."""
    return map(add, labels, zip(numbers.ravel().tolist(), strict=True))


def files(layout: Layout, tables: Sequence[Sequence[Integers]], formats: Sequence[str]) -> dict[str, bytes]:
    """The tables, by file name."""
    found = {}
    for (table, places), counts in zip(layout.tables, tables, strict=True):
        parts = [(layout.groupings[place], numbers) for place, numbers in zip(places, counts, strict=True)]
        if "csv" in formats:
            found[f"{table.name}.csv"] = _csv(table, parts)
        if "parquet" in formats:
            found[f"{table.name}.parquet"] = _parquet(table, parts)
        if "json-stat" in formats:
            found[f"{table.name}.json"] = _json_stat(table, parts)
    return found


def rows(table: TableSpec, parts: Sequence[tuple[Grouping, Integers]]) -> Iterator[tuple[Any, ...]]:
    """One row a cell: a label for every dimension, `_total` where it is summed over, and the count."""
    for grouping, counts in parts:
        sides = {side.book.name: side.labels for side in grouping.axes}
        labels = itertools.product(*(sides.get(axis.dimension, (TOTAL,)) for axis in table.dimensions))
        yield from _beside(labels, counts)


def _csv(table: TableSpec, parts: Sequence[tuple[Grouping, Integers]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(axis.dimension for axis in table.dimensions), "count"])
    writer.writerows(rows(table, parts))
    return out.getvalue().encode()


def _parquet(table: TableSpec, parts: Sequence[tuple[Grouping, Integers]]) -> bytes:
    import pyarrow.parquet as pq  # most releases have no use for it

    *labels, counts = zip(*rows(table, parts), strict=True)
    columns = [*(pa.array(column, pa.string()) for column in labels), pa.array(counts, pa.int64())]
    content = pa.table(columns, names=[*(axis.dimension for axis in table.dimensions), "count"])
    out = io.BytesIO()
    pq.write_table(content, out)
    return out.getvalue()


def _json_stat(table: TableSpec, parts: Sequence[tuple[Grouping, Integers]]) -> bytes:
    """JSON-stat 2: all margins in one cube, null where a margin is not published."""
    finest = parts[0][0]
    labels = {side.book.name: list(side.labels) for side in finest.axes}
    summed = {name for grouping, _ in parts for name in labels if name not in [s.book.name for s in grouping.axes]}
    categories = {name: [*values, TOTAL] if name in summed else values for name, values in labels.items()}
    cube: npt.NDArray[np.object_] = np.full([len(values) for values in categories.values()], None, dtype=object)
    place = {name: {label: at for at, label in enumerate(values)} for name, values in categories.items()}
    for *row, count in rows(table, parts):
        cube[tuple(place[name][label] for name, label in zip(categories, row, strict=True))] = count
    document = {
        "version": "2.0",
        "class": "dataset",
        "label": table.name,
        "id": list(categories),
        "size": [len(values) for values in categories.values()],
        "dimension": {name: {"label": name, "category": {"index": values}} for name, values in categories.items()},
        "value": cube.ravel().tolist(),
    }
    return (json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def groupings(layout: Layout, ptable: str, contributions: int) -> list[GroupingEntry]:
    """Return the entry of every grouping in a manifest."""
    return [
        GroupingEntry(
            dimensions=[AxisEntry(dimension=axis.book.name, level=axis.level) for axis in grouping.axes],
            within={book.name: sorted(book.leaves[leaf] for leaf in members) for book, members in grouping.within},
            cells=grouping.size,
            ptable=ptable,
            distance=contributions,
            multiplicity=grouping.multiplicity,
        )
        for grouping in layout.groupings
    ]

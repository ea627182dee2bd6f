"""The files of measurements and of tables: CSV, Parquet and JSON-stat.

The files are functions of the public specification and the measurements. So a third party can make them again, byte for
byte.
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

Margins = Sequence[tuple[Grouping, Integers]]
"""The groupings of a table, the finest first, each with its counts."""


def measurements_file(layout: Layout, measurements: Sequence[Integers]) -> bytes:
    """Return the content of measurements.csv: one row for each cell of each grouping.

    The columns are the index of the grouping, a label for each dimension (empty if the grouping does not have the
    dimension), and the measurement.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [book.name for book in layout.books]
    writer.writerow(["grouping", *names, "measurement"])
    for index, (grouping, numbers) in enumerate(zip(layout.groupings, measurements, strict=True)):
        own_names = [axis.book.name for axis in grouping.axes]
        # Each product is (index, "", one label for each axis), and the number comes last.
        columns = itemgetter(0, *(2 + own_names.index(name) if name in own_names else 1 for name in names), -1)
        products = itertools.product([index], [""], *(axis.labels for axis in grouping.axes))
        writer.writerows(map(columns, _with_numbers(products, numbers)))
    return out.getvalue().encode()


def _with_numbers(labels: Iterable[tuple[Any, ...]], numbers: Integers) -> Iterator[tuple[Any, ...]]:
    """Return tuples of labels, each with its number appended."""
    return map(add, labels, zip(numbers.ravel().tolist(), strict=True))


def tables_as_files(layout: Layout, tables: Sequence[Sequence[Integers]], formats: Sequence[str]) -> dict[str, bytes]:
    """Return the content of the files of all tables, by file name.

    Parameters
    ----------
    tables
        For each table of the layout, the counts of its groupings.
    formats
        Some of "csv", "parquet" and "json-stat".
    """
    files = {}
    for (table, grouping_indices), counts in zip(layout.tables, tables, strict=True):
        margins = [(layout.groupings[index], numbers) for index, numbers in zip(grouping_indices, counts, strict=True)]
        if "csv" in formats:
            files[f"{table.name}.csv"] = _csv(table, margins)
        if "parquet" in formats:
            files[f"{table.name}.parquet"] = _parquet(table, margins)
        if "json-stat" in formats:
            files[f"{table.name}.json"] = _json_stat(table, margins)
    return files


def table_rows(table: TableSpec, margins: Margins) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each cell: a label for each dimension, `_total` for dimensions summed over, and the count."""
    for grouping, counts in margins:
        labels = {axis.book.name: axis.labels for axis in grouping.axes}
        products = itertools.product(*(labels.get(axis.dimension, (TOTAL,)) for axis in table.dimensions))
        yield from _with_numbers(products, counts)


def _csv(table: TableSpec, margins: Margins) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(axis.dimension for axis in table.dimensions), "count"])
    writer.writerows(table_rows(table, margins))
    return out.getvalue().encode()


def _parquet(table: TableSpec, margins: Margins) -> bytes:
    import pyarrow.parquet as pq  # slow to load, and most releases do not write Parquet

    *labels, counts = zip(*table_rows(table, margins), strict=True)
    columns = [*(pa.array(column, pa.string()) for column in labels), pa.array(counts, pa.int64())]
    content = pa.table(columns, names=[*(axis.dimension for axis in table.dimensions), "count"])
    out = io.BytesIO()
    pq.write_table(content, out)
    return out.getvalue()


def _json_stat(table: TableSpec, margins: Margins) -> bytes:
    """Return a table as JSON-stat 2: one cube for all margins, with null in margins that are not published."""
    finest = margins[0][0]
    labels = {axis.book.name: list(axis.labels) for axis in finest.axes}
    summed = {
        name for grouping, _ in margins for name in labels if name not in [axis.book.name for axis in grouping.axes]
    }
    categories = {name: [*values, TOTAL] if name in summed else values for name, values in labels.items()}
    cube: npt.NDArray[np.object_] = np.full([len(values) for values in categories.values()], None, dtype=object)
    index = {name: {label: i for i, label in enumerate(values)} for name, values in categories.items()}
    for *row, count in table_rows(table, margins):
        cube[tuple(index[name][label] for name, label in zip(categories, row, strict=True))] = count
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


def grouping_entries(layout: Layout, ptable: str, contributions: int) -> list[GroupingEntry]:
    """Return the manifest's entry for each grouping.

    Parameters
    ----------
    ptable
        The digest of the perturbation table.
    contributions
        The most rows of one person in one grouping.
    """
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

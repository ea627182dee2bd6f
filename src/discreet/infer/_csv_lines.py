"""The lines of a CSV text about the cells of a table: labels, then numbers."""

import itertools
from collections.abc import Iterator, Sequence
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any

from discreet.arrays import Integers
from discreet.labels import TOTAL

if TYPE_CHECKING:
    from discreet.plan.layout import GroupingAxis
    from discreet.plan.sections import TableSpec

CellRows = tuple[list[tuple[Any, ...]], Integers]
"""Distinct rows of numbers, and for every cell of a grouping the index of its row."""


def lines(
    table: "TableSpec",
    dimensions: Sequence[str],
    axes: Sequence["GroupingAxis"],
    rows: Sequence[tuple[Any, ...]],
    row_index: Integers,
) -> Iterator[tuple[Any, ...]]:
    """Yield the line of every cell of a grouping, in C order: the name of the table, labels, and the row of the cell.

    The label of a dimension that the grouping sums over is `_total`. A dimension that the table does not have is empty.
    """
    of_table = {axis.dimension for axis in table.dimensions}
    # fields: table name, empty, total, labels of the axes, then the numbers of the cell
    field_of = {axis.book.name: 3 + number for number, axis in enumerate(axes)}
    label_fields = [field_of.get(name, 2 if name in of_table else 1) for name in dimensions]
    labels = itertools.product([table.name], [""], [TOTAL], *(axis.labels for axis in axes))
    numbers_start = 3 + len(axes)
    fields = itemgetter(0, *label_fields, *range(numbers_start, numbers_start + len(rows[0])))
    return map(fields, map(add, labels, map(rows.__getitem__, row_index.ravel().tolist())))

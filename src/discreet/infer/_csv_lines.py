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
    width: int,
) -> Iterator[tuple[Any, ...]]:
    """Yield the line of every cell of a grouping, in C order: the name of the table, labels, and the row of the cell.

    The label of a dimension that the grouping sums over is `_total`, or what the filter of the table keeps. A dimension
    that the table does not have is empty. Of each row, the first `width` entries are used.
    """
    others = dict.fromkeys((axis.dimension for axis in table.dimensions), TOTAL) | table.filter_words
    own_labels = {axis.book.name: axis.labels for axis in axes}
    labels_of: dict[str, tuple[str, ...]] = {
        name: (others.get(name, ""),) for name in dimensions if name not in own_labels
    }
    labels_of |= own_labels
    labels = itertools.product([table.name], *labels_of.values())
    numbers_start, order = 1 + len(labels_of), list(labels_of)
    label_fields = (1 + order.index(name) for name in dimensions)
    fields = itemgetter(0, *label_fields, *range(numbers_start, numbers_start + width))
    return map(fields, map(add, labels, map(rows.__getitem__, row_index.ravel().tolist())))

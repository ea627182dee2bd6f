"""Tables with the categories of one dimension as columns."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from discreet.errors import ParameterError
from discreet.plan.sections import TableSpec


def wide(table: TableSpec, columns: Mapping[str, Any], across: str) -> dict[str, pa.Array]:
    """Return the columns of a table with one column of counts for each category of a dimension.

    Parameters
    ----------
    table
        The table.
    columns
        Its columns with one row for each cell: the dimensions first, then the numbers, the counts first.
    across
        The dimension whose categories become columns. A cell that is not published is missing.

    Raises
    ------
    ParameterError
        The table has no such dimension, or two columns would have one name.
    """
    dimensions = [axis.dimension for axis in table.dimensions]
    if across not in dimensions:
        raise ParameterError(f"across is {across!r:.80}; table {table.name!r} has {', '.join(dimensions) or 'none'}")
    others = [name for name in dimensions if name != across]
    labels = columns[across].to_pylist()
    rows = list(zip(*(columns[name].to_pylist() for name in others), strict=True)) if others else [()] * len(labels)
    row_indices = {row: index for index, row in enumerate(dict.fromkeys(rows))}
    categories = list(dict.fromkeys(labels))
    wide_columns = {
        name: pa.array(part, pa.string()) for name, part in zip(others, zip(*row_indices, strict=True), strict=False)
    }
    numbers = list(columns)[len(dimensions) :]
    cells: dict[tuple[str, str], list[int | None]] = {
        (category, name): [None] * len(row_indices) for category in categories for name in numbers
    }
    for name in numbers:
        for row, label, number in zip(rows, labels, columns[name].to_pylist(), strict=True):
            cells[label, name][row_indices[row]] = number
    for (category, name), values in cells.items():
        head = category if name == numbers[0] else f"{category} {name}"
        if head in wide_columns:
            raise ParameterError(f"two columns would be called {head!r:.80}; choose another dimension, or level=None")
        wide_columns[head] = pa.array(values, pa.int64())
    return wide_columns

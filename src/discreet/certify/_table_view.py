"""The weights of a table, as columns and as pictures of the noise."""

from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import pictures
from discreet.certify.table import Table
from discreet.domain import LARGEST, Cycle
from discreet.errors import InputError


def columns(table: Table) -> dict[str, npt.NDArray[Any]]:
    """Return count, noise, weight and probability of every entry of every row."""
    lower = 0 if isinstance(table.domain, Cycle) else table.domain.lower
    rows = [(lower + index, row.first - lower - index, row.weights) for index, row in enumerate(table.rows)]
    start = lower + len(table.rows)
    rows += [(start + index, row.first, row.weights) for index, row in enumerate(table.interior)]
    lines = [(count, first + k, weight) for count, first, weights in rows for k, weight in enumerate(weights)]
    counts, noise, weights = (np.array(part, dtype=np.int64) for part in zip(*lines, strict=True))
    return {"count": counts, "noise": noise, "weight": weights, "probability": weights / table.total}


def draw(table: Table, name: str, count: int | None, axes: Any) -> Any:
    """Draw the chance of each noise at one count on axes of matplotlib, and return the axes."""
    shown, shares = noise(table, count)
    panel = pictures.axes(axes)
    panel.bar(list(shares), list(shares.values()), color=pictures.COLOUR)
    panel.set(xlabel="noise", ylabel="probability", title=f"{name}, {shown}")
    return panel


def picture(table: Table) -> str:
    """Return a small picture of the noise as an SVG element."""
    shown, shares = noise(table)
    return pictures.bars(shares, f"chance of each noise, {shown}")


def noise(table: Table, count: int | None = None) -> tuple[str, dict[int, float]]:
    """Return which counts a picture is of, and the probability of each noise at them.

    Parameters
    ----------
    table
        The table.
    count
        The true count. None: a large count, or the middle of the domain.

    Raises
    ------
    InputError
        The count is not in the domain.
    """
    if isinstance(table.domain, Cycle):
        return "all residues", {k: weight / table.total for k, weight in enumerate(table.interior[0].weights)}
    lower, highest = table.domain.lower, LARGEST if table.domain.upper is None else table.domain.upper
    if count is None:
        count = table.start if table.interior else (lower + highest) // 2
    if not lower <= count <= highest:
        raise InputError(f"count is {count}; give a count of {table.domain}")
    row = table.row(count)
    shown = f"counts from {table.start} on" if count >= table.start else f"count {count}"
    return shown, {row.first + k - count: weight / table.total for k, weight in enumerate(row.weights)}

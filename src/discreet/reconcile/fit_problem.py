"""A least-squares problem, and the certificate of its solution.

A problem is a list of **blocks**: groupings with measurements, known numbers or bounds.

`least_squares` returns tables with the **gap** between their objective f and a lower bound g of the least f, and with
the **residual**, the largest disagreement of two blocks. Every number is within sqrt(2 gap) of its own least-squares
standard deviations of the exact minimum. So a gap of 0.005 means within 0.1 standard deviations.

A gap above `GAP` or a residual above `RESIDUAL` is an error, never a result. So is a gap further below 0 than the last
digits of the disagreement explain: f below its lower bound means that the tables do not agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.arrays import Booleans, Floats
from discreet.reconcile.axes import Axes, Key

GAP = 0.005
"""Largest gap: every number is then within 0.1 of its own standard deviations of the exact minimum."""

RELATIVE = 1e-6
"""Largest gap beyond `GAP`, as a share of the objective; for last digits, if fixed numbers are far from noisy ones."""

RESIDUAL = 1e-3
"""Largest disagreement of two blocks, in standard deviations of the least noise."""

COARSE = 0.03
"""The same for counts beyond 1e8, whose last digits are a share of little noise."""


@dataclass(frozen=True)
class Block:
    """A grouping that was measured, is known, or is a table whose bounds must be kept.

    Attributes
    ----------
    key
        The canonical key of the grouping.
    values
        The measurements, or the known numbers.
    variance
        The variance of each measurement, or of all; 0 for numbers that are known.
    low, high
        Bounds; None for no bound.
    copy
        The number of the problem that the block belongs to. Several problems with the same groupings are solved at
        once; blocks of different copies do not affect each other.
    """

    key: Key
    values: Floats
    variance: Floats
    low: Floats | None = None
    high: Floats | None = None
    copy: int = 0


def close_empty_sums(axes: Axes, blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with non-negative cells known to be 0 wherever a sum of them is known to be 0."""
    zeros = {(block.copy, block.key): (block.variance == 0) & (block.values == 0) for block in blocks}
    zeros = {copy_and_key: zero for copy_and_key, zero in zeros.items() if zero.any()}
    return [_with_zeros(axes, block, zeros) for block in blocks] if zeros else list(blocks)


def _with_zeros(axes: Axes, block: Block, zeros: dict[tuple[int, Key], Booleans]) -> Block:
    if block.low is None:
        return block
    closed = np.zeros(block.values.shape, dtype=bool)
    for (copy, key), zero in zeros.items():
        if copy == block.copy and axes.refines(block.key, key):
            cells = np.broadcast_to(zero, axes.shape(key)).reshape(-1)[axes.containing_cells(block.key, key)]
            closed |= cells.reshape(closed.shape) & (np.broadcast_to(block.low, closed.shape) >= 0)
    if not closed.any():
        return block
    return replace(block, values=np.where(closed, 0.0, block.values), variance=np.where(closed, 0.0, block.variance))


@dataclass(frozen=True)
class Fit:
    """Least-squares numbers, and their certificate.

    Attributes
    ----------
    copies
        For every copy, the numbers of every block. Blocks that no other block refines are exactly within their bounds.
    gap
        f is above its minimum by at most this.
    residual
        The largest disagreement of two blocks, in standard deviations of the least noise.
    objective
        f.
    steps
        The numbers of Newton steps and of products with the matrix.
    """

    copies: tuple[dict[Key, Floats], ...]
    gap: float
    residual: float
    objective: float
    steps: tuple[int, int]

    @property
    def tables(self) -> dict[Key, Floats]:
        """The numbers of the first copy."""
        return self.copies[0]


@dataclass(frozen=True)
class Limits:
    """When a search ends, and which results are accepted.

    Attributes
    ----------
    unit
        The standard deviation of the least noise.
    digits
        The last digits of the largest count, in units.
    aim
        The disagreement at which the search ends, in units, with the last digits of large counts.
    user_aim
        The same without the last digits.
    """

    unit: float
    digits: float
    aim: float
    user_aim: float

    @classmethod
    def of(cls, blocks: Sequence[Any], unit: float, aim: float) -> "Limits":
        """Return the limits for blocks, or for stacks of blocks."""
        total = max((float(np.abs(block.values).sum(axis=None)) for block in blocks), default=0.0)
        largest = max((float(np.abs(block.values).max(initial=0.0)) for block in blocks), default=0.0)
        return cls(unit, 1e-11 * largest / unit, aim + 1e-14 * total / unit, aim)

    def largest(self, result: Fit) -> tuple[float, float]:
        """Return the largest residual and the largest gap that are accepted."""
        residual = max(min(RESIDUAL + self.digits, COARSE), self.user_aim)
        return residual, GAP * len(result.copies) + RELATIVE * result.objective

    def hold(self, result: Fit, slack: float) -> bool:
        """Return True if a result is accepted. `slack` is how far below 0 last digits may put its gap."""
        residual, gap = self.largest(result)
        return result.residual <= residual and -min(gap, slack) <= result.gap <= gap

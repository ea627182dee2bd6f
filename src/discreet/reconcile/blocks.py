"""Blocks of a least-squares problem: groupings with measurements, known numbers or bounds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import Booleans, Floats
from discreet.reconcile.axes import Axes
from discreet.reconcile.partitions import Key


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

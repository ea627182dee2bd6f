"""Numbers that are settled before the tables: the total, the sums along each axis, and the sums that tables share.

Non-negativity pushes small counts up, and least squares lets margins rise with them, the more so the more tables share
a margin with nearly empty categories. Readers look at margins first. So margins are settled in this order:

1. The total is the total of least squares without bounds, which is right on average, rounded, and not below 0.
2. The sums along an axis, level by level from coarse to fine, are those of least squares without bounds, moved to the
   nearest non-negative numbers with the settled sum above them. Tables with all these sums exist: the product of the
   shares along each axis is one.
3. Groupings of two or more axes that several tables share are fitted among themselves: not negative, and with the
   sums along their axes.

The total and the sums along axes are then exact. Shared groupings count as measured with a small variance, because
three that cross may leave no table. If counts are fixed, everything that is settled counts as measured with a small
variance, because a fixed count may contradict it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile.axes import Axes, Key, sorted_by_group
from discreet.reconcile.fit_problem import Block
from discreet.reconcile.least_squares import fit
from discreet.reconcile.problem import Problem
from discreet.reconcile.whole_numbers import separators

PRECISE = 0.01
"""The variance of numbers that are settled and not exact, relative to the least variance of the noise."""


def settle(problem: Problem, blocks: Sequence[Block], free: Mapping[Key, Floats]) -> tuple[list[Block], Problem]:
    """Return the blocks with settled numbers, and the problem with the total fixed if the total is exact.

    Parameters
    ----------
    problem, blocks
        Measurements and fixed values.
    free
        Least squares without bounds.
    """
    axes, largest = problem.axes, problem.tables[0]
    if not largest:
        return list(blocks), problem
    least = min(float(np.min(variance)) for variance in problem.variance.values())
    total = np.asarray(max(0, round(float(free[largest].sum()))))
    sums: dict[Key, Floats] = {(): total.astype(np.float64)}
    for axis in range(len(axes.sides)):
        sums |= _sums_along(axes, problem.tables, free, axis, sums[()])
    exact = {key: Block(key, values, np.asarray(0.0)) for key, values in sums.items()}
    settled = exact | _shared_groupings(problem, free, exact, least)
    if not problem.known:
        return _replaced(blocks, settled), replace(problem, known={(): total.astype(np.int64)})
    approximate = {
        key: replace(block, variance=np.asarray(PRECISE * least))
        for key, block in settled.items()
        if key not in problem.known
    }
    return _replaced(blocks, approximate), problem


def _shared_groupings(
    problem: Problem, free: Mapping[Key, Floats], exact: Mapping[Key, Block], least: float
) -> dict[Key, Block]:
    """Return the groupings of two or more axes that several tables share, fitted among themselves."""
    axes = problem.axes
    keys = axes.maximal([key for key in separators(problem) if len(key) > 1 and key not in problem.known])
    if not keys:
        return {}
    blocks = []
    for key in keys:
        table = next(table for table in problem.tables if axes.refines(table, key))
        blocks.append(Block(key, axes.add(free[table], table, key), np.asarray(least), np.asarray(0.0)))
    below = [block for key, block in exact.items() if any(axes.refines(shared, key) for shared in keys)]
    fitted = fit(axes, [*blocks, *below]).tables
    return {key: Block(key, fitted[key], np.asarray(PRECISE * least)) for key in keys}


def _replaced(blocks: Sequence[Block], settled: Mapping[Key, Block]) -> list[Block]:
    """Return the blocks with settled blocks in place of those with the same keys."""
    kept = [block for block in blocks if block.key not in settled]
    return [*kept, *settled.values()]


def _sums_along(
    axes: Axes, tables: Sequence[Key], free: Mapping[Key, Floats], axis: int, total: Floats
) -> dict[Key, Floats]:
    """Return the settled sums along an axis, at its finest level that is no table; {} if its levels do not nest."""
    table_of: dict[Key, Key] = {}
    for table in tables:
        for pair in table:
            if pair[0] == axis:
                table_of.setdefault((pair,), table)
    finest = axes.maximal(list(table_of))
    if len(finest) != 1:
        return {}
    chain = finest
    while (coarser := axes.coarser(axis, chain[-1][0][1])) is not None:
        chain = [*chain, ((axis, coarser[0]),)]
    source, above = table_of[finest[0]], np.atleast_1d(total)
    sums: dict[Key, Floats] = {}
    for key in reversed(chain):
        if key not in tables:
            order, starts = sorted_by_group(axes.parents(axis, key[0][1]))
            above = nearest_with_totals(axes.add(free[source], source, key)[order], starts, above)[np.argsort(order)]
            sums = {key: above}
    return sums


def nearest_with_totals(values: Floats, starts: Integers, totals: Floats) -> Floats:
    """Return the nearest non-negative numbers with given totals.

    For numbers v and a total t, the nearest non-negative numbers with the sum t are max(v - c, 0). Sort v from the
    largest. If the k largest numbers stay positive, c = (sum of the k largest - t) / k; k is the most for which the
    k-th largest number exceeds c.

    Parameters
    ----------
    values
        Numbers, one group after another.
    starts
        Where each group starts; no group is empty.
    totals
        The sum of each group, not negative.
    """
    sizes = np.diff(starts, append=len(values))
    group = np.repeat(np.arange(len(starts)), sizes)
    falling = values[np.lexsort((-values, group))]
    sums = np.cumsum(falling)
    sums -= np.repeat(sums[starts] - falling[starts], sizes)
    rank = np.arange(len(values)) - starts[group] + 1
    shifts = (sums - totals[group]) / rank
    kept = np.add.reduceat((falling > shifts).astype(np.int64), starts)
    shift = shifts[starts + np.maximum(kept, 1) - 1]
    return np.asarray(np.maximum(values - shift[group], 0.0))

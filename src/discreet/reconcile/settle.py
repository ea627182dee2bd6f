"""What is settled before the tables: the total, then the sums along each axis, then what several tables share.

To be non-negative pushes small counts up, and least squares lets margins rise with them: the more so, the more tables
share a margin with nearly empty categories. Readers look at margins first. So the total is the one of least squares
without bounds, which is right on average, rounded and not below 0. Then the sums along an axis, level by level from
coarse to fine, are those of least squares without bounds, moved to the nearest non-negative numbers that have the sum
above them. Tables with all of these exist: the product of the shares along each axis is one. Last, groupings of two and
more axes that several tables share are fitted among themselves, not negative and with the sums along their axes.

Total and sums along axes are then exact. What tables share may leave no table where three cross, and fixed counts may
be against any of it. So the former, and everything where counts are fixed, counts as measured with a small variance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from discreet.arrays import Floats
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.blocks import Block
from discreet.reconcile.least_squares import fit
from discreet.reconcile.problem import Problem
from discreet.reconcile.simplex import nearest
from discreet.reconcile.whole_numbers import separators

PRECISE = 0.01
"""The variance of what is settled and not exact, against the least of the noise."""


def settled(problem: Problem, blocks: Sequence[Block], free: Mapping[Key, Floats]) -> tuple[list[Block], Problem]:
    """The blocks with what is settled, and the problem with the total fixed where it is.

    Parameters
    ----------
    problem, blocks
        What was measured and is fixed.
    free
        Least squares without bounds.
    """
    axes, largest = problem.axes, problem.tables[0]
    if not largest:
        return list(blocks), problem
    least = min(float(np.min(spread)) for spread in problem.variance.values())
    total = np.asarray(max(0, round(float(free[largest].sum()))))
    values: dict[Key, Floats] = {(): total.astype(np.float64)}
    for axis in range(len(axes.sides)):
        values |= _along(axes, problem.tables, free, axis, values[()])
    exact = {key: Block(key, numbers, np.asarray(0.0)) for key, numbers in values.items()}
    shared = _shared(problem, free, exact, least)
    if not problem.known:
        return _with(blocks, exact | shared), replace(problem, known={(): total.astype(np.int64)})
    near = {key: replace(block, variance=np.asarray(PRECISE * least)) for key, block in (exact | shared).items()}
    return _with(blocks, {key: block for key, block in near.items() if key not in problem.known}), problem


def _shared(problem: Problem, free: Mapping[Key, Floats], exact: Mapping[Key, Block], least: float) -> dict[Key, Block]:
    """What several tables share, of two axes and more, fitted among themselves."""
    axes = problem.axes
    keys = axes.maximal([key for key in separators(problem) if len(key) > 1 and key not in problem.known])
    if not keys:
        return {}
    sums = {}
    for key in keys:
        table = next(table for table in problem.tables if axes.refines(table, key))
        sums[key] = axes.add(free[table], table, key)
    given = [Block(key, values, np.asarray(least), np.asarray(0.0)) for key, values in sums.items()]
    below = [block for key, block in exact.items() if any(axes.refines(other, key) for other in keys)]
    found = fit(axes, [*given, *below]).tables
    return {key: Block(key, found[key], np.asarray(PRECISE * least)) for key in keys}


def _with(blocks: Sequence[Block], settled_blocks: Mapping[Key, Block]) -> list[Block]:
    kept = [block for block in blocks if block.key not in settled_blocks]
    return [*kept, *settled_blocks.values()]


def _along(
    axes: Axes, tables: Sequence[Key], free: Mapping[Key, Floats], axis: int, total: Floats
) -> dict[Key, Floats]:
    """The sums along an axis at its finest level that is no table; nothing where its levels are not nested."""
    found: dict[Key, Key] = {}
    for table in tables:
        for pair in table:
            if pair[0] == axis:
                found.setdefault((pair,), table)
    finest = axes.maximal(list(found))
    if len(finest) != 1:
        return {}
    chain = finest
    while (coarser := axes.coarser(axis, chain[-1][0][1])) is not None:
        chain = [*chain, ((axis, coarser[0]),)]
    source, above = found[finest[0]], np.atleast_1d(total)
    values: dict[Key, Floats] = {}
    for key in reversed(chain):
        if key not in tables:
            parent = axes.parents(axis, key[0][1])
            order = np.argsort(parent, kind="stable")
            starts = np.searchsorted(parent[order], np.arange(len(above)))
            above = nearest(axes.add(free[source], source, key)[order], starts, above)[np.argsort(order)]
            values = {key: above}
    return values

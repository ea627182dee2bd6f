"""What is settled before the tables: the total, then the sums along each axis of a table of three or more.

To be non-negative pushes small counts up, and least squares lets margins rise with them; readers look at margins first.
So the total is the one of least squares without bounds, which is right on average, rounded and not below 0. Then the
sums along an axis, level by level from coarse to fine, are those of least squares without bounds, moved to the nearest
non-negative numbers that have the sum above them. Tables with all of these exist: the product of the shares along each
axis is one. In tables of two dimensions sums along an axis gain more from the cells than they lose: they are left to
least squares.

Where counts are fixed, that product may break them. Then only the total is settled, and not exactly: it counts as
measured with a small variance, and moves as far as the fixed counts need.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.blocks import Block
from discreet.reconcile.check import Floats
from discreet.reconcile.problem import Problem
from discreet.reconcile.simplex import nearest

WAYS = 3
"""Dimensions of a table from which on the sums along its axes are settled."""

PRECISE = 0.01
"""The variance of a settled total beside fixed counts, against the least of the noise."""


def settled(problem: Problem, blocks: Sequence[Block], free: Mapping[Key, Floats]) -> tuple[list[Block], Problem]:
    """The blocks with what is settled, and the problem with the total fixed where it is.

    Parameters
    ----------
    problem, blocks
        What was measured and is fixed.
    free
        Least squares without bounds.
    """
    largest = problem.tables[0]
    if not largest:
        return list(blocks), problem
    total = np.asarray(max(0, round(float(free[largest].sum()))))
    if problem.known:
        if () in problem.known:
            return list(blocks), problem
        least = min(float(np.min(spread)) for spread in problem.variance.values())
        known = Block((), total.astype(np.float64), np.asarray(PRECISE * least))
        return _with(blocks, {(): known}), problem
    values: dict[Key, Floats] = {(): total.astype(np.float64)}
    for axis in range(len(problem.axes.sides)):
        values |= _along(problem.axes, problem.tables, free, axis, values[()])
    known_blocks = {key: Block(key, numbers, np.asarray(0.0)) for key, numbers in values.items()}
    return _with(blocks, known_blocks), replace(problem, known={(): total.astype(np.int64)})


def _with(blocks: Sequence[Block], settled_blocks: Mapping[Key, Block]) -> list[Block]:
    kept = [block for block in blocks if block.key not in settled_blocks]
    return [*kept, *settled_blocks.values()]


def _along(
    axes: Axes, tables: Sequence[Key], free: Mapping[Key, Floats], axis: int, total: Floats
) -> dict[Key, Floats]:
    """The sums along an axis at its finest level that is no table; nothing where its levels are not nested."""
    if max((len(table) for table in tables if axis in dict(table)), default=0) < WAYS:
        return {}
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

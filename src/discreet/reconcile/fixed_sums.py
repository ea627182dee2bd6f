"""Make fixed sums hold exactly, whatever the numbers were before.

**Real numbers** (`balance`). The sums of each grouping in turn are corrected by equal shifts of their cells, between
bounds: of those cells first that are not at a bound, as least squares would. For one grouping that ends exactly.

**Integers** (`meet`). The sums of the first grouping are corrected each by itself, by equal shifts of its cells and
then by units. Those of a further grouping are corrected by pairs, a unit up in a sum that is too small and one down in
a sum that is too large, both in the same sums of the groupings before. A unit goes where it adds least to the `misfit`,
so that what is not fixed stays close. Where no pair is left, a program moves the rest: linear for two groupings, whose
corners are integers; for more they are asked to be, and the first way that is found is taken. It finds a way wherever
there is one, or ends with an error at a limit of time: no number depends on how fast a machine is.
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.errors import SolverError
from discreet.linear_program import silent_solver, sparse_model
from discreet.reconcile.apportion import GRID
from discreet.reconcile.misfit import Misfit

SUBSETS = (20_000, 200_000)
"""Cells that may move, tried in turn before all of them."""

SECONDS = 60.0
"""Longest search for integers."""

SHIFTS = 200
"""Rounds of shifts, in the second half of which cells at a bound move as well."""

CLOSE = 1e-9

PAIRS = 2000
"""Pairs that are tried, of the sums of one grouping, before a program is."""

ASTRAY = 4.0
"""The cost of a step that leaves a cell neither rounded down nor up, over that of a step in sums that are right."""


def balance(
    cells: Floats, owners: Sequence[Integers], targets: Sequence[Integers], low: Integers, high: Integers
) -> Floats:
    """Cells shifted so that their sums are the targets, or near them; arrays are as for `meet`."""
    for number in range(SHIFTS):
        worst = 0.0
        for owner, target in zip(owners, targets, strict=True):
            asked = np.bincount(owner[owner >= 0], minlength=len(target)) > 0
            miss = np.where(asked, target - _totals(owner, cells, len(target)), 0.0)
            worst = max(worst, float(np.max(np.abs(miss) / (1 + target))))
            each = np.where(owner >= 0, miss[owner], 0.0)
            room = np.where(each > 0, cells < high, cells > low) & (each != 0)
            inside = room & (cells > low) & (cells < high)
            if number < SHIFTS // 2:
                some = _totals(owner, inside, len(target)) > 0
                room = np.where(some[owner], inside, room)
            count = _totals(owner, room, len(target)).clip(1)
            cells = np.clip(cells + np.where(room, each / count[owner], 0.0), low, high)
        if worst < CLOSE:
            break
    return cells


def meet(
    misfit: Misfit,
    owners: Sequence[Integers],
    targets: Sequence[Integers],
    low: Integers,
    high: Integers,
    priority: npt.NDArray[np.uint64],
) -> bool:
    """Change the integers of a misfit so that their sums are the targets; whether that can be.

    Parameters
    ----------
    misfit
        Integers, and what they and their other sums are to stay close to.
    owners
        For each fixed grouping the sum that each cell belongs to, -1 for none.
    targets
        For each fixed grouping its sums.
    low, high
        Between which each integer must lie.
    priority
        Decides between equals, and which cells may move where there are too many to try all.
    """
    for number, owner in enumerate(owners):
        miss = _miss(misfit, owner, targets[number])
        if number == 0 and not _singly(misfit, owner, miss, low, high, priority):
            return False
        if number > 0:
            _pairs(misfit, owners[: number + 1], miss, low, high, priority)
    misses = [_miss(misfit, owner, target) for owner, target in zip(owners, targets, strict=True)]
    if not any(miss.any() for miss in misses):
        return True
    order = np.argsort(priority)
    until = time.monotonic() + SECONDS
    whole = misfit.whole
    for size in [*(size for size in SUBSETS if size < len(whole)), len(whole)]:
        chosen = np.sort(order[:size])
        groups = [owner[chosen] for owner in owners]
        moves = _program(misfit, chosen, groups, misses, (low - whole)[chosen], (high - whole)[chosen], until)
        if moves is not None:
            misfit.take(chosen, moves)
            return True
    return False


def _totals(owner: Integers, values: npt.NDArray[Any], size: int) -> Floats:
    inside = owner >= 0
    return np.bincount(owner[inside], values[inside], minlength=size).astype(np.float64)


def _sums(owner: Integers, values: Integers, size: int) -> Integers:
    return np.rint(_totals(owner, values, size)).astype(np.int64)


def _miss(misfit: Misfit, owner: Integers, target: Integers) -> Integers:
    """What each fixed sum is short of."""
    return np.asarray(target - _sums(owner, misfit.whole, len(target)))


def _singly(
    misfit: Misfit,
    owner: Integers,
    miss: Integers,
    low: Integers,
    high: Integers,
    priority: npt.NDArray[np.uint64],
) -> bool:
    """Each sum by itself: equal shifts of all its cells with room, then units where they cost least."""
    groups = _groups(owner, len(miss))
    for at in np.flatnonzero(miss):
        left = int(miss[at])
        while left:
            step = 1 if left > 0 else -1
            free, room = _free(misfit, groups[at], step, low, high)
            if not len(free):
                return False
            units = abs(left) // len(free)
            if not units:
                best = _least(_cost(misfit, free, step), priority[free], -(-abs(left) // 4))
                free, room = free[best], room[best]
            change = step * np.minimum(room, max(1, units))
            misfit.take(free, change)
            left -= int(change.sum())
    return True


def _pairs(
    misfit: Misfit,
    owners: Sequence[Integers],
    miss: Integers,
    low: Integers,
    high: Integers,
    priority: npt.NDArray[np.uint64],
) -> None:
    """A unit up and one down, both in the same sums of all groupings but the last, as long as its sums need one."""
    same = np.zeros(len(priority), dtype=np.int64)
    for owner in owners[:-1]:
        same = np.unique(same * (int(owner.max()) + 2) + owner + 1, return_inverse=True)[1].reshape(-1)
    groups = _groups(owners[-1], len(miss))
    tries = 0
    for up in np.flatnonzero(miss > 0):
        for down in np.flatnonzero(miss < 0):
            while miss[up] > 0 > miss[down] and tries < PAIRS:
                tries += 1
                if not _pair(misfit, (groups[up], groups[down]), same, low, high, priority):
                    break
                miss[up] -= 1
                miss[down] += 1


def _pair(
    misfit: Misfit,
    groups: tuple[Integers, Integers],
    same: Integers,
    low: Integers,
    high: Integers,
    priority: npt.NDArray[np.uint64],
) -> bool:
    """Move one unit from the second group to the first; whether there was a way."""
    best = []
    for group, step in zip(groups, (1, -1), strict=True):
        free, _ = _free(misfit, group, step, low, high)
        cost = _cost(misfit, free, step)
        order = np.lexsort((priority[free], np.rint(cost * GRID)))
        free, cost = free[order], cost[order]
        keys, first = np.unique(same[free], return_index=True)
        best.append((keys, free[first], cost[first]))
    (keys, up, gain), (others, down, loss) = best
    _, one, other = np.intersect1d(keys, others, assume_unique=True, return_indices=True)
    if not len(one):
        return False
    best_key = _least(gain[one] + loss[other], priority[up[one]], 1)[0]
    misfit.take(np.array([up[one][best_key], down[other][best_key]]), np.array([1, -1]))
    return True


def _groups(owner: Integers, size: int) -> list[Integers]:
    """The cells of each sum."""
    order = np.argsort(owner, kind="stable")
    return np.split(order, np.searchsorted(owner[order], np.arange(size + 1)))[1:-1]


def _free(misfit: Misfit, cells: Integers, step: int, low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """The cells that may take a step, and how many."""
    room = high[cells] - misfit.whole[cells] if step > 0 else misfit.whole[cells] - low[cells]
    return cells[room > 0], room[room > 0]


def _cost(misfit: Misfit, cells: Integers, step: int) -> Floats:
    """What a step adds to the misfit, over what it adds where all sums are right."""
    return 1 + 2 * step * misfit.pull(cells) / misfit.weight + np.where(misfit.astray(cells, step), ASTRAY, 0.0)


def _least(cost: Floats, priority: npt.NDArray[np.uint64], number: int) -> Integers:
    """Where the smallest costs are."""
    cost = np.rint(cost * GRID)
    some = np.flatnonzero(cost <= np.partition(cost, number - 1)[number - 1])
    return np.asarray(some[np.lexsort((priority[some], cost[some]))[:number]])


def _program(
    misfit: Misfit,
    chosen: Integers,
    owners: Sequence[Integers],
    misses: Sequence[Integers],
    least: Integers,
    most: Integers,
    until: float,
) -> Integers | None:
    """Units, between `least` and `most`, to add to the chosen cells; None where there is no way."""
    import highspy  # few tables have fixed sums that cross

    size = len(chosen)
    starts = np.cumsum([0, *map(len, misses)])
    rows = np.stack([np.where(owner >= 0, start + owner, -1) for owner, start in zip(owners, starts[:-1], strict=True)])
    inside = rows.T >= 0
    width = inside.sum(axis=1)
    index = rows.T[inside]
    model = sparse_model(
        np.concatenate([_cost(misfit, chosen, 1), _cost(misfit, chosen, -1)]).clip(0.01),
        np.concatenate([most, -least]).astype(np.float64),
        (np.concatenate(misses).astype(np.float64),) * 2,
        (
            np.concatenate([[0], np.cumsum(np.tile(width, 2))]),
            np.tile(index, 2),
            np.concatenate([np.ones(len(index)), -np.ones(len(index))]),
        ),
        by_rows=False,
        integer=np.arange(2 * size if len(owners) > 2 else 0),
    )
    options = {
        "time_limit": max(0.0, until - time.monotonic()),
        "threads": 1,
        "mip_max_improving_sols": 1,  # a way matters more than the cheapest one
        "solver": "simplex" if len(owners) == 2 else "choose",
    }
    highs = silent_solver(model, options)
    highs.run()
    status = highspy.HighsModelStatus
    if highs.getModelStatus() in (status.kInfeasible, status.kUnboundedOrInfeasible):  # costs are above 0: bounded
        return None
    if highs.getModelStatus() in (status.kOptimal, status.kSolutionLimit):
        found = np.rint(np.array(highs.getSolution().col_value)).astype(np.int64)
        moves: Integers = found[:size] - found[size:]
        if all(
            np.array_equal(_sums(owner, moves, len(miss)), miss) for owner, miss in zip(owners, misses, strict=True)
        ):
            return moves
    if size < len(misfit.whole) and time.monotonic() < until:
        return None
    raise SolverError(
        f"no integers that meet all fixed values were found in {SECONDS:.0f} seconds; there may be some, but fixed sums"
        " that cross in three ways or more are hard to search: fix fewer of them, or smaller tables"
    )

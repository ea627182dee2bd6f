"""Make fixed sums hold exactly, whatever the numbers were before.

**Real numbers** (`balance`). The sums of each grouping in turn are corrected by equal shifts of their cells, between
bounds: of those cells first that are not at a bound, as least squares would. For one grouping that ends exactly.

**Integers** (`meet`). Where one grouping is fixed, each of its sums is corrected by itself, by equal shifts and then a
unit at a time. Where several are, a program finds the fewest units to move: linear for two, whose corners are integers;
for more they are asked to be. Both find a way wherever there is one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import SolverError
from discreet.reconcile.apportion import GRID
from discreet.reconcile.check import Floats, Integers

SUBSETS = (20_000, 200_000)
"""Cells that may move, tried in turn before all of them."""

SECONDS = 60.0
"""Longest search for one program."""

SHIFTS = 200
"""Rounds of shifts, in the second half of which cells at a bound move as well."""

CLOSE = 1e-9


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
    whole: Integers,
    cells: Floats,
    owners: Sequence[Integers],
    targets: Sequence[Integers],
    low: Integers,
    high: Integers,
    priority: npt.NDArray[np.uint64],
) -> Integers | None:
    """Integers whose sums are the targets, or None where there are none; all arrays are flat.

    Parameters
    ----------
    whole, cells
        Integers, and the numbers they are to stay close to.
    owners
        For each fixed grouping the sum that each cell belongs to, -1 for none.
    targets
        For each fixed grouping its sums.
    low, high
        Between which each integer must lie.
    priority
        Decides between equals, and which cells may move where there are too many to try all.
    """
    misses = [target - _sums(owner, whole, len(target)) for owner, target in zip(owners, targets, strict=True)]
    if not any(miss.any() for miss in misses):
        return whole
    if len(owners) == 1:
        return _singly(whole, cells, owners[0], misses[0], low, high, priority)
    order = np.argsort(priority)
    for size in [*(size for size in SUBSETS if size < len(whole)), len(whole)]:
        chosen = np.sort(order[:size])
        groups = [owner[chosen] for owner in owners]
        moves = _program(whole[chosen], cells[chosen], groups, misses, low[chosen], high[chosen], len(whole))
        if moves is not None:
            result = whole.copy()
            result[chosen] += moves
            return result
    return None


def _totals(owner: Integers, values: npt.NDArray[Any], size: int) -> Floats:
    inside = owner >= 0
    return np.bincount(owner[inside], values[inside], minlength=size).astype(np.float64)


def _sums(owner: Integers, values: Integers, size: int) -> Integers:
    return np.rint(_totals(owner, values, size)).astype(np.int64)


def _singly(
    whole: Integers,
    cells: Floats,
    owner: Integers,
    miss: Integers,
    low: Integers,
    high: Integers,
    priority: npt.NDArray[np.uint64],
) -> Integers | None:
    """Each sum by itself: equal shifts of all its cells that have room, then a unit for those it suits best."""
    result = whole.copy()
    order = np.argsort(owner, kind="stable")
    edges = np.searchsorted(owner[order], np.arange(len(miss) + 1))
    for at in np.flatnonzero(miss):
        group = order[edges[at] : edges[at + 1]]
        left = int(miss[at])
        while left:
            step = 1 if left > 0 else -1
            room = high[group] - result[group] if step > 0 else result[group] - low[group]
            free = np.flatnonzero(room)
            if not len(free):
                return None
            units = abs(left) // len(free)
            if not units:
                cost = np.rint(step * (result[group] - cells[group])[free] * GRID)
                free = free[np.lexsort((priority[group][free], cost))[: abs(left)]]
            change = step * np.minimum(room[free], max(1, units))
            result[group[free]] += change
            left -= int(change.sum())
    return result


def _program(
    whole: Integers,
    cells: Floats,
    owners: Sequence[Integers],
    misses: Sequence[Integers],
    low: Integers,
    high: Integers,
    every: int,
) -> Integers | None:
    """Units to add to some of `every` cells, or None where there is no way."""
    import highspy  # few tables have fixed sums that cross

    size = len(whole)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = 2 * size, sum(map(len, misses))
    drift = 2 * (whole - cells)
    model.col_cost_ = np.concatenate([1 + drift, 1 - drift]).clip(0.01)
    model.col_lower_ = np.zeros(2 * size)
    model.col_upper_ = np.concatenate([high - whole, whole - low]).astype(np.float64)
    model.row_lower_ = model.row_upper_ = np.concatenate(misses).astype(np.float64)
    starts = np.cumsum([0, *map(len, misses)])
    rows = np.stack([np.where(owner >= 0, start + owner, -1) for owner, start in zip(owners, starts[:-1], strict=True)])
    inside = rows.T >= 0
    width = inside.sum(axis=1)
    index = rows.T[inside]
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.tile(width, 2))])
    model.a_matrix_.index_ = np.tile(index, 2)
    model.a_matrix_.value_ = np.concatenate([np.ones(len(index)), -np.ones(len(index))])
    if len(owners) > 2:
        model.integrality_ = [highspy.HighsVarType.kInteger] * (2 * size)
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("time_limit", SECONDS)
    highs.setOptionValue("threads", 1)
    if len(owners) == 2:
        highs.setOptionValue("solver", "simplex")
    highs.passModel(model)
    highs.run()
    status = highspy.HighsModelStatus
    if highs.getModelStatus() in (status.kInfeasible, status.kUnboundedOrInfeasible):  # costs are above 0: bounded
        return None
    if highs.getSolution().value_valid:
        found = np.rint(np.array(highs.getSolution().col_value)).astype(np.int64)
        moves: Integers = found[:size] - found[size:]
        if all(
            np.array_equal(_sums(owner, moves, len(miss)), miss) for owner, miss in zip(owners, misses, strict=True)
        ):
            return moves
    if size < every:
        return None
    raise SolverError(
        f"no integers that meet all fixed values were found in {SECONDS:.0f} seconds; leave one of them out"
    )

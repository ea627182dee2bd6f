"""Move as few units as possible so that fixed sums hold exactly.

Where one grouping is fixed, each of its sums is corrected by itself. Where several are, a linear program finds the
moves: for two its corners are integers, for more they are asked to be.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.errors import SolverError
from discreet.reconcile.check import Floats, Integers

SUBSETS = (20_000, 200_000)
"""Cells that may move, tried in turn before all of them."""

SECONDS = 60.0


def meet(
    whole: Integers,
    cells: Floats,
    owners: Sequence[Integers],
    targets: Sequence[Integers],
    low: Integers,
    high: Integers,
    priority: npt.NDArray[np.uint64],
) -> Integers:
    """Integers whose sums are the targets; all arrays are flat.

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
        Decides which cells may move where there are too many to try all.
    """
    misses = [target - _sums(owner, whole, len(target)) for owner, target in zip(owners, targets, strict=True)]
    if not any(miss.any() for miss in misses):
        return whole
    if len(owners) == 1:
        return _singly(whole, cells, owners[0], misses[0], low, high)
    order = np.argsort(priority)
    for size in [*(size for size in SUBSETS if size < len(whole)), len(whole)]:
        chosen = np.sort(order[:size])
        moves = _program(
            whole[chosen], cells[chosen], [owner[chosen] for owner in owners], misses, low[chosen], high[chosen]
        )
        if moves is not None:
            result = whole.copy()
            result[chosen] += moves
            return result
    raise SolverError("the fixed values cannot all be met by non-negative integers; leave one of them out")


def _sums(owner: Integers, values: Integers, size: int) -> Integers:
    inside = owner >= 0
    return np.rint(np.bincount(owner[inside], values[inside], minlength=size)).astype(np.int64)


def _singly(whole: Integers, cells: Floats, owner: Integers, miss: Integers, low: Integers, high: Integers) -> Integers:
    result = whole.copy()
    order = np.argsort(owner, kind="stable")
    edges = np.searchsorted(owner[order], np.arange(len(miss) + 1))
    for at in np.flatnonzero(miss):
        group = order[edges[at] : edges[at + 1]]
        for _ in range(len(group) + abs(int(miss[at]))):
            left = int(miss[at] - (result[group] - whole[group]).sum())
            if left == 0:
                break
            step = 1 if left > 0 else -1
            room = high[group] - result[group] if step > 0 else result[group] - low[group]
            cost = np.where(room > 0, step * (result[group] - cells[group]), np.inf)
            best = np.argsort(cost, kind="stable")[: abs(left)]
            result[group[best]] += np.where(room[best] > 0, step, 0)
    if (_sums(owner, result - whole, len(miss)) != miss).any():
        raise SolverError("the fixed values cannot all be met by non-negative integers; leave one of them out")
    return result


def _program(
    whole: Integers,
    cells: Floats,
    owners: Sequence[Integers],
    misses: Sequence[Integers],
    low: Integers,
    high: Integers,
) -> Integers | None:
    """Units to add to the cells, or None where there is no way."""
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
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = np.rint(np.array(highs.getSolution().col_value)).astype(np.int64)
    moves = found[:size] - found[size:]
    right = all(
        np.array_equal(_sums(owner, moves, len(miss)), miss) for owner, miss in zip(owners, misses, strict=True)
    )
    return moves if right else None

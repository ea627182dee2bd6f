"""Make fixed sums hold exactly, whatever the numbers were before.

**Real numbers** (`balance`). The sums of each grouping in turn are corrected by equal shifts of their cells, between
bounds. Cells that are not at a bound move first, as in least squares. For one grouping that ends exactly.

**Integers** (`meet`). Each sum of the first grouping is corrected by itself: by equal shifts of its cells, and then by
units. The sums of a further grouping are corrected by pairs: a unit up in a sum that is too small, and a unit down in a
sum that is too large, both in the same sums of the groupings before. A unit goes where it adds least to the `misfit`,
so that sums that are not fixed stay close. If no pair is left, a program moves the rest. For two groupings the program
is linear, and its corners are integers. For more groupings it has integer variables, and the first solution is taken.
The program finds a solution if there is one, or ends with an error at a limit of time: no number depends on how fast a
machine is.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.errors import SolverError
from discreet.linear_program import silent_solver, sparse_model
from discreet.reconcile.apportion import GRID
from discreet.reconcile.axes import Array
from discreet.reconcile.misfit import Misfit
from discreet.reconcile.tie_breaking import Words

SUBSETS = (20_000, 200_000)
"""Numbers of cells that may move, tried in turn before all cells."""

SECONDS = 60.0
"""Longest search for integers."""

SHIFTS = 200
"""Rounds of shifts; in the second half of them cells at a bound move as well."""

CLOSE = 1e-9
"""Largest relative error of balanced sums at which the rounds end."""

PAIRS = 2000
"""Most pairs that are tried for the sums of one grouping, before a program is."""

ASTRAY = 4.0
"""The extra cost of a step that leaves a cell neither rounded down nor up; a step in sums that are right costs 1."""


def balance(
    cells: Floats, sum_indices: Sequence[Integers], targets: Sequence[Integers], low: Integers, high: Integers
) -> Floats:
    """Return cells shifted so that their sums are the targets, or near them. Arrays are as for `meet`."""
    for number in range(SHIFTS):
        worst = 0.0
        for sum_index, target in zip(sum_indices, targets, strict=True):
            size = len(target)
            used = np.bincount(sum_index[sum_index >= 0], minlength=size) > 0
            missing = np.where(used, target - _totals(sum_index, cells, size), 0.0)
            worst = max(worst, float(np.max(np.abs(missing) / (1 + target))))
            missing_of_cell = np.where(sum_index >= 0, missing[sum_index], 0.0)
            movable = np.where(missing_of_cell > 0, cells < high, cells > low) & (missing_of_cell != 0)
            inside = movable & (cells > low) & (cells < high)
            if number < SHIFTS // 2:
                has_inside = _totals(sum_index, inside, size) > 0
                movable = np.where(has_inside[sum_index], inside, movable)
            count = _totals(sum_index, movable, size).clip(1)
            cells = np.clip(cells + np.where(movable, missing_of_cell / count[sum_index], 0.0), low, high)
        if worst < CLOSE:
            break
    return cells


def meet(
    misfit: Misfit,
    sum_indices: Sequence[Integers],
    targets: Sequence[Integers],
    low: Integers,
    high: Integers,
    priority: Words,
) -> bool:
    """Change the integers of a misfit so that their sums are the targets. Return False if that cannot be.

    Parameters
    ----------
    misfit
        The integers, with the real cells and sums that they stay close to.
    sum_indices
        For each fixed grouping the index of the sum that contains each cell, -1 for none.
    targets
        For each fixed grouping its sums.
    low, high
        Bounds of each integer.
    priority
        Decides between equals, and which cells may move if there are too many to try all.

    Raises
    ------
    SolverError
        The search took more than SECONDS.
    """
    correction = _Correction(misfit, low, high, priority)
    for number, (sum_index, target) in enumerate(zip(sum_indices, targets, strict=True)):
        missing = correction.missing(sum_index, target)
        if number == 0 and not correction.correct_singly(sum_index, missing):
            return False
        if number > 0:
            correction.correct_by_pairs(sum_indices[: number + 1], missing)
    all_missing = [correction.missing(*fixed) for fixed in zip(sum_indices, targets, strict=True)]
    if not any(missing.any() for missing in all_missing):
        return True
    order = np.argsort(priority)
    until = time.monotonic() + SECONDS
    integers = misfit.integers
    for size in [*(size for size in SUBSETS if size < len(integers)), len(integers)]:
        cells = np.sort(order[:size])
        indices = [sum_index[cells] for sum_index in sum_indices]
        room = (low - integers)[cells], (high - integers)[cells]
        steps = _program(correction, cells, indices, all_missing, room, until)
        if steps is not None:
            misfit.take(cells, steps)
            return True
    return False


@dataclass(frozen=True)
class _Correction:
    """Steps of integers within bounds that add least to a misfit."""

    misfit: Misfit
    low: Integers
    high: Integers
    priority: Words

    def missing(self, sum_index: Integers, target: Integers) -> Integers:
        """Return how much each fixed sum is short of its target."""
        return np.asarray(target - _integer_totals(sum_index, self.misfit.integers, len(target)))

    def correct_singly(self, sum_index: Integers, missing: Integers) -> bool:
        """Correct each sum by itself: by equal shifts of all its cells with room, then by the cheapest units.

        Return False if a sum has no cell with room.
        """
        cells_of = _cells_by_sum(sum_index, len(missing))
        for number in np.flatnonzero(missing):
            left = int(missing[number])
            while left:
                step = 1 if left > 0 else -1
                cells, room = self._with_room(cells_of[number], step)
                if not len(cells):
                    return False
                units = abs(left) // len(cells)
                if not units:
                    cheapest = _least(self.cost(cells, step), self.priority[cells], -(-abs(left) // 4))
                    cells, room = cells[cheapest], room[cheapest]
                steps = step * np.minimum(room, max(1, units))
                self.misfit.take(cells, steps)
                left -= int(steps.sum())
        return True

    def correct_by_pairs(self, sum_indices: Sequence[Integers], missing: Integers) -> None:
        """Move units between sums of the last grouping, within the same sums of all groupings before."""
        same = np.zeros(len(self.priority), dtype=np.int64)
        for sum_index in sum_indices[:-1]:
            same = np.unique(same * (int(sum_index.max()) + 2) + sum_index + 1, return_inverse=True)[1].reshape(-1)
        cells_of = _cells_by_sum(sum_indices[-1], len(missing))
        tries = 0
        for up in np.flatnonzero(missing > 0):
            for down in np.flatnonzero(missing < 0):
                while missing[up] > 0 > missing[down] and tries < PAIRS:
                    tries += 1
                    if not self._move_unit(cells_of[up], cells_of[down], same):
                        break
                    missing[up] -= 1
                    missing[down] += 1

    def _move_unit(self, up_cells: Integers, down_cells: Integers, same: Integers) -> bool:
        """Move a unit from a down cell to an up cell with the same number in `same`. Return False if there is none."""
        best = []
        for cells, step in ((up_cells, 1), (down_cells, -1)):
            cells, _ = self._with_room(cells, step)
            cost = self.cost(cells, step)
            order = np.lexsort((self.priority[cells], np.rint(cost * GRID)))
            cells, cost = cells[order], cost[order]
            numbers, first = np.unique(same[cells], return_index=True)
            best.append((numbers, cells[first], cost[first]))
        (up_numbers, up, up_cost), (down_numbers, down, down_cost) = best
        _, of_up, of_down = np.intersect1d(up_numbers, down_numbers, assume_unique=True, return_indices=True)
        if not len(of_up):
            return False
        cheapest = _least(up_cost[of_up] + down_cost[of_down], self.priority[up[of_up]], 1)[0]
        self.misfit.take(np.array([up[of_up][cheapest], down[of_down][cheapest]]), np.array([1, -1]))
        return True

    def _with_room(self, cells: Integers, step: int) -> tuple[Integers, Integers]:
        """Return the cells that may take a step, and how many steps."""
        integers = self.misfit.integers[cells]
        room = self.high[cells] - integers if step > 0 else integers - self.low[cells]
        return cells[room > 0], room[room > 0]

    def cost(self, cells: Integers, step: int) -> Floats:
        """Return what a step adds to the misfit, divided by what it adds if all sums are right."""
        misfit = self.misfit
        extra = np.where(misfit.leaves_rounding(cells, step), ASTRAY, 0.0)
        return 1 + 2 * step * misfit.pull(cells) / misfit.weight + extra


def _totals(sum_index: Integers, values: Array, size: int) -> Floats:
    inside = sum_index >= 0
    return np.bincount(sum_index[inside], values[inside], minlength=size).astype(np.float64)


def _integer_totals(sum_index: Integers, values: Integers, size: int) -> Integers:
    return np.rint(_totals(sum_index, values, size)).astype(np.int64)


def _cells_by_sum(sum_index: Integers, size: int) -> list[Integers]:
    """Return the cells of each sum."""
    order = np.argsort(sum_index, kind="stable")
    return np.split(order, np.searchsorted(sum_index[order], np.arange(size + 1)))[1:-1]


def _least(cost: Floats, priority: Words, number: int) -> Integers:
    """Return the indices of so many of the smallest costs."""
    cost = np.rint(cost * GRID)
    candidates = np.flatnonzero(cost <= np.partition(cost, number - 1)[number - 1])
    return np.asarray(candidates[np.lexsort((priority[candidates], cost[candidates]))[:number]])


def _program(
    correction: _Correction,
    cells: Integers,
    sum_indices: Sequence[Integers],
    all_missing: Sequence[Integers],
    room: tuple[Integers, Integers],
    until: float,
) -> Integers | None:
    """Return steps of the chosen cells that make up what is missing; None if there are none.

    `room` has the least and the most step of each cell. Raise SolverError if all cells may move and time runs out.
    """
    import highspy  # few tables have fixed sums that cross

    size = len(cells)
    starts = np.cumsum([0, *map(len, all_missing)])
    rows = np.stack(
        [np.where(index >= 0, start + index, -1) for index, start in zip(sum_indices, starts[:-1], strict=True)]
    )
    inside = rows.T >= 0
    width = inside.sum(axis=1)
    row_index = rows.T[inside]
    least, most = room
    model = sparse_model(
        np.concatenate([correction.cost(cells, 1), correction.cost(cells, -1)]).clip(0.01),
        np.concatenate([most, -least]).astype(np.float64),
        (np.concatenate(all_missing).astype(np.float64),) * 2,
        (
            np.concatenate([[0], np.cumsum(np.tile(width, 2))]),
            np.tile(row_index, 2),
            np.concatenate([np.ones(len(row_index)), -np.ones(len(row_index))]),
        ),
        by_rows=False,
        integer=np.arange(2 * size if len(sum_indices) > 2 else 0),
    )
    options = {
        "time_limit": max(0.0, until - time.monotonic()),
        "threads": 1,
        "mip_max_improving_sols": 1,  # any solution will do; the cheapest takes longer
        "solver": "simplex" if len(sum_indices) == 2 else "choose",
    }
    highs = silent_solver(model, options)
    highs.run()
    status = highspy.HighsModelStatus
    if highs.getModelStatus() in (status.kInfeasible, status.kUnboundedOrInfeasible):  # costs are above 0: bounded
        return None
    if highs.getModelStatus() in (status.kOptimal, status.kSolutionLimit):
        solution = np.rint(np.array(highs.getSolution().col_value)).astype(np.int64)
        steps: Integers = solution[:size] - solution[size:]
        if all(
            np.array_equal(_integer_totals(index, steps, len(missing)), missing)
            for index, missing in zip(sum_indices, all_missing, strict=True)
        ):
            return steps
    if size < len(correction.misfit.integers) and time.monotonic() < until:
        return None
    raise SolverError(
        f"no integers that meet all fixed values were found in {SECONDS:.0f} seconds; there may be some, but fixed sums"
        " that cross in three ways or more are hard to search: fix fewer of them, or reconcile smaller tables"
    )

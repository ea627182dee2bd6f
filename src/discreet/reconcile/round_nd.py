"""Round a cube of three and more dimensions, or with levels, so that all margins stay close.

Rounding every margin down or up at once is not always possible, so the margins are the sums of the rounded cells. Every
cell is rounded down or up, in three stages. The first two weigh all margins alike: under unequal weights one heavy
margin bars steps that are good for many light margins, and the light margins stay far off.

**Waves.** Cells are visited in `waves`. A cell goes up if that lowers the squared errors, so far, of the margins it
belongs to. If m cells of a wave share a sum, each answers for 1/m of its error.

**Polish.** Then single cells are moved by one unit, in random order, while that lowers the `misfit` (`polish`)

    sum over the margins and the cells of (sum of the integers - sum of the least-squares values)**2.

If there are many cells, the cells of a wave are moved together first, each answering for its share as before.

**Precision.** Last, if variances differ, the same with every square divided by its variance, best cells first: the few
units that a precise margin is off by are moved where they do the least harm.

**Pair moves.** Each margin has integers to aim at, as close to least squares as integers that add up can be. The stages
above meet most of these aims. A few sums are off by a unit, and no step of a single cell corrects one of them without
spoiling others. So two cells are moved at once. A pair move takes a unit from one cell and gives the unit to another
cell that differs along one axis only. The move changes no sum over this axis, so the total stays. Take a sum that is
too large and a sum that is too small, on one line of a margin along the axis, and compare all pairs of cells below the
two. The pair that adds least to the misfit moves, if the misfit does not rise. A move that leaves the misfit equal
carries a fault to another margin, where the fault may meet its opposite. The margins take turns, from fine to coarse.

In a cube of 100 x 100 x 100 under noise of variance 1.84, 4% of the two-way sums are off before, and .6% after.
"""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile import apportion, tie_breaking
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit
from discreet.reconcile.polish import MOVES, polish
from discreet.reconcile.waves import Waves

SWEEPS = 2
"""Times that cells are moved wave by wave, if there are more than MOVES."""

ROUNDS = 30
"""Most rounds in which all margins take turns."""

PROGRESS = 0.98
"""A round that leaves more than this share of the faults is the last one."""

CANDIDATES = 10**6
"""Most pairs of cells that are compared at once."""

CELL_WEIGHT = 0.1
"""The weight of the distance of a cell; a sum has 1."""


def wave_rounding(
    margins: Margins,
    cells: Floats,
    targets: Sequence[Floats],
    weights: Sequence[float],
    bounds: tuple[Integers, Integers],
    seed_key: int,
) -> Integers:
    """Return integers close to the cells, whose margins are close to the targets.

    Parameters
    ----------
    margins
        The margins of the cube.
    cells
        Numbers >= 0.
    targets, weights
        The target sums and the weight of each margin, in the order of `margins.keys`.
    bounds
        The lowest and the highest value of each cell.
    seed_key
        Decides the order of single cells.
    """
    flat = cells.reshape(-1)
    low, high = (np.broadcast_to(bound, cells.shape).reshape(-1) for bound in bounds)
    integers, remainders = apportion.split(flat)
    integers = integers.clip(low, high)
    remainders[integers >= high] = 0
    movable = np.flatnonzero(remainders)
    waves = Waves(margins, movable)
    expected = _sums(margins, integers) - np.concatenate([np.ravel(target) for target in targets])
    expected += _sums(margins, remainders.astype(np.int64)) / apportion.GRID
    fractions = remainders[waves.cells] / apportion.GRID
    integers[waves.cells] += waves.goes_up(fractions, expected)
    unweighted = Misfit(margins, flat, targets, [1.0] * len(targets), 1.0, integers)
    if len(movable) > MOVES:
        in_waves, real = integers[waves.cells].astype(np.float64), flat[waves.cells]
        for _ in range(SWEEPS):
            waves.sweep(unweighted, in_waves, real)
    polish(unweighted, movable, seed_key)
    if min(weights) < max(weights):
        weighted = Misfit(margins, flat, targets, weights, min(weights), integers)
        polish(weighted, movable, seed_key, best_first=True)
    return integers.reshape(cells.shape)


def _sums(margins: Margins, cells: Integers) -> Integers:
    """Return the sums of all margins, one after the other."""
    return np.concatenate([np.ravel(sums) for sums in margins.add(cells.reshape(margins.sides))])


class _Faults(NamedTuple):
    """Pairs of faults: the indices of sums that are too large, and of sums that are too small."""

    high: Integers
    low: Integers


class _Sums(NamedTuple):
    """The sums of one margin: their errors, and the strides that give the index of a sum."""

    errors: Floats
    strides: list[int]


def move_pairs(
    misfit: Misfit, margins: Margins, aimed: Collection[int], fixed_axes: Collection[int], seed_key: int
) -> None:
    """Move units between cells as long as that corrects faults.

    Parameters
    ----------
    misfit
        The integers, and the sums that they aim at.
    margins
        The margins. No margin has levels.
    aimed
        The numbers of the margins whose faults are corrected: their sums aim at integers.
    fixed_axes
        Axes along which nothing moves.
    seed_key
        Decides which faults are tried together.
    """
    moves = _PairMoves(misfit, margins)
    numbers = [number for number in range(len(margins.keys)) if number in aimed]
    turns = [(number, axis) for number in numbers for axis, _ in margins.keys[number] if axis not in fixed_axes]
    before = math.inf
    for attempt in range(ROUNDS):
        faults = sum(moves.fault_count(number) for number in numbers)
        if faults > PROGRESS * before or not faults:
            return
        before = faults
        for turn, (number, axis) in enumerate(turns):
            moves.run(number, axis, seed_key, attempt * len(turns) + turn)


class _PairMoves:
    """The errors of all sums, and the index of each cell's sums.

    Everything is flat. The index of a cell, and of its sum in a margin, is the sum over the axes of coordinate times
    stride; the stride of an axis that a margin does not keep is 0.
    """

    def __init__(self, misfit: Misfit, margins: Margins) -> None:
        self.misfit, self.sides = misfit, margins.sides
        self.kept_axes = [tuple(axis for axis, _ in key) for key in margins.keys]
        self.sums = [
            _Sums(errors, self._strides(axes)) for errors, axes in zip(misfit.errors(), self.kept_axes, strict=True)
        ]
        self.cell_strides = self._strides(range(len(self.sides)))
        self.floor, fraction = apportion.split(misfit.real)
        self.ceiling = self.floor + (fraction > 0)
        excess = misfit.integers - misfit.real
        self.excess_to_give = np.where(misfit.integers > self.floor, excess, -np.inf)
        self.excess_to_take = np.where(misfit.integers < self.ceiling, excess, np.inf)

    def _strides(self, axes: Collection[int]) -> list[int]:
        return [
            math.prod(self.sides[other] for other in axes if other > axis) if axis in axes else 0
            for axis in range(len(self.sides))
        ]

    def fault_count(self, number: int) -> int:
        """Return the number of sums of a margin that are off by a unit or more."""
        return int((np.abs(self.sums[number].errors) > 0.5).sum())

    def run(self, number: int, axis: int, seed_key: int, stream: int) -> None:
        """Try to correct the faults of one margin by moves along one axis."""
        faults = self._opposite_faults(number, axis, seed_key, stream)
        free_axes = [other for other in range(len(self.sides)) if other not in self.kept_axes[number]]
        if len(faults.high):
            below = self._coordinates_below(free_axes, max(1, CANDIDATES // len(faults.high)), seed_key, stream)
            self._move(number, axis, faults, below)

    def _opposite_faults(self, number: int, axis: int, seed_key: int, stream: int) -> _Faults:
        """Return pairs of a sum that is too large and a sum that is too small, on lines along the axis."""
        errors, stride = self.sums[number].errors, self.sums[number].strides[axis]
        priority = tie_breaking.priorities(seed_key, len(errors), stream)
        faults, codes = [], []
        for fault in (np.flatnonzero(errors > 0.5), np.flatnonzero(errors < -0.5)):
            line = fault - fault // stride % self.sides[axis] * stride
            order = np.lexsort((priority[fault], line))
            fault, line = fault[order], line[order]
            rank = np.arange(len(line)) - np.searchsorted(line, line)
            faults.append(fault)
            codes.append(line * self.sides[axis] + rank)
        _, of_high, of_low = np.intersect1d(codes[0], codes[1], assume_unique=True, return_indices=True)
        return _Faults(faults[0][of_high], faults[1][of_low])

    def _coordinates_below(self, free_axes: list[int], most: int, seed_key: int, stream: int) -> Integers:
        """Return coordinates on the free axes, one row an axis: all of them, or so many at random."""
        sides = [self.sides[axis] for axis in free_axes]
        chosen = np.arange(math.prod(sides))
        if len(chosen) > most:
            chosen = np.argsort(tie_breaking.priorities(seed_key, len(chosen), stream))[:most]
        coordinates = np.zeros((len(self.sides), len(chosen)), dtype=np.int64)
        if free_axes:
            coordinates[free_axes] = np.stack(np.unravel_index(chosen, sides))
        return coordinates

    def _move(self, number: int, axis: int, faults: _Faults, below: Integers) -> None:
        """Make the best move of every pair of faults, unless it raises the misfit of the sums."""
        high, low = (self._coordinates(self.sums[number].strides, index) for index in faults)
        apart = (low - high)[axis]
        givers = _indices(self.cell_strides, high, below)
        takers = givers + apart[:, None] * self.cell_strides[axis]
        cost = self.excess_to_take[takers]
        cost -= self.excess_to_give[givers]
        cost *= CELL_WEIGHT
        changed = [sums for sums in self.sums if sums.strides[axis]]
        for errors, strides in changed:
            index = _indices(strides, high, below)
            cost += errors[index + apart[:, None] * strides[axis]]
            cost -= errors[index]
        best = cost.argmin(axis=1)
        pairs = np.flatnonzero(np.isfinite(cost[np.arange(len(best)), best]))
        best, apart = best[pairs], apart[pairs]
        coordinates = high[:, pairs] + below[:, best]
        cells = zip(givers[pairs, best].tolist(), takers[pairs, best].tolist(), strict=True)
        sums = [
            zip((strides @ coordinates).tolist(), (apart * strides[axis]).tolist(), strict=True)
            for _, strides in changed
        ]
        all_errors = [errors for errors, _ in changed]
        for (giver, taker), *sum_steps in zip(cells, *sums, strict=True):
            self._take(giver, taker, all_errors, sum_steps)

    def _coordinates(self, strides: list[int], index: Integers) -> Integers:
        """Return the coordinates of sums, one row an axis; 0 on axes that the margin does not keep."""
        return np.stack(
            [
                index // stride % side if stride else np.zeros_like(index)
                for stride, side in zip(strides, self.sides, strict=True)
            ]
        )

    def _take(self, giver: int, taker: int, all_errors: list[Floats], sum_steps: Sequence[tuple[int, int]]) -> None:
        """Move a unit from one cell to another, if both may and the misfit of the sums does not rise.

        For each margin that changes, `sum_steps` has the index of the giver's sum, and the step to the taker's.
        """
        if self.excess_to_give[giver] == -np.inf or self.excess_to_take[taker] == np.inf:
            return
        changes = 0.0
        for errors, (index, step) in zip(all_errors, sum_steps, strict=True):
            changes += errors[index + step] - errors[index] + 1
        if changes > 1e-9:
            return
        for errors, (index, step) in zip(all_errors, sum_steps, strict=True):
            errors[index] -= 1
            errors[index + step] += 1
        for cell, step in ((giver, -1), (taker, 1)):
            integer = self.misfit.integers[cell] + step
            excess = integer - self.misfit.real[cell]
            self.misfit.integers[cell] = integer
            self.excess_to_give[cell] = excess if integer > self.floor[cell] else -np.inf
            self.excess_to_take[cell] = excess if integer < self.ceiling[cell] else np.inf


def _indices(strides: list[int], above: Integers, below: Integers) -> Integers:
    """Return the index of every combination of coordinates; one column if the index does not depend on `below`."""
    offsets = strides @ below
    return np.asarray((strides @ above)[:, None] + (offsets if offsets.any() else offsets[:1]))

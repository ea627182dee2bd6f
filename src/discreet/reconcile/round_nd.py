"""Round a cube of three and more dimensions, or with levels, so that all margins stay close.

Rounding every margin down or up at once is not always possible, so the margins are the sums of the rounded cells. Every
cell is rounded down or up, in three stages. The first two weigh all margins alike: under unequal weights one heavy
margin bars steps that are good for many light margins, and the light margins stay far off.

**Waves.** Cells are visited in waves. The coordinates of the cells of a wave have the same sum modulo the longest side:
in three dimensions no two cells of a wave share a sum over one axis. A cell goes up if that lowers the squared errors,
so far, of the margins it belongs to. If m cells of a wave share a sum, each answers for 1/m of its error.

**Polish.** Then single cells are moved by one unit, in random order, while that lowers the `misfit`

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
from discreet.reconcile.misfit import Misfit, added_up, shares

WAVES = 256
"""Most waves."""

SWEEPS = 2
"""Times that cells are moved wave by wave, if there are more than MOVES."""

PASSES = 12
"""Most passes over single cells."""

MOVES = 4000
"""Most cells that one pass tries."""

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
    movable = np.flatnonzero((remainders > 0) & (integers < high))
    fractions = remainders[movable] / apportion.GRID
    expected = np.concatenate([-np.asarray(target).reshape(-1) for target in targets])
    expected += np.concatenate([np.ravel(sums) for sums in margins.add(integers.reshape(cells.shape))])
    expected += added_up(margins.sum_indices(movable), fractions, len(expected))
    order, waves = _waves(margins.sides, movable)
    in_waves, fractions = movable[order], fractions[order]
    sum_indices = margins.sum_indices(in_waves)
    for wave in waves:
        indices = sum_indices[:, wave]
        share = shares(indices, len(expected))
        pull = (share * (0.5 - fractions[wave] + expected[indices])).sum(axis=0) + (0.5 - fractions[wave])
        up = pull < 0
        integers[in_waves[wave]] += up
        expected += added_up(indices, up - fractions[wave], len(expected))
    unweighted = Misfit(margins, flat, targets, [1.0] * len(targets), 1.0, integers)
    for _ in range(SWEEPS if len(movable) > MOVES else 0):
        for wave in waves:
            unweighted.sweep(in_waves[wave], sum_indices[:, wave])
    _polish(unweighted, movable, seed_key)
    if min(weights) < max(weights):
        weighted = Misfit(margins, flat, targets, weights, min(weights), integers)
        _polish(weighted, movable, seed_key, best_first=True)
    return integers.reshape(cells.shape)


def _waves(sides: Sequence[int], cells: Integers) -> tuple[Integers, list[slice]]:
    """Return the positions of the cells wave after wave, and where each wave is."""
    number = sum(np.unravel_index(cells, sides), start=np.zeros(len(cells), dtype=np.int64))
    number = (number % min(max(sides), WAVES)).astype(np.int16)
    order = np.argsort(number, kind="stable")
    edges = [0, *(np.flatnonzero(np.diff(number[order])) + 1).tolist(), len(cells)]
    return order, list(map(slice, edges, edges[1:]))


def _polish(misfit: Misfit, movable: Integers, seed_key: int, best_first: bool = False) -> None:
    """Move single cells while that lowers the misfit, pass after pass."""
    for number in range(PASSES):
        pull = np.abs(misfit.pull(movable))
        helps = np.flatnonzero(pull > misfit.weight / 2 * (1 + 1e-9))
        order = [tie_breaking.priorities(seed_key + number, len(helps))]
        if best_first:
            order.append(-np.rint(pull[helps] / misfit.weight * apportion.GRID))
        if not misfit.lower(movable[helps[np.lexsort(order)[:MOVES]]]):
            break


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
        misfit = self.misfit
        allowed = (misfit.integers[givers] > misfit.floor[givers]) & (misfit.integers[takers] < misfit.ceiling[takers])
        cost = CELL_WEIGHT * (misfit.excess(takers) - misfit.excess(givers))
        changed = [sums for sums in self.sums if sums.strides[axis]]
        for errors, strides in changed:
            index = _indices(strides, high, below)
            cost = cost + errors[index + (apart * strides[axis])[:, None]] - errors[index]
        cost = np.where(allowed, cost, np.inf)
        best = cost.argmin(axis=1)
        for pair, choice in enumerate(best.tolist()):
            if np.isfinite(cost[pair, choice]):
                coordinates = high[:, pair] + below[:, choice]
                sums = [
                    (errors, int(coordinates @ strides), int(apart[pair]) * strides[axis])
                    for errors, strides in changed
                ]
                self._take(int(givers[pair, choice]), int(takers[pair, choice]), sums)

    def _coordinates(self, strides: list[int], index: Integers) -> Integers:
        """Return the coordinates of sums, one row an axis; 0 on axes that the margin does not keep."""
        return np.stack(
            [
                index // stride % side if stride else np.zeros_like(index)
                for stride, side in zip(strides, self.sides, strict=True)
            ]
        )

    def _take(self, giver: int, taker: int, sums: list[tuple[Floats, int, int]]) -> None:
        """Move a unit from one cell to another, if both may and the misfit of the sums does not rise.

        `sums` has, for each margin that changes, the errors, the index of the giver's sum, and the step to the taker's.
        """
        misfit = self.misfit
        if misfit.integers[giver] <= misfit.floor[giver] or misfit.integers[taker] >= misfit.ceiling[taker]:
            return
        if sum(errors[index + step] - errors[index] + 1 for errors, index, step in sums) > 1e-9:
            return
        misfit.integers[giver] -= 1
        misfit.integers[taker] += 1
        for errors, index, step in sums:
            errors[index] -= 1
            errors[index + step] += 1


def _indices(strides: list[int], above: Integers, below: Integers) -> Integers:
    """Return the index of every combination of coordinates; one column if the index does not depend on `below`."""
    offsets = strides @ below
    return np.asarray((strides @ above)[:, None] + (offsets if offsets.any() else offsets[:1]))

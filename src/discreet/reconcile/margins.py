"""Margins of a cube: sums over axes, or over groups of categories of an axis.

A **key** names a margin by pairs (axis, level), see `axes`. () is the total.

`Margins.add` adds up cells to every margin. `Margins.spread` is the transpose: given a number for every cell of every
margin, each cell of the cube gets the sum of the numbers of the margins' cells that contain it. Each margin is summed
from the smallest margin that refines it, not from the cells. Arrays may have further axes in front: several cubes at
once.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.reconcile.axes import Array, Key, Labels, containing_groups, sorted_by_group

Levels = Mapping[int, Mapping[Hashable, npt.ArrayLike]]


class _Merge(NamedTuple):
    """How the groups of an axis are added up to groups of a coarser level.

    Attributes
    ----------
    containers
        The coarser group that contains each group.
    order, starts
        The groups sorted by container, and where each container starts.
    """

    containers: Integers
    order: Integers
    starts: Integers


@dataclass(frozen=True)
class _Step:
    """How a margin is summed from a finer margin.

    Attributes
    ----------
    source
        The index of the finer margin.
    merges
        For each axis of the finer margin how its groups are merged; None if the axis stays, or is dropped.
    dropped
        The axes that are summed over, counted from the last.
    """

    source: int
    merges: tuple[_Merge | None, ...]
    dropped: tuple[int, ...]

    @cached_property
    def _opened(self) -> tuple[Any, ...]:
        """The index that gives a sum its dropped axes back, with one group each."""
        dimensions = range(-len(self.merges), 0)
        return (..., *(None if dimension in self.dropped else slice(None) for dimension in dimensions))

    def add(self, values: Array) -> Array:
        for dimension, merge in enumerate(self.merges, -len(self.merges)):
            if merge is not None:
                values = np.add.reduceat(values.take(merge.order, axis=dimension), merge.starts, axis=dimension)
        return np.add.reduce(values, axis=self.dropped) if self.dropped else values

    def spread(self, values: Array) -> Array:
        values = values[self._opened]
        for dimension, merge in enumerate(self.merges, -len(self.merges)):
            if merge is not None:
                values = values.take(merge.containers, axis=dimension)
        return values


class Margins:
    """The margins of a cube.

    Parameters
    ----------
    sides
        The number of categories of each axis.
    keys
        The margins.
    labels
        The partition of every level that a key names.

    Attributes
    ----------
    keys
        The margins other than the cells themselves, from fine to coarse.
    """

    def __init__(self, sides: Sequence[int], keys: Sequence[Key], labels: Labels) -> None:
        self.sides = tuple(sides)
        self.labels = labels
        full = tuple((axis, None) for axis in range(len(sides)))
        rank = {pair: number for number, pair in enumerate(labels)}
        self.keys = sorted(
            (key for key in keys if key != full),
            key=lambda key: (-math.prod(self.shape(key)), str(tuple((pair[0], rank.get(pair)) for pair in key))),
        )
        self._cells_and_keys: list[Key] = [full, *self.keys]
        self._steps = [self._step(number) for number in range(1, len(self._cells_and_keys))]

    def shape(self, key: Key) -> tuple[int, ...]:
        """Return the sides of a margin."""
        return tuple(
            self.sides[axis] if level is None else int(self.labels[axis, level].max()) + 1 for axis, level in key
        )

    def add(self, cells: Array) -> list[Array]:
        """Return every margin of the cells."""
        sums = [cells]
        for step in self._steps:
            sums.append(step.add(sums[step.source]))
        return sums[1:]

    def spread(self, values: Sequence[Array]) -> Array:
        """Return, for every cell, the sum of the values of the margins' cells that contain it."""
        gathered: list[Any] = [None, *values]
        owned = False  # True once gathered[0] is an array of this call that may be changed in place
        for number in range(len(self._steps), 0, -1):
            step = self._steps[number - 1]
            part, target = step.spread(gathered[number]), gathered[step.source]
            if step.source == 0 and owned:
                target += part
            else:
                gathered[step.source] = part if target is None else target + part
                owned = step.source == 0 and target is not None and gathered[0].shape[-len(self.sides) :] == self.sides
        lead = np.shape(values[0])[: np.ndim(values[0]) - len(self.keys[0])]
        shape, spread = (*lead, *self.sides), gathered[0]
        return spread if spread.shape == shape else np.broadcast_to(spread, shape)

    def sum_index(self, key: Key, cells: Integers) -> Integers:
        """Return, for each cell, the index of the sum of a margin that contains it. Both are counted row by row."""
        return self._sum_index(key, self._coordinates(cells), len(cells))

    def _coordinates(self, cells: Integers) -> tuple[Integers, ...]:
        return np.unravel_index(cells, self.sides) if self.sides else ()

    def _sum_index(self, key: Key, coordinates: tuple[Integers, ...], size: int) -> Integers:
        index = np.zeros(size, dtype=np.int64)
        for (axis, level), side in zip(key, self.shape(key), strict=True):
            index *= side
            index += coordinates[axis] if level is None else self.labels[axis, level][coordinates[axis]]
        return index

    def sum_indices(self, cells: Integers) -> Integers:
        """Return a row for each margin: the sum that contains each cell. Sums are numbered margin after margin."""
        starts = np.cumsum([0, *(math.prod(self.shape(key)) for key in self.keys)])
        coordinates = self._coordinates(cells)
        indices = np.empty((len(self.keys), len(cells)), dtype=np.int64)
        for row, key, start in zip(indices, self.keys, starts[:-1], strict=True):
            row[:] = self._sum_index(key, coordinates, len(cells))
            row += start
        return indices

    def _step(self, number: int) -> _Step:
        """Return how a margin is summed from the smallest margin that refines it."""
        levels = dict(self._cells_and_keys[number])
        for source in range(number - 1, -1, -1):
            step = self._step_from(source, levels)
            if step is not None:
                return step
        raise AssertionError("every margin is a sum of cells")

    def _step_from(self, source: int, levels: Mapping[int, Hashable]) -> _Step | None:
        """Return how a margin with these levels is summed from another one; None if the other does not refine it."""
        fine = self._cells_and_keys[source]
        if not set(levels) <= set(dict(fine)):
            return None
        merges: list[_Merge | None] = []
        dropped = []
        for dimension, (axis, level) in enumerate(fine, -len(fine)):
            merge = None
            if axis not in levels:
                dropped.append(dimension)
            elif levels[axis] != level:
                merge = self._merge(axis, level, levels[axis])
                if merge is None:
                    return None
            merges.append(merge)
        return _Step(source, tuple(merges), tuple(dropped))

    def _merge(self, axis: int, fine: Hashable, coarse: Hashable) -> _Merge | None:
        """Return how one level of an axis is added up to another; None if the first does not refine the second."""
        if coarse is None:
            return None
        groups = self.labels[axis, coarse]
        containers = groups if fine is None else containing_groups(self.labels[axis, fine], groups)
        return None if containers is None else _Merge(containers, *sorted_by_group(containers))

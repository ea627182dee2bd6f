"""Margins of a cube: sums over axes, or over groups of categories of an axis.

A **key** names a margin: the axes it keeps, in order. () is the total, (0, 2) keeps axes 0 and 2. An axis may have
coarser **levels**, partitions of its categories by name (counties in states): (0, "state") is axis 0 at that level.

`Margins` adds up cells to every margin and, the other way round, spreads a number for every margin's cell over the
cells below it. Each margin is summed from the smallest one that refines it, not from the cells. Arrays may have further
axes in front: several cubes at once.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers

Array = npt.NDArray[Any]
Key = tuple[Any, ...]
Levels = Mapping[int, Mapping[Hashable, npt.ArrayLike]]


@dataclass(frozen=True)
class _Step:
    """How a margin is summed from another: for each of its axes nothing, all of it, or groups."""

    source: int
    groups: tuple[tuple[Integers, Integers, Integers] | None, ...]
    dropped: tuple[int, ...]

    @cached_property
    def _opened(self) -> tuple[Any, ...]:
        """The index that gives a sum the axes that were dropped, with one group each."""
        sides = range(-len(self.groups), 0)
        return (..., *(None if axis in self.dropped else slice(None) for axis in sides))

    def add(self, values: Array) -> Array:
        """Sum."""
        for axis, group in enumerate(self.groups, -len(self.groups)):
            if group is not None:
                _, order, starts = group
                values = np.add.reduceat(values.take(order, axis=axis), starts, axis=axis)
        return np.add.reduce(values, axis=self.dropped) if self.dropped else values

    def spread(self, values: Array) -> Array:
        """Give every part of a sum its number."""
        values = values[self._opened]
        for axis, group in enumerate(self.groups, -len(self.groups)):
            if group is not None:
                values = values.take(group[0], axis=axis)
        return values


class Margins:
    """The sums that were measured, of a cube of given sides.

    Attributes
    ----------
    sides
        How many categories each axis has.
    keys
        The margins other than the cells themselves, each as (axis, level) pairs in the order of the axes; level None
        is the axis itself. From fine to coarse.
    """

    def __init__(self, sides: Sequence[int], keys: Sequence[Key], labels: Mapping[tuple[int, Any], Integers]) -> None:
        self.sides = tuple(sides)
        self.labels = labels
        full = tuple((axis, None) for axis in range(len(sides)))
        place = {pair: at for at, pair in enumerate(labels)}
        self.keys = sorted(
            (key for key in keys if key != full),
            key=lambda key: (-math.prod(self.shape(key)), str(tuple((pair[0], place.get(pair)) for pair in key))),
        )
        self._all = [full, *self.keys]
        self._steps = [self._step(place) for place in range(1, len(self._all))]

    def shape(self, key: Key) -> tuple[int, ...]:
        """The sides of a margin."""
        return tuple(self.sides[axis] if name is None else int(self.labels[axis, name].max()) + 1 for axis, name in key)

    def add(self, cells: Array) -> list[Array]:
        """Every margin of the cells."""
        made = [cells]
        for step in self._steps:
            made.append(step.add(made[step.source]))
        return made[1:]

    def spread(self, values: Sequence[Array]) -> Array:
        """For every cell the sum of the values of the margins' cells that contain it."""
        gathered: list[Any] = [None, *values]
        own = False
        for place in range(len(self._steps), 0, -1):
            step = self._steps[place - 1]
            part, here = step.spread(gathered[place]), gathered[step.source]
            if step.source == 0 and own:
                here += part
            else:
                gathered[step.source] = part if here is None else here + part
                own = step.source == 0 and here is not None and gathered[0].shape[-len(self.sides) :] == self.sides
        lead = np.shape(values[0])[: np.ndim(values[0]) - len(self.keys[0])]
        shape, spread = (*lead, *self.sides), gathered[0]
        return spread if spread.shape == shape else np.broadcast_to(spread, shape)

    def owners(self, key: Key, cells: Integers) -> Integers:
        """The place, in a margin, of the sum that contains each of the cells; both counted row by row."""
        place = np.zeros(len(cells), dtype=np.int64)
        coordinates = np.unravel_index(cells, self.sides) if self.sides else ()
        for (axis, name), side in zip(key, self.shape(key), strict=True):
            at = coordinates[axis] if name is None else self.labels[axis, name][coordinates[axis]]
            place = place * side + at
        return place

    def places(self, cells: Integers) -> Integers:
        """For each margin a row: the sum that contains each of the cells, all numbered one margin after another."""
        starts = np.cumsum([0, *(math.prod(self.shape(key)) for key in self.keys)])
        return np.stack([start + self.owners(key, cells) for key, start in zip(self.keys, starts[:-1], strict=True)])

    def _step(self, place: int) -> _Step:
        key = self._all[place]
        for source in range(place - 1, -1, -1):
            steps = [self._between(axis, name, dict(key)) for axis, name in self._all[source]]
            if set(dict(key)) <= set(dict(self._all[source])) and "no" not in steps:
                groups = tuple(step if isinstance(step, tuple) else None for step in steps)
                return _Step(source, groups, tuple(at - len(steps) for at, step in enumerate(steps) if step == "drop"))
        raise AssertionError("every margin is a sum of cells")

    def _between(self, axis: int, fine: Any, coarse: dict[int, Any]) -> Any:
        """From one level of an axis to another: "keep", "drop", groups, or "no"."""
        if axis not in coarse:
            return "drop"
        name = coarse[axis]
        if name == fine:
            return "keep"
        if name is None:
            return "no"
        to = self.labels[axis, name]
        if fine is not None:
            of = self.labels[axis, fine]
            first = np.zeros(int(of.max()) + 1, dtype=np.int64)
            first[of] = to
            if not np.array_equal(first[of], to):
                return "no"
            to = first
        order = np.argsort(to, kind="stable")
        return to, order, np.searchsorted(to[order], np.arange(int(to.max()) + 1))

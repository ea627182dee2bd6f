"""Axes, their levels, and the groupings that can be made of them.

A **key** names a grouping: pairs (axis, level) in the order of the axes. Level None is the finest categories of an
axis; a coarser level is a partition of them by name (counties in states). () is the total. One grouping **refines**
another if the other's cells are sums of its own.

Keys are canonical: an axis that has one group only is left out, and two names of one partition become one name.
Partitions of one axis need not be nested; what two of them have in common is their **join**, the finest partition that
both refine.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers

Array = npt.NDArray[Any]
Key = tuple[Any, ...]
Labels = Mapping[tuple[int, Hashable], Integers]


class Axes:
    """The sides of a family of groupings, and the levels of each.

    Parameters
    ----------
    sides
        How many finest categories each axis has.
    labels
        For (axis, level) the group of each category: 0, 1, 2, ... without gaps. The order of levels decides which of
        two alike groupings comes first; their names do not.
    """

    def __init__(self, sides: Sequence[int], labels: Labels) -> None:
        self.sides = tuple(sides)
        self._labels: dict[tuple[int, Hashable], Integers] = {}
        self._groups: dict[tuple[int, Hashable], int] = {}
        self._order: dict[tuple[int, Hashable], Integers] = {}
        self._name: dict[tuple[int, Hashable], Hashable] = {}
        self._seen: dict[tuple[int, bytes], Hashable] = {}
        self._levels: list[list[Hashable]] = [[] for _ in self.sides]
        for axis, side in enumerate(self.sides):
            self._add(axis, None, np.arange(side))
        for (axis, level), groups in labels.items():
            self._add(axis, level, np.asarray(groups, dtype=np.int64))
        for axis in range(len(self.sides)):
            self._close(axis)

    def _add(self, axis: int, level: Hashable, groups: Integers) -> None:
        """Name a partition; its groups are numbered in the order in which they first occur."""
        _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
        old = groups[np.sort(first)]
        rank = np.argsort(np.argsort(first))
        numbered = rank[inverse.reshape(-1)]
        self._order[axis, level] = old
        self._name[axis, level] = self._seen.setdefault((axis, numbered.tobytes()), level)
        if self._name[axis, level] == level:
            self._labels[axis, level] = numbered
            self._groups[axis, level] = int(numbered.max()) + 1
            self._levels[axis].append(level)

    def _close(self, axis: int) -> None:
        """Add the joins of the partitions of an axis until all are there."""
        names = self._levels[axis]  # grows as it is gone through
        for number, one in enumerate(names):
            for other in names[:number]:
                if not (self._holds(axis, one, other) or self._holds(axis, other, one)):
                    self._add(axis, ("join", one, other), self._join(axis, one, other))

    def _join(self, axis: int, one: Hashable, other: Hashable) -> Integers:
        groups = self._labels[axis, one].copy()
        while True:
            before = groups
            for labels in (self._labels[axis, other], self._labels[axis, one]):
                least = np.full(int(labels.max()) + 1, len(groups))
                np.minimum.at(least, labels, groups)
                groups = least[labels]
            if np.array_equal(groups, before):
                return groups

    def _holds(self, axis: int, coarse: Hashable, fine: Hashable) -> bool:
        """Whether every group of one level lies in one group of the other."""
        return fine == coarse or self._between(axis, coarse, fine) is not None

    def _between(self, axis: int, coarse: Hashable, fine: Hashable) -> Integers | None:
        """The group of a coarse level that holds each group of a fine one; None where there is not one."""
        of, to = self._labels[axis, fine], self._labels[axis, coarse]
        first = np.zeros(int(of.max()) + 1, dtype=np.int64)
        first[of] = to
        return first if np.array_equal(first[of], to) else None

    def groups(self, axis: int, level: Hashable) -> int:
        """How many groups a level has."""
        return self._groups[axis, level]

    def shape(self, key: Key) -> tuple[int, ...]:
        """The sides of a grouping."""
        return tuple(self.groups(axis, level) for axis, level in key)

    def size(self, key: Key) -> int:
        """How many cells a grouping has."""
        return math.prod(self.shape(key))

    def rank(self, key: Key) -> str:
        """What groupings are sorted by, whatever their levels are called."""
        return str(tuple((axis, None if level is None else self._levels[axis].index(level)) for axis, level in key))

    def canonical(self, key: Key) -> Key:
        """The same grouping by its canonical key."""
        named = ((axis, self._name[axis, level]) for axis, level in key)
        return tuple((axis, level) for axis, level in named if self.groups(axis, level) > 1)

    def arrange(self, key: Key, values: Array) -> Array:
        """Numbers of a grouping as given, in the order and shape of its canonical key."""
        for place, pair in enumerate(key):
            values = values.take(self._order[pair], axis=place)
        return values.reshape(self.shape(self.canonical(key)))

    def restore(self, key: Key, values: Array) -> Array:
        """Numbers of a canonical grouping, in the order and shape of a key as given."""
        values = values.reshape([self.groups(axis, self._name[axis, level]) for axis, level in key])
        for place, pair in enumerate(key):
            values = values.take(np.argsort(self._order[pair]), axis=place)
        return values

    def refines(self, fine: Key, coarse: Key) -> bool:
        """Whether the cells of one grouping are sums of cells of the other; a grouping refines itself."""
        levels = dict(fine)
        return all(axis in levels and self._holds(axis, level, levels[axis]) for axis, level in coarse)

    def below(self, key: Key) -> Iterator[Key]:
        """Every grouping that a grouping refines, itself first."""
        choices = []
        for axis, level in key:
            coarser = [name for name in self._levels[axis] if self._holds(axis, name, level)]
            coarser.sort(key=lambda name, axis=axis: -self.groups(axis, name))  # type: ignore[misc]
            choices.append([*((axis, name) for name in coarser if self.groups(axis, name) > 1), None])
        for chosen in product(*choices):
            yield tuple(pair for pair in chosen if pair is not None)

    def meet(self, one: Key, other: Key) -> Key:
        """The finest grouping that both refine."""
        levels = dict(other)
        found = []
        for axis, level in one:
            shared = [
                name
                for name in (self._levels[axis] if axis in levels else ())
                if self._holds(axis, name, level) and self._holds(axis, name, levels[axis])
            ]
            if shared:
                finest = max(shared, key=lambda name, axis=axis: self.groups(axis, name))  # type: ignore[misc]
                if self.groups(axis, finest) > 1:
                    found.append((axis, finest))
        return tuple(found)

    def owners(self, fine: Key, coarse: Key) -> Integers:
        """For every cell of a grouping, row by row, the cell of a coarser one that holds it."""
        shape = self.shape(fine)
        place = np.zeros(shape, dtype=np.int64)
        axes = [axis for axis, _ in fine]
        for axis, level in coarse:
            at = axes.index(axis)
            to = self._between(axis, level, fine[at][1])
            assert to is not None, "the finer grouping refines the coarser"
            place = place * self.groups(axis, level) + to.reshape([-1 if d == at else 1 for d in range(len(shape))])
        return place.reshape(-1)

    def add(self, values: Array, fine: Key, coarse: Key) -> Array:
        """The sums of a grouping's numbers that make up a coarser one."""
        total = np.bincount(self.owners(fine, coarse), np.ravel(values), minlength=self.size(coarse))
        return total.reshape(self.shape(coarse))

    def maximal(self, keys: Sequence[Key]) -> list[Key]:
        """The groupings that no other refines, the largest first."""
        order = sorted(dict.fromkeys(keys), key=lambda key: (-len(key), -self.size(key), self.rank(key)))
        covered: set[Key] = set()
        found = []
        for key in order:
            if key not in covered:
                found.append(key)
                covered.update(self.below(key))
        return found

    def local(self, key: Key, below: Sequence[Key]) -> tuple[list[Key], dict[tuple[int, Hashable], Integers]]:
        """Groupings below a key as keys of its own axes 0, 1, ..., and the labels of their levels."""
        levels = dict(key)
        place = {axis: at for at, (axis, _) in enumerate(key)}
        labels: dict[tuple[int, Hashable], Integers] = {}
        found = []
        for other in below:
            pairs: list[tuple[int, Hashable]] = []
            for axis, level in other:
                if level == levels[axis]:
                    pairs.append((place[axis], None))
                else:
                    to = self._between(axis, level, levels[axis])
                    assert to is not None, "the key refines what is below it"
                    labels[place[axis], ("level", level)] = to
                    pairs.append((place[axis], ("level", level)))
            found.append(tuple(pairs))
        return found, labels

    def coarser(self, axis: int, level: Hashable) -> tuple[Hashable] | None:
        """The next coarser level of an axis, wrapped in a tuple; None where that is all of it."""
        nested = [
            name
            for name in self._levels[axis]
            if 1 < self.groups(axis, name) < self.groups(axis, level) and self._holds(axis, name, level)
        ]
        return (
            (max(nested, key=lambda name: (self.groups(axis, name), self._labels[axis, name].tolist())),)
            if nested
            else None
        )

    def parents(self, axis: int, level: Hashable) -> Integers:
        """For each group of a level the group of the next coarser level that holds it; zeros where that is all."""
        found = self.coarser(axis, level)
        if found is None:
            return np.zeros(self.groups(axis, level), dtype=np.int64)
        to = self._between(axis, found[0], level)
        assert to is not None, "the level refines the next coarser one"
        return to

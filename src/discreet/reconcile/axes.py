"""Partitions of the categories of an axis, the keys that name groupings, and the relations between groupings.

A **partition** is an array with the group of every category: 0, 1, 2, ... without gaps. The finest partition has one
group a category. A **level** is a partition with a name (counties in states). Level None is the finest partition.
The partitions of one axis need not nest. The finest partition that two partitions both refine is their **join**.

A **key** names a grouping by the axes that it keeps: pairs (axis, level) in the order of the axes. () is the total. A
grouping **refines** another grouping if every cell of the other grouping is a sum of its own cells.

The keys of `Axes` are canonical: an axis with a single group is left out, and two names of one partition become one
name.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers

Array = npt.NDArray[Any]
Key = tuple[tuple[int, Hashable], ...]
Labels = Mapping[tuple[int, Hashable], Integers]
"""The partition of every level, by (axis, level)."""


class Axes:
    """The sides of a family of groupings, and the levels of each axis.

    Parameters
    ----------
    sides
        The number of finest categories of each axis.
    labels
        For (axis, level) the group of each category: 0, 1, 2, ... without gaps. The order of the levels decides which
        of two similar groupings comes first. The names of the levels do not matter.
    """

    def __init__(self, sides: Sequence[int], labels: Labels) -> None:
        self.sides = tuple(sides)
        self._labels: dict[tuple[int, Hashable], Integers] = {}
        self._group_counts: dict[tuple[int, Hashable], int] = {}
        self._user_groups: dict[tuple[int, Hashable], Integers] = {}
        self._canonical_level: dict[tuple[int, Hashable], Hashable] = {}
        self._level_of_partition: dict[tuple[int, bytes], Hashable] = {}
        self._levels: list[list[Hashable]] = [[] for _ in self.sides]
        for axis, side in enumerate(self.sides):
            self._add_level(axis, None, np.arange(side))
        for (axis, level), groups in labels.items():
            self._add_level(axis, level, np.asarray(groups, dtype=np.int64))
        for axis in range(len(self.sides)):
            self._add_joins(axis)

    def _add_level(self, axis: int, level: Hashable, groups: Integers) -> None:
        """Name a partition. Its groups are numbered in the order in which they first occur."""
        _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first))
        numbered = rank[inverse.reshape(-1)]
        pair = axis, level
        self._user_groups[pair] = groups[np.sort(first)]
        self._canonical_level[pair] = self._level_of_partition.setdefault((axis, numbered.tobytes()), level)
        if self._canonical_level[pair] == level:
            self._labels[pair] = numbered
            self._group_counts[pair] = int(numbered.max()) + 1
            self._levels[axis].append(level)

    def _add_joins(self, axis: int) -> None:
        """Add the join of every two levels of an axis that do not nest, and the joins of joins.

        A join is named by its groups, so that problems which read their levels in other orders have equal names.
        """
        levels = self._levels[axis]  # grows during the loop
        for number, level in enumerate(levels):
            for other in levels[:number]:
                if not (self._level_refines(axis, other, level) or self._level_refines(axis, level, other)):
                    groups = _join(self._labels[axis, level], self._labels[axis, other])
                    self._add_level(axis, ("join", groups.tobytes()), groups)

    def _level_refines(self, axis: int, fine: Hashable, coarse: Hashable) -> bool:
        """Return True if every group of the fine level lies in one group of the coarse level."""
        return fine == coarse or self._containing_groups(axis, fine, coarse) is not None

    def _containing_groups(self, axis: int, fine: Hashable, coarse: Hashable) -> Integers | None:
        return containing_groups(self._labels[axis, fine], self._labels[axis, coarse])

    def groups(self, axis: int, level: Hashable) -> int:
        """Return the number of groups of a level."""
        return self._group_counts[axis, level]

    def shape(self, key: Key) -> tuple[int, ...]:
        """Return the sides of a grouping."""
        return tuple(self.groups(axis, level) for axis, level in key)

    def size(self, key: Key) -> int:
        """Return the number of cells of a grouping."""
        return math.prod(self.shape(key))

    def rank(self, key: Key) -> str:
        """Return a text to sort groupings by. It does not depend on the names of levels."""
        return str(tuple((axis, None if level is None else self._levels[axis].index(level)) for axis, level in key))

    def canonical(self, key: Key) -> Key:
        """Return the canonical key of a grouping."""
        renamed = ((axis, self._canonical_level[axis, level]) for axis, level in key)
        return tuple((axis, level) for axis, level in renamed if self.groups(axis, level) > 1)

    def arrange(self, key: Key, values: Array) -> Array:
        """Return the numbers of a user's grouping in the order and shape of its canonical key."""
        for dimension, pair in enumerate(key):
            values = taken(values, self._user_groups[pair], dimension)
        return values.reshape(self.shape(self.canonical(key)))

    def restore(self, key: Key, values: Array) -> Array:
        """Return the numbers of a canonical grouping in the order and shape of a user's key."""
        values = values.reshape([self.groups(axis, self._canonical_level[axis, level]) for axis, level in key])
        for dimension, pair in enumerate(key):
            values = taken(values, np.argsort(self._user_groups[pair]), dimension)
        return values

    def refines(self, fine: Key, coarse: Key) -> bool:
        """Return True if every cell of the coarse grouping is a sum of cells of the fine one."""
        levels = dict(fine)
        return all(axis in levels and self._level_refines(axis, levels[axis], level) for axis, level in coarse)

    def below(self, key: Key) -> Iterator[Key]:
        """Yield every grouping that a grouping refines, the grouping itself first."""
        choices = []
        for axis, level in key:
            coarser = [name for name in self._levels[axis] if self._level_refines(axis, level, name)]
            coarser.sort(key=lambda name, axis=axis: -self.groups(axis, name))  # type: ignore[misc]
            choices.append([*((axis, name) for name in coarser if self.groups(axis, name) > 1), None])
        for chosen in product(*choices):
            yield tuple(pair for pair in chosen if pair is not None)

    def meet(self, first: Key, second: Key) -> Key:
        """Return the finest grouping that both groupings refine."""
        levels = dict(second)
        pairs = []
        for axis, level in first:
            shared = [
                name
                for name in (self._levels[axis] if axis in levels else ())
                if self._level_refines(axis, level, name) and self._level_refines(axis, levels[axis], name)
            ]
            if shared:
                finest = max(shared, key=lambda name, axis=axis: self.groups(axis, name))  # type: ignore[misc]
                if self.groups(axis, finest) > 1:
                    pairs.append((axis, finest))
        return tuple(pairs)

    def containing_cells(self, fine: Key, coarse: Key) -> Integers:
        """Return, for every cell of a grouping, the index of the cell of a coarser grouping that contains it.

        Cells are numbered row by row in both groupings.
        """
        shape = self.shape(fine)
        index = np.zeros([1] * len(shape), dtype=np.int64)
        axes = [axis for axis, _ in fine]
        for axis, level in coarse:
            dimension = axes.index(axis)
            groups = self._containing_groups(axis, fine[dimension][1], level)
            assert groups is not None, "the finer grouping refines the coarser"
            index = index * self.groups(axis, level) + along(groups, dimension, len(shape))
        return np.broadcast_to(index, shape).reshape(-1)

    def add(self, values: Array, fine: Key, coarse: Key) -> Array:
        """Return the cells of a coarser grouping as sums of the cells of a finer one."""
        if values.dtype == np.int64 and tuple(pair for pair in fine if pair in coarse) == coarse:
            dropped = tuple(dimension for dimension, pair in enumerate(fine) if pair not in coarse)
            return np.asarray(values.reshape(self.shape(fine)).sum(axis=dropped))
        total = np.bincount(self.containing_cells(fine, coarse), np.ravel(values), minlength=self.size(coarse))
        return total.reshape(self.shape(coarse))

    def maximal(self, keys: Sequence[Key]) -> list[Key]:
        """Return the groupings that no other grouping refines, the largest first."""
        largest_first = sorted(dict.fromkeys(keys), key=lambda key: (-len(key), -self.size(key), self.rank(key)))
        covered: set[Key] = set()
        maximal = []
        for key in largest_first:
            if key not in covered:
                maximal.append(key)
                covered.update(self.below(key))
        return maximal

    def local(self, key: Key, below: Sequence[Key]) -> tuple[list[Key], dict[tuple[int, Hashable], Integers]]:
        """Return groupings below a key as keys of the key's own axes 0, 1, ..., and the labels of their levels."""
        levels = dict(key)
        local_axis = {axis: number for number, (axis, _) in enumerate(key)}
        labels: dict[tuple[int, Hashable], Integers] = {}
        local_keys = []
        for coarse in below:
            pairs: list[tuple[int, Hashable]] = []
            for axis, level in coarse:
                pair: tuple[int, Hashable] = (local_axis[axis], None)
                if level != levels[axis]:
                    groups = self._containing_groups(axis, levels[axis], level)
                    assert groups is not None, "the key refines the groupings below it"
                    pair = (local_axis[axis], ("level", level))
                    labels[pair] = groups
                pairs.append(pair)
            local_keys.append(tuple(pairs))
        return local_keys, labels

    def coarser(self, axis: int, level: Hashable) -> tuple[Hashable] | None:
        """Return the next coarser level of an axis, wrapped in a tuple; None if that is the whole axis."""
        nested = [
            name
            for name in self._levels[axis]
            if 1 < self.groups(axis, name) < self.groups(axis, level) and self._level_refines(axis, level, name)
        ]
        if not nested:
            return None
        return (max(nested, key=lambda name: (self.groups(axis, name), self._labels[axis, name].tolist())),)

    def parents(self, axis: int, level: Hashable) -> Integers:
        """Return, for each group of a level, the group of the next coarser level that contains it.

        All are 0 if the next coarser level is the whole axis.
        """
        coarser = self.coarser(axis, level)
        if coarser is None:
            return np.zeros(self.groups(axis, level), dtype=np.int64)
        groups = self._containing_groups(axis, level, coarser[0])
        assert groups is not None, "the level refines the next coarser level"
        return groups


def containing_groups(fine: Integers, coarse: Integers) -> Integers | None:
    """Return, for every group of a fine partition, the group of a coarse partition that contains it.

    Return None if some group of the fine partition lies in more than one group of the coarse partition.
    """
    container = np.zeros(int(fine.max()) + 1, dtype=np.int64)
    container[fine] = coarse
    return container if np.array_equal(container[fine], coarse) else None


def sorted_by_group(groups: Integers) -> tuple[Integers, Integers]:
    """Return the order that puts the members of each group together, and where each group starts in that order."""
    order = np.argsort(groups, kind="stable")
    return order, np.searchsorted(groups[order], np.arange(int(groups.max()) + 1))


def _join(first: Integers, second: Integers) -> Integers:
    """Return the finest partition that both partitions refine; its groups may be numbered with gaps.

    Every category starts with its group of `first`. Then every group of either partition takes the least number of its
    categories, again and again, until nothing changes.
    """
    groups = first.copy()
    while True:
        before = groups
        for partition in (second, first):
            least = np.full(int(partition.max()) + 1, len(groups))
            np.minimum.at(least, partition, groups)
            groups = least[partition]
        if np.array_equal(groups, before):
            return groups


def taken(values: Array, index: Integers, dimension: int) -> Array:
    """Return values taken along one dimension; the values themselves if the index leaves them as they are."""
    if len(index) == values.shape[dimension] and np.array_equal(index, np.arange(len(index))):
        return values
    return values.take(index, axis=dimension)


def along(values: Array, dimension: int, dimensions: int) -> Array:
    """Return a vector shaped so that it broadcasts along one dimension of an array."""
    return values.reshape([-1 if number == dimension else 1 for number in range(dimensions)])

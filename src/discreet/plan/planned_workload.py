"""The groupings of a release as the planner sees them.

population      The people of a table: the leaves that its filter keeps. Tables of one population are fitted together
                (`reconcile.cliques`), so measurements of a population tell nothing about another one. Their groupings
                share axes; groupings of different populations share none.
overlap         A table whose categories overlap is published as it is measured. So each of its groupings is a
                population of its own, and is measured. It costs as many touches as its cells that hold one person.
levels          The levels of a dimension are one axis if they are nested: every group of a finer level lies in one
                group of each coarser level. Levels that are not nested are put on several axes. The planner then does
                not see what they tell about each other, so its errors are upper bounds.
shared cells    If all cells of a grouping are cells of another grouping (the women of a table by sex), both get the
                same noise. Then they are the same measured cells, and are paid for once.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from discreet.arrays import Integers
from discreet.plan.codebook import Codebook
from discreet.plan.determined import people, same_cells
from discreet.plan.layout import Grouping, GroupingAxis, Layout
from discreet.plan.measured_cells import MeasuredCells
from discreet.plan.planner import Workload

MOST_KINDS = 64
"""Kinds of person that are told apart. Of more, the largest numbers of cells stand for all."""

MOST_COMBINATIONS = 1_000_000
"""Combinations of leaves, apart from those that are in the same cells, that are tried."""

Slots = Sequence[tuple[int, ...]]

Partition = frozenset[frozenset[int]]
"""The groups of a level."""

AxisLevels = tuple[tuple[int, int], ...]
"""The level of each axis that tells the cells of a grouping apart."""


@dataclass(frozen=True)
class PlannedWorkload:
    """The groupings of a release as the planner sees them. Made by `planned_workload`.

    Attributes
    ----------
    layout
        The groupings of the release.
    contributions
        Most rows of one person.
    workload
        The groupings of the planner.
    index_of
        For every grouping of the layout its index in the workload.
    groups
        Sets of indices in the workload of groupings that must have one noise.
    uneven
        The name of a dimension whose levels have groups of different sizes, or are not nested; None if there is none.
    """

    layout: Layout
    contributions: int
    workload: Workload
    index_of: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    uneven: str | None

    @property
    def is_plain(self) -> bool:
        """True if one person is in one cell of each grouping, and no grouping has the cells of another one."""
        return self.workload.is_plain and not self.groups

    def exposure(self, slots: Slots) -> list[tuple[int, ...]]:
        """Return how many cells of each noise hold one person, for every kind of person who may lose most."""
        numbers = self.numbers(slots)
        return list(MeasuredCells(self.layout, numbers).touches(self.contributions).by_table)

    def numbers(self, slots: Slots) -> tuple[int | None, ...]:
        """Return for every grouping of the layout the number of its noise; None if it is not measured."""
        slot_of = {grouping: number for number, slot in enumerate(slots) for grouping in slot}
        return tuple(slot_of.get(grouping) for grouping in self.index_of)


def planned_workload(layout: Layout, contributions: int) -> PlannedWorkload:
    """Return the groupings of a release as the planner sees them.

    Parameters
    ----------
    layout
        The groupings of the release.
    contributions
        Most rows of one person.
    """
    clamped, fitted = _clamped_and_fitted(layout)
    axes = _Axes(layout, fitted)
    known: dict[tuple[object, AxisLevels], int] = {}
    members: list[int] = []
    index_of, groups, repeated = [], list[tuple[int, ...]](), set[int]()
    for index, grouping in enumerate(layout.groupings):
        own = []
        if index in fitted:
            own.append(known.setdefault((_population(grouping), axes.axis_levels(grouping)), len(known)))
        if index in clamped:
            own.append(known.setdefault((index, axes.alone(grouping)), len(known)))
        members += [index] * (len(known) - len(members))
        index_of.append(own[0])
        if len(own) > 1:
            groups.append(tuple(own))
            repeated.add(own[0])
    for inner, outer in _shared(layout, clamped):
        if index_of[inner] != index_of[outer]:
            groups.append((index_of[inner], index_of[outer]))
            repeated.add(index_of[inner])
    levels = [axes.levels(position) for _, position in known]
    numbers: dict[object, int] = {}
    populations = tuple(numbers.setdefault(population, len(numbers)) for population, _ in known)
    persons = _persons([layout.groupings[index] for index in members], layout, contributions)
    persons[:, sorted(repeated)] = 0
    rows = tuple(tuple(row) for row in np.unique(persons[persons.any(axis=1)], axis=0).tolist())
    workload = Workload(axes.sizes, tuple(levels), populations=populations, persons=rows)
    return PlannedWorkload(layout, contributions, workload, tuple(index_of), tuple(groups), axes.uneven)


def _clamped_and_fitted(layout: Layout) -> tuple[set[int], set[int]]:
    """Return the groupings of tables whose categories overlap, and the groupings of the other tables."""
    clamped, fitted = set[int](), set[int]()
    for _, indices in layout.tables:
        overlaps = any(axis.overlap > 1 for index in indices for axis in layout.groupings[index].axes)
        (clamped if overlaps else fitted).update(indices)
    return clamped, fitted


def _population(grouping: Grouping) -> object:
    return frozenset(people(grouping).items())


class _Axes:
    """The axes of all populations: for each population and dimension, one for each chain of nested levels.

    Attributes
    ----------
    sizes
        The numbers of groups of the levels of every axis, from coarse to fine, 1 first.
    uneven
        See `PlannedWorkload`.
    """

    def __init__(self, layout: Layout, fitted: set[int]) -> None:
        partitions: dict[tuple[object, str], dict[Partition, None]] = {}
        for index in sorted(fitted):
            grouping = layout.groupings[index]
            for axis in _told_apart(grouping):
                own = partitions.setdefault((_population(grouping), axis.book.name), {})
                own[frozenset(axis.members)] = None
        self.uneven: str | None = None
        self._axis_and_level: dict[tuple[object, str, Partition], tuple[int, int]] = {}
        sizes: list[tuple[int, ...]] = []
        for (population, name), grouped in partitions.items():
            chains = _chains(sorted(grouped, key=len))
            if len(chains) > 1 or any(map(_is_uneven, chains)):
                self.uneven = self.uneven or name
            for chain in chains:
                self._axis_and_level |= {
                    (population, name, level): (len(sizes), number) for number, level in enumerate(chain, 1)
                }
                sizes.append((1, *map(len, chain)))
        self._axis_alone: dict[int, int] = {}
        clamped = {grouping.size for index, grouping in enumerate(layout.groupings) if index not in fitted}
        clamped |= {layout.groupings[index].size for index in _clamped_and_fitted(layout)[0]}
        for size in sorted(clamped):
            self._axis_alone[size] = len(sizes)
            sizes.append((1, size))
        self.sizes = tuple(sizes)

    def axis_levels(self, grouping: Grouping) -> AxisLevels:
        """Return the axes and levels of a grouping that is fitted."""
        population = _population(grouping)
        return tuple(
            sorted(
                self._axis_and_level[population, axis.book.name, frozenset(axis.members)]
                for axis in _told_apart(grouping)
            )
        )

    def alone(self, grouping: Grouping) -> AxisLevels:
        """Return the axis and level of a grouping that is a population of its own."""
        return ((self._axis_alone[grouping.size], 1),)

    def levels(self, axis_levels: AxisLevels) -> tuple[int, ...]:
        """Return the level of every axis."""
        level_of = dict(axis_levels)
        return tuple(level_of.get(axis, 0) for axis in range(len(self.sizes)))


def _told_apart(grouping: Grouping) -> list[GroupingAxis]:
    """Return the axes with two groups or more."""
    return [axis for axis in grouping.axes if len(axis.members) > 1]


def _chains(partitions: Sequence[Partition]) -> list[list[Partition]]:
    """Return partitions, which are given from coarse to fine, as chains of nested levels."""
    chains: list[list[Partition]] = []
    for partition in partitions:
        chain = next((chain for chain in chains if _is_nested(chain[-1], partition)), None)
        if chain is None:
            chains.append([partition])
        else:
            chain.append(partition)
    return chains


def _is_nested(coarse: Partition, fine: Partition) -> bool:
    """Return True if every group of the fine level lies in one group of the coarse level."""
    group_of = {leaf: number for number, group in enumerate(coarse) for leaf in group}
    return all(len({group_of[leaf] for leaf in group}) == 1 for group in fine)


def _is_uneven(chain: Sequence[Partition]) -> bool:
    """Return True if groups of a level have different numbers of groups of the next level."""
    return any(len({sum(group <= whole for group in fine) for whole in coarse}) > 1 for coarse, fine in pairwise(chain))


def _shared(layout: Layout, clamped: set[int]) -> list[tuple[int, int]]:
    """Return pairs of groupings: all cells of the first are cells of the second, of another table or population."""
    if not clamped and len({_population(grouping) for grouping in layout.groupings}) == 1:
        return [(index, group[0]) for group in same_cells(layout) for index in group[1:]]
    indices = layout.cells.indices
    sizes, firsts = np.array([len(cells) for cells in indices]), np.array([cells[0] for cells in indices])
    outer_of: dict[int, int] = {}
    for outer in np.argsort(-sizes, kind="stable").tolist():
        is_inside = np.zeros(len(layout.cells.definitions), dtype=bool)
        is_inside[indices[outer]] = True
        later = (sizes < sizes[outer]) | ((sizes == sizes[outer]) & (np.arange(len(sizes)) > outer))
        for inner in np.flatnonzero(is_inside[firsts] & later).tolist():
            if is_inside[indices[inner]].all():
                outer_of.setdefault(inner, outer)
    return sorted(outer_of.items())


def _persons(groupings: Sequence[Grouping], layout: Layout, contributions: int) -> Integers:
    """Return how many cells of every grouping hold one person, in a row for every kind of person.

    If a person may have several rows, these may be in different cells, so every family of disjoint cells counts.
    """
    if contributions > 1:
        return np.array([[math.prod(axis.families for axis in grouping.axes) for grouping in groupings]])
    factors = [_by_leaf(groupings, book) for book in layout.books]
    kinds = [np.unique(by_leaf, axis=0) for by_leaf in factors]
    if math.prod(map(len, kinds)) > MOST_COMBINATIONS:
        return np.array([[grouping.multiplicity for grouping in groupings]])
    rows: Integers = np.ones((1, len(groupings)), dtype=np.int64)
    for of_dimension in kinds:
        rows = np.unique((rows[:, None, :] * of_dimension[None, :, :]).reshape(-1, len(groupings)), axis=0)
        rows = _largest(rows)
    return rows


def _by_leaf(groupings: Sequence[Grouping], book: Codebook) -> Integers:
    """Return for every leaf of a dimension in how many groups of each grouping it is."""
    by_leaf = np.ones((len(book.leaves), len(groupings)), dtype=np.int64)
    for number, grouping in enumerate(groupings):
        for axis in grouping.axes:
            if axis.book is book:
                by_leaf[:, number] = np.bincount(axis.pairs[1], minlength=len(book.leaves))
        for other, leaves in grouping.within:
            if other is book:
                by_leaf[:, number] = np.isin(np.arange(len(book.leaves)), list(leaves))
    return by_leaf


def _largest(rows: Integers) -> Integers:
    """Return the rows that no other row exceeds everywhere. If there are many, one row with the largest numbers."""
    kept: list[Integers] = []
    for row in rows[np.argsort(-rows.sum(axis=1), kind="stable")]:
        if not any((row <= other).all() for other in kept):
            kept.append(row)
        if len(kept) > MOST_KINDS:
            return np.asarray(np.max(rows, axis=0, keepdims=True))
    return np.array(kept)

"""Which cells of a published table or margin make up every cell of another table.

A cell is a population: a set of leaves for each of some dimensions. A published grouping determines the cell if, for
every dimension, the set is a union of disjoint groups of the grouping; for a dimension that the grouping does not have,
the set has to be the leaves that the filter of the grouping keeps (all leaves, without a filter).

Of all groupings that determine a table, the one with the fewest cells to add up is taken, and of these the first. So a
published table is shown as it is published, and a sum has as little noise as sums of this release can have.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.infer.any_table.table_question import ResolvedAxis, restriction
from discreet.plan.layout import Grouping, GroupingAxis

_Number = TypeVar("_Number", np.int64, np.float64)

Population = ResolvedAxis | frozenset[int] | None
"""What a table wants of a dimension: the groups of an axis, the leaves that count, or None for all leaves."""


@dataclass(frozen=True, eq=False)
class Picked:
    """The groups of one axis of a grouping that make up each group of another axis.

    Attributes
    ----------
    flat
        The indices of the groups, for one group of the other axis after another.
    sizes
        How many there are for each.
    """

    flat: Integers
    sizes: Integers

    @cached_property
    def starts(self) -> Integers:
        """Where the groups of each begin in `flat`."""
        starts: Integers = np.cumsum(self.sizes) - self.sizes
        return starts

    def of(self, number: int) -> Integers:
        """Return the indices for one group of the other axis."""
        start = int(self.starts[number])
        return self.flat[start : start + int(self.sizes[number])]

    def is_identity(self, side: int) -> bool:
        """Return True if every group is one of `side` groups, in the same order."""
        return len(self.sizes) == len(self.flat) == side and np.array_equal(self.flat, np.arange(side))


@dataclass(frozen=True, eq=False)
class CellSums:
    """How every cell of a table is added up from the cells of a grouping.

    Attributes
    ----------
    picked
        For every axis of the grouping, the groups that are added up.
    order
        For every axis of the table its number among the axes of the grouping; None for an axis of one group, which the
        grouping does not have.
    """

    picked: tuple[Picked, ...]
    order: tuple[int | None, ...]

    @property
    def cost(self) -> int:
        """The number of cells that are added up, over all cells of the table."""
        cost = 1
        for own in self.picked:
            cost *= len(own.flat)
        return cost

    @property
    def numbers(self) -> Integers:
        """For every cell of the table, how many cells are added up."""
        sizes: Integers = np.ones((), dtype=np.int64)
        for own in self.picked:
            sizes = np.multiply.outer(sizes, own.sizes)
        return self.arranged(sizes)

    def summed(self, values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
        """Return the sums of numbers of the grouping, in the shape of the table."""
        axes = sorted(range(len(self.picked)), key=lambda axis: len(self.picked[axis].sizes) - values.shape[axis])
        for axis in axes:
            own = self.picked[axis]
            if not own.is_identity(values.shape[axis]):
                values = values.take(own.flat, axis=axis)
            if len(own.flat) > len(own.sizes):
                values = np.add.reduceat(values, own.starts, axis=axis)
        return self.arranged(values)

    def taken(self, values: Integers) -> Integers:
        """Return the number of the first cell that is added up, in the shape of the table."""
        for axis, own in enumerate(self.picked):
            if not own.is_identity(values.shape[axis]):
                values = values.take(own.flat[own.starts], axis=axis)
        return self.arranged(values)

    def arranged(self, values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
        """Return numbers whose axes are those of the grouping with the axes of the table."""
        of_table: list[int] = [axis for axis in self.order if axis is not None]
        others: list[int] = [axis for axis in range(len(self.picked)) if axis not in of_table]
        shape = [1 if axis is None else len(self.picked[axis].sizes) for axis in self.order]
        return np.transpose(values, [*of_table, *others]).reshape(shape)


def cell_sums(
    grouping: Grouping, axes: Sequence[ResolvedAxis], within: Mapping[str, frozenset[int] | None]
) -> CellSums | None:
    """Return how the cells of a table are added up from the cells of a grouping; None if they cannot be.

    Parameters
    ----------
    grouping
        A published grouping.
    axes
        The axes of the table.
    within
        The leaves that count, for dimensions that are no axis. All leaves count in a dimension that is not named.
    """
    by_name = {axis.book.name: axis for axis in axes}
    own_names = [axis.book.name for axis in grouping.axes]
    filters = {book.name: restriction(book, leaves) for book, leaves in grouping.within}
    for name in {*by_name, *within, *filters} - {*own_names}:
        if not filter_determines(filters.get(name), by_name.get(name, within.get(name))):
            return None
    picked = []
    for axis in grouping.axes:
        name = axis.book.name
        own = _picked_population(axis, by_name.get(name, within.get(name)))
        if own is None:
            return None
        picked.append(own)
    order = tuple(own_names.index(axis.book.name) if axis.book.name in own_names else None for axis in axes)
    return CellSums(tuple(picked), order)


def filter_determines(kept: frozenset[int] | None, population: Population) -> bool:
    """Return True if a grouping without an axis for a dimension has what a table wants of the dimension.

    Parameters
    ----------
    kept
        The leaves that the filter of the grouping keeps; None for all leaves.
    population
        What the table wants.
    """
    if isinstance(population, ResolvedAxis):
        return len(population.labels) == 1 and population.everyone == kept
    return population == kept


def axis_determines(axis: GroupingAxis, population: Population) -> bool:
    """Return True if sums of groups of an axis are what a table wants of its dimension."""
    return _picked_population(axis, population) is not None


def _picked_population(axis: GroupingAxis, population: Population) -> Picked | None:
    if isinstance(population, ResolvedAxis):
        return _picked(axis, population.members)
    return _picked_one(axis, population)


def _picked_one(axis: GroupingAxis, leaves: frozenset[int] | None) -> Picked | None:
    """Return the groups of an axis that make up one set of leaves. None stands for all leaves."""
    if leaves is None and axis.overlap == 1:
        is_all = len(axis.pairs[1]) == len(axis.book.leaves)
        return Picked(np.arange(len(axis.labels)), np.array([len(axis.labels)])) if is_all else None
    return _picked(axis, [frozenset(range(len(axis.book.leaves))) if leaves is None else leaves])


def _picked(axis: GroupingAxis, groups: Iterable[frozenset[int]]) -> Picked | None:
    """Return the groups of an axis that make up each of some sets of leaves; None if one of them is no such union."""
    if groups == axis.members:
        return Picked(np.arange(len(axis.labels)), np.ones(len(axis.labels), dtype=np.int64))
    if axis.overlap > 1:
        numbers = {leaves: number for number, leaves in reversed(list(enumerate(axis.members)))}
        equal = [numbers.get(leaves) for leaves in groups]
        flat = [number for number in equal if number is not None]
        return Picked(np.array(flat), np.ones(len(flat), dtype=np.int64)) if len(flat) == len(equal) else None
    of_groups, leaves_of_groups = axis.pairs
    group_of = np.full(len(axis.book.leaves), -1)
    group_of[leaves_of_groups] = of_groups
    sizes = np.bincount(of_groups)
    unions = []
    for leaves in groups:
        own = np.unique(group_of[np.fromiter(leaves, np.int64, len(leaves))])
        if own[0] < 0 or sizes[own].sum() != len(leaves):
            return None
        unions.append(own)
    return Picked(np.concatenate(unions), np.array([len(own) for own in unions]))

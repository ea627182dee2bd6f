"""Which tables of a release are reconciled together, and the axes and levels of their groupings.

Tables of the same population (the same filter) form a **part**: they are reconciled together and agree in every cell
they share. The axes of a part are the dimensions of its tables; a table of all axes is never made. The unknowns are the
cells of its **cliques**: the tables that no other table of the part contains.

    axis        a dimension; its categories are sets of leaves that no table of the part tells apart
    level       a coarser partition of the categories of an axis
    key         names a grouping by pairs (axis, level); level None is the axis itself

Parts of different populations are reconciled one after the other. A later part takes over cells that an earlier part
has settled, if their groupings nest.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from discreet.arrays import Integers
from discreet.plan.codebook import Groups
from discreet.plan.layout import Grouping, Layout
from discreet.reconcile.axes import Array, Key, containing_groups
from discreet.reconcile.problem import Naming


@dataclass(frozen=True)
class Part:
    """Tables that are reconciled together.

    Attributes
    ----------
    tables, grouping_indices
        The indices of the tables, and of their groupings, in the layout.
    dimensions, axes
        For each axis, the name of its dimension, and the leaves of each category.
    levels
        For each axis its coarser levels: the group of each category.
    keys
        For each grouping index the key, with axes in the order of the grouping.
    population
        The leaves that the filter keeps, by dimension.
    """

    tables: tuple[int, ...]
    grouping_indices: tuple[int, ...]
    dimensions: tuple[str, ...]
    axes: tuple[Groups, ...]
    levels: Mapping[int, Mapping[Hashable, Integers]]
    keys: Mapping[int, Key]
    population: Mapping[str, frozenset[int]]

    def shape(self, key: Key) -> tuple[int, ...]:
        """Return the number of groups of each axis of a key."""
        return tuple(
            len(self.axes[axis]) if level is None else int(self.levels[axis][level].max()) + 1 for axis, level in key
        )

    @cached_property
    def distinct(self) -> dict[Key, int]:
        """The index of the first grouping of every key, with the axes of the key in order."""
        pairs = sorted(((index, in_order(key)) for index, key in self.keys.items()), reverse=True)
        return {key: index for index, key in pairs}

    def in_axis_order(self, index: int, values: Array) -> Array:
        """Return the numbers of a grouping with its axes in the order of the part's axes."""
        return values.transpose(self._axis_order(index)) if len(self.keys[index]) > 1 else values

    def by_grouping(self, by_key: Mapping[Key, Array]) -> dict[int, Array]:
        """Return the numbers of every grouping index, from numbers by key, with axes in the order of the grouping."""
        by_index = {}
        for index, key in self.keys.items():
            values = np.asarray(by_key[in_order(key)])
            by_index[index] = values.transpose(np.argsort(self._axis_order(index))) if len(key) > 1 else values
        return by_index

    def _axis_order(self, index: int) -> Integers:
        return np.argsort([axis for axis, _ in self.keys[index]], kind="stable")

    def containing_cells(self, fine: Key, coarse: Key) -> Integers | None:
        """Return, for every cell of a grouping, the index of the cell of a coarser grouping that contains it.

        Return None if some cell lies in more than one cell of the other grouping.
        """
        levels = dict(fine)
        if not set(dict(coarse)) <= set(levels):
            return None
        shape = self.shape(fine)
        coordinates = np.unravel_index(np.arange(math.prod(shape)), shape) if shape else ()
        dimension_of = {axis: dimension for dimension, (axis, _) in enumerate(fine)}
        index = np.zeros(math.prod(shape), dtype=np.int64)
        for (axis, level), side in zip(coarse, self.shape(coarse), strict=True):
            groups = containing_groups(self._partition(axis, levels[axis]), self._partition(axis, level))
            if groups is None:
                return None
            index = index * side + groups[coordinates[dimension_of[axis]]]
        return index

    def adds_up(self, fine: tuple[int, Integers], coarse: tuple[int, Integers]) -> bool:
        """Return True if the counts of a grouping add up to the counts of a coarser one; both are (index, counts)."""
        cells = self.containing_cells(self.keys[fine[0]], self.keys[coarse[0]])
        return cells is not None and np.array_equal(np.bincount(cells, fine[1], minlength=len(coarse[1])), coarse[1])

    def _partition(self, axis: int, level: Hashable) -> Integers:
        return np.arange(len(self.axes[axis])) if level is None else self.levels[axis][level]

    def chain(self, indices: Sequence[int]) -> list[int] | None:
        """Return groupings from coarse to fine if each contains the next; None otherwise."""
        order = sorted(indices, key=lambda index: (math.prod(self.shape(self.keys[index])), len(self.keys[index])))
        nested = all(
            self.containing_cells(self.keys[fine], self.keys[coarse]) is not None for coarse, fine in pairwise(order)
        )
        return order if nested else None

    def naming(self) -> Naming:
        """Return how error messages name groupings of the part: by the names of their dimensions."""

        def margin(key: Key) -> str:
            return " by ".join(self.dimensions[axis] for axis, _ in key) or "the total"

        return Naming(margin, lambda key, index: f"cell {index} of {margin(key)}" if key else "the total")


def in_order(key: Key) -> Key:
    """Return a key with its axes in order."""
    return tuple(sorted(key, key=lambda pair: pair[0]))


def parts(layout: Layout, together: bool = True) -> tuple[list[Part], list[int]]:
    """Return the parts of a release, and the tables that cannot add up because their categories overlap.

    Parts of larger populations come first: later parts take over what earlier parts settle.

    Parameters
    ----------
    layout
        The groupings and tables of the release.
    together
        Put tables of the same population into one part. If False, every table is a part.
    """
    parts: list[Part] = []
    overlapping = []
    for table, (_, grouping_indices) in enumerate(layout.tables):
        if any(axis.overlap > 1 for index in grouping_indices for axis in layout.groupings[index].axes):
            overlapping.append(table)
            continue
        alone = _part(layout, (table,))
        for number, part in enumerate(parts if together else ()):
            if part.population == alone.population:
                parts[number] = _part(layout, (*part.tables, table))
                break
        else:
            parts.append(alone)
    return sorted(parts, key=lambda part: len(part.population)), overlapping


def _part(layout: Layout, tables: tuple[int, ...]) -> Part:
    """Return the part of some tables."""
    indices = tuple(dict.fromkeys(index for table in tables for index in layout.tables[table][1]))
    groupings = {index: layout.groupings[index] for index in indices}
    all_axes = [grouping_axis for grouping in groupings.values() for grouping_axis in grouping.axes]
    used = {grouping_axis.book.name for grouping_axis in all_axes}
    dimensions = tuple(book.name for book in layout.books if book.name in used)
    axes: list[Groups] = []
    levels: dict[int, dict[Hashable, Integers]] = {}
    pair_of: dict[tuple[str, Groups], tuple[int, Hashable]] = {}
    for axis, name in enumerate(dimensions):
        of_dimension = [grouping_axis.members for grouping_axis in all_axes if grouping_axis.book.name == name]
        partitions = list(dict.fromkeys(of_dimension))
        atoms = _atoms(partitions)
        axes.append(atoms)
        levels[axis] = {}
        for number, partition in enumerate(partitions):
            pair_of[name, partition] = (axis, None if partition == atoms else number)
            if partition != atoms:
                levels[axis][number] = _groups(atoms, partition)
    keys = {
        index: tuple(pair_of[grouping_axis.book.name, grouping_axis.members] for grouping_axis in grouping.axes)
        for index, grouping in groupings.items()
    }
    return Part(tables, indices, dimensions, tuple(axes), levels, keys, _population(layout, tables[0]))


def _atoms(partitions: Sequence[Groups]) -> Groups:
    """Return the coarsest partition that refines all partitions; one of them, in its own order, if that one does."""
    if len(partitions) == 1:
        return partitions[0]
    groups_of = [
        {leaf: group for group, members in enumerate(partition) for leaf in members} for partition in partitions
    ]
    leaves_of: dict[tuple[int, ...], set[int]] = {}
    for leaf in sorted(groups_of[0]):
        leaves_of.setdefault(tuple(group_of[leaf] for group_of in groups_of), set()).add(leaf)
    atoms = tuple(frozenset(leaves) for leaves in leaves_of.values())
    return next((partition for partition in partitions if set(partition) == set(atoms)), atoms)


def _groups(atoms: Groups, partition: Groups) -> Integers:
    """Return the group of a partition that contains each atom."""
    group_of = {leaf: group for group, members in enumerate(partition) for leaf in members}
    return np.array([group_of[next(iter(atom))] for atom in atoms], dtype=np.int64)


def _population(layout: Layout, table: int) -> dict[str, frozenset[int]]:
    """Return the leaves that a table's filter keeps, for each dimension that it filters on."""
    spec, grouping_indices = layout.tables[table]
    finest: Grouping = layout.groupings[grouping_indices[0]]
    kept = dict(finest.within)
    kept |= {axis.book: frozenset(axis.pairs[1].tolist()) for axis in finest.axes if axis.book.name in spec.filter}
    return {book.name: leaves for book, leaves in kept.items() if len(leaves) < len(book.leaves)}

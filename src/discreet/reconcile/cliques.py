"""Which tables are made to add up together, and the axes and levels of their groupings.

Tables of the same population (the same filter) are reconciled together and agree in every cell they share. Their
axes are the dimensions of all of them; a table of all axes is never made:

    axis        the leaves of a dimension, put together where no table tells them apart
    key         of a grouping: the axes it keeps, each as (axis, level), level None being the axis itself

Where populations differ, tables are reconciled one after the other, and cells that are settled already are taken over
where they nest.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.plan.codebook import Groups
from discreet.plan.layout import Grouping, Layout

Key = tuple[tuple[int, Hashable], ...]


@dataclass(frozen=True)
class Part:
    """Tables that are reconciled together.

    Attributes
    ----------
    tables, places
        Their numbers, and those of their groupings.
    names, axes
        The name of each axis's dimension, and the leaves of each of its categories.
    levels
        For each axis its coarser levels: the category of the level that each category of the axis is in.
    keys
        For each grouping, the axes it keeps, in its own order.
    population
        The leaves that the filter leaves, by dimension.
    """

    tables: tuple[int, ...]
    places: tuple[int, ...]
    names: tuple[str, ...]
    axes: tuple[Groups, ...]
    levels: Mapping[int, Mapping[Hashable, Integers]]
    keys: Mapping[int, Key]
    population: Mapping[str, frozenset[int]]

    def shape(self, key: Key) -> tuple[int, ...]:
        """How many categories each axis of a key has."""
        return tuple(
            len(self.axes[axis]) if level is None else int(self.levels[axis][level].max()) + 1 for axis, level in key
        )

    @cached_property
    def distinct(self) -> dict[Key, int]:
        """Every grouping once, by its key in the order of the axes, and its first place."""
        return {key: place for place, key in sorted(((p, in_order(k)) for p, k in self.keys.items()), reverse=True)}

    def turned(self, place: int, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Numbers of a grouping with its axes in the order of the part's."""
        return values.transpose(self._order(place)) if len(self.keys[place]) > 1 else values

    def back(self, made: Mapping[Key, Any]) -> dict[int, npt.NDArray[Any]]:
        """The numbers of every grouping with its axes in its own order, from those by key."""
        found = {}
        for place, key in self.keys.items():
            values = np.asarray(made[in_order(key)])
            found[place] = values.transpose(np.argsort(self._order(place))) if len(key) > 1 else values
        return found

    def _order(self, place: int) -> Integers:
        return np.argsort([axis for axis, _ in self.keys[place]], kind="stable")

    def holders(self, fine: Key, coarse: Key) -> Integers | None:
        """For every cell of one grouping the cell of a coarser one that holds it; None where there is not one."""
        kept = dict(fine)
        if not set(dict(coarse)) <= set(kept):
            return None
        shape = self.shape(fine)
        at = np.unravel_index(np.arange(math.prod(shape)), shape) if shape else ()
        place = np.zeros(math.prod(shape), dtype=np.int64)
        for (axis, level), side in zip(coarse, self.shape(coarse), strict=True):
            categories = np.arange(len(self.axes[axis]))
            own = categories if kept[axis] is None else self.levels[axis][kept[axis]]
            other = categories if level is None else self.levels[axis][level]
            to = np.zeros(int(own.max()) + 1, dtype=np.int64)
            to[own] = other
            if not np.array_equal(to[own], other):
                return None
            place = place * side + to[at[[name for name, _ in fine].index(axis)]]
        return place

    def chain(self, places: Sequence[int]) -> list[int] | None:
        """The groupings from coarse to fine, if each holds the next; None otherwise."""
        order = sorted(places, key=lambda place: (math.prod(self.shape(self.keys[place])), len(self.keys[place])))
        nested = all(self.holders(self.keys[fine], self.keys[coarse]) is not None for coarse, fine in pairwise(order))
        return order if nested else None


def in_order(key: Key) -> Key:
    """A key with its axes in the order of the part's."""
    return tuple(sorted(key, key=lambda pair: pair[0]))


def parts(layout: Layout, together: bool = True) -> tuple[list[Part], list[int]]:
    """The parts of a release, and the tables that cannot add up because categories overlap."""
    found: list[Part] = []
    overlapping = []
    for number, (_, places) in enumerate(layout.tables):
        if any(side.overlap > 1 for place in places for side in layout.groupings[place].axes):
            overlapping.append(number)
            continue
        alone = _part(layout, (number,))
        for at, part in enumerate(found if together else ()):
            if part.population == alone.population:
                found[at] = _part(layout, (*part.tables, number))
                break
        else:
            found.append(alone)
    return sorted(found, key=_filtered), overlapping


def _filtered(part: Part) -> int:
    """Parts of the whole population come first: what is settled there is taken over by those of parts of it."""
    return len(part.population)


def _part(layout: Layout, tables: tuple[int, ...]) -> Part:
    places = tuple(dict.fromkeys(place for table in tables for place in layout.tables[table][1]))
    groupings = {place: layout.groupings[place] for place in places}
    sides = {side.book.name: side.book for grouping in groupings.values() for side in grouping.axes}
    names = tuple(book.name for book in layout.books if book.name in sides)
    axes: list[Groups] = []
    levels: dict[int, dict[Hashable, Integers]] = {}
    lookup: dict[tuple[str, Groups], tuple[int, Hashable]] = {}
    for axis, name in enumerate(names):
        ways = list(dict.fromkeys(s.members for g in groupings.values() for s in g.axes if s.book.name == name))
        atoms = _atoms(ways)
        axes.append(atoms)
        levels[axis] = {number: _groups(atoms, way) for number, way in enumerate(ways) if way != atoms}
        lookup.update({(name, way): (axis, None if way == atoms else number) for number, way in enumerate(ways)})
    keys = {
        place: tuple(lookup[side.book.name, side.members] for side in grouping.axes)
        for place, grouping in groupings.items()
    }
    return Part(tables, places, names, tuple(axes), levels, keys, _population(layout, tables[0]))


def _atoms(ways: Sequence[Groups]) -> Groups:
    """The coarsest partition that refines all of them; one of them, in its order, if it does."""
    if len(ways) == 1:
        return ways[0]
    together: dict[tuple[int, ...], set[int]] = {}
    of = [{leaf: group for group, members in enumerate(way) for leaf in members} for way in ways]
    for leaf in sorted(of[0]):
        together.setdefault(tuple(groups[leaf] for groups in of), set()).add(leaf)
    atoms = tuple(frozenset(leaves) for leaves in together.values())
    return next((way for way in ways if set(way) == set(atoms)), atoms)


def _groups(atoms: Groups, way: Groups) -> Integers:
    """The group of a way that holds each atom."""
    group = {leaf: at for at, members in enumerate(way) for leaf in members}
    return np.array([group[next(iter(atom))] for atom in atoms], dtype=np.int64)


def _population(layout: Layout, table: int) -> dict[str, frozenset[int]]:
    """What a table's filter leaves of each dimension that it filters on."""
    spec, places = layout.tables[table]
    finest: Grouping = layout.groupings[places[0]]
    inside = dict(finest.within)
    inside |= {side.book: frozenset(side.pairs[1].tolist()) for side in finest.axes if side.book.name in spec.filter}
    return {book.name: members for book, members in inside.items() if len(members) < len(book.leaves)}

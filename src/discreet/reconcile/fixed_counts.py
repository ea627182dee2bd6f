"""Where counts that are public from elsewhere (`plan.fixed`) stand in the tables that are made to add up."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.plan.fixed import FixedCount
from discreet.plan.layout import Grouping
from discreet.reconcile.cliques import Key, Part


def within(one: FixedCount, part: Part) -> dict[int, frozenset[int]] | None:
    """The categories of each axis that a literal is about; None where it says nothing of the part's cells.

    A literal of the whole axis is not about it. A count says something only of just those people, a zero of all who are
    among them.
    """
    axes = {name: axis for axis, name in enumerate(part.names)}
    whole = one.count > 0
    if whole and any(name not in one.leaves for name in part.population):
        return None
    found = {}
    for name, leaves in one.leaves.items():
        inside = part.population.get(name)
        if name not in axes:
            if inside is None or not inside <= leaves or (whole and inside != leaves):
                return None
            continue
        atoms = part.axes[axes[name]]
        chosen = frozenset(at for at, atom in enumerate(atoms) if atom <= leaves)
        if not chosen or (whole and frozenset().union(*(atoms[at] for at in chosen)) != leaves):
            return None
        if len(chosen) < len(atoms):
            found[axes[name]] = chosen
    return found


def in_cube(literals: Sequence[FixedCount], part: Part) -> tuple[dict[Key, dict[tuple[int, ...], int]], dict[int, Any]]:
    """Literals as `fixed` of a cube, and its levels, with those that the literals need."""
    levels: dict[int, dict[Hashable, Integers]] = {axis: dict(named) for axis, named in part.levels.items()}
    fixed: dict[Key, dict[tuple[int, ...], int]] = {}
    for number, one in enumerate(literals):
        chosen = within(one, part)
        if chosen is None:
            continue
        pairs, places = [], []
        for axis, categories in sorted(chosen.items()):
            level, place = _group(axis, categories, levels.setdefault(axis, {}), len(part.axes[axis]), number)
            pairs.append((axis, level))
            places.append(place)
        fixed.setdefault(tuple(pairs), {})[tuple(places)] = one.count
    return fixed, levels


def _group(
    axis: int, categories: frozenset[int], levels: dict[Hashable, Integers], size: int, number: int
) -> tuple[Hashable, int]:
    """The level of an axis that has these categories as one group, and the group; a new level if none does."""
    if len(categories) == 1:
        return None, next(iter(categories))
    inside = np.array([category in categories for category in range(size)])
    for name, groups in levels.items():
        here = np.unique(groups[inside])
        if len(here) == 1 and np.array_equal(groups == here[0], inside):
            return name, int(here[0])
    levels["fixed", number] = inside.astype(np.int64)
    return ("fixed", number), 1


def at(literals: Sequence[FixedCount], grouping: Grouping) -> Iterator[tuple[FixedCount, npt.NDArray[np.bool_]]]:
    """Each literal that is about cells of a grouping, and which of them."""
    inside = {book.name: members for book, members in grouping.within}
    names = [side.book.name for side in grouping.axes]
    for one in literals:
        whole = one.count > 0
        if any(name not in names and name not in inside for name in one.leaves):
            continue
        if any(
            not members <= one.leaves.get(name, members) or (whole and one.leaves.get(name) != members)
            for name, members in inside.items()
        ):
            continue
        cells = np.ones(grouping.shape, dtype=bool)
        for axis, side in enumerate(grouping.axes):
            everyone = frozenset(range(len(side.book.leaves)))
            leaves = one.leaves.get(side.book.name, everyone)
            here = np.array([members == leaves if whole else members <= leaves for members in side.members])
            cells &= here.reshape([-1 if place == axis else 1 for place in range(len(names))])
        if cells.any():
            yield one, cells

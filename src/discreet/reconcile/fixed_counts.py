"""Find the cells that public counts (`plan.fixed`) are about, in the tables that are made to add up.

A literal gives a count for a population. A count above 0 is about exactly these people. A zero is also about every
group of people among them.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.arrays import Booleans, Integers
from discreet.errors import SpecError
from discreet.plan.fixed import FixedCount
from discreet.plan.layout import Grouping
from discreet.plan.measured_cells import MeasuredCells
from discreet.reconcile.axes import Key, along
from discreet.reconcile.cliques import Part

FixedCells = dict[Key, dict[tuple[int, ...], int]]
"""For each key, fixed counts by index."""


def categories_of(literal: FixedCount, part: Part) -> dict[int, frozenset[int]] | None:
    """Return the categories that a literal is about, by axis; None if it is not about cells of the part.

    Axes are left out if the literal is about all their categories.
    """
    exact = literal.count > 0
    if exact and any(name not in literal.leaves for name in part.population):
        return None
    categories = {}
    for name, leaves in literal.leaves.items():
        if name not in part.dimensions:
            kept = part.population.get(name)
            if kept is None or not kept <= leaves or (exact and kept != leaves):
                return None
            continue
        axis = part.dimensions.index(name)
        atoms = part.axes[axis]
        chosen = frozenset(category for category, atom in enumerate(atoms) if atom <= leaves)
        if not chosen or (exact and frozenset().union(*(atoms[category] for category in chosen)) != leaves):
            return None
        if len(chosen) < len(atoms):
            categories[axis] = chosen
    return categories


def fixed_in_cube(literals: Sequence[FixedCount], part: Part) -> tuple[FixedCells, dict[int, dict[Hashable, Integers]]]:
    """Return literals as the argument `fixed` of a cube, and the levels of the cube with those the literals need."""
    levels: dict[int, dict[Hashable, Integers]] = {axis: dict(names) for axis, names in part.levels.items()}
    fixed: FixedCells = {}
    for number, literal in enumerate(literals):
        categories = categories_of(literal, part)
        if categories is None:
            continue
        key, index = [], []
        for axis, chosen in sorted(categories.items()):
            level, group = _level_with_group(chosen, levels.setdefault(axis, {}), len(part.axes[axis]), number)
            key.append((axis, level))
            index.append(group)
        fixed.setdefault(tuple(key), {})[tuple(index)] = literal.count
    return fixed, levels


def _level_with_group(
    categories: frozenset[int], levels: dict[Hashable, Integers], size: int, number: int
) -> tuple[Hashable, int]:
    """Return the level of an axis that has these categories as one group, and the group.

    Add a level, named by the number of the literal, if no level has such a group.
    """
    if len(categories) == 1:
        return None, next(iter(categories))
    inside = np.array([category in categories for category in range(size)])
    for level, partition in levels.items():
        groups = np.unique(partition[inside])
        if len(groups) == 1 and np.array_equal(partition == groups[0], inside):
            return level, int(groups[0])
    levels["fixed", number] = inside.astype(np.int64)
    return ("fixed", number), 1


def combined_fixed(settled: Mapping[Key, Integers], literals: FixedCells) -> dict[Key, Any]:
    """Return settled numbers and literals as the argument `fixed` of a cube; a literal replaces a settled number."""
    if not literals:
        return dict(settled)
    fixed: dict[Key, Any] = {
        key: {index: int(values[index]) for index in np.ndindex(values.shape)} for key, values in settled.items()
    }
    for key, counts in literals.items():
        fixed[key] = {**fixed.get(key, {}), **counts}
    return fixed


def cells_of(literals: Sequence[FixedCount], grouping: Grouping) -> Iterator[tuple[FixedCount, Booleans]]:
    """Yield each literal that is about cells of a grouping, with a mask of these cells."""
    filtered = {book.name: members for book, members in grouping.within}
    names = [axis.book.name for axis in grouping.axes]
    for literal in literals:
        exact = literal.count > 0
        if any(name not in names and name not in filtered for name in literal.leaves):
            continue
        if any(
            not members <= literal.leaves.get(name, members) or (exact and literal.leaves.get(name) != members)
            for name, members in filtered.items()
        ):
            continue
        cells = np.ones(grouping.shape, dtype=bool)
        for dimension, axis in enumerate(grouping.axes):
            everyone = frozenset(range(len(axis.book.leaves)))
            leaves = literal.leaves.get(axis.book.name, everyone)
            chosen = np.array([members == leaves if exact else members <= leaves for members in axis.members])
            cells &= along(chosen, dimension, len(names))
        if cells.any():
            yield literal, cells


def parts_of(literal: FixedCount, grouping: Grouping) -> Booleans | None:
    """Return a mask of the cells of a grouping that make up exactly the people of a literal, each person once.

    Return None if no cells do. Where categories overlap, a category that is exactly these people goes before a sum.
    """
    names = [axis.book.name for axis in grouping.axes]
    filtered = {book.name: (members, frozenset(range(len(book.leaves)))) for book, members in grouping.within}
    if any(name not in names and name not in filtered for name in literal.leaves):
        return None
    if any(literal.leaves.get(name, everyone) != members for name, (members, everyone) in filtered.items()):
        return None
    parts = np.ones(grouping.shape, dtype=bool)
    for dimension, axis in enumerate(grouping.axes):
        leaves = literal.leaves.get(axis.book.name, frozenset(range(len(axis.book.leaves))))
        is_whole = leaves in axis.members
        chosen = [members == leaves if is_whole else members <= leaves for members in axis.members]
        inside = [members for members, is_chosen in zip(axis.members, chosen, strict=True) if is_chosen]
        if frozenset().union(*inside) != leaves or sum(map(len, inside)) != len(leaves):
            return None
        parts &= along(np.array(chosen), dimension, len(names))
    return parts


def is_about(literal: FixedCount, part: Part) -> bool:
    """Return True if a literal is about cells of the part."""
    return categories_of(literal, part) is not None


def require_comparable(literals: Sequence[FixedCount], measured: MeasuredCells, parts: Sequence[Part]) -> None:
    """Raise SpecError if a literal is about nothing that is published, or if no measured cells show that it is wrong.

    A literal above 0 that differs from the microdata, as the specification says, needs no measured cells.
    """
    layout = measured.layout
    for literal in literals:
        shown = any(True for grouping in layout.groupings for _ in cells_of([literal], grouping))
        summed = literal.count > 0 and any(is_about(literal, part) for part in parts)
        if not shown and not summed:
            raise SpecError(
                f"fixed gives {literal.count} for {literal.text}, who are no published cell, and no sum of such cells;"
                " leave it out, or publish the margin",
                literal.yaml_path,
            )
        groupings = (layout.groupings[index] for index in measured.groupings)
        if literal.count and literal.differs is None and all(parts_of(literal, each) is None for each in groupings):
            raise SpecError(
                f"fixed gives {literal.count} for {literal.text}, and no measured cells make up exactly these people,"
                " so a mistake in the count would not be noticed; leave it out, measure a table that has them as cells,"
                " or state under differs why the microdata have another count",
                literal.yaml_path,
            )

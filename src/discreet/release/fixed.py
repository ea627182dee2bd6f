"""What is public from elsewhere: totals that tables must meet, and cells that are empty by definition.

They are literals of the specification, never computed from the microdata or compared with them, and outside the
guarantee. A count belongs to one population; a zero belongs to all that lie in it.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import SpecError
from discreet.release.cells import Grouping, Layout, apart
from discreet.release.parts import Key, Part
from discreet.release.spec import ReleaseSpec

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Known:
    """A population by the leaves it has of each dimension that it constrains, its count, and what the file calls it."""

    leaves: Mapping[str, frozenset[int]]
    count: int
    text: str
    place: tuple[str | int, ...]


def known(asked: ReleaseSpec, layout: Layout) -> list[Known]:
    """The literals of a specification, resolved."""
    books = {book.name: book for book in layout.books}
    found: dict[tuple[tuple[str, frozenset[int]], ...], Known] = {}
    for at, literal in enumerate(asked.fixed):
        place = ("fixed", at)
        said = ", ".join(f"{name}: {label}" for name, label in literal.where.items()) or "everyone"
        for name in literal.where:
            if name not in books:
                raise SpecError(f"this names {name!r} ({said}), a dimension of no table; use those of tables", place)
        leaves = {name: books[name].select([label], "fixed, on", place) for name, label in literal.where.items()}
        leaves = {name: members for name, members in leaves.items() if len(members) < len(books[name].leaves)}
        one = Known(leaves, literal.count, said, place)
        other = found.setdefault(tuple(sorted(leaves.items(), key=lambda item: item[0])), one)
        if other.count != one.count:
            raise SpecError(
                f"fixed gives {other.count} for {other.text} and {one.count} for {one.text}, which are the same people;"
                " correct one of them",
                place,
            )
    literals = list(found.values())
    _agree(literals, {book.name: len(book.leaves) for book in layout.books})
    return literals


def _agree(literals: Sequence[Known], sizes: Mapping[str, int]) -> None:
    """Refuse literals that contradict each other: parts that are more than their whole, or all of it but fewer."""
    for whole in literals:
        parts: list[Known] = []
        for one in sorted(literals, key=lambda each: -each.count):
            if one is not whole and _inside(one, whole) and all(apart(one.leaves, other.leaves) for other in parts):
                parts.append(one)
        total = sum(part.count for part in parts)
        if total > whole.count or (total < whole.count and parts and _size(whole, sizes) == _sizes(parts, sizes)):
            listed = ", ".join(f"{part.count} for {part.text}" for part in parts[:10])
            raise SpecError(
                f"fixed gives {whole.count} for {whole.text}, and {listed}, who are"
                f" {'all' if total < whole.count else 'some'} of them and make {total}; correct one of them",
                whole.place,
            )


def _inside(one: Known, whole: Known) -> bool:
    return all(name in one.leaves and one.leaves[name] <= leaves for name, leaves in whole.leaves.items())


def _size(one: Known, sizes: Mapping[str, int]) -> int:
    """How many leaf combinations there are."""
    return math.prod(len(one.leaves[name]) if name in one.leaves else size for name, size in sizes.items())


def _sizes(parts: Sequence[Known], sizes: Mapping[str, int]) -> int:
    return sum(_size(part, sizes) for part in parts)


def within(one: Known, part: Part) -> dict[int, frozenset[int]] | None:
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


def in_cube(literals: Sequence[Known], part: Part) -> tuple[dict[Key, dict[tuple[int, ...], int]], dict[int, Any]]:
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


def at(literals: Sequence[Known], grouping: Grouping) -> Iterator[tuple[Known, npt.NDArray[np.bool_]]]:
    """Each literal that is about cells of a grouping, and which of them."""
    inside = {book.name: members for book, members in grouping.within}
    names = [side.book.name for side in grouping.sides]
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
        for axis, side in enumerate(grouping.sides):
            everyone = frozenset(range(len(side.book.leaves)))
            leaves = one.leaves.get(side.book.name, everyone)
            here = np.array([members == leaves if whole else members <= leaves for members in side.members])
            cells &= here.reshape([-1 if place == axis else 1 for place in range(len(names))])
        if cells.any():
            yield one, cells

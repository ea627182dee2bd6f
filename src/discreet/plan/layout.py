"""Cells and groupings: which populations are counted, which of them are one and the same, and who is in how many.

A cell is defined by a set of leaves for each dimension that it constrains; a set that holds all leaves constrains
nothing. Two definitions that come to the same sets are the same cell: it gets one key, one measurement, one cost. The
definition is written as bytes that can be read in one way only,

    for each constrained dimension, by digest:   digest (32 bytes), number of leaves, each leaf after its length,

and these bytes, after a header for the release (`keys`), are what a key is made from.

Touches are the largest number of distinct cells that hold one leaf combination: that is how often one person is
counted. Where a person may have several rows, they are the number of families of cells that do not overlap.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.errors import SpecError
from discreet.plan.codebook import Codebook, Groups, grouped
from discreet.plan.sections import TableSpec
from discreet.plan.spec import ReleaseSpec

MOST_CELLS = 50_000_000
MOST_COMBINATIONS = 5_000_000
MOST_GROUPINGS = 20_000


@dataclass(frozen=True)
class GroupingAxis:
    """One axis of a grouping: a dimension, its level, and the groups that the filter leaves."""

    book: Codebook
    level: str | None
    labels: tuple[str, ...]
    members: Groups

    @property
    def overlap(self) -> int:
        """How many groups hold one leaf, at most."""
        return int(np.bincount(self.pairs[1]).max())

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """Every group with every leaf that it holds: the numbers of both, by leaf and then by group."""
        sizes = [len(members) for members in self.members]
        groups = np.repeat(np.arange(len(sizes)), sizes)
        leaves = np.fromiter(itertools.chain.from_iterable(self.members), np.int64, sum(sizes))
        order = np.lexsort((groups, leaves))
        return groups[order], leaves[order]

    @property
    def colours(self) -> int:
        """Into how many lists of disjoint groups they go, one after the other into the first that fits."""
        lists: list[set[int]] = []
        for members in self.members:
            taken = next((each for each in lists if each.isdisjoint(members)), None)
            if taken is None:
                lists.append(set(members))
            else:
                taken |= members
        return len(lists)


@dataclass(frozen=True)
class Grouping:
    """Cells that are published together: the product of its sides, within a filter on other dimensions."""

    axes: tuple[GroupingAxis, ...]
    within: tuple[tuple[Codebook, frozenset[int]], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many groups each side has."""
        return tuple(len(side.labels) for side in self.axes)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return math.prod(self.shape)

    @property
    def name(self) -> str:
        """Its dimensions, in words."""
        return " by ".join(side.book.name for side in self.axes) or "total"

    @property
    def multiplicity(self) -> int:
        """How many of its cells hold one leaf combination, at most."""
        return math.prod(side.overlap for side in self.axes)

    @cached_property
    def definitions(self) -> tuple[bytes, ...]:
        """The definition of every cell, in C order."""
        fixed = {book.digest: [_encoded(book, members)] for book, members in self.within}
        free = {side.book.digest: [_encoded(side.book, each) for each in side.members] for side in self.axes}
        parts = {**fixed, **free}
        order = sorted(parts)
        made = list(map(b"".join, itertools.product(*(parts[digest] for digest in order))))
        axes = [digest for digest in order if digest in free]
        place = np.arange(self.size).reshape([len(free[digest]) for digest in axes])
        place = np.transpose(place, [axes.index(side.book.digest) for side in self.axes])
        return tuple(map(made.__getitem__, place.ravel().tolist()))


@dataclass(frozen=True)
class Layout:
    """All groupings of a release, each once, and which of them make up which table."""

    books: tuple[Codebook, ...]
    groupings: tuple[Grouping, ...]
    tables: tuple[tuple[TableSpec, tuple[int, ...]], ...]

    @cached_property
    def cells(self) -> tuple[list[bytes], list[Integers]]:
        """The distinct cells, and for every grouping which of them its cells are."""
        place: dict[bytes, int] = {}
        where = []
        for grouping in self.groupings:
            here = np.fromiter(
                (place.setdefault(cell, len(place)) for cell in grouping.definitions), np.int64, grouping.size
            )
            where.append(here)
        return list(place), where

    def touches(self, contributions: int = 1, paid: Sequence[bool] | None = None) -> int:
        """How many times one person's loss is composed; cells that are already `paid` do not count.

        With one row a person, the largest number of distinct cells that hold one leaf combination. With several, rows
        may move overlapping cells by different amounts, and what composes is families of cells that do not overlap:
        within one the changes of all cells add up to the contributions at most.
        """
        fresh = self._fresh(paid)
        if contributions > 1:
            return self._families(fresh)
        shape = tuple(len(book.leaves) for book in self.books)
        if math.prod(shape) > MOST_COMBINATIONS:
            return sum(
                grouping.multiplicity if new.any() else 0 for grouping, new in zip(self.groupings, fresh, strict=True)
            )
        total = np.zeros(shape, dtype=np.int64)
        for grouping, new in zip(self.groupings, fresh, strict=True):
            total += self._spread(grouping, new.reshape(grouping.shape).astype(np.int64), shape)
        return int(total.max())

    def _fresh(self, paid: Sequence[bool] | None) -> list[npt.NDArray[np.bool_]]:
        """For every grouping which of its cells count: each distinct one once, where it first occurs."""
        definitions, where = self.cells
        first = np.full(len(definitions), True)
        if paid is not None:
            first &= ~np.asarray(paid, dtype=bool)
        fresh = []
        for here in where:
            new = first[here]
            earliest = np.empty(len(definitions), dtype=np.int64)
            earliest[here[::-1]] = np.arange(len(here))[::-1]
            new &= earliest[here] == np.arange(len(here))
            first[here] = False
            fresh.append(new)
        return fresh

    def _families(self, fresh: Sequence[npt.NDArray[np.bool_]]) -> int:
        """Into how many families of disjoint cells the groupings go, one after the other into the first that fits."""
        families: list[list[dict[str, frozenset[int]]]] = []
        for grouping, new in zip(self.groupings, fresh, strict=True):
            if not new.any():
                continue
            people = {book.name: members for book, members in grouping.within}
            people |= {side.book.name: frozenset(side.pairs[1].tolist()) for side in grouping.axes}
            for _ in range(math.prod(side.colours for side in grouping.axes)):
                fits = (family for family in families if all(apart(people, other) for other in family))
                family = next(fits, None)
                if family is None:
                    families.append([people])
                else:
                    family.append(people)
        return len(families)

    def _spread(self, grouping: Grouping, new: Integers, shape: tuple[int, ...]) -> Integers:
        """For every leaf combination the number of a grouping's new cells that hold it."""
        held = new
        axes = []
        for side in grouping.axes:
            groups, leaves = side.pairs
            by_leaf = np.zeros((len(side.book.leaves), *held.shape[1:]), dtype=np.int64)
            np.add.at(by_leaf, leaves, held[groups])
            held = np.moveaxis(by_leaf, 0, -1)
            axes.append(self.books.index(side.book))
        order = np.argsort(axes)
        held = np.transpose(held, order) if axes else held
        full = np.reshape(held, [shape[axis] if axis in axes else 1 for axis in range(len(shape))])
        for book, members in grouping.within:
            axis = self.books.index(book)
            inside = np.array([leaf in members for leaf in range(shape[axis])], dtype=np.int64)
            full = full * np.reshape(inside, [-1 if at == axis else 1 for at in range(len(shape))])
        return np.broadcast_to(full, shape)


def apart(one: Mapping[str, frozenset[int]], other: Mapping[str, frozenset[int]]) -> bool:
    """Whether no leaf combination is in both of two populations, each by the leaves it has of some dimensions."""
    return any(not members & other[name] for name, members in one.items() if name in other)


def _encoded(book: Codebook, members: frozenset[int]) -> bytes:
    if len(members) == len(book.leaves):
        return b""
    names = sorted(book.leaves[leaf].encode() for leaf in members)
    return b"".join(
        [book.digest, len(names).to_bytes(4, "big"), *(len(name).to_bytes(4, "big") + name for name in names)]
    )


def layout(spec: ReleaseSpec, books: Mapping[str, Codebook]) -> Layout:
    """The groupings of a specification."""
    groupings: dict[Grouping, int] = {}
    tables = []
    cells = 0
    for table in spec.tables:
        within = _filters(table, books)
        names = [axis.dimension for axis in table.dimensions]
        if len(set(names)) < len(names):
            raise SpecError(f"table {table.name!r} has a dimension twice; name each once", ("tables", table.name))
        _distinct(table, sorted({*names, *within} & set(books)), books)
        sides = {axis.dimension: _side(table, axis.dimension, axis.level, books, within) for axis in table.dimensions}
        places = []
        for margin in _margins(table, names):
            rest = tuple((books[name], members) for name, members in sorted(within.items()) if name not in margin)
            grouping = Grouping(tuple(sides[name] for name in margin), rest)
            cells += grouping.size
            if cells > MOST_CELLS:
                raise SpecError(
                    f"with table {table.name!r} there are {cells:,} cells; {MOST_CELLS:,} can be published at once: use"
                    " coarser levels, or fewer margins",
                    ("tables", table.name),
                )
            places.append(groupings.setdefault(grouping, len(groupings)))
        tables.append((table, tuple(places)))
    used = {side.book.name for grouping in groupings for side in grouping.axes}
    used |= {book.name for grouping in groupings for book, _ in grouping.within}
    return Layout(tuple(books[name] for name in spec.dimensions if name in used), tuple(groupings), tuple(tables))


def _distinct(table: TableSpec, names: list[str], books: Mapping[str, Codebook]) -> None:
    """Refuse one codebook under two names: what a cell says of it would be said twice."""
    for one, other in itertools.combinations(names, 2):
        if books[one].digest == books[other].digest:
            raise SpecError(
                f"table {table.name!r} uses {one!r} and {other!r}, which are the same column with the same categories;"
                " use one of them",
                ("tables", table.name),
            )


def _filters(table: TableSpec, books: Mapping[str, Codebook]) -> dict[str, frozenset[int]]:
    within = {}
    for name, labels in table.filter.items():
        place = ("tables", table.name, "filter", name)
        if name not in books:
            raise SpecError(f"table {table.name!r} filters on {name!r}, which is no dimension; declare it", place)
        if not labels:
            raise SpecError(
                f"table {table.name!r} filters on {name!r} with no values; name some, or leave it out", place
            )
        within[name] = books[name].select(labels, f"the filter of table {table.name!r} on", place)
    return within


def _side(
    table: TableSpec,
    name: str,
    level: str | None,
    books: Mapping[str, Codebook],
    within: Mapping[str, frozenset[int]],
) -> GroupingAxis:
    at = [axis.dimension for axis in table.dimensions].index(name)
    place = ("tables", table.name, "dimensions", at)
    if name not in books:
        raise SpecError(f"table {table.name!r} has the dimension {name!r}, which is not declared; declare it", place)
    groups = books[name].level(level, place)
    if name not in within:
        return GroupingAxis(books[name], level, groups.labels, groups.members)
    kept = [(label, members & within[name]) for label, members in zip(groups.labels, groups.members, strict=True)]
    kept = [(label, members) for label, members in kept if members]
    return GroupingAxis(books[name], level, tuple(label for label, _ in kept), grouped(members for _, members in kept))


def _margins(table: TableSpec, names: list[str]) -> list[tuple[str, ...]]:
    """The table itself first, then its margins from the finest to the total."""
    if table.margins == "none":
        return [tuple(names)]
    if table.margins == "all":
        if 2 ** len(names) > MOST_GROUPINGS:
            raise SpecError(
                f"table {table.name!r} has {len(names)} dimensions and all their margins; name the margins that are"
                " wanted",
                ("tables", table.name, "margins"),
            )
        return [m for size in range(len(names), -1, -1) for m in itertools.combinations(names, size)]
    margins = [tuple(names)]
    for at, given in enumerate(table.margins):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise SpecError(
                f"table {table.name!r} has a margin over {unknown[0]!r}, which is none of its dimensions; they are"
                f" {', '.join(names) or 'none'}",
                ("tables", table.name, "margins", at),
            )
        margin = tuple(name for name in names if name in given)
        if margin not in margins:
            margins.append(margin)
    return margins

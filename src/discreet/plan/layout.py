"""Cells and groupings: which populations are counted, which of them are the same, and how many cells hold one person.

A cell is defined by a set of leaves for each dimension that it constrains. A set of all leaves constrains nothing. Two
definitions that come to the same sets are the same cell, which has one key, one measurement and one cost. A definition
is written as bytes that can be read in one way only,

    for each constrained dimension, by digest:   digest (32 bytes), number of leaves, each leaf after its length.

A key is made from these bytes, after a header for the release (`measure.keys`).

`touches` tells in how many cells one person is.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from discreet.arrays import Integers
from discreet.errors import SpecError
from discreet.labels import OTHER, listed
from discreet.plan.codebook import Codebook, Groups, grouped
from discreet.plan.sections import Axis, TableSpec
from discreet.plan.spec import ReleaseSpec
from discreet.plan.touches import count_touches, first_occurrences
from discreet.spelling import did_you_mean

MOST_CELLS = 50_000_000
MOST_GROUPINGS = 20_000

Population = Mapping[str, frozenset[int]]
"""The leaves that a population has, for each dimension that it constrains."""


@dataclass(frozen=True)
class GroupingAxis:
    """One axis of a grouping: a dimension at one of its levels.

    Attributes
    ----------
    labels, members
        The label and the leaves of each group, after the filter of the table.
    """

    book: Codebook
    level: str | None
    labels: tuple[str, ...]
    members: Groups

    @property
    def overlap(self) -> int:
        """The largest number of groups that hold one leaf."""
        return int(np.bincount(self.pairs[1]).max())

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """The indices of groups and of the leaves that they hold, one entry a pair, by leaf and then by group."""
        sizes = [len(leaves) for leaves in self.members]
        groups = np.repeat(np.arange(len(sizes)), sizes)
        leaves = np.fromiter(itertools.chain.from_iterable(self.members), np.int64, sum(sizes))
        order = np.lexsort((groups, leaves))
        return groups[order], leaves[order]

    @property
    def families(self) -> int:
        """Number of families when each group greedily joins the first family that it is disjoint from."""
        families: list[set[int]] = []
        for leaves in self.members:
            family = next((family for family in families if family.isdisjoint(leaves)), None)
            if family is None:
                families.append(set(leaves))
            else:
                family |= leaves
        return len(families)


@dataclass(frozen=True)
class Grouping:
    """Cells that are published together: the product of the groups of its axes.

    Attributes
    ----------
    axes
        The dimensions that tell the cells apart.
    within
        A filter: other dimensions, and the leaves of each that all cells have.
    """

    axes: tuple[GroupingAxis, ...]
    within: tuple[tuple[Codebook, frozenset[int]], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of groups of each axis."""
        return tuple(len(axis.labels) for axis in self.axes)

    @property
    def size(self) -> int:
        """The number of cells."""
        return math.prod(self.shape)

    @property
    def name(self) -> str:
        """The names of the dimensions, in words."""
        return " by ".join(axis.book.name for axis in self.axes) or "total"

    @property
    def multiplicity(self) -> int:
        """The largest number of cells of the grouping that hold one leaf combination."""
        return math.prod(axis.overlap for axis in self.axes)

    @property
    def population(self) -> Population:
        """The people of all cells together."""
        leaves = {book.name: members for book, members in self.within}
        return leaves | {axis.book.name: frozenset(axis.pairs[1].tolist()) for axis in self.axes}

    @cached_property
    def definitions(self) -> tuple[bytes, ...]:
        """The definition of every cell, in C order."""
        filters = {book.digest: [_encoded(book, leaves)] for book, leaves in self.within}
        groups = {axis.book.digest: [_encoded(axis.book, leaves) for leaves in axis.members] for axis in self.axes}
        parts = {**filters, **groups}
        order = sorted(parts)
        definitions = list(map(b"".join, itertools.product(*(parts[digest] for digest in order))))
        digests = [digest for digest in order if digest in groups]
        indices = np.arange(self.size).reshape([len(groups[digest]) for digest in digests])
        indices = np.transpose(indices, [digests.index(axis.book.digest) for axis in self.axes])
        return tuple(map(definitions.__getitem__, indices.ravel().tolist()))


class Cells(NamedTuple):
    """The distinct cells of a release.

    Attributes
    ----------
    definitions
        The definition of each distinct cell.
    indices
        For every grouping, the indices of its cells among the distinct cells, in C order.
    """

    definitions: list[bytes]
    indices: list[Integers]


@dataclass(frozen=True)
class Layout:
    """All groupings of a release.

    Attributes
    ----------
    books
        The codebooks of the dimensions in use.
    groupings
        The groupings of all tables, each once.
    tables
        Every table, with the indices of its groupings. The first one is the table itself, the others are margins.
    """

    books: tuple[Codebook, ...]
    groupings: tuple[Grouping, ...]
    tables: tuple[tuple[TableSpec, tuple[int, ...]], ...]

    @property
    def in_no_group(self) -> dict[tuple[str, str], list[str]]:
        """The declared leaves that are in no group of a level, by dimension and level, for levels of tables."""
        levels = {(axis.book.name, axis.level): axis.book for grouping in self.groupings for axis in grouping.axes}
        left = {(name, level): book.in_no_group(level) for (name, level), book in levels.items() if level is not None}
        return {key: leaves for key, leaves in left.items() if leaves}

    @property
    def has_other(self) -> bool:
        """True if an axis has the leaf `_other`, which no declared value has."""
        axes = (axis for grouping in self.groupings for axis in grouping.axes)
        return any(OTHER in axis.labels and len(axis.book.leaves) - 1 in axis.members[-1] for axis in axes)

    @property
    def outside_filters(self) -> dict[tuple[str, str, str], list[str]]:
        """The declared leaves in no group of a level that a filter uses, by table, dimension and level."""
        books = {book.name: book for book in self.books}
        left = {
            (table.name, name, level): books[name].in_no_group(level)
            for table, _ in self.tables
            for name, labels in table.filter.items()
            for level, groups in books[name].levels.items()
            if level and not {*groups.labels}.isdisjoint({*labels} - {*books[name].leaves})
        }
        return {key: leaves for key, leaves in left.items() if leaves}

    @cached_property
    def cells(self) -> Cells:
        """The distinct cells of all groupings."""
        index: dict[bytes, int] = {}
        indices = [
            np.fromiter((index.setdefault(cell, len(index)) for cell in grouping.definitions), np.int64, grouping.size)
            for grouping in self.groupings
        ]
        return Cells(list(index), indices)

    def touches(self, contributions: int = 1, paid: Sequence[bool] | None = None) -> int:
        """Return how many times one person's loss is composed, if all cells have the same noise (`touches`).

        Parameters
        ----------
        contributions
            Most rows of one person.
        paid
            For each distinct cell, True if it is paid for already and does not count.
        """
        new_cells = first_occurrences(self.cells.indices, len(self.cells.definitions), paid)
        return count_touches(self, [dict(enumerate(new_cells))], contributions).most


def _encoded(book: Codebook, members: frozenset[int]) -> bytes:
    """Return the part of a definition that is about one dimension."""
    if len(members) == len(book.leaves):
        return b""
    names = sorted(book.leaves[leaf].encode() for leaf in members)
    return b"".join(
        [book.digest, len(names).to_bytes(4, "big"), *(len(name).to_bytes(4, "big") + name for name in names)]
    )


def make_layout(spec: ReleaseSpec, books: Mapping[str, Codebook]) -> Layout:
    """Return the groupings of a specification.

    Parameters
    ----------
    spec
        The specification.
    books
        The codebook of every dimension.

    Raises
    ------
    SpecError
        A table names an unknown dimension, level, leaf or margin, or there are too many cells.
    """
    groupings: dict[Grouping, int] = {}
    tables = []
    cells = 0
    for table in spec.tables:
        indices = []
        for grouping in _groupings(table, books):
            cells += grouping.size
            if cells > MOST_CELLS:
                raise SpecError(
                    f"with table {table.name!r} there are {cells:,} cells; {MOST_CELLS:,} can be published at once: use"
                    " coarser levels, or fewer margins",
                    ("tables", table.name),
                )
            indices.append(groupings.setdefault(grouping, len(groupings)))
        tables.append((table, tuple(indices)))
    used = {axis.book.name for grouping in groupings for axis in grouping.axes}
    used |= {book.name for grouping in groupings for book, _ in grouping.within}
    return Layout(tuple(books[name] for name in spec.dimensions if name in used), tuple(groupings), tuple(tables))


def _groupings(table: TableSpec, books: Mapping[str, Codebook]) -> Iterator[Grouping]:
    """Yield the groupings of a table: the table itself, then its margins."""
    filters = _filters(table, books)
    names = [axis.dimension for axis in table.dimensions]
    if len(set(names)) < len(names):
        raise SpecError(f"table {table.name!r} has a dimension twice; name each once", ("tables", table.name))
    _refuse_equal_codebooks(table, sorted({*names, *filters} & set(books)), books)
    axes = {
        axis.dimension: _grouping_axis(table, index, axis, books, filters)
        for index, axis in enumerate(table.dimensions)
    }
    for margin in _margins(table, names):
        within = tuple((books[name], leaves) for name, leaves in sorted(filters.items()) if name not in margin)
        yield Grouping(tuple(axes[name] for name in margin), within)


def _refuse_equal_codebooks(table: TableSpec, names: list[str], books: Mapping[str, Codebook]) -> None:
    """Raise SpecError if a table uses one codebook under two names: a cell would be constrained twice by it."""
    for name, other in itertools.combinations(names, 2):
        if books[name].digest == books[other].digest:
            raise SpecError(
                f"table {table.name!r} uses {name!r} and {other!r}, which are the same column with the same categories;"
                " use one of them",
                ("tables", table.name),
            )


def _filters(table: TableSpec, books: Mapping[str, Codebook]) -> dict[str, frozenset[int]]:
    """Return the leaves that the filter of a table keeps, for each dimension that it names."""
    filters = {}
    for name, labels in table.filter.items():
        yaml_path = ("tables", table.name, "filter", name)
        if name not in books:
            raise SpecError(
                f"table {table.name!r} filters on {name!r}, which is no dimension; declare it, or choose from"
                f" {listed(list(books))}{did_you_mean(name, books)}",
                yaml_path,
            )
        if not labels:
            raise SpecError(
                f"table {table.name!r} filters on {name!r} with no values; name some, or leave it out", yaml_path
            )
        filters[name] = books[name].select(labels, f"the filter of table {table.name!r} on", yaml_path)
    return filters


def _grouping_axis(
    table: TableSpec, index: int, axis: Axis, books: Mapping[str, Codebook], filters: Mapping[str, frozenset[int]]
) -> GroupingAxis:
    """Return one axis of a table, without the groups that the filter empties."""
    name = axis.dimension
    yaml_path = ("tables", table.name, "dimensions", index)
    if name not in books:
        raise SpecError(
            f"table {table.name!r} has the dimension {name!r}, which is not declared; declare it, or choose from"
            f" {listed(list(books))}{did_you_mean(name, books)}",
            yaml_path,
        )
    level = books[name].level(axis.level, yaml_path)
    if name not in filters:
        return GroupingAxis(books[name], axis.level, level.labels, level.members)
    groups = [(label, leaves & filters[name]) for label, leaves in zip(level.labels, level.members, strict=True)]
    labels = tuple(label for label, leaves in groups if leaves)
    return GroupingAxis(books[name], axis.level, labels, grouped(leaves for _, leaves in groups if leaves))


def _margins(table: TableSpec, names: list[str]) -> list[tuple[str, ...]]:
    """Return the table itself first, then its margins from the finest to the total."""
    if table.margins == "none":
        return [tuple(names)]
    if table.margins == "all":
        if 2 ** len(names) > MOST_GROUPINGS:
            raise SpecError(
                f"table {table.name!r} has {len(names)} dimensions and all their margins; name the margins to publish",
                ("tables", table.name, "margins"),
            )
        return [margin for size in range(len(names), -1, -1) for margin in itertools.combinations(names, size)]
    margins = [tuple(names)]
    for index, dimensions in enumerate(table.margins):
        unknown = [name for name in dimensions if name not in names]
        if unknown:
            raise SpecError(
                f"table {table.name!r} has a margin over {unknown[0]!r}, which is none of its dimensions; they are"
                f" {', '.join(names) or 'none'}{did_you_mean(unknown[0], names)}",
                ("tables", table.name, "margins", index),
            )
        margin = tuple(name for name in names if name in dimensions)
        if margin not in margins:
            margins.append(margin)
    return margins

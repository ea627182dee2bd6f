"""Which cells a published specification measures, and in how many of them one person is (docs/folder.md).

A part of `folder`, which checks a release without the code that made it. Only the standard library is used.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from operator import le
from typing import Any, NamedTuple

from .findings import need

MOST_COMBINATIONS = 200_000
"""Combinations of leaves that this checker tries."""

MANY_COMBINATIONS = 5_000_000
"""Combinations above which a release states the simple bound of touches (docs/folder.md)."""

BOOK = ["column", "categories", "ranges", "from_data", "levels"]
TABLE = ["name", "dimensions", "margins", "filter"]

OTHER, TOTAL = "_other", "_total"
"""The labels that no specification may declare. This checker shares no code with `discreet.labels`."""

Noise = Sequence[int | None]
"""For every grouping the number of its table of noise; None if the grouping is not measured."""

Numbers = tuple[int, ...]
"""One number for each table of noise."""

Cell = tuple[tuple[int, frozenset[str]], ...]
"""For every constrained dimension its number and its leaves, in order. Dimensions with one codebook have one number."""


class Axis(NamedTuple):
    """A dimension of a grouping at one level: the label of every group, and the leaves of every group (`members`)."""

    dimension: str
    level: str | None
    labels: tuple[str, ...]
    members: tuple[frozenset[str], ...]


class Grouping(NamedTuple):
    """The cells of a product of axes, within a filter on other dimensions."""

    axes: tuple[Axis, ...]
    within: tuple[tuple[str, frozenset[str]], ...]

    @property
    def size(self) -> int:
        """Number of cells."""
        return math.prod(len(axis.labels) for axis in self.axes)


class Codebook(NamedTuple):
    """A dimension.

    Attributes
    ----------
    identity
        The column, and the raw values of every leaf. Two dimensions with one identity have the same codebook.
    leaves
        All leaves, `_other` included.
    levels
        For every level the leaves of every group; the level None has one group for each leaf.
    complete
        True if every leaf has raw values.
    """

    identity: tuple[str, Any]
    leaves: frozenset[str]
    levels: dict[str | None, dict[str, frozenset[str]]]
    complete: bool


@dataclass
class Layout:
    """The groupings of a specification.

    Attributes
    ----------
    books
        The codebook of every dimension, by name.
    groupings
        All groupings, each once.
    tables
        Every table of the specification, and the indices of its groupings, the finest first.
    """

    books: dict[str, Codebook]
    groupings: list[Grouping]
    tables: list[tuple[dict[str, Any], list[int]]]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """For every dimension the number of the first dimension that has the same codebook."""
        first: dict[Any, int] = {}
        return {name: first.setdefault(book.identity, number) for number, (name, book) in enumerate(self.books.items())}

    def definition(self, parts: Iterable[tuple[str, frozenset[str]]]) -> Cell:
        """Return the cell that has these leaves of these dimensions."""
        books, numbers = self.books, self.numbers
        return tuple(sorted([(numbers[name], leaves) for name, leaves in parts if leaves != books[name].leaves]))

    @cached_property
    def cells(self) -> list[list[int]]:
        """For every grouping the numbers of its cells, in the order of the files. One cell has one number."""
        number: dict[Cell, int] = {}
        return [
            [number.setdefault(cell, len(number)) for cell in self._definitions(grouping)]
            for grouping in self.groupings
        ]

    def _definitions(self, grouping: Grouping) -> Iterator[Cell]:
        names = [axis.dimension for axis in grouping.axes]
        for members in product(*(axis.members for axis in grouping.axes)):
            yield self.definition([*zip(names, members, strict=True), *grouping.within])


def layout_of(spec: dict[str, Any]) -> Layout:
    """Return the groupings of a published specification. Raise WrongError if the specification is not one."""
    books = {name: _book(name, document) for name, document in spec["dimensions"].items()}
    groupings: dict[Grouping, int] = {}
    tables = []
    for table in spec["tables"]:
        need(list(table) == TABLE, f"a table has other fields than {', '.join(TABLE)}")
        within = {name: selected(books[name], labels) for name, labels in table["filter"].items()}
        axes = _axes(books, table, within)
        identities = [books[name].identity for name in {*axes, *within}]
        need(len(set(identities)) == len(identities), f"table {table['name']} has one codebook under two names")
        indices = []
        for margin in _margins(table["margins"], list(axes)):
            rest = tuple(sorted((name, leaves) for name, leaves in within.items() if name not in margin))
            grouping = Grouping(tuple(axes[name] for name in margin), rest)
            indices.append(groupings.setdefault(grouping, len(groupings)))
        tables.append((table, indices))
    used = {axis.dimension for grouping in groupings for axis in grouping.axes}
    used |= {name for grouping in groupings for name, _ in grouping.within}
    need(used >= set(books), "a dimension is used by no table")
    return Layout(books, list(groupings), tables)


def _axes(books: dict[str, Codebook], table: dict[str, Any], within: dict[str, frozenset[str]]) -> dict[str, Axis]:
    """Return the axes of a table by dimension, without the leaves that the filter removes."""
    axes: dict[str, Axis] = {}
    for document in table["dimensions"]:
        name, level = document["dimension"], document["level"]
        groups = list(books[name].levels[level].items())
        if name in within:
            groups = [(label, leaves & within[name]) for label, leaves in groups if leaves & within[name]]
        need(groups and name not in axes, f"table {table['name']} has a dimension twice or empty")
        axes[name] = Axis(name, level, *zip(*groups, strict=True))
    return axes


def _book(name: str, document: dict[str, Any]) -> Codebook:
    need(unmarked(document) == BOOK, f"dimension {name} has other fields than {', '.join(BOOK)}, found and source")
    ranges, categories = document["ranges"], document["categories"]
    need((ranges is None) != (categories is None), f"dimension {name} has not one kind of leaves")
    need(type(document["from_data"]) is bool, f"from_data of dimension {name} is neither true nor false")
    values: Any
    if ranges is not None:
        labels = list(ranges)
        complete = all(None in bounds or bounds[0] < bounds[1] for bounds in ranges.values())
        values = tuple((label, *bounds) for label, bounds in ranges.items())
    else:
        labels = list(categories)
        pairs = _raw_values(categories)
        need(len(dict(pairs)) == len(pairs), f"dimension {name} has a raw value twice")
        complete = {label for _, label in pairs} == set(labels)
        values = frozenset(pairs)
    need(
        len({*labels, OTHER, TOTAL}) == len(labels) + 2,
        f"dimension {name} has a category twice, or a reserved one",
    )
    leaves = (*labels, OTHER)
    return Codebook((document["column"], values), frozenset(leaves), _levels(name, document, leaves), complete)


def unmarked(document: dict[str, Any]) -> list[str]:
    """Return the names of fields without the last one, if it says where the others come from. Check its value."""
    names = list(document)
    if names[-1:] == ["found"]:
        need(document["found"] == "data", f"found is {document['found']!r:.80}, and not data")
        return names[:-1]
    if names[-1:] == ["source"]:
        need(isinstance(document["source"], str) and document["source"], "source is no text")
        return names[:-1]
    return names


def _raw_values(categories: Any) -> list[tuple[str, str]]:
    """Return every raw value with its label."""
    if isinstance(categories, list):
        return list(zip(categories, categories, strict=True))
    return [(raw, label) for label, raws in categories.items() for raw in ([raws] if isinstance(raws, str) else raws)]


def _levels(
    name: str, document: dict[str, Any], leaves: tuple[str, ...]
) -> dict[str | None, dict[str, frozenset[str]]]:
    """Return the leaves of every group of every level. Leaves that no group of a level has make up `_other`."""
    levels: dict[str | None, dict[str, frozenset[str]]] = {None: {leaf: frozenset([leaf]) for leaf in leaves}}
    for level, groups in document["levels"].items():
        need(all(groups.values()), f"a group of level {level} is empty")
        levels[level] = {group: frozenset(members) for group, members in groups.items()}
        rest = frozenset(leaves).difference(*levels[level].values())
        need(frozenset().union(*levels[level].values()) <= set(leaves), f"level {level} has leaves that {name} has not")
        need(not {OTHER, TOTAL} & set(groups), f"level {level} has a reserved group")
        levels[level] |= {OTHER: rest} if rest else {}
    return levels


def selected(book: Codebook, labels: Sequence[str]) -> frozenset[str]:
    """Return the leaves that labels of leaves or groups name; `_other` is the leaf.

    Raise WrongError if a label names no leaves or two different sets of leaves, or if there are no labels.
    """
    leaves: set[str] = set()
    for label in labels:
        levels = [None] if label == OTHER else list(book.levels)
        meanings = {book.levels[level][label] for level in levels if label in book.levels[level]}
        need(len(meanings) == 1, f"{label!r:.80} in a filter or fixed count has {len(meanings)} meanings")
        leaves |= meanings.pop()
    need(leaves, "a filter is empty")
    return frozenset(leaves)


def _margins(document: Any, names: list[str]) -> list[tuple[str, ...]]:
    """Return the dimensions of the table and then of its margins: of all margins, the larger first, then in order."""
    if document == "all":
        need(len(names) <= 14, "a table has too many margins")
        margins = [
            tuple(name for name, kept in zip(names, keep, strict=True) if kept)
            for keep in product((1, 0), repeat=len(names))
        ]
        return sorted(margins, key=lambda margin: -len(margin))
    need(document == "none" or isinstance(document, list), "margins are all, none or a list")
    listed = [] if document == "none" else document
    margins = [tuple(name for name in names if name in margin) for margin in listed]
    need(all(set(margin) <= set(names) for margin in listed), "a margin has a dimension of no table")
    return list(dict.fromkeys([tuple(names), *margins]))


def touches(layout: Layout) -> tuple[int, int]:
    """Return the largest number of distinct cells that hold one combination of leaves, and a simple upper bound of it.

    The first number is 0 if there are too many combinations.
    """
    exact, (simple,) = touches_by_table(layout, [0] * len(layout.groupings), 1)
    return (exact[0][0] if exact else 0), simple


def touches_by_table(layout: Layout, noise: Noise, tables: int) -> tuple[list[Numbers], Numbers]:
    """Return how many cells of each table of noise hold one combination of leaves, and a simple bound for everyone.

    Of all combinations, those are returned that no other combination exceeds in every table. Leaves of a dimension
    that lie in groups of the same pattern have the same numbers of cells, so one leaf of each pattern is tried. If even
    these combinations are too many, there are none.
    """
    simple = [0] * tables
    counted: set[tuple[int, int]] = set()
    for grouping, numbers, table in zip(layout.groupings, layout.cells, noise, strict=True):
        if table is not None:
            cells = {(number, table) for number in numbers}
            simple[table] += 0 if cells <= counted else multiplicity(grouping)
            counted |= cells
    patterns = [_patterns(layout, name) for name in layout.books]
    if math.prod(map(len, patterns)) > MOST_COMBINATIONS:
        return [], tuple(simple)
    holding = {axis.members: _holding(axis.members) for grouping in layout.groupings for axis in grouping.axes}
    all_numbers: set[Numbers] = set()
    for leaves in product(*patterns):
        person = dict(zip(layout.books, leaves, strict=True))
        touched: set[tuple[Cell, int]] = set()
        for grouping, table in zip(layout.groupings, noise, strict=True):
            if table is not None and all(person[name] in inside for name, inside in grouping.within):
                groups = [holding[axis.members].get(person[axis.dimension], []) for axis in grouping.axes]
                names = [axis.dimension for axis in grouping.axes]
                touched |= {
                    (layout.definition([*zip(names, members, strict=True), *grouping.within]), table)
                    for members in product(*groups)
                }
        by_table = Counter(table for _, table in touched)
        all_numbers.add(tuple(by_table[table] for table in range(tables)))
    largest: list[Numbers] = []
    for numbers_of_tables in sorted(all_numbers, key=sum, reverse=True):
        if not any(all(map(le, numbers_of_tables, other)) for other in largest):
            largest.append(numbers_of_tables)
    return largest, tuple(simple)


def _holding(members: Iterable[frozenset[str]]) -> dict[str, list[frozenset[str]]]:
    """Return for every leaf the groups that hold the leaf, in order."""
    holding: dict[str, list[frozenset[str]]] = defaultdict(list)
    for group in members:
        for leaf in group:
            holding[leaf].append(group)
    return holding


def attainable(layout: Layout) -> bool:
    """Return True if a person can have any combination of leaves: no column is read twice, every leaf has values."""
    columns = [column for column, _ in (book.identity for book in layout.books.values())]
    return len(set(columns)) == len(columns) and all(book.complete for book in layout.books.values())


def _patterns(layout: Layout, name: str) -> list[str]:
    """Return one leaf of each pattern.

    The pattern of a leaf says in which groups and filters the leaf is. Sets of leaves are numbered by their first use,
    so two leaves have one pattern if their sets coincide in the same uses.
    """
    book = layout.books[name]
    uses = {axis.members for grouping in layout.groupings for axis in grouping.axes if axis.dimension == name}
    uses |= {(inside,) for grouping in layout.groupings for other, inside in grouping.within if other == name}
    alone = sum(other.identity == book.identity for other in layout.books.values()) == 1
    holding = [_holding(members) for members in uses]
    leaf_of: dict[Any, str] = {}
    for leaf in sorted(book.leaves):
        number: dict[frozenset[str], int] = {book.leaves: -1}
        pattern = tuple(
            tuple(number.setdefault(group, len(number)) for group in groups.get(leaf, ())) for groups in holding
        )
        leaf_of.setdefault(pattern if alone else leaf, leaf)
    return list(leaf_of.values())


def multiplicity(grouping: Grouping) -> int:
    """Return how many cells of a grouping hold one combination of leaves, at most."""
    return math.prod(max(Counter(chain.from_iterable(axis.members)).values()) for axis in grouping.axes)


def families(layout: Layout, noise: Noise | None = None, table: int = 0) -> int:
    """Return the number of families of disjoint cells if each grouping joins the first family it is disjoint from.

    Parameters
    ----------
    noise, table
        Only groupings with this table of noise count. None: all groupings count.
    """
    existing: list[list[dict[str, frozenset[str]]]] = []
    counted: set[int] = set()
    of_groupings = [table] * len(layout.groupings) if noise is None else noise
    for grouping, numbers, own in zip(layout.groupings, layout.cells, of_groupings, strict=True):
        cells = set(numbers)
        if own != table or cells <= counted:
            continue
        counted |= cells
        people = dict(grouping.within)
        people |= {axis.dimension: frozenset().union(*axis.members) for axis in grouping.axes}
        for _ in range(math.prod(_colours(axis) for axis in grouping.axes)):
            for family in existing:
                if all(_disjoint(people, member) for member in family):
                    family.append(people)
                    break
            else:
                existing.append([people])
    return len(existing)


def _disjoint(people: dict[str, frozenset[str]], others: dict[str, frozenset[str]]) -> bool:
    """Return True if nobody is in both populations: some dimension has no leaf in common."""
    return any(not leaves & others.get(name, leaves) for name, leaves in people.items())


def _colours(axis: Axis) -> int:
    """Return the number of lists of disjoint groups if each group joins the first list that it is disjoint from.

    The lists that a leaf is in are the bits of an integer, so groups are not compared with one another.
    """
    lists: dict[str, int] = defaultdict(int)
    for members in axis.members:
        joined = 0
        for leaf in members:
            joined |= lists[leaf]
        first = ~joined & (joined + 1)
        for leaf in members:
            lists[leaf] |= first
    return max(joined.bit_length() for joined in lists.values())

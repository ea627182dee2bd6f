"""Which cells a published specification measures, and in how many of them one person is (docs/folder.md).

A part of `folder`, which checks a release without the code that made it; only the standard library is used.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import Any, NamedTuple

from .findings import need

MOST_COMBINATIONS = 200_000
MANY_COMBINATIONS = 5_000_000
BOOK = ["column", "categories", "ranges", "from_data", "levels"]
TABLE = ["name", "dimensions", "margins", "filter"]

Cell = tuple[tuple[int, frozenset[str]], ...]
"""The number of every dimension that is constrained, and its leaves, in order; one codebook has one number."""


class Axis(NamedTuple):
    """A dimension of a grouping at one level: its groups, by their labels and the leaves of each."""

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
        """How many cells."""
        return math.prod(len(axis.labels) for axis in self.axes)


class Book(NamedTuple):
    """A dimension: what tells it from others, its leaves, the groups of each level, whether each leaf has values."""

    identity: tuple[str, Any]
    leaves: frozenset[str]
    levels: dict[str | None, dict[str, frozenset[str]]]
    complete: bool


@dataclass
class Layout:
    """The groupings of a specification, each once, and those of every table, the finest first."""

    books: dict[str, Book]
    groupings: list[Grouping]
    tables: list[tuple[dict[str, Any], list[int]]]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """For every dimension the number of the first that has its codebook."""
        first: dict[Any, int] = {}
        return {name: first.setdefault(book.identity, at) for at, (name, book) in enumerate(self.books.items())}

    def definition(self, parts: Iterable[tuple[str, frozenset[str]]]) -> Cell:
        """A cell by the leaves of each dimension that it constrains."""
        books, numbers = self.books, self.numbers
        return tuple(sorted([(numbers[name], leaves) for name, leaves in parts if leaves != books[name].leaves]))

    @cached_property
    def cells(self) -> list[list[int]]:
        """For every grouping the numbers of its cells, in the order of the files; one cell has one number."""
        number: dict[Cell, int] = {}
        return [
            [number.setdefault(cell, len(number)) for cell in self._definitions(grouping)]
            for grouping in self.groupings
        ]

    def _definitions(self, grouping: Grouping) -> Iterator[Cell]:
        names = [axis.dimension for axis in grouping.axes]
        for sets in product(*(axis.members for axis in grouping.axes)):
            yield self.definition([*zip(names, sets, strict=True), *grouping.within])


def layout_of(spec: dict[str, Any]) -> Layout:
    books = {name: _book(name, given) for name, given in spec["dimensions"].items()}
    groupings: dict[Grouping, int] = {}
    tables = []
    for table in spec["tables"]:
        need(list(table) == TABLE, f"a table has other fields than {', '.join(TABLE)}")
        within = {name: selected(books[name], labels) for name, labels in table["filter"].items()}
        axes = {}
        for each in table["dimensions"]:
            kept = list(books[each["dimension"]].levels[each["level"]].items())
            if each["dimension"] in within:
                inside = within[each["dimension"]]
                kept = [(label, leaves & inside) for label, leaves in kept if leaves & inside]
            need(kept and each["dimension"] not in axes, f"table {table['name']} has a dimension twice or empty")
            axes[each["dimension"]] = Axis(each["dimension"], each["level"], *zip(*kept, strict=True))
        identities = [books[name].identity for name in {*axes, *within}]
        need(len(set(identities)) == len(identities), f"table {table['name']} has one codebook under two names")
        places = []
        for margin in _margins(table["margins"], list(axes)):
            rest = tuple(sorted((name, leaves) for name, leaves in within.items() if name not in margin))
            grouping = Grouping(tuple(axes[name] for name in margin), rest)
            places.append(groupings.setdefault(grouping, len(groupings)))
        tables.append((table, places))
    used = {axis.dimension for grouping in groupings for axis in grouping.axes}
    used |= {name for grouping in groupings for name, _ in grouping.within}
    need(used >= set(books), "a dimension is used by no table")
    return Layout(books, list(groupings), tables)


def _book(name: str, given: dict[str, Any]) -> Book:
    need(list(given) == BOOK, f"dimension {name} has other fields than {', '.join(BOOK)}")
    need((given["ranges"] is None) != (given["categories"] is None), f"dimension {name} has not one kind of leaves")
    need(type(given["from_data"]) is bool, f"from_data of dimension {name} is neither true nor false")
    if given["ranges"] is not None:
        labels = list(given["ranges"])
        complete = all(None in bounds or bounds[0] < bounds[1] for bounds in given["ranges"].values())
        identity: tuple[str, Any] = (
            given["column"],
            tuple((label, *bounds) for label, bounds in given["ranges"].items()),
        )
    else:
        some = given["categories"]
        labels = list(some)
        if isinstance(some, list):
            pairs = list(zip(some, some, strict=True))
        else:
            pairs = [
                (raw, label) for label, raws in some.items() for raw in ([raws] if isinstance(raws, str) else raws)
            ]
        need(len(dict(pairs)) == len(pairs), f"dimension {name} has a raw value twice")
        identity = (given["column"], frozenset(pairs))
        complete = {label for _, label in pairs} == set(labels)
    need(
        len({*labels, "_other", "_total"}) == len(labels) + 2,
        f"dimension {name} has a category twice, or a reserved one",
    )
    leaves = (*labels, "_other")
    levels: dict[str | None, dict[str, frozenset[str]]] = {None: {leaf: frozenset([leaf]) for leaf in leaves}}
    for level, groups in given["levels"].items():
        need(all(groups.values()), f"a group of level {level} is empty")
        levels[level] = {group: frozenset(inside) for group, inside in groups.items()}
        rest = frozenset(leaves).difference(*levels[level].values())
        need(frozenset().union(*levels[level].values()) <= set(leaves), f"level {level} has leaves that {name} has not")
        need(not {"_other", "_total"} & set(groups), f"level {level} has a reserved group")
        levels[level] |= {"_other": rest} if rest else {}
    return Book(identity, frozenset(leaves), levels, complete)


def selected(book: Book, labels: Sequence[str]) -> frozenset[str]:
    """Leaves by the names of leaves or of groups; `_other` is the leaf."""
    found: set[str] = set()
    for label in labels:
        levels = [None] if label == "_other" else list(book.levels)
        meant = {book.levels[level][label] for level in levels if label in book.levels[level]}
        need(len(meant) == 1, f"{label!r:.80} in a filter or fixed count has {len(meant)} meanings")
        found |= meant.pop()
    need(found, "a filter is empty")
    return frozenset(found)


def _margins(given: Any, names: list[str]) -> list[tuple[str, ...]]:
    """The table first; of all margins, those with more dimensions before those with fewer, in order."""
    if given == "all":
        need(len(names) <= 14, "a table has too many margins")
        every = [
            tuple(n for n, kept in zip(names, keep, strict=True) if kept) for keep in product((1, 0), repeat=len(names))
        ]
        return sorted(every, key=lambda margin: -len(margin))
    need(given == "none" or isinstance(given, list), "margins are all, none or a list")
    listed = [tuple(name for name in names if name in one) for one in ([] if given == "none" else given)]
    need(all(set(one) <= set(names) for one in given if given != "none"), "a margin has a dimension of no table")
    return list(dict.fromkeys([tuple(names), *listed]))


def touches(layout: Layout) -> tuple[int, int]:
    """The most distinct cells that hold one combination of leaves, and a simple upper bound of it.

    Leaves of a dimension that lie in groups of the same pattern have the same number, so one of each is tried. Where
    even those are too many, the first number is 0.
    """
    simple = 0
    seen: set[int] = set()
    for grouping, numbers in zip(layout.groupings, layout.cells, strict=True):
        cells = set(numbers)
        simple += 0 if cells <= seen else multiplicity(grouping)
        seen |= cells
    tried = [_patterns(layout, name) for name in layout.books]
    if math.prod(map(len, tried)) > MOST_COMBINATIONS:
        return 0, simple
    holding = {axis.members: _holding(axis.members) for grouping in layout.groupings for axis in grouping.axes}
    most = 0
    for leaves in product(*tried):
        person = dict(zip(layout.books, leaves, strict=True))
        held = set()
        for grouping in layout.groupings:
            if all(person[name] in inside for name, inside in grouping.within):
                own = [holding[axis.members].get(person[axis.dimension], []) for axis in grouping.axes]
                names = [axis.dimension for axis in grouping.axes]
                held |= {
                    layout.definition([*zip(names, sets, strict=True), *grouping.within]) for sets in product(*own)
                }
        most = max(most, len(held))
    return most, simple


def _holding(members: Iterable[frozenset[str]]) -> dict[str, list[frozenset[str]]]:
    """Index groups by their leaves: the groups that hold each leaf, in order."""
    found: dict[str, list[frozenset[str]]] = defaultdict(list)
    for group in members:
        for leaf in group:
            found[leaf].append(group)
    return found


def attainable(layout: Layout) -> bool:
    """Whether anybody can have any combination of leaves: no column is read twice, and no leaf is without values."""
    columns = [column for column, _ in (book.identity for book in layout.books.values())]
    return len(set(columns)) == len(columns) and all(book.complete for book in layout.books.values())


def _patterns(layout: Layout, name: str) -> list[str]:
    """One leaf of each pattern: in which sets it is, sets being told apart only where two uses of them coincide."""
    book = layout.books[name]
    uses = {axis.members for grouping in layout.groupings for axis in grouping.axes if axis.dimension == name}
    uses |= {(inside,) for grouping in layout.groupings for other, inside in grouping.within if other == name}
    alone = sum(other.identity == book.identity for other in layout.books.values()) == 1
    holding = [_holding(sets) for sets in uses]
    found: dict[Any, str] = {}
    for leaf in sorted(book.leaves):
        number: dict[frozenset[str], int] = {book.leaves: -1}
        pattern = tuple(tuple(number.setdefault(one, len(number)) for one in held.get(leaf, ())) for held in holding)
        found.setdefault(pattern if alone else leaf, leaf)
    return list(found.values())


def multiplicity(grouping: Grouping) -> int:
    """How many cells of a grouping hold one combination of leaves, at most."""
    return math.prod(max(Counter(chain.from_iterable(axis.members)).values()) for axis in grouping.axes)


def families(layout: Layout) -> int:
    """Number of families of disjoint cells when each grouping joins the first family that it is disjoint from."""
    found: list[list[dict[str, frozenset[str]]]] = []
    seen: set[int] = set()
    for grouping, numbers in zip(layout.groupings, layout.cells, strict=True):
        cells = set(numbers)
        if cells <= seen:
            continue
        seen |= cells
        people = dict(grouping.within)
        people |= {axis.dimension: frozenset().union(*axis.members) for axis in grouping.axes}
        for _ in range(math.prod(_colours(axis) for axis in grouping.axes)):
            for family in found:
                if all(
                    any(not inside & other.get(name, inside) for name, inside in people.items()) for other in family
                ):
                    family.append(people)
                    break
            else:
                found.append([people])
    return len(found)


def _colours(axis: Axis) -> int:
    """Number of lists of disjoint groups when each group joins the first list that it is disjoint from.

    The lists that a leaf is in are the bits of an integer, so groups are not compared with one another.
    """
    lists: dict[str, int] = defaultdict(int)
    for members in axis.members:
        taken = 0
        for leaf in members:
            taken |= lists[leaf]
        first = ~taken & (taken + 1)
        for leaf in members:
            lists[leaf] |= first
    return max(taken.bit_length() for taken in lists.values())

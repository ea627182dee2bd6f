"""What is public from elsewhere: totals that tables must meet, and cells that are empty by definition.

They are literals of the specification, never computed from the microdata or compared with them, and outside the
guarantee. A count belongs to one population; a zero belongs to all that lie in it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.errors import SpecError
from discreet.labels import listed as listing
from discreet.plan.layout import Layout, apart
from discreet.plan.spec import ReleaseSpec


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
            listed = listing([f"{part.count} for {part.text}" for part in parts], 10)
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

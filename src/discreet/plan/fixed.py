"""Fixed counts: totals that are public from elsewhere and that tables must meet, and cells that must be empty.

Fixed counts are literals of the specification. They are never computed from the microdata, never compared with them,
and outside the guarantee. A count belongs to one population. A zero belongs to all populations inside it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.errors import SpecError
from discreet.labels import listed
from discreet.plan.layout import Layout
from discreet.plan.spec import ReleaseSpec
from discreet.plan.touches import disjoint
from discreet.plan.yaml_file import YamlPath
from discreet.spelling import did_you_mean

EVERYONE = "everyone"
"""The population of a fixed count that constrains no dimension."""


@dataclass(frozen=True)
class FixedCount:
    """A count that the specification fixes.

    Attributes
    ----------
    leaves
        The population: the leaves that it has of each dimension that it constrains.
    count
        The number of people.
    text
        The population in the words of the specification.
    yaml_path
        The part of the specification that fixes the count.
    differs
        Why the count differs from the microdata; None if the specification does not say so.
    """

    leaves: Mapping[str, frozenset[int]]
    count: int
    text: str
    yaml_path: YamlPath
    differs: str | None = None


def fixed_counts(spec: ReleaseSpec, layout: Layout) -> list[FixedCount]:
    """Return the fixed counts of a specification, each population once.

    Raises
    ------
    SpecError
        A name is unknown, or two fixed counts contradict each other.
    """
    books = {book.name: book for book in layout.books}
    by_population: dict[tuple[tuple[str, frozenset[int]], ...], FixedCount] = {}
    for index, section in enumerate(spec.fixed):
        yaml_path = ("fixed", index)
        text = ", ".join(f"{name}: {label}" for name, label in section.where.items()) or EVERYONE
        for name in section.where:
            if name not in books:
                near = did_you_mean(name, books)
                raise SpecError(
                    f"{name!r} ({text}) is a dimension of no table; name dimensions of tables{near}", yaml_path
                )
        leaves = {name: books[name].select([label], "fixed, on", yaml_path) for name, label in section.where.items()}
        leaves = {name: members for name, members in leaves.items() if len(members) < len(books[name].leaves)}
        fixed = FixedCount(leaves, section.count, text, yaml_path, section.differs)
        earlier = by_population.setdefault(tuple(sorted(leaves.items(), key=lambda item: item[0])), fixed)
        if earlier.count != fixed.count:
            raise SpecError(
                f"fixed gives {earlier.count} for {earlier.text} and {fixed.count} for {fixed.text}, which are the same"
                " people; correct one of them",
                yaml_path,
            )
    fixed_list = list(by_population.values())
    _refuse_contradictions(fixed_list, {book.name: len(book.leaves) for book in layout.books})
    return fixed_list


def _refuse_contradictions(fixed_list: Sequence[FixedCount], leaves: Mapping[str, int]) -> None:
    """Raise SpecError if disjoint parts exceed their whole, or make up the whole and have another sum.

    `leaves` is the number of leaves of each dimension.
    """
    for whole in fixed_list:
        parts: list[FixedCount] = []
        for fixed in sorted(fixed_list, key=lambda fixed: -fixed.count):
            if (
                fixed is not whole
                and _is_inside(fixed, whole)
                and all(disjoint(fixed.leaves, part.leaves) for part in parts)
            ):
                parts.append(fixed)
        total = sum(part.count for part in parts)
        complete = parts and sum(_combinations(part, leaves) for part in parts) == _combinations(whole, leaves)
        if total > whole.count or (total < whole.count and complete):
            counts = listed([f"{part.count} for {part.text}" for part in parts], 10)
            raise SpecError(
                f"fixed gives {whole.count} for {whole.text}, and {counts}, who are"
                f" {'all' if total < whole.count else 'some'} of them and make {total}; correct one of them",
                whole.yaml_path,
            )


def _is_inside(part: FixedCount, whole: FixedCount) -> bool:
    return all(name in part.leaves and part.leaves[name] <= leaves for name, leaves in whole.leaves.items())


def _combinations(fixed: FixedCount, leaves: Mapping[str, int]) -> int:
    """Return the number of leaf combinations of a population."""
    return math.prod(len(fixed.leaves[name]) if name in fixed.leaves else size for name, size in leaves.items())

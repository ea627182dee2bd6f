"""Which measured cells make up what is asked for.

Cells are chosen by their labels: "district=Abbey,age=0-15" is one cell of a table with these two dimensions, and
"district=Abbey" is everyone in that district: all finest cells in it, or one cell of the margin by district. A label is
one of the table's own, or of any level of its dimension ("district=north"), and then means all cells inside; cells that
are partly inside cannot be chosen by it.

Every measurement has noise of its own, so a sum of fewer has less. Of the groupings of a table that have the dimensions
of a choice, the one in which it has the fewest cells tells most. Cells are added up as independent, so no person may be
in two of them: labels that overlap (18+ and 65+), and a cell chosen twice, are refused.
"""

import csv
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.errors import ParameterError, SpecError
from discreet.labels import listed

if TYPE_CHECKING:
    from discreet.plan.layout import Grouping, GroupingAxis

Mask = npt.NDArray[np.bool_]
Labels = dict[str, str]


@dataclass(frozen=True, eq=False)
class Cells:
    """Some of the cells of a grouping; `place` is its number in the release."""

    place: int
    mask: Mask

    @property
    def number(self) -> int:
        """How many."""
        return int(self.mask.sum())


def read(text: str) -> Labels:
    """ "district=Abbey,age=0-15" by dimension; a label with a comma in it goes in double quotes with its dimension."""
    found: Labels = {}
    try:
        parts = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        raise ParameterError(f"cells are chosen by {text!r:.80}; write dimension=label, in one line") from None
    for part in parts:
        name, equals, label = part.partition("=")
        if not equals or name.strip() in found:
            raise ParameterError(f"cells are chosen by {text!r:.80}; write dimension=label, each dimension once")
        found[name.strip()] = label.strip()
    return found


def mask(grouping: "Grouping", labels: Labels) -> Mask:
    """Which cells of a grouping are chosen."""
    names = [side.book.name for side in grouping.axes]
    for name in labels:
        if name not in names:
            raise ParameterError(f"the table has no dimension {name!r}; its dimensions are: {', '.join(names)}")
    found = np.ones(grouping.shape, dtype=bool)
    for axis, side in enumerate(grouping.axes):
        here = np.array(_inside(side, labels.get(side.book.name)))
        found &= here.reshape([-1 if at == axis else 1 for at in range(found.ndim)])
    return found


def apart(finest: "Grouping", chosen: Sequence[str]) -> list[Mask]:
    """The finest cells of every choice; refused where two of them share people."""
    choices = [read(text) for text in chosen]
    masks = [mask(finest, labels) for labels in choices]
    for (one, first), (other, second) in itertools.combinations(enumerate(choices), 2):
        if (masks[one] & masks[other]).any():
            raise ParameterError(f"{chosen[other]!r} names cells that are chosen already; a cell counts once in a sum")
        if all(_people(side, first) & _people(side, second) for side in finest.axes):
            raise ParameterError(
                f"{chosen[one]!r} and {chosen[other]!r} overlap, so their cells cannot be added up; choose labels that"
                " share nobody"
            )
    return masks


def ways(groupings: Sequence[tuple[int, "Grouping"]], labels: Labels, without: Labels | None = None) -> list[Cells]:
    """The cells that make up a choice in every grouping that can express it, the fewest first.

    `without` are labels whose cells are left out.
    """
    found, complaint = [], ""
    for place, grouping in groupings:
        if not {side.book.name for side in grouping.axes} >= {*labels, *(without or ())}:
            continue
        said = _overlap(grouping, labels)
        if said is None:
            kept = mask(grouping, labels)
            found.append(Cells(place, kept if without is None else kept & ~mask(grouping, without)))
        complaint = complaint or said or ""
    if not found:
        raise ParameterError(complaint)
    return sorted(found, key=lambda cells: cells.number)


def _inside(side: "GroupingAxis", label: str | None) -> list[bool]:
    """Which groups of a side a label means: the one of that name, or all inside the leaf or group of any level."""
    if label is None:
        return [True] * len(side.labels)
    if label in side.labels:
        return [each == label for each in side.labels]
    try:
        leaves = side.book.select([label])
    except SpecError:
        leaves = frozenset()
    if not any(members & leaves for members in side.members):
        known = listed(side.labels)
        raise ParameterError(f"dimension {side.book.name!r} has no label {label!r}; choose one of: {known}") from None
    for name, members in zip(side.labels, side.members, strict=True):
        if members & leaves and not members <= leaves:
            raise ParameterError(
                f"{name!r} of {side.book.name!r} is partly inside {label!r}, whose count the table's cells do not tell;"
                f" choose whole ones, of: {listed(side.labels)}"
            )
    return [members <= leaves for members in side.members]


def _people(side: "GroupingAxis", labels: Labels) -> frozenset[int]:
    """The leaves that a choice holds."""
    inside = _inside(side, labels.get(side.book.name))
    return frozenset().union(*itertools.compress(side.members, inside))


def _overlap(grouping: "Grouping", labels: Labels) -> str | None:
    """In words, two chosen labels of one dimension that may hold the same people."""
    for side in grouping.axes:
        seen: dict[int, str] = {}
        inside = _inside(side, labels.get(side.book.name))
        for label, members in itertools.compress(zip(side.labels, side.members, strict=True), inside):
            for leaf in members:
                if leaf in seen:
                    return (
                        f"{label!r} and {seen[leaf]!r} of {side.book.name!r} overlap, so their cells cannot be added"
                        " up; choose labels that share nobody"
                    )
                seen[leaf] = label
    return None

"""Which measured cells make up the people that a reader selects.

Cells are selected by their labels: "district=Abbey,age=0-15" is one cell of a table with these two dimensions, and
"district=Abbey" is everyone in that district: all finest cells of the district, or one cell of the margin by district.
A label is a label of the table, or of any level of its dimension ("district=north"). A label of another level means all
cells inside it, and is refused if a cell is only partly inside.

Every measurement has noise of its own, so a sum of fewer measurements has less noise. Of all groupings of a table that
have the dimensions of a selection, the grouping with the fewest selected cells is best. Cells are added up as
independent, so no person may be in two of them: overlapping labels (18+ and 65+), and a cell selected twice, are
refused.
"""

import csv
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Booleans
from discreet.errors import ParameterError, SpecError
from discreet.labels import listed
from discreet.spelling import did_you_mean

if TYPE_CHECKING:
    from discreet.plan.layout import Grouping, GroupingAxis

Labels = dict[str, str]
"""A label for each dimension that a selection names."""


@dataclass(frozen=True, eq=False)
class SelectedCells:
    """Cells of one grouping: the index of the grouping in the release, and True for every selected cell."""

    grouping_index: int
    mask: Booleans

    @property
    def number(self) -> int:
        """Number of selected cells."""
        return int(self.mask.sum())


def read_labels(text: str) -> Labels:
    """Return the labels of a selection such as "district=Abbey,age=0-15", by dimension.

    A label that contains a comma is quoted together with its dimension: 'area=1,"sex=f, female"'.

    Raises
    ------
    ParameterError
        The text has another form, or names a dimension twice.
    """
    labels: Labels = {}
    try:
        fields = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        raise ParameterError(f"cells are selected by {text!r:.80}; write dimension=label, on one line") from None
    for field in fields:
        name, equals, label = field.partition("=")
        if not equals or name.strip() in labels:
            raise ParameterError(f"cells are selected by {text!r:.80}; write dimension=label, each dimension once")
        labels[name.strip()] = label.strip()
    return labels


def selection_mask(grouping: "Grouping", labels: Labels) -> Booleans:
    """Return True for the selected cells of a grouping.

    Raises
    ------
    ParameterError
        The grouping has no such dimension, the dimension has no such label, or a cell is only partly inside a label.
    """
    names = [axis.book.name for axis in grouping.axes]
    for name in labels:
        if name not in names:
            raise ParameterError(
                f"the table has no dimension {name!r}; its dimensions are: {', '.join(names)}"
                f"{did_you_mean(name, names)}"
            )
    mask = np.ones(grouping.shape, dtype=bool)
    for axis_index, axis in enumerate(grouping.axes):
        along_axis = np.array(_groups_inside(axis, labels.get(axis.book.name)))
        mask &= along_axis.reshape([-1 if index == axis_index else 1 for index in range(mask.ndim)])
    return mask


def disjoint_masks(finest: "Grouping", selections: Sequence[str]) -> list[Booleans]:
    """Return the mask of every selection in the finest grouping.

    Raises
    ------
    ParameterError
        Two selections share a cell or may share people, or a selection cannot be read.
    """
    all_labels = [read_labels(text) for text in selections]
    masks = [selection_mask(finest, labels) for labels in all_labels]
    for (i, first), (j, second) in itertools.combinations(enumerate(all_labels), 2):
        if (masks[i] & masks[j]).any():
            raise ParameterError(
                f"{selections[j]!r} names cells that are selected already; a cell counts once in a sum"
            )
        if all(_leaves_inside(axis, first) & _leaves_inside(axis, second) for axis in finest.axes):
            raise ParameterError(
                f"{selections[i]!r} and {selections[j]!r} overlap, so their cells cannot be added up; select labels"
                " that share nobody"
            )
    return masks


def ways_to_select(
    groupings: Sequence[tuple[int, "Grouping"]], labels: Labels, without: Labels | None = None
) -> list[SelectedCells]:
    """Return the cells of a selection in every grouping that can express it, the fewest cells first.

    Parameters
    ----------
    groupings
        Groupings, each with its index in the release.
    without
        Labels whose cells are left out of the selection.

    Raises
    ------
    ParameterError
        No grouping can express the selection, because its labels overlap.
    """
    ways, first_overlap = [], ""
    for index, grouping in groupings:
        if not {axis.book.name for axis in grouping.axes} >= {*labels, *(without or ())}:
            continue
        overlap = _overlap(grouping, labels)
        if overlap is None:
            mask = selection_mask(grouping, labels)
            ways.append(SelectedCells(index, mask if without is None else mask & ~selection_mask(grouping, without)))
        first_overlap = first_overlap or overlap or ""
    if not ways:
        raise ParameterError(first_overlap)
    return sorted(ways, key=lambda cells: cells.number)


def _groups_inside(axis: "GroupingAxis", label: str | None) -> list[bool]:
    """Return True for every group of an axis that a label selects.

    The label is the group of that name, or all groups inside the leaf or group of that name at any level. None selects
    all groups.
    """
    if label is None:
        return [True] * len(axis.labels)
    if label in axis.labels:
        return [name == label for name in axis.labels]
    try:
        leaves = axis.book.select([label])
    except SpecError:
        leaves = frozenset()
    if not any(members & leaves for members in axis.members):
        groups = [name for name in axis.book.group_labels if name not in axis.labels and _adds_up(axis, name)]
        of_levels = f"; groups: {listed(list(dict.fromkeys(groups)))}" if groups else ""
        raise ParameterError(
            f"dimension {axis.book.name!r} has no label {label!r}; choose from: {listed(axis.labels)}{of_levels}"
            f"{did_you_mean(label, [*axis.labels, *groups])}"
        ) from None
    for name, members in zip(axis.labels, axis.members, strict=True):
        if members & leaves and not members <= leaves:
            raise ParameterError(
                f"{name!r} of {axis.book.name!r} is partly inside {label!r}, so the table has no cells that add up to"
                f" {label!r}; choose whole labels from: {listed(axis.labels)}"
            )
    return [members <= leaves for members in axis.members]


def _adds_up(axis: "GroupingAxis", label: str) -> bool:
    """Return True if a group, of any level, consists of groups of an axis."""
    try:
        leaves = axis.book.select([label])
    except SpecError:
        return False
    return leaves == frozenset().union(*(members for members in axis.members if members <= leaves))


def _leaves_inside(axis: "GroupingAxis", labels: Labels) -> frozenset[int]:
    """Return the leaves of an axis that a selection holds."""
    inside = _groups_inside(axis, labels.get(axis.book.name))
    return frozenset().union(*itertools.compress(axis.members, inside))


def _overlap(grouping: "Grouping", labels: Labels) -> str | None:
    """Return, in words, two selected labels of one dimension that may hold the same people. None: there are none."""
    for axis in grouping.axes:
        label_by_leaf: dict[int, str] = {}
        inside = _groups_inside(axis, labels.get(axis.book.name))
        for label, members in itertools.compress(zip(axis.labels, axis.members, strict=True), inside):
            for leaf in members:
                if leaf in label_by_leaf:
                    return (
                        f"{label!r} and {label_by_leaf[leaf]!r} of {axis.book.name!r} overlap, so their cells cannot be"
                        " added up; select labels that share nobody"
                    )
                label_by_leaf[leaf] = label
    return None


def selections_of(selection: Any) -> Sequence[str]:
    """Return selections as a list. A single text is a list of one."""
    texts = [selection] if isinstance(selection, str) else list(selection) if isinstance(selection, Iterable) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        raise ParameterError(
            f'cells are selected by {selection!r:.60}; give texts such as "district=Abbey", or "" for all cells'
        )
    return texts

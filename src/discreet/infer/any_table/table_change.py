"""The change of a table between two releases, each count with the interval of its change.

The measurements of two versions of the data are independent. So where the laws of least squares are known in both
releases, the law of the error of a difference is that of both errors together, as in `discreet infer --minus`.
Elsewhere the change comes from the posteriors of both counts, if there are not too many.

Two releases are compared only if they count the same people in the same way: an earlier version of the data, the same
title, the same unit, and the same categories in every dimension of the table. Two titles are the same if they differ
only where each names its own version: "Town 2025" and "Town 2026".
"""

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.errors import IncomparableError, ParameterError
from discreet.infer import combine
from discreet.infer._same_population import codebook_difference, require_comparable
from discreet.infer.any_table.answered_table import AnsweredTable
from discreet.infer.any_table.counted_cells import CountedCells, has_few_summands
from discreet.infer.any_table.error_kinds import ErrorKinds
from discreet.infer.posterior_value import Estimated
from discreet.plan.planner import law_of_terms
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.joint_intervals import LEVEL

if TYPE_CHECKING:
    from discreet.infer.any_table.open_release import OpenRelease


@dataclass(frozen=True, eq=False)
class ChangedCells:
    """Changes of counts, in the shape of the cells.

    Attributes
    ----------
    changes
        Later counts minus earlier ones.
    low, high
        The ends of the intervals of the changes. 0 where the interval is not known.
    known
        True where the interval is known.
    """

    changes: Integers
    low: Integers
    high: Integers
    known: Booleans

    @property
    def clear(self) -> Booleans:
        """True if noise does not explain the change: the interval is known, and 0 is outside."""
        return self.known & ((self.low > 0) | (self.high < 0))


def why_not_comparable(now: "OpenRelease", before: "OpenRelease") -> str | None:
    """Return why nothing can be said about the change between two releases; None if it can."""
    try:
        require_comparable(now.measured, before.measured)
    except ParameterError as error:
        return str(error)
    ours, theirs = DisplayLabels(now.spec).title, DisplayLabels(before.spec).title
    if _without_version(ours, now.spec.version) != _without_version(theirs, before.spec.version):
        return (
            f"the title of {before.path} is {theirs!r:.200} and the title of {now.path} is {ours!r:.200}, so they may"
            " count other people; choose releases of one title"
        )
    if version_order(before.spec.version) > version_order(now.spec.version):
        return (
            f"version {before.spec.version!r} of {before.path} is later than version {now.spec.version!r} of"
            f" {now.path}; choose an earlier version"
        )
    shared = [name for name in now.books if name in before.books]
    if not shared:
        return f"{now.path} and {before.path} have no dimension in common"
    return None


def _without_version(title: str, version: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(version)}(?!\w)", "", title).strip()


def version_order(version: str) -> tuple[list[str | int], str]:
    """Return what sorts versions from the earliest. Numbers in a version count as numbers, so "9" is before "10"."""
    parts = re.split(r"([0-9]+)", version)
    return [int(part) if index % 2 else part for index, part in enumerate(parts)], version


def table_change(now: AnsweredTable, before: AnsweredTable) -> dict[str, ChangedCells]:
    """Return the changes of the cells and the margins that both tables have, by name.

    Parameters
    ----------
    now, before
        Answers to one question, from two releases.

    Raises
    ------
    ParameterError
        The releases count different people.
    IncomparableError
        A dimension of the table has other categories.
    """
    require_comparable(now.release.measured, before.release.measured)
    _require_same_categories(now, before)
    earlier = before.blocks
    return {
        name: _changed(block, earlier[name], now.release, before.release)
        for name, block in now.blocks.items()
        if name in earlier
    }


def _require_same_categories(now: AnsweredTable, before: AnsweredTable) -> None:
    ours, theirs = now.resolved, before.resolved
    for axis, other in zip((*ours.rows, *ours.columns), (*theirs.rows, *theirs.columns), strict=True):
        difference = codebook_difference(axis.book, other.book)
        if difference is None and (axis.labels, list(axis.members)) != (other.labels, list(other.members)):
            difference = f"the level {axis.level!r} of {axis.book.name!r} has other groups"
        if difference is not None:
            raise IncomparableError(f"{before.release.path} cannot be compared: {difference}; take the dimension out")
    for name in ours.within.keys() | theirs.within.keys():
        difference = codebook_difference(now.release.books[name], before.release.books[name])
        if difference is None and ours.within.get(name) != theirs.within.get(name):
            difference = f"the filter on {name!r} keeps other categories"
        if difference is not None:
            raise IncomparableError(f"{before.release.path} cannot be compared: {difference}; leave the filter out")


def _changed(now: CountedCells, before: CountedCells, later: "OpenRelease", earlier: "OpenRelease") -> ChangedCells:
    changes = now.counts - before.counts
    if now.errors is not None and before.errors is not None:
        lower, upper = _ends_of_errors(now, before, earlier)
        low, high = Estimated.ends_of_change(now.estimates() - before.estimates(), lower, upper)
        known = np.ones(changes.shape, dtype=bool)
    else:
        low, high, known = _ends_of_posteriors(now, before)
    return ChangedCells(changes, np.minimum(low, changes), np.maximum(high, changes), known)


def _ends_of_errors(now: CountedCells, before: CountedCells, earlier: "OpenRelease") -> tuple[Floats, Floats]:
    """Return the ends of the errors of differences of estimates, in the shape of the cells."""
    ours, theirs = now.errors, before.errors
    assert ours is not None
    assert theirs is not None
    pairs, of_cell = np.unique(np.stack([ours.kinds.ravel(), theirs.kinds.ravel()]), axis=1, return_inverse=True)
    ends = []
    for new, old in pairs.T.tolist():
        name = (str(earlier.path), ours.names[new], theirs.names[old])
        ends.append(ours.release.ends.get(name, partial(_ends_of_pair, ours, new, theirs, old)))
    lower, upper = np.array(ends).T[:, of_cell.reshape(now.counts.shape)]
    return lower, upper


def _ends_of_pair(ours: ErrorKinds, new: int, theirs: ErrorKinds, old: int) -> tuple[float, float]:
    """Return the ends of the error of an estimate of one kind minus an estimate of another kind."""
    negated = [(table, -values, numbers) for table, values, numbers in theirs.terms(old)]
    return law_of_terms([*ours.terms(new), *negated]).ends(LEVEL)


def _ends_of_posteriors(now: CountedCells, before: CountedCells) -> tuple[Integers, Integers, Booleans]:
    """Return the ends of the intervals of changes from the posteriors of both counts, and where they are known."""
    low, high = np.zeros_like(now.counts), np.zeros_like(now.counts)
    known = np.zeros(now.counts.shape, dtype=bool)
    if not all(has_few_summands(cells, cells.sums.numbers) for cells in (now, before)):
        return low, high, known
    indices = list(np.ndindex(*known.shape))
    for cell, new, old in zip(indices, now.posteriors_of(indices), before.posteriors_of(indices), strict=True):
        if new is not None and old is not None:
            low[cell], high[cell] = combine.difference(new, old).interval(LEVEL)
            known[cell] = True
    return low, high, known

"""The counts of a table, each with its interval, from the published grouping that has the fewest cells to add up.

Counts are sums of published counts, so they are whole numbers that add up with everything else that is published. A
cell that is published has the published interval. The interval of a sum comes from the measurements:

- where the law of least squares is known (`publish.joint_intervals`), from the law of the sum of the estimates, as in
  `discreet infer --sum`;
- elsewhere from the posterior of the sum of the measurements, if the cells are measured and are not too many;
- otherwise nothing is said: the interval is 0 to no end.

An interval is widened to its count. A cell is **mostly noise** if half the width of its interval exceeds its count, or
if the interval has no end.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.errors import UnpublishedTableError
from discreet.infer import combine
from discreet.infer.any_table.error_kinds import ErrorKinds, error_kinds
from discreet.infer.any_table.source_cells import CellSums, cell_sums
from discreet.infer.any_table.table_question import ResolvedAxis
from discreet.infer.posteriors import posterior
from discreet.plan.planner import interval_around
from discreet.publish.cell_intervals import NO_END
from discreet.publish.joint_intervals import LEVEL

if TYPE_CHECKING:
    from discreet.infer.any_table.open_release import OpenRelease
    from discreet.infer.posterior_value import Posterior

MOST_POSTERIORS, MOST_SUMMANDS = 400, 20_000
"""The most sums whose posteriors are computed for a table, and the most measurements in them."""

MOST_UNLIKE_SUMMANDS = 500
"""The most measurements if the noise depends on the count. Each has a distribution of its own, so sums take longer."""


@dataclass(frozen=True, eq=False)
class CountedCells:
    """Counts and intervals, in the shape of the axes.

    Attributes
    ----------
    release
        The release.
    index
        The index of the published grouping whose cells were added up.
    sums
        How they were added up.
    counts, low, high
        The counts and the ends of their intervals; NO_END for an interval without an end.
    """

    release: "OpenRelease"
    index: int
    sums: CellSums
    counts: Integers
    low: Integers
    high: Integers

    @property
    def noisy(self) -> Booleans:
        """True for cells that are mostly noise."""
        return is_mostly_noise(self.counts, self.low, self.high)

    @property
    def is_published(self) -> bool:
        """True if every cell is a published cell."""
        return bool((self.sums.numbers == 1).all())

    @cached_property
    def errors(self) -> ErrorKinds | None:
        """The laws of the errors of the estimates; None if they are not known."""
        return error_kinds(self.release, self.index, self.sums)

    def estimates(self) -> Floats:
        """Return least squares of every cell; for groupings with a law of their errors."""
        return self.sums.summed(self.release.estimates[self.index])

    def posteriors_of(self, cells: Sequence[tuple[int, ...]]) -> "list[Posterior | None]":
        """Return the posteriors of the true counts of some cells, from the measurements that are added up.

        The posterior is None if the cell is not measured, or if a count may be at the end of the domain of its noise.
        """
        release = self.release.published
        numbers, ptable = release.measurements[self.index], release.plan.ptable_of(self.index)
        if numbers is None or ptable is None:
            return [None for _ in cells]
        measured = [numbers[np.ix_(*groups)].ravel() for groups in map(self._groups_of, cells)]
        if combine.has_same_noise(ptable):
            return [combine.measured_totals([(ptable, own)]) for own in measured]
        counts = iter(posterior(ptable, np.concatenate(measured)) if measured else [])
        by_cell = [list(itertools.islice(counts, own.size)) for own in measured]
        return [None if any(count.open_end for count in own) else combine.total(own) for own in by_cell]

    def _groups_of(self, cell: tuple[int, ...]) -> list[Integers]:
        of_axis = dict(zip(self.sums.order, cell, strict=True))
        return [own.of(of_axis.get(axis, 0)) for axis, own in enumerate(self.sums.picked)]


def is_mostly_noise(counts: Integers, low: Integers, high: Integers) -> Booleans:
    """Return True for counts that are less than half the width of their interval, and for intervals without an end."""
    return np.asarray((high == NO_END) | (high - low > 2 * counts))


def counted(
    release: "OpenRelease", axes: Sequence[ResolvedAxis], within: Mapping[str, frozenset[int] | None]
) -> CountedCells:
    """Return the counts of a table with their intervals.

    Parameters
    ----------
    release
        The release.
    axes
        The axes of the table.
    within
        The leaves that count, for dimensions that are no axis.

    Raises
    ------
    UnpublishedTableError
        No published grouping adds up to the table.
    """
    index, sums = source_of(release, axes, within)
    counts = sums.summed(release.counts[index])
    ends = release.intervals[index]
    low, high, single = sums.taken(ends.low), sums.taken(ends.high), np.asarray(sums.numbers == 1)
    cells = CountedCells(release, index, sums, counts, low, high)
    if single.all():
        return cells
    sum_low, sum_high = _ends_of_sums(cells, single)
    sum_low = np.minimum(sum_low, counts)
    sum_high = np.where(sum_high == NO_END, NO_END, np.maximum(sum_high, counts))
    return CountedCells(release, index, sums, counts, np.where(single, low, sum_low), np.where(single, high, sum_high))


def source_of(
    release: "OpenRelease", axes: Sequence[ResolvedAxis], within: Mapping[str, frozenset[int] | None]
) -> tuple[int, CellSums]:
    """Return the index of the grouping with the fewest cells to add up, and how they are added up.

    Raises
    ------
    UnpublishedTableError
        No published grouping adds up to the table.
    """
    best: tuple[int, CellSums] | None = None
    for index, grouping in enumerate(release.layout.groupings):
        sums = cell_sums(grouping, axes, within)
        if sums is not None and (best is None or sums.cost < best[1].cost):
            best = index, sums
    if best is None:
        names = ", ".join(dict.fromkeys([*(axis.book.name for axis in axes), *within])) or "all people"
        raise UnpublishedTableError(
            f"no published table adds up to this one: none has {names} together at these levels"
        )
    return best


def has_few_summands(cells: CountedCells, numbers: Integers) -> bool:
    """Return True if the posteriors of some sums are computed in a moment.

    Parameters
    ----------
    cells
        The cells of a table.
    numbers
        For each of the sums, how many measurements are added up.
    """
    ptable = cells.release.published.plan.ptable_of(cells.index)
    is_unlike = ptable is not None and not combine.has_same_noise(ptable)
    most = MOST_UNLIKE_SUMMANDS if is_unlike else MOST_SUMMANDS
    return numbers.size <= MOST_POSTERIORS and int(numbers.sum()) <= most


def _ends_of_sums(cells: CountedCells, single: Booleans) -> tuple[Integers, Integers]:
    """Return the ends of the intervals of sums."""
    if cells.errors is not None:
        return interval_around(cells.estimates(), *cells.errors.ends())
    low, high = np.zeros_like(cells.counts), np.full_like(cells.counts, NO_END)
    numbers = cells.sums.numbers[~single]
    if not has_few_summands(cells, numbers):
        return low, high
    indices = [tuple(cell) for cell in np.argwhere(~single).tolist()]
    for cell, known in zip(indices, cells.posteriors_of(indices), strict=True):
        if known is not None:
            low[cell], high[cell] = known.interval(LEVEL)
    return low, high

"""The interval of a published count from all measurements together.

Let x be least squares without bounds (`reconcile.joint_estimates`), as a real number. Its error is a sum of independent
noises, each times a known coefficient, so its law is known (`plan.planner.error_law`): it is below `lower` and above
`upper` with at most 2.5% each. The interval is ceil(x - upper) to floor(x - lower), not below 0. An interval that
begins at 0 is not shorter than half the width: an estimate far below 0 says "few", and never "nobody".

A cell of several populations that are fitted apart (a table of women, and the women in a table of everyone) has several
such intervals. All tables show the one whose error has the nearest ends.

The interval holds the true count with a chance of at least 95%, whatever the count is, for groupings that are measured
and for those that are not. Cells of one kind have one law, so a grouping without levels has one law for all its cells.

There is no such interval, and a cell keeps the interval of its own measurement, if

- the noise of some table depends on the count, is not 0 on average, or has tails that the law does not reach;
- the release meets counts that the specification fixes, or uses contributor keys, whose noises are not independent;
- its tables do not add up (`reconcile: none`, categories that overlap);
- its grouping has more than `MOST_KINDS` kinds of cells, or kinds times measured cells exceed `MOST_WORK`, or several
  dimensions have levels and there are many cells (`joint_estimates`).

The specification and the certificates decide this, never a measurement.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.certify.ptable import PTable
from discreet.certify.table import Table
from discreet.domain import Counts
from discreet.plan.planner import ErrorLaw, interval_around, law_of_terms
from discreet.plan.release_plan import ReleasePlan
from discreet.reconcile.dense_estimates import DenseEstimates, Terms
from discreet.reconcile.joint_estimates import ComponentEstimates, joint_estimates
from discreet.reconcile.table_plan import Measurements, TablePlan

LEVEL = 0.95

MOST_KINDS = 64
"""The most kinds of cells in a grouping, each of which has a law of its own."""

MOST_WORK = 20_000_000
"""The most kinds times measured cells: coefficients that are computed for a grouping."""

FAR, FAR_CHANCE = 25.0, 1e-9
"""The noise of a table is beyond so many standard deviations with at most this chance."""

TIE = 1e-9
"""Widths of errors that differ by less, as a share, are equal."""

WHOLE = 1e-9
"""Coefficients that are nearer to an integer are whole numbers."""

Ends = tuple[Integers, Integers]


@dataclass(frozen=True, eq=False)
class JointIntervals:
    """Estimates and laws of errors of all groupings that have them. Made by `joint_intervals`.

    Attributes
    ----------
    ptables
        The tables of noise.
    parts
        The estimates of every part of the release that has them.
    part_of
        For every grouping the estimates that it belongs to.
    cells
        The indices of the cells of every grouping. If given, a cell of several parts has one interval (`_narrowest`).
    """

    ptables: tuple[PTable, ...]
    parts: tuple[ComponentEstimates | DenseEstimates, ...]
    part_of: Mapping[int, ComponentEstimates | DenseEstimates]
    cells: Sequence[Integers] | None = None
    _laws: dict[bytes, ErrorLaw] = field(default_factory=dict)
    _ends: dict[tuple[int, float], tuple[Floats, Floats]] = field(default_factory=dict)

    def ends(self, measurements: Measurements, level: float = LEVEL) -> dict[int, Ends]:
        """Return the first and the last count of every interval, by grouping index.

        Parameters
        ----------
        measurements
            The measurements of every grouping.
        level
            The least chance, from 0.5 to 0.9999, that an interval holds the true count.
        """
        intervals = {}
        for index, estimates in self.estimates(measurements).items():
            intervals[index] = interval_around(estimates, *self.ends_of_errors(index, level))
        if self.cells is None or len(self.parts) < 2:
            return intervals
        shapes = {index: low.shape for index, (low, _) in intervals.items()}
        lows, highs = (
            self._of_narrowest({index: ends[side].ravel() for index, ends in intervals.items()}, level)
            for side in (0, 1)
        )
        return {index: (lows[index].reshape(shape), highs[index].reshape(shape)) for index, shape in shapes.items()}

    def half_widths(self, level: float = LEVEL) -> dict[int, Floats]:
        """Return half the widths of all intervals: one flat array for each grouping.

        If an estimate is a sum of measurements, a half width is the whole number that the interval has. Otherwise it is
        the half width before the ends are rounded.
        """
        widths = {}
        for index in self.part_of:
            lower, upper = self.ends_of_errors(index, level)
            kinds, laws = self.laws(index)
            are_whole = np.array([_is_whole(law) for law in laws])[kinds]
            lower, upper = np.where(are_whole, np.ceil(lower), lower), np.where(are_whole, np.floor(upper), upper)
            widths[index] = (upper - lower).ravel() / 2
        return self._of_narrowest(widths, level)

    def _of_narrowest(self, values: Mapping[int, Any], level: float) -> dict[int, Any]:
        """Return for every cell the value of the cell that `narrowest` names; flat arrays, by grouping index."""
        result = dict(values)
        for index, (groupings, positions) in self.narrowest(level).items():
            result[index] = values[index].copy()
            for source in np.unique(groupings).tolist():
                result[index][groupings == source] = values[source][positions[groupings == source]]
        return result

    def narrowest(self, level: float = LEVEL) -> dict[int, tuple[Integers, Integers]]:
        """Return for every cell the cell of the same people whose error has the nearest ends; the first of equals.

        The laws of the errors decide, never a measurement, so an interval holds the truth as often as before. The
        result has, by grouping index, the grouping and the position of that cell. It is empty if no cell has another.
        """
        if self.cells is None or len(self.parts) < 2:
            return {}
        size = 1 + max(int(cells.max()) for cells in self.cells)
        widths = np.full(size, np.inf)
        groupings, positions = np.zeros((2, size), dtype=np.int64)
        for index in sorted(self.part_of):
            lower, upper = self.ends_of_errors(index, level)
            own = (upper - lower).ravel()
            narrower = np.flatnonzero(own < widths[self.cells[index]] * (1 - TIE))
            chosen = self.cells[index][narrower]
            widths[chosen], groupings[chosen], positions[chosen] = own[narrower], index, narrower
        return {index: (groupings[self.cells[index]], positions[self.cells[index]]) for index in sorted(self.part_of)}

    def ends_of_errors(self, index: int, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the ends of the error of every cell of a grouping, in its shape."""
        if (index, level) not in self._ends:
            kinds, laws = self.laws(index)
            lower, upper = np.array([law.ends(level) for law in laws]).T
            self._ends[index, level] = lower[kinds], upper[kinds]
        return self._ends[index, level]

    def estimates(self, measurements: Measurements) -> dict[int, Floats]:
        """Return least squares without bounds, for every grouping that has a law."""
        estimates: dict[int, Floats] = {}
        for part in self.parts:
            estimates |= {
                index: values
                for index, values in part.estimates(measurements).items()
                if self.part_of.get(index) is part
            }
        return estimates

    def laws(self, index: int) -> tuple[Integers, list[ErrorLaw]]:
        """Return the kind of every cell of a grouping, in its shape, and the law of the errors of every kind."""
        kinds = self.part_of[index].kinds(index)
        _, representatives = np.unique(kinds, return_index=True)
        laws = []
        for cell in representatives.tolist():
            times = np.zeros(kinds.shape)
            times.flat[cell] = 1.0
            laws.append(self.law(self.part_of[index].coefficients({index: times})))
        return kinds, laws

    def law(self, terms: Terms) -> ErrorLaw:
        """Return the law of a sum of noises times coefficients. Equal laws are made once."""
        law = law_of_terms([(self.ptables[table], values, None) for table, values in terms])
        by_table = [(self.ptables.index(table), values, numbers) for table, values, numbers in law.terms]
        key = b"".join(
            bytes([table]) + np.round(values, 12).tobytes() + numbers.tobytes() for table, values, numbers in by_table
        )
        return self._laws.setdefault(key, law)


def _is_whole(law: ErrorLaw) -> bool:
    """Return True if the error is a sum of noises, each times a whole number."""
    return all(np.abs(values - np.rint(values)).max(initial=0) < WHOLE for _, values, _ in law.terms)


def joint_intervals(plan: ReleasePlan, table_plan: TablePlan, *, one_each: bool = True) -> JointIntervals:
    """Return the estimates and laws of a release. Groupings without a law are left out.

    Parameters
    ----------
    plan
        What is published, and with which noise.
    table_plan
        How the tables are made.
    one_each
        False: as before version 6 of the format, a cell has an interval of its own in each population.
    """
    if plan.literals or plan.spec.key == "contributors" or not all(map(has_one_law, plan.ptables)):
        return JointIntervals(plan.ptables, (), {})
    parts: list[ComponentEstimates | DenseEstimates] = []
    part_of: dict[int, ComponentEstimates | DenseEstimates] = {}
    for _, part in table_plan.parts:
        estimates = joint_estimates(part, plan.measured, table_plan.noise_variances)
        if estimates is None:
            continue
        parts.append(estimates)
        cells = sum(layout.size for layout in map(plan.layout.groupings.__getitem__, part.grouping_indices))
        for index in estimates.groupings:
            kinds = int(estimates.kinds(index).max()) + 1
            if kinds <= MOST_KINDS and kinds * cells <= MOST_WORK:
                part_of.setdefault(index, estimates)
    return JointIntervals(plan.ptables, tuple(parts), part_of, plan.layout.cells.indices if one_each else None)


def has_one_law(ptable: PTable) -> bool:
    """Return True if every count has the same noise, 0 on average, without far outliers."""
    table: Table = ptable.table
    if not isinstance(table.domain, Counts) or table.domain.upper is not None:
        return False
    if table.rows or len(table.interior) != 1:
        return False
    row = table.interior[0]
    noise = range(row.first, row.first + len(row.weights))
    if sum(value * weight for value, weight in zip(noise, row.weights, strict=True)):
        return False
    square = sum(value * value * weight for value, weight in zip(noise, row.weights, strict=True)) / table.total
    reach = FAR * math.sqrt(square)
    beyond = sum(weight for value, weight in zip(noise, row.weights, strict=True) if abs(value) > reach)
    return beyond <= FAR_CHANCE * table.total

"""The interval beside each published count: the counts that can be true.

Where the law of least squares is known, the interval comes from all measurements together (`joint_intervals`). This
module has the other intervals, and the rules for all of them.

**The interval of a measurement.** The counts k = 0, 1, ... that can give the measurement y have the weights

    w(k) = weight of y in the row of k,

with the certified integers. Under a flat prior w is the posterior of the count. The interval leaves out at most 2.5% of
the weight below, and at most 2.5% above. If the least possible count weighs at least as much as the last count of the
interval, nothing is left out below. An interval that begins at 0 is not shorter than half the width of an interval far
above 0: a measurement far below 0 says "few", and never "nobody". Averaged over counts, such intervals hold the truth
with a chance of at least 95% (`infer.coverage`).

Integers decide both ends, so that every machine, and a checker without numpy, gets the same intervals.

**Published counts.** Tables that add up use all measurements, so a published count may lie outside the interval of its
own measurement. Then the interval is widened to the count. A count that the specification fixes is public from
elsewhere: its interval is the count alone. A cell inside a population that is fixed at 0 is fixed, too.

**Groupings that are not measured, without a law.** Their counts come from least squares x, without bounds, whose error
is a sum of independent noises, each times a factor. Let s be the largest standard deviation of x in the grouping
(`variances`), and k the largest excess of kurtosis of the tables of noise, at least 0. If noise is right on average,
the fourth moment of the error is (3 + k) s**4 at most, because the fourth cumulant of a sum is at most k s**4. So with
a chance of 95% the error is at most

    r = s ((3 + k) / 0.05)**(1/4)         (3.3 s for geometric noise, 2.8 s for Gaussian noise),

and the interval is ceil(x - r) to floor(x + r). An interval that begins at 0 is not shorter than r. If no formula gives
s, if counts are fixed, or if the noise depends on the count, nothing is said: the interval is 0 to no end.

If the certified table ends at `upper`, larger counts are measured like `upper`. An interval that reaches `upper` has no
end.
"""

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.arrays import Booleans, Integers
from discreet.certify.table import Table
from discreet.domain import LARGEST, Counts
from discreet.plan.layout import Grouping
from discreet.reconcile import fixed_counts
from discreet.reconcile.table_plan import Fitted, Measurements, TablePlan, Tables

NO_END = -1
"""Stands for the upper end of an interval that has none."""

TAIL = 40
"""One part in so many may be left out at either end of an interval."""


MISSED = 0.05
"""The chance that the interval of a grouping that is not measured misses the true count, at most."""

SLACK = 1e-6
"""Added to the reach of least squares for last digits."""


@dataclass(frozen=True, eq=False)
class CountIntervals:
    """The intervals of the counts of a grouping. Both ends belong to the interval. `high` may be NO_END."""

    low: Integers
    high: Integers


def count_intervals(
    plan: TablePlan,
    noise: Sequence[Table],
    measurements: Measurements,
    fitted: Sequence[Fitted],
    tables: Tables,
    joint: Mapping[int, tuple[Integers, Integers]],
) -> list[list[CountIntervals]]:
    """Return the intervals of published counts: for each table, one entry for each of its groupings.

    Parameters
    ----------
    plan
        How the tables were made.
    noise
        The certified integers of every table of noise.
    measurements
        The measurements of every grouping.
    fitted
        The numbers of every part of the plan.
    tables
        The published counts of every table.
    joint
        The ends of the intervals from all measurements together, of the groupings that have them (`joint_intervals`).
    """
    intervals: dict[int, CountIntervals] = {}
    for number, table in enumerate(noise):
        own = {
            index: numbers
            for index, numbers in enumerate(measurements)
            if numbers is not None and plan.measured.noise_of[index] == number and index not in joint
        }
        if own:
            intervals |= dict(zip(own, own_intervals(table, list(own.values())), strict=True))
    intervals |= least_squares_intervals(plan, noise, fitted)
    intervals |= {index: CountIntervals(*ends) for index, ends in joint.items()}
    fixed = [_fixed_cells(plan, grouping) for grouping in plan.layout.groupings]
    return [
        [_around(intervals[index], fixed[index], numbers) for index, numbers in zip(indices, counts, strict=True)]
        for (_, indices), counts in zip(plan.layout.tables, tables, strict=True)
    ]


def least_squares_intervals(
    plan: TablePlan, noise: Sequence[Table], fitted: Sequence[Fitted], missed: float = MISSED
) -> dict[int, CountIntervals]:
    """Return the intervals of groupings that are not measured, by grouping index.

    Parameters
    ----------
    plan, noise, fitted
        As for `count_intervals`.
    missed
        The chance that an interval misses the true count, at most.
    """
    deviations = {} if plan.literals or not all(map(_is_centred, noise)) else plan.exact_deviations()
    spread = ((3 + max(map(_excess_kurtosis, noise))) / missed) ** 0.25
    intervals: dict[int, CountIntervals] = {}
    for (_, part), fitted_part in zip(plan.parts, fitted, strict=True):
        for index in part.grouping_indices:
            if plan.measured.noise_of[index] is not None or index in intervals:
                continue
            shape = plan.layout.groupings[index].shape
            if index not in deviations or fitted_part.free is None:
                intervals[index] = CountIntervals(np.zeros(shape, np.int64), np.full(shape, NO_END))
                continue
            centre, reach = fitted_part.free[index], spread * deviations[index].largest + SLACK
            low = np.maximum(np.ceil(centre - reach), 0).astype(np.int64)
            high = np.floor(centre + reach).astype(np.int64)
            high = np.where(low == 0, np.maximum(high, math.ceil(reach)), high)
            intervals[index] = CountIntervals(low, high)
    return intervals


def _is_centred(table: Table) -> bool:
    """Return True if every count has the same noise, which is 0 on average."""
    if table.rows or len(table.interior) != 1:
        return False
    row = table.interior[0]
    return sum(value * weight for value, weight in enumerate(row.weights, row.first)) == 0


def _excess_kurtosis(table: Table) -> float:
    """Return the excess of kurtosis of the noise of large counts; 0 if it is below 0."""
    if len(table.interior) != 1:
        return 0.0
    row = table.interior[0]
    second, fourth = (
        sum(value**power * weight for value, weight in enumerate(row.weights, row.first)) for power in (2, 4)
    )
    return max(0.0, float(Fraction(fourth * table.total, second**2)) - 3) if second else 0.0


def own_intervals(table: Table, measurements: Sequence[Integers]) -> list[CountIntervals]:
    """Return the intervals of measurements, each from its own cell alone.

    Parameters
    ----------
    table
        The certified integers of the noise, for counts from 0 on.
    measurements
        Arrays of any shape.
    """
    flat = np.concatenate([np.ravel(numbers) for numbers in measurements])
    distinct, inverse = np.unique(flat, return_inverse=True)
    posterior = _Posterior(table)
    representatives = posterior.smallest_equivalent(distinct)
    values, index = np.unique(representatives, return_inverse=True)
    ends = np.array([posterior.ends(int(value)) for value in values], dtype=np.int64).reshape(-1, 2)[index]
    low, high = (ends + (distinct - representatives)[:, None]).T
    high = np.where(high >= posterior.upper, NO_END, high) if posterior.upper < LARGEST else high
    edges = np.cumsum([np.size(numbers) for numbers in measurements])[:-1]
    return [
        CountIntervals(low_part.reshape(numbers.shape), high_part.reshape(numbers.shape))
        for low_part, high_part, numbers in zip(
            np.split(low[inverse], edges), np.split(high[inverse], edges), measurements, strict=True
        )
    ]


class _Posterior:
    """The weights of counts, given a measurement.

    Far from the small rows, the weights depend on the measurement by its residue modulo the period of the interior.
    """

    def __init__(self, table: Table) -> None:
        assert isinstance(table.domain, Counts)
        self.table = table
        self.upper = LARGEST if table.domain.upper is None else table.domain.upper
        firsts = [row.first - count for count, row in enumerate(table.rows)] + [row.first for row in table.interior]
        rows = [*table.rows, *table.interior]
        self.least = min(firsts)
        self.most = max(first + len(row.weights) for first, row in zip(firsts, rows, strict=True)) - 1
        self.far = table.start + self.most
        period = len(table.interior)
        self.columns = [
            [
                table.interior[(residue + index) % period].at(self.most - index)
                for index in range(self.most - self.least + 1)
            ]
            for residue in range(period)
        ]
        far_ends = [_ends(column) for column in self.columns]
        self.half_width = max((-((low - high) // 2) for low, high in far_ends), default=0)

    def smallest_equivalent(self, measurements: Integers) -> Integers:
        """Return, for each measurement, the smallest one whose weights are the same, moved."""
        period = len(self.table.interior)
        if not period:
            return measurements
        periodic = (measurements >= self.far) & (measurements - self.least < self.upper)
        return np.where(periodic, self.far + (measurements - self.far) % period, measurements)

    def ends(self, measurement: int) -> tuple[int, int]:
        """Return the first and the last count of the interval of a measurement. The last is `upper` at most.

        A measurement that no count can give, which a checker refuses, stands for itself.
        """
        first, last = max(0, measurement - self.most), min(measurement - self.least, self.upper)
        small_end = min(self.table.start, last + 1)
        weights = [self.table.rows[count].at(measurement) for count in range(first, small_end)]
        if last >= self.table.start:
            column = self.columns[(measurement - self.far) % len(self.columns)]
            begin = measurement - self.most
            weights += column[max(first, self.table.start) - begin : last + 1 - begin]
        if not any(weights):
            return max(0, measurement), max(0, measurement)
        low, high = (first + end for end in _ends(weights))
        return low, min(max(high, self.half_width), self.upper) if low == 0 else high


def _ends(weights: Sequence[int]) -> tuple[int, int]:
    """Return the indices of the first and the last count of an interval."""
    sums = list(itertools.accumulate(weights))
    low = bisect_right(sums, sums[-1] // TAIL)
    high = bisect_left(sums, -(-(TAIL - 1) * sums[-1] // TAIL))
    first = bisect_right(sums, 0)
    return first if weights[first] >= weights[high] else low, high


def _fixed_cells(plan: TablePlan, grouping: Grouping) -> Booleans:
    """Return True for the cells whose counts the specification fixes."""
    fixed = np.zeros(grouping.shape, dtype=bool)
    for _, cells in fixed_counts.cells_of(plan.literals, grouping):
        fixed |= cells
    return fixed


def _around(own: CountIntervals, fixed: Booleans, counts: Integers) -> CountIntervals:
    """Return the intervals of published counts: widened to the count, and the count alone if it is fixed."""
    high = np.where(own.high == NO_END, NO_END, np.maximum(own.high, counts))
    return CountIntervals(np.where(fixed, counts, np.minimum(own.low, counts)), np.where(fixed, counts, high))

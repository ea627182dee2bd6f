"""Compare published counts with the measurements: before tables are published, and by anyone afterwards.

The true counts are non-negative and add up, so some tables are near the measurements: the true tables are. How far the
truth is from the measurements y depends on the noise alone. For a grouping of N cells, with a probability of at most
`CHANCE` each, the truth is further from y than

    q  in some cell,             with Pr[|noise| > q] <= CHANCE / N,
    r  in root mean square,      with r**2 = min over t > 0 of (log E exp(t noise**2) + log(1 / CHANCE) / N) / t.

q and r are computed from the certified integers. Published counts p are no further from the truth than that, and as a
rule nearer. So a grouping fails if |p - y| exceeds 2 q in some cell, or 2 r in root mean square. Least squares without
bounds, x, is compared in the same way: |p - x| may be as large times the standard deviation of x over that of the
noise. Rounding is allowed for. The total is settled first: it must be x, rounded and not below 0.

A grouping that is not measured is compared with x alone. Its cells are sums of cells of a measured grouping, so the
noise of that grouping tells how far x may be.

A count that is given from elsewhere is compared with the measured cells of its people, and with their sum where several
cells make up these people. The truth of a sum s of N cells is further away than q with a probability of at most CHANCE,

    q = min over t > 0 of (N log max(E exp(t noise), E exp(-t noise)) + log(2 / CHANCE)) / t.

A given count that is further away is refused, unless the specification says why it differs.

Tables that meet given counts that differ from the microdata, as the specification says, and tables that follow them,
may be wherever those counts put them. Least squares without bounds meets these counts, too. If x is too far from y, the
given counts explain it, and the tables are not compared; all others are. Lists made by Wang's algorithm 3 are not
compared, because it moves large counts up by design.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.certify.table import Table
from discreet.errors import ReleaseError
from discreet.plan.fixed import FixedCount
from discreet.reconcile import fixed_counts
from discreet.reconcile._part_methods import LARGE
from discreet.reconcile.cliques import Part
from discreet.reconcile.table_plan import Fitted, Measurements, TablePlan

CHANCE = 1e-9
"""The probability of each comparison to refuse a release that is right."""

ROUNDING = 3.0
"""How far rounding may move a count; in root mean square, a third of that."""

WHOLE = 0.51
"""How far a total may be from the number that settles it: it is rounded, and last digits may differ."""


class Noise:
    """How far the noise of a certified table reaches.

    Parameters
    ----------
    table
        The integers of a table of unbounded counts.
    """

    def __init__(self, table: Table) -> None:
        rows = [table.row(count) for count in range(LARGE, LARGE + len(table.interior))]
        values = [np.arange(len(row.weights)) + row.first - LARGE - residue for residue, row in enumerate(rows)]
        reach = max(int(np.abs(row_values).max()) for row_values in values)
        self._values = np.arange(-reach, reach + 1)
        self._signed = np.zeros((len(rows), len(self._values)))
        self._probabilities = np.zeros((len(rows), reach + 1))
        for residue, (row, row_values) in enumerate(zip(rows, values, strict=True)):
            shares = [float(weight / table.total) for weight in row.weights]
            self._signed[residue, row_values + reach] = shares
            np.add.at(self._probabilities[residue], np.abs(row_values), shares)

    @cached_property
    def deviation(self) -> float:
        """The root mean square, the largest over the period of the table."""
        return math.sqrt(float((self._probabilities @ np.arange(self._probabilities.shape[1]) ** 2.0).max()))

    def largest(self, cells: int) -> float:
        """Return the size that no noise of so many cells exceeds, with probability 1 - CHANCE."""
        beyond = np.cumsum(self._probabilities[:, ::-1], axis=1)[:, ::-1].max(axis=0)
        return float(np.count_nonzero(beyond > CHANCE / cells))

    def largest_sum(self, cells: int, chance: float) -> float:
        """Return the size that no sum of the noise of so many cells exceeds, with probability 1 - `chance`."""
        if not self.deviation:
            return 0.0
        rates = np.geomspace(1e-6, 10, 400) / self.deviation
        logs = np.maximum(self._log_moments(rates), self._log_moments(-rates))
        return float(min(cells * self._values[-1], np.min((cells * logs + math.log(2 / chance)) / rates)))

    def _log_moments(self, rates: Floats) -> Floats:
        """Return log E exp(rate noise) for every rate, the largest over the period of the table."""
        exponents = rates[:, None] * self._values[None, :]
        top = exponents.max(axis=1)
        moments: Floats = top + np.log((np.exp(exponents - top[:, None]) @ self._signed.T).max(axis=1))
        return moments

    def mean_square(self, cells: int) -> float:
        """Return the number that the mean square over so many cells does not exceed, with probability 1 - CHANCE."""
        squares = np.arange(self._probabilities.shape[1]) ** 2.0
        rates = np.geomspace(1e-6, 10, 200) / self.deviation**2 if self.deviation else np.ones(1)
        exponents = rates[:, None] * squares[None, :]
        top = rates * squares[self._probabilities.any(axis=0)].max()
        means = (np.exp(np.minimum(exponents - top[:, None], 0)) @ self._probabilities.T).max(axis=1)
        moments = top + np.log(means)
        return float(np.min((moments - math.log(CHANCE) / cells) / rates))


def require_near(
    plan: TablePlan, fitted: Sequence[Fitted], measurements: Measurements, tables: Sequence[Table]
) -> None:
    """Raise ReleaseError if published counts are further from the measurements than noise explains.

    Parameters
    ----------
    plan
        How the tables are made.
    fitted
        The numbers of every part of the plan.
    measurements
        The measurements of every grouping.
    tables
        The certified integers of every table of noise.
    """
    for failure in [*contradicted(plan, measurements, tables), *too_far(plan, fitted, measurements, tables)]:
        if plan.literals:
            remedy = "Correct what is fixed, which may contradict the data, or state under differs why a count differs"
        else:
            remedy = "Try another reconcile, or none, and report this as a defect"
        raise ReleaseError(f"{failure}. Tables like these are not published. {remedy}")


def contradicted(plan: TablePlan, measurements: Measurements, tables: Sequence[Table]) -> list[str]:
    """Return a sentence for every given count that noise does not explain, unless the specification says why.

    Parameters
    ----------
    plan, measurements, tables
        As for `require_near`.
    """
    return [
        f"{given.text}; noise does not explain that"
        for given in given_counts(plan, measurements, tables)
        if not given.explained and given.differs is None
    ]


@dataclass(frozen=True)
class GivenCount:
    """A count that is given from elsewhere, and the measurement to compare it with.

    Attributes
    ----------
    people
        The people that the count is about.
    count
        The count.
    cells
        How many measured cells are compared with the count: 0 if none is about these people.
    measured
        The measurement, or the sum of several measurements, that is farthest from the count; None if there is none.
    explained
        Whether noise explains the difference.
    differs
        Why the count differs from the microdata, in the words of the specification; None if it does not say so.
    """

    people: str
    count: int
    cells: int
    measured: int | None
    explained: bool
    differs: str | None

    @property
    def text(self) -> str:
        """The count and its measurement in words."""
        measured = f"{self.measured:,} was measured"
        if self.cells > 1:
            measured = f"{self.measured:,} is the sum of their {self.cells:,} measured cells"
        return f"fixed gives {self.count:,} for {self.people}, and {measured}"


class _Compared(NamedTuple):
    """A measurement, or a sum of measurements, that a given count is compared with."""

    measured: int
    cells: int
    limit: float

    def excess(self, count: int) -> float:
        """Return by how much the distance from a count exceeds what noise explains."""
        return abs(self.measured - count) - self.limit


def given_counts(plan: TablePlan, measurements: Measurements, tables: Sequence[Table]) -> list[GivenCount]:
    """Return every count that is given from elsewhere, compared with the measurements of its cells.

    A count above 0 is compared with the measured cells of every grouping whose cells make up exactly these people, and
    0 with all measured cells of people among them. Noise that has an upper end explains any difference, because larger
    counts are measured as if they were that end.

    Parameters
    ----------
    plan, measurements, tables
        As for `require_near`.
    """
    noises = [Noise(table) if plan.literals and table.interior else None for table in tables]
    counts = []
    for literal in plan.literals:
        compared = list(_comparisons(plan, literal, measurements, noises))
        farthest = max(compared, key=lambda one: (one.excess(literal.count), -one.limit), default=None)
        counts.append(
            GivenCount(
                literal.text,
                literal.count,
                0 if farthest is None else farthest.cells,
                None if farthest is None else farthest.measured,
                farthest is None or farthest.excess(literal.count) <= 0,
                literal.differs,
            )
        )
    return counts


def _comparisons(
    plan: TablePlan, literal: FixedCount, measurements: Measurements, noises: Sequence[Noise | None]
) -> Iterator[_Compared]:
    """Yield what a given count is compared with: one measurement of every measured grouping that is about its people.

    For 0 this is the measurement of the grouping that is farthest from 0, for other counts a sum.
    """
    comparisons = len(plan.literals) * max(1, len(plan.measured.groupings))
    for index in plan.measured.groupings:
        number, measured = plan.measured.noise_of[index], measurements[index]
        assert number is not None, "the grouping is measured"
        assert measured is not None, "the grouping is measured"
        noise = noises[number]
        grouping = plan.layout.groupings[index]
        if literal.count:
            parts = fixed_counts.parts_of(literal, grouping)
            if parts is not None:
                cells = int(np.count_nonzero(parts))
                limit = math.inf if noise is None else noise.largest_sum(cells, CHANCE / comparisons)
                yield _Compared(int(measured[parts].sum()), cells, limit)
        else:
            for _, inside in fixed_counts.cells_of([literal], grouping):
                values = measured[inside]
                limit = math.inf if noise is None else noise.largest(len(values) * comparisons)
                yield _Compared(int(values[np.argmax(np.abs(values))]), 1, limit)


def too_far(
    plan: TablePlan, fitted: Sequence[Fitted], measurements: Measurements, tables: Sequence[Table]
) -> Iterator[str]:
    """Yield a sentence for every grouping whose published counts are further from measurements than noise explains.

    Parameters
    ----------
    plan, fitted, measurements, tables
        As for `require_near`.
    """
    if not plan.parts:
        return
    noises = [Noise(table) for table in tables]
    for (method, part), fitted_part in zip(plan.parts, fitted, strict=True):
        noise_of = {index: _noise_of(plan, part, index, noises) for index in part.grouping_indices}
        elsewhere = plan.meets_counts(part, that_differ=True)
        if method == "wang-3" or (elsewhere and _free_is_far(fitted_part, measurements, noise_of)):
            continue
        deviations = plan.deviations(part) or {}
        settles = not plan.follows(part) and not plan.meets_literals(part)
        for index, counts in fitted_part.counts.items():
            name, (noise, widest) = plan.layout.groupings[index].name, noise_of[index]
            measured = measurements[index]
            if measured is not None:
                yield from _compared(counts, measured, noise, 1.0, name, "the measurements")
            if fitted_part.free is not None:
                free = fitted_part.free[index]
                ratio = widest
                if index in deviations:
                    ratio = deviations[index].typical / noise.deviation if noise.deviation else 0.0
                yield from _compared(counts, free, noise, ratio, name, "least squares without bounds")
                if settles and counts.size == 1 and abs(counts.item() - max(0.0, free.item())) > WHOLE:
                    yield (
                        f"{name}: published is {counts.item():,}, and least squares without bounds, which settles it,"
                        f" says {free.item():,.1f}"
                    )


def _noise_of(plan: TablePlan, part: Part, index: int, noises: Sequence[Noise]) -> tuple[Noise, float]:
    """Return the noise of a grouping, and how many times the deviation of the noise least squares has at most.

    If the grouping is not measured, take the noise of the finer measured grouping whose sums have the least noise.
    """
    own = plan.measured.noise_of[index]
    if own is not None:
        return noises[own], 1.0
    finer = []
    for other in part.grouping_indices:
        number = plan.measured.noise_of[other]
        cells = None if number is None else part.containing_cells(part.keys[other], part.keys[index])
        if number is not None and cells is not None:
            most = math.sqrt(int(np.bincount(cells).max()))
            finer.append((most * noises[number].deviation, most, number))
    _, most, number = min(finer)
    return noises[number], most


def _free_is_far(fitted: Fitted, measurements: Measurements, noise_of: Mapping[int, tuple[Noise, float]]) -> bool:
    """Return True if least squares without bounds is further from the measurements than noise explains."""
    for index, free in (fitted.free or {}).items():
        measured = measurements[index]
        if measured is not None and any(True for _ in _compared(free, measured, noise_of[index][0], 1.0, "", "")):
            return True
    return False


def _compared(
    counts: npt.NDArray[np.number],
    reference: npt.NDArray[np.number],
    noise: Noise,
    ratio: float,
    grouping_name: str,
    reference_name: str,
) -> Iterator[str]:
    """Yield a sentence if counts are too far from a reference whose error is `ratio` times the noise."""
    distances = np.abs(counts - reference).astype(np.float64)
    largest, typical = float(distances.max()), math.sqrt(float(np.mean(distances**2)))
    largest_limit = 2 * ratio * noise.largest(distances.size) + ROUNDING
    typical_limit = 2 * ratio * math.sqrt(noise.mean_square(distances.size)) + ROUNDING / 3
    if largest > largest_limit or typical > typical_limit:
        yield (
            f"{grouping_name}: published counts are up to {largest:,.0f} ({typical:,.1f} in root mean square) away"
            f" from {reference_name}; noise explains {largest_limit:,.0f} ({typical_limit:,.1f})"
        )

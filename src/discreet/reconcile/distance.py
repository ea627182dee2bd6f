"""Are published counts near what was measured? The last question before tables are published, and for anyone after.

For every grouping of N cells, published counts p are compared with its measurements y and with least squares without
bounds x. The true counts are non-negative and add up, so some tables are near the measurements: the truth itself is.
Noise alone decides how far the truth is from y; with a chance of `CHANCE` at most it is further than

    q  in one of the cells,      with Pr[|noise| > q] <= CHANCE / N,
    r  in root mean square,      with r**2 = min over t > 0 of (log E exp(t noise**2) + log(1 / CHANCE) / N) / t,

both from the certified integers. What is published is no further from the truth than that, as a rule nearer. So
|p - y| must not exceed 2 q in any cell, nor 2 r in root mean square, and |p - x| the same times the standard deviation
of x over that of the noise; rounding is allowed for. The total is settled first: it must be x itself, rounded
and not below 0. Tables that meet counts which were given from elsewhere, or follow
tables that do, may be anywhere those counts put them. Least squares without bounds meets them, too: tables for which it
is too far from the measurements are not compared, as the counts that were given explain that; all others are. Lists
made by Wang's algorithm 3, which moves large counts up by design, are not compared.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.certify.table import Table
from discreet.errors import ReleaseError
from discreet.reconcile import fixed_counts
from discreet.reconcile.table_plan import LARGE, Fitted, TablePlan

CHANCE = 1e-9
"""Of a release that is refused though nothing is wrong, for each comparison."""

ROUNDING = 3.0
"""How far rounding may move a count; in root mean square, a third of that."""


WHOLE = 0.51
"""How far a total may be from the number that settles it: it is rounded, and last digits may differ."""


class Noise:
    """How far noise goes, by the integers of a table."""

    def __init__(self, table: Table) -> None:
        period = [table.row(count) for count in range(LARGE, LARGE + len(table.interior))]
        sizes = [np.abs(np.arange(len(row.weights)) + row.first - LARGE - at) for at, row in enumerate(period)]
        self._shares = np.zeros((len(period), 1 + max(int(each.max()) for each in sizes)))
        for number, (row, each) in enumerate(zip(period, sizes, strict=True)):
            np.add.at(self._shares[number], each, [float(weight / table.total) for weight in row.weights])

    @cached_property
    def deviation(self) -> float:
        """The root mean square, the largest over the period of the table."""
        return math.sqrt(float((self._shares @ np.arange(self._shares.shape[1]) ** 2.0).max()))

    def largest(self, cells: int) -> float:
        """What none of so many cells exceeds, but for a chance of CHANCE."""
        beyond = np.cumsum(self._shares[:, ::-1], axis=1)[:, ::-1].max(axis=0)
        return float(np.count_nonzero(beyond > CHANCE / cells))

    def mean_square(self, cells: int) -> float:
        """What the mean square over so many cells does not exceed, but for a chance of CHANCE."""
        squares = np.arange(self._shares.shape[1]) ** 2.0
        rates = np.geomspace(1e-6, 10, 200) / self.deviation**2 if self.deviation else np.ones(1)
        exponents = rates[:, None] * squares[None, :]
        top = rates * squares[self._shares.any(axis=0)].max()
        moments = top + np.log((np.exp(np.minimum(exponents - top[:, None], 0)) @ self._shares.T).max(axis=1))
        return float(np.min((moments - math.log(CHANCE) / cells) / rates))


def require_near(plan: TablePlan, fitted: Sequence[Fitted], values: Sequence[Integers], table: Table) -> None:
    """Raise ReleaseError if published counts are further from the measurements than noise explains."""
    for wrong in too_far(plan, fitted, values, table):
        unlikely = "; ".join(each.text for each in given_counts(plan, values, table) if not each.explained)
        why = (
            f"Correct what is fixed: {unlikely}"
            if unlikely
            else "Correct what is fixed, which may contradict the data"
            if plan.literals
            else "Try another reconcile, or none, and report this as a defect"
        )
        raise ReleaseError(f"{wrong}. Tables like these are not published. {why}")


@dataclass(frozen=True)
class GivenCount:
    """A count that was given from elsewhere, beside its measurement.

    Attributes
    ----------
    who
        The people that it is about.
    measured
        The measurement that is farthest from it; None if no measured cell is about just these people.
    explained
        Whether noise explains the difference.
    """

    who: str
    count: int
    measured: int | None
    explained: bool

    @property
    def text(self) -> str:
        """The count and its measurement in words."""
        return f"fixed gives {self.count:,} for {self.who}, and {self.measured:,} was measured"


def given_counts(plan: TablePlan, values: Sequence[Integers], table: Table) -> list[GivenCount]:
    """Compare every count that was given from elsewhere with the measurements of its cells.

    A count other than 0 is compared with the cell of just these people, and 0 with all cells of people among them.
    Noise that has an upper end explains any difference, because larger counts are measured as if they were that end.
    """
    noise = Noise(table) if plan.literals and table.interior else None
    found = []
    for one in plan.literals:
        measured = [
            values[place][cells]
            for place, grouping in enumerate(plan.layout.groupings)
            for _, cells in fixed_counts.at([one], grouping)
        ]
        if not measured:
            found.append(GivenCount(one.text, one.count, None, True))
            continue
        every = np.concatenate(measured)
        farthest = int(every[np.argmax(np.abs(every - one.count))])
        explained = noise is None or abs(farthest - one.count) <= noise.largest(every.size * len(plan.literals))
        found.append(GivenCount(one.text, one.count, farthest, explained))
    return found


def too_far(plan: TablePlan, fitted: Sequence[Fitted], values: Sequence[Integers], table: Table) -> Iterator[str]:
    """Every grouping whose published counts are further from the measurements than noise explains, in words."""
    if not plan.parts:
        return
    noise = Noise(table)
    for (method, part), found in zip(plan.parts, fitted, strict=True):
        if method == "wang-3" or (plan.states_counts(part) and _given_far(found, values, noise)):
            continue
        deviations = plan.deviations(part) or {}
        settles = not plan.follows(part) and not plan.stated(part)
        for place, counts in found.counts.items():
            name = plan.layout.groupings[place].name
            yield from _compared(counts, values[place], noise, 1.0, name, "the measurements")
            if found.free is not None:
                ratio = deviations.get(place, noise.deviation) / noise.deviation if noise.deviation else 0.0
                yield from _compared(counts, found.free[place], noise, ratio, name, "least squares without bounds")
                if settles and counts.size == 1 and abs(counts.item() - max(0.0, found.free[place].item())) > WHOLE:
                    yield (
                        f"{name}: published is {counts.item():,}, and least squares without bounds, which settles it,"
                        f" says {found.free[place].item():,.1f}"
                    )


def _given_far(found: Fitted, values: Sequence[Integers], noise: Noise) -> bool:
    """Whether counts from elsewhere put least squares without bounds further from measurements than noise does."""
    free = found.free or {}
    return any(True for place in free for _ in _compared(free[place], values[place], noise, 1.0, "", ""))


def _compared(
    counts: npt.NDArray[np.number], others: npt.NDArray[np.number], noise: Noise, ratio: float, head: str, tail: str
) -> Iterator[str]:
    apart = np.abs(counts - others).astype(np.float64)
    most, typical = float(apart.max()), math.sqrt(float(np.mean(apart**2)))
    limit = 2 * ratio * noise.largest(apart.size) + ROUNDING
    usual = 2 * ratio * math.sqrt(noise.mean_square(apart.size)) + ROUNDING / 3
    if most > limit or typical > usual:
        yield (
            f"{head}: published counts are up to {most:,.0f} ({typical:,.1f} in root mean square) away from {tail};"
            f" noise explains {limit:,.0f} ({usual:,.1f})"
        )

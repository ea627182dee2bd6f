"""The error to expect of every grouping: of its measurements, of least squares, and as published.

**Exact.** Measurements have the variance of the certified noise. Least squares without bounds is linear in them, and
its variance is a formula (`reconcile.variances`).

**Simulated.** Published counts are not below 0, which no formula covers. So the published counts are taken for the
truth, noise is drawn for them with public numbers, and tables are made from it. In every run the squares P of
published errors and L of least-squares errors, each a mean over the cells of a grouping, go up and down together, and
the mean of L is known. So error**2 = mean(P) - b (mean(L) - exact variance), b being the slope of P on L over the runs,
which varies far less than mean(P). Tables are not rounded in the simulation, but for trees and totals: what rounding
adds is taken from the published tables themselves. A total that is far above 0 is least squares, rounded: its error
follows from the exact one, and is not simulated. A number is shown only if its Monte Carlo error is below `SURE`.

Least squares may not converge for simulated measurements, though it did for the real ones. Published tables are none
the worse for that, so the release goes on, no simulated number is shown, and report and steward's log say why. Numbers
that are drawn are public and the same for all, so `verify` finds the same.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.errors import SolverError
from discreet.measure import lookup
from discreet.reconcile import tie_breaking

if TYPE_CHECKING:
    from discreet.publish.folder import Published


MOST_RUNS, LEAST_RUNS = 16, 5
"""Simulated releases."""

MOST_DRAWN = 30_000
"""Counts that are simulated in all; fewer runs for more cells, none where that leaves too few."""

FAR = 5.0
"""Standard deviations above 0 from which a total is never moved to 0."""

SURE = 0.03
"""Largest Monte Carlo error of a simulated number, as a share of the number: one standard error."""


@dataclass(frozen=True)
class Errors:
    """Root mean square errors; None where they are not known."""

    measured: float
    least_squares: float | None
    published: float | None


@dataclass(frozen=True)
class Expected:
    """The errors of every grouping that is made to add up, by its place in the layout, and the number of runs.

    `failed` is what the solver said, if no simulation was possible.
    """

    of: dict[int, Errors]
    runs: int
    failed: str | None = None


def expected(published: "Published") -> Expected:
    """The errors to expect, from what is published and nothing else."""
    plan = published.table_plan
    own = math.sqrt(plan.variance)
    exact: dict[int, float] = {}
    for method, part in plan.parts:
        free = method != "wang-3" and not plan.states_counts(part) and not plan.follows(part)
        known = plan.deviations(part) if free else None
        for place in part.places:
            if known is not None:
                exact[place] = known[place]
    simulated: dict[int, float] = {}
    runs, failed = 0, None
    try:
        simulated, runs = _simulated(published, exact)
    except SolverError as error:
        failed = str(error)
    return Expected(
        {place: Errors(own, exact.get(place), simulated.get(place)) for _, part in plan.parts for place in part.places},
        runs,
        failed,
    )


def _simulated(published: "Published", exact: dict[int, float]) -> tuple[dict[int, float], int]:
    """The errors of published counts, where they are sure, and the number of runs."""
    size = len(published.plan.layout.cells[0])
    runs = min(MOST_RUNS, MOST_DRAWN // size)
    if runs < LEAST_RUNS:
        return {}, 0
    truth = _truth(published)
    drawn = [_drawn(published, truth, run) for run in range(runs)]
    found: dict[int, float] = {}
    for number in range(len(published.table_plan.parts)):
        made_again = published.table_plan.simulated(number, drawn)
        for place in published.table_plan.parts[number][1].places if made_again else ():
            true = truth[published.plan.layout.cells[1][place]].reshape(published.plan.layout.groupings[place].shape)
            squares = np.array([[np.mean((x - true) ** 2) for x in each[place]] for each in made_again or ()])
            known = exact[place] ** 2 if place in exact else None
            square, uncertain = _controlled(squares[:, 0], squares[:, 1], known)
            if square > 0 and uncertain / (2 * square) < SURE:
                one = published.plan.layout.groupings[place].size == 1
                found[place] = math.sqrt(square if one else square + published.fitted[number].rounding(place))
            if known is not None and true.size == 1 and true.item() > FAR * exact[place]:
                found[place] = math.sqrt(known + 1 / 12)
    return found, runs


def _controlled(known: Floats, wanted: Floats, mean: float | None) -> tuple[float, float]:
    """The mean of one variable, and its standard error, with the help of another if the mean of that is known."""
    apart = known - known.mean()
    spread = 0.0 if mean is None else float(apart @ apart)
    slope = float(apart @ wanted) / spread if spread else 0.0
    rest = wanted - wanted.mean() - slope * apart
    error = math.sqrt(float(rest @ rest) / (len(wanted) - 2) / len(wanted))
    return float(wanted.mean()) - slope * (float(known.mean()) - (mean or 0.0)), error


def _truth(published: "Published") -> npt.NDArray[np.int64]:
    """The published count of every distinct cell; where one has two, that of the part that comes first."""
    truth = np.zeros(len(published.plan.layout.cells[0]), dtype=np.int64)
    for number in [
        *published.table_plan.clamped,
        *(table for _, part in reversed(published.table_plan.parts) for table in part.tables),
    ]:
        for place, numbers in zip(published.plan.layout.tables[number][1], published.tables[number], strict=True):
            truth[published.plan.layout.cells[1][place]] = numbers.ravel()
    return truth


def _drawn(published: "Published", truth: npt.NDArray[np.int64], run: int) -> list[npt.NDArray[np.int64]]:
    """Measurements of the published counts, with public numbers for keys."""
    shift = np.uint64(64 - published.plan.ptable.bits)
    keys = tie_breaking.priorities(tie_breaking.key(published.plan.spec.seed), len(truth), run + 1) >> shift
    return lookup.by_grouping(
        published.plan.layout, np.asarray(published.plan.ptable.perturb(truth, keys), dtype=np.int64)
    )

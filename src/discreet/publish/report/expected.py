"""The errors to expect in each grouping: of measurements, of least squares, and of published counts.

**Exact.** Measurements have the variance of the certified noise. Least squares without bounds is linear in the
measurements, and has a variance by formula (`reconcile.variances`).

**Simulated.** Published counts are not below 0, and no formula covers that. So each run takes the published counts as
the truth, draws noise for them with public random numbers, and makes tables. Let P be the mean square error of the
published counts of a grouping, and L the mean square error of least squares. P and L rise and fall together, and the
mean of L is known. So

    error**2 = mean(P) - b (mean(L) - exact variance),    b the slope of P on L over the runs,

which varies much less than mean(P). The simulation rounds trees and totals only. For other tables, the mean square of
rounding is taken from the published tables and added. A total far above 0 is least squares, rounded: its error follows
from the exact error. A number is shown only if its Monte Carlo error is below `SURE`.

Least squares may fail to converge for simulated measurements although it converged for the real ones. The published
tables are right all the same. So the release continues without simulated numbers, and the report and the steward's log
give the reason. The random numbers are public, so `verify` gets the same result.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.errors import SolverError
from discreet.measure.lookup import measure
from discreet.reconcile import tie_breaking

if TYPE_CHECKING:
    from discreet.publish.folder import Published


MOST_RUNS, LEAST_RUNS = 12, 5
"""The most and the fewest simulated runs."""

MOST_DRAWN = 30_000
"""The most counts that are simulated in all runs together. Large releases have fewer runs, or none."""

FAR = 5.0
"""A total that is this many standard deviations above 0 is taken as never moved to 0."""

SURE = 0.03
"""The largest standard error of a simulated number, as a share of the number."""


@dataclass(frozen=True)
class Errors:
    """The root mean square errors of a grouping. An error that is not known is None, as is that of no measurement."""

    measured: float | None
    least_squares: float | None
    published: float | None


@dataclass(frozen=True)
class Expected:
    """The errors to expect.

    Attributes
    ----------
    of
        The errors of each grouping that is made to add up, by its index in the layout.
    runs
        The number of simulated runs; 0 if nothing was simulated.
    failed
        The message of the solver, if the simulation failed.
    """

    of: dict[int, Errors]
    runs: int
    failed: str | None = None


def expected(published: "Published") -> Expected:
    """Return the errors to expect, computed from public values only."""
    plan = published.table_plan
    noise = {index: plan.variance_of(index) for index in range(len(plan.layout.groupings))}
    exact = {index: deviation.typical for index, deviation in plan.exact_deviations().items()}
    simulated: dict[int, float] = {}
    runs, failed = 0, None
    try:
        simulated, runs = _simulated(published, exact)
    except SolverError as error:
        failed = str(error)
    return Expected(
        {
            index: Errors(_root(noise[index]), exact.get(index), simulated.get(index))
            for _, part in plan.parts
            for index in part.grouping_indices
        },
        runs,
        failed,
    )


def _root(variance: float | None) -> float | None:
    return None if variance is None else math.sqrt(variance)


def _simulated(published: "Published", exact: dict[int, float]) -> tuple[dict[int, float], int]:
    """Return the errors of published counts that the simulation gives with certainty, and the number of runs."""
    layout, table_plan = published.plan.layout, published.table_plan
    runs = min(MOST_RUNS, MOST_DRAWN // published.plan.measured.size)
    if runs < LEAST_RUNS:
        return {}, 0
    truth = _truth(published)
    measurements = [_drawn(published, truth, run) for run in range(runs)]
    errors: dict[int, float] = {}
    any_simulated = False
    for part_index, (_, part) in enumerate(table_plan.parts):
        simulated = table_plan.simulated(part_index, measurements)
        any_simulated |= simulated is not None
        for index in part.grouping_indices if simulated else ():
            true_counts = truth[layout.cells.indices[index]].reshape(layout.groupings[index].shape)
            squares = np.array([[np.mean((x - true_counts) ** 2) for x in run[index]] for run in simulated or ()])
            variance = exact[index] ** 2 if index in exact else None
            square, standard_error = _with_control(squares[:, 1], squares[:, 0], variance)
            if square > 0 and standard_error / (2 * square) < SURE:
                rounding = 0.0 if true_counts.size == 1 else published.fitted[part_index].rounding(index)
                errors[index] = math.sqrt(square + rounding)
            if variance is not None and true_counts.size == 1 and true_counts.item() > FAR * exact[index]:
                errors[index] = math.sqrt(variance + 1 / 12)
    return errors, runs if any_simulated else 0


def _with_control(values: Floats, control: Floats, control_mean: float | None) -> tuple[float, float]:
    """Return the mean of `values` and its standard error, with the help of a control variate whose mean is known.

    Without `control_mean`, the control variate is not used.
    """
    apart = control - control.mean()
    spread = 0.0 if control_mean is None else float(apart @ apart)
    slope = float(apart @ values) / spread if spread else 0.0
    rest = values - values.mean() - slope * apart
    error = math.sqrt(float(rest @ rest) / (len(values) - 2) / len(values))
    return float(values.mean()) - slope * (float(control.mean()) - (control_mean or 0.0)), error


def _truth(published: "Published") -> Integers:
    """Return the published count of each distinct cell. A cell with two counts has the count of the earlier part."""
    layout, table_plan = published.plan.layout, published.table_plan
    truth = np.zeros(len(layout.cells.definitions), dtype=np.int64)
    later_first = [table for _, part in reversed(table_plan.parts) for table in part.tables]
    for table in [*table_plan.clamped, *later_first]:
        for index, counts in zip(layout.tables[table][1], published.tables[table], strict=True):
            truth[layout.cells.indices[index]] = counts.ravel()
    return truth


def _drawn(published: "Published", truth: Integers, run: int) -> tuple[Integers | None, ...]:
    """Return measurements of the published counts, made with public keys."""
    plan, measured = published.plan, published.plan.measured
    words = tie_breaking.priorities(tie_breaking.key(plan.spec.seed), measured.size, run + 1)
    keys = [words[measured.of_table(table)] >> np.uint64(64 - ptable.bits) for table, ptable in enumerate(plan.ptables)]
    return measured.by_grouping(measure(plan, truth, keys))

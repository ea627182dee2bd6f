"""The linear programs of bounded noise: over all counts, over counts up to a largest one, and over symmetric noise.

Every count n has a row of probabilities p(y|n) on max(0, n-D)..n+D, with

    p(n|n) = eta,     sum_y p(y|n) = 1,     sum_y (y-n) p(y|n) = 0 for n >= 1.

The program minimises the exact delta, or for the paper's program the largest delta of one output (Sadeghi 2020,
Proposition 2). A second program takes the optimum of least total variance, and keeps delta to nine digits. If rounding
leaves the second program no room, the first optimum is returned.

Counts without end. The counts from `lowest` to start-1 have rows of their own. All larger counts share the noise of one
row, or of D rows that repeat. Sharing costs some delta. The smaller epsilon is, the farther a row feels the smallest
counts, so the start grows as epsilon falls. If epsilon times the start is below 12, the noise repeats every D counts,
because at a small epsilon the best noise resembles rounding to multiples of D. What sharing costs, in delta, above a
lower bound of the least delta:

    epsilon .01, D 3, eta .1, lowest 1     one row from 24 on 9.5e-4, this start and period less than 1e-8
    epsilon .05, D 9, eta .01, lowest 1    one row from 24 on 8.1e-4, this start and period 1.3e-4
    epsilon 1.1, D 4, eta .5, lowest 1     one row from 2D = 8 on 4.1e-7, this start and period less than 1e-8
    epsilon .15, D 9, eta .005, lowest 1   the most that was seen for D up to 9: 2.6e-4, of a delta of .0775

Tiny probabilities. A solver is right to about 1e-10, and the outermost probability is about (1-eta)/2 E^-(D-1). If this
is below 1e-7, every variable is measured in a unit of the size that the variable is expected to have. E is then taken
1e-7 smaller, so that a solver's tolerance costs no privacy, and a delta below 1e-12 counts as 1e-12. Above epsilon = 22
not even units leave floats room, and the design is the one for 22. The program without units is solved as well, and the
better of the two designs is returned.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.arrays import Floats
from discreet.assess import privacy
from discreet.design.additive._row_program import Layout, least_delta, unbiased_row
from discreet.domain import Counts
from discreet.errors import SolverError
from discreet.linear_program import Program
from discreet.mechanism import Mechanism, Row

LOOSE = 1e-9
"""Share of delta by which the second program may exceed the first."""

LEAST_START, MOST_BEFORE_START = 24, 1000
"""The earliest start of the shared noise; and the most variables before a start that is later because of epsilon."""

STATIONARY = 12
"""One row of shared noise is enough if epsilon times the start is at least this."""

NOTHING, NOTHING_IN_UNITS = 1e-13, 1e-9
"""What a solver leaves where it means 0: a probability, or a share of a unit."""

RESOLVED = 1e-7
"""The smallest probability that a solver resolves without units."""

LARGEST_RESOLVED = 22.0
"""The largest epsilon at which units leave floats room."""

SMALLEST_DELTA = 1e-12
"""With units: the smallest delta. A smaller one counts as this one."""

SMALLEST_UNIT = 1e-11
"""The smallest unit, as a share of (1-eta)/2."""

MARGIN = 1e-7
"""With units: the share by which E is taken smaller."""


@dataclass(frozen=True)
class Problem:
    """The noise to find: on [-support, support], 0 with chance eta, for all counts of a domain.

    Attributes
    ----------
    exp_epsilon
        E.
    per_output
        True: minimise the largest delta of one output, instead of the exact delta.
    time_limit
        Seconds for each program.
    """

    exp_epsilon: float
    eta: Fraction
    support: int
    counts: Counts
    per_output: bool
    time_limit: float

    @property
    def epsilon(self) -> float:
        """The logarithm of E."""
        return math.log(self.exp_epsilon)

    @property
    def side(self) -> float:
        """Half of the chance of an error."""
        return float(1 - self.eta) / 2


Rows = tuple[tuple[Row, ...], tuple[Row, ...]]
"""The rows of the small counts, and the interior of a mechanism."""


def optimum(problem: Problem) -> Rows:
    """Return rows of least delta.

    Raises
    ------
    SolverError
        The time ran out.
    """
    if problem.side * math.exp(-problem.epsilon * (problem.support - 1)) >= RESOLVED:
        return _solved(problem, units=False)
    resolved = replace(problem, exp_epsilon=min(problem.exp_epsilon, math.exp(LARGEST_RESOLVED)))
    designs, failures = [], []
    for units in (True, False):
        try:
            designs.append(_solved(resolved, units))
        except SolverError as error:
            failures.append(error)
    if not designs:
        raise failures[0]
    return min(designs, key=lambda rows: _loss(problem, rows))


def symmetric(exp_epsilon: float, eta: float, support: int, time_limit: float) -> Row:
    """Return noise for counts that are all at least `support`. The optimum is made exactly symmetric."""
    layout = Layout(period=1)
    layout.add(support, 0, 2 * support)
    program, delta = least_delta(layout, exp_epsilon)
    _add_conditions(program, layout, eta)
    values = np.clip(_least_variance(program, layout, delta, eta, time_limit)[: layout.size], 0, None)
    values = values / values.sum()
    return Row(-support, (values + values[::-1]) / 2)


def _loss(problem: Problem, rows: Rows) -> float:
    """Return the delta that the problem minimises, measured on the rows themselves."""
    mechanism = Mechanism(problem.counts, *rows)
    excesses = [np.clip(p - problem.exp_epsilon * q, 0, None) for p, q, *_ in privacy.neighbours(mechanism)]
    return max(float((part if problem.per_output else part.sum(axis=1)).max()) for part in excesses)


def _layout(problem: Problem) -> Layout:
    """Return one row for each count up to the largest, or up to the end of the shared noise."""
    lowest, highest = problem.counts.lower, problem.counts.upper
    period = 0
    if highest is None:
        start, period = _shared(problem)
        highest = start + period - 1
    layout = Layout(period)
    for count in range(lowest, highest + 1):
        layout.add(count, max(0, count - problem.support), count + problem.support)
    return layout


def _shared(problem: Problem) -> tuple[int, int]:
    """Return the count from which on the noise is shared, and after how many counts the noise repeats."""
    far = min(round(2 / problem.epsilon), MOST_BEFORE_START // (2 * problem.support + 1))
    start = max(2 * problem.support, LEAST_START, problem.counts.lower + 1, far)
    return start, 1 if problem.epsilon * start >= STATIONARY else problem.support


def _solved(problem: Problem, units: bool) -> Rows:
    """Solve both programs, with units or without, and make the rows exact."""
    layout = _layout(problem)
    program, delta = least_delta(layout, problem.exp_epsilon * (1 - MARGIN * units), problem.per_output)
    _add_conditions(program, layout, float(problem.eta))
    if units:
        program.units = _units(problem, layout, len(program.cost))
        program.rows(np.array([[delta]]), 1.0, SMALLEST_DELTA, math.inf)
    values = _least_variance(program, layout, delta, float(problem.eta), problem.time_limit)
    small = NOTHING if program.units is None else NOTHING_IN_UNITS * program.units
    values = np.where(values > small, values, 0.0)
    rows = [unbiased_row(row.of(values), row.count, row.first, problem.eta) for row in layout.rows]
    return tuple(rows[: len(rows) - layout.period]), _repeated_noise(rows, layout)


def _repeated_noise(rows: Sequence[Row], layout: Layout) -> tuple[Row, ...]:
    """Return the rows that repeat, written as noise."""
    last = len(rows) - layout.period
    repeated = zip(rows[last:], layout.rows[last:], strict=True)
    return tuple(Row(row.first - span.count, row.values, row.numerators, row.denominator) for row, span in repeated)


def _units(problem: Problem, layout: Layout, size: int) -> Floats:
    """Return the size that every variable is expected to have.

    Probabilities fall by the factor E with each step away from the count. If eta is so small that E eta is below
    (1-eta)/2, probabilities rise by the factor E before they fall.
    """
    eta, side, epsilon = float(problem.eta), problem.side, problem.epsilon
    top = max(1, math.ceil(math.log(side / eta) / epsilon))

    def expected(noise: Floats) -> Floats:
        rising, falling = math.log(eta) + epsilon * noise, math.log(side) - epsilon * (noise - top)
        return np.exp(np.maximum(np.where(noise == 0, math.log(eta), np.minimum(rising, falling)), smallest))

    smallest = math.log(SMALLEST_UNIT * side)
    units = np.empty(size)
    for row in layout.rows:
        row.of(units)[:] = expected(np.abs(row.noise).astype(np.float64))
    outermost = float(expected(np.array([float(problem.support)]))[0])
    units[layout.size :] = max(outermost, eta - math.expm1(epsilon) * side, SMALLEST_DELTA)
    return units


def _least_variance(program: Program, layout: Layout, delta: int, eta: float, time_limit: float) -> Floats:
    """Return the values of the variables with the least delta, and with the least variance if that is solved well."""
    values = program.solve(time_limit)
    unit = 1.0 if program.units is None else float(program.units[delta])
    program.rows(np.array([[delta]]), 1.0, -math.inf, values[delta] * (1 + LOOSE) + 1e-12 * unit)
    program.cost[delta] = 0.0
    for row in layout.rows:
        row.of(program.cost)[:] = row.noise**2
    with suppress(SolverError):
        better = program.solve(time_limit)
        if _violation(layout, better, eta) <= max(2 * _violation(layout, values, eta), 1e-10):
            values = better
    return values


def _violation(layout: Layout, values: Floats, eta: float) -> float:
    """Return how far rows are from the sum one, from the chance eta of the true count, and from the bias 0, at most."""
    worst = 0.0
    for row in layout.rows:
        chances = row.of(values)
        bias = float(chances @ row.noise) if row.count else 0.0
        truth = float(chances[row.count - row.first])
        worst = max(worst, abs(float(chances.sum()) - 1), abs(truth - eta), abs(bias))
    return worst


def _add_conditions(program: Program, layout: Layout, eta: float) -> None:
    """Add the conditions on single rows: the sum is one, the true count has chance eta, and the bias is 0 from 1 on."""
    for row in layout.rows:
        variables, truth = row.variables[None], row.count - row.first
        program.rows(np.delete(variables, truth, axis=1), 1.0, 1 - eta, 1 - eta)
        program.rows(variables[:, truth : truth + 1], 1.0, eta, eta)
        if row.count >= 1:
            program.rows(variables, row.noise, 0.0, 0.0)

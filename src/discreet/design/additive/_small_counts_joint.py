"""Maximum entropy for all small counts at once, with outputs of 0 or more and a delta that is met.

The counts 0..D-1 have a row each, on the outputs 0..n+D. All larger counts share the noise of the count D.

    maximise   the sum of the rows' entropies
    subject to sum_y p(y|n) = 1,  sum_y (y-n) p(y|n) = 0 for n >= 1,  sum_y (y-n)^2 p(y|n) <= V,
               sum_y max(0, p(y|n) - E p(y|n')) <= delta   for all neighbours n, n' in both directions.

The row of 0 has a bias. Suppose that two neighbours n and n+1 have unbiased outputs between 0 and n+1+D. The mean n+1
is at most E times the mean n, plus delta times the largest output, so

    delta >= (n+1 - n E) / (n+1 + D).

At n = 0 that is 1/(D+1) at every epsilon. So the bias condition is dropped at 0, and only there.

Clarabel solves the program to a tolerance that may exceed delta by some per cent. If Clarabel gives up, a looser delta
is tried. So the answer is repaired. The linear program of `_row_program` has the least delta of all; its optimum is
mixed in by the least share that brings delta back (delta is convex, the moments are linear). Every row is made exactly
unbiased. Then delta and variance are compared with their limits in exact numbers. Rows that exceed a limit are not
returned.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.arrays import Floats
from discreet.design import parameters
from discreet.design.additive._row_program import Layout, least_delta, unbiased_row
from discreet.errors import ParameterError, SolverError
from discreet.exact import Epsilon, text
from discreet.extras import how_to_install
from discreet.linear_program import Program
from discreet.mechanism import Row

LARGEST_SUPPORT, LARGEST_EPSILON = 40, 30

MARGIN = Fraction(1, 1 << 26)
"""Delta stays below the target by this much, or by a thousandth of the target, so that a table of 32 bits meets it."""

NOTHING = 1e-13
"""What a solver leaves where it means 0."""

SLACK = 1e-8
"""Share of the variance and of the bias that is left unused, for a solver's tolerance."""

TOLERANCE = 1e-9
"""Clarabel's tolerance. "AlmostSolved" is enough, because the answer is repaired and checked."""

LOOSER = (1.0, 1.1, 2.0, 10.0, 1e3, 1e6)
"""Multiples of delta that are tried in turn. Just above the least delta there is hardly a choice, and Clarabel gives
up."""


@dataclass(frozen=True)
class Limits:
    """What the rows must keep: noise up to `support`, and delta, variance and the bias of 0 at most these.

    Attributes
    ----------
    bias
        None: the row of 0 may have any bias.
    """

    privacy: Epsilon
    delta: Fraction
    support: int
    variance: Fraction
    bias: Fraction | None

    def moments_kept(self, rows: Sequence[Row]) -> bool:
        """Return True if no row exceeds the variance, and the row of 0 does not exceed the bias, exactly."""
        within = all(_moment(row, count, 2) <= self.variance for count, row in enumerate(rows))
        return within and (self.bias is None or _moment(rows[0], 0, 1) <= self.bias)


def table(limits: Limits, time_limit: float) -> tuple[tuple[Row, ...], Row]:
    """Return rows of the counts 0..support-1, and the noise of all other counts.

    Raises
    ------
    ParameterError
        The support or epsilon is too large, or no rows have so small a delta.
    SolverError
        Clarabel is not installed, or a program was not solved in time.
    """
    width = parameters.integer(
        limits.support, "support", 1, LARGEST_SUPPORT, "with small='joint' each count has a row of its own"
    )
    if float(limits.privacy) > LARGEST_EPSILON:
        raise ParameterError(
            f"epsilon is {limits.privacy}; with small='joint' give at most {LARGEST_EPSILON}: no solver resolves more"
        )
    clarabel, sparse = _solver()
    layout = Layout(period=1)
    for count in range(width + 1):
        layout.add(count, 0, count + width)
    program, delta = least_delta(layout, float(limits.privacy.exp))
    _add_moments(program, layout, limits)
    strict = program.solve(time_limit)[: layout.size]
    least = _delta(_exact_rows(layout, strict), limits.privacy)
    if least > limits.delta:
        raise ParameterError(
            f"delta is {text(limits.delta)}; at epsilon {limits.privacy}, support {width} and variance"
            f" {text(limits.variance)} the least is {float(least):.6g}: give at least that, or a larger epsilon,"
            " support, variance or bias"
        )
    goal = max(limits.delta - min(limits.delta / 1000, MARGIN), least)
    cones = _ConeProgram.of(program, delta, layout.size, sparse)
    broad = _largest_entropy(cones, float(goal), time_limit, clarabel)
    rows = _mixture(layout, broad, strict, limits, goal, least)
    noise = rows[-1]
    assert noise.numerators is not None
    return tuple(rows[:-1]), Row.exact(-width, noise.numerators, noise.denominator)


def _solver() -> tuple[Any, Any]:
    """Return Clarabel and scipy.sparse. Raise SolverError if one is not installed."""
    try:
        import clarabel
        from scipy import sparse
    except ImportError as error:
        raise SolverError(
            f"small='joint' needs the solver Clarabel, and {error.name} is not installed; {how_to_install('joint')}"
        ) from None
    return clarabel, sparse


def _add_moments(program: Program, layout: Layout, limits: Limits) -> None:
    """Add the conditions on single rows: the sum is one, the variance is bounded, and from count 1 on the bias is 0."""
    for row in layout.rows:
        variables = row.variables[None]
        program.rows(variables, 1.0, 1.0, 1.0)
        program.rows(variables, row.noise**2, -math.inf, float(limits.variance) * (1 - SLACK))
        if row.count:
            program.rows(variables, row.noise, 0.0, 0.0)
        elif limits.bias is not None:
            program.rows(variables, row.noise, 0.0, float(limits.bias) * (1 - SLACK))


def _mixture(
    layout: Layout, broad: Floats, strict: Floats, limits: Limits, goal: Fraction, least: Fraction
) -> list[Row]:
    """Return exact rows that keep the goal: the rows of largest entropy with the least share of the strict rows.

    Raises
    ------
    SolverError
        Not even the strict rows alone keep the limits.
    """
    share = 0.0
    while share < 1:
        rows = _exact_rows(layout, (1 - share) * broad + share * strict)
        delta = _delta(rows, limits.privacy)
        if delta <= goal and limits.moments_kept(rows):
            return rows
        share = max(share + float((delta - goal) / (delta - least)) * 1.001 if delta > least else 1.0, 2 * share, 1e-9)
    rows = _exact_rows(layout, strict)
    if not limits.moments_kept(rows):
        raise SolverError("the program was solved too loosely to be repaired; give a larger delta or variance")
    return rows


@dataclass(frozen=True, eq=False)
class _ConeProgram:
    """Maximise the sum of the entropies -x log x of the first variables of a linear program.

    An entropy t <= -x log x is the cone x exp(t/x) <= 1, with one more variable t for each x. The rows of the matrix
    are: equalities, delta, upper bounds, lower bounds, signs, cones.

    Attributes
    ----------
    size
        How many variables have an entropy.
    variables
        How many variables the linear program has.
    quadratic
        The quadratic part of the cost, a sparse matrix of zeros.
    matrix
        A sparse matrix; the rows times the variables are at most the bounds.
    equal
        The bounds of the equalities, which come before the bound of delta.
    rest
        The bounds of the rows after delta.
    inequalities
        How many rows there are from delta to the signs.
    """

    size: int
    variables: int
    quadratic: Any
    matrix: Any
    equal: Floats
    rest: Floats
    inequalities: int

    @classmethod
    def of(cls, program: Program, delta: int, size: int, sparse: Any) -> "_ConeProgram":
        """Translate a linear program, whose variable number `delta` is bounded instead of minimised."""
        count = len(program.cost)
        row, variable, value = program.entries()
        lower, upper = program.bounds
        matrix = sparse.csr_matrix((value, (row, variable)), shape=(len(lower), count + size))
        equal, below, above = lower == upper, (lower < upper) & np.isfinite(upper), (lower < upper) & np.isfinite(lower)
        every = sparse.eye(count, count + size, format="csr")
        index = np.arange(size)
        positions = np.concatenate([3 * index, 3 * index + 1]), np.concatenate([count + index, index])
        cones = sparse.csr_matrix((np.full(2 * size, -1.0), positions), shape=(3 * size, count + size))
        return cls(
            size,
            count,
            sparse.csc_matrix((count + size, count + size)),
            sparse.vstack([matrix[equal], every[delta], matrix[below], -matrix[above], -every, cones]).tocsc(),
            lower[equal],
            np.concatenate([upper[below], -lower[above], np.zeros(count), np.tile([0.0, 0.0, 1.0], size)]),
            1 + int(below.sum() + above.sum()) + count,
        )


def _largest_entropy(cones: _ConeProgram, delta: float, time_limit: float, clarabel: Any) -> Floats:
    """Return the probabilities of largest entropy with at most delta, or with a looser delta if Clarabel gives up.

    Raises
    ------
    SolverError
        Clarabel gave up at every delta.
    """
    kinds = [
        clarabel.ZeroConeT(len(cones.equal)),
        clarabel.NonnegativeConeT(cones.inequalities),
        *[clarabel.ExponentialConeT()] * cones.size,
    ]
    cost = np.concatenate([np.zeros(cones.variables), np.full(cones.size, -1.0)])
    settings, end = clarabel.DefaultSettings(), time.monotonic() + time_limit
    settings.verbose, settings.max_threads = False, 1
    settings.tol_feas = settings.tol_gap_abs = settings.tol_gap_rel = TOLERANCE
    for factor in LOOSER:
        settings.time_limit = max(end - time.monotonic(), 0.0)
        bounds = np.concatenate([cones.equal, [min(factor * delta, 1.0)], cones.rest])
        solution = clarabel.DefaultSolver(cones.quadratic, cost, cones.matrix, bounds, kinds, settings).solve()
        if str(solution.status) in ("Solved", "AlmostSolved"):
            return np.asarray(np.clip(solution.x[: cones.size], 0.0, None))
    raise SolverError(
        f"the program of largest entropy was not solved ({solution.status}); give a larger time_limit, delta or"
        " variance"
    )


def _exact_rows(layout: Layout, values: Floats) -> list[Row]:
    """Return the rows in exact numbers. Each row sums to one, and has no bias from count 1 on."""
    rows = []
    for row in layout.rows:
        chances = row.of(values)
        truth = Fraction(float(chances[row.count - row.first])) / Fraction(math.fsum(chances))
        rows.append(unbiased_row(np.where(chances > NOTHING, chances, 0.0), row.count, row.first, truth))
    return rows


def _moment(row: Row, count: int, power: int) -> Fraction:
    """Return the mean of (y - count)**power, exactly."""
    assert row.numerators is not None
    total = sum((y - count) ** power * weight for y, weight in enumerate(row.numerators, row.first))
    return Fraction(total, row.denominator)


def _delta(rows: Sequence[Row], privacy: Epsilon) -> Fraction:
    """Return the exact delta over all neighbours in both directions. The last row shifted by 1 is its own neighbour."""
    last = rows[-1]
    beyond = Row(last.first + 1, last.values, last.numerators, last.denominator)
    pairs = pairwise([*rows, beyond])
    return max(max(_hockey_stick(p, q, privacy.exp), _hockey_stick(q, p, privacy.exp)) for p, q in pairs)


def _hockey_stick(p: Row, q: Row, exp_epsilon: Fraction) -> Fraction:
    """Return sum_y max(0, p(y) - E q(y)), exactly."""
    assert p.numerators is not None
    assert q.numerators is not None
    other = dict(enumerate(q.numerators, q.first))
    one, factor = q.denominator * exp_epsilon.denominator, p.denominator * exp_epsilon.numerator
    gaps = (one * weight - factor * other.get(y, 0) for y, weight in enumerate(p.numerators, p.first))
    return Fraction(sum(gap for gap in gaps if gap > 0), p.denominator * one)

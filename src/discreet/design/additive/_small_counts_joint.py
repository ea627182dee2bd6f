"""Maximum entropy for all small counts at once, with outputs of 0 or more and a delta that is met.

The counts 0..D-1 have a row each, on 0..n+D, and all larger ones share the noise of D:

    maximise   the sum of the rows' entropies
    subject to sum_y p(y|n) = 1,  sum_y (y-n) p(y|n) = 0 for n >= 1,  sum_y (y-n)^2 p(y|n) <= V,
               sum_y max(0, p(y|n) - E p(y|n')) <= delta   for all neighbours n, n' in both directions.

At 0 the bias is what it must be. Unbiased outputs of 0 or more at two neighbours n and n+1, at most n+1+D, would
force

    delta >= (n+1 - n E) / (n+1 + D):

n + 1 is the mean of the second, at most E times the mean of the first plus delta times the largest output. At n =
0 that is 1/(D+1) whatever epsilon, so there the bias condition is dropped, and only there.

Clarabel solves it, to a tolerance that may pass delta by some per cent, or for a looser delta where it gives up.
So the least delta there is comes from a linear program (`bounded_program`), its optimum is mixed in just as much
as brings delta back (delta is convex, the moments are linear), every row is made exactly unbiased, and delta and
variance are compared with what was asked in exact numbers. What fails that is not returned.
"""

import math
import time
from collections.abc import Sequence
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
"""Kept below the target (or a thousandth of it), so that a table of 32 bits still meets it."""

NOTHING = 1e-13
"""What a solver leaves where it means 0."""

SLACK = 1e-8
"""Share of the variance and the bias left unused, for a solver's tolerance."""


TOLERANCE = 1e-9
"""Clarabel's; "almost" is enough, because what it returns is repaired and checked."""

LOOSER = (1.0, 1.1, 2.0, 10.0, 1e3, 1e6)
"""Multiples of delta tried in turn: just above the least delta there is hardly a choice, and Clarabel gives up."""


def table(
    at: Epsilon, target: Fraction, support: int, variance: Fraction, bias: Fraction | None, time_limit: float
) -> tuple[tuple[Row, ...], Row]:
    """Rows of the counts 0..support-1 and the noise of all others, with delta at most the target."""
    width = parameters.integer(
        support, "support", 1, LARGEST_SUPPORT, "with small='joint' each count has a row of its own"
    )
    if float(at) > LARGEST_EPSILON:
        raise ParameterError(
            f"epsilon is {at}; with small='joint' give at most {LARGEST_EPSILON}: no solver resolves more"
        )
    clarabel, sparse = _solver()
    layout = Layout(period=1)
    for count in range(width + 1):
        layout.add(count, 0, count + width)
    program, last = least_delta(layout, float(at.exp))
    _laws(program, layout, float(variance) * (1 - SLACK), None if bias is None else float(bias) * (1 - SLACK))
    strict = program.solve(time_limit)[: layout.size]
    least = _delta(_rows(layout, strict), at)
    if least > target:
        raise ParameterError(
            f"delta is {text(target)}; at epsilon {at}, support {width} and variance {text(variance)} the least is"
            f" {float(least):.6g}: give at least that, or a larger epsilon, support, variance or bias"
        )
    goal = max(target - min(target / 1000, MARGIN), least)
    broad = _largest_entropy(program, last, float(goal), layout.size, time_limit, clarabel, sparse)
    share = 0.0
    while share < 1:
        rows = _rows(layout, (1 - share) * broad + share * strict)
        found = _delta(rows, at)
        if found <= goal and _within(rows, variance, bias):
            break
        share = max(share + float((found - goal) / (found - least)) * 1.001 if found > least else 1.0, 2 * share, 1e-9)
    else:
        rows = _rows(layout, strict)
        if not _within(rows, variance, bias):
            raise SolverError("the program was solved too loosely to be repaired; give a larger delta or variance")
    noise = rows[-1]
    assert noise.numerators is not None
    return tuple(rows[:-1]), Row.exact(-width, noise.numerators, noise.denominator)


def _solver() -> tuple[Any, Any]:
    try:
        import clarabel
        from scipy import sparse
    except ImportError as error:
        raise SolverError(
            f"small='joint' needs the solver Clarabel, and {error.name} is not installed; {how_to_install('joint')}"
        ) from None
    return clarabel, sparse


def _laws(program: Program, layout: Layout, variance: float, bias: float | None) -> None:
    """Each row sums to one, is unbiased from count 1 on (at 0: has at most the bias), and has at most the variance."""
    for row in layout.rows:
        variables = row.variables[None]
        program.rows(variables, 1.0, 1.0, 1.0)
        program.rows(variables, row.noise**2, -math.inf, variance)
        if row.count:
            program.rows(variables, row.noise, 0.0, 0.0)
        elif bias is not None:
            program.rows(variables, row.noise, 0.0, bias)


def _largest_entropy(
    program: Program, last: int, delta: float, size: int, time_limit: float, clarabel: Any, sparse: Any
) -> Floats:
    """The first `size` variables where the sum of -x log x over them is largest, subject to the program's rows and to
    x[last] <= delta, or to a looser delta where the solver gives up.

    An entropy t <= -x log x is the cone x exp(t/x) <= 1 with one more variable.
    """
    count = len(program.cost)
    row, variable, value = program.entries()
    lower, upper = program.bounds
    matrix = sparse.csr_matrix((value, (row, variable)), shape=(len(lower), count + size))
    equal, below, above = lower == upper, (lower < upper) & np.isfinite(upper), (lower < upper) & np.isfinite(lower)
    every = sparse.eye(count, count + size, format="csr")
    place = np.arange(size)
    cones = sparse.csr_matrix(
        (np.full(2 * size, -1.0), (np.concatenate([3 * place, 3 * place + 1]), np.concatenate([count + place, place]))),
        shape=(3 * size, count + size),
    )
    stacked = sparse.vstack([matrix[equal], every[last], matrix[below], -matrix[above], -every, cones]).tocsc()
    kinds = [
        clarabel.ZeroConeT(int(equal.sum())),
        clarabel.NonnegativeConeT(1 + int(below.sum() + above.sum()) + count),
        *[clarabel.ExponentialConeT()] * size,
    ]
    cost = np.concatenate([np.zeros(count), np.full(size, -1.0)])
    nothing = sparse.csc_matrix((count + size, count + size))
    rest = [upper[below], -lower[above], np.zeros(count), np.tile([0.0, 0.0, 1.0], size)]
    settings, end = clarabel.DefaultSettings(), time.monotonic() + time_limit
    settings.verbose, settings.max_threads = False, 1
    settings.tol_feas = settings.tol_gap_abs = settings.tol_gap_rel = TOLERANCE
    for factor in LOOSER:
        settings.time_limit = max(end - time.monotonic(), 0.0)
        bounds = np.concatenate([lower[equal], [min(factor * delta, 1.0)], *rest])
        found = clarabel.DefaultSolver(nothing, cost, stacked, bounds, kinds, settings).solve()
        if str(found.status) in ("Solved", "AlmostSolved"):
            return np.asarray(np.clip(found.x[:size], 0.0, None))
    raise SolverError(
        f"the program of largest entropy was not solved ({found.status}); give a larger time_limit, delta or variance"
    )


def _rows(layout: Layout, values: Floats) -> list[Row]:
    """The rows, exact: each sums to one, without bias from count 1 on."""
    rows = []
    for row in layout.rows:
        chances = row.of(values)
        truth = Fraction(float(chances[row.count - row.first])) / Fraction(math.fsum(chances))
        rows.append(unbiased_row(np.where(chances > NOTHING, chances, 0.0), row.count, row.first, truth))
    return rows


def _within(rows: Sequence[Row], variance: Fraction, bias: Fraction | None) -> bool:
    """Whether no row has more than the variance, nor the first more than the bias; exactly."""
    spread = all(_moment(row, count, 2) <= variance for count, row in enumerate(rows))
    return spread and (bias is None or _moment(rows[0], 0, 1) <= bias)


def _moment(row: Row, count: int, power: int) -> Fraction:
    assert row.numerators is not None
    total = sum((y - count) ** power * weight for y, weight in enumerate(row.numerators, row.first))
    return Fraction(total, row.denominator)


def _delta(rows: Sequence[Row], at: Epsilon) -> Fraction:
    """The exact delta over all neighbours in both directions, the last row shifted being its own neighbour."""
    last = rows[-1]
    beyond = Row(last.first + 1, last.values, last.numerators, last.denominator)
    return max(max(_hockey(p, q, at.exp), _hockey(q, p, at.exp)) for p, q in pairwise([*rows, beyond]))


def _hockey(p: Row, q: Row, exp_epsilon: Fraction) -> Fraction:
    assert p.numerators is not None
    assert q.numerators is not None
    other = dict(enumerate(q.numerators, q.first))
    one, factor = q.denominator * exp_epsilon.denominator, p.denominator * exp_epsilon.numerator
    gaps = (one * weight - factor * other.get(y, 0) for y, weight in enumerate(p.numerators, p.first))
    return Fraction(sum(gap for gap in gaps if gap > 0), p.denominator * one)

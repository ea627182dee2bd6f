"""The linear programs of bounded noise: over all counts, and over symmetric noise.

All counts: p(y|n) on max(0, n-D)..n+D for the counts from `lowest` to 2D-1 (to 23 at least), and one row of
noise for all larger counts (which costs some 1e-9 against rows of their own; from 2D on with D = 4 it would
be 4e-7), with

    p(n|n) = eta,     sum_y p(y|n) = 1,     sum_y (y-n) p(y|n) = 0 for n >= 1,

minimising the exact delta, a sum of positive parts s >= p(y|n) - E p(y|n+1), s >= 0, over every pair of
neighbours in both directions; or, for the paper's program, the largest part itself (Sadeghi 2020, Proposition
2). Among the optima the one of least total variance is taken, by a second program that holds delta to nine
digits; where rounding leaves that no room, the first optimum stands.
"""

import math
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from discreet.arrays import Floats
from discreet.errors import SolverError
from discreet.linear_program import Program
from discreet.mechanism import Row

LOOSE = 1e-9
LEAST_SHARED = 24
NOTHING = 1e-13
"""What a solver leaves where it means 0."""


@dataclass
class Layout:
    """Variables of a program by name: for every row a first output and its variables; then slacks, then delta."""

    size: int = 0
    rows: list[tuple[int, int, int]] = field(default_factory=list)  # count, first output, first variable
    widths: list[int] = field(default_factory=list)

    def add(self, count: int, first: int, width: int) -> None:
        self.rows.append((count, first, self.size))
        self.widths.append(width)
        self.size += width


def all_counts(
    exp_epsilon: float, eta: Fraction, support: int, lowest: int, per_output: bool, time_limit: float
) -> tuple[tuple[Row, ...], Row]:
    """Rows of the counts lowest..2D-1 and the noise of all larger ones."""
    layout = Layout()
    start = max(2 * support, LEAST_SHARED, lowest + 1)
    for count in range(lowest, start + 1):
        first = max(0, count - support)
        layout.add(count, first, count + support - first + 1)
    found = _solve(layout, exp_epsilon, float(eta), per_output, time_limit)
    rows = [
        unbiased_row(found[v : v + width], count, first, eta)
        for (count, first, v), width in zip(layout.rows, layout.widths, strict=True)
    ]
    noise = rows[-1]
    assert noise.numerators is not None
    return tuple(rows[:-1]), Row.exact(-support, noise.numerators, noise.denominator)


def symmetric(exp_epsilon: float, eta: float, support: int, time_limit: float) -> Row:
    """Noise for counts that are all at least `support`; the optimum is symmetric, and is made exactly so."""
    layout = Layout()
    layout.add(support, 0, 2 * support + 1)
    values = _law(_solve(layout, exp_epsilon, eta, False, time_limit))
    return Row(-support, (values + values[::-1]) / 2)


def unbiased_row(values: Floats, count: int, first: int, eta: Fraction) -> Row:
    """A solver's row made exact: eta for the truth, the two sides scaled so that it sums to one without bias."""
    chances = [Fraction(value) if value > NOTHING else Fraction(0) for value in values.tolist()]
    side = [(y - count, p) for y, p in enumerate(chances, first) if y != count]
    down, up = sum((p for z, p in side if z < 0), Fraction(0)), sum((p for z, p in side if z > 0), Fraction(0))
    pull, push = (
        sum((-z * p for z, p in side if z < 0), Fraction(0)),
        sum((z * p for z, p in side if z > 0), Fraction(0)),
    )
    if count == 0 or not pull or not push:
        below = above = (1 - eta) / (down + up)
    else:
        below = (1 - eta) / (down + up * pull / push)
        above = below * pull / push
    scaled = [eta if y == count else p * (below if y < count else above) for y, p in enumerate(chances, first)]
    return Row.of(first, scaled)


def _law(values: Floats) -> Floats:
    positive = np.clip(values, 0, None)
    return np.asarray(positive / positive.sum())


def _solve(layout: Layout, exp_epsilon: float, eta: float, per_output: bool, time_limit: float) -> Floats:
    """Values of the probabilities; delta first, then variance."""
    program, last = least_delta(layout, exp_epsilon, per_output)
    _laws(program, layout, eta)
    found = program.solve(time_limit)
    delta = found[last]
    program.rows(np.array([[last]]), 1.0, -math.inf, delta * (1 + LOOSE) + 1e-12)
    program.cost[last] = 0.0
    for (count, first, variable), width in zip(layout.rows, layout.widths, strict=True):
        program.cost[variable : variable + width] = (np.arange(first, first + width) - count) ** 2
    with suppress(SolverError):
        better = program.solve(time_limit)
        if _error(layout, better, eta) <= max(2 * _error(layout, found, eta), 1e-10):
            found = better
    return found[: layout.size]


def least_delta(layout: Layout, exp_epsilon: float, per_output: bool = False) -> tuple[Program, int]:
    """A program whose cost is its last variable, at least the delta of every pair of neighbours; and that variable.

    The last row of the layout stands for all larger counts: shifted by one it is its own neighbour.
    """
    pairs = [(a, a + 1, 0) for a in range(len(layout.rows) - 1)] + [(len(layout.rows) - 1, len(layout.rows) - 1, 1)]
    slacks = 0 if per_output else 2 * sum(_union(layout, *pair)[1] for pair in pairs)
    last = layout.size + slacks
    program = Program(last + 1)
    program.cost[last] = 1.0
    place = layout.size
    for pair in pairs:
        for swap in (False, True):
            place = _excess(program, layout, pair, swap, exp_epsilon, per_output, place, last)
    return program, last


def _error(layout: Layout, found: Floats, eta: float) -> float:
    """How far the rows are from their sums, their chance of the truth and their means."""
    worst = 0.0
    for (count, first, variable), width in zip(layout.rows, layout.widths, strict=True):
        law = found[variable : variable + width]
        bias = float(law @ (np.arange(first, first + width) - count)) if count else 0.0
        worst = max(worst, abs(float(law.sum()) - 1), abs(float(law[count - first]) - eta), abs(bias))
    return worst


def _laws(program: Program, layout: Layout, eta: float) -> None:
    """Each row sums to one, has the truth with eta, and is unbiased from count 1 on."""
    for (count, first, variable), width in zip(layout.rows, layout.widths, strict=True):
        own = np.arange(variable, variable + width)[None, :]
        program.rows(own, 1.0, 1.0, 1.0)
        program.rows(own[:, count - first : count - first + 1], 1.0, eta, eta)
        if count >= 1:
            program.rows(own, np.arange(first, first + width) - count, 0.0, 0.0)


def _union(layout: Layout, one: int, other: int, shift: int) -> tuple[int, int]:
    """The first output and the number of outputs of two rows together, the second shifted."""
    (_, a, _), (_, b, _) = layout.rows[one], layout.rows[other]
    first = min(a, b + shift)
    return first, max(a + layout.widths[one], b + shift + layout.widths[other]) - first


def _excess(
    program: Program,
    layout: Layout,
    pair: tuple[int, int, int],
    swap: bool,
    exp_epsilon: float,
    per_output: bool,
    place: int,
    last: int,
) -> int:
    """s_y >= p(y) - E q(y) for every output and sum s <= delta; or delta in the place of every s."""
    one, other, shift = pair
    first, width = _union(layout, one, other, shift)
    for offset in range(width):
        terms, coefficients = [], []
        for row, moved, factor in (
            (one, 0, -exp_epsilon if swap else 1.0),
            (other, shift, 1.0 if swap else -exp_epsilon),
        ):
            _, start, variable = layout.rows[row]
            at = first + offset - start - moved
            if 0 <= at < layout.widths[row]:
                terms.append(variable + at)
                coefficients.append(-factor)
        slack = last if per_output else place + offset
        program.rows(np.array([[*terms, slack]]), [*coefficients, 1.0], 0.0, math.inf)
    if per_output:
        return place
    sums = np.concatenate([np.arange(place, place + width), [last]])[None, :]
    program.rows(sums, np.concatenate([np.full(width, -1.0), [1.0]]), 0.0, math.inf)
    return place + width

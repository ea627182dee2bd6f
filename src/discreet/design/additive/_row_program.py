"""Rows of counts as variables of a linear program, with the exact delta of neighbouring rows.

Every count n has a row of variables p(y|n) on consecutive outputs y. With slacks s for the positive parts,

    s_y >= p(y|n) - E p(y|n+1),   s_y >= 0,   sum_y s_y <= delta      for every pair of neighbours in both directions,

the variable delta is at least the exact delta of the rows. Sadeghi 2020 has one delta instead of every s_y.

A solver's rows are off by the solver's tolerance. `unbiased_row` makes a row exact: the row sums to one, has a given
chance of the true count, and has no bias from count 1 on.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.linear_program import Program
from discreet.mechanism import Row


@dataclass(frozen=True)
class Span:
    """The variables of one row. Variable number `start` is the probability of the output `first`, and so on."""

    count: int
    first: int
    start: int
    width: int

    @property
    def variables(self) -> Integers:
        """The numbers of the variables, in the order of the outputs."""
        return np.arange(self.start, self.start + self.width)

    @property
    def noise(self) -> Integers:
        """Outputs minus the count."""
        return np.arange(self.first, self.first + self.width) - self.count

    def of(self, values: Floats) -> Floats:
        """Return the values of this row's variables."""
        return values[self.start : self.start + self.width]


@dataclass
class Layout:
    """The rows of a program, one for each count.

    Attributes
    ----------
    period
        How many rows at the end repeat for all larger counts. 0: the last row belongs to the largest count.
    size
        Number of variables.
    """

    period: int
    size: int = 0
    rows: list[Span] = field(default_factory=list)

    def add(self, count: int, first: int, last: int) -> None:
        """Append a row for a count, on the outputs first..last."""
        self.rows.append(Span(count, first, self.size, last - first + 1))
        self.size += last - first + 1

    def neighbours(self) -> Iterator[tuple[Span, Span]]:
        """Yield pairs of neighbouring rows. If rows repeat, the last row and the first repeated row are a pair too."""
        yield from pairwise(self.rows)
        if self.period:
            again = self.rows[-self.period]
            yield self.rows[-1], replace(again, count=again.count + self.period, first=again.first + self.period)


def least_delta(layout: Layout, exp_epsilon: float, per_output: bool = False) -> tuple[Program, int]:
    """Return a program that minimises its last variable, which is at least delta; and the number of this variable.

    If `per_output`, delta is the largest excess of one output, instead of the sum of the excesses.
    """
    ordered = [(p, q) for one, other in layout.neighbours() for p, q in ((one, other), (other, one))]
    slacks = 0 if per_output else sum(len(_outputs(p, q)) for p, q in ordered)
    delta = layout.size + slacks
    program = Program(delta + 1)
    program.cost[delta] = 1.0
    slack = layout.size
    for p, q in ordered:
        outputs = _outputs(p, q)
        for offset, output in enumerate(outputs):
            variables, coefficients = _excess(p, q, output, exp_epsilon)
            excess = delta if per_output else slack + offset
            program.rows(np.array([[*variables, excess]]), [*coefficients, 1.0], 0.0, math.inf)
        if not per_output:
            terms = np.append(np.arange(slack, slack + len(outputs)), delta)
            program.rows(terms[None], np.append(np.full(len(outputs), -1.0), 1.0), 0.0, math.inf)
            slack += len(outputs)
    return program, delta


def _outputs(p: Span, q: Span) -> range:
    """Return the outputs of either row."""
    return range(min(p.first, q.first), max(p.first + p.width, q.first + q.width))


def _excess(p: Span, q: Span, output: int, exp_epsilon: float) -> tuple[list[int], list[float]]:
    """Return the variables and coefficients of E q(y) - p(y)."""
    variables, coefficients = [], []
    for row, factor in ((p, -1.0), (q, exp_epsilon)):
        if row.first <= output < row.first + row.width:
            variables.append(row.start + output - row.first)
            coefficients.append(factor)
    return variables, coefficients


def unbiased_row(values: Floats, count: int, first: int, eta: Fraction) -> Row:
    """Return an exact row: eta for the true count, and both sides scaled so that the row has no bias.

    Parameters
    ----------
    values
        Approximate probabilities of the outputs from `first` on, 0 or more.
    count
        The true count. The row of 0 may have any bias.
    first
        The first output.
    eta
        The exact chance of the true count.
    """
    chances = [Fraction(value) for value in values.tolist()]
    lower = [(count - y, p) for y, p in enumerate(chances, first) if y < count]
    upper = [(y - count, p) for y, p in enumerate(chances, first) if y > count]
    mass_below, mass_above = (sum((p for _, p in side), Fraction(0)) for side in (lower, upper))
    pull, push = (sum((distance * p for distance, p in side), Fraction(0)) for side in (lower, upper))
    if count == 0 or not pull or not push:
        below = above = (1 - eta) / (mass_below + mass_above)
    else:
        below = (1 - eta) / (mass_below + mass_above * pull / push)
        above = below * pull / push
    scaled = [eta if y == count else p * (below if y < count else above) for y, p in enumerate(chances, first)]
    return Row.of(first, scaled)

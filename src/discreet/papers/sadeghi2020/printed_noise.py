"""The noise that Sadeghi 2020 prints, and its three deltas.

Z lies in [-D, D], is 0 with probability eta, and p(+-j) = (1-eta)/2 a_j. Let E = e^epsilon, and let p and q be the
distributions of the output of two neighbouring counts.

    per output    the largest p(y) - E q(y): the paper minimises it
    bound         2D+1 times that (Remark 2): what the paper promises
    exact         the sum of max(0, p(y) - E q(y)): delta in all of Discreet
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from discreet.assess import privacy
from discreet.design import bounded
from discreet.design.additive import bounded_program
from discreet.design.additive.bounded import theorem_3, threshold
from discreet.domain import Counts
from discreet.linear_program import Program
from discreet.mechanism import Mechanism, Row

SECONDS = 60.0
"""For one linear program; the longest takes about two."""


class Setting(NamedTuple):
    """Parameters of one mechanism: epsilon, eta, and the support D."""

    epsilon: float
    eta: float
    support: int

    def __str__(self) -> str:
        return f"epsilon {self.epsilon:g}, eta {self.eta:g}, D {self.support}"

    @property
    def odds(self) -> float:
        """C = 2 eta/(1 - eta)."""
        return 2 * self.eta / (1 - self.eta)


FIGURE_1 = Setting(2.18, 0.8, 6)
KNEES = (Setting(1.1, 0.5, 8), Setting(2.2, 0.8, 8))
"""The two settings that section IV recommends."""


def printed(setting: Setting) -> Mechanism:
    """Return the noise of Definition 2 on counts from D, also where the promise of Theorem 3 is false."""
    _, _, a = theorem_3(*setting)
    half = [(1 - setting.eta) / 2 * x for x in a]
    noise = Row.of(-setting.support, [*reversed(half), setting.eta, *half])
    return Mechanism(Counts(setting.support), interior=(noise,))


@cache
def optimum(setting: Setting, lowest: int | None = None, upper: int | None = None) -> Mechanism:
    """Return the noise of least exact delta, for counts from `lowest` to `upper`; from D without end unless given."""
    epsilon, eta, support = setting
    return bounded(
        epsilon=epsilon,
        eta=eta,
        support=support,
        lowest=support if lowest is None else lowest,
        upper=upper,
        time_limit=SECONDS,
    )


@cache
def program(setting: Setting, lowest: int, upper: int | None = None) -> Mechanism:
    """Return noise of least delta per output, of any form, for counts from `lowest` to `upper`."""
    epsilon, eta, support = setting
    problem = bounded_program.Problem(
        math.exp(epsilon), Fraction(str(eta)), support, Counts(lowest, upper), per_output=True, time_limit=SECONDS
    )
    return Mechanism(problem.counts, *bounded_program.optimum(problem))


def least_per_output(setting: Setting) -> float:
    """Return the least delta per output of mechanism (16), by a linear program over a_1, ..., a_D.

    The program compares neighbouring columns of (16) in both directions. So it has the inequality
    (1-eta)/2 a_1 <= E eta + delta, which Proposition 4 leaves out. The last variable is B delta.
    """
    size, big = setting.support, math.exp(setting.epsilon)
    below = Program(size + 1)
    below.cost[size] = 1.0
    below.rows(np.arange(size)[None], 1.0, 1.0, 1.0)
    below.rows(np.array([[size - 1, size]]), [-1.0, 1.0], 0.0, math.inf)
    below.rows(np.array([[0, size]]), [big, 1.0], setting.odds, math.inf)
    below.rows(np.array([[0, size]]), [-1.0, 1.0], -big * setting.odds, math.inf)
    if size > 1:
        near = np.arange(size - 1)
        last = np.full(size - 1, size)
        below.rows(np.column_stack([near, near + 1, last]), [-1.0, big, 1.0], 0.0, math.inf)
        below.rows(np.column_stack([near + 1, near, last]), [-1.0, big, 1.0], 0.0, math.inf)
    return float(below.solve(SECONDS)[size]) * (1 - setting.eta) / 2


def per_output(mechanism: Mechanism, epsilon: float) -> float:
    """Return the paper's delta: the largest p(y) - E q(y) of a single output."""
    return max(float((pairs.p - math.exp(epsilon) * pairs.q).max()) for pairs in privacy.neighbours(mechanism))


def bound(setting: Setting) -> float:
    """Return (2D+1) times the delta of Theorem 3: Remark 2."""
    return (2 * setting.support + 1) * theorem_3(*setting)[1]


def exact(setting: Setting) -> float:
    """Return the exact delta of the printed noise."""
    return printed(setting).delta(setting.epsilon)


def least(setting: Setting) -> float:
    """Return the least exact delta for counts from D."""
    return optimum(setting).delta(setting.epsilon)


def knee(epsilon: float, support: int) -> float:
    """Return the eta with C = C_D. Above it delta does not depend on D, and grows fast with eta."""
    odds = threshold(epsilon, support)
    return odds / (2 + odds)


def eta_at_one(epsilon: float, support: int) -> float:
    """Return the eta at which (2D+1) delta* is 1."""
    return crossing(lambda eta: bound(Setting(epsilon, eta, support)) - 1, knee(epsilon, support), 1 - 1e-9)


def least_valid_eta(epsilon: float, support: int) -> float:
    """Return the smallest eta for which Theorem 3 is true: C >= a_2, where a_2 does not depend on eta."""
    if support == 1:
        return 0.0
    second = theorem_3(epsilon, 1e-9, support)[2][1]
    return second / (2 + second)


def crossing(function: Callable[[float], float], low: float, high: float, steps: int = 40) -> float:
    """Return where a function changes sign, by bisection."""
    rising = function(high) > 0
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if (function(middle) > 0) == rising else (middle, high)
    return (low + high) / 2

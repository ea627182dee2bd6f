"""The examples of Sadeghi 2023."""

from fractions import Fraction

from discreet import Mechanism
from discreet.design import maxent

EPSILONS = [Fraction(k, 10) for k in range(1, 26)]
"""Section 4.3 of the paper: D = 10 and epsilon .1, .2, ... 2.5."""


def example_1() -> Mechanism:
    return maxent(epsilon="0.5", delta="1e-4", variant="paper")

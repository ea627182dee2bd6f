"""The formulas of Sadeghi 2023 as printed: the noise C exp(-gamma z^2) on [-D, D], its variance, and its delta.

`discreet.design.maxent` makes the same noise exactly, and its delta is the sum over all outputs in both directions.
Claims and tests compare the two.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from discreet.arrays import Floats
from discreet.design import geometric, maxent
from discreet.design.additive.maxent_gamma import float_delta
from discreet.mechanism import Mechanism

GRID = np.arange(1, 3001) / 10_000
"""Figure 2(a): gamma from 0.0001 to 0.3 in steps of 0.0001."""

FIGURE_1 = ((11, 4), (11, 10), (15, 4), (15, 10))
"""Support and variance of the four curves of Figure 1."""


def normalisation(gamma: float, support: int) -> float:
    """Return C of (2.4)."""
    return 1 / (2 * float(_weights(gamma, support)[1:].sum()) + 1)


def variance(gamma: float, support: int) -> float:
    """Return V of (2.21) and (2.26)."""
    weights = _weights(gamma, support)
    return 2 * float(np.arange(support + 1) ** 2 @ weights) * normalisation(gamma, support)


def end_mass(gamma: float, support: int) -> float:
    """Return C exp(-gamma D^2), the delta of (2.27)."""
    return normalisation(gamma, support) * math.exp(-gamma * support**2)


def polynomial(x: Fraction, support: int, spread: Fraction) -> Fraction:
    """Return f(x) of (2.7); its root is exp(-gamma)."""
    return sum((2 * (z * z - spread) * x ** (z * z) for z in range(1, support + 1)), -spread)


def proposition_2(gamma: float, epsilon: float, support: int) -> float:
    """Return delta by (2.19), term by term."""
    last = math.floor(0.5 - epsilon / (2 * gamma))
    terms = [math.exp(-gamma * z * z) - math.exp(epsilon - gamma * (z - 1) ** 2) for z in range(-support + 1, last + 1)]
    return end_mass(gamma, support) + normalisation(gamma, support) * math.fsum(terms)


def worst_event(gamma: Fraction, epsilon: Fraction, support: int) -> list[int]:
    """Return the event of (2.10): z with p(z) > E p(z-1). In exact numbers, so that a tie is a tie."""
    inside = [z for z in range(-support + 1, support + 1) if gamma * (1 - 2 * z) > epsilon]
    return [-support, *inside]


def stated_event(gamma: Fraction, epsilon: Fraction, support: int) -> list[int]:
    """Return the event as (2.18) states it: [-D, max(-D, floor(0.5 - epsilon/(2 gamma)))]."""
    last = math.floor(Fraction(1, 2) - epsilon / (2 * gamma))
    return list(range(-support, max(-support, last) + 1))


def limit(epsilon: float, support: int) -> float:
    """Return epsilon/(2D-1), to which gamma tends in Figure 2."""
    return epsilon / (2 * support - 1)


def rule(epsilon: Fraction, support: int) -> Fraction:
    """Return gamma of the design guide: epsilon/(2D-1) - 2 epsilon/(10 (4 D^2 - 1))."""
    return epsilon / (2 * support - 1) - 2 * epsilon / (10 * (4 * support**2 - 1))


@cache
def search(epsilon: float, support: int) -> tuple[float, float]:
    """Return the gamma of least delta on the grid of Figure 2(a), and its delta."""
    z = np.arange(0.0, support + 1)
    weights = np.exp(-GRID[:, None] * z**2)
    excess = np.clip(-np.expm1(epsilon - GRID[:, None] * (2 * z + 1)), 0.0, None)
    excess[:, -1] = 1.0
    deltas = (weights * excess).sum(axis=1) / (2 * weights.sum(axis=1) - 1)
    index = int(np.argmin(deltas))
    return float(GRID[index]), float(deltas[index])


def best_knot(epsilon: float, support: int) -> tuple[int, float]:
    """Return j whose gamma epsilon/(2j-1) has the least delta of all knots, and its delta."""
    deltas = [float_delta(epsilon / (2 * j - 1), epsilon, support) for j in range(1, support + 1)]
    index = int(np.argmin(deltas))
    return index + 1, deltas[index]


def example_1() -> Mechanism:
    """Return the noise of Examples 1 to 3: epsilon 0.5, delta 1e-4, by the paper's rule."""
    return maxent(epsilon="0.5", delta="1e-4", variant="paper")


def smallest_geometric(epsilon: float, delta: float) -> Mechanism:
    """Return truncated geometric noise with the smallest support that meets a target."""
    support = 1
    while (noise := geometric(epsilon=epsilon, support=support)).delta(epsilon) > delta:
        support += 1
    return noise


def exact_masses(noise: Mechanism) -> Sequence[Fraction]:
    """Return the masses of noise of one exact row, from the lowest."""
    row = noise.interior[0]
    assert row.numerators is not None
    return [Fraction(weight, row.denominator) for weight in row.numerators]


def _weights(gamma: float, support: int) -> Floats:
    return np.asarray(np.exp(-gamma * np.arange(support + 1.0) ** 2))

"""Noisy counts and draws from their posteriors (Wang 2020, equations (1), (2), (4) and (5), steps 3.a and 4).

The noise is two-sided geometric. A noisy count below 0 says of the true count what a noisy count of 0 says: the
posterior on 0, 1, 2, ... is (1 - alpha) alpha**x for both. So noisy counts are taken from 0, and 0 stands for all up
to 0. The paper draws "positive" counts, which must mean 0 or more.
"""

import math

import numpy as np

from discreet.arrays import Floats, Integers

EPSILON = 1.0
"""The epsilon of all of the paper's examples (section 2.1)."""

DEPTH = 40.0
"""Noise is followed to where its chance has fallen by exp(-DEPTH)."""


def reach(epsilon: float = EPSILON) -> int:
    """Return how far noise is followed."""
    return math.ceil(DEPTH / epsilon)


def noise(values: Integers, epsilon: float = EPSILON) -> Floats:
    """Return the probabilities of noise: (1 - alpha)/(1 + alpha) alpha**|value|."""
    return math.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(values))


def noisy_given_true(true: Integers, noisy: Integers, epsilon: float = EPSILON) -> Floats:
    """Return the chance of every noisy count from 0 (a column) for every true count (a row). 0 stands for 0 or less."""
    chances = noise(noisy - true[:, None], epsilon)
    return np.where(noisy == 0, chances / -math.expm1(-epsilon), chances)


def drawn_given_noisy(noisy: Integers, drawn: Integers, epsilon: float = EPSILON) -> Floats:
    """Return the chance of every draw (a column) from the posterior of a true count, given its noisy count (a row).

    alpha**|drawn - noisy| has the sum (1 + alpha - alpha**(noisy + 1)) / (1 - alpha) over all draws from 0.
    """
    alpha = math.exp(-epsilon)
    sums = (1 + alpha - np.exp(-epsilon * (noisy + 1))) / (1 - alpha)
    chances: Floats = np.exp(-epsilon * np.abs(drawn - noisy[:, None])) / sums[:, None]
    return chances


def drawn_given_true(true: Integers, drawn: Integers, epsilon: float = EPSILON) -> Floats:
    """Return the chance of every draw (a column) for every true count (a row): noise, then a draw."""
    noisy = np.arange(max(int(true.min()) - reach(epsilon), 0), int(true.max()) + reach(epsilon) + 1)
    return noisy_given_true(true, noisy, epsilon) @ drawn_given_noisy(noisy, drawn, epsilon)

"""The lookup tables of section 4 of Sadeghi 2023: thresholds ceil(KEYSIZE c(z)), and the paper's measures of them."""

import math
import warnings
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from discreet.certify.ptable import PTable
from discreet.design import maxent
from discreet.design.additive.maxent import paper_table
from discreet.errors import CertifyError, PrecisionWarning
from discreet.mechanism import Mechanism

KEYS = (8, 16, 32)
"""Bits of a cell key."""

SUPPORT = 10
EPSILONS = tuple(Fraction(k, 10) for k in range(1, 26))
"""Section 4.3: D = 10 and epsilon 0.1, 0.2, ... 2.5."""


class Sampled(NamedTuple):
    """The paper's measures of a lookup table.

    Attributes
    ----------
    bias
        B^Q of (4.6).
    variance
        V^Q of (4.7).
    variance_error
        (V^Q - V)/V.
    epsilon
        epsilon^Q of (4.10): the largest logarithm of a ratio of adjacent weights; infinite if a weight is 0.
    delta
        delta^Q of (4.11): the larger of the chances of -D and D.
    exact
        The exact delta of the table at the epsilon of the design.
    """

    bias: Fraction
    variance: Fraction
    variance_error: float
    epsilon: float
    delta: Fraction
    exact: float


def design(epsilon: Fraction) -> Mechanism:
    """Return the noise of section 4.3."""
    return maxent(epsilon=epsilon, support=SUPPORT, variant="paper")


def weights(table: Mechanism) -> tuple[int, ...]:
    """Return the integers of a lookup table, from -D to D."""
    numerators = table.interior[0].numerators
    assert numerators is not None
    return numerators


def thresholds(table: Mechanism) -> dict[int, int]:
    """Return c^Q(z) of (4.2), for z from -D - 1 to D."""
    values = {table.interior[0].first - 1: 0}
    total = 0
    for z, weight in enumerate(weights(table), table.interior[0].first):
        total += weight
        values[z] = total
    return values


def lookup(table: Mechanism, key: int) -> int:
    """Return the noise of a cell key by (4.3): z + 1 with c^Q(z) <= key < c^Q(z + 1)."""
    return next(z for z, bound in thresholds(table).items() if key < bound)


def step(integers: tuple[int, ...]) -> float:
    """Return the largest logarithm of a ratio of adjacent weights; infinite if a weight is 0."""
    if 0 in integers:
        return math.inf
    return float(np.abs(np.diff(np.log(np.array(integers, float)))).max())


def sampled(noise: Mechanism, epsilon: Fraction, bits: int) -> Sampled:
    """Return the paper's measures of the lookup table of some noise."""
    table = paper_table(noise, bits)
    integers, first = weights(table), table.interior[0].first
    mean, square = (Fraction(sum(z**power * w for z, w in enumerate(integers, first)), 1 << bits) for power in (1, 2))
    spread = square - mean**2
    ends = Fraction(max(integers[0], integers[-1]), 1 << bits)
    error = (float(spread) - noise.variance(0)) / noise.variance(0)
    return Sampled(mean, spread, error, step(integers), ends, table.delta(epsilon))


@cache
def experiment(epsilon: Fraction, bits: int) -> Sampled:
    """Return the measures of one table of section 4.3."""
    return sampled(design(epsilon), epsilon, bits)


def full(bits: int) -> dict[Fraction, Sampled]:
    """Return the measures of the tables of section 4.3 in which no weight is 0."""
    every = {epsilon: experiment(epsilon, bits) for epsilon in EPSILONS}
    return {epsilon: measured for epsilon, measured in every.items() if math.isfinite(measured.epsilon)}


@cache
def certified(epsilon: Fraction, bits: int) -> PTable | None:
    """Return Discreet's table of one design of section 4.3, or None if the noise does not fit into so many bits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        try:
            return design(epsilon).certify(bits=bits)
        except CertifyError:
            return None

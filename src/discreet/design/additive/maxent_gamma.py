"""The parameter gamma of maximum-entropy noise: which gamma has a variance, and which gamma has the least delta.

The noise is p(z) = c exp(-gamma z^2) on [-D, D]. A step is p(z)/p(z+1) = exp(gamma (2z+1)). With E = e^epsilon and
T(z) = p(z) + ... + p(D), the exact delta is (Sadeghi 2023, Proposition 2)

    delta(epsilon) = T(k) - E T(k+1),     k the least z with gamma (2z+1) > epsilon, at most D.

Knots. For a given epsilon and D, delta as a function of gamma has corners at gamma_j = epsilon/(2j-1). There the step
from j-1 to j is exactly E, and k = j:

    delta_j(D) = [w(j) - (E-1) (w(j+1) + ... + w(D))] / [1 + 2 (w(1) + ... + w(D))],     w(z) = exp(-gamma_j z^2).

As D grows, the numerator falls and the denominator grows. So every delta_j falls, and the least delta_j falls. In every
case tried, the best gamma was a knot, and delta_j fell and then rose in j. So bisection finds the best knot of D.

The paper's rule. The paper takes gamma inside [epsilon/(2D+1), epsilon/(2D-1)], where only the end point is lost and
delta = p(D). The paper holds (Remark 1) that the right end is not allowed. The right end is allowed: there the last
step is E, and not more. The right end is knot D. Knot D is the best gamma of the interval, and seldom the best of all.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.exact import Epsilon


def largest_variance(support: int) -> Fraction:
    """Return the variance of the uniform distribution on [-support, support], where gamma is 0."""
    return Fraction(support * (support + 1), 3)


def of_variance(support: int, variance: Fraction) -> Fraction:
    """Return gamma of the noise on [-support, support] with a variance, by bisection down to neighbouring floats.

    Return 0 if the variance is at least the largest one: the uniform distribution has the largest entropy then.
    """
    if variance >= largest_variance(support):
        return Fraction(0)
    goal = float(variance)
    low, high = 0.0, 1.0
    while _variance(high, support) > goal:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _variance(middle, support) > goal else (low, middle)
    return Fraction(high)


def best_knot(privacy: Epsilon, support: int) -> Fraction:
    """Return the knot epsilon/(2j-1) of least delta. Delta falls and then rises with j."""
    epsilon, low, high = float(privacy), 1, support

    def delta(j: int) -> float:
        return float_delta(epsilon / (2 * j - 1), epsilon, support)

    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if delta(middle + 1) < delta(middle) else (low, middle)
    return _exponent(privacy) / (2 * low - 1)


def paper_rule(privacy: Epsilon, support: int) -> Fraction:
    """Return the paper's gamma: epsilon/(2D-1), less a tenth of the way to epsilon/(2D+1)."""
    right, left = _exponent(privacy) / (2 * support - 1), _exponent(privacy) / (2 * support + 1)
    return right - (right - left) / 10


def float_delta(gamma: float, epsilon: float, support: int) -> float:
    """Return delta(epsilon) in floats.

    The sum has positive terms only: p(z) - E p(z+1) = p(z) (1 - exp(epsilon - gamma (2z+1))).
    """
    z = np.arange(0.0, support + 1)
    weights = np.exp(-gamma * (z * z))
    first = support if 2 * gamma * support <= epsilon else int(epsilon / (2 * gamma))
    excess = np.clip(-np.expm1(epsilon - gamma * (2 * z[first:] + 1)), 0.0, None)
    excess[-1] = 1.0
    return float(weights[first:] @ excess / (2 * weights.sum() - 1))


def exact_delta(half: Sequence[int], privacy: Epsilon) -> Fraction:
    """Return the exact delta, at the rational E <= e^epsilon, of noise in proportion to half[|z|], which falls."""
    up, down = privacy.exp.numerator, privacy.exp.denominator
    steps = zip(half, [*half[1:], 0], strict=True)
    excess = sum(gap for weight, next_weight in steps if (gap := down * weight - up * next_weight) > 0)
    return Fraction(excess, down * (2 * sum(half) - half[0]))


def _exponent(privacy: Epsilon) -> Fraction:
    """Return epsilon. If alpha was given, return the float below its logarithm, so that no step exceeds 1/alpha."""
    return Fraction(math.nextafter(float(privacy), 0)) if privacy.exponent is None else privacy.exponent


def _variance(gamma: float, support: int) -> float:
    squares = np.arange(0.0, support + 1) ** 2
    weights = np.exp(-gamma * squares)
    return float(2 * (squares @ weights) / (2 * weights.sum() - 1))

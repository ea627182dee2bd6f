"""Quantise symmetric noise whose steps are not E: Gaussian, maximum entropy.

Delta of such noise is T(z) - E T(z + 1) at one z, where T is the sum of a tail. So tails are rounded, and not
probabilities: going inward, each weight is the floor of the cumulated tail minus the weights outside it. Each weight is
kept within a factor E of its outer neighbour wherever the design is (not below ceil(w/E); not above floor(E w) where
the design's own step is at most E), because a rounding error there would be a new loss. The weight of 0 is the rest of
the total. The step beside 0 is checked in the same way: if it fails, the noise does not fit into the bits.

Noise that was cut at a tail mass has no support to keep. It is cut again where a weight would be lost or could not
fall. If it still does not fit, it is stretched: weight that the factor E forbids is dropped instead of carried inward,
and all probabilities are scaled, by bisection, until the weight of 0 fits.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from discreet.certify.rounding import GUARD

_BISECTIONS = 40


def symmetric(scaled: Sequence[int], exp_epsilon: Fraction, total: int) -> list[int]:
    """Return weights w of z = 0..support with w(0) + 2 (w(1) + ...) = `total`; an empty list if the noise does not fit.

    Parameters
    ----------
    scaled
        The probabilities of z = 0..support times 2**(bits + GUARD).
    """
    weights = _inward(scaled, exp_epsilon, total, carry=True)
    return weights if _fits(weights, scaled, exp_epsilon) else []


def shortened(scaled: Sequence[int], exp_epsilon: Fraction, total: int) -> list[int]:
    """Return the weights of `symmetric` for noise that may be cut and stretched; an empty list if it does not fit."""
    short = _cut(scaled, exp_epsilon)
    mass = short[0] + 2 * sum(short[1:])
    whole = [value * (total << GUARD) // mass for value in short]
    weights = symmetric(whole, exp_epsilon, total)
    low, high = Fraction(1, 2), Fraction(2)
    for _ in range(_BISECTIONS):
        if weights:
            break
        factor = (low + high) / 2
        stretched = [value * factor.numerator // factor.denominator for value in whole]
        candidate = _inward(stretched, exp_epsilon, total, carry=False)
        if _fits(candidate, stretched, exp_epsilon):
            weights = candidate
        low, high = (factor, high) if candidate[0] > candidate[1] else (low, factor)
    return weights


def _inward(scaled: Sequence[int], exp_epsilon: Fraction, total: int, carry: bool) -> list[int]:
    """Return weights from the last z inward; the weight of 0 is the rest of the total, and may be negative.

    carry
        If True, the next weight makes up for weight that the factor E forbids. If False, that weight is dropped.
    """
    up, down = exp_epsilon.numerator, exp_epsilon.denominator
    tail, outward = scaled[-1], [scaled[-1] >> GUARD]
    placed = outward[0]
    for z in range(len(scaled) - 2, 0, -1):
        tail += scaled[z]
        rounded = (tail >> GUARD) - placed
        weight = max(rounded, -(-outward[-1] * down // up))
        if down * scaled[z] <= up * scaled[z + 1]:
            weight = min(weight, outward[-1] * up // down)
        if not carry and weight < rounded:
            tail -= (rounded - weight) << GUARD
        outward.append(weight)
        placed += weight
    return [total - 2 * placed, *reversed(outward)]


def _fits(weights: Sequence[int], scaled: Sequence[int], exp_epsilon: Fraction) -> bool:
    """Return True if w(0) and the last weight are positive, and w(0) and w(1) are within E where the design's are."""
    up, down = exp_epsilon.numerator, exp_epsilon.denominator
    falls, rises = scaled[0] * down <= up * scaled[1], scaled[1] * down <= up * scaled[0]
    return (
        min(weights[0], weights[-1]) >= 1
        and (not falls or weights[0] * down <= up * weights[1])
        and (not rises or weights[1] * down <= up * weights[0])
    )


def _cut(scaled: Sequence[int], exp_epsilon: Fraction) -> Sequence[int]:
    """Return the noise up to the last z that has a unit, or enough units to fall where steps are still below E."""
    stuck = math.ceil(exp_epsilon / (exp_epsilon - 1))
    up, down = exp_epsilon.numerator, exp_epsilon.denominator
    steep = next((z for z in range(len(scaled) - 1) if scaled[z] * down > up * scaled[z + 1]), len(scaled) - 1)
    least = 1 if scaled[steep] >> GUARD >= 4 * stuck else stuck
    return scaled[: max([1, *(z for z, value in enumerate(scaled) if value >> GUARD >= least)]) + 1]

"""The noise of least error rate on a cycle, in closed form.

d is the word metric of the neighbours (`_word_metric`), alpha = e**-epsilon, and Z = sum_x alpha^d(x).

    true DP             delta at 0, and 1 - delta times alpha^d(x) / Z
    probabilistic DP    for a single difference: falling by alpha for m steps, flat beyond

Residues that no sum of differences reaches have d = -1 and the probability 0.
"""

import math
from fractions import Fraction

import numpy as np

from discreet.arrays import Integers
from discreet.errors import ParameterError
from discreet.exact import Epsilon, exact, powers
from discreet.mechanism import Row

LARGEST_EXACT = 4_096
"""Values up to which probabilities are kept in exact integers; beyond, in logarithms."""


def least_error_rate(
    distance: Integers, strength: Epsilon, target: Fraction, allowed: Fraction | None
) -> tuple[Row, Fraction]:
    """delta at 0 and 1 - delta times alpha^d / Z; delta from the error rate allowed, where that is given."""
    if len(distance) > LARGEST_EXACT:
        return _long_cycle(distance, strength, target, allowed)
    series = powers(strength.alpha, int(distance.max()) + 1)
    weights = [series[d] if d >= 0 else 0 for d in distance.tolist()]
    total = sum(weights)
    if allowed is not None:
        target = _least(allowed, 1 - Fraction(series[0], total))
    numerators = [(target.denominator - target.numerator) * weight for weight in weights]
    numerators[0] += target.numerator * total
    return Row.exact(0, numerators, target.denominator * total), target


def _long_cycle(
    distance: Integers, strength: Epsilon, target: Fraction, allowed: Fraction | None
) -> tuple[Row, Fraction]:
    """The same in floats, right to the last bit: epsilon in two parts, the first so short that multiples are exact."""
    whole, (_, power) = float(strength), math.frexp(float(strength))
    short = math.ldexp(math.floor(math.ldexp(whole, 26 - power)), power - 26)
    steps = np.arange(int(distance.max()) + 1)
    chances = np.exp(-short * steps) * np.exp(-(whole - short) * steps)
    mass = math.fsum(np.bincount(distance[distance >= 0]) * chances)
    if allowed is not None:
        target = _least(allowed, 1 - Fraction(1 / mass))
    keep = float(1 - target) / mass
    values = np.append(chances * keep, 0.0)[distance]  # -1, never reached, is the last
    logs = np.append(math.log(keep) - whole * steps, -np.inf)[distance]
    if target:
        values[0] += float(target)
        logs[0] = math.log(values[0])
    return Row.from_logs(0, logs, values), target


def _least(allowed: Fraction, pure: Fraction) -> Fraction:
    """The smallest delta at which the error rate is at most `allowed`."""
    return max(Fraction(0), 1 - allowed / pure).limit_denominator(10**30)


def least_error_rate_single_difference(
    distance: Integers, strength: Epsilon, target: Fraction, allowed: Fraction | None
) -> tuple[Row, Fraction]:
    """Probabilistic privacy for a single difference: falling by alpha for m steps, flat beyond."""
    if target == 0 and allowed is None:
        return least_error_rate(distance, strength, target, None)
    length = int((distance >= 0).sum())
    falling = np.exp(-float(strength) * np.arange(max(1, length // 2)))  # m with 2m + 1 < L
    masses = 2 * np.cumsum(falling) - 1
    pure = least_error_rate(distance, strength, Fraction(0), None)[0]
    if allowed is None:
        firsts = np.minimum(1 / masses, float(target) / falling)
        m = int(np.argmax(firsts))
        first = float(firsts[m])
    else:
        first = 1 - float(allowed)
        if first >= 1:
            raise ParameterError(f"distortion is {float(allowed):g}; only the truth costs so little: allow more")
        m = int(np.flatnonzero(1 / masses >= first)[-1])
        target = exact(first * float(falling[m]), "delta")
    if pure.values[0] >= first:
        return pure, target if allowed is None else Fraction(0)
    beyond = max(0.0, 1 - first * float(masses[m])) / max(1, int((distance > m).sum()))
    noise = np.where(distance > m, beyond, first * falling[np.clip(distance, 0, m)])
    return Row(0, np.where(distance < 0, 0, noise)), target

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
from discreet.design.cycle._requests import Goal
from discreet.errors import ParameterError
from discreet.exact import exact, powers
from discreet.mechanism import Row

LARGEST_EXACT = 4_096
"""Most values of a cycle whose probabilities are exact integers. For longer cycles they are logarithms."""


def least_error_rate(distance: Integers, goal: Goal) -> tuple[Row, Fraction]:
    """Return the noise of least error rate, or of least delta within the distortion; and its delta."""
    if len(distance) > LARGEST_EXACT:
        return _long_cycle(distance, goal)
    series = powers(goal.epsilon.alpha, int(distance.max()) + 1)
    weights = [series[d] if d >= 0 else 0 for d in distance.tolist()]
    total = sum(weights)
    delta = _delta(goal, 1 - Fraction(series[0], total))
    numerators = [(delta.denominator - delta.numerator) * weight for weight in weights]
    numerators[0] += delta.numerator * total
    return Row.exact(0, numerators, delta.denominator * total), delta


def _long_cycle(distance: Integers, goal: Goal) -> tuple[Row, Fraction]:
    """Return the same noise in floats, right to the last bit.

    epsilon is taken in two parts. The first part has so few bits that its multiples are exact.
    """
    whole, (_, power) = float(goal.epsilon), math.frexp(float(goal.epsilon))
    short = math.ldexp(math.floor(math.ldexp(whole, 26 - power)), power - 26)
    steps = np.arange(int(distance.max()) + 1)
    chances = np.exp(-short * steps) * np.exp(-(whole - short) * steps)
    mass = math.fsum(np.bincount(distance[distance >= 0]) * chances)
    delta = _delta(goal, 1 - Fraction(1 / mass))
    keep = float(1 - delta) / mass
    values = np.append(chances * keep, 0.0)[distance]  # a distance of -1 takes the last entry
    logs = np.append(math.log(keep) - whole * steps, -np.inf)[distance]
    if delta:
        values[0] += float(delta)
        logs[0] = math.log(values[0])
    return Row.from_logs(0, logs, values), delta


def _delta(goal: Goal, pure: Fraction) -> Fraction:
    """Return the goal's delta, or the smallest delta within the distortion. `pure` is the error rate at delta 0."""
    if goal.distortion is None:
        return goal.delta
    return max(Fraction(0), 1 - goal.distortion / pure).limit_denominator(10**30)


def least_error_rate_single_difference(distance: Integers, goal: Goal) -> tuple[Row, Fraction]:
    """Return the noise of least error rate, or of least delta, under probabilistic privacy; and its delta.

    The noise falls by alpha for m steps, and is flat beyond.

    Raises
    ------
    ParameterError
        Only the truth itself costs as little as the distortion.
    """
    pure, _ = least_error_rate(distance, Goal(goal.epsilon, Fraction(0), None))
    if goal.delta == 0 and goal.distortion is None:
        return pure, goal.delta
    length = int((distance >= 0).sum())
    falling = np.exp(-float(goal.epsilon) * np.arange(max(1, length // 2)))  # m with 2m + 1 < L
    masses = 2 * np.cumsum(falling) - 1
    delta = goal.delta
    if goal.distortion is None:
        firsts = np.minimum(1 / masses, float(delta) / falling)
        m = int(np.argmax(firsts))
        first = float(firsts[m])
    else:
        first = 1 - float(goal.distortion)
        if first >= 1:
            raise ParameterError(
                f"distortion is {float(goal.distortion):g}; only the truth itself costs so little: allow more"
            )
        m = int(np.flatnonzero(1 / masses >= first)[-1])
        delta = exact(first * float(falling[m]), "delta")
    if pure.values[0] >= first:
        return pure, delta if goal.distortion is None else Fraction(0)
    beyond = max(0.0, 1 - first * float(masses[m])) / max(1, int((distance > m).sum()))
    noise = np.where(distance > m, beyond, first * falling[np.clip(distance, 0, m)])
    return Row(0, np.where(distance < 0, 0, noise)), delta

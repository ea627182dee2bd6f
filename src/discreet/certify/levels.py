"""Quantise noise whose steps are exactly E: geometric, staircase, randomized response, words on a cycle.

Such noise has levels: output y has probability p_0 E**-level(y). Rounding each probability by itself ruins the noise,
because a floor that takes the last unit of a tail step makes a ratio above E. So the weights are a chain,

    a_0 given,   a_(k+1) = ceil(a_k / E),

which keeps every step within E by construction, with the largest a_0 whose sum fits into 2**bits. The units that are
left go to the outputs, one unit each, from the deepest level up; on counts always to z and -z together, so that the
bias is exactly 0.

Where the chain reaches E/(E - 1) it can fall no further. A design that was cut at a tail mass is cut there instead,
which costs that weight in delta and nothing else; a design that promises its support keeps its support.
"""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

TOLERANCE = 1e-9
"""Relative difference within which two logarithms name the same level."""

GUIDED = 12
"""Attempts to find the start of a chain from the sum of the last chain, before the search goes on by halves."""


def find(logs: Sequence[float], epsilon: float, apart: int) -> list[int] | None:
    """Return the level of every output; None if the probabilities are not levels of E, or all on one level.

    Parameters
    ----------
    logs
        The logarithm of the probability of every output, in order.
    epsilon
        The logarithm of E.
    apart
        Outputs at most so far apart may differ by one level only.
    """
    logarithms = np.array(logs, dtype=np.float64)
    if np.isneginf(logarithms).any():
        return None
    steps = (logarithms.max() - logarithms) / epsilon
    levels = np.rint(steps)
    if (np.abs(steps - levels) > TOLERANCE * (1 + levels)).any():
        return None
    steep = any((np.abs(levels[step:] - levels[:-step]) > 1).any() for step in range(1, min(apart, len(levels)) + 1))
    return None if steep or levels.max() == 0 else [int(level) for level in levels.tolist()]


def chain(start: int, exp_epsilon: Fraction, length: int) -> list[int]:
    """Return `length` weights: a = start, then ceil(a / E), then ceil of that over E, and so on."""
    up, down = exp_epsilon.numerator, exp_epsilon.denominator
    weights, last = [start], start
    for _ in range(length - 1):
        weight = -(-last * down // up)
        if weight == last:
            weights += [weight] * (length - len(weights))
            break
        weights.append(weight)
        last = weight
    return weights


def on_cycle(levels: Sequence[int], mirror: Sequence[int], exp_epsilon: Fraction, total: int) -> list[int]:
    """Return weights of the residues, in order, that sum to `total`; an empty list if not one unit each fits.

    If 0 is on the highest level, and x and -x are on the same level, the units that are left keep the noise symmetric:
    all residues but 0 get equally many, then x and -x get one each, from the deepest level up. If the last pair lacks a
    unit, 0 gives that unit. Otherwise the units that are left go to the residues one by one, from the deepest level up.

    Parameters
    ----------
    levels
        The level of every residue.
    mirror
        The index of -x for every residue x.
    """
    start = _largest_start(levels, exp_epsilon, total, step=1)
    if not start:
        return []
    weights = _weights(levels, start, exp_epsilon)
    if levels[0] or mirror[0] or any(levels[x] != levels[y] for x, y in enumerate(mirror)):
        share, rest = divmod(total - sum(weights), len(weights))
        for order, output in enumerate(sorted(range(len(weights)), key=lambda x: (-levels[x], x))):
            weights[output] += share + (order < rest)
        return weights
    share, rest = divmod(total - sum(weights), len(weights) - 1)
    weights = [weights[0], *(weight + share for weight in weights[1:])]
    orbits = [(x, y) if x < y else (x,) for x, y in enumerate(mirror) if 0 < x <= y]
    for orbit in sorted(orbits, key=lambda orbit: (-levels[orbit[0]], orbit)):
        if rest <= 0:
            break
        for output in orbit:
            weights[output] += 1
        rest -= len(orbit)
    weights[0] += rest
    return weights


def symmetric(levels: Sequence[int], exp_epsilon: Fraction, total: int, centre: int | None = None) -> list[int]:
    """Return weights w of z = 0..support with w(0) + 2 (w(1) + ...) = `total`; an empty list if none fit.

    Parameters
    ----------
    levels
        The level of every z = 0..support.
    centre
        The weight of 0, an even number; the chain then starts at z = 1. None: the chain starts at z = 0.
    """
    if len(levels) < 2:
        return []
    if centre is None:
        two_sided = [levels[0], *levels[1:], *levels[1:]]
        start = _largest_start(two_sided, exp_epsilon, total, step=2)
        weights = _weights(levels, start, exp_epsilon)
    else:
        start = _largest_start(levels[1:], exp_epsilon, (total - centre) // 2, step=1)
        weights = [centre, *_weights(levels[1:], start, exp_epsilon)]
    if not start:
        return []
    rest = (total - weights[0]) // 2 - sum(weights[1:])
    return _spread(weights, levels, rest)


def falling(centre: int, exp_epsilon: Fraction, total: int, length: int) -> list[int]:
    """Return at most `length` weights of z = 0, 1, ... that fall by E from an even w(0) until `total` is reached.

    The list is empty if `length` weights do not reach the total.
    """
    weights, left = [centre], (total - centre) // 2
    while left and len(weights) < length:
        weights.append(min(-(-weights[-1] * exp_epsilon.denominator // exp_epsilon.numerator), left))
        left -= weights[-1]
    return weights if left == 0 else []


def shortened(levels: Sequence[int], exp_epsilon: Fraction, total: int, first: int) -> list[int]:
    """Return the weights of `symmetric` for noise that may be cut where the chain can fall no further.

    Parameters
    ----------
    first
        About the weight of 0, where the chain starts.
    """
    while True:
        steps = chain(first, exp_epsilon, max(levels) + 1)
        end = next((k for k in range(1, len(steps)) if steps[k] == steps[k - 1]), len(steps))
        weights = symmetric([level for level in levels if level < end], exp_epsilon, total)
        if not weights or weights[0] <= first:
            return weights
        first = weights[0]


def _spread(weights: list[int], levels: Sequence[int], rest: int) -> list[int]:
    """Add the rest in equal parts to all weights but w(0); odd units go to the deepest level, nearest to 0 first."""
    share, odd = divmod(rest, len(weights) - 1)
    spread = [weights[0], *(weight + share for weight in weights[1:])]
    for output in sorted(range(1, len(weights)), key=levels.__getitem__, reverse=True)[:odd]:  # equal levels in order
        spread[output] += 1
    return spread


def _weights(levels: Sequence[int], start: int, exp_epsilon: Fraction) -> list[int]:
    weights = chain(start, exp_epsilon, max(levels) + 1)
    return [weights[level] for level in levels]


def _largest_start(levels: Sequence[int], exp_epsilon: Fraction, total: int, step: int) -> int:
    """Return the largest multiple of `step` that starts a chain whose sum over all outputs fits; 0 if none fits."""
    sizes = [0] * (max(levels) + 1)
    for level, size in Counter(levels).items():
        sizes[level] = size

    def left(multiple: int) -> int:
        weights = chain(multiple * step, exp_epsilon, len(sizes))
        return total - sum(map(int.__mul__, sizes, weights))

    fall = float(exp_epsilon)
    growth = step * math.fsum([size * fall**-level for level, size in enumerate(sizes)])
    low, high = 0, total // step + 1
    guess = int(total / growth)
    attempts = 0
    while high - low > 1:
        attempts += 1
        middle = min(max(guess, low + 1), high - 1) if attempts <= GUIDED else (low + high) // 2
        rest = left(middle)
        low, high = (middle, high) if rest >= 0 else (low, middle)
        guess = middle + (max(int(rest / growth), 1) if rest >= 0 else min(int(rest / growth), -1))
    return low * step

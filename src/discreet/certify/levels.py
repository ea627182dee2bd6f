"""Quantise noise whose steps are exactly E: geometric, staircase, randomized response, words on a cycle.

Such noise has levels: output y has probability p_0 E**-level(y). Rounding each probability by itself ruins it,
because a floor that takes the last unit of a tail step makes a ratio above E. So the weights are a chain,

    a_0 given,   a_(k+1) = ceil(a_k / E),

which keeps every step within E by construction, with the largest a_0 whose sum fits into 2**bits. What is left
goes +1 each to the outputs from the deepest level up; on counts always to z and -z together, so that the bias is exactly 0.

Where the chain reaches E/(E - 1) it can fall no further. A design that was cut at a tail mass is cut there instead,
which costs that weight in delta and nothing else; a design that promises its support keeps it.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

TOLERANCE = 1e-9
"""Relative difference within which two logarithms name the same level."""


def find(logs: Sequence[float], epsilon: float) -> list[int] | None:
    """The level of every output, from the logarithms of its probabilities; None where they are not levels of E."""
    top = max(logs)
    levels = []
    for log in logs:
        if log == -math.inf:
            return None
        steps = (top - log) / epsilon
        level = round(steps)
        if abs(steps - level) > TOLERANCE * (1 + level):
            return None
        levels.append(level)
    return levels if max(levels) > 0 else None


def chain(start: int, exp_epsilon: Fraction, length: int) -> list[int]:
    """start, ceil(start/E), ceil(that/E), ... : `length` weights."""
    weights = [start]
    while len(weights) < length:
        weights.append(-(-weights[-1] * exp_epsilon.denominator // exp_epsilon.numerator))
    return weights


def on_cycle(levels: Sequence[int], exp_epsilon: Fraction, total: int) -> list[int]:
    """Weights of the residues, in their order, that sum to `total`; empty where not one unit each fits."""
    weights = _largest(levels, exp_epsilon, total, step=1)
    if not weights:
        return []
    deepest = sorted(range(len(levels)), key=lambda place: (-levels[place], place))
    every, some = divmod(total - sum(weights), len(weights))
    for place in deepest[:some]:
        weights[place] += 1
    return [weight + every for weight in weights]


def symmetric(levels: Sequence[int], exp_epsilon: Fraction, total: int, centre: int | None = None) -> list[int]:
    """Weights of z = 0..support for noise symmetric about 0, so that w(0) + 2 (w(1) + ...) is `total`.

    `centre` fixes w(0), which must be even, and starts the chain at z = 1.
    """
    one_side = levels[1:]
    if centre is None:
        both = [levels[0], *(level for level in one_side for _ in range(2))]
        weights = _largest(both, exp_epsilon, total, step=2)
        weights = weights[:1] + weights[1::2]
    else:
        both = [level - min(one_side) for level in one_side]
        weights = _largest(both, exp_epsilon, (total - centre) // 2, step=1)
        weights = [centre, *weights] if weights else []
    if not weights:
        return []
    pairs = (total - weights[0]) // 2 - sum(weights[1:])
    deepest = sorted(range(1, len(weights)), key=lambda z: (-levels[z], -z))
    every, some = divmod(pairs, len(deepest))
    for z in deepest[:some]:
        weights[z] += 1
    return weights[:1] + [weight + every for weight in weights[1:]]


def _largest(levels: Sequence[int], exp_epsilon: Fraction, total: int, step: int) -> list[int]:
    """The chain with the largest start, a multiple of `step`, whose sum over all outputs fits into `total`."""
    sizes = [0] * (max(levels) + 1)
    for level in levels:
        sizes[level] += 1

    def needed(start: int) -> int:
        return sum(size * a for size, a in zip(sizes, chain(start, exp_epsilon, len(sizes)), strict=True))

    if needed(step) > total:
        return []
    low, high = 1, total // step + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if needed(middle * step) <= total else (low, middle)
    weights = chain(low * step, exp_epsilon, len(sizes))
    return [weights[level] for level in levels]

"""Quantise noise whose steps are exactly E: geometric, staircase, randomized response, words on a cycle.

Such noise has levels: output y has probability p_0 E**-level(y). Rounding each probability by itself ruins it,
because a floor that takes the last unit of a tail step makes a ratio above E. So the weights are a chain,

    a_0 given,   a_(k+1) = ceil(a_k / E),

which keeps every step within E by construction, with the largest a_0 whose sum fits into 2**bits. What is
left goes +1 each to the outputs from the deepest level up; on counts always to z and -z together, so that the
bias is exactly 0.

Where the chain reaches E/(E - 1) it can fall no further. A design that was cut at a tail mass is cut there instead,
which costs that weight in delta and nothing else; a design that promises its support keeps it.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

TOLERANCE = 1e-9
"""Relative difference within which two logarithms name the same level."""


def find(logs: Sequence[float], epsilon: float, apart: int) -> list[int] | None:
    """The level of every output, from the logarithms of its probabilities; None where they are not levels of E.

    Outputs at most `apart` from each other may differ by one level only.
    """
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
    steep = any(abs(a - b) > 1 for step in range(1, apart + 1) for a, b in zip(levels, levels[step:], strict=False))
    return None if steep or max(levels) == 0 else levels


def chain(start: int, exp_epsilon: Fraction, length: int) -> list[int]:
    """start, ceil(start/E), ceil(that/E), ... : `length` weights."""
    weights = [start]
    while len(weights) < length:
        weights.append(-(-weights[-1] * exp_epsilon.denominator // exp_epsilon.numerator))
        if weights[-1] == weights[-2]:
            weights += weights[-1:] * (length - len(weights))
    return weights


def on_cycle(levels: Sequence[int], mirror: Sequence[int], exp_epsilon: Fraction, total: int) -> list[int]:
    """Weights of the residues, in their order, that sum to `total`; empty where not one unit each fits.

    `mirror[x]` is the place of -x. What is left goes to x and -x together, so that symmetric noise stays
    symmetric: equally to all but 0, then from the deepest level up. Where the last pair lacks a unit, 0 gives it. Where
    0 is not on the highest level it can give nothing, and where x and -x have different levels they have nothing in
    common: what is left then goes to all, one by one, from the deepest up.
    """
    start = _largest(levels, exp_epsilon, total, step=1)
    if not start:
        return []
    weights = _weights(levels, start, exp_epsilon)
    if levels[0] or mirror[0] or any(levels[x] != levels[y] for x, y in enumerate(mirror)):
        every, rest = divmod(total - sum(weights), len(weights))
        for order, output in enumerate(sorted(range(len(weights)), key=lambda x: (-levels[x], x))):
            weights[output] += every + (order < rest)
        return weights
    every, rest = divmod(total - sum(weights), len(weights) - 1)
    weights = [weights[0], *(weight + every for weight in weights[1:])]
    places = [(x, y) if x < y else (x,) for x, y in enumerate(mirror) if 0 < x <= y]
    for place in sorted(places, key=lambda place: (-levels[place[0]], place)):
        if rest <= 0:
            break
        for output in place:
            weights[output] += 1
        rest -= len(place)
    weights[0] += rest
    return weights


def symmetric(levels: Sequence[int], exp_epsilon: Fraction, total: int, centre: int | None = None) -> list[int]:
    """Weights of z = 0..support for noise symmetric about 0, so that w(0) + 2 (w(1) + ...) is `total`; empty
    where none fit.

    `centre` fixes w(0), which must be even, and starts the chain at z = 1.
    """
    if len(levels) < 2:
        return []
    if centre is None:
        both = [levels[0], *(level for level in levels[1:] for _ in range(2))]
        start = _largest(both, exp_epsilon, total, step=2)
        weights = _weights(levels, start, exp_epsilon)
    else:
        start = _largest(levels[1:], exp_epsilon, (total - centre) // 2, step=1)
        weights = [centre, *_weights(levels[1:], start, exp_epsilon)]
    if not start:
        return []
    rest = (total - weights[0]) // 2 - sum(weights[1:])
    return _spread(weights, levels, rest)


def spent(centre: int, exp_epsilon: Fraction, total: int, length: int) -> list[int]:
    """Weights of z = 0, 1, ... that fall by E from an even w(0) until the rest is placed; at most so many."""
    weights, left = [centre], (total - centre) // 2
    while left and len(weights) < length:
        weights.append(min(-(-weights[-1] * exp_epsilon.denominator // exp_epsilon.numerator), left))
        left -= weights[-1]
    return weights if left == 0 else []


def shortened(levels: Sequence[int], exp_epsilon: Fraction, total: int, first: int) -> list[int]:
    """The same for noise that may be cut where the chain, which starts near `first`, can fall no further."""
    while True:
        falling = chain(first, exp_epsilon, max(levels) + 1)
        end = next((k for k in range(1, len(falling)) if falling[k] == falling[k - 1]), len(falling))
        weights = symmetric([level for level in levels if level < end], exp_epsilon, total)
        if not weights or weights[0] <= first:
            return weights
        first = weights[0]


def _spread(weights: list[int], levels: Sequence[int], rest: int) -> list[int]:
    """The rest in equal parts to all but 0; what does not divide goes to the deepest level, there to the nearest."""
    every, some = divmod(rest, len(weights) - 1)
    for order, output in enumerate(sorted(range(1, len(weights)), key=lambda z: (-levels[z], z))):
        weights[output] += every + (order < some)
    return weights


def _weights(levels: Sequence[int], start: int, exp_epsilon: Fraction) -> list[int]:
    weights = chain(start, exp_epsilon, max(levels) + 1)
    return [weights[level] for level in levels]


def _largest(levels: Sequence[int], exp_epsilon: Fraction, total: int, step: int) -> int:
    """The largest start, a multiple of `step`, of a chain whose sum over all outputs fits; 0 where none does."""
    sizes = [0] * (max(levels) + 1)
    for level in levels:
        sizes[level] += 1

    def fits(start: int) -> bool:
        return sum(size * a for size, a in zip(sizes, chain(start, exp_epsilon, len(sizes)), strict=True)) <= total

    low, high = 0, total // step + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle * step) else (low, middle)
    return low * step

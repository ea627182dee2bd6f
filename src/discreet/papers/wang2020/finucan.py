"""Theorem 1 of Wang 2020: Finucan's algorithm for a mode of a multinomial, as printed, in exact fractions.

With m trials and r classes, start from k_i = floor((m + r/2) p_i), and let f_i be the rest. Then (1 - f_i)/(k_i + 1)
is 1 - (m + r/2) p_i/(k_i + 1), and f_i/k_i is (m + r/2) p_i/k_i - 1. So units go to the largest p_i/(k_i + 1) and leave
the least p_i/k_i: D'Hondt's apportionment, from any start. The print writes S and r for one number, and leaves open
what 0/0 is for p_i = 0; here such a class is passed over.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial, prod


def finucan(trials: int, weights: Sequence[int]) -> list[int]:
    """Return a mode of the multinomial with these weights, by the printed steps; the first of equal minima counts."""
    size, total = len(weights), sum(weights)
    exact = [Fraction(2 * trials + size, 2) * Fraction(weight, total) for weight in weights]
    counts = [int(value) for value in exact]
    rest = [value - count for value, count in zip(exact, counts, strict=True)]
    while sum(counts) < trials:
        chosen = min(range(size), key=lambda i: (1 - rest[i]) / (counts[i] + 1))
        counts[chosen], rest[chosen] = counts[chosen] + 1, rest[chosen] - 1
    while sum(counts) > trials:
        chosen = min((i for i in range(size) if counts[i]), key=lambda i: rest[i] / counts[i])
        counts[chosen], rest[chosen] = counts[chosen] - 1, rest[chosen] + 1
    return counts


def modes(trials: int, weights: Sequence[int]) -> list[tuple[int, ...]]:
    """Return all modes, by the probabilities of all outcomes, which are integers times one number."""
    chances = {
        k: factorial(trials) // prod(map(factorial, k)) * prod(w**n for w, n in zip(weights, k, strict=True))
        for k in _outcomes(trials, len(weights))
    }
    most = max(chances.values())
    return [k for k, chance in chances.items() if chance == most]


@cache
def _outcomes(trials: int, classes: int) -> list[tuple[int, ...]]:
    """Return all ways to spread the trials over the classes."""
    return [k for k in product(range(trials + 1), repeat=classes) if sum(k) == trials]

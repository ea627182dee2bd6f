"""What noisy components and a noisy total say about the true total (Wang 2020, section 2.2.2).

Equation (6) is the posterior of the total N given its noisy count n and the sum n* of the noisy components:

    p(N | n, n*)  ~  p(n | N) p(n* | N) p(N),    N = 0, 1, 2, ...,

where n* - N is the sum of S independent noises. The exact posterior under flat priors of the components is

    p(N | n, n_1, ..., n_S)  ~  p(n | N)  sum over x_1 + ... + x_S = N, all x_s >= 0, of the product of p(n_s | x_s).

Without the bounds x_s >= 0 the two are the same, because the sum is the chance that S noises add up to n* - N. So (6)
is no approximation unless components are near 0.
"""

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.papers.wang2020.geometric_draws import EPSILON, noise, reach
from discreet.reconcile.wang_lists import sum_of_noises


def convolved(count: int, epsilon: float = EPSILON) -> Floats:
    """Return the distribution of the sum of several noises, by convolution, with 0 in the middle."""
    values = np.arange(-reach(epsilon), reach(epsilon) + 1)
    return reduce(np.convolve, [noise(values, epsilon)] * count)


def by_equation_6(noisy: Sequence[int], total: int, epsilon: float = EPSILON) -> tuple[Integers, Floats]:
    """Return the values of the true total, and their probabilities by (6)."""
    values = _values(noisy, total, epsilon)
    added = sum_of_noises(len(noisy), math.exp(-epsilon))
    away = np.abs(values - sum(noisy)) + len(added) // 2
    weights = noise(values - total, epsilon) * np.where(away < len(added), added[np.minimum(away, len(added) - 1)], 0)
    return values, weights / weights.sum()


def exact(noisy: Sequence[int], total: int, epsilon: float = EPSILON) -> tuple[Integers, Floats]:
    """Return the values of the true total, and their probabilities with flat priors of the components from 0."""
    values = _values(noisy, total, epsilon)
    start, added = 0, np.ones(1)
    for count in noisy:
        true = np.arange(max(count - reach(epsilon), 0), max(count, 0) + reach(epsilon) + 1)
        start, added = start + int(true[0]), np.convolve(added, noise(true - count, epsilon))
    index = values - start
    inside = (index >= 0) & (index < len(added))
    weights = noise(values - total, epsilon) * np.where(inside, added[np.where(inside, index, 0)], 0)
    return values, weights / weights.sum()


def drawn_variance(count: int, epsilon: float = EPSILON, independent: bool = False) -> float:
    """Return the variance of a draw from the posterior of a large total, around the true total.

    By (4) if `independent`, else by (6) with so many components. The noise of the total and the sum of the noises are
    independent of each other, and a draw d has the weight p(d - noise) p_S(d - sum).
    """
    farthest = min(reach(epsilon), 25)
    near = np.arange(-farthest, farthest + 1)
    one = noise(near, epsilon)
    if independent:
        return 2 * float(near**2 @ one)
    added = sum_of_noises(count, math.exp(-epsilon))
    middle = len(added) // 2
    wide = np.arange(-min(middle, 110), min(middle, 110) + 1)
    draws = np.arange(-farthest - 20, farthest + 21)
    total_weights = noise(draws - near[:, None], epsilon)
    away = np.minimum(np.abs(draws - wide[:, None]), middle)
    sum_weights = added[middle + away]
    second = (total_weights * draws**2) @ sum_weights.T / (total_weights @ sum_weights.T)
    return float(one @ second @ added[middle + wide])


def _values(noisy: Sequence[int], total: int, epsilon: float) -> Integers:
    """Return the true totals that matter: none is far above both the noisy total and the noisy sum."""
    highest = max(total, sum(max(count, 0) for count in noisy), 0) + 2 * reach(epsilon)
    lowest = min(total, sum(noisy)) - 2 * reach(epsilon)
    return np.arange(max(lowest, 0), highest + 1)

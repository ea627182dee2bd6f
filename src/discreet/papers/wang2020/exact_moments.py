"""Exact means and variances of the counts that algorithms 1 (independence) and 2 of Wang 2020 release.

Both draw a multinomial of size M with the proportions p_s = b_s / (b_1 + ... + b_S). In algorithm 2, M is the noisy
total and b_s the noisy counts, from 0. In algorithm 1, all are draws from posteriors. M and all b_s are independent, so

    E[k_s] = E[M] E[p_s],    E[k_s**2] = E[k_s] + E[M (M - 1)] E[p_s**2],

and the moments of p_s follow from the distributions of b_s and of the sum of all others.
"""

from typing import Literal

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.papers.wang2020.geometric_draws import EPSILON, drawn_given_true, noisy_given_true, reach

CUT = 1e-18
"""Probabilities at the ends of a distribution are left out up to this sum."""

Distribution = tuple[int, Floats]
"""The least value, and the probabilities of it and the values after it."""


def moments(truth: Integers, algorithm: Literal["1i", "2"], epsilon: float = EPSILON) -> tuple[Floats, Floats]:
    """Return the mean and the variance of every released count."""
    weights = [_weight(int(count), algorithm, epsilon) for count in truth]
    before, after = _sums(weights), _sums(weights[::-1])[::-1]
    start, total = _weight(int(truth.sum()), algorithm, epsilon)
    sizes = start + np.arange(len(total))
    size, pairs = float(sizes @ total), float((sizes * (sizes - 1)) @ total)
    means, variances = np.empty(len(weights)), np.empty(len(weights))
    for index, weight in enumerate(weights):
        first, second = _share(weight, _added(before[index], after[index + 1]), len(weights))
        means[index] = size * first
        variances[index] = means[index] + pairs * second - means[index] ** 2
    return means, variances


def _weight(count: int, algorithm: str, epsilon: float) -> Distribution:
    """Return the distribution of the weight that stands for a true count."""
    values = np.arange(max(count - 2 * reach(epsilon), 0), count + 2 * reach(epsilon) + 1)
    chances = (noisy_given_true if algorithm == "2" else drawn_given_true)(np.array([count]), values, epsilon)
    return _trimmed(int(values[0]), chances[0])


def _sums(weights: list[Distribution]) -> list[Distribution]:
    """Return the distributions of the sums of none, the first, the first two, ..."""
    sums: list[Distribution] = [(0, np.ones(1))]
    for weight in weights:
        sums.append(_added(sums[-1], weight))
    return sums


def _added(one: Distribution, other: Distribution) -> Distribution:
    return _trimmed(one[0] + other[0], np.convolve(one[1], other[1]))


def _trimmed(start: int, chances: Floats) -> Distribution:
    first = int(chances.cumsum().searchsorted(CUT, side="right"))
    last = len(chances) - int(chances[::-1].cumsum().searchsorted(CUT, side="right"))
    return start + first, chances[first:last]


def _share(own: Distribution, others: Distribution, count: int) -> tuple[float, float]:
    """Return the first and second moment of own / (own + others); equal shares if both are 0."""
    one, rest = (start + np.arange(len(chances)) for start, chances in (own, others))
    total = one[:, None] + rest
    shares = np.where(total > 0, one[:, None] / np.maximum(total, 1), 1 / count)
    return float(own[1] @ shares @ others[1]), float(own[1] @ shares**2 @ others[1])

"""Put noises of nearly equal precision together, so that a release has few tables of noise.

The error of the best plan changes with the square of a change of its precisions. So slots are put together where the
sum of squared distances to the means of the classes, in logarithms and weighted by the parts of the budget, is least:
k-means in one dimension, which dynamic programming solves exactly.
"""

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Floats, Integers

MOST_CLASSES = 16

SPREAD = 1e-4
"""Fewer classes are taken if the mean squared distance stays below this. The error then grows by about as much."""

GRID = 1e-3
"""Logarithms are rounded to multiples of this first."""


def classes(precisions: Floats, parts: Floats) -> Integers:
    """Return the class of each noise: 0, 1, ..., from the least precision to the largest.

    Parameters
    ----------
    precisions
        The precision of each noise, above 0.
    parts
        The part of the budget that each noise takes.
    """
    logs, index = np.unique(np.rint(np.log(precisions) / GRID) * GRID, return_inverse=True)
    weights = np.bincount(index, parts) / parts.sum()
    cost = _within_costs(logs, weights)
    least = cost[0]
    cuts: list[Integers] = []
    while len(cuts) + 1 < min(MOST_CLASSES, len(logs)) and least[-1] > SPREAD:
        through = least[:-1, None] + cost[1:]  # the last class begins after i and ends at j
        through = np.where(np.arange(len(logs))[None, :] > np.arange(len(logs) - 1)[:, None], through, np.inf)
        cuts.append(through.argmin(axis=0))
        least = np.append(least[:1], through.min(axis=0)[1:])
    return _assigned(cuts, len(logs))[index]


def _within_costs(logs: Floats, weights: Floats) -> Floats:
    """Return for every i and j the weighted squares of i..j around their mean."""
    centred = logs - logs.mean()
    sums = [np.append(0.0, np.cumsum(weights * centred**power)) for power in (0, 1, 2)]
    mass, first, second = (values[None, 1:] - values[:-1, None] for values in sums)
    inside = np.tri(len(logs), dtype=bool).T
    return np.where(inside, np.maximum(second - first**2 / np.where(inside, mass, 1.0), 0.0), 0.0)


def _assigned(cuts: Sequence[Integers], count: int) -> Integers:
    """Return the class of every value from the cuts of dynamic programming."""
    result = np.zeros(count, dtype=np.int64)
    last = count - 1
    for cut in reversed(cuts):
        last = int(cut[last])
        result[last + 1 :] += 1
    return result

"""The brute force of Wang 2020, section 3.2: the posterior of two true counts, summed over a grid of noisy counts.

True counts within a window around the released ones are tried, and for each pair the noisy counts within 30 of it. In
algorithms 2 and 3 the released total is the noisy total, so the total adds one factor. `infer.wang_pair` has the same
posterior without windows.
"""

import math
from functools import cache
from typing import Literal

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.papers.wang2020.geometric_draws import EPSILON, noise
from discreet.reconcile.wang_lists import wang

RELEASED = (250, 357)
"""The example of section 4.2."""

WINDOW = 30
"""Section 3.2."""


@cache
def grid(
    algorithm: Literal["2", "3"], window: int = WINDOW, released: tuple[int, int] = RELEASED
) -> tuple[Integers, Integers, Floats]:
    """Return the values of both true counts, and the table of their probabilities."""
    true = [np.arange(max(count - window, 0), count + window + 1) for count in released]
    noisy = [np.arange(values[0] - WINDOW, values[-1] + WINDOW + 1) for values in true]
    likelihood = outcome(released, noisy[0], noisy[1], algorithm)
    one, other = (_window(values, seen) for values, seen in zip(true, noisy, strict=True))
    table = one @ likelihood @ other.T * noise(sum(released) - np.add.outer(*true), EPSILON)
    return true[0], true[1], table / table.sum()


def outcome(released: tuple[int, int], one: Integers, other: Integers, algorithm: str) -> Floats:
    """Return the chance that two noisy counts, and the released total as noisy total, give the released counts."""
    if algorithm == "3":
        noisy = np.stack(np.meshgrid(one, other, indexing="ij"), axis=-1).reshape(-1, 2)
        outcomes = wang(noisy, np.full(len(noisy), sum(released)), algorithm="3", ties="paper")
        same: Floats = (outcomes == released).all(axis=1).astype(np.float64).reshape(len(one), len(other))
        return same
    return multinomial(released, one.clip(0), other.clip(0))


def multinomial(released: tuple[int, int], one: Integers, other: Integers) -> Floats:
    """Return the chance of the released counts for every pair of weights; equal proportions if both are 0."""
    first, second = np.broadcast_arrays(one[:, None], other)
    both_zero = (first == 0) & (second == 0)
    first, second = np.where(both_zero, 1, first), np.where(both_zero, 1, second)
    log_ways = math.lgamma(sum(released) + 1) - math.lgamma(released[0] + 1) - math.lgamma(released[1] + 1)
    logs = log_ways - sum(released) * np.log(first + second)
    for count, weight in zip(released, (first, second), strict=True):
        logs = logs + np.where(weight > 0, count * np.log(np.maximum(weight, 1)), 0 if count == 0 else -math.inf)
    chances: Floats = np.exp(logs)
    return chances


def _window(true: Integers, noisy: Integers) -> Floats:
    away = noisy - true[:, None]
    return np.where(np.abs(away) <= WINDOW, noise(away, EPSILON), 0.0)


def most_probable(one: Integers, other: Integers, table: Floats, how_many: int = 10) -> dict[tuple[int, int], float]:
    """Return the most probable pairs of true counts, the most probable first."""
    order = np.argsort(-table, axis=None, kind="stable")[:how_many]
    rows, columns = np.unravel_index(order, table.shape)
    return {
        (int(one[i]), int(other[j])): float(table[i, j]) for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
    }

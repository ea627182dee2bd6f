"""The procedure of Wang 2020, section 3.1, repeated with a fixed seed (section 4.1).

The paper repeats it 10,000 times; here it is 40,000 times. All methods run on the same noise, so that differences
between them can be told from chance.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.papers.wang2020.example_data import EXAMPLES
from discreet.papers.wang2020.geometric_draws import EPSILON
from discreet.reconcile.wang_lists import wang

RUNS = 40_000
PAPER_RUNS = 10_000
"""Section 4.1."""

SEED = 2020


def _by(algorithm: str, ties: str = "random") -> Callable[..., Integers]:
    return partial(wang, epsilon=EPSILON, algorithm=algorithm, ties=ties, seed=SEED)  # type: ignore[arg-type]


METHODS = {
    "1i": _by("1i"),
    "1c": _by("1c"),
    "2": _by("2"),
    "3": _by("3", "paper"),
    "3, random ties": _by("3"),
    "least squares": _by("gls"),
}
"""The paper's algorithms, algorithm 3 with ties broken at random, and least squares, which the paper does not have."""


@dataclass(frozen=True, eq=False)
class Runs:
    """What a method gives over all runs.

    Attributes
    ----------
    mean, variance
        Of each released count.
    errors
        Standard errors of the mean and of the variance, times the root of the number of runs.
    squared
        The squared error of each run, averaged over the counts.
    absolute
        The mean of the sum of all distances from the true counts, as a part of their total.
    away
        Share of all released counts that are 0, 1, 2 and 3 or more away from the true count.
    at_zero
        For true counts of 0: the share that is released as 0, 1, 2, and 3 or more. Missing values if none is 0.
    """

    mean: Floats
    variance: Floats
    errors: tuple[Floats, Floats]
    squared: Floats
    absolute: float
    away: Floats
    at_zero: Floats


def noisy(truth: Integers, runs: int, seed: int) -> tuple[Integers, Integers]:
    """Return noisy counts, one run a row, and noisy totals."""
    generator = np.random.default_rng([SEED, seed])
    chance = -math.expm1(-EPSILON)
    shape = (runs, len(truth) + 1)
    noise = generator.geometric(chance, shape) - generator.geometric(chance, shape)
    return truth + noise[:, :-1], int(truth.sum()) + noise[:, -1]


@cache
def noisy_example(example: int, repeats: int = RUNS) -> tuple[Integers, Integers]:
    """Return the noisy counts and totals of all runs of an example."""
    return noisy(EXAMPLES[example], repeats, example)


@cache
def runs(example: int, method: str, repeats: int = RUNS) -> Runs:
    """Return what one of METHODS gives for an example."""
    return summary(METHODS[method](*noisy_example(example, repeats)), EXAMPLES[example])


def summary(released: Integers, truth: Integers) -> Runs:
    """Return what released counts, one run a row, say about a method."""
    mean, variance = released.mean(axis=0), released.var(axis=0)
    fourth = ((released - mean) ** 4).mean(axis=0)
    distance = np.abs(released - truth)
    return Runs(
        mean,
        variance,
        (np.sqrt(variance), np.sqrt(fourth - variance**2)),
        (distance**2).mean(axis=1),
        float(distance.sum(axis=1).mean() / truth.sum()),
        _shares(distance),
        _shares(distance[:, truth == 0]),
    )


def _shares(distance: Integers) -> Floats:
    if not distance.size:
        return np.full(4, np.nan)
    return np.bincount(distance.clip(max=3).ravel(), minlength=4) / distance.size

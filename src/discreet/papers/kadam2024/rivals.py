"""The mechanisms that Kadam 2024 compares its noise with, on equal terms: neighbours in both directions.

(55) and (56): clamped noise is q + Z moved to the nearer end of 0..n. (56) at k = n has to be 1 - F(n - q - 1).

The error of a count is that of the published count, E (q~ - q)^2. The paper takes Z^2 for the residue Z in 0..n, which
is right for q = 0 alone.

Gumbel noise is the paper's reading of the exponential mechanism (footnote 6). It is taken here with its mode at 0,
rounded to integers and clamped. The paper writes Gumbel(epsilon, beta') and does not say what the first parameter does.
"""

import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import numpy as np

from discreet import design
from discreet.arrays import Floats
from discreet.errors import PrivacyWarning
from discreet.linear_program import Program
from discreet.mechanism import Mechanism
from discreet.papers.kadam2024.one_sided import SECONDS, two_sided

Kind = Literal["dp", "pdp"]


@cache
def modulo(size: int, epsilon: float, **options: Any) -> Mechanism:
    """Return `design.cyclic` without its warning: the paper's deltas are large, so the truth is published often."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return design.cyclic(size=size, epsilon=epsilon, **options)


def distribution(mechanism: Mechanism) -> Floats:
    """Return the noise of a mechanism on a cycle, 0 first."""
    return mechanism.interior[0].values


def error_rate(mechanism: Mechanism) -> float:
    """Return the largest chance, over the true counts, that something else is published."""
    return float(1 - mechanism.matrix().diagonal().min())


def squared_errors(mechanism: Mechanism) -> Floats:
    """Return E (q~ - q)^2 for every true count q."""
    matrix = mechanism.matrix()
    counts = np.arange(len(matrix))
    errors: Floats = (np.subtract.outer(counts, counts) ** 2 * matrix).sum(axis=0)
    return errors


def mean_squared_error(mechanism: Mechanism) -> float:
    """Return E (q~ - q)^2 for a true count q that is uniform on 0..n."""
    return float(squared_errors(mechanism).mean())


# Clamped noise


def clamped(noise: Mechanism, n: int) -> Mechanism:
    """Return additive noise on the counts 0..n, clamped: (55)."""
    outputs, chances = noise.pmf(0)
    matrix = np.zeros((n + 1, n + 1))
    for count in range(n + 1):
        np.add.at(matrix[:, count], np.clip(count + outputs, 0, n), chances)
    return Mechanism.from_matrix(matrix)


@cache
def geometric(n: int, alpha: float) -> Mechanism:
    """Return clamped geometric noise (Ghosh et al. 2009)."""
    return design.geometric(alpha=alpha, upper=n)


def gaussian_matrix(n: int, sigma2: float) -> Floats:
    """Return clamped discrete Gaussian noise (Canonne et al. 2020), published by true counts."""
    reach = max(40, math.ceil(12 * math.sqrt(sigma2)))
    outputs = np.arange(-reach, reach + 1)
    weights = np.exp(-(outputs**2) / (2 * sigma2))
    below = np.concatenate([[0.0], np.cumsum(weights / weights.sum())])
    ends = np.clip(np.subtract.outer(np.arange(n), np.arange(n + 1)) + reach + 1, 0, 2 * reach + 1)
    return np.maximum(np.diff(np.vstack([np.zeros(n + 1), below[ends], np.ones(n + 1)]), axis=0), 0)


@cache
def gaussian(n: int, sigma2: float) -> Mechanism:
    """Return clamped discrete Gaussian noise."""
    return Mechanism.from_matrix(gaussian_matrix(n, sigma2))


def gumbel_matrix(n: int, scale: float) -> Floats:
    """Return Gumbel noise with mode 0, rounded and clamped, published by true counts."""
    ends = np.subtract.outer(np.arange(n) + 0.5, np.arange(n + 1))
    below = np.exp(-np.exp(np.minimum(-ends / scale, 700.0)))
    return np.maximum(np.diff(np.vstack([np.zeros(n + 1), below, np.ones(n + 1)]), axis=0), 0)


@cache
def gumbel(n: int, scale: float) -> Mechanism:
    """Return Gumbel noise with mode 0, rounded and clamped."""
    return Mechanism.from_matrix(gumbel_matrix(n, scale))


def counts(epsilon: float, eta: float, support: int) -> Mechanism:
    """Return Sadeghi 2020's noise for counts of at least `support`: the truth with probability eta."""
    return design.bounded(epsilon=epsilon, eta=eta, support=support, lowest=support, variant="paper")


def data_independent(n: int, rho: float) -> Mechanism:
    """Return the noise of Ravi et al. 2022: every wrong value with the same probability rho / n."""
    return two_sided(np.array([1 - rho] + [rho / n] * n), range(1, n + 1))


def matrix_delta(matrix: Floats, epsilon: float, kind: Kind) -> float:
    """Return the delta of a mechanism on 0..n, of published by true counts: quick, for searches."""
    pairs = np.stack(
        [np.concatenate([matrix[:, :-1], matrix[:, 1:]], 1), np.concatenate([matrix[:, 1:], matrix[:, :-1]], 1)]
    )
    over = pairs[0] - math.exp(epsilon) * pairs[1]
    exceeds = over > 1e-14 * pairs[0]
    return float(np.where(exceeds, over if kind == "dp" else pairs[0], 0).sum(axis=0).max())


def smallest_parameter(
    make: Callable[[float], Floats], low: float, high: float, epsilon: float, delta: float, kind: Kind
) -> float:
    """Return the smallest parameter at which a mechanism is (epsilon, delta)-private.

    The DP delta falls as the parameter grows, so halving finds the parameter. The PDP delta is never smaller, and jumps
    up and down: parameters above the one of DP are tried in order, and the last step is halved.

    Parameters
    ----------
    make
        The matrix of the mechanism, of published by true counts.
    low, high
        Between which the parameter lies. At `high` the mechanism has to be private.
    """

    def private(value: float, kind: Kind) -> bool:
        return matrix_delta(make(value), epsilon, kind) <= delta

    below, above = low, high
    for _ in range(30):
        middle = math.sqrt(below * above)
        below, above = (below, middle) if private(middle, "dp") else (middle, above)
    if kind == "dp" or private(above, "pdp"):
        return above
    tried: list[float] = np.geomspace(above, high, 400).tolist()
    after = next(index for index, value in enumerate(tried) if private(value, "pdp"))
    below, above = tried[after - 1], tried[after]
    for _ in range(20):
        middle = (below + above) / 2
        below, above = (below, middle) if private(middle, "pdp") else (middle, above)
    return above


# The best that any mechanism can do


@cache
def least_cost(
    n: int, epsilon: float, delta: float, cost: Literal["error_rate", "squared"], aggregate: Literal["mean", "worst"]
) -> float:
    """Return the least cost, over all true counts, of any (epsilon, delta)-private mechanism on 0..n.

    The linear program over the matrix of the mechanism, with slacks for the positive parts.
    """
    counts, alpha = np.arange(n + 1), math.exp(-epsilon)
    matrix = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)  # [true, published]
    pairs = [(q, q + 1) for q in range(n)] + [(q + 1, q) for q in range(n)]
    slack = matrix.size + np.arange(len(pairs) * (n + 1)).reshape(len(pairs), n + 1)
    largest = matrix.size + slack.size
    distance = np.abs(np.subtract.outer(counts, counts)).astype(np.float64)
    costs = (distance > 0) * 1.0 if cost == "error_rate" else distance**2
    program = Program(largest + 1)
    program.rows(matrix, 1.0, 1.0, 1.0)
    for (q, other), excess in zip(pairs, slack, strict=True):
        program.rows(np.column_stack([matrix[q], matrix[other], excess]), [alpha, -1.0, -1.0], -np.inf, 0.0)
        program.rows(excess[None], 1.0, -np.inf, alpha * delta)
    if aggregate == "mean":
        program.cost[matrix.ravel()] = costs.ravel() / (n + 1)
    else:
        program.cost[largest] = 1
        below = np.column_stack([matrix, np.full(n + 1, largest)])
        program.rows(below, np.column_stack([costs, np.full(n + 1, -1.0)]), -np.inf, 0.0)
    return float(program.cost @ program.solve(SECONDS))

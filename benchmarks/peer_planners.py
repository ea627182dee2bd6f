"""Planners of others, from the mathematics of their papers: what they measure, and how precisely.

**ResidualPlanner** (Xiao, He, Zhang and Kifer 2023). Gaussian noise on every residual space s, correlated within the
space, of precision lambda_s. A person's loss is mu of Gaussian differential privacy, mu^2 = sum of dim_s lambda_s. For
a sum of weighted variances the best lambda_s is in proportion to the root of omega_s, the sum of w_t / N_t^2 over
t >= s. For the largest variance the weights w_t are multiplied with the variances, again and again.

**HDMM** (McKenna, Miklau, Hay and Machanavajjhala 2018), its optimisation over weighted marginals. Every margin of all
axes may be measured, published or not, with one independent noise for each. Gaussian noise: sum of 1 / variance = mu^2.
Laplace noise: sum of epsilon_g = epsilon, variance 2 / epsilon_g^2. L-BFGS from 25 starts.

**TopDown-like** (after Abowd and others 2022). Every level gets the same share of the budget, whatever is published: a
level of geography, or the margins with the same number of axes. Within a level of geography the finest table gets half,
and the others share the rest.

Axes may have levels of equal groups: the residual spaces of `plan.planner.workload`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize

import discreet as dc
from discreet.certify.ptable import PTable
from discreet.plan.planner import Aim, Workload

EPSILON, DELTA = 1.0, 1e-6
STARTS = 25
NORMAL = NormalDist()

Levels = tuple[int, ...]


def gaussian_delta(mu: float, epsilon: float = EPSILON) -> float:
    """Return delta of Gaussian noise whose mean moves by mu standard deviations (Balle and Wang 2018)."""
    return NORMAL.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * NORMAL.cdf(-mu / 2 - epsilon / mu)


MU: float = brentq(lambda mu: gaussian_delta(mu) - DELTA * (1 - 1e-9), 0.01, 1, xtol=1e-14)
"""The most that Gaussian noise may tell about one person: exact delta 1e-6 at epsilon 1."""


def zcdp_mu() -> float:
    """Return the mu that the conversion of zCDP allows, as TopDown accounts (Canonne, Kamath and Steinke 2020)."""

    def log_delta(rho: float) -> float:
        orders = 1 + np.geomspace(1e-3, 1e4, 200_001)
        logs = (orders - 1) * (orders * rho - EPSILON) + orders * np.log1p(-1 / orders) - np.log(orders - 1)
        return float(logs.min())

    return math.sqrt(2 * brentq(lambda rho: log_delta(rho) - math.log(DELTA), 1e-5, 0.5, xtol=1e-12))


def spaces_within(levels: Levels) -> list[Levels]:
    """Return the residual spaces of a grouping."""
    return list(product(*(range(level + 1) for level in levels)))


def is_within(space: Levels, grouping: Levels) -> bool:
    """Return True if a space or grouping is a sum of cells of a grouping."""
    return all(level <= finer for level, finer in zip(space, grouping, strict=True))


def cells_of(workload: Workload, grouping: Levels) -> int:
    """Return the number of cells of a grouping."""
    return math.prod(sizes[level] for sizes, level in zip(workload.axes, grouping, strict=True))


def dimension(workload: Workload, space: Levels) -> int:
    """Return the dimension of a residual space."""
    pairs = zip(workload.axes, space, strict=True)
    return math.prod(sizes[level] - (sizes[level - 1] if level else 0) for sizes, level in pairs)


@dataclass(frozen=True)
class Spaces:
    """The residual spaces of the published groupings, as arrays.

    Attributes
    ----------
    names
        The levels of every space.
    dimensions
        Their dimensions.
    inside
        For every published grouping and space: 1 / N_t^2 if the space is within the grouping t, else 0.
    """

    names: list[Levels]
    dimensions: Any
    inside: Any

    @classmethod
    def of(cls, workload: Workload) -> "Spaces":
        """Return the spaces of a workload."""
        names = sorted({space for grouping in workload.groupings for space in spaces_within(grouping)})
        inside = [[is_within(s, t) / cells_of(workload, t) ** 2 for s in names] for t in workload.groupings]
        return cls(names, np.array([dimension(workload, space) for space in names], dtype=float), np.array(inside))

    def variances(self, precisions: Any) -> Any:
        """Return the variance of every published grouping."""
        return self.inside @ (self.dimensions / precisions)


@dataclass(frozen=True)
class GaussianOnSpaces:
    """A plan of ResidualPlanner.

    Attributes
    ----------
    precisions
        The precision of each residual space, divided by the number of cells of all axes.
    variances
        The variance of every published grouping.
    """

    precisions: dict[Levels, float]
    variances: Any


def residual_planner(workload: Workload, aim: str) -> GaussianOnSpaces:
    """Return the plan of ResidualPlanner with the exact mu of the budget."""
    spaces, weights = Spaces.of(workload), Aim(aim).emphasis(workload)

    def best(weights: Any) -> Any:
        roots = np.sqrt(weights @ spaces.inside)
        return roots * MU**2 / (spaces.dimensions * roots).sum()

    precisions = best(weights)
    if aim == "worst":
        weights = weights / weights.sum()
        for _ in range(20_000):
            variances = spaces.variances(precisions)
            if variances.max() < (weights @ variances) * (1 + 1e-6):
                break
            weights = weights * variances / (weights @ variances)
            precisions = best(weights)
    named = dict(zip(spaces.names, precisions.tolist(), strict=True))
    return GaussianOnSpaces(named, spaces.variances(precisions))


@dataclass(frozen=True)
class NoiseOnMargins:
    """Independent real noise on margins, as HDMM plans it.

    Attributes
    ----------
    noise_variances
        The variance of the noise of every measured margin.
    variances
        The variance of every published grouping by least squares.
    laplace
        True: Laplace noise; False: Gaussian noise.
    """

    noise_variances: dict[Levels, float]
    variances: Any
    laplace: bool


def hdmm(workload: Workload, aim: str, *, laplace: bool) -> NoiseOnMargins:
    """Return the weighted marginals that HDMM finds; the weights of the workload are those of the aim."""
    spaces = Spaces.of(workload)
    margins = list(product(*(range(len(sizes)) for sizes in workload.axes)))
    sizes = np.array([cells_of(workload, margin) for margin in margins], dtype=float)
    above = np.array([[is_within(space, margin) for margin in margins] for space in spaces.names]) / sizes
    factors = spaces.dimensions * (Aim(aim).emphasis(workload) @ spaces.inside)
    power = 2.0 if laplace else 1.0

    def taus(point: Any) -> tuple[Any, Any]:
        shares = np.exp(point - point.max())
        shares = shares / shares.sum()
        return shares, (EPSILON * shares) ** 2 / 2 if laplace else MU**2 * shares

    def objective(point: Any) -> tuple[float, Any]:
        shares, tau = taus(point)
        precisions = above @ tau
        value = float((factors / precisions).sum())
        by_log = -power * tau * ((factors / precisions**2) @ above) / value
        return math.log(value), by_log - shares * by_log.sum()

    generator = np.random.default_rng(18)
    starts = [generator.normal(0, 1, len(margins)) for _ in range(STARTS)]
    options = {"maxiter": 5000, "maxfun": 20_000, "ftol": 1e-13, "gtol": 1e-9}
    found = [minimize(objective, start, jac=True, method="L-BFGS-B", options=options) for start in starts]
    _, tau = taus(min(found, key=lambda result: float(result.fun)).x)
    noise = {margin: 1 / precision for margin, precision in zip(margins, tau, strict=True) if precision > 1e-12}
    return NoiseOnMargins(noise, spaces.variances(above @ tau), laplace)


@dataclass(frozen=True)
class IntegerNoise:
    """Tables of integer noise for the published groupings: a fixed split, or a plan of Discreet.

    Attributes
    ----------
    tables
        The tables of noise.
    noise_of
        For every published grouping the index of its table; None if it is not measured.
    delta
        delta of all tables together at epsilon 1, an upper bound.
    """

    tables: Sequence[PTable]
    noise_of: Sequence[int | None]
    delta: float


def fixed_shares(workload: Workload, geography: int | None) -> list[float]:
    """Return the share of the budget of every published grouping, by its level alone."""
    shares = [0.0] * len(workload.groupings)
    by_level: dict[int, list[int]] = {}
    for number, levels in enumerate(workload.groupings):
        level = sum(map(bool, levels)) if geography is None else levels[geography]
        by_level.setdefault(level, []).append(number)
    for members in by_level.values():
        finest = max(members, key=lambda number: cells_of(workload, workload.groupings[number]))
        for number in members:
            share = 1 / len(members)
            if geography is not None and len(members) > 1:
                share = 0.5 if number == finest else 0.5 / (len(members) - 1)
            shares[number] = share / len(by_level)
    return shares


def fixed_split(workload: Workload, geography: int | None, *, gaussian: bool) -> IntegerNoise:
    """Return certified noise with fixed shares: the discrete Gaussian, or the geometric distribution.

    Gaussian noise starts at the mu of real Gaussian noise, and gets wider until the composition of the integers meets
    the budget.
    """
    shares = [Fraction(share).limit_denominator(1000) for share in fixed_shares(workload, geography)]
    distinct = sorted(set(shares))
    counts = [shares.count(share) for share in distinct]
    noise: Callable[[Fraction, float], PTable] = _gaussian if gaussian else _geometric
    for step in range(200):
        widening = 1 + step * 5e-4
        tables = [noise(share, widening) for share in distinct]
        delta = dc.account.compose(list(zip(tables, counts, strict=True))).delta(EPSILON)
        if delta <= DELTA:
            return IntegerNoise(tables, [distinct.index(share) for share in shares], delta)
    raise RuntimeError(f"the split exceeds the budget: delta is {delta:.3g}")


def _gaussian(share: Fraction, widening: float) -> PTable:
    sigma = widening / (MU * math.sqrt(share))
    return dc.design.gaussian(sigma2=sigma**2, support=math.ceil(8 * sigma)).certify(epsilon=1, bits=62)


def _geometric(share: Fraction, widening: float) -> PTable:
    return dc.design.geometric(epsilon=share / Fraction(widening)).certify(bits=62)

"""The chance that the interval of a measurement holds the true count.

Given a true count k, the chance is a sum of certified weights,

    coverage(k) = sum of Pr[y | k] over the measurements y whose interval holds k,

and is computed in integers. On integers the chance jumps, so it cannot equal the level for every k. The average is what
is promised. Each interval holds at least `level` of its posterior. So over counts that follow the prior, and
measurements of these counts,

    sum over k of prior(k) coverage(k) = sum over y of Pr[y] Pr[k in interval(y) | y] >= level.

A flat prior on a domain with an end gives the average over the domain. Without an end the flat prior has no sum. The
same argument then holds over one period of the interior, away from the small counts. If the period is 1, as for noise
that is the same for all counts, it holds for every such count by itself.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.certify.ptable import PTable
from discreet.domain import LARGEST, Cycle
from discreet.errors import ParameterError
from discreet.exact import Number
from discreet.infer._likelihood import Likelihood
from discreet.infer.credible_intervals import summaries
from discreet.infer.posteriors import integer_measurements, require_certified
from discreet.infer.prior import (
    Flat,
    ListedWeights,
    NegativeBinomial,
    Poisson,
    Prior,
    last_relevant_count,
    read_prior,
)

MOST_COUNTS = 1000
"""Largest number of counts in the result, unless the caller lists counts."""

BLOCK = 1 << 22
"""Number of pairs of a count and a measurement in memory together. Counts near each other share measurements."""

_NEGLIGIBLE = 1e-18


@dataclass(frozen=True, eq=False)
class Coverage:
    """How often intervals hold the truth.

    Attributes
    ----------
    counts, chances
        True counts, and for each the exact chance that the interval of its measurement holds it.
    average
        The chance averaged over the prior: at least the level. The average is exact for a flat prior and for listed
        weights. For a flat prior without an end it is the average over one period of the counts that the small rows do
        not touch. For other priors it is a float that is too low by less than 1e-9.
    """

    counts: Integers
    chances: tuple[Fraction, ...]
    average: Fraction | float


def coverage(ptable: PTable, level: Number = 0.95, prior: Any = None, counts: npt.ArrayLike | None = None) -> Coverage:
    """Return the coverage of the intervals of a table, by true count and averaged over the prior.

    Parameters
    ----------
    ptable : PTable
        A certified table on counts.
    level
        The level of the intervals.
    prior
        As in `posterior`.
    counts : array of int
        True counts. None: the smallest counts, up to the point where the chances repeat, at most 1,000.

    Returns
    -------
    Coverage
        The chance for each true count, and the average.

    Raises
    ------
    ParameterError
        `ptable` is not certified or is on a cycle, `level` is not between 0 and 1, the prior cannot be read, or a count
        is below 0.
    InputError
        A count is not an integer.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> result = dc.infer.coverage(table, counts=[0, 3, 100])
    >>> [f"{float(chance):.2%}" for chance in result.chances], f"{float(result.average):.2%}"
    (['98.66%', '98.66%', '97.32%'], '97.32%')
    """
    if isinstance(require_certified(ptable).domain, Cycle):
        raise ParameterError(f"residues of {ptable.domain} have no order, so no intervals and no coverage")
    likelihood, known_prior = Likelihood.of(ptable.table), read_prior(prior)
    true_counts = _smallest_counts(likelihood) if counts is None else _require_counts(counts)
    total = ptable.table.total
    chances = tuple(Fraction(weight, total) for weight in _covered_weights(likelihood, true_counts, level, known_prior))
    if isinstance(known_prior, Flat):
        average: Fraction | float = _flat_average(likelihood, level)
    elif isinstance(known_prior, ListedWeights):
        average = _listed_average(likelihood, level, known_prior)
    else:
        average = _named_average(likelihood, level, known_prior)
    return Coverage(true_counts, chances, average)


def _smallest_counts(likelihood: Likelihood) -> Integers:
    period = max(1, len(likelihood.table.interior))
    last = _first_periodic_count(likelihood) + period - 1
    return np.arange(likelihood.lower, min(last, likelihood.upper, likelihood.lower + MOST_COUNTS - 1) + 1)


def _require_counts(counts: npt.ArrayLike) -> Integers:
    true_counts = np.atleast_1d(integer_measurements(counts)).ravel()
    if (true_counts < 0).any():
        raise ParameterError(f"a true count is {true_counts.min()}; give counts of 0 or more")
    return true_counts


def _covered_weights(likelihood: Likelihood, counts: Integers, level: Number, prior: Prior) -> list[int]:
    """Return, for each count, the weight of the measurements whose interval holds the count."""
    covered: list[int] = []
    noise = likelihood.least + np.arange(likelihood.width)
    rows = max(1, BLOCK // likelihood.width)
    for start in range(0, len(counts), rows):
        block = counts[start : start + rows]
        clamped = np.clip(block, likelihood.lower, likelihood.upper)
        weights = likelihood.weights[likelihood.rows(clamped)]
        measurements = clamped[:, None] + noise
        distinct, index = np.unique(measurements, return_inverse=True)
        summary = summaries(likelihood, distinct, level, prior)
        index = index.reshape(measurements.shape)
        # under a flat prior the upper end of the domain means "this count or more"
        true = (np.minimum(block, likelihood.upper) if isinstance(prior, Flat) else block)[:, None]
        holds = summary.possible[index] & (summary.low[index] <= true) & (true <= summary.high[index])
        covered.extend(np.where(holds, weights, 0).sum(axis=1).tolist())
    return covered


def _flat_average(likelihood: Likelihood, level: Number) -> Fraction:
    """Return the average over the domain, or over one period of the interior if the domain has no end."""
    period, total = len(likelihood.table.interior), likelihood.table.total
    first = _first_periodic_count(likelihood)
    last = likelihood.upper - likelihood.width + 1  # the last count that the upper end does not touch
    periods = (last - first + 1) // period if period else 0
    one_period = (
        sum(_covered_weights(likelihood, np.arange(first, first + period), level, Flat())) if periods > 0 else 0
    )
    if likelihood.upper == LARGEST:
        return Fraction(one_period, total * period)
    edges = (
        [np.arange(likelihood.lower, first), np.arange(first + periods * period, likelihood.upper + 1)]
        if periods > 0
        else [np.arange(likelihood.lower, likelihood.upper + 1)]
    )
    at_edges = sum(sum(_covered_weights(likelihood, edge, level, Flat())) for edge in edges)
    size = likelihood.upper - likelihood.lower + 1
    return Fraction(max(periods, 0) * one_period + at_edges, total * size)


def _first_periodic_count(likelihood: Likelihood) -> int:
    """Return the first count none of whose measurements is within reach of the small rows."""
    return likelihood.table.start + likelihood.width - 1


def _listed_average(likelihood: Likelihood, level: Number, prior: ListedWeights) -> Fraction:
    counts = np.flatnonzero(prior.weights)
    weights = [Fraction(weight) for weight in prior.weights[counts].tolist()]
    covered = _covered_weights(likelihood, counts, level, prior)
    joint = sum(weight * chance for weight, chance in zip(weights, covered, strict=True))
    return Fraction(joint) / (sum(weights) * likelihood.table.total)


def _named_average(likelihood: Likelihood, level: Number, prior: Poisson | NegativeBinomial) -> float:
    """Return the average over the prior. Counts with negligible weight count as not covered."""
    counts = np.arange(last_relevant_count(prior, 0) + 1)
    logs = prior.logs(counts)
    weights = np.exp(logs - logs.max())
    weights /= math.fsum(weights)
    relevant = weights > _NEGLIGIBLE
    covered = _covered_weights(likelihood, counts[relevant], level, prior)
    total = likelihood.table.total
    return math.fsum(weight * (chance / total) for weight, chance in zip(weights[relevant], covered, strict=True))

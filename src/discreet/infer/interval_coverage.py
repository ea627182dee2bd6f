"""How often the interval of a measurement holds the true count.

Given a true count k, the chance is a sum of certified weights,

    coverage(k) = sum of Pr[y | k] over the measurements y whose interval holds k,

and is computed in integers. On integers it cannot be the level for every k: it jumps. What is promised is the average.
Each interval holds at least `level` of its posterior, so over counts that follow the prior and measurements drawn from
them

    sum over k of prior(k) coverage(k) = sum over y of Pr[y] Pr[k in interval(y) | y] >= level.

A flat prior on a domain with an end is an average over the domain. Without an end it has no sum. There the same
argument holds over one period of the interior, away from the small counts, and where the period is 1, as for plain
noise, it holds for every such count by itself.
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
from discreet.infer import prior as priors
from discreet.infer._likelihood import Likelihood
from discreet.infer.credible_intervals import summaries
from discreet.infer.posteriors import certified, integers
from discreet.infer.prior import Flat, Given, NegativeBinomial, Poisson, Prior

SHOWN = 1000
"""Counts in the table of coverages unless others are asked for."""

BLOCK = 1 << 22
"""Pairs of a count and a measurement looked at together; counts near each other share their measurements."""

_NEGLIGIBLE = 1e-18


@dataclass(frozen=True, eq=False)
class Coverage:
    """How often intervals hold the truth.

    Attributes
    ----------
    counts, chances
        True counts, and for each the exact chance that its interval holds it.
    average
        The chance averaged over the prior: at least the level. Exact for a flat or a given prior (flat and without an
        end: over one period of the counts that the small rows do not touch). For other priors a float, low by less than
        1e-9.
    """

    counts: Integers
    chances: tuple[Fraction, ...]
    average: Fraction | float


def coverage(ptable: PTable, level: Number = 0.95, prior: Any = None, counts: npt.ArrayLike | None = None) -> Coverage:
    """The coverage of the intervals of a table, by true count and averaged over the prior.

    Parameters
    ----------
    counts
        The true counts to tell it for; the smallest ones, up to where it repeats (at most 1,000), unless given.
    """
    if isinstance(certified(ptable).domain, Cycle):
        raise ParameterError(f"residues of {ptable.domain} have no order, so no intervals and no coverage")
    likelihood, believed = Likelihood.of(ptable.table), priors.read(prior)
    if counts is None:
        period = max(1, len(ptable.interior))
        end = min(_repeating(likelihood) + period - 1, likelihood.upper, likelihood.lower + SHOWN - 1)
        shown = np.arange(likelihood.lower, end + 1)
    else:
        shown = np.atleast_1d(integers(counts)).ravel()
        if (shown < 0).any():
            raise ParameterError(f"a true count is {shown.min()}; give counts of 0 or more")
    total = ptable.table.total
    chances = tuple(Fraction(weight, total) for weight in _covered(likelihood, shown, level, believed))
    if isinstance(believed, Flat):
        return Coverage(shown, chances, _flat_average(likelihood, level))
    if isinstance(believed, Given):
        there = np.flatnonzero(believed.weights)
        weights = [Fraction(weight) for weight in believed.weights[there].tolist()]
        found = _covered(likelihood, there, level, believed)
        joint = sum(weight * covered for weight, covered in zip(weights, found, strict=True))
        return Coverage(shown, chances, Fraction(joint) / (sum(weights) * total))
    return Coverage(shown, chances, _average(likelihood, level, believed))


def _covered(likelihood: Likelihood, counts: Integers, level: Number, prior: Prior) -> list[int]:
    """For each count the weight of the measurements whose interval holds it."""
    found: list[int] = []
    noise = likelihood.least + np.arange(likelihood.width)
    rows = max(1, BLOCK // likelihood.width)
    for start in range(0, len(counts), rows):
        here = counts[start : start + rows]
        inside = np.clip(here, likelihood.lower, likelihood.upper)
        weights = likelihood.weights[likelihood.rows(inside)]
        measured = inside[:, None] + noise
        distinct, place = np.unique(measured, return_inverse=True)
        known = summaries(likelihood, distinct, level, prior)
        place = place.reshape(measured.shape)
        true = (np.minimum(here, likelihood.upper) if isinstance(prior, Flat) else here)[:, None]  # the end, or more
        holds = known.possible[place] & (known.low[place] <= true) & (true <= known.high[place])
        found.extend(np.where(holds, weights, 0).sum(axis=1).tolist())
    return found


def _flat_average(likelihood: Likelihood, level: Number) -> Fraction:
    """Over the domain; without an end, over one period of the interior."""
    period, total = len(likelihood.table.interior), likelihood.table.total
    first = _repeating(likelihood)
    last = likelihood.upper - likelihood.width + 1  # the last count that the upper end does not touch
    periods = (last - first + 1) // period if period else 0
    one = sum(_covered(likelihood, np.arange(first, first + period), level, Flat())) if periods > 0 else 0
    if likelihood.upper == LARGEST:
        return Fraction(one, total * period)
    ends = (
        [np.arange(likelihood.lower, first), np.arange(first + periods * period, likelihood.upper + 1)]
        if periods > 0
        else [np.arange(likelihood.lower, likelihood.upper + 1)]
    )
    edges = sum(sum(_covered(likelihood, part, level, Flat())) for part in ends)
    size = likelihood.upper - likelihood.lower + 1
    return Fraction(max(periods, 0) * one + edges, total * size)


def _repeating(likelihood: Likelihood) -> int:
    """The first count whose measurements all are beyond the reach of the small rows."""
    return likelihood.table.start + likelihood.width - 1


def _average(likelihood: Likelihood, level: Number, prior: Poisson | NegativeBinomial) -> float:
    """Over the prior; counts that are too rare to look at are taken as not covered."""
    counts = np.arange(priors.last(prior, 0) + 1)
    logs = prior.logs(counts)
    weights = np.exp(logs - logs.max())
    weights /= math.fsum(weights)
    there = weights > _NEGLIGIBLE
    found = _covered(likelihood, counts[there], level, prior)
    total = likelihood.table.total
    return math.fsum(weight * (covered / total) for weight, covered in zip(weights[there], found, strict=True))

"""Intervals of many cells at once.

The work is done for each distinct measurement. Under a flat prior, and away from the small rows and from the ends of
the domain, the posterior of y + period is that of y moved by the period, so a million different large measurements cost
as much as one period of them.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.certify.ptable import PTable
from discreet.domain import LARGEST, Counts, Cycle
from discreet.errors import ParameterError
from discreet.exact import Number
from discreet.infer import belief
from discreet.infer import prior as priors
from discreet.infer.likelihood import Likelihood
from discreet.infer.posterior import beliefs, certified, integers, reaching, require
from discreet.infer.prior import Flat, Prior

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

CHUNK = 1 << 16
"""Probabilities held at a time: more than fit into the processor's cache are slower."""


FOUND = ("low", "high", "mean", "most_likely")


@dataclass(frozen=True, eq=False)
class Intervals:
    """What is known of each cell, in the shape of the measurements.

    Attributes
    ----------
    low, high
        The count lies between them, both included, with a probability of at least the level.
    mean
        What the count is on average.
    mode
        The most likely count, the smallest of several.
    open_end
        Whether `high` stands for "that or more", as in `Posterior`: the count lies at `low` or above, and the mean is
        as if nothing were beyond `high`.
    """

    low: Integers
    high: Integers
    mean: Floats
    mode: Integers
    open_end: npt.NDArray[np.bool_]


def intervals(ptable: PTable, observed: npt.ArrayLike, level: Number = 0.95, prior: Any = None) -> Intervals:
    """Interval, mean and mode of every cell: those of `posterior`, for millions of cells.

    Parameters
    ----------
    observed, prior
        As for `posterior`.
    level
        The least probability that an interval holds; what is left out is at most (1 - level) / 2 at either end.
    """
    if isinstance(certified(ptable).domain, Cycle):
        raise ParameterError(f"residues of {ptable.domain} have no order, so no intervals; use posterior(...)")
    likelihood, believed, given = Likelihood.of(ptable.table), priors.read(prior), integers(observed)
    distinct, inverse = np.unique(given, return_inverse=True)
    found = summaries(likelihood, distinct, level, believed)
    require(likelihood, distinct, found.possible)
    place = inverse.reshape(given.shape)
    high = found.high[place]
    endless = (high == likelihood.upper) & (isinstance(believed, Flat) and likelihood.upper < LARGEST)
    return Intervals(found.low[place], high, found.mean[place], found.mode[place], endless)


def heads(*ptables: PTable) -> tuple[str, ...]:
    """The columns of `listed`; the note only where the domain of a table has an end."""
    ends = [ptable.domain.upper for ptable in ptables if isinstance(ptable.domain, Counts)]
    return FOUND if all(end is None for end in ends) else (*FOUND, "note")


def listed(found: Intervals) -> list[list[Any]]:
    """Low, high, mean, mode and a note for every cell in a row; no high and no mean where there is no end."""
    means = [f"{mean:.2f}" for mean in found.mean.ravel().tolist()]
    columns = (found.low.ravel().tolist(), found.high.ravel().tolist(), means, found.mode.ravel().tolist())
    rows: list[list[Any]] = [[*row, ""] for row in zip(*columns, strict=True)]
    for place in np.flatnonzero(found.open_end.ravel()).tolist():
        low, high, _, mode, _ = rows[place]
        rows[place] = [low, "", "", mode, alike(high)]
    return rows


def alike(end: int) -> str:
    """Why an interval has no end."""
    return f"counts of {end} or more are measured alike"


@dataclass(frozen=True, eq=False)
class Summaries:
    """The columns for distinct measurements; `possible` is False where no count can have given one."""

    low: Integers
    high: Integers
    mean: Floats
    mode: Integers
    possible: npt.NDArray[np.bool_]


def summaries(likelihood: Likelihood, distinct: Integers, level: Number, prior: Prior) -> Summaries:
    """The columns for measurements that are different and increasing."""
    standing = _standing(likelihood, distinct) if isinstance(prior, Flat) else distinct
    values, inverse = np.unique(standing, return_inverse=True)
    whole, means = np.zeros((4, len(values)), dtype=np.int64), np.zeros(len(values))

    def summarise(here: npt.NDArray[np.intp]) -> None:
        first, chances = beliefs(likelihood, values[here], prior)
        low, high = belief.credible(chances, level)
        top = chances.argmax(axis=1)
        possible = chances[np.arange(len(top)), top] > 0
        whole[:, here] = first + low, first + high, first + top, possible
        means[here] = first + chances @ np.arange(chances.shape[1])

    edge = reaching(likelihood, values)
    inner = np.flatnonzero(~edge)
    parts = np.array_split(inner, -(-len(inner) * likelihood.width // CHUNK) or 1)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(summarise, [part for part in parts if part.size]))
    for place in np.flatnonzero(edge):  # a prior may have all counts from here on possible
        summarise(np.array([place]))
    moved = distinct - standing
    low, high, mode, possible = whole[:, inverse]
    return Summaries(low + moved, high + moved, means[inverse] + moved, mode + moved, possible > 0)


def _standing(likelihood: Likelihood, observed: Integers) -> Integers:
    """For every measurement the smallest one whose posterior, moved, is its own."""
    period = len(likelihood.table.interior)
    if not period:
        return observed
    far = likelihood.table.start + likelihood.most
    same = (observed >= far) & (observed - likelihood.least <= likelihood.upper)
    return np.where(same, far + (observed - far) % period, observed)

"""Intervals of many cells at once.

The work is done for each distinct measurement. Under a flat prior, and away from the small rows and from the ends of
the domain, the posterior of y + period is that of y moved by the period, so a million different large measurements cost
as much as one period of them.

Under a Poisson or negative binomial prior p(k + 1) / p(k) moves one way as k grows. So, where only noise is added, the
posteriors of count minus measurement are in the order of their likelihood ratios, and their quantiles, modes and means
move one way as the measurement grows: where they are the same at both ends of a stretch, they are so between.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.certify.ptable import PTable
from discreet.domain import LARGEST, Counts, Cycle
from discreet.errors import ParameterError
from discreet.exact import Number
from discreet.infer import posterior_value
from discreet.infer import prior as priors
from discreet.infer._likelihood import Likelihood
from discreet.infer.posteriors import beliefs, certified, integers, reaching, require
from discreet.infer.prior import Flat, NegativeBinomial, Poisson, Prior

Places = npt.NDArray[np.intp]

CHUNK = 1 << 16
"""Probabilities held at a time: more than fit into the processor's cache are slower."""

FEW = 16
"""Chunks of measurements whose means are found one by one rather than searched for stretches that agree."""

CLOSE, DIGITS = 1e-12, 1e-4
"""How much means may differ to be found by interpolation: in parts of the measurement, and at all."""

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
    still = standing(likelihood, distinct) if isinstance(prior, Flat) else distinct
    values, inverse = np.unique(still, return_inverse=True)
    whole, means = np.zeros((4, len(values)), dtype=np.int64), np.zeros(len(values))

    def average(here: Places) -> tuple[Integers, Floats]:
        first, chances = beliefs(likelihood, values[here], prior)
        means[here] = first + chances @ np.arange(chances.shape[1])
        return first, chances

    def summarise(here: Places) -> None:
        first, chances = average(here)
        low, high = posterior_value.credible(chances, level)
        top = chances.argmax(axis=1)
        possible = chances[np.arange(len(top)), top] > 0
        whole[:, here] = first + low, first + high, first + top, possible

    def settle(here: Places) -> None:
        """Those between two that agree agree with them; their means are interpolated, or found one by one."""
        if len(here) <= rows:
            return summarise(here)
        ends = here[[0, -1]]
        summarise(ends)
        offsets, drift = whole[:3, ends] - values[ends], np.diff(means[ends] - values[ends])
        close = abs(drift) <= min(CLOSE * values[ends[0]], DIGITS)
        if (offsets[:, 0] == offsets[:, 1]).all() and (close or len(here) <= FEW * rows):
            whole[:3, here], whole[3, here] = values[here] + offsets[:, :1], 1
            if close:
                means[here] = values[here] + np.interp(values[here], values[ends], means[ends] - values[ends])
            for part in () if close else _parts(here, rows):
                average(part)
            return None
        settle(here[: len(here) // 2])
        settle(here[len(here) // 2 :])

    rows = max(2, CHUNK // likelihood.width)
    edge = reaching(likelihood, values)
    far = _far(likelihood, values, prior)
    for part in _parts(np.flatnonzero(~edge & ~far), rows):
        summarise(part)
    for place in np.flatnonzero(edge):  # a prior may have all counts from here on possible
        summarise(np.array([place]))
    if far.any():
        settle(np.flatnonzero(far))
    moved = distinct - still
    low, high, mode, possible = whole[:, inverse]
    return Summaries(low + moved, high + moved, means[inverse] + moved, mode + moved, possible > 0)


def _parts(here: Places, rows: int) -> Iterator[Places]:
    for start in range(0, len(here), rows):
        yield here[start : start + rows]


def _far(likelihood: Likelihood, values: Integers, prior: Prior) -> npt.NDArray[np.bool_]:
    """Measurements of counts that have the same noise, far from any end, where the prior's ratios move one way."""
    if not isinstance(prior, (Poisson, NegativeBinomial)) or len(likelihood.weights) > 1 or likelihood.lower:
        return np.zeros(len(values), dtype=bool)
    return (values >= likelihood.most) & (values - likelihood.least < likelihood.upper)


def standing(likelihood: Likelihood, observed: Integers) -> Integers:
    """For every measurement the smallest one whose posterior, moved, is its own."""
    period = len(likelihood.table.interior)
    if not period:
        return observed
    far = likelihood.table.start + likelihood.most
    same = (observed >= far) & (observed - likelihood.least <= likelihood.upper)
    return np.where(same, far + (observed - far) % period, observed)

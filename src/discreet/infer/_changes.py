"""Changes of many cells at once, each measured twice.

The work is done for each distinct pair of measurements; under a flat prior, and away from the ends of the domains, for
each pair of places in the periods of the tables (`columns`). The laws of differences are convolutions, here by Fourier
transforms of many rows at a time. That leaves an error of about 1e-15, far below what intervals keep free of a tail for
rounding (`belief.SLACK` of it), so they are those of `combine.difference`. For smaller tails than TINY it is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.certify.ptable import PTable
from discreet.exact import Number, exact
from discreet.infer import combine, posterior_value
from discreet.infer import prior as priors
from discreet.infer._likelihood import Likelihood
from discreet.infer.credible_intervals import alike, standing, summaries
from discreet.infer.posterior_value import Posterior
from discreet.infer.posteriors import beliefs, posterior, reaching, require
from discreet.infer.prior import Flat, Prior

CHUNK = 1 << 20
"""Probabilities of changes held at a time."""

SAME = 1e-12
"""How much less likely than the most likely a change may be, to be as likely but for rounding."""

TINY = 1e-6
"""Probability outside of an interval below which transforms are not exact enough."""


def changes(tables: tuple[PTable, PTable], pairs: Integers, level: Number, prior: Any) -> list[list[Any]]:
    """Low, high, mean, mode and a note for every pair of measurements, now and before, in a row.

    Where a count may be at the end of its table's domain or beyond, the change has no end on that side, and no mean and
    mode.
    """
    believed = priors.read(prior)
    sides = [_side(ptable, column, level, believed) for ptable, column in zip(tables, pairs.T, strict=True)]
    now, then = sides
    places, which = np.unique(np.stack([now.place, then.place], axis=1), axis=0, return_inverse=True)
    low, high, mode = _laws(sides, places, level, believed)[:, which.ravel()] + (now.moved - then.moved)
    low = np.where(now.low == 0, np.minimum(low, -then.high), low)
    high = np.where(then.low == 0, np.maximum(high, now.high), high)
    apart = (pairs[:, 0] - pairs[:, 1]).tolist()
    means = [_written(whole + rest) for whole, rest in zip(apart, (now.away - then.away).tolist(), strict=True)]
    rows: list[list[Any]] = [
        list(row) for row in zip(low.tolist(), high.tolist(), means, mode.tolist(), [""] * len(means), strict=True)
    ]
    for at in np.flatnonzero(now.edge | then.edge | (1 - exact(level, "level") < TINY)).tolist():
        one, other = (posterior(ptable, value, prior) for ptable, value in zip(tables, pairs[at], strict=True))
        rows[at] = _one(one, other, level)
    return rows


@dataclass(frozen=True, eq=False)
class _Side:
    """One table: measurements whose laws are different, and for every cell which is its own, moved by how much.

    `edge` says which cells may be at the end of the domain; the rest is what is known of every cell by itself, `away`
    being how far its mean is from its measurement.
    """

    likelihood: Likelihood
    values: Integers
    place: npt.NDArray[np.intp]
    moved: Integers
    edge: npt.NDArray[np.bool_]
    low: Integers
    high: Integers
    away: Floats


def _side(ptable: PTable, observed: Integers, level: Number, prior: Prior) -> _Side:
    likelihood = Likelihood.of(ptable.table)
    still = standing(likelihood, observed) if isinstance(prior, Flat) else observed
    values, place = np.unique(still, return_inverse=True)
    found = summaries(likelihood, values, level, prior)
    require(likelihood, values, found.possible)
    moved = observed - still
    known = found.low[place] + moved, found.high[place] + moved, (found.mean - values)[place]
    return _Side(likelihood, values, place, moved, reaching(likelihood, observed), *known)


def _laws(sides: Sequence[_Side], places: Integers, level: Number, prior: Prior) -> Integers:
    """Low, high and mode of the change for every pair of places; 0 where one of them is at an end."""
    found = np.zeros((3, len(places)), dtype=np.int64)
    ended = [reaching(side.likelihood, side.values) for side in sides]
    inside = np.flatnonzero(~(ended[0][places[:, 0]] | ended[1][places[:, 1]]))
    span = sum(side.likelihood.width + (0 if isinstance(prior, Flat) else side.likelihood.lower) for side in sides) - 1
    size = 1 << (span - 1).bit_length()
    rows = max(1, CHUNK // size)
    for here in (inside[start : start + rows] for start in range(0, len(inside), rows)):
        (a, one, i), (b, other, j) = (_beliefs(side, places[here, axis], prior) for axis, side in enumerate(sides))
        other = other[:, ::-1]
        law = np.fft.irfft(np.fft.rfft(one, size)[i] * np.fft.rfft(other, size)[j], size)[:, :span]
        least = (one > 0).argmax(axis=1)[i], (other > 0).argmax(axis=1)[j]
        law[(law < 0) | (np.arange(span) < np.add(*least)[:, None])] = 0
        law[np.arange(len(here)), np.add(*least)] = one[i, least[0]] * other[j, least[1]]
        low, high = posterior_value.credible(law, level)
        mode = (law >= law.max(axis=1, keepdims=True) * (1 - SAME)).argmax(axis=1)
        found[:, here] = a[i] - b[j] - other.shape[1] + 1 + np.stack([low, high, mode])
    return found


def _beliefs(side: _Side, places: Integers, prior: Prior) -> tuple[Integers, Floats, npt.NDArray[np.intp]]:
    """As `beliefs` for the different measurements, and which of them each place has."""
    values, which = np.unique(side.values[places], return_inverse=True)
    return *beliefs(side.likelihood, values, prior), which


def _written(mean: float) -> str:
    return f"{round(mean, 2) + 0.0:.2f}"  # a mean of 0 has no sign


def _one(one: Posterior, other: Posterior, level: Number) -> list[Any]:
    """What is known of one change; what is not, as a count may be beyond the end of its table, is empty."""
    change = combine.difference(*(Posterior(each.support, each.probabilities) for each in (one, other)))
    low, high = change.interval(level)
    if not (one.open_end or other.open_end):
        return [low, high, _written(change.mean()), change.mode(), ""]
    ends = sorted({int(each.support[-1]) for each in (one, other) if each.open_end})
    note = "; ".join(alike(end) for end in ends)
    return ["" if other.open_end else low, "" if one.open_end else high, "", "", note]

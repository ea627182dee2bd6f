"""Intervals of many cells at once.

The work is done once for each distinct measurement. Under a flat prior, away from the small rows and the ends of the
domain, the posterior of y + period is the posterior of y moved by the period. So a million different large measurements
cost as much as one period of them.

Under a Poisson or negative binomial prior p(k + 1) / p(k) is monotone in k. If every count has the same noise, the
posteriors of count minus measurement are then ordered by their likelihood ratios, and their quantiles, modes and means
are monotone in the measurement. If they are equal at both ends of a range of measurements, they are equal in between.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import data_frames, pictures
from discreet.arrays import Booleans, Floats, Indices, Integers
from discreet.certify.ptable import PTable
from discreet.domain import LARGEST, Counts, Cycle
from discreet.errors import ParameterError
from discreet.exact import Number
from discreet.infer import posterior_value
from discreet.infer._likelihood import Likelihood
from discreet.infer.posteriors import (
    integer_measurements,
    may_be_at_end,
    posterior_rows,
    require_certified,
    require_possible,
)
from discreet.infer.prior import Flat, NegativeBinomial, Poisson, Prior, read_prior

CHUNK = 1 << 16
"""Number of probabilities held at a time. More do not fit into the processor's cache, and are slower."""

FEW_CHUNKS = 16
"""Ranges of up to this many chunks have their means computed one by one, if interpolation is not exact enough."""

RELATIVE_DRIFT, ABSOLUTE_DRIFT = 1e-12, 1e-4
"""Means are interpolated over a range if mean minus measurement changes by less than both of these.

The first limit is relative to the measurement."""

COLUMNS = ("low", "high", "mean", "most_likely")


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """Credible intervals of many cells. All arrays have the shape of the measurements.

    Attributes
    ----------
    low, high
        The count lies between them, both included, with a probability of at least the level.
    mean
        The posterior mean.
    mode
        The most likely count. Of several, the smallest.
    open_end
        True if `high` means "this count or more", as in `Posterior`. The mean ignores counts above `high`.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> cells = dc.infer.intervals(table, [31, -2])
    >>> cells.low.tolist(), cells.high.tolist()
    ([28, 0], [34, 3])
    """

    low: Integers
    high: Integers
    mean: Floats
    mode: Integers
    open_end: Booleans

    def __repr__(self) -> str:
        cells = "one cell" if self.low.size == 1 else f"{self.low.size:,} cells"
        first = f", the first {self.low.flat[0]}..{self.high.flat[0]}" if self.low.size else ""
        return f"Intervals({cells}{first})"

    def to_frame(self, *, to: str | None = None) -> Any:
        """Return the cells, in C order, as a data frame: the columns low, high, mean and most_likely.

        High and mean are missing if the interval has no end.

        Parameters
        ----------
        to
            "pandas", "polars" or "arrow". None: pandas if it is installed, else arrow.

        Examples
        --------
        >>> import discreet as dc
        >>> table = dc.design.geometric(epsilon=1).certify()
        >>> dc.infer.intervals(table, [31, -2]).to_frame(to="arrow")["high"].to_pylist()
        [34, 3]
        """
        import pyarrow as pa

        endless = self.open_end.ravel()
        high, mean = pa.array(self.high.ravel(), mask=endless), pa.array(self.mean.ravel(), mask=endless)
        columns = (self.low.ravel(), high, mean, self.mode.ravel())
        return data_frames.frame(dict(zip(COLUMNS, columns, strict=True)), to)

    def plot(self, *, axes: Any = None) -> Any:
        """Draw the interval of every cell, with its most likely count.

        Parameters
        ----------
        axes
            Axes of matplotlib. None: new axes.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        MissingExtraError
            matplotlib is not installed.
        """
        panel = pictures.axes(axes)
        cells = np.arange(self.low.size)
        panel.vlines(cells, self.low.ravel(), self.high.ravel(), color="0.4", label="interval")
        panel.plot(cells, self.mode.ravel(), "o", color=pictures.COLOUR, label="most likely count")
        panel.set(xlabel="cell", ylabel="true count")
        panel.legend(frameon=False)
        return panel

    def _repr_html_(self) -> str:
        low, mode, high = (part.ravel().tolist() for part in (self.low, self.mode, self.high))
        shown = f", of which the first {pictures.MOST_POINTS} are shown" if len(low) > pictures.MOST_POINTS else ""
        facts = {"cells": f"{len(low):,}{shown}"}
        picture = pictures.whiskers(low, mode, high, "intervals with the most likely count of each cell")
        return pictures.card("Credible intervals", facts, picture)


def intervals(ptable: PTable, observed: npt.ArrayLike, level: Number = 0.95, prior: Any = None) -> Intervals:
    """Return interval, mean and mode of every cell, equal to those of `posterior`, for millions of cells.

    Under the flat prior, an interval that begins at 0 is not shorter than half the width of an interval far above 0: a
    measurement far below 0 says "few", and never "nobody". Published intervals have the same rule.

    Parameters
    ----------
    ptable : PTable
        The certified table that the noise was drawn from.
    observed : array of int
        Measurements of any shape, not clamped and not reconciled.
    level
        The least probability that an interval holds. At most (1 - level) / 2 is left out at either end.
    prior
        As in `posterior`.

    Returns
    -------
    Intervals

    Raises
    ------
    ParameterError
        `ptable` is not certified or is on a cycle, `level` is not between 0 and 1, the prior cannot be read, or no
        count can give a measurement.
    InputError
        `observed` holds a number that is not an integer.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> cells = dc.infer.intervals(table, [[31, -2], [0, 7]])
    >>> cells.low.tolist(), cells.high.tolist()
    ([[28, 0], [0, 4]], [[34, 3], [3, 10]])
    """
    if isinstance(require_certified(ptable).domain, Cycle):
        raise ParameterError(f"residues of {ptable.domain} have no order, so no intervals; use posterior(...)")
    likelihood, known_prior = Likelihood.of(ptable.table), read_prior(prior)
    measurements = integer_measurements(observed)
    distinct, inverse = np.unique(measurements, return_inverse=True)
    summary = summaries(likelihood, distinct, level, known_prior)
    require_possible(likelihood, distinct, summary.possible)
    index = inverse.reshape(measurements.shape)
    low, high = summary.low[index], summary.high[index]
    if isinstance(known_prior, Flat):
        high = np.where(low == 0, np.maximum(high, _half_width(likelihood, level)), high)
    open_end = (high == likelihood.upper) & (isinstance(known_prior, Flat) and likelihood.upper < LARGEST)
    return Intervals(low, high, summary.mean[index], summary.mode[index], open_end)


def _half_width(likelihood: Likelihood, level: Number) -> int:
    """Return half the width of an interval of a large measurement under a flat prior, rounded up.

    It is 0 if there are no large counts, and ends with the domain.
    """
    far = likelihood.table.start + likelihood.most + np.arange(len(likelihood.table.interior))
    if not len(far) or far[-1] - likelihood.least > likelihood.upper:
        return 0
    summary = summaries(likelihood, far, level, Flat())
    return min(int(-((summary.low - summary.high) // 2).min()), likelihood.upper)


def column_names(*ptables: PTable) -> tuple[str, ...]:
    """Return the names of the columns of `as_rows`. The note is a column only if the domain of a table has an end."""
    uppers = [ptable.domain.upper for ptable in ptables if isinstance(ptable.domain, Counts)]
    return COLUMNS if all(upper is None for upper in uppers) else (*COLUMNS, "note")


def as_rows(cells: Intervals) -> list[list[Any]]:
    """Return low, high, mean, mode and note of every cell. High and mean are empty if the interval has no end."""
    means = [f"{mean:.2f}" for mean in cells.mean.ravel().tolist()]
    columns = (cells.low.ravel().tolist(), cells.high.ravel().tolist(), means, cells.mode.ravel().tolist())
    rows: list[list[Any]] = [[*row, ""] for row in zip(*columns, strict=True)]
    for index in np.flatnonzero(cells.open_end.ravel()).tolist():
        low, high, _, mode, _ = rows[index]
        rows[index] = [low, "", "", mode, open_end_note(high)]
    return rows


def open_end_note(upper: int) -> str:
    """Return the note that says why an interval has no end."""
    return f"counts of {upper} or more are measured alike"


@dataclass(frozen=True, eq=False)
class Summaries:
    """Interval, mean and mode of distinct measurements. `possible` is False if no count can give the measurement."""

    low: Integers
    high: Integers
    mean: Floats
    mode: Integers
    possible: Booleans


def summaries(likelihood: Likelihood, distinct: Integers, level: Number, prior: Prior) -> Summaries:
    """Return the summaries of measurements that are distinct and increasing.

    Raises
    ------
    ParameterError
        `level` is not between 0 and 1.
    """
    representatives = smallest_equivalent(likelihood, distinct) if isinstance(prior, Flat) else distinct
    values, inverse = np.unique(representatives, return_inverse=True)
    columns = _SummaryColumns(likelihood, values, level, prior)
    at_end, far = may_be_at_end(likelihood, values), _has_monotone_summaries(likelihood, values, prior)
    for chunk in _chunks(np.flatnonzero(~at_end & ~far), columns.chunk_rows):
        columns.fill(chunk)
    for index in np.flatnonzero(at_end):  # one by one: a prior may leave all counts above the end possible
        columns.fill(np.array([index]))
    if far.any():
        columns.fill_monotone(np.flatnonzero(far))
    moved = distinct - representatives
    low, high, mode, possible = columns.whole[:, inverse]
    return Summaries(low + moved, high + moved, columns.means[inverse] + moved, mode + moved, possible > 0)


class _SummaryColumns:
    """Low, high, mode and possible (rows of `whole`) and `means` of increasing measurements, filled bit by bit."""

    def __init__(self, likelihood: Likelihood, values: Integers, level: Number, prior: Prior) -> None:
        self.likelihood, self.values, self.level, self.prior = likelihood, values, level, prior
        self.whole, self.means = np.zeros((4, len(values)), dtype=np.int64), np.zeros(len(values))
        self.chunk_rows = max(2, CHUNK // likelihood.width)

    def fill(self, indices: Indices) -> None:
        """Compute all columns of these measurements, all at the same time."""
        first, probabilities = self._fill_means(indices)
        low, high = posterior_value.credible_ends(probabilities, self.level)
        mode = probabilities.argmax(axis=1)
        possible = probabilities[np.arange(len(mode)), mode] > 0
        self.whole[:, indices] = first + low, first + high, first + mode, possible

    def fill_monotone(self, indices: Indices) -> None:
        """Compute all columns of a range of measurements whose summaries are monotone.

        If low, high and mode, minus the measurement, are equal at both ends of the range, they are equal in between.
        Else divide the range into halves.
        """
        if len(indices) <= self.chunk_rows:
            self.fill(indices)
            return
        ends = indices[[0, -1]]
        self.fill(ends)
        end_values, values = self.values[ends], self.values[indices]
        offsets, mean_offsets = self.whole[:3, ends] - end_values, self.means[ends] - end_values
        close = abs(np.diff(mean_offsets)) <= min(RELATIVE_DRIFT * end_values[0], ABSOLUTE_DRIFT)
        short = len(indices) <= FEW_CHUNKS * self.chunk_rows
        if not ((offsets[:, 0] == offsets[:, 1]).all() and (close or short)):
            self.fill_monotone(indices[: len(indices) // 2])
            self.fill_monotone(indices[len(indices) // 2 :])
            return
        self.whole[:3, indices], self.whole[3, indices] = values + offsets[:, :1], 1
        if close:
            self.means[indices] = values + np.interp(values, end_values, mean_offsets)
        else:
            for chunk in _chunks(indices, self.chunk_rows):
                self._fill_means(chunk)

    def _fill_means(self, indices: Indices) -> tuple[Integers, Floats]:
        """Compute the means of these measurements. Return their rows of probabilities."""
        first, probabilities = posterior_rows(self.likelihood, self.values[indices], self.prior)
        self.means[indices] = first + probabilities @ np.arange(probabilities.shape[1])
        return first, probabilities


def _chunks(indices: Indices, rows: int) -> Iterator[Indices]:
    for start in range(0, len(indices), rows):
        yield indices[start : start + rows]


def _has_monotone_summaries(likelihood: Likelihood, values: Integers, prior: Prior) -> Booleans:
    """Return True for measurements far from the ends of the domain, if noise and prior make summaries monotone."""
    if not isinstance(prior, (Poisson, NegativeBinomial)) or len(likelihood.weights) > 1 or likelihood.lower:
        return np.zeros(len(values), dtype=bool)
    return (values >= likelihood.most) & (values - likelihood.least < likelihood.upper)


def smallest_equivalent(likelihood: Likelihood, observed: Integers) -> Integers:
    """Return, for every measurement, the smallest one whose flat-prior posterior is the same up to a shift."""
    period = len(likelihood.table.interior)
    if not period:
        return observed
    far = likelihood.table.start + likelihood.most
    periodic = (observed >= far) & (observed - likelihood.least <= likelihood.upper)
    return np.where(periodic, far + (observed - far) % period, observed)

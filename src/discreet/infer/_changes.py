"""Changes of many cells at once, each measured twice.

The work is done once for each distinct pair of measurements. Under a flat prior, away from the ends of the domains, it
is done once for each pair of positions in the periods of the tables (`credible_intervals`). The distribution of a
difference is a convolution, computed here by Fourier transforms of many rows at a time. Their error is about 1e-15, far
below the part of a tail that intervals keep free for rounding (`posterior_value.SLACK`). So intervals are equal to
those of `combine.difference`. If the tails are smaller than SMALLEST_TAILS, `combine.difference` is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Booleans, Floats, Indices, Integers
from discreet.certify.ptable import PTable
from discreet.exact import Number, exact
from discreet.infer import combine, posterior_value
from discreet.infer._likelihood import Likelihood
from discreet.infer.credible_intervals import open_end_note, smallest_equivalent, summaries
from discreet.infer.posterior_value import Posterior
from discreet.infer.posteriors import may_be_at_end, posterior, posterior_rows, require_possible
from discreet.infer.prior import Flat, Prior, read_prior

CHUNK = 1 << 20
"""Number of probabilities of changes held at a time."""

TIE_TOLERANCE = 1e-12
"""Changes count as equally likely if their probabilities differ by less than this share of them."""

SMALLEST_TAILS = 1e-6
"""Fourier transforms are not exact enough for intervals that leave out less than this."""


def change_rows(tables: tuple[PTable, PTable], pairs: Integers, level: Number, prior: Any) -> list[list[Any]]:
    """Return low, high, mean, mode and note of the change between the measurements of each pair.

    A change has no end on one side if a count may be at the end of the domain of its table. The change then has no mean
    and no mode. Missing entries are empty texts.

    Parameters
    ----------
    tables
        The certified tables of the new and of the old measurements.
    pairs
        New and old measurement of every cell, in two columns.
    level
        The least probability that an interval holds.
    prior
        As in `posterior`.

    Raises
    ------
    ParameterError
        `level` is not between 0 and 1, the prior cannot be read, or no count can give a measurement.
    """
    known_prior = read_prior(prior)
    new, old = (
        _MeasuredColumn.of(ptable, column, level, known_prior) for ptable, column in zip(tables, pairs.T, strict=True)
    )
    distinct, inverse = np.unique(np.stack([new.index, old.index], axis=1), axis=0, return_inverse=True)
    moved = new.moved - old.moved
    low, high, mode = _difference_summaries((new, old), distinct, level, known_prior)[:, inverse.ravel()] + moved
    low = np.where(new.low == 0, np.minimum(low, -old.high), low)
    high = np.where(old.low == 0, np.maximum(high, new.high), high)
    measured_changes = (pairs[:, 0] - pairs[:, 1]).tolist()
    mean_offsets = (new.mean_offset - old.mean_offset).tolist()
    means = [_two_decimals(change + offset) for change, offset in zip(measured_changes, mean_offsets, strict=True)]
    rows: list[list[Any]] = [
        list(row) for row in zip(low.tolist(), high.tolist(), means, mode.tolist(), [""] * len(means), strict=True)
    ]
    small_tails = 1 - exact(level, "level") < SMALLEST_TAILS
    for index in np.flatnonzero(new.at_end | old.at_end | small_tails).tolist():
        new_count, old_count = (
            posterior(ptable, value, prior) for ptable, value in zip(tables, pairs[index], strict=True)
        )
        rows[index] = _change_row(new_count, old_count, level)
    return rows


@dataclass(frozen=True, eq=False)
class _MeasuredColumn:
    """All measurements of one table.

    Attributes
    ----------
    values
        Measurements with different posteriors, increasing.
    index, moved
        For every cell, the index in `values` of the measurement with the same posterior, moved by `moved`.
    at_end
        True for cells whose count may be at the end of the domain.
    low, high
        The interval of every cell.
    mean_offset
        The posterior mean minus the measurement, of every cell.
    """

    likelihood: Likelihood
    values: Integers
    index: Indices
    moved: Integers
    at_end: Booleans
    low: Integers
    high: Integers
    mean_offset: Floats

    @classmethod
    def of(cls, ptable: PTable, observed: Integers, level: Number, prior: Prior) -> "_MeasuredColumn":
        likelihood = Likelihood.of(ptable.table)
        representatives = smallest_equivalent(likelihood, observed) if isinstance(prior, Flat) else observed
        values, index = np.unique(representatives, return_inverse=True)
        summary = summaries(likelihood, values, level, prior)
        require_possible(likelihood, values, summary.possible)
        moved = observed - representatives
        return cls(
            likelihood,
            values,
            index,
            moved,
            may_be_at_end(likelihood, observed),
            summary.low[index] + moved,
            summary.high[index] + moved,
            (summary.mean - values)[index],
        )

    def posterior_rows(self, indices: Integers, prior: Prior) -> tuple[Integers, Floats, Indices]:
        """Return the posterior rows of the different measurements at `indices`, and the row of each index."""
        values, row = np.unique(self.values[indices], return_inverse=True)
        return *posterior_rows(self.likelihood, values, prior), row


def _difference_summaries(
    columns: Sequence[_MeasuredColumn], index_pairs: Integers, level: Number, prior: Prior
) -> Integers:
    """Return low, high and mode (rows) of the change for every pair of indices; 0 if a count may be at an end."""
    result = np.zeros((3, len(index_pairs)), dtype=np.int64)
    at_end = [may_be_at_end(column.likelihood, column.values) for column in columns]
    inside = np.flatnonzero(~(at_end[0][index_pairs[:, 0]] | at_end[1][index_pairs[:, 1]]))
    below_domain = [0 if isinstance(prior, Flat) else column.likelihood.lower for column in columns]
    span = sum(column.likelihood.width + below for column, below in zip(columns, below_domain, strict=True)) - 1
    size = 1 << (span - 1).bit_length()
    rows = max(1, CHUNK // size)
    for chunk in (inside[start : start + rows] for start in range(0, len(inside), rows)):
        (first_a, a, i), (first_b, b, j) = (
            column.posterior_rows(index_pairs[chunk, axis], prior) for axis, column in enumerate(columns)
        )
        b = b[:, ::-1]
        differences = np.fft.irfft(np.fft.rfft(a, size)[i] * np.fft.rfft(b, size)[j], size)[:, :span]
        least_a, least_b = (a > 0).argmax(axis=1)[i], (b > 0).argmax(axis=1)[j]
        least = least_a + least_b
        differences[(differences < 0) | (np.arange(span) < least[:, None])] = 0
        differences[np.arange(len(chunk)), least] = a[i, least_a] * b[j, least_b]
        low, high = posterior_value.credible_ends(differences, level)
        mode = (differences >= differences.max(axis=1, keepdims=True) * (1 - TIE_TOLERANCE)).argmax(axis=1)
        result[:, chunk] = first_a[i] - first_b[j] - b.shape[1] + 1 + np.stack([low, high, mode])
    return result


def _two_decimals(mean: float) -> str:
    return f"{round(mean, 2) + 0.0:.2f}"  # adding 0.0 turns -0.0 into 0.0


def _change_row(new: Posterior, old: Posterior, level: Number) -> list[Any]:
    """Return low, high, mean, mode and note of one change. Entries that a count beyond its table hides are empty."""
    change = combine.difference(*(Posterior(count.support, count.probabilities) for count in (new, old)))
    low, high = change.interval(level)
    if not (new.open_end or old.open_end):
        return [low, high, _two_decimals(change.mean()), change.mode(), ""]
    uppers = sorted({int(count.support[-1]) for count in (new, old) if count.open_end})
    note = "; ".join(open_end_note(upper) for upper in uppers)
    return ["" if old.open_end else low, "" if new.open_end else high, "", "", note]

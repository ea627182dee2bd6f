"""The posterior distribution of a number: its possible values and the probability of each."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import Floats, Indices, Integers
from discreet.errors import ParameterError
from discreet.exact import Number, exact

if TYPE_CHECKING:
    from discreet.plan.planner import ErrorLaw

SLACK = 1e-8
"""Share of a tail that intervals keep free, so that rounding never makes a tail too large."""

_SUM_TOLERANCE = 1e-12
"""Largest difference, for one value, between the sum of the probabilities and 1."""

_BLOCK = 16
"""Number of values in a block. The search for an end of an interval first finds the block, then the value."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """The probability of every value that a true number may have.

    Attributes
    ----------
    support
        The possible values, increasing.
    probabilities
        One probability for each value. The sum is 1.
    open_end
        True if the last value means "this value or more". A table measures all counts above its domain like the last
        count of the domain, so a flat prior cannot tell these counts apart. An interval that reaches the last value
        then has no upper end. Mean and variance ignore the counts above the last value.
    difference_of
        The posteriors of the two counts, if the number is a difference of two counts.
    estimated
        The least-squares estimate of the number and the law of its error, if the number was estimated from several
        measurements. Intervals then come from the law.
    residues
        True if the values are residues of a cycle. Residues have no order and no sum, hence no mean and no interval.

    Raises
    ------
    ParameterError
        The values are not increasing integers, or the probabilities are negative or do not sum to 1.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> posterior = dc.infer.posterior(table, 31)
    >>> posterior.mean(), posterior.mode(), posterior.endless()
    (31.0, 31, False)
    >>> round(posterior.variance(), 4)
    1.8413
    """

    support: Integers
    probabilities: Floats
    open_end: bool = False
    difference_of: "tuple[Posterior, Posterior] | None" = None
    residues: bool = False
    estimated: "Estimated | None" = None

    def __post_init__(self) -> None:
        support, probabilities = np.asarray(self.support), np.asarray(self.probabilities, np.float64)
        if support.dtype.kind not in "iu":
            raise ParameterError(f"support holds {support.dtype.name} values; give integers")
        support = support.astype(np.int64)
        if support.ndim != 1 or support.shape != probabilities.shape or not support.size:
            raise ParameterError(
                f"support has the shape {support.shape} and probabilities {probabilities.shape};"
                " give two lists of the same length, at least one value long"
            )
        if (np.diff(support) <= 0).any():
            raise ParameterError("support does not increase; give every value once, the smallest first")
        total = probabilities.sum()
        if not (probabilities >= 0).all() or abs(total - 1) > _SUM_TOLERANCE * probabilities.size:
            raise ParameterError(
                f"probabilities sum to {total:.17g}, the smallest is {probabilities.min():.6g};"
                " give probabilities of 0 or more that sum to 1"
            )
        object.__setattr__(self, "support", support)
        object.__setattr__(self, "probabilities", probabilities / total)

    def __repr__(self) -> str:
        if self.residues:
            return f"Posterior(mode {self.mode()}, {self.probabilities.max():.2%})"
        low, high = self.interval()
        more = " or more" if self.endless() else ""
        return f"Posterior(mode {self.mode()}, mean {self.mean():.2f}, 95% within {low}..{high}{more})"

    def mean(self) -> float:
        """Return the mean.

        Raises
        ------
        ParameterError
            The values are residues of a cycle.
        """
        _, mean_offset = self._offsets()
        return int(self.support[0]) + mean_offset

    def variance(self) -> float:
        """Return the variance.

        Raises
        ------
        ParameterError
            The values are residues of a cycle.
        """
        offsets, mean_offset = self._offsets()
        return float((offsets - mean_offset) ** 2 @ self.probabilities)

    def mode(self) -> int:
        """Return the most likely value. Of several, return the smallest."""
        return int(self.support[int(np.argmax(self.probabilities))])

    def interval(self, level: Number = 0.95) -> tuple[int, int]:
        """Return the first and the last value of a credible interval.

        The number lies in the interval with a probability of at least `level`. At most (1 - level) / 2 is left out at
        either end, and nothing below if the least possible value is as likely as the last value of the interval. The
        interval of a difference also holds the differences at 0: if the interval of one count holds 0, the difference
        between 0 and the high end of the other count. The interval of an estimate from several measurements comes from
        the law of its error; its level is 0.5 to 0.9999.

        Parameters
        ----------
        level
            A probability between 0 and 1.

        Raises
        ------
        ParameterError
            `level` is not between 0 and 1, or the values are residues of a cycle.

        Examples
        --------
        >>> import discreet as dc
        >>> table = dc.design.geometric(epsilon=1).certify()
        >>> dc.infer.posterior(table, 31).interval()
        (28, 34)
        >>> dc.infer.posterior(table, -3).interval("0.99")
        (0, 5)
        """
        self._require_order()
        if self.estimated is not None:
            return self.estimated.interval(level)
        low, high = (int(self.support[index]) for index in credible_ends(self.probabilities, level))
        if self.difference_of is not None and min(count.support[0] for count in self.difference_of) == 0:
            (first_low, first_high), (second_low, second_high) = (count.interval(level) for count in self.difference_of)
            low = min(low, -second_high) if first_low == 0 else low
            high = max(high, first_high) if second_low == 0 else high
        return low, high

    def endless(self, level: Number = 0.95) -> bool:
        """Return True if the interval at `level` has no upper end, because its last value means "this or more"."""
        return self.open_end and self.interval(level)[1] == int(self.support[-1])

    def _offsets(self) -> tuple[Integers, float]:
        """Return the values minus the first value, and their mean. Large values keep their digits this way."""
        self._require_order()
        offsets = self.support - self.support[0]
        return offsets, float(offsets @ self.probabilities)

    def _require_order(self) -> None:
        if self.residues:
            raise ParameterError("residues of a cycle have no order, so no mean and no interval; use mode()")


@dataclass(frozen=True, eq=False)
class Estimated:
    """A least-squares estimate from several measurements.

    Attributes
    ----------
    value
        The estimate.
    law
        The law of its error.
    is_count
        True if the number cannot be below 0.
    """

    value: float
    law: "ErrorLaw"
    is_count: bool

    def interval(self, level: Number) -> tuple[int, int]:
        """Return the first and the last number of an interval that holds the truth with a chance of the level.

        Raises
        ------
        ParameterError
            `level` is not from 0.5 to 0.9999.
        """
        lower, upper = self.law.ends(float(exact(level, "level")))
        low, high = (int(end) for end in self.ends_of_change(np.asarray(self.value), lower, upper))
        if self.is_count and low <= 0:
            return 0, max(high, math.floor(max(-lower, upper)))
        return low, high

    @staticmethod
    def ends_of_change(values: Floats, lower: Floats | float, upper: Floats | float) -> tuple[Integers, Integers]:
        """Return the whole numbers that are at least value - upper and at most value - lower."""
        rounding = 1e-9 * (1 + np.abs(values))
        first, last = np.ceil(values - upper - rounding), np.floor(values - lower + rounding)
        return first.astype(np.int64), last.astype(np.int64)


def credible_ends(probabilities: Floats, level: Number) -> tuple[Indices, Indices]:
    """Return the indices of the first and the last value of a credible interval, along the last axis.

    Tails of equal size are left out, with one exception. If the least possible value is at least as likely as the last
    value of the interval, nothing is left out below: a count that was measured below 0 is most likely 0.

    Raises
    ------
    ParameterError
        `level` is not between 0 and 1.
    """
    low, high = equal_tail_ends(probabilities, level)
    first = np.argmax(probabilities > 0, axis=-1)
    at_first, at_high = (np.take_along_axis(probabilities, index[..., None], -1)[..., 0] for index in (first, high))
    return np.where(at_first >= at_high, first, low), high


def equal_tail_ends(probabilities: Floats, level: Number) -> tuple[Indices, Indices]:
    """Return the indices of the first and the last value between tails of at most (1 - level) / 2, along the last axis.

    Tails are a little smaller than (1 - level) / 2, by more than the rounding errors of priors and sums.

    Raises
    ------
    ParameterError
        `level` is not between 0 and 1.
    """
    inside = exact(level, "level")
    if not 0 < inside < 1:
        raise ParameterError(f"level is {level}; give a probability between 0 and 1, such as 0.95")
    size = probabilities.shape[-1]
    tail = float((1 - inside) / 2) * (1 - max(SLACK, size * 2.0**-51))
    return _first_beyond(probabilities, tail), size - 1 - _first_beyond(probabilities[..., ::-1], tail)


def _first_beyond(probabilities: Floats, tail: float) -> Indices:
    """Return the index at which the sum from the first value on exceeds `tail`."""
    starts = np.arange(0, probabilities.shape[-1], _BLOCK)
    sums = np.cumsum(np.add.reduceat(probabilities, starts, axis=-1), axis=-1)
    block = np.argmax(sums > tail, axis=-1)[..., None]
    before = np.where(block > 0, np.take_along_axis(sums, np.maximum(block, 1) - 1, -1), 0)
    indices = np.minimum(block * _BLOCK + np.arange(_BLOCK), probabilities.shape[-1] - 1)
    beyond = before + np.cumsum(np.take_along_axis(probabilities, indices, -1), axis=-1) > tail
    beyond[..., -1] = True  # the sum over the block, added in another order, may be rounded to less than `tail`
    return np.take_along_axis(indices, np.argmax(beyond, axis=-1)[..., None], -1)[..., 0]

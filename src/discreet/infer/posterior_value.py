"""A belief about a number: what it may be, and how likely each value is."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.errors import ParameterError
from discreet.exact import Number, exact

_ROUNDING = 1e-12
"""How far probabilities may be from summing to 1; they are divided by their sum."""

SLACK = 1e-8
"""The share of a tail that is kept free for rounding."""

STRETCH = 16
"""Values whose sum is looked at first when the end of an interval is searched."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """The probability of every value that a true number may have.

    Attributes
    ----------
    support
        The values, increasing.
    probabilities
        One for each value; they sum to 1.
    open_end
        Whether the last value stands for "that or more", as where a table measures all larger counts alike: an
        interval that reaches it has no upper end then, and mean and variance are as if nothing were beyond it.
    of
        The two counts whose difference it is, where it is one.
    residues
        Whether the values are residues of a cycle, which have no order and no sum: there is no mean and no interval.
    """

    support: npt.NDArray[np.int64]
    probabilities: npt.NDArray[np.float64]
    open_end: bool = False
    of: "tuple[Posterior, Posterior] | None" = None
    residues: bool = False

    def __post_init__(self) -> None:
        support, weight = np.asarray(self.support), np.asarray(self.probabilities, np.float64)
        if support.dtype.kind not in "iu":
            raise ParameterError("the values of a posterior are not whole numbers; give integers")
        support = support.astype(np.int64)
        if support.ndim != 1 or support.shape != weight.shape or not support.size or (np.diff(support) <= 0).any():
            raise ParameterError("a posterior has increasing values and a probability for each of them")
        if not (weight >= 0).all() or abs(weight.sum() - 1) > _ROUNDING * max(1, weight.size):
            raise ParameterError("the probabilities of a posterior are not negative and sum to 1")
        object.__setattr__(self, "support", support)
        object.__setattr__(self, "probabilities", weight / weight.sum())

    def __repr__(self) -> str:
        if self.residues:
            return f"Posterior(mode {self.mode()}, {self.probabilities.max():.2%})"
        low, high = self.interval()
        more = " or more" if self.endless() else ""
        return f"Posterior(mode {self.mode()}, mean {self.mean():.2f}, 95% within {low}..{high}{more})"

    def mean(self) -> float:
        """What the number is on average."""
        _, mean = self._from_the_first()
        return int(self.support[0]) + mean

    def variance(self) -> float:
        """The mean squared distance from the mean."""
        away, mean = self._from_the_first()
        return float((away - mean) ** 2 @ self.probabilities)

    def _from_the_first(self) -> tuple[npt.NDArray[np.int64], float]:
        """The values less the first, and their mean: large values keep their digits."""
        self._require_order()
        away = self.support - self.support[0]
        return away, float(away @ self.probabilities)

    def _require_order(self) -> None:
        if self.residues:
            raise ParameterError("residues of a cycle have no order, so no mean and no interval; use mode()")

    def mode(self) -> int:
        """The most likely value; the smallest of several."""
        return int(self.support[int(np.argmax(self.probabilities))])

    def interval(self, level: Number = 0.95) -> tuple[int, int]:
        """The values between which the number lies with a probability of at least `level`, both included.

        What is left out is at most (1 - level) / 2 at either end. A difference has what it is where one of its counts
        is 0 and the other at the end of its interval, if the interval of the first has 0.
        """
        self._require_order()
        low, high = (int(self.support[place]) for place in credible(self.probabilities, level))
        if self.of is not None and min(each.support[0] for each in self.of) == 0:
            one, other = (each.interval(level) for each in self.of)
            low, high = min(low, -other[1]) if one[0] == 0 else low, max(high, one[1]) if other[0] == 0 else high
        return low, high

    def endless(self, level: Number = 0.95) -> bool:
        """Whether that interval has no upper end: its last value stands for "that or more" (`open_end`)."""
        return self.open_end and self.interval(level)[1] == int(self.support[-1])


def credible(
    probabilities: npt.NDArray[np.float64], level: Number
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The places of the first and the last value of a credible interval, along the last axis.

    Tails of equal size are left out; but where the least value that is possible is no less likely than the last one
    taken, as 0 is for a count that was measured below it, nothing is left out there.
    """
    low, high = ends(probabilities, level)
    first = np.argmax(probabilities > 0, axis=-1)
    least, last = (np.take_along_axis(probabilities, place[..., None], -1)[..., 0] for place in (first, high))
    return np.where(least >= last, first, low), high


def ends(probabilities: npt.NDArray[np.float64], level: Number) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The places of the first and the last value of the interval, along the last axis.

    The tails are held a little below (1 - level) / 2, by more than the rounding of priors and sums.
    """
    share = exact(level, "level")
    if not 0 < share < 1:
        raise ParameterError(f"level is {level}; give a probability between 0 and 1, such as 0.95")
    size = probabilities.shape[-1]
    tail = float((1 - share) / 2) * (1 - max(SLACK, size * 2.0**-51))
    return _passed(probabilities, tail), size - 1 - _passed(probabilities[..., ::-1], tail)


def _passed(probabilities: npt.NDArray[np.float64], tail: float) -> npt.NDArray[np.intp]:
    """The place at which the sum from the first value on passes `tail`: the stretch of values first, then within it."""
    starts = np.arange(0, probabilities.shape[-1], STRETCH)
    sums = np.cumsum(np.add.reduceat(probabilities, starts, axis=-1), axis=-1)
    stretch = np.argmax(sums > tail, axis=-1)[..., None]
    before = np.where(stretch > 0, np.take_along_axis(sums, np.maximum(stretch, 1) - 1, -1), 0)
    places = np.minimum(stretch * STRETCH + np.arange(STRETCH), probabilities.shape[-1] - 1)
    passed = before + np.cumsum(np.take_along_axis(probabilities, places, -1), axis=-1) > tail
    passed[..., -1] = True  # its sum in another order may have been rounded to more
    return np.take_along_axis(places, np.argmax(passed, axis=-1)[..., None], -1)[..., 0]

"""Ratios and shares of counts whose posteriors are independent (see `combine`).

A ratio or share is computed from all pairs of values. If there are too many pairs, pairs are sampled, and the result
states the standard error of its mean. A posterior with `open_end` has no ratio, and is refused.

**Intervals.** The interval of a / b or a / (a + b) leaves out tails of equal size, but no small count that the
intervals of a and b hold (`posterior_value.credible_ends`). Take the posteriors of a and b given that the ratio is
defined. If the interval of a starts at the least value only because that value is as likely as the last one, the
interval of the ratio reaches down to the ratio at that value. Likewise it reaches up, for b. So the interval of a share
holds a true part of 0 whenever the interval of the part does.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.errors import ParameterError
from discreet.exact import Number, exact
from discreet.infer.combine import require_closed, require_posterior, total
from discreet.infer.posterior_value import Posterior, credible_ends, equal_tail_ends
from discreet.reconcile import tie_breaking

PAIRS = 4_000_000
"""Largest number of pairs of values for which a ratio is computed from all pairs."""

SAMPLES = 1_000_000
"""Number of pairs that are sampled otherwise."""

Quotient = Callable[[npt.NDArray[Any], npt.NDArray[Any]], tuple[npt.NDArray[Any], npt.NDArray[Any]]]
"""From values a and b: numerator and denominator."""


@dataclass(frozen=True)
class Estimate:
    """A number that is not a count: a ratio or a share.

    Attributes
    ----------
    mean
        The posterior mean.
    low, high
        The number lies between them with a probability of at least `level`.
    level
        The least probability that the interval holds.
    undefined
        The probability that the denominator is 0. Mean and interval are given that the denominator is not 0.
    error
        None if all pairs of values were used. Else one standard error of the sampled mean; low and high were then moved
        outward by three standard errors of their ranks.
    """

    mean: float
    low: float
    high: float
    level: float
    undefined: float
    error: float | None


def ratio(numerator: Posterior, denominator: Posterior, level: Number = 0.95, seed: int | None = 0) -> Estimate:
    """Return mean and interval of a ratio, given that the denominator is not 0.

    Parameters
    ----------
    numerator, denominator
        Independent posteriors.
    level
        The least probability that the interval holds.
    seed
        Decides which pairs are sampled, if there are more than 4,000,000 pairs. None: a fresh seed.

    Returns
    -------
    Estimate
        The mean and the interval of the ratio.

    Raises
    ------
    ParameterError
        A posterior has an open end or is about residues, the denominator may be negative or is surely 0, or `level` or
        `seed` is out of range.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> growth = dc.infer.ratio(*dc.infer.posterior(table, [31, 24]))
    >>> round(growth.low, 3), round(growth.mean, 3), round(growth.high, 3)
    (1.115, 1.296, 1.5)
    """
    _require_not_negative(denominator)
    return _estimate(numerator, denominator, lambda a, b: (a, b), level, seed)


def share(
    part: Posterior, rest: Posterior | Sequence[Posterior], level: Number = 0.95, seed: int | None = 0
) -> Estimate:
    """Return mean and interval of the share of a part in the whole, given that the whole is not 0.

    Parameters
    ----------
    part
        The posterior of the part.
    rest
        The whole without the part: its posterior, or the posteriors of all other parts.
    level, seed
        As in `ratio`.

    Returns
    -------
    Estimate
        The mean and the interval of the share.

    Raises
    ------
    ParameterError
        A posterior has an open end or is about residues, a part may be negative, the whole is surely 0, or `level` or
        `seed` is out of range.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> part, *others = dc.infer.posterior(table, [12, 31, 24])
    >>> women = dc.infer.share(part, others)
    >>> f"{women.low:.1%} to {women.high:.1%}"
    '14.1% to 21.4%'
    """
    others = rest if isinstance(rest, Posterior) else total(rest)
    _require_not_negative(part)
    _require_not_negative(others)
    return _estimate(part, others, lambda a, b: (a, a + b), level, seed)


def _require_not_negative(value: Posterior) -> None:
    least = require_posterior(value).support[0]
    if least < 0:
        raise ParameterError(f"a part or denominator may be {least}; give posteriors of counts")


def _estimate(a: Posterior, b: Posterior, quotient: Quotient, level: Number, seed: int | None) -> Estimate:
    """Return the estimate of a quotient of a and b, from all pairs of values or from a sample."""
    key = tie_breaking.key(seed)
    all_pairs = len(require_closed(a).support) * len(require_closed(b).support) <= PAIRS
    numerator, denominator, chances = _all_pairs(a, b, quotient) if all_pairs else _sampled_pairs(a, b, quotient, key)
    defined = denominator > 0
    undefined = float(chances[~defined].sum())
    if not defined.any():
        raise ParameterError("the denominator is surely 0, so there is no ratio; take a larger whole")
    values = numerator[defined] / denominator[defined]
    chances = chances[defined] / chances[defined].sum()
    order = np.argsort(values, kind="stable")
    values, chances = values[order], chances[order]
    low, high = (int(index) for index in equal_tail_ends(chances, level))
    mean, error = float(values @ chances), None
    if not all_pairs:
        error = float(values.std()) / math.sqrt(len(values))
        tail = float(1 - exact(level, "level")) / 2
        outward = math.ceil(3 * math.sqrt(len(values) * tail * (1 - tail)))
        low, high = max(0, low - outward), min(len(values) - 1, high + outward)
    least, most = _at_small_counts(a, b, quotient, level)
    least, most = min(float(values[low]), least), max(float(values[high]), most)
    return Estimate(mean, least, most, float(exact(level, "level")), undefined, error)


def _all_pairs(a: Posterior, b: Posterior, quotient: Quotient) -> tuple[Floats, Floats, Floats]:
    """Return numerator, denominator and probability of all pairs of values."""
    pair = quotient(a.support.astype(np.float64)[:, None], b.support.astype(np.float64)[None, :])
    numerator, denominator = (np.broadcast_to(x, (len(a.support), len(b.support))).ravel() for x in pair)
    return numerator, denominator, np.outer(a.probabilities, b.probabilities).ravel()


def _sampled_pairs(a: Posterior, b: Posterior, quotient: Quotient, key: int) -> tuple[Floats, Floats, Floats]:
    """Return numerator, denominator and probability of sampled pairs of values."""
    rng = np.random.default_rng(key)
    draws = (rng.choice(x.support, SAMPLES, p=x.probabilities).astype(np.float64) for x in (a, b))
    numerator, denominator = quotient(*draws)
    return numerator, denominator, np.full(SAMPLES, 1 / SAMPLES)


def _at_small_counts(a: Posterior, b: Posterior, quotient: Quotient, level: Number) -> tuple[float, float]:
    """Return the ratios that an interval has to reach, low and high, to hold the small counts of a and b.

    Infinite if there is no such ratio.
    """
    least, most = math.inf, -math.inf
    if a.support[0] < 0:
        return least, most
    (values_a, down_a, high_a), (values_b, down_b, high_b) = (
        _reach(count, level) for count in _given_defined(a, b, quotient)
    )
    if down_a:
        least = _first_defined(*quotient(values_a[:1], values_b[[high_b, -1]]))
    if down_b:
        most = _first_defined(*quotient(values_a[[high_a, -1]], values_b[:1]))
    return least, most


def _given_defined(a: Posterior, b: Posterior, quotient: Quotient) -> Iterator[Posterior]:
    """Yield the posteriors of a and b, given that the denominator is not 0. It can be 0 only if b is 0."""
    zero = b.support == 0
    defined = quotient(a.support, np.zeros_like(a.support))[1] > 0
    kept_a = np.where(defined, 1, 1 - b.probabilities[zero].sum())
    kept_b = np.where(zero, a.probabilities[defined].sum(), 1)
    for count, kept in ((a, kept_a), (b, kept_b)):
        chances = count.probabilities * kept
        positive = chances > 0
        yield Posterior(count.support[positive], chances[positive] / chances.sum())


def _reach(count: Posterior, level: Number) -> tuple[Floats, bool, int]:
    """Return the values, True if the interval reaches further down than equal tails do, and its last index."""
    low, high = credible_ends(count.probabilities, level)
    return count.support.astype(np.float64), bool(low < equal_tail_ends(count.probabilities, level)[0]), int(high)


def _first_defined(numerator: Floats, denominator: Floats) -> float:
    """Return the first ratio whose denominator is not 0."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    return float((numerator[denominator > 0] / denominator[denominator > 0])[0])

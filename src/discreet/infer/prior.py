"""Prior distributions: what is assumed about a count before it is measured.

    flat                    every count of the domain is equally likely; no sum if the domain has no end
    Poisson                 p(k) / p(k - 1) = rate / k
    negative binomial       p(k) / p(k - 1) = (k - 1 + dispersion) / k * mean / (mean + dispersion)
    listed weights          a weight for each of the counts 0, 1, 2, ...

Only ratios are used. They are multiplied along the counts that a measurement leaves possible, as logarithms if floats
cannot hold the products. So neither a rate of a million nor an unexpected measurement is lost to rounding.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.errors import ParameterError
from discreet.exact import is_integer

FORMS = "uniform, poisson:RATE or negative-binomial:MEAN:DISPERSION"

LONGEST = 1 << 22
"""Largest number of counts that a prior may spread over, if all of them are possible."""

HUGE = 1e200
"""Weights between 1/HUGE and HUGE can be multiplied and added as floats."""

_NEGLIGIBLE = 45.0
"""The tail of a prior is ignored if its weight is less than e**-45 of the rest."""


@dataclass(frozen=True)
class Flat:
    """Every count of the domain is equally likely."""

    def logs(self, counts: Integers) -> Floats:
        """Return 0 for every count."""
        return np.zeros(counts.shape)


@dataclass(frozen=True)
class Poisson:
    """A Poisson prior: counts with the mean and variance `rate`.

    Raises
    ------
    ParameterError
        `rate` is not a number between 1e-300 and 1e18.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> dc.infer.posterior(table, 9, prior=dc.infer.Poisson(3)).interval()
    (3, 9)
    """

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _positive(self.rate, "rate"))

    def ratios(self, counts: Integers) -> Floats:
        """Return p(k) / p(k - 1) for counts k of 1 or more."""
        return np.asarray(self.rate / counts)

    def logs(self, counts: Integers) -> Floats:
        """Return log weights of consecutive counts (last axis), up to one constant for each run of counts."""
        return _cumulated_logs(self, counts)


@dataclass(frozen=True)
class NegativeBinomial:
    """A negative binomial prior with variance mean + mean**2 / dispersion. Dispersion 1 is the geometric distribution.

    Raises
    ------
    ParameterError
        `mean` or `dispersion` is not a number between 1e-300 and 1e18.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> dc.infer.posterior(table, 3, prior=dc.infer.NegativeBinomial(mean=3, dispersion=0.5)).interval()
    (0, 5)
    """

    mean: float
    dispersion: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", _positive(self.mean, "mean"))
        object.__setattr__(self, "dispersion", _positive(self.dispersion, "dispersion"))

    def ratios(self, counts: Integers) -> Floats:
        """Return p(k) / p(k - 1) for counts k of 1 or more."""
        return np.asarray((counts - 1 + self.dispersion) / counts / (1 + self.dispersion / self.mean))

    def logs(self, counts: Integers) -> Floats:
        """Return log weights of consecutive counts (last axis), up to one constant for each run of counts."""
        return _cumulated_logs(self, counts)


@dataclass(frozen=True, eq=False)
class ListedWeights:
    """A weight for each of the counts 0, 1, 2, ...; larger counts have weight 0."""

    weights: Floats

    def logs(self, counts: Integers) -> Floats:
        """Return log weights."""
        listed = (counts >= 0) & (counts < len(self.weights))
        with np.errstate(divide="ignore"):
            return np.where(listed, np.log(self.weights)[np.where(listed, counts, 0)], -np.inf)


Prior = Flat | Poisson | NegativeBinomial | ListedWeights


def read_prior(prior: Any) -> Prior:
    """Return the prior that a user describes.

    Parameters
    ----------
    prior
        None (flat), a prior, a text such as "poisson:3", a mapping of counts to weights, or a list of weights.

    Raises
    ------
    ParameterError
        The description is none of these, or a number in it is out of range.
    """
    if prior is None:
        return Flat()
    if isinstance(prior, (Flat, Poisson, NegativeBinomial, ListedWeights)):
        return prior
    if isinstance(prior, str):
        return _from_text(prior)
    if isinstance(prior, Mapping):
        return _from_weights(_listed(prior))
    return _from_weights(prior)


def last_relevant_count(prior: Poisson | NegativeBinomial | ListedWeights, first: int) -> int:
    """Return the last count to look at if all counts from `first` on are possible.

    Larger counts together weigh less than e**-45 of the counts up to the last one.

    Raises
    ------
    ParameterError
        The prior spreads over more than LONGEST counts.
    """
    if isinstance(prior, ListedWeights):
        return max(first, len(prior.weights) - 1)
    size = 64
    while size <= LONGEST:
        counts = np.arange(first, first + size)
        logs = prior.logs(counts)
        step = math.log(prior.ratios(counts[-1:])[0])
        if step < 0 and logs[-1] - math.log(-math.expm1(step)) < logs.max() - _NEGLIGIBLE:
            return int(counts[-1])
        size *= 2
    raise ParameterError(
        f"the prior {prior} spreads over more than {LONGEST} counts that are all possible; give a narrower prior"
    )


def consecutive_weights(prior: Poisson | NegativeBinomial | ListedWeights, counts: Integers) -> Floats | None:
    """Return the weights of consecutive counts, up to a factor. Return None if floats cannot hold them."""
    weights = np.zeros(len(counts))
    if isinstance(prior, ListedWeights):
        listed = counts[(counts >= 0) & (counts < len(prior.weights))]
        weights[listed - counts[0]] = prior.weights[listed]
        positive = weights[weights > 0]
    else:
        start = max(0, -int(counts[0]))
        with np.errstate(over="ignore", under="ignore"):
            positive = np.cumprod(_ratios(prior, counts[start:]), out=weights[start:])
    in_range = not positive.size or (positive.min() > 1 / HUGE and positive.max() < HUGE)
    return weights if in_range else None


def _cumulated_logs(prior: Poisson | NegativeBinomial, counts: Integers) -> Floats:
    logs = np.cumsum(np.log(_ratios(prior, counts)), axis=-1)
    if (counts[..., 0] < 0).any():
        logs[counts < 0] = -np.inf
    return logs


def _ratios(prior: Poisson | NegativeBinomial, counts: Integers) -> Floats:
    """Return each weight divided by the weight before it; 1 for the first count and for counts up to 0."""
    all_positive = bool((counts[..., :1] > 0).all())
    ratios = prior.ratios(counts if all_positive else np.maximum(counts, 1))
    if not all_positive:
        ratios[counts < 1] = 1
    ratios[..., :1] = 1
    return ratios


def _positive(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not 1e-300 < number < 1e18:
        raise ParameterError(f"the prior's {name} is {value!r:.60}; give a number above 0, between 1e-300 and 1e18")
    return number


def _from_text(text: str) -> Prior:
    name, *numbers = text.strip().lower().split(":")
    if name in ("uniform", "flat") and not numbers:
        return Flat()
    if name == "poisson" and len(numbers) == 1:
        return Poisson(numbers[0])  # type: ignore[arg-type]
    if name == "negative-binomial" and len(numbers) == 2:
        return NegativeBinomial(*numbers)  # type: ignore[arg-type]
    raise ParameterError(f"the prior is {text!r:.60}; give {FORMS}")


def _listed(weight_by_count: Mapping[Any, Any]) -> Floats:
    """Return the weights of 0, 1, 2, ... from a mapping. Counts that are missing in the mapping have weight 0."""
    for count in weight_by_count:
        if not is_integer(count) or not 0 <= int(count) < LONGEST:
            raise ParameterError(f"the prior has a weight for {count!r:.60}; give counts from 0 to {LONGEST - 1}")
    weights = np.zeros(max((int(count) for count in weight_by_count), default=-1) + 1)
    for count, weight in weight_by_count.items():
        try:
            weights[int(count)] = float(weight)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"the prior's weight of {count} is {weight!r:.60}; give a number") from None
    return weights


def _from_weights(weights: Any) -> ListedWeights:
    try:
        array = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            f"the prior is {weights!r:.60}; give {FORMS}, or the weights of the counts 0, 1, 2, ..."
        ) from None
    if array.ndim != 1 or not 0 < array.size <= LONGEST:
        raise ParameterError(f"the prior has shape {array.shape}; give a list of 1 to {LONGEST} weights")
    wrong = np.flatnonzero(~((array >= 0) & (array < np.inf)))
    if wrong.size:
        raise ParameterError(f"the prior's weight of {wrong[0]} is {array[wrong[0]]}; give finite numbers of 0 or more")
    if not array.any():
        raise ParameterError("the prior gives every count the weight 0; give at least one weight above 0")
    array.setflags(write=False)
    return ListedWeights(array)

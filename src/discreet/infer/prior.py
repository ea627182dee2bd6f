"""What is believed of a count before it was measured.

    flat                    every count of the domain alike; it has no sum where the domain has no end
    Poisson                 p(k) / p(k - 1) = rate / k
    negative binomial       p(k) / p(k - 1) = (k - 1 + dispersion) / k * mean / (mean + dispersion)
    given                   a weight for each of the counts 0, 1, 2, ...

Only ratios are used, multiplied along the counts that a measurement leaves possible, as logarithms where floats would
not hold them: neither a rate of a million nor a measurement far from what was expected is lost to rounding.
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
"""Counts that a prior may spread over where all of them have to be looked at."""

HUGE = 1e200
"""Weights between this and its inverse can be multiplied and added as floats."""

_NEGLIGIBLE = 45.0
"""Logarithm of a factor, about 3e19, below which what is left of a prior is not looked at."""


@dataclass(frozen=True)
class Flat:
    """Every count of the domain alike."""

    def logs(self, counts: Integers) -> Floats:
        """0 for every count."""
        return np.zeros(counts.shape)


@dataclass(frozen=True)
class Poisson:
    """Counts that are `rate` on average, each person there or not by itself."""

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _above_zero(self.rate, "rate"))

    def ratios(self, counts: Integers) -> Floats:
        """p(k) / p(k - 1), for k of 1 or more."""
        return np.asarray(self.rate / counts)

    def logs(self, counts: Integers) -> Floats:
        """Logarithms of the weights of consecutive counts (last axis), up to a constant for each run of them."""
        return _added(self, counts)


@dataclass(frozen=True)
class NegativeBinomial:
    """Counts that are `mean` on average with the variance mean + mean**2 / dispersion; dispersion 1 is geometric."""

    mean: float
    dispersion: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", _above_zero(self.mean, "mean"))
        object.__setattr__(self, "dispersion", _above_zero(self.dispersion, "dispersion"))

    def ratios(self, counts: Integers) -> Floats:
        """p(k) / p(k - 1), for k of 1 or more."""
        return np.asarray((counts - 1 + self.dispersion) / counts / (1 + self.dispersion / self.mean))

    def logs(self, counts: Integers) -> Floats:
        """Logarithms of the weights of consecutive counts (last axis), up to a constant for each run of them."""
        return _added(self, counts)


@dataclass(frozen=True, eq=False)
class Given:
    """A weight for each of the counts 0, 1, 2, ...; 0 beyond them."""

    weights: Floats

    def logs(self, counts: Integers) -> Floats:
        """Logarithms of the weights."""
        inside = (counts >= 0) & (counts < len(self.weights))
        with np.errstate(divide="ignore"):
            return np.where(inside, np.log(self.weights)[np.where(inside, counts, 0)], -np.inf)


Prior = Flat | Poisson | NegativeBinomial | Given


def read(given: Any) -> Prior:
    """A prior from itself, None (flat), a text as on the command line, a mapping of counts to weights, or weights."""
    if given is None:
        return Flat()
    if isinstance(given, (Flat, Poisson, NegativeBinomial, Given)):
        return given
    if isinstance(given, str):
        return _parsed(given)
    if isinstance(given, Mapping):
        return _given(_listed(given))
    return _given(given)


def last(prior: Poisson | NegativeBinomial | Given, first: int) -> int:
    """The last count that has to be looked at where all from `first` on are possible.

    What lies beyond weighs less than e**-45 of what lies before.
    """
    if isinstance(prior, Given):
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
        f"the prior {prior} spreads over more than {LONGEST} counts that are all possible; give a narrower one"
    )


def run(prior: Poisson | NegativeBinomial | Given, counts: Integers) -> Floats | None:
    """Weights of consecutive counts, up to a factor; None where they differ by more than floats can."""
    found = np.zeros(len(counts))
    if isinstance(prior, Given):
        inside = counts[(counts >= 0) & (counts < len(prior.weights))]
        found[inside - counts[0]] = prior.weights[inside]
        there = found[found > 0]
    else:
        start = max(0, -int(counts[0]))
        with np.errstate(over="ignore", under="ignore"):
            there = np.cumprod(_ratios(prior, counts[start:]), out=found[start:])
    return found if not there.size or (there.min() > 1 / HUGE and there.max() < HUGE) else None


def _added(prior: Poisson | NegativeBinomial, counts: Integers) -> Floats:
    logs = np.cumsum(np.log(_ratios(prior, counts)), axis=-1)
    if (counts[..., 0] < 0).any():
        logs[counts < 0] = -np.inf
    return logs


def _ratios(prior: Poisson | NegativeBinomial, counts: Integers) -> Floats:
    """Each weight over the one before it; 1 at the start and up to the count 0."""
    above = bool((counts[..., :1] > 0).all())
    ratios = prior.ratios(counts if above else np.maximum(counts, 1))
    if not above:
        ratios[counts < 1] = 1
    ratios[..., :1] = 1
    return ratios


def _above_zero(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not 1e-300 < number < 1e18:
        raise ParameterError(f"the prior's {name} is {value!r:.60}; give a number above 0, between 1e-300 and 1e18")
    return number


def _parsed(text: str) -> Prior:
    name, *numbers = text.strip().lower().split(":")
    if name in ("uniform", "flat") and not numbers:
        return Flat()
    if name == "poisson" and len(numbers) == 1:
        return Poisson(numbers[0])  # type: ignore[arg-type]
    if name == "negative-binomial" and len(numbers) == 2:
        return NegativeBinomial(*numbers)  # type: ignore[arg-type]
    raise ParameterError(f"the prior is {text!r:.60}; give {FORMS}")


def _listed(given: Mapping[Any, Any]) -> Floats:
    """The weights of 0, 1, 2, ... from a mapping; counts it does not name have none."""
    for count in given:
        if not is_integer(count) or not 0 <= int(count) < LONGEST:
            raise ParameterError(f"the prior has a weight for {count!r:.60}; give counts from 0 to {LONGEST - 1}")
    weights = np.zeros(max((int(count) for count in given), default=-1) + 1)
    for count, weight in given.items():
        try:
            weights[int(count)] = float(weight)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"the prior's weight of {count} is {weight!r:.60}; give a number") from None
    return weights


def _given(weights: Any) -> Given:
    try:
        array = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            f"the prior is {weights!r:.60}; give {FORMS}, or the weights of the counts 0, 1, 2, ..."
        ) from None
    if array.ndim != 1 or not 0 < array.size <= LONGEST:
        raise ParameterError(f"the prior has shape {array.shape}; give a list of weights, at most {LONGEST}")
    wrong = np.flatnonzero(~((array >= 0) & (array < np.inf)))
    if wrong.size:
        raise ParameterError(
            f"the prior's weight of {wrong[0]} is {array[wrong[0]]}; give finite numbers, none below 0"
        )
    if not array.any():
        raise ParameterError("the prior gives every count the weight 0; give at least one above 0")
    array.setflags(write=False)
    return Given(array)

"""Several designs side by side, each tuned to the same privacy or to the same variance.

A family of designs has one parameter that makes it noisier (epsilon, or sigma2). At equal privacy the family is
represented by its least noisy member whose exact delta at epsilon is at most the target. At equal variance it is
represented by the member with this variance at the middle count. Secants find this member as a rule, and bisection
otherwise, because delta and variance are monotone. Maximum-entropy noise has two parameters: its support is the
smallest that has the privacy, and its variance is that of the least delta, or the given one.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.design import parameters
from discreet.design.additive.gaussian import gaussian
from discreet.design.additive.geometric import geometric
from discreet.design.additive.maxent import maxent
from discreet.design.additive.maxent_gamma import largest_variance
from discreet.design.additive.power import power
from discreet.design.additive.staircase import staircase
from discreet.design.matrix.exponential import exponential
from discreet.design.matrix.fair import fair
from discreet.design.matrix.uniform import uniform
from discreet.design.matrix.weakly_honest import weakly_honest
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number, exact, text
from discreet.mechanism import Mechanism

SMALLEST_SCALE, LARGEST_SCALE = 2.0**-4, 2.0**14

PRECISION = 1e-9
"""A design is tuned to this share of its scale."""

MOST_SECANTS = 12

MIDDLE_SHAPE = "1.5"
"""The shape of `power` noise in a comparison: halfway between geometric and Gaussian noise."""


@dataclass(frozen=True)
class Compared:
    """A design after tuning, with its privacy and its errors.

    Attributes
    ----------
    epsilon, delta : float
        The least epsilon at the comparison's delta, and the exact delta at the comparison's epsilon.
    variance, bias : float
        Variance and bias at the middle count.
    truth : float
        Chance that the published count is the true count.
    within : int
        The least k with Pr[|error| <= k] >= 95%.
    """

    name: str
    mechanism: Mechanism
    epsilon: float
    delta: float
    variance: float
    bias: float
    truth: float
    within: int


Family = Callable[[float], Mechanism]
"""A function from a scale to a mechanism. The larger the scale, the noisier the mechanism."""


def _families_on_unbounded_counts(tail: Number) -> dict[str, Family]:
    return {
        "geometric": lambda scale: geometric(epsilon=1 / scale, tail=tail),
        "staircase": lambda scale: staircase(epsilon=1 / scale, tail=tail),
        "gaussian": lambda scale: gaussian(sigma2=scale**2, tail=tail),
        "power": lambda scale: power(scale=scale, shape=MIDDLE_SHAPE, tail=tail),
    }


def _families_on_bounded_counts(n: int) -> dict[str, Family]:
    """Return families of mechanisms on 0..n. The uniform mechanism does not depend on the scale."""
    return {
        "geometric": lambda scale: geometric(epsilon=1 / scale, upper=n),
        "fair": lambda scale: fair(epsilon=1 / scale, n=n),
        "weakly_honest": lambda scale: weakly_honest(epsilon=1 / scale, n=n),
        "exponential": lambda scale: exponential(epsilon=1 / scale, n=n),
        "uniform": lambda scale: uniform(n=n),
    }


def compare(
    names: Sequence[str], *, epsilon: Number, delta: Number = 0, variance: Number | None = None, n: int | None = None
) -> list[Compared]:
    """Return designs, tuned to (epsilon, delta), or to a variance, and measured at (epsilon, delta).

    Parameters
    ----------
    names : sequence of str
        geometric, staircase, gaussian, power (of shape 1.5), maxent; with n: geometric, fair, weakly_honest,
        exponential, uniform.
    epsilon, delta : Number
        The privacy to compare at. Delta must be above 0 for unbounded counts.
    variance : Number, optional
        Tune the designs to this variance, instead of to (epsilon, delta).
    n : int, optional
        Largest count. None: unbounded counts.

    Returns
    -------
    list of Compared
        The designs, in the order of the names.

    Raises
    ------
    ParameterError
        A name is not one of the above, a number is outside its range, or a design cannot be tuned to it.

    Examples
    --------
    >>> from discreet.design.compare import compare
    >>> [(entry.name, round(entry.variance, 2)) for entry in compare(["geometric", "fair"], epsilon=1, n=10)]
    [('geometric', 1.77), ('fair', 1.69)]
    """
    privacy, target = Epsilon.of(epsilon), exact(delta, "delta")
    if not 0 <= target < 1:
        raise ParameterError(f"delta is {delta!r}; give a probability from 0 to below 1")
    if n is None and target == 0:
        raise ParameterError(
            "delta is 0; unbounded counts need delta > 0, because the noise must end somewhere: give delta, for example"
            " 1e-9, or n for counts 0..n"
        )
    if n is None:
        families = _families_on_unbounded_counts(min(target, exact("1e-9", "tail")) / 1000)
        choices = [*families, "maxent"]
    else:
        families = _families_on_bounded_counts(n)
        choices = [*families]
    if not names or not set(names) <= set(choices):
        raise ParameterError(f"designs are {', '.join(names) or 'none'}; choose from {', '.join(choices)}")
    middle = 0 if n is None else n // 2
    spread = None if variance is None else parameters.positive(variance, "variance")
    if spread is not None and spread > LARGEST_SCALE**2:
        raise ParameterError(f"variance is {variance!r:.40}; give a variance up to {LARGEST_SCALE**2:.0f}")

    def is_noisy_enough(mechanism: Mechanism) -> bool:
        if spread is None:
            return mechanism.delta(privacy) <= float(target) * (1 + 1e-12)
        return mechanism.variance(middle) >= float(spread)

    def excess(mechanism: Mechanism) -> float:
        """Return the logarithm of the noise over the noise that is asked for."""
        if spread is None:
            return _log_ratio(float(privacy), mechanism.epsilon(target))
        return _log_ratio(mechanism.variance(middle), float(spread))

    def tuned(name: str) -> Mechanism:
        if name == "maxent":
            return _tuned_maxent(privacy, target, spread)
        family = lru_cache(families[name])
        guess, slope = (1 / float(privacy), 1.0) if spread is None else (math.sqrt(float(spread)), 2.0)
        nearest = _near(family, excess, guess, slope)
        return _least_noisy(name, family, is_noisy_enough, nearest)

    return [_measure(name, tuned(name), privacy, float(target), middle) for name in names]


def _tuned_maxent(privacy: Epsilon, delta: Fraction, variance: Fraction | None) -> Mechanism:
    """Return the noise of smallest support that has the privacy; with the variance, if one is given."""
    private = maxent(**privacy.given, delta=delta)
    if variance is None:
        return private
    support = int(private.design["support"])
    if variance > largest_variance(support):
        raise ParameterError(
            f"variance is {text(variance)}; maxent needs [-{support}, {support}] for this privacy, and there the"
            f" variance is at most {text(largest_variance(support))}: give a smaller variance"
        )
    return maxent(support=support, variance=variance)


def _log_ratio(number: float, other: float) -> float:
    """Return the logarithm of a ratio of two numbers of 0 or more, infinite if one of them is 0 or infinite."""
    if number == 0 or math.isinf(other):
        return -math.inf
    return math.inf if other == 0 or math.isinf(number) else math.log(number) - math.log(other)


def _near(family: Family, excess: Callable[[Mechanism], float], guess: float, slope: float) -> float | None:
    """Return the scale at which the excess of noise is nearly 0, found by secants; None if they do not find it.

    The first step goes by `slope`, the power of the scale that the noise grows with.
    """
    scale = guess
    before: tuple[float, float] | None = None
    for _ in range(MOST_SECANTS):
        if not SMALLEST_SCALE < scale < LARGEST_SCALE:
            return None
        value = excess(family(scale))
        if before is not None:
            slope = (value - before[1]) / (math.log(scale) - before[0])
        if not (math.isfinite(value) and slope > 0):
            return None
        step = -value / slope
        if abs(step) < PRECISION / 4:
            return scale
        before = math.log(scale), value
        scale *= math.exp(step)
    return None


def _least_noisy(
    name: str, family: Family, is_noisy_enough: Callable[[Mechanism], bool], nearest: float | None
) -> Mechanism:
    """Return the least noisy member of a family that is noisy enough, to a factor of the scale of 1 + PRECISION.

    Parameters
    ----------
    name, family
        The family.
    is_noisy_enough
        The condition.
    nearest
        A scale that is probably the one, or None.

    Raises
    ------
    ParameterError
        No member is noisy enough.
    """
    for scale in () if nearest is None else (nearest, nearest * (1 + PRECISION / 2)):
        if is_noisy_enough(family(scale)) and not is_noisy_enough(family(scale / (1 + PRECISION))):
            return family(scale)
    low = high = SMALLEST_SCALE
    while not is_noisy_enough(family(high)):
        low, high = high, 2 * high
        if high > LARGEST_SCALE:
            raise ParameterError(
                f"no {name} design is noisy enough; choose a larger epsilon or delta, or a smaller variance"
            )
    while high / low > 1 + PRECISION:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_noisy_enough(family(middle)) else (middle, high)
    return family(high)


def _measure(name: str, mechanism: Mechanism, privacy: Epsilon, delta: float, count: int) -> Compared:
    outputs, probabilities = mechanism.pmf(count)
    error = np.abs(outputs - count)
    mass = np.bincount(error, weights=probabilities)
    within = int(np.searchsorted(np.cumsum(mass), 0.95 - 1e-12))
    return Compared(
        name,
        mechanism,
        mechanism.epsilon(delta),
        mechanism.delta(privacy),
        mechanism.variance(count),
        mechanism.bias(count),
        float(mass[0]),
        within,
    )

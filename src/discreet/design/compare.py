"""Several designs side by side, each tuned to the same privacy or to the same variance.

A family has one parameter that makes it noisier (epsilon, or sigma2). At equal privacy it is the least noisy one
whose exact delta at epsilon is at most the target; at equal variance the one with that variance at the middle
count. Both are found by bisection, because both are monotone. Maximum-entropy noise has two parameters: its
support is the smallest that has the privacy, and its variance the least delta's, or the one asked for.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.design.additive.gaussian import gaussian
from discreet.design.additive.geometric import geometric
from discreet.design.additive.maxent import maxent
from discreet.design.additive.staircase import staircase
from discreet.design.matrix.exponential import exponential
from discreet.design.matrix.fair import fair
from discreet.design.matrix.uniform import uniform
from discreet.design.matrix.weakly_honest import weakly_honest
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number, exact, text
from discreet.mechanism import Mechanism

SMALLEST_SCALE, LARGEST_SCALE = 2.0**-4, 2.0**14


@dataclass(frozen=True)
class Compared:
    """One design, tuned: what it costs and what it gives.

    Attributes
    ----------
    epsilon, delta
        The least epsilon at the comparison's delta, and the exact delta at the comparison's epsilon.
    variance, bias
        At the middle count.
    truth
        Chance that the published count is the true one.
    within
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


def unbounded(tail: Number) -> dict[str, Callable[[float], Mechanism]]:
    """Families of noise on unbounded counts, by their scale: the larger, the noisier."""
    return {
        "geometric": lambda scale: geometric(epsilon=1 / scale, tail=tail),
        "staircase": lambda scale: staircase(epsilon=1 / scale, tail=tail),
        "gaussian": lambda scale: gaussian(sigma2=scale**2, tail=tail),
    }


def bounded(n: int) -> dict[str, Callable[[float], Mechanism]]:
    """Families of mechanisms on 0..n, by their scale; uniform has none."""
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
    """The designs in the order named, tuned to (epsilon, delta), or to a variance and measured at (epsilon, delta).

    Parameters
    ----------
    names
        geometric, staircase, gaussian, maxent; with n: geometric, fair, weakly_honest, exponential, uniform.
    n
        Largest count; None: unbounded counts, for which delta must be above 0.
    """
    at, target = Epsilon.of(epsilon), exact(delta, "delta")
    if not 0 <= target < 1:
        raise ParameterError(f"delta is {delta!r}; it is a probability from 0 to below 1")
    if n is None and target == 0:
        raise ParameterError(
            "noise on unbounded counts has no delta of 0; give delta, for example 1e-9, or n for counts 0..n"
        )
    families = unbounded(min(target, exact("1e-9", "tail")) / 1000) if n is None else bounded(n)
    choices = [*families, "maxent"] if n is None else [*families]
    if not names or not set(names) <= set(choices):
        raise ParameterError(f"designs are {', '.join(names) or 'none'}; choose from {', '.join(choices)}")
    middle = 0 if n is None else n // 2
    wanted = None if variance is None else exact(variance, "variance")
    if wanted is None:

        def enough(mechanism: Mechanism) -> bool:
            return mechanism.delta(at) <= float(target) * (1 + 1e-12)
    else:
        if wanted <= 0:
            raise ParameterError(f"variance is {variance!r}; give a number above 0")

        def enough(mechanism: Mechanism) -> bool:
            return mechanism.variance(middle) >= float(wanted)

    def tuned(name: str) -> Mechanism:
        return _maxent(at, target, wanted) if name == "maxent" else _least(name, families[name], enough)

    return [_measure(name, tuned(name), at, float(target), middle) for name in names]


def _maxent(at: Epsilon, delta: Fraction, variance: Fraction | None) -> Mechanism:
    """The smallest support that has the privacy; with the variance, where one is asked for."""
    private = maxent(**at.given, delta=delta)
    if variance is None:
        return private
    support = int(private.design["support"])
    if 3 * variance > support * (support + 1):
        raise ParameterError(
            f"variance is {text(variance)}; on [-{support}, {support}], which maxent needs for that privacy, it is at"
            f" most {text(Fraction(support * (support + 1), 3))}: give less"
        )
    return maxent(support=support, variance=variance)


def _least(name: str, family: Callable[[float], Mechanism], enough: Callable[[Mechanism], bool]) -> Mechanism:
    """The least noisy member of a family that is enough: doubling from a small scale, then bisection."""
    low = high = SMALLEST_SCALE
    while not enough(family(high)):
        low, high = high, 2 * high
        if high > LARGEST_SCALE:
            raise ParameterError(
                f"no {name} design reaches that; choose a larger epsilon or delta, or a smaller variance"
            )
    while high / low > 1 + 1e-9:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(family(middle)) else (middle, high)
    return family(high)


def _measure(name: str, mechanism: Mechanism, at: Epsilon, delta: float, count: int) -> Compared:
    outputs, probabilities = mechanism.pmf(count)
    error = np.abs(outputs - count)
    mass = np.bincount(error, weights=probabilities)
    within = int(np.searchsorted(np.cumsum(mass), 0.95 - 1e-12))
    return Compared(
        name,
        mechanism,
        mechanism.epsilon(delta),
        mechanism.delta(at),
        mechanism.variance(count),
        mechanism.bias(count),
        float(mass[0]),
        within,
    )

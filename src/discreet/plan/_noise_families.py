"""The families of designs that the adviser tries. A larger scale means more noise; the end of noise costs delta."""

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.account.composition import MOST_PARTITIONED
from discreet.design import parameters
from discreet.design.additive.bounded import bounded
from discreet.design.additive.gaussian import gaussian
from discreet.design.additive.geometric import geometric
from discreet.design.additive.maxent import maxent
from discreet.design.additive.power import power
from discreet.design.additive.staircase import staircase
from discreet.design.cycle.cyclic import cyclic
from discreet.design.matrix.constrained import constrained
from discreet.design.matrix.fair import fair
from discreet.domain import Counts, Cycle, Domain
from discreet.errors import ParameterError
from discreet.mechanism import Mechanism, Row

SHARES = (0.9999, 0.9, 0.5, 0.1)
"""Shares of delta that the ends of the noise may take."""

SHARES_BETWEEN = (0.01,)
"""The same for shapes between geometric and Gaussian noise, which waste what a larger share costs."""

WIDEST_BETWEEN = 20_000
"""Largest support of noise of a shape between 1 and 2, which takes seconds to compute."""

SMALL, WIDEST = 100, 300
"""Largest n for which all mechanisms on 0..n are tried, and largest n for which the geometric one is tried."""

Make = Callable[[float, float], Mechanism]
"""From a scale, and the delta that the end of the noise may cost in one cell, to a mechanism."""


class Family(NamedTuple):
    """A family of designs, by scale.

    Attributes
    ----------
    make
        The design.
    roughly
        The design in floats, which is faster, for the search.
    shares
        Shares of delta that the end of the noise may take. A purely private family has none.
    coarse
        If True, the search composes on a coarse lattice: no lattice of few points holds all losses of the family.
    """

    name: str
    make: Make
    roughly: Make
    shares: tuple[float, ...]
    coarse: bool = False


def families(domain: Domain, delta: Fraction, contributions: int) -> Iterator[Family]:
    """Yield the families of designs for a domain. Without a delta to spend, only purely private families."""

    def pure(name: str, by_epsilon: Callable[[str], Mechanism]) -> Family:
        def make(scale: float, end_delta: float) -> Mechanism:
            return by_epsilon(short(1 / scale))

        return Family(name, make, make, ())

    if isinstance(domain, Cycle):
        yield pure("cyclic", lambda epsilon: cyclic(shape=domain.shape, epsilon=epsilon, neighbours="all"))
        return
    if delta:
        yield from _noise(domain, contributions)
    if domain.upper is None or domain.lower or not 1 <= domain.upper <= WIDEST:
        return
    n = domain.upper
    yield pure("geometric on 0..n", lambda epsilon: geometric(epsilon=epsilon, upper=n))
    if n <= SMALL:
        yield pure("constrained on 0..n", lambda epsilon: constrained(n=n, epsilon=epsilon, objective="L2"))
        yield pure("fair on 0..n", lambda epsilon: fair(n=n, epsilon=epsilon))


def _noise(domain: Counts, contributions: int) -> Iterator[Family]:
    """Yield families of noise on unbounded counts, whose end has a probability of at most `end_delta`."""
    yield Family("geometric", _geometric, _rough_geometric, SHARES)
    yield Family("maxent", _maxent, _rough_bell, SHARES)
    yield Family(
        "gaussian",
        lambda scale, end_delta: gaussian(sigma2=short(scale * scale, up=True), tail=short(end_delta)),
        _rough_bell,
        SHARES,
    )
    if 1 < contributions <= MOST_PARTITIONED:  # many rows cost group privacy, which is far too much on stairs

        def stairs(scale: float, end_delta: float) -> Mechanism:
            return staircase(epsilon=short(contributions / scale), sensitivity=contributions, tail=short(end_delta))

        yield Family("staircase", stairs, stairs, SHARES)
    elif contributions == 1 and domain.lower:

        def narrow(scale: float, end_delta: float) -> Mechanism:
            return _bounded(scale, end_delta, domain.lower)

        yield Family("bounded", narrow, narrow, SHARES[::2])


def between(shape: float) -> Family:
    """Return noise proportional to exp(-|z/s|^shape), between geometric and Gaussian noise; its scale is about its
    standard deviation."""
    width = math.sqrt(math.gamma(1 / shape) / math.gamma(3 / shape))

    def end(scale: float, end_delta: float) -> int:
        exponent = max(-math.log(end_delta * 2 * width * scale * math.gamma(1 + 1 / shape)), 1.0)
        reach = width * scale * exponent ** (1 / shape)
        return parameters.reach(reach, "the noise is too wide: give a larger budget", WIDEST_BETWEEN)

    def make(scale: float, end_delta: float) -> Mechanism:
        end(scale, end_delta)
        return power(scale=short(width * scale, up=True), shape=str(shape), tail=short(end_delta))

    def roughly(scale: float, end_delta: float) -> Mechanism:
        return _symmetric(-((np.arange(end(scale, end_delta) + 1.0) / (width * scale)) ** shape))

    return Family("power", make, roughly, SHARES_BETWEEN, coarse=True)


def _geometric(scale: float, end_delta: float) -> Mechanism:
    epsilon = short(1 / scale)
    return geometric(epsilon=epsilon, support=_geometric_end(float(epsilon), end_delta))


def _rough_geometric(scale: float, end_delta: float) -> Mechanism:
    epsilon = float(short(1 / scale))
    return _symmetric(-epsilon * np.arange(_geometric_end(epsilon, end_delta) + 1.0))


def _geometric_end(epsilon: float, end_delta: float) -> int:
    """Return the end D of geometric noise: p(D) = (1 - alpha)/(1 + alpha) alpha^D, a little more because of the cut."""
    reach = (math.log(math.tanh(epsilon / 2)) - math.log(end_delta)) * (1 + 1e-12) / epsilon
    return parameters.reach(reach, "the noise is too wide: give a larger budget")


def _maxent(scale: float, end_delta: float) -> Mechanism:
    return maxent(support=_bell_end(scale, end_delta), variance=short(scale * scale, up=True))


def _rough_bell(scale: float, end_delta: float) -> Mechanism:
    return _symmetric(-(np.arange(_bell_end(scale, end_delta) + 1.0) ** 2) / (2 * scale * scale))


def _bell_end(scale: float, end_delta: float) -> int:
    """Return the end D of a bell: p(D) = exp(-D^2 / 2 s^2) / (s sqrt(2 pi)), roughly, and D is at least 2 s."""
    exponent = max(-math.log(end_delta * scale * math.sqrt(2 * math.pi)), 1.0)
    reach = max(scale * math.sqrt(2 * exponent), 2 * scale)
    return parameters.reach(reach, "the noise is too wide: give a larger budget")


def _symmetric(half: npt.NDArray[Any]) -> Mechanism:
    """Return noise from the logarithms, up to a constant, of the probabilities of 0, 1, ..."""
    logs = np.concatenate([half[:0:-1], half])
    total = math.fsum(np.exp(logs).tolist())
    return Mechanism(Counts(), interior=(Row.from_logs(1 - len(half), logs - math.log(total)),))


def _bounded(scale: float, end_delta: float, lowest: int) -> Mechanism:
    """Return the noise with the largest chance of the truth at epsilon 1/scale, as wide as geometric noise would be."""
    support = _geometric_end(1 / scale, end_delta)
    if support > lowest:
        raise ParameterError(f"support is {support}, and counts may be as small as {lowest}: promise a larger one")
    return bounded(epsilon=short(1 / scale), delta=short(end_delta), support=support, lowest=lowest)


def short(value: float, up: bool = False) -> str:
    """Return a positive number as text with four significant digits, rounded down, or up if `up`."""
    digits = 3 - math.floor(math.log10(value))
    scaled = value * 10.0**digits
    integer = math.ceil(scaled * (1 - 1e-12)) if up else math.floor(scaled * (1 + 1e-12))
    return format(Decimal(integer).scaleb(-digits).normalize(), "f")

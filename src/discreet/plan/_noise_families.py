"""The families that the adviser looks through: each with a scale that makes it noisier, and an end that it may lose."""

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.design import parameters
from discreet.design.additive.bounded import bounded
from discreet.design.additive.gaussian import gaussian
from discreet.design.additive.geometric import geometric
from discreet.design.additive.maxent import maxent
from discreet.design.additive.staircase import staircase
from discreet.design.cycle.cyclic import cyclic
from discreet.design.matrix.constrained import constrained
from discreet.design.matrix.fair import fair
from discreet.domain import Counts, Cycle, Domain
from discreet.errors import ParameterError
from discreet.mechanism import Mechanism, Row

SHARES = (0.9999, 0.9, 0.5, 0.1)
"""Shares of delta that the ends of the noise may take."""

SMALL, WIDEST = 100, 300
"""Largest n for which all mechanisms on 0..n are designed, and for which only the geometric one is."""

Make = Callable[[float, float], Mechanism]
"""A mechanism from its scale and from the delta that the end of its noise may have in one cell."""


class Family(NamedTuple):
    """Members by scale; the same in floats, quicker, for the search; and the shares of delta to try for their ends.

    A purely private family has no shares.
    """

    name: str
    make: Make
    roughly: Make
    shares: tuple[float, ...]


def families(where: Domain, delta: Fraction, contributions: int) -> Iterator[Family]:
    """Those that can be used on a domain, with a delta to spend or none."""

    def pure(name: str, by_epsilon: Callable[[str], Mechanism]) -> Family:
        def make(s: float, lost: float) -> Mechanism:
            return by_epsilon(short(1 / s))

        return Family(name, make, make, ())

    if isinstance(where, Cycle):
        yield pure("cyclic", lambda size: cyclic(shape=where.shape, epsilon=size, neighbours="all"))
        return
    if delta:
        yield from _noise(where, contributions)
    if where.upper is None or where.lower or not 1 <= where.upper <= WIDEST:
        return
    n = where.upper
    yield pure("geometric on 0..n", lambda size: geometric(epsilon=size, upper=n))
    if n <= SMALL:
        yield pure("constrained on 0..n", lambda size: constrained(n=n, epsilon=size, objective="L2"))
        yield pure("fair on 0..n", lambda size: fair(n=n, epsilon=size))


def _noise(where: Counts, contributions: int) -> Iterator[Family]:
    """Noise on unbounded counts, with an end of probability at most `lost`."""
    yield Family("geometric", _geometric, _rough_geometric, SHARES)
    yield Family("maxent", _maxent, _rough_bell, SHARES)
    yield Family(
        "gaussian",
        lambda s, lost: gaussian(sigma2=short(s * s, up=True), tail=short(lost)),
        _rough_bell,
        SHARES,
    )
    if rows := contributions - 1:

        def stairs(s: float, lost: float) -> Mechanism:
            return staircase(epsilon=short((rows + 1) / s), sensitivity=rows + 1, tail=short(lost))

        yield Family("staircase", stairs, stairs, SHARES)
    elif where.lower:

        def narrow(s: float, lost: float) -> Mechanism:
            return _bounded(s, lost, where.lower)

        yield Family("bounded", narrow, narrow, SHARES[::2])


def _geometric(s: float, lost: float) -> Mechanism:
    epsilon = short(1 / s)
    return geometric(epsilon=epsilon, support=_end(float(epsilon), lost))


def _rough_geometric(s: float, lost: float) -> Mechanism:
    size = float(short(1 / s))
    return _symmetric(-size * np.arange(_end(size, lost) + 1.0))


def _end(size: float, lost: float) -> int:
    """Where geometric noise of that epsilon ends: p(D) = (1 - alpha)/(1 + alpha) alpha^D, a little more for the cut."""
    reach = (math.log(math.tanh(size / 2)) - math.log(lost)) * (1 + 1e-12) / size
    return parameters.reach(reach, "the noise is too wide: give a larger budget")


def _maxent(s: float, lost: float) -> Mechanism:
    return maxent(support=_bell_end(s, lost), variance=short(s * s, up=True))


def _rough_bell(s: float, lost: float) -> Mechanism:
    return _symmetric(-(np.arange(_bell_end(s, lost) + 1.0) ** 2) / (2 * s * s))


def _bell_end(s: float, lost: float) -> int:
    """Where a bell ends: p(D) = exp(-D^2 / 2 s^2) / (s sqrt(2 pi)), about; at least wide enough for its variance."""
    room = max(-math.log(lost * s * math.sqrt(2 * math.pi)), 1.0)
    return parameters.reach(max(s * math.sqrt(2 * room), 2 * s), "the noise is too wide: give a larger budget")


def _symmetric(half: npt.NDArray[Any]) -> Mechanism:
    """Noise from logarithms, up to a factor, of the probabilities of 0, 1, ..."""
    logs = np.concatenate([half[:0:-1], half])
    return Mechanism(Counts(), interior=(Row.from_logs(1 - len(half), logs - math.log(math.fsum(np.exp(logs)))),))


def _bounded(s: float, lost: float, lowest: int) -> Mechanism:
    """The largest chance of the truth at epsilon 1/s and delta `lost`, as wide as geometric noise would be."""
    support = _end(1 / s, lost)
    if support > lowest:
        raise ParameterError(f"support is {support}, and counts may be as small as {lowest}: promise a larger one")
    return bounded(epsilon=short(1 / s), delta=short(lost), support=support, lowest=lowest)


def short(value: float, up: bool = False) -> str:
    """Four significant digits, rounded down or up."""
    digits = 3 - math.floor(math.log10(value))
    scaled = value * 10.0**digits
    whole = math.ceil(scaled * (1 - 1e-12)) if up else math.floor(scaled * (1 + 1e-12))
    return format(Decimal(whole).scaleb(-digits).normalize(), "f")

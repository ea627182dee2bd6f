"""Discrete Gaussian noise: Pr[Z = z] proportional to exp(-z^2 / (2 sigma2)).

sigma2 is the parameter, not the variance: the variance is a little smaller where sigma2 is below 1 (.2370 for
sigma2 = .2660). The law has no pure privacy, so it has no epsilon of its own: certify it at the epsilon you
need and read delta.

Either the noise is truncated to [-support, support], or it is cut where the mass beyond is at most `tail`.
Probabilities are computed in integers by p(z+1) = p(z) g^(2z+1) with g = exp(-1/(2 sigma2)), to 256 bits.
"""

from fractions import Fraction

from discreet.design import parameters
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import PRECISION, Number, exp_lower, text
from discreet.mechanism import Mechanism

SMALLEST, LARGEST = Fraction(1, 1000), 10**10
_SHIFT = 2 * PRECISION


def gaussian(*, sigma2: Number, support: int | None = None, tail: Number = parameters.TAIL) -> Mechanism:
    """Discrete Gaussian noise on unbounded counts.

    Parameters
    ----------
    sigma2
        The parameter of the law.
    support
        Farthest noise. None: cut at the mass `tail`.
    """
    parameter = parameters.positive(sigma2, "sigma2")
    if not SMALLEST <= parameter <= LARGEST:
        raise ParameterError(
            f"sigma2 is {sigma2!r}; give a number from {float(SMALLEST)} to {LARGEST:.0e}: less is no noise at all"
        )
    mass = parameters.tail(tail)
    design = {"name": "gaussian", "sigma2": text(parameter)}
    if support is None:
        half = _half(parameter, mass, None)
        design |= {"tail": str(tail)}
    else:
        half = _half(parameter, mass, parameters.support(support))
    noise = parameters.symmetric_noise(half)
    return Mechanism(Counts(), interior=(noise,), design={**design, "support": len(half) - 1})


def _half(sigma2: Fraction, tail: Fraction, support: int | None) -> list[int]:
    """Integers in proportion to p(0), p(1), ... up to the support, or until what lies beyond is the tail's share."""
    step = int((1 << _SHIFT) / exp_lower(1 / (2 * sigma2)))  # g
    twice = step * step >> _SHIFT
    half, total, ratio = [1 << _SHIFT], 1 << _SHIFT, step
    while support is None or len(half) <= support:
        following = half[-1] * ratio >> _SHIFT
        ratio = ratio * twice >> _SHIFT
        beyond = Fraction(
            2 * following << _SHIFT, (1 << _SHIFT) - ratio
        )  # a geometric series above p(z+1) + p(z+2) + ...
        if support is None and len(half) > 1 and beyond <= tail * total:
            return half
        if following == 0:
            break
        half.append(following)
        total += 2 * following
        parameters.reach(len(half) - 1, "choose a smaller sigma2 or a larger tail")
    return half

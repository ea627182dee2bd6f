"""Discrete Gaussian noise: Pr[Z = z] proportional to exp(-z^2 / (2 sigma2)).

sigma2 is the parameter, not the variance: the variance is a little smaller where sigma2 is below 1 (.2370 for
sigma2 = .2660). The law has no pure privacy, so it has no epsilon of its own: certify it at the epsilon you
need and read delta.

Either the noise is truncated to [-support, support], or it is cut where the mass beyond is at most `tail`.
Probabilities are computed in integers (`bell`), with gamma = 1/(2 sigma2), to 256 bits.
"""

from fractions import Fraction

from discreet.design import parameters
from discreet.design.additive import _gaussian_weights
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Number, text
from discreet.mechanism import Mechanism

SMALLEST, LARGEST = Fraction(1, 1000), 10**10


def gaussian(*, sigma2: Number, support: int | None = None, tail: Number = parameters.TAIL) -> Mechanism:
    """Discrete Gaussian noise on unbounded counts.

    Parameters
    ----------
    sigma2
        The parameter of the law.
    support
        Farthest noise. None: cut at the mass `tail`.
    tail
        The mass beyond the cut, if `support` is not given.
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
    half: list[int] = []
    total, one, least = 0, 1 << _gaussian_weights.SHIFT, tail.numerator
    for z, (weight, ratio) in enumerate(_gaussian_weights.weights(1 / (2 * sigma2))):
        beyond = 2 * weight << _gaussian_weights.SHIFT  # over one - ratio: a geometric series above p(z) + p(z+1) + ...
        if z > support if support is not None else z > 1 and beyond * tail.denominator <= least * total * (one - ratio):
            break
        if weight == 0:
            break
        half.append(weight)
        total += 2 * weight if z else weight
        if z > parameters.LARGEST_SUPPORT:
            parameters.reach(z, "choose a smaller sigma2 or a larger tail")
    return half

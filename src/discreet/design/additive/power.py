"""Noise between geometric and Gaussian noise: Pr[Z = z] proportional to exp(-|z/s|^p), 1 <= p <= 2.

s is the scale and p the shape. p = 1 is geometric noise of epsilon 1/s. p = 2 is discrete Gaussian noise of sigma2 =
s^2/2. The loss of a step from z to z+1 is ((z+1)/s)^p - (z/s)^p, which grows with z if p > 1. The larger p, the better
losses average out over many cells, and the more noise one cell needs. Between a few cells and many, a shape between 1
and 2 has less variance than both ends (10 cells, epsilon 1, delta 1e-6: 159 at p = 1.5, 180 Gaussian, 200 geometric).

There are two ways to choose the noise:

    scale and shape             this noise, cut at `support`, or where the mass beyond is at most `tail`. Beside them,
                                `epsilon` is the epsilon at which to certify
    epsilon, delta and shape    the smallest scale whose exact delta at epsilon is at most delta, for one count. Delta
                                falls as the scale grows. Bisection in floats finds the scale. Then the integers are
                                certified, and the scale grows a little if the integers miss delta

Probabilities are computed in decimal numbers of 80 digits, whose exponential and logarithm are rounded correctly, so
they are the same on every machine.
"""

import math
import warnings
from collections.abc import Iterator
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import count, islice, pairwise, takewhile
from typing import Any

import numpy as np

from discreet.design import parameters
from discreet.domain import Counts
from discreet.errors import CertifyError, ParameterError, PrecisionWarning
from discreet.exact import Epsilon, Number, exact, text
from discreet.mechanism import Mechanism

LARGEST_SCALE, LARGEST_SUPPORT = 10**5, 10**5
"""A support of 100,000 takes about ten seconds to compute."""

FARTHEST = 700
"""Noise z with (z/s)^p above this has probability 0 in every sense that matters."""

LEAST_NOISE = 500
"""If (1/s)^p is above this, the noise is 0, always."""

SHIFT = 1300
"""Weights are integers over 2**SHIFT. exp(-FARTHEST) is above 2**-1010."""

SMALLEST_DELTA = Fraction(1, 10**15)
"""Below this no table of 62 bits is known to hold the noise."""

BITS = (32, 48, 62)
"""Sizes of tables in which the smallest scale is certified, tried in turn."""

ROOM = (0.0, *(4.0**k * 1e-8 for k in range(11)))
"""Shares by which the scale grows, tried in turn, until the integers meet delta."""

_DECIMALS = Context(prec=80)
_SHORT = Context(prec=12, rounding=ROUND_CEILING)

COMBINATIONS = "give scale and shape (and support), or epsilon, delta and shape"


def power(
    *,
    shape: Number,
    scale: Number | None = None,
    support: int | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    tail: Number = parameters.TAIL,
) -> Mechanism:
    """Return noise with probabilities proportional to exp(-|z/scale|^shape), on unbounded counts.

    Give scale and shape, or epsilon, delta and shape (for the smallest scale).

    Parameters
    ----------
    shape : Number
        From 1, geometric noise, to 2, Gaussian noise.
    scale : Number, optional
        Width of the noise. For shape 1: 1/epsilon. For shape 2: the root of 2 sigma2.
    support : int, optional
        Beside scale: the farthest noise. None: the noise is cut by `tail`.
    epsilon : Number, optional
        Privacy of one count. Beside scale, the epsilon at which to certify.
    delta : Number, optional
        Delta of one count at epsilon, at most.
    tail : Number
        Largest mass beyond the cut, if `support` is not given. Beside delta, at most a thousandth of delta.

    Returns
    -------
    Mechanism
        The noise. `design["scale"]` and `design["support"]` are what was chosen.

    Raises
    ------
    ParameterError
        A parameter is outside its range, the parameters are none of the combinations above, or no noise meets them.

    Examples
    --------
    >>> import discreet as dc
    >>> noise = dc.design.power(epsilon=1, delta="1e-6", shape="1.5")
    >>> round(float(noise.design["scale"]), 3), round(noise.variance(0), 3)
    (3.133, 7.236)
    >>> noise.certify().guarantee.delta <= 1e-6
    True
    >>> round(dc.design.power(scale=4, shape=2).variance(0), 9)
    8.0
    """
    exponent = exact(shape, "shape")
    if not 1 <= exponent <= 2:
        raise ParameterError(f"shape is {shape!r}; give a number from 1 (geometric noise) to 2 (Gaussian noise)")
    mass = parameters.tail(tail)
    privacy = None if epsilon is None else Epsilon.of(epsilon)
    if scale is not None and delta is None:
        return _given_noise(_checked_scale(scale, exponent), exponent, support, mass, privacy)
    if scale is None and support is None and privacy is not None and delta is not None:
        return _least_noise(privacy, _checked_delta(delta), exponent, mass)
    given = {"scale": scale, "support": support, "epsilon": epsilon, "delta": delta}
    named = ", ".join(f"{name} is {value!r:.60}" for name, value in given.items() if value is not None)
    raise ParameterError(f"{named or 'neither scale nor epsilon and delta is given'}; {COMBINATIONS}")


def _checked_scale(scale: Number, shape: Fraction) -> Fraction:
    value = parameters.positive(scale, "scale")
    least = LEAST_NOISE ** (-1 / float(shape))
    if not least <= value <= LARGEST_SCALE:
        raise ParameterError(
            f"scale is {scale!r:.60}; give a number from {least:.2g} to {LARGEST_SCALE:.0e}: less is no noise at all"
        )
    return value


def _checked_delta(delta: Number) -> Fraction:
    target = parameters.probability(delta, "delta")
    if target < SMALLEST_DELTA:
        raise ParameterError(f"delta is {delta!r:.60}; no table holds a delta below 1e-15: give a larger delta")
    return target


def _given_noise(
    scale: Fraction, shape: Fraction, support: int | None, tail: Fraction, privacy: Epsilon | None
) -> Mechanism:
    """Return the noise of a scale. Raise ParameterError if the farthest noise never occurs, or no table holds it."""
    design: dict[str, Any] = {} if privacy is None else dict(privacy.parameters)
    design |= {"scale": text(scale), "shape": text(shape)}
    if support is None:
        return _noise(_cut(scale, shape, tail), design | {"tail": text(tail)})
    farthest = parameters.support(support, LARGEST_SUPPORT)
    if (farthest / float(scale)) ** float(shape) > FARTHEST:
        most = int(float(scale) * FARTHEST ** (1 / float(shape)))
        raise ParameterError(f"support is {farthest}; noise beyond {most} never occurs: give at most that")
    return _noise([weight for weight, _ in islice(_weights(scale, shape), farthest + 1)], design)


def _least_noise(privacy: Epsilon, delta: Fraction, shape: Fraction, tail: Fraction) -> Mechanism:
    """Return the noise of the smallest scale whose certified integers have at most delta at epsilon.

    Raises
    ------
    ParameterError
        No table meets epsilon and delta.
    """
    ends = min(tail, delta / 1000)
    design = {**privacy.parameters, "delta": text(delta), "shape": text(shape)}
    scales = _candidate_scales(privacy, delta, shape, ends)
    for bits in BITS:
        for scale in scales:
            noise = _noise(_cut(scale, shape, ends), design | {"scale": text(scale), "tail": text(ends)})
            if _certified_delta(noise, bits) <= delta:
                return noise
    raise ParameterError(
        f"no table meets epsilon {privacy} and delta {float(delta):.3g} with shape {text(shape)};"
        " give a larger epsilon or delta"
    )


def _candidate_scales(privacy: Epsilon, delta: Fraction, shape: Fraction, tail: Fraction) -> list[Fraction]:
    """Return scales in rising order: the least whose floats meet delta, and scales above it by up to 1%.

    For shape 1 the last scale is 1/epsilon: the steps of geometric noise are exactly E, and rounding keeps them so.
    """
    least = _least_scale(float(privacy), float(delta), float(shape), float(tail))
    scales = [Fraction(_SHORT.create_decimal_from_float(least * (1 + room))) for room in ROOM]
    if shape == 1 and privacy.exponent is not None:
        scales = [*(scale for scale in scales if scale * privacy.exponent < 1), 1 / privacy.exponent]
    return scales


def _certified_delta(noise: Mechanism, bits: int) -> Fraction:
    """Return the exact delta of the integers; 1 if the noise does not fit into the bits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrecisionWarning)
        try:
            return noise.certify(bits=bits).guarantee.delta
        except CertifyError:
            return Fraction(1)


def _least_scale(epsilon: float, delta: float, shape: float, tail: float) -> float:
    """Return the smallest scale whose delta, in floats, is at most `delta`, by doubling and bisection."""

    def meets(scale: float) -> bool:
        return _float_delta(scale, shape, epsilon, tail) <= delta

    low = high = math.exp(-math.log(LEAST_NOISE) / shape)
    while not meets(high):
        low, high = high, 2 * high
        parameters.reach(high, "choose a larger epsilon or delta", LARGEST_SUPPORT)
    while low < (middle := (low + high) / 2) < high and high > (1 + 1e-12) * low:
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def _float_delta(scale: float, shape: float, epsilon: float, tail: float) -> float:
    """Return delta(epsilon) in floats, of noise whose end has a probability of at most `tail`.

    The sum has positive terms only: p(z) - E p(z+1) = p(z) (1 - exp(epsilon - loss)), where loss is ln p(z)/p(z+1).
    """
    reach = scale * (1 - math.log(tail)) ** (1 / shape)
    end = parameters.reach(reach, "choose a larger epsilon or delta", LARGEST_SUPPORT)
    exponents = (np.arange(end + 1) / scale) ** shape
    chances = np.exp(-exponents)
    excess = np.clip(-np.expm1(epsilon - np.diff(exponents)), 0.0, None)
    return float((chances[:-1] @ excess + chances[-1]) / (2 * chances.sum() - 1))


def _weights(scale: Fraction, shape: Fraction) -> Iterator[tuple[int, int]]:
    """Yield p(z) and p(z+1)/p(z) for z = 0, 1, ... without end, both times 2**SHIFT. p(0) is 1."""
    one, exponent = Decimal(1 << SHIFT), _decimal(shape)
    unit = _DECIMALS.exp(-exponent * _DECIMALS.ln(_decimal(scale)))  # (1/s)^p
    losses = (_DECIMALS.multiply(unit, power) for power in _powers(exponent))
    for weight, beyond in pairwise(int(_DECIMALS.multiply(one, _DECIMALS.exp(-loss))) for loss in losses):
        yield weight, (beyond << SHIFT) // weight if weight else 0


def _powers(exponent: Decimal) -> Iterator[Decimal]:
    """Yield z^p for z = 0, 1, ... without end. Only the powers of primes need a logarithm."""
    primes: list[int] = []
    powers = [Decimal(0), Decimal(1)]
    yield from powers
    for z in count(2):
        factor = next((q for q in takewhile(lambda q: q * q <= z, primes) if z % q == 0), z)  # noqa: B023
        if factor == z:
            primes.append(z)
            powers.append(_DECIMALS.exp(_DECIMALS.multiply(exponent, _DECIMALS.ln(Decimal(z)))))
        else:
            powers.append(_DECIMALS.multiply(powers[factor], powers[z // factor]))
        yield powers[z]


def _decimal(value: Fraction) -> Decimal:
    return _DECIMALS.divide(Decimal(value.numerator), Decimal(value.denominator))


def _cut(scale: Fraction, shape: Fraction, tail: Fraction) -> list[int]:
    """Return integers in proportion to p(0), p(1), ... until the mass beyond is at most the tail.

    Raises
    ------
    ParameterError
        The noise is too wide. If already one probability beyond the largest support is too large, nothing is computed.
    """
    remedy = "choose a smaller scale or a larger tail"
    width, exponent = float(scale), float(shape)
    mass = 1 + 2 * width * math.gamma(1 + 1 / exponent)  # above the sum of exp(-|z/s|^p)
    reach = width * max(-math.log(mass * float(tail)), 0.0) ** (1 / exponent)  # p(z) is above the tail up to here
    parameters.reach(reach * (1 - 1e-9), remedy, LARGEST_SUPPORT)
    return parameters.cut(_weights(scale, shape), SHIFT, tail, remedy, LARGEST_SUPPORT)


def _noise(half: list[int], design: dict[str, Any]) -> Mechanism:
    noise = parameters.symmetric_noise(half)
    return Mechanism(Counts(), interior=(noise,), design={"name": "power", **design, "support": len(half) - 1})

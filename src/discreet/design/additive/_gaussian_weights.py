"""Integers in proportion to exp(-gamma z^2): what Gaussian and maximum-entropy noise are made of.

p(z+1) = p(z) g^(2z+1) with g = exp(-gamma), so each weight is the one before times a ratio, and each ratio the
one before times g^2. Both are integers over 2**shift, rounded down.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from discreet.exact import PRECISION, exp_lower

SHIFT = 2 * PRECISION


def weights(gamma: Fraction, shift: int = SHIFT) -> Iterator[tuple[int, int]]:
    """p(z), and p(z+1)/p(z), for z = 0, 1, ... without end, both times 2**shift; p(0) is 1."""
    step = int((1 << shift) / exp_lower(gamma))
    twice = step * step >> shift
    weight, ratio = 1 << shift, step
    while True:
        yield weight, ratio
        weight, ratio = weight * ratio >> shift, ratio * twice >> shift


def half(gamma: Fraction, support: int) -> list[int]:
    """Integers in proportion to p(0), p(1), ..., p(support), the last of them still to PRECISION bits and more."""
    shift = SHIFT + math.ceil(float(gamma) * support * support / math.log(2))
    return [weight for weight, _ in islice(weights(gamma, shift), support + 1)]

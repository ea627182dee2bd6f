"""Integers in proportion to exp(-gamma z^2), for Gaussian and maximum-entropy noise.

p(z+1) = p(z) g^(2z+1) with g = exp(-gamma). So each weight is the weight before times a ratio, and each ratio is the
ratio before times g^2. Weights and ratios are integers over 2**shift, rounded down.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

from discreet.exact import PRECISION, exp_lower

SHIFT = 2 * PRECISION


def weights(gamma: Fraction, shift: int = SHIFT) -> Iterator[tuple[int, int]]:
    """Yield p(z) and p(z+1)/p(z) for z = 0, 1, ... without end, both times 2**shift. p(0) is 1."""
    step = int((1 << shift) / exp_lower(gamma))
    squared = step * step >> shift
    weight, ratio = 1 << shift, step
    while True:
        yield weight, ratio
        weight, ratio = weight * ratio >> shift, ratio * squared >> shift


def half(gamma: Fraction, support: int) -> list[int]:
    """Return integers in proportion to p(0), p(1), ..., p(support). The last has at least PRECISION bits."""
    shift = SHIFT + math.ceil(float(gamma) * support * support / math.log(2))
    return [weight for weight, _ in islice(weights(gamma, shift), support + 1)]

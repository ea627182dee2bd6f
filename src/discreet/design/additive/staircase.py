"""Staircase noise (Geng, Kairouz, Oh and Viswanath 2015) on the integers: for counts that one person changes
by up to `sensitivity`.

The noise has levels of equal probability,

    Pr[Z = z] = c alpha^k,     k = 0 for |z| < step,   k = ceil((|z| - step + 1) / sensitivity) beyond,

so that a shift of at most `sensitivity` passes at most one level: epsilon-private for neighbours at distance
1..sensitivity. With sensitivity 1 it is the geometric noise. `step` (1..sensitivity) is the half-width of the
top level; unless given it is the one of least variance. The noise is cut where the mass beyond is at most
`tail`, and the certificate states the delta of that.
"""

import math
from fractions import Fraction

from discreet.design import parameters
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number, powers
from discreet.mechanism import Mechanism

LARGEST_SENSITIVITY = 1000
LARGEST_WORK = 1 << 24
"""Outputs times distances that a certificate of it compares, about half of them."""


def staircase(
    *,
    epsilon: Number | None = None,
    sensitivity: int = 1,
    step: int | None = None,
    alpha: Number | None = None,
    tail: Number = parameters.TAIL,
) -> Mechanism:
    """Staircase noise on unbounded counts.

    Parameters
    ----------
    epsilon
        Privacy of one count.
    alpha
        exp(-epsilon), instead of epsilon; it is then exact.
    sensitivity
        How much one person can change a count.
    step
        Half-width of the top level, 1..sensitivity. None: the one of least variance.
    tail
        The mass beyond the cut.
    """
    privacy = Epsilon.of(epsilon, alpha)
    width = parameters.integer(
        sensitivity, "sensitivity", 1, LARGEST_SENSITIVITY, "split the count into smaller contributions"
    )
    mass = float(parameters.tail(tail))
    deepest = (
        parameters.reach(-math.log(mass) / float(privacy) * width, "choose a larger epsilon or a larger tail") // width
        + 1
    )
    if (deepest + 1) * width * width > LARGEST_WORK:
        raise ParameterError(
            f"sensitivity is {width}; at epsilon {privacy} the noise is too wide to check: give a larger epsilon"
        )
    weights = powers(privacy.alpha, deepest + 1)
    if step is None:
        chosen = min(range(1, width + 1), key=lambda top: _variance(weights, top, width))
    else:
        chosen = parameters.integer(step, "step", 1, width, "the top level is no wider than the sensitivity")
    half = [weights[level] for level in range(deepest + 1) for _ in range(chosen if level == 0 else width)]
    design = {"name": "staircase", **privacy.parameters, "sensitivity": width, "step": chosen, "tail": str(tail)}
    noise = parameters.symmetric_noise(half)
    return Mechanism(Counts(), interior=(noise,), neighbours=width, design={**design, "support": len(half) - 1})


def _variance(weights: list[int], top: int, width: int) -> Fraction:
    """Variance of the staircase with that top level, level by level."""
    mass = square = 0
    for level, weight in enumerate(weights):
        first, last = (0, top) if level == 0 else (top + (level - 1) * width, top + level * width)
        mass += 2 * (last - first) * weight
        square += 2 * (_squares(last) - _squares(first)) * weight
    return Fraction(square, mass - weights[0])


def _squares(n: int) -> int:
    """0^2 + 1^2 + ... + (n-1)^2."""
    return (n - 1) * n * (2 * n - 1) // 6

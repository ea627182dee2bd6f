"""Staircase noise (Geng, Kairouz, Oh and Viswanath 2015) on the integers: for counts that one person changes by up to
`sensitivity`.

The noise has levels of equal probability,

    Pr[Z = z] = c alpha^k,     k = 0 for |z| < step,   k = ceil((|z| - step + 1) / sensitivity) beyond.

A shift of at most `sensitivity` passes at most one level. So the noise is epsilon-private for neighbours at distance
1..sensitivity. With sensitivity 1 it is the geometric noise. `step` (1..sensitivity) is the half-width of the top
level; by default the step has the least variance. The noise is cut where the mass beyond is at most `tail`, and the
certificate states the delta of the cut.
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
"""Most outputs times distances: a certificate compares about half of these pairs."""


def staircase(
    *,
    epsilon: Number | None = None,
    sensitivity: int = 1,
    step: int | None = None,
    alpha: Number | None = None,
    tail: Number = parameters.TAIL,
) -> Mechanism:
    """Return staircase noise on unbounded counts.

    Parameters
    ----------
    epsilon, alpha : Number, optional
        Privacy of one count: epsilon, or alpha = exp(-epsilon), which is then exact. Give one of them.
    sensitivity : int
        How much one person can change a count.
    step : int, optional
        Half-width of the top level, 1..sensitivity. None: the step of least variance.
    tail : Number
        Largest mass beyond the cut.

    Returns
    -------
    Mechanism
        The noise. Its neighbours are the distances 1..sensitivity.

    Raises
    ------
    ParameterError
        A parameter is outside its range, or the noise is too wide.

    Examples
    --------
    >>> import discreet as dc
    >>> noise = dc.design.staircase(epsilon=2, sensitivity=5)
    >>> noise.neighbours, noise.design["step"]
    ((1, 2, 3, 4, 5), 2)
    """
    privacy = Epsilon.of(epsilon, alpha)
    width = parameters.integer(
        sensitivity, "sensitivity", 1, LARGEST_SENSITIVITY, "split the count into smaller contributions"
    )
    deepest = _deepest_level(privacy, width, float(parameters.tail(tail)))
    weights = powers(privacy.alpha, deepest + 1)
    if step is None:
        top = min(range(1, width + 1), key=lambda top: _variance(weights, top, width))
    else:
        top = parameters.integer(step, "step", 1, width, "the top level is no wider than the sensitivity")
    half = [weights[level] for level in range(deepest + 1) for _ in range(top if level == 0 else width)]
    design = {"name": "staircase", **privacy.parameters, "sensitivity": width, "step": top, "tail": str(tail)}
    noise = parameters.symmetric_noise(half)
    return Mechanism(Counts(), interior=(noise,), neighbours=width, design={**design, "support": len(half) - 1})


def _deepest_level(privacy: Epsilon, width: int, tail: float) -> int:
    """Return the last level before the cut. Raise ParameterError if the noise is too wide."""
    reach = parameters.reach(-math.log(tail) / float(privacy) * width, "choose a larger epsilon or a larger tail")
    deepest = reach // width + 1
    if (deepest + 1) * width * width > LARGEST_WORK:
        raise ParameterError(
            f"sensitivity is {width}; at epsilon {privacy} the noise is too wide to check: give a larger epsilon"
        )
    return deepest


def _variance(weights: list[int], top: int, width: int) -> Fraction:
    """Return the variance of the staircase with a top level of half-width `top`, as a sum over levels."""
    mass = square = 0
    for level, weight in enumerate(weights):
        first, last = (0, top) if level == 0 else (top + (level - 1) * width, top + level * width)
        mass += 2 * (last - first) * weight
        square += 2 * (_sum_of_squares(last) - _sum_of_squares(first)) * weight
    return Fraction(square, mass - weights[0])


def _sum_of_squares(n: int) -> int:
    """Return 0^2 + 1^2 + ... + (n-1)^2."""
    return (n - 1) * n * (2 * n - 1) // 6

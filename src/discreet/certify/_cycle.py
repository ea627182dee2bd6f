"""Quantise noise on a cycle so that its delta is at most the design's.

Levels (steps of exactly E) become a chain (`levels.on_cycle`). Where 0 has an extra probability beside its level, as
the best noise for a given delta has, floor(delta 2**bits) units are set aside for 0 and the chain shares the rest:
only the output 0 then exceeds E times its neighbour's weight, and by no more than these units.

Any other distribution f is rounded by largest remainder, x and -x together if f is symmetric. A distribution on the
boundary of its promise may cross the boundary by rounding. So f is mixed with the uniform distribution on the N
residues, which is private without limit:

    (1 - theta) f + theta / N.

theta is 0 at first. The second theta gives every output a slack of E + 1 units, and theta doubles as long as the
integers miss the target.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from discreet.certify import levels
from discreet.certify.rounding import GUARD, largest_remainders

DOUBLINGS = 6
"""How often theta is doubled."""

Weights = list[int]


def chained(
    level_of: Sequence[int | None], mirror: Sequence[int], exp_epsilon: Fraction, total: int, extra: int
) -> Weights:
    """Return the weights of residues that have levels; an empty list if they do not fit into `total`.

    Parameters
    ----------
    level_of
        The level of every residue; None for a residue of probability 0.
    mirror
        The index of -x for every residue x.
    total
        The sum of all weights.
    extra
        The units of `total` that 0 gets beside its level.
    """
    possible = [x for x, level in enumerate(level_of) if level is not None]
    index = {x: order for order, x in enumerate(possible)}
    reflected = [index.get(mirror[x], index[x]) for x in possible]  # if -x has probability 0, x is its own mirror image
    chain = levels.on_cycle([level for level in level_of if level is not None], reflected, exp_epsilon, total - extra)
    weights = [0] * len(level_of)
    for x, weight in zip(possible, chain, strict=False):
        weights[x] = weight
    weights[0] += extra
    return weights if chain else []


def mixed(
    scaled: Sequence[int],
    mirror: Sequence[int],
    exp_epsilon: Fraction,
    bits: int,
    target: Fraction,
    delta: Callable[[Weights], Fraction],
) -> Weights:
    """Return the rounded distribution at the first theta that meets the target; without mixing if none meets it.

    Parameters
    ----------
    scaled
        Probabilities times 2**(bits + GUARD), floored.
    mirror
        The index of -x for every residue x.
    target
        The delta not to exceed.
    delta
        The exact delta of integer weights.
    """
    total, size = 1 << bits, len(scaled)
    slack = size * (exp_epsilon + 1) / (exp_epsilon - 1)
    for attempt in range(DOUBLINGS + 1):
        theta = Fraction(0) if attempt == 0 else slack * 2 ** (attempt - 1) / total
        if theta > 1:
            break
        share = (theta.numerator << GUARD) // theta.denominator
        uniform = (share << bits) // size
        weights = _rounded([(value * ((1 << GUARD) - share) >> GUARD) + uniform for value in scaled], mirror, total)
        if delta(weights) <= target:
            return weights
    return _rounded(scaled, mirror, total)


def _rounded(scaled: Sequence[int], mirror: Sequence[int], total: int) -> Weights:
    """Round by largest remainder. If the numbers are symmetric, round x and -x together and give 0 the odd unit."""
    if any(scaled[x] != scaled[y] for x, y in enumerate(mirror)):
        return largest_remainders(scaled, total, 0)
    weights = [value >> GUARD for value in scaled]
    rest, mask = total - sum(weights), (1 << GUARD) - 1
    for x in sorted((x for x, y in enumerate(mirror) if 0 < x <= y), key=lambda x: -(scaled[x] & mask)):
        orbit = {x, mirror[x]}
        if len(orbit) <= rest:
            for y in orbit:
                weights[y] += 1
            rest -= len(orbit)
    weights[0] += rest
    return weights

"""Quantise noise on a cycle so that its delta is at most the design's.

Levels (steps of exactly E) become a chain (`levels.on_cycle`). Where 0 has an extra probability beside its level, as
the best noise of a given delta has, floor(delta 2**bits) units are set aside for it and the chain shares the rest:
only the output 0 then exceeds E times its neighbour's weight, and by no more than these units.

Any other law is rounded by largest remainder, x and -x together where it is symmetric. What lies on the boundary may
cross it by rounding, so the law is mixed with the uniform one, which is private without limit,

    (1 - theta) f + theta / N,

theta being 0 at first and then what gives every output a slack of E + 1 units, doubled as long as the integers miss
the target.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from discreet.certify import levels
from discreet.certify.rounding import GUARD, largest_remainders

TRIES = 6
"""How often theta is doubled."""

Weights = list[int]


def chained(
    found: Sequence[int | None], mirror: Sequence[int], exp_epsilon: Fraction, total: int, extra: int
) -> Weights:
    """Weights of the residues that have a level (None: never published), with `extra` units more for 0."""
    there = [x for x, level in enumerate(found) if level is not None]
    place = {x: order for order, x in enumerate(there)}
    reflected = [place.get(mirror[x], place[x]) for x in there]  # where -x is never published, x goes alone
    reached = levels.on_cycle([level for level in found if level is not None], reflected, exp_epsilon, total - extra)
    weights = [0] * len(found)
    for x, weight in zip(there, reached, strict=False):
        weights[x] = weight
    weights[0] += extra
    return weights if reached else []


def mixed(
    scaled: Sequence[int],
    mirror: Sequence[int],
    exp_epsilon: Fraction,
    bits: int,
    target: Fraction,
    delta: Callable[[Weights], Fraction],
) -> Weights:
    """The rounded law whose exact delta is at most the target, as little mixed as it can be; else unmixed.

    Parameters
    ----------
    scaled
        Probabilities times 2**(bits + GUARD), floored.
    """
    total, size = 1 << bits, len(scaled)
    plain = _rounded(scaled, mirror, total)
    slack = size * (exp_epsilon + 1) / (exp_epsilon - 1)
    for attempt in range(TRIES + 1):
        share = Fraction(0) if attempt == 0 else slack * 2 ** (attempt - 1) / total
        if share > 1:
            break
        weight = (share.numerator << GUARD) // share.denominator
        level = (weight << bits) // size
        weights = _rounded([(value * ((1 << GUARD) - weight) >> GUARD) + level for value in scaled], mirror, total)
        if delta(weights) <= target:
            return weights
    return plain


def _rounded(scaled: Sequence[int], mirror: Sequence[int], total: int) -> Weights:
    """By largest remainder; x and -x together where their numbers are equal, the odd unit going to 0."""
    if any(scaled[x] != scaled[y] for x, y in enumerate(mirror)):
        return largest_remainders(scaled, total, 0)
    weights = [value >> GUARD for value in scaled]
    rest, mask = total - sum(weights), (1 << GUARD) - 1
    for x in sorted((x for x, y in enumerate(mirror) if 0 < x <= y), key=lambda x: -(scaled[x] & mask)):
        both = {x, mirror[x]}
        if len(both) <= rest:
            for y in both:
                weights[y] += 1
            rest -= len(both)
    weights[0] += rest
    return weights

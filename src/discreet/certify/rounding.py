"""Round a row of exact numbers to integers that keep its sum: the largest remainders are rounded up."""

from collections.abc import Sequence

GUARD = 64
"""Bits below the unit that a scaled number carries into the rounding."""


def scale(numerators: Sequence[int], denominator: int, bits: int) -> list[int]:
    """Return floor(2**(bits + GUARD) * numerator / denominator) for every numerator."""
    shift = bits + GUARD
    return [(numerator << shift) // denominator for numerator in numerators]


def largest_remainders(scaled: Sequence[int], total: int, centre: int) -> list[int]:
    """Return integers that sum to `total`, each of them a scaled number rounded down or up.

    If the scaled numbers miss the total by more than one unit each (a row of floats may), all integers are moved by the
    same amount first.

    Parameters
    ----------
    scaled
        Numbers times 2**GUARD.
    total
        The sum to reach.
    centre
        Of equal remainders, the remainder nearest to this index is rounded up first; of two as near, the lower index.
    """
    units = [value >> GUARD for value in scaled]
    shift, extra = divmod(total - sum(units), len(units))
    mask = (1 << GUARD) - 1
    order = sorted(range(len(units)), key=lambda index: (-(scaled[index] & mask), abs(index - centre), index))
    for index in order[:extra]:
        units[index] += 1
    return [unit + shift for unit in units]

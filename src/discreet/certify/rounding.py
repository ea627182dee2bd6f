"""Round a row of exact numbers to integers that keep its sum: the largest remainders go up."""

from collections.abc import Sequence

GUARD = 64
"""Bits below the unit that a scaled number carries into the rounding."""


def scale(numerators: Sequence[int], denominator: int, bits: int) -> list[int]:
    """floor(2**(bits + GUARD) * numerator / denominator) for every numerator."""
    shift = bits + GUARD
    return [(numerator << shift) // denominator for numerator in numerators]


def largest_remainders(scaled: Sequence[int], total: int, centre: int) -> list[int]:
    """Integers that sum to `total`, each a scaled number rounded down or up.

    Ties go to the place nearest to `centre`, then to the lower place. Where the scaled numbers miss the total by
    more than one a place (a float row may), the rest is spread evenly.
    """
    units = [value >> GUARD for value in scaled]
    rest = total - sum(units)
    every, some = divmod(rest, len(units))
    mask = (1 << GUARD) - 1
    order = sorted(range(len(units)), key=lambda place: (-(scaled[place] & mask), abs(place - centre), place))
    for place in order[:some]:
        units[place] += 1
    return [unit + every for unit in units]

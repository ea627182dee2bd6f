"""Share out whole units: largest remainders within groups, and the mode of a multinomial.

**Largest remainders.** Real numbers x >= 0 that add up within each group become integers, each x rounded down or up,
with a given sum. Remainders that agree to six digits are a tie, for they differ by rounding errors only; a priority
decides it.

**The mode** (Finucan 1964). k is a mode of the multinomial of size n with proportions a_i / sum a iff
a_i k_j <= a_j (k_i + 1) for all i, j: n seats given one by one to the largest a_i / (k_i + 1), which is D'Hondt's
apportionment. It never gives less than floor(n a_i / sum a), so the walk starts there. Two quotients of integers below
2**25 are equal iff their floats are, so those are compared as floats, and larger ones as integers.
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.reconcile.check import Floats, Integers
from discreet.reconcile.seeded import Words

GRID = 999_983
"""Remainders are compared in these parts of one."""

EXACT = 2**25
"""Quotients of smaller integers are told apart by their floats."""


def split(values: Floats) -> tuple[Integers, npt.NDArray[np.uint64]]:
    """Whole parts, and remainders in parts of GRID; what is within half a part of an integer is that integer."""
    whole = np.floor(values)
    rest = np.rint((values - whole) * GRID)
    over = rest >= GRID
    return (whole + over).astype(np.int64), np.where(over, 0, rest).astype(np.uint64)


def largest_remainders(
    values: Floats, starts: Integers, totals: Integers, priority: Words, lowest: Integers, highest: Integers
) -> Integers:
    """Integers that sum to `totals` in each group, every value rounded down or up.

    Parameters
    ----------
    values
        Numbers >= 0, groups one after another.
    starts
        Where each group starts; no group is empty.
    totals
        The sum of each group: that of its values, rounded down or up.
    priority
        Which goes up first among equal remainders: the greater.
    lowest, highest
        Between which each integer must lie. They matter only where rounding errors make up a unit.
    """
    whole, rest = split(values)
    sizes = np.diff(starts, append=len(values))
    extra = totals - np.add.reduceat(whole, starts)
    room = np.add.reduceat((rest > 0).astype(np.int64), starts)
    beyond = np.where(extra < 0, extra, (extra - room).clip(0))
    for at in np.flatnonzero(beyond):
        group = slice(int(starts[at]), int(starts[at] + sizes[at]))
        whole[group] += _units(whole[group], highest[group] - (rest[group] > 0), lowest[group], int(beyond[at]))
    extra -= beyond
    owner = np.repeat(np.arange(len(starts), dtype=np.uint64), sizes)
    low = 44 - len(starts).bit_length()
    code = owner << np.uint64(low + 20)
    code |= (np.uint64(GRID) - rest) << np.uint64(low)
    code |= ~priority >> np.uint64(64 - low)
    order = np.argsort(code, kind="stable")
    place = np.arange(len(values)) - np.repeat(starts, sizes)
    whole[order] += place < np.repeat(extra, sizes)
    return whole


def _units(whole: Integers, highest: Integers, lowest: Integers, units: int) -> Integers:
    """Where to add `units` (or take them away), from the largest on, within bounds."""
    room = highest - whole if units > 0 else whole - lowest
    order = np.argsort(-whole, kind="stable")
    before = np.cumsum(room[order]) - room[order]
    moved = np.zeros_like(whole)
    moved[order] = np.sign(units) * (abs(units) - before).clip(0, room[order])
    return moved


def mode(weights: Integers, seats: Integers, priority: Words) -> Integers:
    """A mode of each multinomial: one row of weights >= 0 and one number of seats >= 0 a table.

    A row of zeros has equal weights. `priority` decides between equal quotients: the greater goes first.
    """
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1)
    if max(weights.max(initial=0), seats.max(initial=0)) >= EXACT:
        return np.array([_exact_mode(*row) for row in zip(weights, seats, priority, strict=True)], dtype=np.int64)
    given = seats[:, None] * weights // weights.sum(axis=1, keepdims=True)
    left = seats - given.sum(axis=1)
    rows = np.flatnonzero(left)
    quotients = weights / (given + 1)
    while len(rows):
        ahead = quotients[rows]
        ties = ahead == ahead.max(axis=1, keepdims=True)
        chosen = np.argmax(np.where(ties, priority[rows] | np.uint64(1), np.uint64(0)), axis=1)
        given[rows, chosen] += 1
        quotients[rows, chosen] = weights[rows, chosen] / (given[rows, chosen] + 1)
        left[rows] -= 1
        rows = rows[left[rows] > 0]
    result: Integers = given
    return result


def _exact_mode(weights: Integers, seats: np.int64, priority: Words) -> list[int]:
    shares, total = [int(weight) for weight in weights], int(weights.sum())
    given = [int(seats) * share // total for share in shares]
    for _ in range(int(seats) - sum(given)):
        best = max(range(len(shares)), key=lambda i: (Fraction(shares[i], given[i] + 1), int(priority[i])))
        given[best] += 1
    return given

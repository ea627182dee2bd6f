"""Share out whole units: largest remainders within groups, and the mode of a multinomial.

**Largest remainders.** Real numbers x >= 0 that add up within each group become integers, each x rounded down or up,
with a given sum. Remainders that agree to six digits are a tie, for they differ by rounding errors only; a priority
decides it.

**The mode** (Finucan 1964). k is a mode of the multinomial of size n with proportions a_i / sum a iff
a_i k_j <= a_j (k_i + 1) for all i, j: of all quotients a_i / m, m = 1, 2, ..., the n largest have a seat, which is
D'Hondt's apportionment. Quotients down to lambda are sum floor(a_i / lambda) in number: at most n for sum a / n, at
least n for sum a / (n + S). Halving what lies between leaves few quotients to sort, and never more than about 2 S. They
are compared in integers.
"""

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.reconcile.tie_breaking import Words

GRID = 999_983
"""Remainders are compared in these parts of one."""

HALVINGS = 6
"""Of the interval in which the quotient of the last seat lies, before the quotients in it are sorted."""

SLACK = 2**-50
"""More than the relative error of a product of floats."""


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
    given, most = _bracket(weights, seats)
    open_seats = most - given
    row, column = np.nonzero(open_seats)
    times = open_seats[row, column]
    row, column = np.repeat(row, times), np.repeat(column, times)
    step = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
    quotient = _digits(weights[row, column], given[row, column] + step + 1)
    order = np.lexsort((~priority[row, column] >> np.uint64(1), *(~part for part in quotient), row))
    rank = np.arange(len(row)) - np.searchsorted(row, row)  # rows stay where they are, candidates move within them
    winners = order[rank < (seats - given.sum(axis=1))[row]]
    np.add.at(given, (row[winners], column[winners]), 1)
    return given


def _bracket(weights: Integers, seats: Integers) -> tuple[Integers, Integers]:
    """Seats that everyone has in every mode, and that nobody has more of in any.

    The quotients from 1 / low on are at most n, those from 1 / high on at least n; counts are rounded to the safe side.
    """
    width = weights.shape[1]
    whole = weights.sum(axis=1, dtype=np.float64)
    low, high = seats / whole * (1 - 2**-40), (seats + width) / whole * (1 + 2**-40)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        shares = weights * middle[:, None]
        too_many = np.floor(shares * (1 + SLACK)).sum(axis=1) > seats
        enough = np.floor(shares * (1 - SLACK)).sum(axis=1) >= seats
        low, high = np.where(too_many, low, middle), np.where(enough & too_many, middle, high)
    least, most = np.floor(weights * low[:, None] * (1 - SLACK)), np.floor(weights * high[:, None] * (1 + SLACK))
    return least.astype(np.int64), most.astype(np.int64)


def _digits(above: Integers, below: Integers) -> tuple[Words, ...]:
    """Quotients of integers below 2**43 in a form that orders them exactly: the whole part and 100 binary digits.

    Two that differ do so by 2**-86 or more.
    """
    words = []
    whole, rest = np.divmod(above.astype(np.uint64), below := below.astype(np.uint64))
    words.append(whole)
    for pieces in (3, 2):
        word = np.zeros_like(rest)
        for _ in range(pieces):
            piece, rest = np.divmod(rest << np.uint64(20), below)
            word = word << np.uint64(20) | piece
        words.append(word)
    return tuple(reversed(words))

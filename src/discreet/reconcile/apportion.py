"""Share out whole units: largest remainders within groups, and the mode of a multinomial.

**Largest remainders.** Real numbers x >= 0 that add up within each group become integers with a given sum, each x
rounded down or up. Remainders that agree to six digits differ by rounding errors only: they are a tie, and a priority
decides it.

**The mode** (Finucan 1964). k is a mode of the multinomial of size n with S proportions a_i / sum a if and only if
a_i k_j <= a_j (k_i + 1) for all i, j. So of all quotients a_i / m, m = 1, 2, ..., the n largest have a seat: this is
D'Hondt's apportionment. The number of quotients down to lambda is sum floor(a_i / lambda): at most n for
lambda = sum a / n, and at least n for lambda = sum a / (n + S). Halving the interval between them leaves few quotients
to sort, never more than about 2 S. Quotients are compared in integers.
"""

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile.tie_breaking import Words

GRID = 999_983
"""Remainders are compared in units of 1 / GRID."""

HALVINGS = 6
"""Halvings of the interval of the last seat's quotient, before the quotients in it are sorted."""

SLACK = 2**-50
"""More than the relative error of a product of floats."""


def split(values: Floats) -> tuple[Integers, Words]:
    """Return whole parts, and remainders in units of 1 / GRID. Values within half a unit of an integer are integers."""
    whole = np.floor(values)
    remainders = values - whole
    remainders *= GRID
    np.rint(remainders, out=remainders)
    over = remainders >= GRID
    whole += over
    remainders[over] = 0
    return whole.astype(np.int64), remainders.astype(np.int64).view(np.uint64)  # a direct change to uint64 is slow


def largest_remainders(
    values: Floats, starts: Integers, totals: Integers, priority: Words, lowest: Integers, highest: Integers
) -> Integers:
    """Return integers that sum to `totals` in each group, every value rounded down or up.

    Parameters
    ----------
    values
        Numbers >= 0, one group after another.
    starts
        Where each group starts; no group is empty.
    totals
        The sum of each group: the sum of its values, rounded down or up.
    priority
        Among equal remainders, the greatest priority goes up first.
    lowest, highest
        Bounds of each integer. They matter only if rounding errors make up a unit.
    """
    integers, remainders = split(values)
    sizes = np.diff(starts, append=len(values))
    extra = totals - np.add.reduceat(integers, starts)
    room = np.add.reduceat((remainders > 0).astype(np.int64), starts)
    beyond = np.where(extra < 0, extra, (extra - room).clip(0))
    for number in np.flatnonzero(beyond):
        group = slice(int(starts[number]), int(starts[number] + sizes[number]))
        most = highest[group] - (remainders[group] > 0)
        integers[group] += _units(integers[group], most, lowest[group], int(beyond[number]))
    extra -= beyond
    group_of = np.repeat(np.arange(len(starts), dtype=np.uint64), sizes)
    priority_bits = 44 - len(starts).bit_length()
    code = group_of << np.uint64(priority_bits + 20)
    code |= (np.uint64(GRID) - remainders) << np.uint64(priority_bits)
    code |= ~priority >> np.uint64(64 - priority_bits)
    order = np.argsort(code, kind="stable")
    rank = np.arange(len(values)) - np.repeat(starts, sizes)
    integers[order] += rank < np.repeat(extra, sizes)
    return integers


def _units(integers: Integers, highest: Integers, lowest: Integers, units: int) -> Integers:
    """Return changes that add `units` (or take them away), from the largest integer on, within bounds."""
    room = highest - integers if units > 0 else integers - lowest
    order = np.argsort(-integers, kind="stable")
    before = np.cumsum(room[order]) - room[order]
    changes = np.zeros_like(integers)
    changes[order] = np.sign(units) * (abs(units) - before).clip(0, room[order])
    return changes


def mode(weights: Integers, seats: Integers, priority: Words) -> Integers:
    """Return a mode of each multinomial.

    Parameters
    ----------
    weights
        Integers from 0, one multinomial a row. A row of zeros has equal weights.
    seats
        The size of each multinomial.
    priority
        Among equal quotients, the greatest priority goes first.
    """
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1)
    counts, most = _bracket(weights, seats)
    open_seats = most - counts
    row, column = np.nonzero(open_seats)
    times = open_seats[row, column]
    row, column = np.repeat(row, times), np.repeat(column, times)
    step = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
    quotients = _digits(weights[row, column], counts[row, column] + step + 1)
    order = np.lexsort((~priority[row, column] >> np.uint64(1), *(~word for word in quotients), row))
    rank = np.arange(len(row)) - np.searchsorted(row, row)  # candidates are sorted within their rows
    winners = order[rank < (seats - counts.sum(axis=1))[row]]
    np.add.at(counts, (row[winners], column[winners]), 1)
    return counts


def _bracket(weights: Integers, seats: Integers) -> tuple[Integers, Integers]:
    """Return the least and the most seats of each weight in any mode.

    At most n quotients are 1 / low or more; at least n quotients are 1 / high or more. Numbers of quotients are rounded
    to the safe side.
    """
    width = weights.shape[1]
    total = weights.sum(axis=1, dtype=np.float64)
    low, high = seats / total * (1 - 2**-40), (seats + width) / total * (1 + 2**-40)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        shares = weights * middle[:, None]
        too_many = np.floor(shares * (1 + SLACK)).sum(axis=1) > seats
        enough = np.floor(shares * (1 - SLACK)).sum(axis=1) >= seats
        low, high = np.where(too_many, low, middle), np.where(enough & too_many, middle, high)
    least, most = np.floor(weights * low[:, None] * (1 - SLACK)), np.floor(weights * high[:, None] * (1 + SLACK))
    return least.astype(np.int64), most.astype(np.int64)


def _digits(numerators: Integers, denominators: Integers) -> tuple[Words, ...]:
    """Return quotients of integers below 2**43 in a form that sorts exactly: whole part and 100 binary digits.

    Two quotients that differ do so by 2**-86 or more. The words of a quotient are the least significant one first.
    """
    below = denominators.astype(np.uint64)
    whole, rest = np.divmod(numerators.astype(np.uint64), below)
    words = [whole]
    for pieces in (3, 2):
        word = np.zeros_like(rest)
        for _ in range(pieces):
            piece, rest = np.divmod(rest << np.uint64(20), below)
            word = word << np.uint64(20) | piece
        words.append(word)
    return tuple(reversed(words))

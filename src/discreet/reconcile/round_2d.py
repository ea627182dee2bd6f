"""Controlled rounding of a two-way table: every cell, row, column and the total is rounded down or up, and they add up.

Border the table with minus its row sums, minus its column sums, and its total: then every row and every column sums to
0. Write all entries in units of 2**-BITS. Every row and every column has an even number of odd entries; pair them up,
within rows and within columns. The pairs form closed walks along which +1 and -1 alternate. Adding these to the entries
makes every entry even and keeps all sums 0. Halve all entries, and repeat: after BITS rounds the entries are integers,
and no entry has moved by a whole unit. Each walk can be signed in two ways: the one that brings its entries nearer to
their nearest integers is taken, and a seed decides if both are equal.

**Exchanges.** Then units are exchanged between two rows: one unit moves from row a to row b in one column, and one unit
moves back in another column, if the squared distance from the real numbers falls. Every sum stays, and every entry
stays rounded down or up. All pairs of rows are tried, in the rounds of a tournament so that many pairs can be tried at
once. A pair that found nothing is tried again after one of its rows has changed. In a table of 100 x 100 numbers with
random fractions the walks leave a mean square of .149, the exchanges .085; the nearest integers, which do not add up,
have 1/12 = .083.
"""

from collections.abc import Iterator

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.reconcile import tie_breaking

BITS = 20
"""Binary digits of an entry that are rounded."""

ATTEMPTS = 50
"""Most attempts to meet fixed sums."""

TOURNAMENTS = 4
"""Most tournaments of rows."""

ROUNDS = 200
"""Most rounds of a tournament."""

WORK = 5 * 10**7
"""Most entries that one tournament looks at: large tables have fewer rounds."""

MARGIN = 3.0
"""The weight of the squared distance of a row or column; a cell has 1. Readers look at margins first."""

NEVER = 1e9
"""The cost of a step that is not allowed."""


def controlled_rounding(
    cells: Floats, rows: Integers | None, columns: Integers | None, total: Integers | None, seed_key: int
) -> Integers | None:
    """Return integers for the cells of a two-way table; None if sums that must be met are not.

    Parameters
    ----------
    cells
        Numbers >= 0.
    rows, columns, total
        Sums that must be met exactly; None if they need not be. They can be met if the sums of the cells already agree
        with them to within the precision of a fit.
    seed_key
        Decides between equals.
    """
    settled = _settle(cells, rows, columns, total)
    floor = np.floor(settled)
    units = np.zeros((settled.shape[0] + 1, settled.shape[1] + 1), dtype=np.int64)
    units[:-1, :-1] = np.rint(np.ldexp(settled - floor, BITS))
    units[:-1, -1] = -units.sum(axis=1)[:-1]
    units[-1, :] = -units.sum(axis=0)
    is_fixed = np.zeros(units.shape, dtype=bool)
    is_fixed[:-1, -1], is_fixed[-1, :-1], is_fixed[-1, -1] = rows is not None, columns is not None, total is not None
    for attempt in range(ATTEMPTS):
        rounded = _with_exchanges(_rounded(units, is_fixed, seed_key, attempt), units, is_fixed)
        result: Integers = floor.astype(np.int64) + rounded[:-1, :-1]
        sums = (result.sum(axis=1), rows), (result.sum(axis=0), columns), (result.sum(), total)
        if all(target is None or np.array_equal(actual, target) for actual, target in sums):
            return result
    return None


def _settle(cells: Floats, rows: Integers | None, columns: Integers | None, total: Integers | None) -> Floats:
    """Return cells moved, between their neighbouring integers, until their sums are the fixed ones."""
    nearest = np.rint(cells)
    cells = np.where(np.abs(cells - nearest) < 2.0**-BITS, nearest, cells)
    for _ in range(100):
        worst = 0.0
        for target, axes in ((rows, (1,)), (columns, (0,)), (total, (0, 1))):
            if target is not None:
                missing = np.expand_dims(target - cells.sum(axis=axes), axes)
                cells = cells + _shares(cells, missing, axes)
                worst = max(worst, float(np.abs(missing).max()))
        if worst < 2.0**-BITS:
            break
    return cells


def _shares(cells: Floats, missing: Floats, axes: tuple[int, ...]) -> Floats:
    """Return shares of what each sum misses, in proportion to the room of each cell to its next integer."""
    room = np.where(missing > 0, np.ceil(cells) - cells, cells - np.floor(cells))
    total = room.sum(axis=axes, keepdims=True)
    shares: Floats = room * np.clip(np.divide(missing, total, out=np.zeros_like(total), where=total > 0), -1, 1)
    return shares


def _rounded(units: Integers, is_fixed: Booleans, seed_key: int, attempt: int) -> Integers:
    """Return entries in units of 2**-BITS rounded to integers, with all sums kept."""
    entries = np.flatnonzero(units & ((1 << BITS) - 1))
    values = units.reshape(-1)[entries] & ((1 << BITS) - 1)
    by_column = np.argsort(entries % units.shape[1], kind="stable")
    cost = 1 - np.ldexp(values.astype(np.float64), 1 - BITS)
    cost[is_fixed.reshape(-1)[entries]] *= 1e6
    for level in range(BITS):
        is_odd = values & 1 == 1
        odd = np.flatnonzero(is_odd)
        if len(odd):
            rank = np.cumsum(is_odd) - 1
            row_partner = np.arange(len(odd)) ^ 1  # entries are sorted by rows
            order = rank[by_column[is_odd[by_column]]]
            column_partner = np.empty_like(row_partner)
            column_partner[order[0::2]], column_partner[order[1::2]] = order[1::2], order[0::2]
            coins = tie_breaking.priorities(seed_key, len(odd), stream=attempt * BITS + level)
            values[odd] += np.where(_goes_up(row_partner, column_partner, cost[odd], coins), 1, -1)
        values >>= 1
    result = units >> BITS
    result.reshape(-1)[entries] += values
    return result


def _goes_up(row_partner: Integers, column_partner: Integers, cost: Floats, coins: tie_breaking.Words) -> Booleans:
    """Return which odd entries go up. Partners go opposite ways, so every second entry of a walk goes up.

    Two steps along a walk, `ahead`, lead to the next entry that goes the same way. All entries of a walk that go the
    same way get the least of their indices as label.
    """
    size = len(row_partner)
    ahead = column_partner[row_partner]
    label = np.arange(size)
    while True:
        lower = np.minimum(label, label[ahead])
        if np.array_equal(lower, label):
            break
        label, ahead = lower, ahead[ahead]
    costs = np.bincount(label, cost, minlength=size)
    partner_label = label[row_partner]
    own, partner = costs[label], costs[partner_label]
    flip = coins[np.minimum(label, partner_label)] & np.uint64(1) == 1
    return np.where(own == partner, (label < partner_label) ^ flip, own < partner)


def _with_exchanges(rounded: Integers, units: Integers, is_fixed: Booleans) -> Integers:
    """Return entries after exchanges between pairs of rows that bring them nearer to the real numbers."""
    if len(rounded) < rounded.shape[1]:  # many short rows find more exchanges than few long ones
        return _with_exchanges(rounded.T, units.T, is_fixed.T).T
    floor = units >> BITS
    fraction = np.ldexp((units & ((1 << BITS) - 1)).astype(np.float64), -BITS)
    is_up = rounded > floor
    free = (fraction > 0) & ~is_fixed
    weight = np.ones(rounded.shape)
    weight[-1], weight[:, -1] = MARGIN, MARGIN
    up_cost = np.where(free & ~is_up, weight * (1 - 2 * fraction), NEVER)
    down_cost = np.where(free & is_up, weight * (2 * fraction - 1), NEVER)
    rounds = min(len(rounded) + len(rounded) % 2 - 1, ROUNDS, max(1, 2 * WORK // rounded.size))
    changed = np.zeros(len(rounded), dtype=np.int64)
    for tournament in range(TOURNAMENTS):
        exchanges = 0
        for number, (first, second) in enumerate(_row_pairs(len(rounded), rounds)):
            now = tournament * rounds + number
            open_pairs = (np.maximum(changed[first], changed[second]) >= now - rounds).nonzero()[0]
            if len(open_pairs):
                rows = _exchange(up_cost, down_cost, first[open_pairs], second[open_pairs])
                changed[rows] = now
                exchanges += len(rows)
        if not exchanges:
            break
    is_up = np.where(free, up_cost == NEVER, is_up)
    return np.asarray(floor + is_up)


def _row_pairs(size: int, rounds: int) -> Iterator[tuple[Integers, Integers]]:
    """Yield, for every round of a tournament, the pairs of rows that meet."""
    players = size + size % 2
    circle = np.tile(np.arange(1, players), 2)
    for number in range(rounds):
        seats = circle[players - 1 - number : 2 * (players - 1) - number]
        first, second = np.concatenate([[0], seats])[: players // 2], seats[::-1][: players // 2]
        exists = (first < size) & (second < size)
        yield first[exists], second[exists]


def _exchange(up_cost: Floats, down_cost: Floats, first: Integers, second: Integers) -> Integers:
    """Let every pair of rows make its best exchange, if it lowers the distance. Return the rows that changed."""
    rows = np.concatenate([first, second])
    up, down = up_cost.take(rows, axis=0), down_cost.take(rows, axis=0)
    to_second, to_first = down[: len(first)] + up[len(first) :], up[: len(first)] + down[len(first) :]
    pairs = np.arange(len(first))
    column, other_column = to_second.argmin(axis=1), to_first.argmin(axis=1)
    good: Integers = (to_second[pairs, column] + to_first[pairs, other_column] < -(2.0**-BITS)).nonzero()[0]
    if not len(good):
        return good
    givers, takers = np.concatenate([first[good], second[good]]), np.concatenate([second[good], first[good]])
    columns = np.concatenate([column[good], other_column[good]])
    _step(down_cost, up_cost, givers, columns)
    _step(up_cost, down_cost, takers, columns)
    return np.concatenate([first[good], second[good]])


def _step(cost: Floats, opposite_cost: Floats, rows: Integers, columns: Integers) -> None:
    """Take steps. The opposite step then has minus the cost, and the step itself is not allowed again."""
    opposite_cost[rows, columns] = -cost[rows, columns]
    cost[rows, columns] = NEVER

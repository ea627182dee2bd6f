"""Integers for a cube of three and more dimensions, or with levels: cells rounded so that all margins stay close.

Rounding every margin down or up at once is not always possible here, so the sums of the rounded cells are the margins.
Every cell is rounded down or up, in three stages. The first two weigh all margins alike: under unequal weights a step
that is good for many light margins is barred by one heavy margin, and the light ones stay far off.

**Waves.** Cells are visited in waves, those whose coordinates have the same sum modulo the longest side: in three
dimensions no two of a wave share a sum over one axis. A cell goes up where that lowers the squared errors, so far, of
the margins it belongs to; where m cells of a wave share a sum, each answers for 1/m of its error.

**Polish.** Then single cells are moved by one unit, in random order, while that lowers the `misfit`

    sum over the margins and the cells of (sum of the integers - sum of the least-squares values)**2.

Where there are many cells, those of a wave are moved together first, each answering for its share as before.

**Precision.** Last, where variances differ, the same with every square divided by its variance, best first: the few
units that a precise margin is off by are moved where they do the least harm.
"""

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile import apportion, tie_breaking
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit, count, shares

WAVES = 256
SWEEPS = 2
PASSES = 12
MOVES = 4000


def diffuse(
    margins: Margins,
    cells: Floats,
    targets: Sequence[Floats],
    weights: Sequence[float],
    bounds: tuple[Integers, Integers],
    key: int,
) -> Integers:
    """Integers close to the cells, whose margins are close to the targets; all in the order of `margins.keys`."""
    flat = cells.reshape(-1)
    low, high = (np.broadcast_to(bound, cells.shape).reshape(-1) for bound in bounds)
    whole, rest = apportion.split(flat)
    whole = whole.clip(low, high)
    open_cells = np.flatnonzero((rest > 0) & (whole < high))
    part = rest[open_cells] / apportion.GRID
    places = margins.places(open_cells)
    expected = np.concatenate([-np.asarray(target).reshape(-1) for target in targets])
    expected += np.concatenate([np.ravel(total) for total in margins.add(whole.reshape(cells.shape))])
    expected += count(places, part, len(expected))
    waves = _waves(margins.sides, open_cells)
    for wave in waves:
        at = places[:, wave]
        share = shares(at, len(expected))
        pull = (share * (0.5 - part[wave] + expected[at])).sum(axis=0) + (0.5 - part[wave])
        up = pull < 0
        whole[open_cells[wave]] += up
        expected += count(at, up - part[wave], len(expected))
    alike = Misfit(margins, flat, targets, [1.0] * len(targets), 1.0, whole)
    for _ in range(SWEEPS if len(open_cells) > MOVES else 0):
        for wave in waves:
            alike.sweep(open_cells[wave], places[:, wave])
    _polish(alike, open_cells, key)
    if min(weights) < max(weights):
        _polish(Misfit(margins, flat, targets, weights, min(weights), whole), open_cells, key, best_first=True)
    return whole.reshape(cells.shape)


def _waves(sides: Sequence[int], cells: Integers) -> list[Integers]:
    number = sum(np.unravel_index(cells, sides), start=np.zeros(len(cells), dtype=np.int64))
    number = (number % min(max(sides), WAVES)).astype(np.int16)
    order = np.argsort(number, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)


def _polish(misfit: Misfit, movable: Integers, key: int, best_first: bool = False) -> None:
    """Try the cells whose step helps, each against the sums as they then are, pass after pass."""
    for number in range(PASSES):
        pull = np.abs(misfit.pull(movable))
        helps = np.flatnonzero(pull > misfit.weight / 2 * (1 + 1e-9))
        order = [tie_breaking.priorities(key + number, len(helps))]
        if best_first:
            order.append(-np.rint(pull[helps] / misfit.weight * apportion.GRID))
        if not misfit.lower(movable[helps[np.lexsort(order)[:MOVES]]]):
            break

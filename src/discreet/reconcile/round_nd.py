"""Round a cube of three and more dimensions, or with levels, so that all margins stay close.

Rounding every margin down or up at once is not always possible, so the margins are the sums of the rounded cells. Every
cell is rounded down or up, in three stages. The first two weigh all margins alike: under unequal weights one heavy
margin bars steps that are good for many light margins, and the light margins stay far off.

**Waves.** Cells are visited in waves. The coordinates of the cells of a wave have the same sum modulo the longest side:
in three dimensions no two cells of a wave share a sum over one axis. A cell goes up if that lowers the squared errors,
so far, of the margins it belongs to. If m cells of a wave share a sum, each answers for 1/m of its error.

**Polish.** Then single cells are moved by one unit, in random order, while that lowers the `misfit`

    sum over the margins and the cells of (sum of the integers - sum of the least-squares values)**2.

If there are many cells, the cells of a wave are moved together first, each answering for its share as before.

**Precision.** Last, if variances differ, the same with every square divided by its variance, best cells first: the few
units that a precise margin is off by are moved where they do the least harm.
"""

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile import apportion, tie_breaking
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit, added_up, shares

WAVES = 256
"""Most waves."""

SWEEPS = 2
"""Times that cells are moved wave by wave, if there are more than MOVES."""

PASSES = 12
"""Most passes over single cells."""

MOVES = 4000
"""Most cells that one pass tries."""


def wave_rounding(
    margins: Margins,
    cells: Floats,
    targets: Sequence[Floats],
    weights: Sequence[float],
    bounds: tuple[Integers, Integers],
    seed_key: int,
) -> Integers:
    """Return integers close to the cells, whose margins are close to the targets.

    Parameters
    ----------
    margins
        The margins of the cube.
    cells
        Numbers >= 0.
    targets, weights
        The target sums and the weight of each margin, in the order of `margins.keys`.
    bounds
        The lowest and the highest value of each cell.
    seed_key
        Decides the order of single cells.
    """
    flat = cells.reshape(-1)
    low, high = (np.broadcast_to(bound, cells.shape).reshape(-1) for bound in bounds)
    integers, remainders = apportion.split(flat)
    integers = integers.clip(low, high)
    movable = np.flatnonzero((remainders > 0) & (integers < high))
    fractions = remainders[movable] / apportion.GRID
    sum_indices = margins.sum_indices(movable)
    expected = np.concatenate([-np.asarray(target).reshape(-1) for target in targets])
    expected += np.concatenate([np.ravel(sums) for sums in margins.add(integers.reshape(cells.shape))])
    expected += added_up(sum_indices, fractions, len(expected))
    waves = _waves(margins.sides, movable)
    for wave in waves:
        indices = sum_indices[:, wave]
        share = shares(indices, len(expected))
        pull = (share * (0.5 - fractions[wave] + expected[indices])).sum(axis=0) + (0.5 - fractions[wave])
        up = pull < 0
        integers[movable[wave]] += up
        expected += added_up(indices, up - fractions[wave], len(expected))
    unweighted = Misfit(margins, flat, targets, [1.0] * len(targets), 1.0, integers)
    for _ in range(SWEEPS if len(movable) > MOVES else 0):
        for wave in waves:
            unweighted.sweep(movable[wave], sum_indices[:, wave])
    _polish(unweighted, movable, seed_key)
    if min(weights) < max(weights):
        weighted = Misfit(margins, flat, targets, weights, min(weights), integers)
        _polish(weighted, movable, seed_key, best_first=True)
    return integers.reshape(cells.shape)


def _waves(sides: Sequence[int], cells: Integers) -> list[Integers]:
    """Return the positions of the cells of each wave."""
    number = sum(np.unravel_index(cells, sides), start=np.zeros(len(cells), dtype=np.int64))
    number = (number % min(max(sides), WAVES)).astype(np.int16)
    order = np.argsort(number, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)


def _polish(misfit: Misfit, movable: Integers, seed_key: int, best_first: bool = False) -> None:
    """Move single cells while that lowers the misfit, pass after pass."""
    for number in range(PASSES):
        pull = np.abs(misfit.pull(movable))
        helps = np.flatnonzero(pull > misfit.weight / 2 * (1 + 1e-9))
        order = [tie_breaking.priorities(seed_key + number, len(helps))]
        if best_first:
            order.append(-np.rint(pull[helps] / misfit.weight * apportion.GRID))
        if not misfit.lower(movable[helps[np.lexsort(order)[:MOVES]]]):
            break

"""Integers for a cube of three and more dimensions, or with levels: cells rounded so that all margins stay close.

Rounding every margin down or up at once is not always possible here, so the sums of the rounded cells are the margins.
Every cell is rounded down or up, in two stages.

**Waves.** Cells are visited in waves, those whose coordinates have the same sum modulo the longest side: in three
dimensions no two of a wave share a sum over one axis. A cell goes up where that lowers the squared errors, so far, of
the margins it belongs to; where m cells of a wave share a sum, each answers for 1/m of its error.

**Polish.** Then single cells are moved by one unit, best first, while that lowers

    sum over the margins and the cells of (sum of the integers - sum of the least-squares values)**2 / variance.
"""

import math
from collections.abc import Sequence

import numpy as np

from discreet.reconcile import apportion, seeded
from discreet.reconcile.check import Floats, Integers
from discreet.reconcile.margins import Margins

WAVES = 256
PASSES = 12
MOVES = 4000


def diffuse(
    margins: Margins,
    cells: Floats,
    targets: Sequence[Floats],
    weights: Sequence[float],
    own_weight: float,
    bounds: tuple[Integers, Integers],
    key: int,
) -> Integers:
    """Integers close to the cells, whose margins are close to the targets, in the order of `margins.keys`."""
    flat = cells.reshape(-1)
    low, high = (np.broadcast_to(bound, cells.shape).reshape(-1) for bound in bounds)
    whole, rest = apportion.split(flat)
    whole = whole.clip(low, high)
    open_cells = np.flatnonzero((rest > 0) & (whole < high))
    part = rest[open_cells] / apportion.GRID
    places = margins.places(open_cells)
    weight = np.array(weights)
    error = np.concatenate([-np.asarray(target).reshape(-1) for target in targets])
    error += np.concatenate([np.ravel(total) for total in margins.add(whole.reshape(cells.shape))])
    expected = error + _count(places, part, len(error))
    for wave in _waves(margins.sides, open_cells):
        at = places[:, wave]
        share = weight[:, None] / np.bincount(at.reshape(-1), minlength=len(error))[at]
        pull = (share * (0.5 - part[wave] + expected[at])).sum(axis=0) + own_weight * (0.5 - part[wave])
        up = pull < 0
        whole[open_cells[wave]] += up
        expected += _count(at, up - part[wave], len(error))
    floor = np.minimum(apportion.split(flat)[0], high)
    for number in range(PASSES):
        if not _polish(margins, whole, flat, open_cells, places, expected, weight, own_weight, floor, key + number):
            break
    return whole.reshape(cells.shape)


def _count(places: Integers, values: Floats, size: int) -> Floats:
    counts = np.zeros(size)
    for row in places:
        counts += np.bincount(row, values, minlength=size)
    return counts


def _waves(sides: Sequence[int], cells: Integers) -> list[Integers]:
    number = sum(np.unravel_index(cells, sides), start=np.zeros(len(cells), dtype=np.int64))
    number = (number % min(max(sides), WAVES)).astype(np.int16)
    order = np.argsort(number, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(number[order])) + 1)


def _polish(
    margins: Margins,
    whole: Integers,
    cells: Floats,
    movable: Integers,
    places: Integers,
    error: Floats,
    weight: Floats,
    own_weight: float,
    floor: Integers,
    key: int,
) -> int:
    """Try the cells whose move helps, in random order, each against the errors as they then are; how many moved."""
    barrier = (float(weight.sum()) + own_weight) / 2
    shapes = [margins.shape(margin) for margin in margins.keys]
    parts = np.split(error, np.cumsum([math.prod(shape) for shape in shapes])[:-1])
    spread = margins.spread([w * part.reshape(shape) for w, part, shape in zip(weight, parts, shapes, strict=True)])
    pull = spread.reshape(-1)[movable] + own_weight * (whole - cells)[movable]
    helps = np.flatnonzero(np.abs(pull) > barrier * (1 + 1e-9))
    helps = helps[np.argsort(seeded.priorities(key, len(helps)))[:MOVES]]
    moved = 0
    for at, cell in zip(helps.tolist(), movable[helps].tolist(), strict=True):
        here = places[:, at]
        now = float(weight @ error[here]) + own_weight * float(whole[cell] - cells[cell])
        step = -1 if now > 0 else 1
        if abs(now) > barrier * (1 + 1e-9) and floor[cell] <= whole[cell] + step <= floor[cell] + 1:
            whole[cell] += step
            error[here] += step
            moved += 1
    return moved

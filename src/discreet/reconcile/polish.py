"""Move single cells by one unit while that lowers a misfit.

A step of a cell helps if the pull of the cell is above the barrier of the misfit. Few cells are. In a large cube they
are looked for in single precision, with room for its errors, and then compared in double precision.
"""

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile import apportion, tie_breaking
from discreet.reconcile.misfit import Misfit

PASSES = 12
"""Most passes over single cells."""

MOVES = 4000
"""Most cells that one pass tries."""

SINGLE = 10**5
"""Movable cells from which on single precision comes first."""


def polish(misfit: Misfit, movable: Integers, seed_key: int, best_first: bool = False) -> None:
    """Move single cells while that lowers the misfit, pass after pass.

    Parameters
    ----------
    misfit
        What is lowered.
    movable
        The indices of the cells that may move, in rising order.
    seed_key
        Decides the order of cells.
    best_first
        Whether cells with a larger pull come first.
    """
    screen = _Screen(misfit, movable) if len(movable) > SINGLE else None
    for number in range(PASSES):
        cells = movable if screen is None else screen.candidates()
        pull = np.abs(misfit.pull(cells))
        helps = np.flatnonzero(pull > misfit.barrier)
        tried = cells[helps[_first(misfit, pull[helps], seed_key + number, best_first)]]
        if not misfit.lower(tried):
            break
        if screen is not None:
            screen.update(tried)


def _first(misfit: Misfit, pull: Floats, seed_key: int, best_first: bool) -> Integers:
    """Return the indices of the cells to try, at most MOVES, in order."""
    priority = tie_breaking.priorities(seed_key, len(pull))
    if best_first:
        return np.lexsort([priority, -np.rint(pull / misfit.weight * apportion.GRID)])[:MOVES]
    if len(priority) <= MOVES:
        return np.argsort(priority)
    first = np.argpartition(priority, MOVES)[:MOVES]
    return first[np.argsort(priority[first])]


class _Screen:
    """Finds, in single precision, cells whose pull may be above the barrier."""

    def __init__(self, misfit: Misfit, movable: Integers) -> None:
        self._misfit = misfit
        self._is_movable = np.zeros(len(misfit.integers), dtype=bool)
        self._is_movable[movable] = True
        self._excess = (misfit.integers - misfit.real).astype(np.float32)

    def update(self, cells: Integers) -> None:
        """Note that integers of these cells have changed."""
        self._excess[cells] = self._misfit.excess(cells)

    def candidates(self) -> Integers:
        """Return cells, in rising order, with all those whose pull is above the barrier."""
        pulls, error = self._misfit.rough_pulls(self._excess)
        np.abs(pulls, out=pulls)
        cells = np.flatnonzero(pulls > np.float32(0.5 - error))
        return cells[self._is_movable[cells]]

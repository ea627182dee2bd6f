"""How far integers and their sums are from real cells and theirs, each weighted.

For integers k, real cells x, and a target t_A for the sums A k of each margin:

    misfit = sum over the margins of w_A sum (A k - t_A)**2 + w_0 sum (k - x)**2.

A step of 1 up or down in one cell changes it by W + 2 pull or W - 2 pull. W is the sum of the weights; the pull of a
cell is what its sums and the cell itself are off by, weighted.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.reconcile import apportion
from discreet.reconcile.margins import Margins


class Misfit:
    """Integers and how far they are from what they are to be close to. Arrays of cells are flat.

    Parameters
    ----------
    margins
        The sums.
    cells
        The real cells.
    targets, weights
        Of each margin, in the order of `margins.keys`.
    own
        The weight of the cells.
    whole
        The integers; they change with every step.

    Attributes
    ----------
    floor, ceiling
        The real cells, rounded down and up.
    """

    def __init__(
        self,
        margins: Margins,
        cells: Floats,
        targets: Sequence[Floats],
        weights: Sequence[float],
        own: float,
        whole: Integers,
    ) -> None:
        self._margins, self._cells, self.whole = margins, cells, whole
        self._weights, self._own = np.array(weights), own
        self.floor, rest = apportion.split(cells)
        self.ceiling = self.floor + (rest > 0)
        sums = margins.add(whole.reshape(margins.sides))
        self._shapes = [np.shape(total) for total in sums]
        self._edges = np.cumsum([np.size(total) for total in sums])[:-1]
        self._error = np.concatenate([np.ravel(total - aim) for total, aim in zip(sums, targets, strict=True)])

    @property
    def weight(self) -> float:
        """W."""
        return float(self._weights.sum()) + self._own

    def errors(self) -> list[Floats]:
        """Return what the sums of each margin are off by, flat. Who moves cells changes these arrays as well."""
        return np.split(self._error, self._edges)

    def excess(self, at: Integers) -> Floats:
        """Return what the integers of some cells are above the real cells."""
        return np.asarray(self.whole[at] - self._cells[at])

    def pull(self, at: Integers) -> Floats:
        """The pull of some cells."""
        if 4 * len(at) > len(self.whole):
            parts = zip(self._weights, np.split(self._error, self._edges), self._shapes, strict=True)
            sums = self._margins.spread([w * part.reshape(shape) for w, part, shape in parts]).reshape(-1)[at]
        else:
            sums = self._weights @ self._error[self._margins.places(at)]
        return np.asarray(sums + self._own * (self.whole[at] - self._cells[at]))

    def astray(self, at: Integers, step: int) -> npt.NDArray[np.bool_]:
        """Which cells a step would leave neither rounded down nor rounded up."""
        after = self.whole[at] + step
        return np.asarray((after < self.floor[at]) | (after > self.ceiling[at]))

    def lower(self, at: Integers) -> int:
        """Take every step that lowers the misfit, cell by cell in the order given; how many were taken."""
        barrier = self.weight / 2 * (1 + 1e-9)
        places = self._margins.places(at)
        taken = 0
        for cell, here in zip(at.tolist(), places.T, strict=True):
            now = float(self._weights @ self._error[here]) + self._own * float(self.whole[cell] - self._cells[cell])
            step = -1 if now > 0 else 1
            if abs(now) > barrier and self.floor[cell] <= self.whole[cell] + step <= self.ceiling[cell]:
                self.whole[cell] += step
                self._error[here] += step
                taken += 1
        return taken

    def sweep(self, at: Integers, places: Integers) -> None:
        """Take steps of several cells at once; where m of them share a sum, each answers for 1/m of its error.

        All weights are 1. `places` has a row for each margin: the sum that each cell is in.
        """
        share = shares(places, len(self._error))
        pull = (share * self._error[places]).sum(axis=0) + self.whole[at] - self._cells[at]
        step = np.where(pull > 0, -1, 1)
        after = self.whole[at] + step
        helps = np.abs(pull) > (share.sum(axis=0) + 1) / 2 * (1 + 1e-9)
        step[~helps | (after < self.floor[at]) | (after > self.ceiling[at])] = 0
        self.whole[at] += step
        self._error += count(places, step.astype(np.float64), len(self._error))

    def take(self, at: Integers, steps: Integers) -> None:
        """Change cells, each given once."""
        self.whole[at] += steps
        np.add.at(self._error, self._margins.places(at), steps)


def shares(places: Integers, size: int) -> Floats:
    """For every cell and margin, one over how many of the cells are in the same sum."""
    return np.asarray(1 / np.bincount(places.reshape(-1), minlength=size)[places])


def count(places: Integers, values: Floats, size: int) -> Floats:
    """What cells add to every sum."""
    counts = np.zeros(size)
    for row in places:
        counts += np.bincount(row, values, minlength=size)
    return counts

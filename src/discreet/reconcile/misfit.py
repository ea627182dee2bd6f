"""How far integers and their sums are from real cells and from target sums.

For integers k, real cells x, and a target t_A for the sums A k of each margin:

    misfit = sum over the margins of w_A sum (A k - t_A)**2 + w_0 sum (k - x)**2.

A step of 1 up or down in one cell changes the misfit by W + 2 pull or W - 2 pull. W is the sum of the weights. The pull
of a cell is the weighted sum of the errors of its sums and of the cell itself.
"""

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.reconcile import apportion
from discreet.reconcile.margins import Margins


class Misfit:
    """Integers that change step by step, and their misfit. Arrays of cells are flat.

    Parameters
    ----------
    margins
        The sums.
    cells
        The real cells.
    targets, weights
        The target sums and the weight of each margin, in the order of `margins.keys`.
    cell_weight
        The weight of the cells.
    integers
        The integers; steps change this array.

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
        cell_weight: float,
        integers: Integers,
    ) -> None:
        self._margins, self._real, self.integers = margins, cells, integers
        self._weights, self._cell_weight = np.array(weights), cell_weight
        self.floor, fraction = apportion.split(cells)
        self.ceiling = self.floor + (fraction > 0)
        sums = margins.add(integers.reshape(margins.sides))
        self._shapes = [np.shape(margin) for margin in sums]
        self._edges = np.cumsum([np.size(margin) for margin in sums])[:-1]
        self._errors = np.concatenate([np.ravel(margin - target) for margin, target in zip(sums, targets, strict=True)])

    @property
    def weight(self) -> float:
        """W."""
        return float(self._weights.sum()) + self._cell_weight

    def errors(self) -> list[Floats]:
        """Return the errors of the sums of each margin, flat. A caller that changes integers must change these too."""
        return np.split(self._errors, self._edges)

    def excess(self, cells: Integers) -> Floats:
        """Return the differences between integers and real cells."""
        return np.asarray(self.integers[cells] - self._real[cells])

    def pull(self, cells: Integers) -> Floats:
        """Return the pull of cells, given by index."""
        if 4 * len(cells) > len(self.integers):
            margins = zip(self._weights, self.errors(), self._shapes, strict=True)
            weighted = [weight * errors.reshape(shape) for weight, errors, shape in margins]
            sums = self._margins.spread(weighted).reshape(-1)[cells]
        else:
            sums = self._weights @ self._errors[self._margins.sum_indices(cells)]
        return np.asarray(sums + self._cell_weight * self.excess(cells))

    def leaves_rounding(self, cells: Integers, step: int) -> Booleans:
        """Return which cells a step would leave neither rounded down nor rounded up."""
        after = self.integers[cells] + step
        return np.asarray((after < self.floor[cells]) | (after > self.ceiling[cells]))

    def lower(self, cells: Integers) -> int:
        """Take every step that lowers the misfit, cell by cell in the given order. Return the number of steps."""
        barrier = self.weight / 2 * (1 + 1e-9)
        sum_indices = self._margins.sum_indices(cells)
        steps = 0
        for cell, sums in zip(cells.tolist(), sum_indices.T, strict=True):
            pull = float(self._weights @ self._errors[sums])
            pull += self._cell_weight * float(self.integers[cell] - self._real[cell])
            step = -1 if pull > 0 else 1
            if abs(pull) > barrier and self.floor[cell] <= self.integers[cell] + step <= self.ceiling[cell]:
                self.integers[cell] += step
                self._errors[sums] += step
                steps += 1
        return steps

    def sweep(self, cells: Integers, sum_indices: Integers) -> None:
        """Take steps of several cells at once. If m of the cells share a sum, each answers for 1/m of its error.

        All weights are 1.

        Parameters
        ----------
        cells
            The indices of the cells.
        sum_indices
            For each margin a row: the sum that contains each cell.
        """
        share = shares(sum_indices, len(self._errors))
        pull = (share * self._errors[sum_indices]).sum(axis=0) + self.integers[cells] - self._real[cells]
        step = np.where(pull > 0, -1, 1)
        after = self.integers[cells] + step
        helps = np.abs(pull) > (share.sum(axis=0) + 1) / 2 * (1 + 1e-9)
        step[~helps | (after < self.floor[cells]) | (after > self.ceiling[cells])] = 0
        self.integers[cells] += step
        self._errors += added_up(sum_indices, step.astype(np.float64), len(self._errors))

    def take(self, cells: Integers, steps: Integers) -> None:
        """Change cells by steps; no cell occurs twice."""
        self.integers[cells] += steps
        np.add.at(self._errors, self._margins.sum_indices(cells), steps)


def shares(sum_indices: Integers, size: int) -> Floats:
    """Return, for every margin and cell, 1 over the number of the cells that are in the same sum."""
    return np.asarray(1 / np.bincount(sum_indices.reshape(-1), minlength=size)[sum_indices])


def added_up(sum_indices: Integers, values: Floats, size: int) -> Floats:
    """Return what the values of cells add to every sum."""
    sums = np.zeros(size)
    for row in sum_indices:
        sums += np.bincount(row, values, minlength=size)
    return sums

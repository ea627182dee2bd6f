"""How far integers and their sums are from real cells and from target sums.

For integers k, real cells x, and a target t_A for the sums A k of each margin:

    misfit = sum over the margins of w_A sum (A k - t_A)**2 + w_0 sum (k - x)**2.

A step of 1 up or down in one cell changes the misfit by W + 2 pull or W - 2 pull. W is the sum of the weights. The pull
of a cell is the weighted sum of the errors of its sums and of the cell itself.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.arrays import Booleans, Floats, Integers
from discreet.reconcile import apportion
from discreet.reconcile.margins import Margins

Singles = npt.NDArray[np.float32]

TOGETHER = 64
"""Cells that are compared at once with what lowers the misfit."""


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
    real
        The real cells.
    all_errors
        The errors of the sums, margin after margin.
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
        self._margins, self.real, self.integers = margins, cells, integers
        self._weights, self._cell_weight = np.array(weights), cell_weight
        sums = margins.add(integers.reshape(margins.sides))
        self._shapes = [np.shape(margin) for margin in sums]
        self._edges = np.cumsum([np.size(margin) for margin in sums])[:-1]
        self.all_errors = np.concatenate(
            [np.ravel(margin - target) for margin, target in zip(sums, targets, strict=True)]
        )

    @property
    def barrier(self) -> float:
        """The pull above which a step lowers the misfit."""
        return self.weight / 2 * (1 + 1e-9)

    @property
    def weight(self) -> float:
        """W."""
        return float(self._weights.sum()) + self._cell_weight

    def errors(self) -> list[Floats]:
        """Return the errors of the sums of each margin, flat. A caller that changes integers must change these too."""
        return np.split(self.all_errors, self._edges)

    def excess(self, cells: Integers) -> Floats:
        """Return the differences between integers and real cells."""
        return np.asarray(self.integers[cells] - self.real[cells])

    def pull(self, cells: Integers) -> Floats:
        """Return the pull of cells, given by index."""
        if 4 * len(cells) > len(self.integers):
            margins = zip(self._weights, self.errors(), self._shapes, strict=True)
            weighted = [weight * errors.reshape(shape) for weight, errors, shape in margins]
            sums = self._margins.spread(weighted).reshape(-1)[cells]
        else:
            sums = self._weights @ self.all_errors[self._margins.sum_indices(cells)]
        return np.asarray(sums + self._cell_weight * self.excess(cells))

    def rough_pulls(self, excess: Singles) -> tuple[Singles, float]:
        """Return the pulls of all cells divided by W, in single precision, and their largest error.

        Parameters
        ----------
        excess
            The differences between all integers and real cells.
        """
        margins = zip(self._weights / self.weight, self.errors(), self._shapes, strict=True)
        weighted = [(weight * errors.reshape(shape)).astype(np.float32) for weight, errors, shape in margins]
        parts = [*weighted, np.float32(self._cell_weight / self.weight) * excess]
        largest = sum(float(max(part.max(), -part.min())) for part in parts)
        pulls = parts[-1]
        pulls += self._margins.spread(weighted).reshape(-1)
        return pulls, 2.0**-22 * len(parts) * largest

    def neighbours(self, cells: Integers) -> tuple[Integers, Integers]:
        """Return the real cells, given by index, rounded down and up."""
        floor, fraction = apportion.split(self.real[cells])
        return floor, floor + (fraction > 0)

    def leaves_rounding(self, cells: Integers, step: int | Integers) -> Booleans:
        """Return which cells a step would leave neither rounded down nor rounded up."""
        after, (floor, ceiling) = self.integers[cells] + step, self.neighbours(cells)
        return np.asarray((after < floor) | (after > ceiling))

    def lower(self, cells: Integers) -> int:
        """Take every step that lowers the misfit, cell by cell in the given order. Return the number of steps."""
        sum_indices, (floor, ceiling) = self._margins.sum_indices(cells), self.neighbours(cells)
        start = steps = 0
        while start < len(cells):
            ahead = slice(start, start + TOGETHER)
            chosen, indices = cells[ahead], sum_indices[:, ahead]
            pull = (self._weights[:, None] * self.all_errors[indices]).sum(axis=0)
            pull += self._cell_weight * self.excess(chosen)
            step = np.where(pull > 0, -1, 1)
            after = self.integers[chosen] + step
            helps = (np.abs(pull) > self.barrier) & (floor[ahead] <= after) & (after <= ceiling[ahead])
            first = int(helps.argmax())
            if helps[first]:
                self.integers[chosen[first]] = after[first]
                self.all_errors[indices[:, first]] += step[first]
                start, steps = start + first + 1, steps + 1
            else:
                start += TOGETHER
        return steps

    def take(self, cells: Integers, steps: Integers) -> None:
        """Change cells by steps; no cell occurs twice."""
        self.integers[cells] += steps
        np.add.at(self.all_errors, self._margins.sum_indices(cells), steps)

"""Cells that are judged together: waves.

The coordinates of the cells of a wave have the same sum modulo the longest side: in three dimensions no two cells of a
wave share a sum over one axis. If m cells of a wave share a sum, each answers for 1/m of its error.

Arrays of cells are in the order of the waves, so that a wave is a slice.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.arrays import Booleans, Floats, Integers
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit

MOST = 256
"""Most waves."""


class Waves:
    """Cells of a cube, wave after wave.

    Parameters
    ----------
    margins
        The margins of the cube.
    cells
        The indices of the cells, in any order.

    Attributes
    ----------
    cells
        The indices of the cells, wave after wave.
    """

    def __init__(self, margins: Margins, cells: Integers) -> None:
        number = _wave_numbers(margins.sides)[cells]
        order = np.argsort(number, kind="stable")
        edges = [0, *(np.flatnonzero(np.diff(number[order])) + 1).tolist(), len(cells)]
        self._slices = list(map(slice, edges, edges[1:]))
        self.cells = cells[order]
        self._sum_indices = [margins.sum_indices(self.cells[wave]) for wave in self._slices]
        self._weights = np.empty(len(cells))

    def goes_up(self, fractions: Floats, errors: Floats) -> Booleans:
        """Return which cells go up. A cell goes up if that lowers the squared errors, so far, of its sums.

        Parameters
        ----------
        fractions
            How far each cell is above its integer below.
        errors
            The errors of the sums of the cells before anything is rounded. They are changed.
        """
        up = np.empty(len(self.cells), dtype=bool)
        for wave, indices in zip(self._slices, self._sum_indices, strict=True):
            missing, share = 0.5 - fractions[wave], _shares(indices, len(errors))[indices]
            self._weights[wave] = share.sum(axis=0) + 1
            pull = errors[indices]
            pull += missing
            pull *= share
            up[wave] = pull.sum(axis=0) + missing < 0
            errors += _added_up(indices, up[wave] - fractions[wave], len(errors))
        return up

    def sweep(self, misfit: Misfit, integers: Floats, real: Floats) -> None:
        """Take steps that lower a misfit whose weights are 1, wave by wave. `goes_up` comes first.

        Parameters
        ----------
        misfit
            The misfit. Its integers and errors are changed.
        integers, real
            The integers, which are changed too, and the real cells.
        """
        errors = misfit.all_errors
        for wave, indices in zip(self._slices, self._sum_indices, strict=True):
            cells = self.cells[wave]
            pull = (_shares(indices, len(errors)) * errors)[indices].sum(axis=0)
            pull += integers[wave]
            pull -= real[wave]
            strong = np.flatnonzero(np.abs(pull) > self._weights[wave] / 2 * (1 + 1e-9))
            step = np.where(pull[strong] > 0, -1, 1)
            allowed = ~misfit.leaves_rounding(cells[strong], step)
            moved, step = strong[allowed], step[allowed]
            integers[wave][moved] += step
            misfit.integers[cells[moved]] += step
            errors += _added_up(indices[:, moved], step, len(errors))


def _wave_numbers(sides: Sequence[int]) -> npt.NDArray[np.uint16]:
    """Return the wave of every cell of a cube."""
    waves, numbers = min(max(sides), MOST), np.zeros(1, dtype=np.uint16)
    for side in sides:
        coordinates = (np.arange(side) % waves).astype(np.uint16)
        numbers = (np.add.outer(numbers, coordinates) % np.uint16(waves)).reshape(-1)
    return numbers


def _shares(sum_indices: Integers, size: int) -> Floats:
    """Return, for every sum, 1 over the number of cells that are in it; 1 if there are none."""
    return np.asarray(1 / np.bincount(sum_indices.reshape(-1), minlength=size).clip(1))


def _added_up(sum_indices: Integers, values: Floats | Integers, size: int) -> Floats:
    """Return what the values of cells add to every sum."""
    repeated = np.broadcast_to(values, sum_indices.shape).reshape(-1)
    return np.bincount(sum_indices.reshape(-1), repeated, minlength=size).astype(np.float64, copy=False)

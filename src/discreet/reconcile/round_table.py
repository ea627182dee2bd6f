"""Round one table within sums that are fixed already.

1. The real cells are raked: scaled, sum by sum, until the fixed sums are met; shifted if scaling does not get there.
2. In one and two dimensions every raked cell is rounded down or up (`round_2d`). If that leaves a cell more than 1 from
   its least-squares value, a program looks for integers within 1 (`fixed_sums`).
3. In more dimensions, or with levels, lists and two-way margins are rounded first, as tables of their own: the sums of
   the cells aim at these integers. Cells are rounded down or up so that all margins come close to their aims
   (`round_nd`), moved by units until the fixed sums are met (`fixed_sums`), and then moved in pairs so that more sums
   meet their aims (`round_nd`).
"""

from collections.abc import Mapping

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.reconcile import tie_breaking
from discreet.reconcile.axes import Key
from discreet.reconcile.fixed_sums import balance, meet
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit
from discreet.reconcile.round_2d import controlled_rounding
from discreet.reconcile.round_nd import move_pairs, wave_rounding

NEAR = 0.1
"""How far raked cells may end from a fixed sum; rounding corrects the rest."""

SWEEPS = 50
"""Most rounds of raking."""

INTEGER_AIMS = 2
"""Dimensions of a margin up to which integers within all its sums always exist."""


class TableRounding:
    """The rounding of one table.

    Parameters
    ----------
    margins
        The margins of the table: fixed ones, and others that stay close to their least-squares values.
    real
        The least-squares values of the cells.
    fixed
        The sums of fixed margins, -1 for sums that are not fixed.
    weights
        The precision of every margin; 0 if it was not measured.
    bounds
        The lowest and the highest value of each cell.
    seed_key
        Decides between equals.

    Attributes
    ----------
    aims
        For every margin the sums that the integers stay close to: fixed sums, or sums of least-squares values.
    sum_indices, targets
        For every fixed margin the index of the sum that contains each cell, -1 for none, and its sums.
    """

    def __init__(
        self,
        margins: Margins,
        real: Floats,
        fixed: Mapping[Key, Integers],
        weights: Mapping[Key, float],
        bounds: tuple[Integers, Integers],
        seed_key: int,
    ) -> None:
        self.margins, self.real, self.fixed, self.seed_key = margins, real, fixed, seed_key
        self.low, self.high = bounds
        heaviest = max(weights.values()) or 1.0
        self.weights = [heaviest if key in fixed or not weights[key] else weights[key] for key in margins.keys]
        self.aims = [
            np.where(fixed[key] >= 0, fixed[key], sums) if key in fixed else sums
            for key, sums in zip(margins.keys, margins.add(real), strict=True)
        ]
        self.sum_indices, self.targets = self._fixed_sums()

    def run(self) -> Integers | None:
        """Return the integers of the table; None if none are found that meet the fixed sums.

        Raises
        ------
        SolverError
            The search for integers took too long.
        """
        cells = self._raked()
        integers = self._rounded_2d(cells)
        if integers is None:
            bounds, aims = (self.low, self.high), self._integer_aims()
            integers = wave_rounding(self.margins, cells, aims, self.weights, bounds, self.seed_key)
            integers = self._corrected(cells, integers, bounds)
            if integers is not None and self.plain:
                self._move_pairs(cells, integers, aims)
        elif self.sum_indices and np.abs(integers - self.real).max() > 1:
            integers = self._closer(integers)
        return integers if integers is not None and self._is_valid(integers) else None

    @property
    def plain(self) -> bool:
        """Whether no margin has levels."""
        return all(level is None for key in self.margins.keys for _, level in key)

    def _integer_aims(self) -> list[Floats]:
        """Return the sums that the margins aim at: integers for lists and two-way margins, real numbers for others."""
        if not self.plain:
            return self.aims
        aims = dict(zip(self.margins.keys, self.aims, strict=True))
        integers: dict[Key, Integers] = {(): self._integer_total()}
        for key in sorted(aims, key=len):
            if 0 < len(key) <= INTEGER_AIMS:
                below = {coarse: values for coarse, values in integers.items() if set(coarse) < set(key)}
                rounded = self._integer_aim(key, aims[key], below)
                if rounded is not None:
                    integers[key] = rounded
        return [integers.get(key, aims[key]).astype(np.float64) for key in self.margins.keys]

    def _integer_total(self) -> Integers:
        """Return the total that all margins aim at: lists that were rounded apart would not have one total."""
        known = [values.sum() for values in self.fixed.values() if (values >= 0).all()]
        return np.asarray(known[0] if known else np.rint(self.real.sum()), dtype=np.int64)

    def _integer_aim(self, key: Key, aim: Floats, below: dict[Key, Integers]) -> Integers | None:
        """Return integers for one margin within the integers of coarser margins; None if there are none."""
        known = self.fixed.get(key)
        if known is not None and (known >= 0).all():
            return known
        local_axis = {axis: number for number, (axis, _) in enumerate(key)}
        fixed: dict[Key, Integers] = {
            tuple((local_axis[axis], None) for axis, _ in coarse): values for coarse, values in below.items()
        }
        margins = Margins(np.shape(aim), list(fixed), {})
        bounds = np.zeros(np.shape(aim), dtype=np.int64), np.full(np.shape(aim), np.iinfo(np.int64).max)
        return TableRounding(margins, aim, fixed, dict.fromkeys(fixed, 1.0), bounds, self.seed_key).run()

    def _move_pairs(self, cells: Floats, integers: Integers, aims: list[Floats]) -> None:
        """Move units between pairs of cells so that more sums meet their aims; fixed sums stay."""
        misfit = Misfit(self.margins, cells.reshape(-1), aims, [1.0] * len(aims), 1.0, integers.reshape(-1))
        aimed = [number for number, key in enumerate(self.margins.keys) if len(key) <= INTEGER_AIMS]
        fixed_axes = {axis for key in self.fixed for axis, _ in key}
        move_pairs(misfit, self.margins, aimed, fixed_axes, self.seed_key)

    def _fixed_sums(self) -> tuple[list[Integers], list[Integers]]:
        sum_indices, targets = [], []
        cells = np.arange(self.real.size)
        for key in self.margins.keys:
            if key in self.fixed:
                known = self.fixed[key].reshape(-1)
                sum_index = self.margins.sum_index(key, cells)
                sum_indices.append(np.where(known[sum_index] >= 0, sum_index, -1))
                targets.append(known.clip(0))
        return sum_indices, targets

    def _raked(self) -> Floats:
        """Return the cells scaled until the fixed sums are met; shifted if scaling does not get there."""
        cells = np.clip(self.real, self.low, self.high).reshape(-1)
        is_free = (self.low < self.high).reshape(-1)
        scalings = [
            _Scaling(cells, is_free, sum_index, target)
            for sum_index, target in zip(self.sum_indices, self.targets, strict=True)
        ]
        worst = np.inf
        for _ in range(SWEEPS if scalings else 0):
            worst = 0.0
            for scaling in scalings:
                cells, error = scaling.scaled(cells)
                worst = max(worst, error)
            if worst < 1e-9:
                break
        if self.sum_indices and worst > NEAR:
            cells = balance(cells, self.sum_indices, self.targets, self.low.reshape(-1), self.high.reshape(-1))
        return cells.reshape(self.real.shape)

    def _rounded_2d(self, cells: Floats) -> Integers | None:
        """Return the cells of a table of at most two dimensions, rounded down or up; None for other tables.

        A list is a table of one column, whose sum is the total.
        """
        if not self.plain or cells.ndim > 2 or any((values < 0).any() for values in self.fixed.values()):
            return None
        table = cells.reshape(cells.shape + (1,) * (2 - cells.ndim))
        known = {tuple(axis for axis, _ in key): values for key, values in self.fixed.items()}
        if cells.ndim > 1:
            rows, columns, total = known.get((0,)), known.get((1,)), known.get(())
        else:
            rows, columns, total = None, known.get(()), None
        columns = None if columns is None else np.atleast_1d(columns)
        rounded = controlled_rounding(table, rows, columns, total, self.seed_key)
        return None if rounded is None else rounded.reshape(cells.shape)

    def _corrected(self, cells: Floats, integers: Integers, bounds: tuple[Integers, Integers]) -> Integers | None:
        """Return the integers moved within bounds so that the fixed sums are met; None if that cannot be."""
        if not self.sum_indices:
            return integers
        flat = integers.reshape(-1)
        misfit = Misfit(self.margins, cells.reshape(-1), self.aims, self.weights, min(self.weights), flat)
        priority = tie_breaking.priorities(self.seed_key, integers.size)
        low, high = (bound.reshape(-1) for bound in bounds)
        if not meet(misfit, self.sum_indices, self.targets, low, high, priority):
            return None
        return misfit.integers.reshape(integers.shape)

    def _closer(self, integers: Integers) -> Integers:
        """Return integers within 1 of the least-squares values if there are any; otherwise the given integers."""
        low = np.maximum(self.low, np.ceil(self.real - 1 - 1e-9).astype(np.int64))
        high = np.minimum(self.high, np.floor(self.real + 1 + 1e-9).astype(np.int64))
        start = np.rint(self.real).astype(np.int64).clip(low, high)
        closer = self._corrected(self.real, start, (low, high))
        return integers if closer is None else closer

    def _is_valid(self, integers: Integers) -> bool:
        """Return True if every fixed sum and every bound is met."""
        wrong = bool(((integers < self.low) | (integers > self.high)).any())
        for sum_index, target in zip(self.sum_indices, self.targets, strict=True):
            inside = sum_index >= 0
            sums = np.bincount(sum_index[inside], integers.reshape(-1)[inside], minlength=len(target))
            used = np.bincount(sum_index[inside], minlength=len(target)) > 0
            wrong |= bool((np.where(used, sums - target, 0) != 0).any())
        return not wrong


class _Scaling:
    """Scales cells so that the sums of one fixed margin are its targets. Cells whose bounds are equal stay."""

    def __init__(self, cells: Floats, is_free: Booleans, sum_index: Integers, target: Integers) -> None:
        size, inside = len(target), sum_index >= 0
        self._moves = inside & is_free
        self._all_move = bool(self._moves.all())
        self._sum_index = sum_index if self._all_move else sum_index[self._moves]
        stays = inside & ~is_free
        still = np.bincount(sum_index[stays], cells[stays], minlength=size)
        self._target = np.maximum(target - still, 0.0)
        self._is_used = np.bincount(sum_index[inside], minlength=size) > 0

    def scaled(self, cells: Floats) -> tuple[Floats, float]:
        """Return the scaled cells, and the largest error of a sum before."""
        moving = cells if self._all_move else cells[self._moves]
        sums = np.bincount(self._sum_index, moving, minlength=len(self._target)) + 0.0  # no cells have integer sums
        error = float(np.abs(sums - self._target).max(where=self._is_used, initial=0.0))
        ratio = np.divide(self._target, sums, out=np.ones_like(sums), where=(sums > 0) & self._is_used)
        moving = moving * ratio[self._sum_index]
        if self._all_move:
            return moving, error
        cells = cells.copy()
        cells[self._moves] = moving
        return cells, error

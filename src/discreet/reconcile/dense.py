"""Least squares for few cells: Newton steps on the dual by elimination, with every equation written out.

The unknowns are the cells x of all tables and the sums m that the other blocks have. Each row of A x = m is an
equation: a sum of one table's cells is a number of a block, or two tables that share a grouping have the same sum there
(m = 0). With multipliers t, values y and y_m, variances v and v_m,

    x = clip(y + v A't),    m = clip(y_m - v_m t),
    g(t) = |x - y|**2 / (2 v) + |m - y_m|**2 / (2 v_m) + <t, m - A x>

is at most the least objective, whatever t is. Its gradient is the residual m - A x, and a Newton step solves

    (A D A' + D_m) step = m - A x,      D = v for cells between their bounds and 0 elsewhere; D_m likewise.

If rows are fewer than cells, this matrix is formed and solved. If cells are fewer, with P the rows that have D_m > 0
and Z the other rows, the same step comes from the changes dx of the free cells:

    (1/D + A_P' D_P**-1 A_P) dx = A_P' D_P**-1 (m - A x)_P + A_Z' step_Z,      A_Z dx = (m - A x)_Z.

The matrix is singular if an equation follows from others, or if all cells of a row are at their bounds. A share `RIDGE`
of the diagonal that the matrix has without bounds keeps it regular. `search` returns None if these steps do not help.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.fit_problem import Block

MOST_CELLS = 10_000
MOST_TABLES = 40
MOST_UNKNOWNS, MOST_IF_EASY = 1_500, 300
"""Largest number of rows or of cells, whichever is less: the time of elimination grows with its cube. Conjugate
gradients are sooner done with one table, and with numbers that have no bound: then one Newton step suffices."""

MOST_PAIRS = 1_000_000
"""Most entries of the matrix before entries of one position are added up."""

STEPS, HALVINGS = 50, 30
RIDGE = 1e-8
DAMPING, MOST_DAMPING, LEAST_DAMPING = 1e-2, 1e-1, 1e-12
"""The share of its diagonal that is added to the matrix of a Newton step: at first, at most, and at least above 0."""


@dataclass(frozen=True)
class Point:
    """Multipliers, and the cells and sums that follow from them.

    Attributes
    ----------
    multipliers
        t.
    unclipped_cells, cells
        y + v A't, and the same within the bounds.
    unclipped_sums, sums
        y_m - v_m t, and the same within the bounds.
    residual
        m - A x.
    dual
        g(t): no tables have a lower objective.
    """

    multipliers: Floats
    unclipped_cells: Floats
    cells: Floats
    unclipped_sums: Floats
    sums: Floats
    residual: Floats
    dual: float


class _Vectors(NamedTuple):
    """Values, variances and bounds of several blocks, one block after the other."""

    values: Floats
    variance: Floats
    low: Floats
    high: Floats


class _RowSet(NamedTuple):
    """Rows that have all sums of one table over one grouping, with a sign."""

    key: Key
    start: int
    sign: float


class Equations:
    """The blocks of a problem as vectors: all cells one after the other, and all equations.

    Parameters
    ----------
    axes, blocks
        The problem.
    tables
        The groupings that no other block refines.

    Attributes
    ----------
    table_cells
        Where the cells of each table are.
    margin_rows
        Where the rows of each other block are.
    cell_count, row_count
        How many cells and rows there are.
    cells, sums
        The values, variances and bounds of cells and of rows.
    """

    def __init__(self, axes: Axes, blocks: Sequence[Block], tables: Sequence[Key]) -> None:
        self.axes = axes
        by_key = {block.key: block for block in blocks}
        ends = np.cumsum([0, *(by_key[key].values.size for key in tables)]).tolist()
        self.table_cells = {key: slice(*ends[number : number + 2]) for number, key in enumerate(tables)}
        self.cell_count = int(ends[-1])
        margins = [block for block in blocks if block.key not in self.table_cells]
        self.margin_rows: dict[Key, slice] = {}
        self.row_count = 0
        self._row_sets: dict[Key, list[_RowSet]] = {key: [] for key in tables}
        for block in margins:
            self._add_margin(block, by_key)
        first_link = self.row_count
        self._add_links(tables)
        self._rows_per_cell = max(map(len, self._row_sets.values()))
        self.cells = _vectors([by_key[key] for key in tables], 0)
        self.sums = _vectors(margins, self.row_count - first_link)
        self._bounded = bool(np.isfinite(self.sums.low).any() or np.isfinite(self.sums.high).any())
        self._cell_weights, self._sum_weights = (
            halved_precision(self.cells.variance),
            halved_precision(self.sums.variance),
        )

    def _add_margin(self, block: Block, by_key: dict[Key, Block]) -> None:
        """Add the rows of a block as sums of the smallest table that refines it."""
        refining = [key for key in self.table_cells if self.axes.refines(key, block.key)]
        table = min(refining, key=lambda key: by_key[key].values.size)
        self._row_sets[table].append(_RowSet(block.key, self.row_count, 1.0))
        self.margin_rows[block.key] = slice(self.row_count, self.row_count + block.values.size)
        self.row_count += block.values.size

    def _add_links(self, tables: Sequence[Key]) -> None:
        """Add rows that make tables have the same sums over the groupings that they share."""
        for shared in dict.fromkeys(self.axes.meet(first, second) for first, second in combinations(tables, 2)):
            for first, second in pairwise([key for key in tables if self.axes.refines(key, shared)]):
                self._row_sets[first].append(_RowSet(shared, self.row_count, 1.0))
                self._row_sets[second].append(_RowSet(shared, self.row_count, -1.0))
                self.row_count += self.axes.size(shared)

    @property
    def bounded(self) -> bool:
        """Whether any number has a bound."""
        return self._bounded or bool(np.isfinite(self.cells.low).any() or np.isfinite(self.cells.high).any())

    @property
    def is_small(self) -> bool:
        """Whether elimination is worth its time."""
        depth, cells = self._rows_per_cell, self.cell_count
        most = MOST_UNKNOWNS if self.bounded and len(self.table_cells) > 1 else MOST_IF_EASY
        small = min(self.row_count, cells) <= most and depth * cells <= MOST_PAIRS
        return small and (self.row_count > cells or depth**2 * cells <= MOST_PAIRS)

    def prepare(self) -> None:
        """Write down the rows of each cell, and their signs. The number `row_count` stands for no row."""
        shape = self._rows_per_cell, self.cell_count
        self._rows: Integers = np.full(shape, self.row_count)
        self._signs: Floats = np.zeros(shape)
        for table, cells in self.table_cells.items():
            for depth, (key, start, sign) in enumerate(self._row_sets[table]):
                self._rows[depth, cells] = self.axes.containing_cells(table, key) + start
                self._signs[depth, cells] = sign
        self._flat_rows = self._rows.reshape(-1)
        full = self.row_count + 1
        cell_part = np.bincount(self._flat_rows, (self._signs**2 * self.cells.variance).reshape(-1), full)
        diagonal = cell_part[:-1] + self.sums.variance
        self._diagonal = diagonal + 1e-4 * max(float(diagonal.max(initial=0.0)), 1e-300)
        if self.row_count <= self.cell_count:
            self._pairs = (self._rows[:, None] * full + self._rows[None]).reshape(-1)
            self._pair_signs = self._signs[:, None] * self._signs[None]
        else:
            matrix = np.zeros((full, self.cell_count))
            np.add.at(matrix, (self._rows, np.arange(self.cell_count)), self._signs)
            self._matrix = matrix[:-1]
            self._unbounded_normal = None if self._bounded else self._normal(self.sums.variance)

    def _normal(self, slopes: Floats) -> Floats:
        """Return A_P' D_P**-1 A_P, for `slopes` D_m."""
        noisy = slopes > 0
        rows = self._matrix[noisy]
        return np.asarray((rows / slopes[noisy, None]).T @ rows)

    def evaluate(self, multipliers: Floats) -> Point:
        """Return the cells and sums that follow from multipliers."""
        spread = (np.append(multipliers, 0.0)[self._rows] * self._signs).sum(axis=0)
        unclipped_cells = self.cells.values + self.cells.variance * spread
        cells = np.minimum(np.maximum(unclipped_cells, self.cells.low), self.cells.high)
        unclipped_sums = self.sums.values - self.sums.variance * multipliers
        sums = unclipped_sums
        if self._bounded:
            sums = np.minimum(np.maximum(unclipped_sums, self.sums.low), self.sums.high)
        residual = sums - self.add(cells)
        dual = self.objective(cells, sums) + multipliers @ residual
        return Point(multipliers, unclipped_cells, cells, unclipped_sums, sums, residual, float(dual))

    def add(self, cells: Floats) -> Floats:
        """Return A x."""
        sums = np.bincount(self._flat_rows, (self._signs * cells).reshape(-1), self.row_count + 1)
        return sums[:-1].astype(np.float64)

    def objective(self, cells: Floats, sums: Floats) -> float:
        """Return f at cells and sums."""
        cell_part = self._cell_weights @ (cells - self.cells.values) ** 2
        return float(cell_part + self._sum_weights @ (sums - self.sums.values) ** 2)

    def step(self, point: Point, damping: float) -> Floats:
        """Return the Newton step."""
        ridge = (RIDGE + damping) * self._diagonal
        unclipped = point.unclipped_cells
        free = (unclipped > self.cells.low) & (unclipped < self.cells.high) & (self.cells.variance > 0)
        sum_slopes = self.sums.variance
        if self._bounded:
            inside = (point.unclipped_sums > self.sums.low) & (point.unclipped_sums < self.sums.high)
            sum_slopes = np.where(inside, sum_slopes, 0.0)
        if self.row_count > self.cell_count:
            return self._step_by_cells(point.residual, free, sum_slopes, ridge)
        slopes = np.where(free, self.cells.variance, 0.0)
        full = self.row_count + 1
        matrix = np.bincount(self._pairs, (self._pair_signs * slopes).reshape(-1), full * full)
        square = matrix.reshape(full, full)[:-1, :-1].astype(np.float64)
        square.flat[::full] += sum_slopes + ridge
        return np.asarray(np.linalg.solve(square, point.residual))

    def _step_by_cells(self, residual: Floats, free: Booleans, sum_slopes: Floats, ridge: Floats) -> Floats:
        """Return the Newton step from the changes of the free cells."""
        soft = sum_slopes > 0
        normal = self._normal(sum_slopes) if self._unbounded_normal is None else self._unbounded_normal
        square = normal[np.ix_(free, free)]
        square.flat[:: len(square) + 1] += 1 / self.cells.variance[free]
        rows, exact = self._matrix[:, free], np.flatnonzero(~soft)
        right = rows[soft].T @ (residual[soft] / sum_slopes[soft])
        solved = np.linalg.solve(square, np.column_stack([right, rows[exact].T]))
        change, step = solved[:, 0], np.zeros(self.row_count)
        if len(exact):
            schur = rows[exact] @ solved[:, 1:]
            schur.flat[:: len(exact) + 1] += ridge[exact]
            step[exact] = np.linalg.solve(schur, residual[exact] - rows[exact] @ change)
            change = change + solved[:, 1:] @ step[exact]
        step[soft] = (residual[soft] - rows[soft] @ change) / sum_slopes[soft]
        return step


def search(equations: Equations, unit: float, aim: float) -> tuple[Point, int] | None:
    """Return the point at which no equation is off by more than `aim` units, and the number of Newton steps.

    Return None if `STEPS` steps do not reach such a point.
    """
    point = equations.evaluate(np.zeros(equations.row_count))
    damping = DAMPING if equations.bounded else 0.0
    for steps in range(STEPS):
        if float(np.abs(point.residual).max(initial=0.0)) <= aim * unit:
            return point, steps
        try:
            step = equations.step(point, damping)
        except np.linalg.LinAlgError:
            return None
        better = _line_search(equations, point, step)
        if better is None:
            return None
        point, length = better
        damping = next_damping(damping, length)
    return None


def next_damping(damping: float, length: float) -> float:
    """Return the damping after a step of a length: more after a short step, less after a full one."""
    if length < 0.3:
        return min(MOST_DAMPING, 4 * max(damping, LEAST_DAMPING))
    lower = damping / 10 if length == 1 else damping
    return lower if lower >= LEAST_DAMPING else 0.0


def _line_search(equations: Equations, point: Point, step: Floats) -> tuple[Point, float] | None:
    """Return the first of ever shorter steps that raises the dual enough, or lowers the residual, and its length.

    Return None if no step does.
    """
    slope, square = float(step @ point.residual), float(point.residual @ point.residual)
    length = 1.0
    for _ in range(HALVINGS):
        after = equations.evaluate(point.multipliers + length * step)
        rises = after.dual >= point.dual + 1e-4 * length * slope
        level = abs(after.dual - point.dual) <= 1e-9 * (1 + abs(point.dual))
        if rises or (level and float(after.residual @ after.residual) <= 0.9 * square):
            return after, length
        length /= 2
    return None


def _vectors(blocks: Sequence[Block], zeros: int) -> _Vectors:
    """Return values, variances and bounds of blocks one after the other, then of so many known zeros."""
    lines: list[list[Floats]] = [[], [], [], []]
    for block in blocks:
        low = np.asarray(-np.inf) if block.low is None else block.low
        high = np.asarray(np.inf) if block.high is None else block.high
        for line, numbers in zip(lines, (block.values, block.variance, low, high), strict=True):
            full = numbers.shape == block.values.shape
            line.append(numbers.reshape(-1) if full else np.full(block.values.size, numbers))
    for line, filling in zip(lines, (0.0, 0.0, -np.inf, np.inf), strict=True):
        line.append(np.full(zeros, filling))
    return _Vectors(*(np.concatenate(line).astype(np.float64, copy=False) for line in lines))


def halved_precision(variance: Floats) -> Floats:
    """Return 1 / (2 v), and 0 for numbers that are known."""
    return np.divide(0.5, variance, out=np.zeros_like(variance), where=variance > 0)

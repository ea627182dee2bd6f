"""The same least squares for few cells: Newton steps on the dual by elimination, with every equation written out.

The unknowns are the cells x of all tables and the other sums m that blocks have. Each row r of A x = m is an equation:
a sum of one table's cells is the number of a block, or two tables that share a grouping have the same sum there
(m = 0). With multipliers t and nothing else to keep,

    x = clip(y + v A't),    m = clip(y_m - v_m t),
    g(t) = |x - y|**2 / (2 v) + |m - y_m|**2 / (2 v_m) + <t, m - A x>

is at most the least objective, whatever t is. Its gradient is m - A x, and a Newton step solves

    (A D A' + D_m) step = m - A x,      D being v between the bounds and 0 elsewhere.

Where rows are fewer than cells, this matrix is formed and solved. Where cells are fewer, with P the rows that have
D_m > 0 and Z the others, the same step comes from the free cells:

    (1/D + A_P' D_P**-1 A_P) dx = A_P' D_P**-1 (m - A x)_P + A_Z' step_Z,      A_Z dx = (m - A x)_Z.

Equations that follow from others, and rows whose cells are all at their bounds, leave the matrix singular; `RIDGE` of
the diagonal that it has without bounds keeps it regular. Where these steps do not help, `search` returns None.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.blocks import Block

MOST_CELLS = 10_000
MOST_TABLES = 40
MOST_UNKNOWNS = 300
"""The lesser of rows and cells: elimination takes its cube."""

MOST_PAIRS = 1_000_000
"""Entries of the matrix before equal places are added up."""

STEPS, HALVINGS = 50, 30
RIDGE = 1e-8


@dataclass(frozen=True)
class Point:
    """Multipliers, and what they make of cells and sums.

    Attributes
    ----------
    rest
        m - A x.
    dual
        g: no tables have a lower objective.
    """

    multipliers: Floats
    wish: Floats
    cells: Floats
    other_wish: Floats
    sums: Floats
    rest: Floats
    dual: float


class Equations:
    """The blocks of a problem as vectors: all cells one after the other, and all equations.

    `keys` are the tables: the groupings that no other block refines.

    Attributes
    ----------
    tables
        Where the cells of each table are.
    others
        Where the rows of the other blocks are.
    size
        How many rows there are.
    """

    def __init__(self, axes: Axes, blocks: Sequence[Block], keys: Sequence[Key]) -> None:
        own = {block.key: block for block in blocks}
        ends = np.cumsum([0, *(own[key].values.size for key in keys)]).tolist()
        self.tables = {key: slice(*ends[at : at + 2]) for at, key in enumerate(keys)}
        self.count = int(ends[-1])
        self.axes = axes
        rest = [block for block in blocks if block.key not in self.tables]
        self.others: dict[Key, slice] = {}
        self.size = 0
        sets: dict[Key, list[tuple[Key, int, float]]] = {key: [] for key in keys}
        for block in rest:
            table = min((key for key in keys if axes.refines(key, block.key)), key=lambda key: own[key].values.size)
            sets[table].append((block.key, self.size, 1.0))
            self.others[block.key] = slice(self.size, self.size + block.values.size)
            self.size += block.values.size
        links = self.size
        for shared in dict.fromkeys(axes.meet(one, other) for one, other in combinations(keys, 2)):
            for one, other in pairwise([key for key in keys if axes.refines(key, shared)]):
                sets[one].append((shared, self.size, 1.0))
                sets[other].append((shared, self.size, -1.0))
                self.size += axes.size(shared)
        self.deep = max(map(len, sets.values()))
        self._sets = sets
        self.values, self.variance, self.low, self.high = _vectors([own[key] for key in keys], 0)
        self.y, self.v, self.bottom, self.top = _vectors(rest, self.size - links)
        self.bounded = bool(np.isfinite(self.bottom).any() or np.isfinite(self.top).any())
        self._weight, self._other_weight = _halves(self.variance), _halves(self.v)

    @property
    def few(self) -> bool:
        """Whether elimination is worth its time."""
        small = min(self.size, self.count) <= MOST_UNKNOWNS and self.deep * self.count <= MOST_PAIRS
        return small and (self.size > self.count or self.deep**2 * self.count <= MOST_PAIRS)

    def prepare(self) -> None:
        """Write down which rows each cell is in, and with which sign; a row that is none fills up."""
        self.rows: Integers = np.full((self.deep, self.count), self.size)
        self.signs: Floats = np.zeros((self.deep, self.count))
        for table, here in self.tables.items():
            for at, (key, start, sign) in enumerate(self._sets[table]):
                self.rows[at, here] = self.axes.owners(table, key) + start
                self.signs[at, here] = sign
        self._flat = self.rows.reshape(-1)
        full = self.size + 1
        whole = np.bincount(self._flat, (self.signs**2 * self.variance).reshape(-1), full)[:-1] + self.v
        self.ridge = RIDGE * whole + 1e-12 * max(float(whole.max(initial=0.0)), 1e-300)
        if self.size <= self.count:
            self._pairs = (self.rows[:, None] * full + self.rows[None]).reshape(-1)
            self._pair_signs = self.signs[:, None] * self.signs[None]
        else:
            matrix = np.zeros((full, self.count))
            np.add.at(matrix, (self.rows, np.arange(self.count)), self.signs)
            self._matrix = matrix[:-1]
            self._inner = None if self.bounded else self._squared(self.v)

    def _squared(self, spread: Floats) -> Floats:
        some = spread > 0
        chosen = self._matrix[some]
        return np.asarray((chosen / spread[some, None]).T @ chosen)

    def at(self, multipliers: Floats) -> Point:
        """What multipliers make of the blocks."""
        spread = (np.append(multipliers, 0.0)[self.rows] * self.signs).sum(axis=0)
        wish = self.values + self.variance * spread
        cells = np.minimum(np.maximum(wish, self.low), self.high)
        other = self.y - self.v * multipliers
        sums = np.minimum(np.maximum(other, self.bottom), self.top) if self.bounded else other
        rest = sums - self.add(cells)
        distance = self._weight @ (cells - self.values) ** 2 + self._other_weight @ (sums - self.y) ** 2
        return Point(multipliers, wish, cells, other, sums, rest, float(distance + multipliers @ rest))

    def add(self, cells: Floats) -> Floats:
        """A x."""
        return np.bincount(self._flat, (self.signs * cells).reshape(-1), self.size + 1)[:-1].astype(np.float64)

    def objective(self, cells: Floats, sums: Floats) -> float:
        """f of cells and of what they add up to."""
        missed = self._other_weight @ (sums - self.y) ** 2
        return float(self._weight @ (cells - self.values) ** 2 + missed)

    def step(self, now: Point) -> Floats:
        """The Newton step."""
        free = (now.wish > self.low) & (now.wish < self.high) & (self.variance > 0)
        spread = self.v
        if self.bounded:
            spread = np.where((now.other_wish > self.bottom) & (now.other_wish < self.top), spread, 0.0)
        if self.size > self.count:
            return self._by_cells(now.rest, free, spread)
        slopes = np.where(free, self.variance, 0.0)
        full = self.size + 1
        matrix = np.bincount(self._pairs, (self._pair_signs * slopes).reshape(-1), full * full)
        square = matrix.reshape(full, full)[:-1, :-1].astype(np.float64)
        square.flat[::full] += spread + self.ridge
        return np.asarray(np.linalg.solve(square, now.rest))

    def _by_cells(self, rest: Floats, free: npt.NDArray[np.bool_], spread: Floats) -> Floats:
        soft = spread > 0
        inner = self._squared(spread) if self._inner is None else self._inner
        square = inner[np.ix_(free, free)]
        square.flat[:: len(square) + 1] += 1 / self.variance[free]
        rows, exact = self._matrix[:, free], np.flatnonzero(~soft)
        right = rows[soft].T @ (rest[soft] / spread[soft])
        solved = np.linalg.solve(square, np.column_stack([right, rows[exact].T]))
        moved, step = solved[:, 0], np.zeros(self.size)
        if len(exact):
            schur = rows[exact] @ solved[:, 1:]
            schur.flat[:: len(exact) + 1] += self.ridge[exact]
            step[exact] = np.linalg.solve(schur, rest[exact] - rows[exact] @ moved)
            moved = moved + solved[:, 1:] @ step[exact]
        step[soft] = (rest[soft] - rows[soft] @ moved) / spread[soft]
        return step


def search(equations: Equations, unit: float, aim: float) -> tuple[Point, int] | None:
    """Newton steps until no equation is off by more than `aim` units; None where they do not get there."""
    now = equations.at(np.zeros(equations.size))
    for steps in range(STEPS):
        if float(np.abs(now.rest).max(initial=0.0)) <= aim * unit:
            return now, steps
        try:
            step = equations.step(now)
        except np.linalg.LinAlgError:
            return None
        slope, square = float(step @ now.rest), float(now.rest @ now.rest)
        length = 1.0
        for _ in range(HALVINGS):
            after = equations.at(now.multipliers + length * step)
            rises = after.dual >= now.dual + 1e-4 * length * slope
            level = abs(after.dual - now.dual) <= 1e-9 * (1 + abs(now.dual))
            if rises or (level and float(after.rest @ after.rest) <= 0.9 * square):
                break
            length /= 2
        else:
            return None
        now = after
    return None


def _vectors(blocks: Sequence[Block], more: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Values, variances and bounds of blocks one after the other, then so many zeros that are known."""
    lines: list[list[Floats]] = [[], [], [], []]
    for block in blocks:
        low = np.asarray(-np.inf) if block.low is None else block.low
        high = np.asarray(np.inf) if block.high is None else block.high
        for line, each in zip(lines, (block.values, block.variance, low, high), strict=True):
            line.append(each.reshape(-1) if each.shape == block.values.shape else np.full(block.values.size, each))
    for line, filling in zip(lines, (0.0, 0.0, -np.inf, np.inf), strict=True):
        line.append(np.full(more, filling))
    values, variance, low, high = (np.concatenate(line).astype(np.float64, copy=False) for line in lines)
    return values, variance, low, high


def _halves(variance: Floats) -> Floats:
    """1 / (2 v), and 0 for what is known."""
    return np.divide(0.5, variance, out=np.zeros_like(variance), where=variance > 0)

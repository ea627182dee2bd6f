"""Weighted least squares on the cells and margins of a cube, between bounds.

    minimise   sum (x - y_0)**2 / v_0 + sum over margins A of sum (A x - y_A)**2 / v_A    subject to  low <= x <= high.

With a multiplier l_A for each cell of each margin, the best x is clip(y_0 + v_0 sum_A A' l_A, low, high), so x always
keeps its bounds, and the multipliers, far fewer than the cells, solve r_A = y_A - A x - v_A l_A = 0. r is minus the
gradient of a convex, piecewise quadratic function, which Newton's method minimises in a few steps

    (A D A' + V) step = r,     D being v_0 where x is between its bounds and 0 elsewhere,

each by conjugate gradients, preconditioned by the closed form for D constant (`effects`) where there is one. The
objective is above its minimum by at most sum r_A**2 / v_A, which is what ends the search. Memory: a few arrays of
cells.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from discreet.errors import SolverError
from discreet.reconcile.check import Floats
from discreet.reconcile.effects import Effects
from discreet.reconcile.margins import Margins

GAP = 1e-6
"""Largest share of the objective by which it may exceed its minimum."""

MISS = 0.1
"""Largest r, in standard deviations of the noise."""

STEPS = 30
"""Newton steps before an interior-point method is tried instead."""

INTERIOR = 100
INNER = 40
SEARCH = 40

DENSE = 2_000_000
"""Entries of A up to which a Newton step is solved as it stands."""

Vectors = list[Floats]

_BLAS = ThreadpoolController()
"""One thread for small matrices: many are slower, and their last digits depend on how many there are."""


class Projection:
    """A least-squares problem, its multipliers kept from one call to the next.

    Parameters
    ----------
    margins
        The sums.
    variances
        Of the sums, one number a margin or one a cell of it, in the order of `margins.keys`.
    low, high
        Bounds of the cells.
    """

    def __init__(self, margins: Margins, variances: Sequence[Floats | float], low: Floats, high: Floats) -> None:
        self._margins, self._variances, self._low, self._high = margins, variances, low, high
        self._multipliers = [np.zeros(margins.shape(key)) for key in margins.keys]
        sums = sum(multiplier.size for multiplier in self._multipliers)
        self._places = margins.places(np.arange(low.size)) if 0 < sums * low.size <= DENSE else None
        self._hard = False
        single = [v for v in variances if isinstance(v, float)]
        plain = len(single) == len(variances) and all(name is None for key in margins.keys for _, name in key)
        self._effects = Effects(margins, single) if plain and self._places is None else None

    def fit(self, centre: Floats, spread: Floats | float, targets: Sequence[Floats]) -> Floats:
        """The best cells for noisy cells with their variance, and noisy sums in the order of `margins.keys`."""
        if not targets:
            return np.clip(centre, self._low, self._high)
        now = self._at(self._multipliers, centre, spread, targets)
        for _ in range(0 if self._hard else STEPS):
            wish, cells, rest, objective = now
            gap = _dot(rest, _divide(rest, self._variances)) / 2
            miss = max(float(np.max(np.abs(r) / np.sqrt(v))) for r, v in zip(rest, self._variances, strict=True))
            if miss < MISS and gap <= GAP * objective + 1e-12:
                return cells
            inside = np.where((wish > self._low) & (wish < self._high), spread, 0.0)
            step = self._newton(inside, rest)
            self._multipliers, now = self._search(step, now, centre, spread, targets)
        self._hard = True
        return self._interior(centre, spread, targets)

    def closer(self, wanted: Sequence[Floats], chosen: Sequence[npt.NDArray[np.bool_]]) -> Vectors:
        """Targets moved, where chosen, by what the last fit left missing of those wanted: the next comes closer."""
        return [
            t + np.where(c, v * m, 0.0)
            for t, v, m, c in zip(wanted, self._variances, self._multipliers, chosen, strict=True)
        ]

    def _at(
        self, multipliers: Vectors, centre: Floats, spread: Floats | float, targets: Sequence[Floats]
    ) -> tuple[Floats, Floats, Vectors, float]:
        """Cells before and after clipping, r, and half the objective."""
        wish = centre + spread * self._margins.spread(multipliers)
        cells = np.clip(wish, self._low, self._high)
        apart = [t - a for t, a in zip(targets, self._margins.add(cells), strict=True)]
        rest = [a - v * m for a, v, m in zip(apart, self._variances, multipliers, strict=True)]
        objective = float(np.sum((cells - centre) ** 2 / spread)) + _dot(apart, _divide(apart, self._variances))
        return wish, cells, rest, objective / 2

    def _newton(self, inside: Floats, rest: Vectors, tolerance: float = 0.1) -> Vectors:
        """The step for a given D."""
        if self._places is not None:
            spreads = [np.broadcast_to(v, r.shape).reshape(-1) for v, r in zip(self._variances, rest, strict=True)]
            square = np.diag(np.concatenate(spreads)) + self._squared(inside.reshape(-1))
            with _BLAS.limit(limits=1):
                solution = np.linalg.solve(square, np.concatenate([np.ravel(r) for r in rest]))
            edges = np.cumsum([np.size(r) for r in rest])[:-1]
            return [s.reshape(np.shape(r)) for s, r in zip(np.split(solution, edges), rest, strict=True)]

        def apply(vector: Vectors) -> Vectors:
            sums = self._margins.add(inside * self._margins.spread(vector))
            return [a + v * m for a, v, m in zip(sums, self._variances, vector, strict=True)]

        if self._effects is not None:
            return _solve(apply, partial(self._effects.solve, cell_variance=float(inside.mean())), rest, tolerance)
        return _solve(apply, partial(_divide, by=self._variances), rest, tolerance)

    def _squared(self, inside: Floats) -> Floats:
        """A D A' as a matrix: for any two sums what they have in common."""
        assert self._places is not None
        free = np.flatnonzero(inside)
        owners, size = self._places[:, free], sum(multiplier.size for multiplier in self._multipliers)
        square = np.zeros(size * size)
        for row in owners:
            at = (row[None, :] * size + owners).reshape(-1)
            square += np.bincount(at, np.tile(inside[free], len(owners)), size * size)
        return square.reshape(size, size)

    def _interior(self, centre: Floats, spread: Floats | float, targets: Sequence[Floats]) -> Floats:
        """The same by a primal-dual interior-point method: slower, and not troubled by variances far apart.

        With z >= 0 for the bounds: (x - y_0) / v_0 - A' l - z = 0, y - A x - v l = 0, x z = mu, mu going to 0.
        """
        free = self._high > self._low
        scale = float(np.sqrt(np.mean(spread))) + float(np.abs(centre).mean())
        cells = np.where(free, np.maximum(centre, self._low + scale), self._low)
        slack = np.where(free, scale / np.mean(spread), 0.0)
        multipliers = [np.zeros_like(m) for m in self._multipliers]
        for _ in range(INTERIOR):
            room = np.where(free, cells - self._low, 1.0)
            centring = float(np.sum(room * slack)) / max(1, int(free.sum()))
            down = np.where(free, (cells - centre) / spread - self._margins.spread(multipliers) - slack, 0.0)
            rest = [
                t - a - v * m
                for t, a, v, m in zip(targets, self._margins.add(cells), self._variances, multipliers, strict=True)
            ]
            size = max(float(np.max(np.abs(r) / np.sqrt(v))) for r, v in zip(rest, self._variances, strict=True))
            if centring < 1e-7 and size < 0.1 * MISS and float(np.abs(down).max()) * scale < 1e-5:
                self._multipliers = multipliers
                return np.clip(cells, self._low, self._high)
            inside = np.where(free, 1 / (1 / spread + slack / room), 0.0)
            push = np.where(free, (0.1 * centring - room * slack) / room, 0.0)
            moved = self._margins.add(inside * (push - down))
            step = self._newton(inside, [r - m for r, m in zip(rest, moved, strict=True)], 1e-4)
            along = inside * (self._margins.spread(step) + push - down)
            lift = np.where(free, push - slack / room * along, 0.0)
            reach = [
                float(np.min(np.where(change < 0, -held / np.where(change < 0, change, -1.0), np.inf)))
                for held, change in ((room, along), (slack, lift))
            ]
            length = min(1.0, 0.99 * min(reach))
            cells, slack = cells + length * along, slack + length * lift
            multipliers = [m + length * d for m, d in zip(multipliers, step, strict=True)]
        raise SolverError(
            "least squares did not settle: the variances differ by too much, or the counts are too large for them"
        )

    def _search(
        self,
        step: Vectors,
        now: tuple[Floats, Floats, Vectors, float],
        centre: Floats,
        spread: Floats | float,
        targets: Sequence[Floats],
    ) -> tuple[Vectors, tuple[Floats, Floats, Vectors, float]]:
        """Go along the step until its slope, which falls throughout, is less than half of what it was."""
        first = _dot(step, now[2])
        short, long, slopes = 0.0, math.inf, [first, 0.0]
        length = 1.0
        for _ in range(SEARCH):
            trial = [m + length * d for m, d in zip(self._multipliers, step, strict=True)]
            new = self._at(trial, centre, spread, targets)
            slope = _dot(step, new[2])
            if abs(slope) <= 0.5 * first:
                break
            if slope > 0:
                short, slopes[0] = length, slope
            else:
                long, slopes[1] = length, slope
            if long == math.inf:
                length *= 2
            else:
                share = slopes[0] / (slopes[0] - slopes[1])
                length = short + (long - short) * min(max(share, 0.05), 0.5)
        return trial, new


def _solve(
    apply: Callable[[Vectors], Vectors], precondition: Callable[[Vectors], Vectors], right: Vectors, tolerance: float
) -> Vectors:
    """Conjugate gradients."""
    solution = [np.zeros_like(r) for r in right]
    rest = right
    direction = better = precondition(rest)
    square = start = _dot(rest, better)
    for _ in range(INNER if tolerance > 0.01 else 10 * INNER):
        image = apply(direction)
        length = square / max(_dot(direction, image), 1e-300)
        solution = [x + length * d for x, d in zip(solution, direction, strict=True)]
        rest = [r - length * i for r, i in zip(rest, image, strict=True)]
        better = precondition(rest)
        last, square = square, _dot(rest, better)
        if square <= tolerance**2 * start:
            break
        direction = [b + square / last * d for b, d in zip(better, direction, strict=True)]
    return solution


def _dot(one: Sequence[Floats], other: Sequence[Floats]) -> float:
    return sum(float(np.sum(a * b)) for a, b in zip(one, other, strict=True))


def _divide(vectors: Sequence[Floats], by: Sequence[Floats | float]) -> Vectors:
    return [vector / divisor for vector, divisor in zip(vectors, by, strict=True)]

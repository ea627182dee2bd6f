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

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from discreet.errors import SolverError
from discreet.reconcile.check import Floats
from discreet.reconcile.effects import Effects
from discreet.reconcile.margins import Margins

GAP = 1e-6
"""Largest share of the objective by which it may exceed its minimum."""

MISS = 0.1
"""Largest r, in standard deviations of the noise."""

STEPS = 100
INNER = 40

Vectors = list[Floats]


def project(
    margins: Margins,
    centre: Floats,
    spread: Floats | float,
    targets: Sequence[Floats],
    variances: Sequence[Floats | float],
    low: Floats,
    high: Floats,
) -> Floats:
    """The best cells; `targets` and `variances` (one number a margin, or one a cell) in the order of `margins.keys`."""
    if not targets:
        return np.clip(centre, low, high)
    plain = all(name is None for key in margins.keys for _, name in key)
    single = [v for v in variances if isinstance(v, float)]
    effects = Effects(margins, single) if plain and len(single) == len(variances) else None

    def precondition(vector: Vectors, density: float) -> Vectors:
        return effects.solve(vector, density) if effects else _divide(vector, variances)

    def at(multipliers: Vectors) -> tuple[Floats, Floats, Vectors, float, float]:
        """Cells before and after clipping, r, the function to minimise and the objective, both halved."""
        slope = margins.spread(multipliers)
        wish = centre + spread * slope
        cells = np.clip(wish, low, high)
        sums = margins.add(cells)
        rest = [t - a - v * m for t, a, v, m in zip(targets, sums, variances, multipliers, strict=True)]
        own = float(np.sum((cells - centre) ** 2 / (2 * spread)))
        value = float(np.sum(cells * slope)) - own
        value += sum(
            float(np.sum(m * (v * m / 2 - t))) for m, t, v in zip(multipliers, targets, variances, strict=True)
        )
        apart = sum(float(np.sum((t - a) ** 2 / (2 * v))) for t, a, v in zip(targets, sums, variances, strict=True))
        return wish, cells, rest, value, own + apart

    multipliers = [np.zeros(np.shape(target)) for target in targets]
    wish, cells, rest, value, objective = at(multipliers)
    for _ in range(STEPS):
        gap = _dot(rest, _divide(rest, variances)) / 2
        miss = max(float(np.max(np.abs(r) / np.sqrt(v))) for r, v in zip(rest, variances, strict=True))
        if miss < MISS and gap <= GAP * objective + 1e-12:
            return cells
        inside = np.where((wish > low) & (wish < high), spread, 0.0)

        def apply(vector: Vectors, inside: Floats = inside) -> Vectors:
            sums = margins.add(inside * margins.spread(vector))
            return [a + v * m for a, v, m in zip(sums, variances, vector, strict=True)]

        density = float(inside.mean())
        step = _solve(apply, partial(precondition, density=density), rest)
        slope = _dot(step, rest)
        length = 1.0
        while True:
            trial = [m + length * d for m, d in zip(multipliers, step, strict=True)]
            new = at(trial)
            if new[3] <= value - 1e-4 * length * slope + 1e-12 * abs(value) or length < 1e-3:
                break
            length /= 2
        multipliers, (wish, cells, rest, value, objective) = trial, new
    raise SolverError(
        "least squares did not settle: the fixed values cannot all be met, or the variances differ by too much"
    )


def _solve(apply: Callable[[Vectors], Vectors], precondition: Callable[[Vectors], Vectors], right: Vectors) -> Vectors:
    """Conjugate gradients, to a tenth."""
    solution = [np.zeros_like(r) for r in right]
    rest = right
    direction = better = precondition(rest)
    square = start = _dot(rest, better)
    for _ in range(INNER):
        image = apply(direction)
        length = square / max(_dot(direction, image), 1e-300)
        solution = [x + length * d for x, d in zip(solution, direction, strict=True)]
        rest = [r - length * i for r, i in zip(rest, image, strict=True)]
        better = precondition(rest)
        last, square = square, _dot(rest, better)
        if square <= 0.01 * start:
            break
        direction = [b + square / last * d for b, d in zip(better, direction, strict=True)]
    return solution


def _dot(one: Sequence[Floats], other: Sequence[Floats]) -> float:
    return sum(float(np.sum(a * b)) for a, b in zip(one, other, strict=True))


def _divide(vectors: Sequence[Floats], by: Sequence[Floats | float]) -> Vectors:
    return [vector / divisor for vector, divisor in zip(vectors, by, strict=True)]

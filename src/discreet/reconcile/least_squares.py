"""Weighted least squares over several groupings that must agree, between bounds, with a certificate.

Each **block** is a grouping with its measurements y, their variances v and bounds. The largest blocks are the tables
that are published; the others are margins. No table of all axes is ever made.

    minimise  f(x) = sum over blocks b of |x_b - y_b|**2 / (2 v_b)    subject to  low_b <= x_b <= high_b,

and to all blocks agreeing: if two blocks b, b' refine a grouping s, then both have the same sums there. v = 0 is a
number that is known. What blocks agree on is written as **components**: the sums over s, minus, along every axis, the
mean of the groups that lie in one group of the next coarser level. So no agreement is stated twice.

**Dual.** With multipliers t_{b,s} for the components, which add up to 0 over the blocks of each s, the best block is
x_b = clip(y_b + v_b S_b' t_b, low_b, high_b), S_b taking the components of a block. The multipliers are far fewer than
the cells. The dual g(t) = sum_b |x_b - y_b|**2 / (2 v_b) - <t_b, S_b x_b> is concave and piecewise quadratic, its
gradient is the disagreement of the blocks. Newton's method maximises it in some ten steps,

    S_b D_b S_b' step_b = h - S_b x_b,     D_b being v_b where x_b is between its bounds and nearly 0 elsewhere,

each by conjugate gradients among the multipliers that add up to 0. The preconditioner takes S_b D_b S_b' for diagonal,
with the sums of D_b on the diagonal: then h is the mean of what the blocks say, each weighted by its precision.

Problems of few cells take the same steps by elimination (`dense`).

**Certificate.** Whatever the multipliers, g(t) is at most the least f. So f at the tables found, their margins being
the sums of their cells, exceeds the minimum by at most gap = f - g(t), and every number is within sqrt(2 gap) of its
own least-squares standard deviations of where the exact minimum has it. A gap above `GAP` or a disagreement above
`RESIDUAL` is an error, never a result. So is a gap further below 0 than the last digits of the disagreement explain.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from discreet.arrays import Floats
from discreet.errors import SolverError
from discreet.reconcile import dense
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.blocks import SINGLE, Block, Family, Stack, without_empty

GAP = 0.005
"""Largest gap: every number is then within 0.1 of its own standard deviations of the exact minimum."""

RELATIVE = 1e-6
"""Largest gap beyond that, as a share of the objective: last digits, where fixed numbers are far from noisy ones."""

RESIDUAL, COARSE = 1e-3, 0.03
"""Largest disagreement of two blocks, in standard deviations of the least noise; and that of counts beyond 1e8."""

AIM, AIM_IF_LARGE = 1e-6, 1e-4
"""The disagreement at which the search ends, and that for blocks of `SINGLE` cells and more."""

FINEST = 1e-9
"""The least disagreement that is aimed at where the certificate asks for less than `AIM`."""

STEPS = 200
INNER = 300
HALVINGS = 30

CLAMPED = 1e-8
"""D of a cell at a bound, as a share of its variance."""

_BLAS = ThreadpoolController()
"""One thread: many are slower on vectors of this size, and their last digits depend on how many there are."""

FLAT = 1e-12
"""Curvature, against that of the preconditioner, below which a direction is not followed."""


@dataclass(frozen=True)
class Fit:
    """Least squares, and how good it is.

    Attributes
    ----------
    copies
        For every copy, for every block its numbers. Those that no other block refines are exact in their bounds.
    gap
        f is above its minimum by at most this.
    residual
        The largest disagreement between two blocks, in standard deviations of the least noise.
    objective
        f.
    steps
        Newton steps, and products with the matrix.
    """

    copies: tuple[dict[Key, Floats], ...]
    gap: float
    residual: float
    objective: float
    steps: tuple[int, int]

    @property
    def tables(self) -> dict[Key, Floats]:
        """The numbers of the first copy."""
        return self.copies[0]


def fit(axes: Axes, blocks: Sequence[Block], aim: float | None = None) -> Fit:
    """The least-squares numbers of all blocks.

    Parameters
    ----------
    axes, blocks
        What is measured, is known, or has bounds.
    aim
        The disagreement at which the search ends; AIM unless given, simulations need not be as exact as that.

    Raises
    ------
    SolverError
        The search did not end within the limits of the certificate.
    """
    if aim is None:
        aim = AIM if max(block.values.size for block in blocks) < SINGLE else AIM_IF_LARGE
    with _BLAS.limit(limits=1):
        given = without_empty(axes, blocks)
        return _few(axes, given, aim) or _Search(Family(axes, given), aim).run()


def _few(axes: Axes, blocks: Sequence[Block], aim: float) -> Fit | None:
    """Least squares by elimination (`dense`); None for many cells, and where the certificate does not hold."""
    if any(block.copy for block in blocks) or sum(block.values.size for block in blocks) > dense.MOST_CELLS:
        return None
    keys = axes.maximal([block.key for block in blocks])
    if len(keys) > dense.MOST_TABLES:
        return None
    equations = dense.Equations(axes, blocks, keys)
    if not equations.few:
        return None
    equations.prepare()
    least = min((float(np.min(v[v > 0])) for v in (equations.variance, equations.v) if (v > 0).any()), default=1.0)
    limits = _Limits.of(blocks, math.sqrt(least), aim)
    ended = dense.search(equations, limits.unit, limits.aim)
    if ended is None:
        return None
    point, steps = ended
    sums = equations.add(point.cells)
    tables = {key: point.cells[here].reshape(axes.shape(key)) for key, here in equations.tables.items()}
    tables |= {key: sums[here].reshape(axes.shape(key)) for key, here in equations.others.items()}
    primal = equations.objective(point.cells, sums)
    apart = np.abs(point.rest)
    slack = 1e-9 * (1 + primal) + 2 * float(np.abs(point.multipliers) @ (apart + 1e-13 * np.abs(sums)))
    found = Fit((tables,), primal - point.dual, float(apart.max(initial=0.0)) / limits.unit, primal, (steps, 0))
    return found if limits.hold(found, slack) else None


@dataclass(frozen=True)
class _Limits:
    """When a search ends, and what a result must keep.

    Attributes
    ----------
    unit
        The standard deviation of the least noise.
    digits
        The last digits of the largest count, in units.
    aim
        The disagreement at which the search ends, in units.
    rough
        The same before the last digits of large counts are added.
    """

    unit: float
    digits: float
    aim: float
    rough: float

    @classmethod
    def of(cls, blocks: Sequence[Any], unit: float, aim: float) -> "_Limits":
        """The limits for blocks, or for stacks of them."""
        total = max((float(np.abs(block.values).sum(axis=None)) for block in blocks), default=0.0)
        largest = max((float(np.abs(block.values).max(initial=0.0)) for block in blocks), default=0.0)
        return cls(unit, 1e-11 * largest / unit, aim + 1e-14 * total / unit, aim)

    def largest(self, found: Fit) -> tuple[float, float]:
        """The largest residual and gap; the last digits of large counts are a share of little noise."""
        residual = max(min(RESIDUAL + self.digits, COARSE), self.rough)
        return residual, GAP * len(found.copies) + RELATIVE * found.objective

    def hold(self, found: Fit, slack: float) -> bool:
        """Whether a result keeps them; `slack` is how far below 0 last digits may put its gap."""
        residual, gap = self.largest(found)
        return found.residual <= residual and -min(gap, slack) <= found.gap <= gap


@dataclass(frozen=True)
class _Point:
    """Multipliers, and what they make of the blocks."""

    multipliers: Floats
    wish: list[Floats]
    cells: list[Floats]
    components: Floats
    distance: float


class _Search:
    """Newton's method on the dual."""

    def __init__(self, family: Family, aim: float) -> None:
        self.family = family
        self.products = 0
        self.unit = math.sqrt(family.least)
        self.limits = _Limits.of(family.stacks, self.unit, aim)
        self.aim = self.limits.aim

    def run(self) -> Fit:
        """Newton steps until the certificate holds; it may ask for a smaller disagreement than was aimed at.

        Where steps no longer help, as last digits of large counts hide where to go, the best point so far is judged.
        """
        now, steps = self._at(np.zeros(self.family.size)), 0
        best, least = now, math.inf
        while True:
            slopes = self._slopes(now)
            weights = self._weights(slopes)
            agreed = self._agreed(now.components, weights)
            rest = agreed[self.family.index] - now.components
            residual = float(np.abs(rest).max(initial=0.0)) / self.unit
            if residual < least:
                best, least = now, residual
            if residual <= self.aim:
                found = self._found(now, steps)
                if self.limits.hold(*found) or self.aim <= FINEST:
                    return self._certified(found)
                self.aim /= 10
                continue
            step = self._newton(slopes, weights, rest, min(0.1, math.sqrt(residual)))
            after = self._search(now, step, agreed, rest, weights)
            if after is None or steps >= STEPS:
                return self._certified(self._found(best, steps))
            now, steps = after, steps + 1

    def _at(self, multipliers: Floats) -> _Point:
        wish, cells, distance = [], [], 0.0
        for number, stack in enumerate(self.family.stacks):
            here = np.array(stack.values + stack.variance * self.family.spread(number, multipliers))
            clipped = stack.clip(here)
            wish.append(here)
            cells.append(clipped)
            distance += _distance(clipped, stack)
        distance += self.family.folded_distance(multipliers)
        return _Point(multipliers, wish, cells, self.family.components(cells, multipliers), distance)

    def _slopes(self, now: _Point) -> list[npt.NDArray[Any]]:
        """D of every stack."""
        found = []
        for stack, wish in zip(self.family.stacks, now.wish, strict=True):
            inside = stack.inside(wish)
            if inside is None:
                found.append(stack.variance.astype(stack.dtype))
            else:
                found.append(np.where(inside, stack.variance, CLAMPED * stack.variance).astype(stack.dtype))
        return found

    def _weights(self, slopes: Sequence[npt.NDArray[Any]]) -> Floats:
        """The inverse of the preconditioner's diagonal."""
        found = np.empty(self.family.size)
        for number, (stack, parts) in enumerate(zip(self.family.stacks, self.family.parts, strict=True)):
            whole = np.broadcast_to(slopes[number], stack.values.shape)
            least = 0.0 if stack.low is None and stack.high is None else 0.5 * float(np.mean(stack.variance))
            for part, sums in zip(parts, stack.add(whole), strict=True):
                found[part.where] = sums.reshape(-1)
                found[part.where] += least
        found[self.family.own :] = self.family.spreads
        return 1 / np.maximum(found, 1e-3 * self.family.least)

    def _agreed(self, components: Floats, weights: Floats) -> Floats:
        """For every component the mean of what its blocks say, weighted."""
        index, size = self.family.index, self.family.sets
        total = np.bincount(index, weights, minlength=size)
        found: Floats = np.bincount(index, weights * components, minlength=size) / np.maximum(total, 1e-300)
        return found

    def _precondition(self, rest: Floats, weights: Floats) -> Floats:
        made: Floats = weights * (rest - self._agreed(rest, weights)[self.family.index])
        for parts in self.family.parts:
            for part in parts:
                made[part.where] = part.centred(made[part.where].reshape(part.shape)).reshape(-1)
        made[self.family.own :] = self._folded_share(made)
        return made

    def _folded_share(self, made: Floats) -> Floats:
        """What makes the multipliers of every component add up to 0, once those of the stacks have lost their means."""
        own = self.family.own
        total = np.bincount(self.family.index[:own], made[:own], minlength=self.family.sets)
        return np.asarray(-total[self.family.folded], dtype=np.float64)

    def _newton(self, slopes: Sequence[npt.NDArray[Any]], weights: Floats, rest: Floats, tolerance: float) -> Floats:
        """The step, by conjugate gradients."""
        step = np.zeros_like(rest)
        better = self._precondition(rest, weights)
        direction = better
        square = start = float(rest @ better)
        for _ in range(INNER):
            self.products += 1
            moved = [
                np.broadcast_to(self.family.spread(number, direction, stack.dtype) * slopes[number], stack.values.shape)
                for number, stack in enumerate(self.family.stacks)
            ]
            image = self.family.components(moved, direction, means=False)
            curve = float(direction @ image)
            if curve <= FLAT * float(direction @ (direction / weights)):
                break
            step += square / curve * direction
            rest = rest - square / curve * image
            better = self._precondition(rest, weights)
            last, square = square, float(rest @ better)
            if square <= tolerance**2 * start:
                break
            direction = better + square / last * direction
        return step

    def _search(self, now: _Point, step: Floats, agreed: Floats, rest: Floats, weights: Floats) -> _Point | None:
        """The next point: the dual rises enough or, where that is below its last digits, the blocks agree better."""
        index = self.family.index
        slope = float(step @ rest)
        here = now.distance - float(now.multipliers @ (now.components - agreed[index]))
        before = float(rest @ (weights * rest))
        length = 1.0
        for _ in range(HALVINGS):
            after = self._at(now.multipliers + length * step)
            value = after.distance - float(after.multipliers @ (after.components - agreed[index]))
            if value >= here + 1e-4 * length * slope:
                return after
            left = self._agreed(after.components, weights)[index] - after.components
            if float(left @ (weights * left)) <= 0.9 * before and abs(value - here) <= 1e-9 * (1 + abs(here)):
                return after
            length /= 2
        return None

    def _found(self, now: _Point, steps: int) -> tuple[Fit, float]:
        """The tables at a point, and how far below 0 the last digits of their disagreement may put the gap."""
        family = self.family
        agreed = self._agreed(now.components, self._weights(self._slopes(now)))
        apart = now.components - agreed[family.index]
        residual = float(np.abs(apart).max(initial=0.0)) / self.unit
        copies: tuple[dict[Key, Floats], ...] = tuple({} for _ in range(1 + max(b.copy for b in family.blocks)))
        for stack, cells in zip(family.stacks, now.cells, strict=True):
            for number, block in enumerate(stack.blocks):
                copies[block.copy][block.key] = cells[number]
        primal = 0.0
        for block in family.blocks:
            tables = copies[block.copy]
            if block.key not in family.tables:
                finer = next(key for key in family.tables if family.axes.refines(key, block.key))
                tables[block.key] = family.axes.add(tables[finer], finer, block.key)
            primal += _squares(tables[block.key], block.values, block.variance)
            missed = np.abs(tables[block.key] - block.values)[np.broadcast_to(block.variance == 0, block.values.shape)]
            residual = max(residual, float(missed.max(initial=0.0)) / self.unit)
        gap = primal - (now.distance - float(now.multipliers @ apart))
        largest = np.zeros(family.sets)
        np.maximum.at(largest, family.index, np.abs(now.multipliers))
        digits = np.abs(apart) + 1e-13 * np.abs(now.components)
        slack = 1e-9 * (1 + primal) + 2 * float(largest[family.index] @ digits)
        return Fit(copies, gap, residual, primal, (steps, self.products)), slack

    def _certified(self, result: tuple[Fit, float]) -> Fit:
        found, _ = result
        if not self.limits.hold(*result):
            residual, gap = self.limits.largest(found)
            raise SolverError(
                f"least squares did not converge: tables disagree by {found.residual:.3g} standard deviations of the"
                f" noise (at most {residual:g}), and the objective {found.objective:.6g} is up to {found.gap:.3g} above"
                f" its minimum (at most {gap:g}); reconcile fewer tables at once"
            )
        return found


def _distance(cells: Floats, stack: Stack) -> float:
    return _squares(cells, stack.values, stack.variance)


def _squares(cells: Floats, values: Floats, variance: Floats) -> float:
    """|x - y|**2 / (2 v), known numbers apart."""
    weight = np.divide(0.5, variance, out=np.zeros_like(variance), where=variance > 0)
    return float(np.sum((cells - values) ** 2 * weight))

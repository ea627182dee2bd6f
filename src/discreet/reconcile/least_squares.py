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

**Certificate.** Whatever the multipliers, g(t) is at most the least f. So f at the tables found, their margins being
the sums of their cells, exceeds the minimum by at most gap = f - g(t), and every number is within sqrt(2 gap) of its
own least-squares standard deviations of where the exact minimum has it. A gap above `GAP` or a disagreement above
`RESIDUAL` is an error, never a result. So is a gap further below 0 than the last digits of the disagreement explain.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import SolverError
from discreet.reconcile.axes import Axes, Integers, Key
from discreet.reconcile.margins import Margins

Floats = npt.NDArray[np.float64]

GAP = 0.005
"""Largest gap: every number is then within 0.1 of its own standard deviations of the exact minimum."""

RELATIVE = 1e-6
"""Largest gap beyond that, as a share of the objective: last digits, where fixed numbers are far from noisy ones."""

RESIDUAL = 1e-3
"""Largest disagreement of two blocks, in standard deviations of the least noise."""

AIM, AIM_IF_LARGE = 1e-6, 1e-4
"""The disagreement at which the search ends, and that for blocks of `SINGLE` cells and more."""

FINEST = 1e-9
"""The least disagreement that is aimed at where the certificate asks for less than `AIM`."""

STEPS = 200
INNER = 300
HALVINGS = 30

CLAMPED = 1e-8
"""D of a cell at a bound, as a share of its variance."""

FLAT = 1e-12
"""Curvature, against that of the preconditioner, below which a direction is not followed."""

SINGLE = 200_000
"""Cells of a block from which steps are computed in single precision."""


@dataclass(frozen=True)
class Block:
    """A grouping that was measured, is known, or is a table whose bounds must be kept.

    Attributes
    ----------
    key
        The grouping, by its canonical key.
    values, variance
        Measurements, and the variance of each or of all; 0 for numbers that are known.
    low, high
        Bounds; None for none.
    copy
        Blocks of different copies have nothing to do with each other: several problems of one kind at once.
    """

    key: Key
    values: Floats
    variance: Floats
    low: Floats | None = None
    high: Floats | None = None
    copy: int = 0


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
    return _Search(_Family(axes, _without_empty(axes, blocks)), aim).run()


def _without_empty(axes: Axes, blocks: Sequence[Block]) -> list[Block]:
    """The same blocks; where a sum is known to be 0, so are the cells of it that cannot be negative."""
    empty = {(block.copy, block.key): (block.variance == 0) & (block.values == 0) for block in blocks}
    empty = {place: zero for place, zero in empty.items() if zero.any()}
    found = []
    for block in blocks:
        if block.low is not None and empty:
            closed = np.zeros(block.values.shape, dtype=bool)
            for (copy, key), zero in empty.items():
                if copy == block.copy and axes.refines(block.key, key):
                    cells = np.broadcast_to(zero, axes.shape(key)).reshape(-1)[axes.owners(block.key, key)]
                    closed |= cells.reshape(closed.shape) & (np.broadcast_to(block.low, closed.shape) >= 0)
            if closed.any():
                values, spread = np.where(closed, 0.0, block.values), np.where(closed, 0.0, block.variance)
                block = replace(block, values=values, variance=spread)
        found.append(block)
    return found


class _Stack:
    """Blocks of one shape that have the same components, as arrays with one more axis in front."""

    def __init__(self, axes: Axes, blocks: Sequence[Block], subsets: Sequence[Key]) -> None:
        first = blocks[0]
        self.blocks = blocks
        self.shape = axes.shape(first.key)
        local, labels = axes.local(first.key, subsets)
        self.margins = Margins(self.shape, local, labels)
        self.whole = tuple((axis, None) for axis in range(len(self.shape)))
        self.own = self.whole in local
        self.subsets = ([self.whole] if self.own else []) + list(self.margins.keys)
        self.values = np.stack([block.values for block in blocks])
        spreads = np.stack([np.broadcast_to(block.variance, self.shape) for block in blocks])
        flat = spreads.reshape(len(blocks), -1)
        same = bool((flat == flat[:, :1]).all())
        thin = (len(blocks), *(1 for _ in self.shape))
        self.variance = flat[:, 0].reshape(thin) if same else spreads
        self.low = self._bound([block.low for block in blocks], -np.inf)
        self.high = self._bound([block.high for block in blocks], np.inf)
        self.dtype: Any = np.float32 if self.values[0].size >= SINGLE else np.float64

    def _bound(self, bounds: Sequence[Floats | None], default: float) -> Floats | None:
        if all(bound is None for bound in bounds):
            return None
        given = [np.asarray(default if bound is None else bound) for bound in bounds]
        if all(bound.ndim == 0 for bound in given):
            return np.array(given).reshape((len(given), *(1 for _ in self.shape)))
        return np.stack([np.broadcast_to(bound, self.shape) for bound in given])

    def add(self, cells: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """The sums of cells, in the order of `subsets`."""
        return ([cells] if self.own else []) + self.margins.add(cells)

    def spread(self, parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """For every cell the sum of the numbers of all sums that it is in."""
        if not self.own:
            return self.margins.spread(parts)
        return parts[0] + self.margins.spread(parts[1:]) if len(parts) > 1 else parts[0]

    def clip(self, cells: Floats) -> Floats:
        """Within the bounds."""
        if self.low is None and self.high is None:
            return cells
        return np.asarray(np.clip(cells, self.low, self.high))

    def inside(self, cells: Floats) -> npt.NDArray[np.bool_] | None:
        """Which cells are between their bounds; None where there are no bounds."""
        if self.low is None and self.high is None:
            return None
        inside = np.ones(cells.shape, dtype=bool)
        if self.low is not None:
            inside &= cells > self.low
        if self.high is not None:
            inside &= cells < self.high
        return inside


@dataclass(frozen=True)
class _Part:
    """The components of one subset of a stack's axes: where its multipliers are, and how means are taken away."""

    where: slice
    shape: tuple[int, ...]
    siblings: tuple[tuple[Integers, Integers, Integers, Floats] | None, ...]

    def centred(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Without the mean of siblings, along every axis."""
        for axis, group in enumerate(self.siblings, 1):
            if group is None:
                values = values - values.mean(axis=axis, keepdims=True)
            else:
                parent, order, starts, share = group
                sums = np.add.reduceat(values.take(order, axis=axis), starts, axis=axis)
                means = sums * share.reshape([-1 if at == axis else 1 for at in range(values.ndim)])
                values = values - means.take(parent, axis=axis)
        return values


class _Family:
    """All blocks, in stacks, and the components that they share."""

    def __init__(self, axes: Axes, blocks: Sequence[Block]) -> None:
        self.axes, self.blocks = axes, tuple(blocks)
        first = [block for block in blocks if block.copy == 0]
        self.tables = axes.maximal([block.key for block in first])
        below = {block.key: list(axes.below(block.key)) for block in first}
        times: dict[Key, int] = {}
        for block in first:
            for key in below[block.key]:
                times[key] = times.get(key, 0) + 1
        shared = {key for key, count in times.items() if count > 1}
        size = sum(axes.size(key) for key in shared)
        noisy = {block.key for block in blocks if (block.variance > 0).any()}
        claimed: set[Key] = set()
        for block in sorted(first, key=lambda block: -axes.size(block.key)):
            below[block.key] = [key for key in below[block.key] if key in shared]
            if block.key not in noisy:  # what one block knows need not be said by another that knows it
                below[block.key] = [key for key in below[block.key] if key not in claimed]
                claimed.update(below[block.key])
        kinds: dict[Any, list[Block]] = {}
        for block in blocks:
            kinds.setdefault(self._kind(block, below[block.key]), []).append(block)
        self.stacks: list[_Stack] = []
        self.parts: list[list[_Part]] = []
        starts = self._starts(shared)
        indices: list[Integers] = []
        at = 0
        for members in kinds.values():
            subsets = [below[block.key] for block in members]
            stack = _Stack(axes, members, subsets[0])
            named = [dict(zip(axes.local(b.key, s)[0], s, strict=True)) for b, s in zip(members, subsets, strict=True)]
            parts = []
            for local in stack.subsets:
                keys = [names[local] for names in named]
                shape = (len(members), *axes.shape(keys[0]))
                each = math.prod(shape[1:])
                places = [starts[key] + size * block.copy for key, block in zip(keys, members, strict=True)]
                indices.extend(place + np.arange(each) for place in places)
                parts.append(_Part(slice(at, at + each * len(keys)), shape, self._siblings(keys[0])))
                at += each * len(keys)
            self.stacks.append(stack)
            self.parts.append(parts)
        self.index = np.concatenate([*indices, np.empty(0, dtype=np.int64)])
        self.sets = size * (1 + max(block.copy for block in blocks))
        positive = [np.min(b.variance[b.variance > 0]) for b in blocks if (b.variance > 0).any()]
        self.least = float(min(positive, default=1.0))

    def _kind(self, block: Block, subsets: Sequence[Key]) -> Any:
        """Blocks that are alike go into one stack; axes with levels are alike only to themselves."""
        plain = [level is None and not self.axes.parents(axis, level).any() for axis, level in block.key]
        sides = tuple(
            n if simple else (n, pair)
            for n, pair, simple in zip(self.axes.shape(block.key), block.key, plain, strict=True)
        )
        return sides, tuple(self.axes.local(block.key, subsets)[0]), block.low is None and block.high is None

    def _starts(self, shared: set[Key]) -> dict[Key, int]:
        starts, at = {}, 0
        for key in sorted(shared, key=str):
            starts[key] = at
            at += self.axes.size(key)
        return starts

    def _siblings(self, key: Key) -> tuple[tuple[Integers, Integers, Integers, Floats] | None, ...]:
        found: list[tuple[Integers, Integers, Integers, Floats] | None] = []
        for axis, level in key:
            parent = self.axes.parents(axis, level)
            if not parent.any():
                found.append(None)
                continue
            order = np.argsort(parent, kind="stable")
            starts = np.searchsorted(parent[order], np.arange(int(parent.max()) + 1))
            found.append((parent, order, starts, 1 / np.bincount(parent)))
        return tuple(found)

    @cached_property
    def size(self) -> int:
        """How many multipliers there are."""
        return len(self.index)

    def components(self, cells: Sequence[npt.NDArray[Any]]) -> Floats:
        """The components of all blocks, one after the other."""
        found = np.empty(self.size)
        for stack, parts, here in zip(self.stacks, self.parts, cells, strict=True):
            for part, sums in zip(parts, stack.add(here), strict=True):
                found[part.where] = part.centred(sums.astype(np.float64, copy=False)).reshape(-1)
        return found

    def spread(self, number: int, vector: Floats, dtype: Any = np.float64) -> npt.NDArray[Any] | float:
        """S' t of one stack."""
        parts = self.parts[number]
        if not parts:
            return 0.0
        given = [vector[part.where].reshape(part.shape).astype(dtype, copy=False) for part in parts]
        return self.stacks[number].spread(given)


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

    def __init__(self, family: _Family, aim: float) -> None:
        self.family = family
        self.products = 0
        total = max((float(np.abs(stack.values).sum(axis=None)) for stack in family.stacks), default=0.0)
        self.unit = math.sqrt(family.least)
        self.aim = aim + 1e-14 * total / self.unit
        self.rough = aim

    def run(self) -> Fit:
        """Newton steps until the certificate holds; it may ask for a smaller disagreement than was aimed at."""
        now, steps = self._at(np.zeros(self.family.size)), 0
        while True:
            slopes = self._slopes(now)
            weights = self._weights(slopes)
            agreed = self._agreed(now.components, weights)
            rest = agreed[self.family.index] - now.components
            residual = float(np.abs(rest).max(initial=0.0)) / self.unit
            if residual <= self.aim or steps >= STEPS:
                found = self._found(now, agreed, residual, steps)
                if self._holds(found) or steps >= STEPS or self.aim <= FINEST:
                    return self._certified(found)
                self.aim /= 10
                continue
            step = self._newton(slopes, weights, rest, min(0.1, math.sqrt(residual)))
            after = self._search(now, step, agreed, rest, weights)
            if after is None:
                return self._certified(self._found(now, agreed, residual, steps))
            now, steps = after, steps + 1

    def _at(self, multipliers: Floats) -> _Point:
        wish, cells, distance = [], [], 0.0
        for number, stack in enumerate(self.family.stacks):
            here = np.array(stack.values + stack.variance * self.family.spread(number, multipliers))
            clipped = stack.clip(here)
            wish.append(here)
            cells.append(clipped)
            distance += _distance(clipped, stack)
        return _Point(multipliers, wish, cells, self.family.components(cells), distance)

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
        return made

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
            image = self.family.components(moved)
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

    def _found(self, now: _Point, agreed: Floats, residual: float, steps: int) -> tuple[Fit, float]:
        """The tables at a point, and how far below 0 the last digits of their disagreement may put the gap."""
        family = self.family
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
        apart = now.components - agreed[family.index]
        gap = primal - (now.distance - float(now.multipliers @ apart))
        largest = np.zeros(family.sets)
        np.maximum.at(largest, family.index, np.abs(now.multipliers))
        digits = np.abs(apart) + 1e-13 * np.abs(now.components)
        slack = 1e-9 * (1 + primal) + 2 * float(largest[family.index] @ digits)
        return Fit(copies, gap, residual, primal, (steps, self.products)), slack

    def _limits(self, found: Fit) -> tuple[float, float]:
        """The largest residual and gap."""
        return max(RESIDUAL, self.rough), GAP * len(found.copies) + RELATIVE * found.objective

    def _holds(self, result: tuple[Fit, float]) -> bool:
        found, slack = result
        residual, gap = self._limits(found)
        return found.residual <= residual and -min(gap, slack) <= found.gap <= gap

    def _certified(self, result: tuple[Fit, float]) -> Fit:
        found, _ = result
        if not self._holds(result):
            residual, gap = self._limits(found)
            raise SolverError(
                f"least squares did not converge: tables disagree by {found.residual:.3g} standard deviations of the"
                f" noise (at most {residual:g}), and the objective {found.objective:.6g} is up to {found.gap:.3g} above"
                f" its minimum (at most {gap:g}); reconcile fewer tables at once"
            )
        return found


def _distance(cells: Floats, stack: _Stack) -> float:
    return _squares(cells, stack.values, stack.variance)


def _squares(cells: Floats, values: Floats, variance: Floats) -> float:
    """|x - y|**2 / (2 v), known numbers apart."""
    weight = np.divide(0.5, variance, out=np.zeros_like(variance), where=variance > 0)
    return float(np.sum((cells - values) ** 2 * weight))

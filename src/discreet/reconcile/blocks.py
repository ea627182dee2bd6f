"""The blocks of a least-squares problem: groupings that must agree, in stacks, and the components that they share.

A component of a grouping s is its sums, minus, along every axis, the mean of the groups that lie in one group of the
next coarser level. Two blocks that refine s agree there if their components agree for s and all groupings below it.

Blocks of one shape that have the same components are stacked: one array with one more axis in front, so that thousands
of small tables take as many steps as one. Margins of plain axes, without bounds and each with one variance, are folded:
all they say of a component is its mean by precision, so they need one multiplier a component together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.margins import Margins

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


def without_empty(axes: Axes, blocks: Sequence[Block]) -> list[Block]:
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


class Stack:
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
                values = values - np.add.reduce(values, axis=axis, keepdims=True) / values.shape[axis]
            else:
                parent, order, starts, share = group
                sums = np.add.reduceat(values.take(order, axis=axis), starts, axis=axis)
                means = sums * share.reshape([-1 if at == axis else 1 for at in range(values.ndim)])
                values = values - means.take(parent, axis=axis)
        return values


class Family:
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
        self._below, self._starts, self._set_size = below, self._places(shared), size
        folded = [block for block in blocks if self._can_fold(block)]
        self.stacks, self.parts, index = self._stacked([block for block in blocks if not self._can_fold(block)])
        self.sets = size * (1 + max(block.copy for block in blocks))
        self._fold(folded)
        self.index = np.concatenate([index, self.folded])
        self.own = len(index)
        positive = [np.min(b.variance[b.variance > 0]) for b in blocks if (b.variance > 0).any()]
        self.least = float(min(positive, default=1.0))

    def _can_fold(self, block: Block) -> bool:
        """Whether a block is a margin without bounds, of plain axes, with one variance: its components are alike."""
        bounded = block.low is not None or block.high is not None or block.key in self.tables
        plain = not any(self.axes.parents(axis, level).any() for axis, level in block.key)
        return not bounded and plain and block.variance.ndim == 0 and float(block.variance) > 0

    def _fold(self, blocks: Sequence[Block]) -> None:
        """Put all such blocks together: for every component its mean by precision, and the variance of that."""
        stacks, parts, index = self._stacked(blocks)
        spread, found = np.empty(len(index)), np.empty(len(index))
        for stack, each in zip(stacks, parts, strict=True):
            for part, sums in zip(each, stack.add(stack.values), strict=True):
                rest = math.prod(stack.shape) / math.prod(part.shape[1:])
                spread[part.where] = np.broadcast_to(
                    stack.variance.reshape(-1, 1) * rest, (part.shape[0], math.prod(part.shape[1:]))
                ).reshape(-1)
                found[part.where] = part.centred(sums).reshape(-1)
        precision = np.bincount(index, 1 / spread, minlength=self.sets)
        means = np.bincount(index, found / spread, minlength=self.sets) / np.maximum(precision, 1e-300)
        self.folded = np.flatnonzero(precision > 0)
        self.means, self.spreads = means[self.folded], 1 / precision[self.folded]
        self.scatter = 0.0
        for stack, each in zip(stacks, parts, strict=True):
            rests = [math.prod(stack.shape) / math.prod(part.shape[1:]) for part in each]
            agreed = [means[index[part.where]].reshape(part.shape) / r for part, r in zip(each, rests, strict=True)]
            self.scatter += float(np.sum((stack.spread(agreed) - stack.values) ** 2 / stack.variance)) / 2

    def _stacked(self, blocks: Sequence[Block]) -> tuple[list[Stack], list[list[_Part]], Integers]:
        """Stacks of blocks, where the multipliers of their components are, and which component each belongs to."""
        axes, below = self.axes, self._below
        kinds: dict[Any, list[Block]] = {}
        for block in blocks:
            kinds.setdefault(self._kind(block, below[block.key]), []).append(block)
        stacks: list[Stack] = []
        every: list[list[_Part]] = []
        indices: list[Integers] = []
        at = 0
        for members in kinds.values():
            subsets = [below[block.key] for block in members]
            stack = Stack(axes, members, subsets[0])
            named = [dict(zip(axes.local(b.key, s)[0], s, strict=True)) for b, s in zip(members, subsets, strict=True)]
            parts = []
            for local in stack.subsets:
                keys = [names[local] for names in named]
                shape = (len(members), *axes.shape(keys[0]))
                each = math.prod(shape[1:])
                places = [
                    self._starts[key] + self._set_size * block.copy for key, block in zip(keys, members, strict=True)
                ]
                indices.extend(place + np.arange(each) for place in places)
                parts.append(_Part(slice(at, at + each * len(keys)), shape, self._siblings(keys[0])))
                at += each * len(keys)
            stacks.append(stack)
            every.append(parts)
        return stacks, every, np.concatenate([*indices, np.empty(0, dtype=np.int64)])

    def _kind(self, block: Block, subsets: Sequence[Key]) -> Any:
        """Blocks that are alike go into one stack; axes with levels are alike only to themselves."""
        plain = [level is None and not self.axes.parents(axis, level).any() for axis, level in block.key]
        sides = tuple(
            n if simple else (n, pair)
            for n, pair, simple in zip(self.axes.shape(block.key), block.key, plain, strict=True)
        )
        return sides, tuple(self.axes.local(block.key, subsets)[0]), block.low is None and block.high is None

    def _places(self, shared: set[Key]) -> dict[Key, int]:
        starts, at = {}, 0
        for key in sorted(shared, key=self.axes.rank):
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

    def components(self, cells: Sequence[npt.NDArray[Any]], multipliers: Floats, means: bool = True) -> Floats:
        """The components of all blocks, one after the other, those of folded blocks last.

        Without `means`, what the multipliers change in the components of folded blocks.
        """
        found = np.empty(self.size)
        for stack, parts, here in zip(self.stacks, self.parts, cells, strict=True):
            for part, sums in zip(parts, stack.add(here), strict=True):
                found[part.where] = part.centred(sums.astype(np.float64, copy=False)).reshape(-1)
        found[self.own :] = self.spreads * multipliers[self.own :]
        if means:
            found[self.own :] += self.means
        return found

    def folded_distance(self, multipliers: Floats) -> float:
        """|x - y|**2 / (2 v) of all folded blocks."""
        return float(self.spreads @ multipliers[self.own :] ** 2) / 2 + self.scatter

    def spread(self, number: int, vector: Floats, dtype: Any = np.float64) -> npt.NDArray[Any] | float:
        """S' t of one stack."""
        parts = self.parts[number]
        if not parts:
            return 0.0
        given = [vector[part.where].reshape(part.shape).astype(dtype, copy=False) for part in parts]
        return self.stacks[number].spread(given)

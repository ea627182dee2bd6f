"""Blocks in stacks, and the components that blocks share.

The **component** of a grouping s is its sums, minus, along every axis, the mean of the groups that lie in one group of
the next coarser level. Two blocks that refine s have the same sums over s if and only if their components agree for s
and for all groupings that s refines. So an agreement stated by components is not stated twice. A **multiplier** is the
dual variable of one number of one component of one block.

Blocks of one shape with the same components are **stacked**: one array with one more axis in front, so that thousands
of small tables take as many steps as one table.

Margins of plain axes, without bounds and each with a single variance, are **folded**. All that they say of a component
is the mean of their components weighted by precision, so together they need one multiplier a number.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.reconcile.axes import Array, Axes, Key, along, sorted_by_group
from discreet.reconcile.fit_problem import Block
from discreet.reconcile.margins import Margins

SINGLE = 200_000
"""Cells of a block from which Newton steps are computed in single precision."""


class Stack:
    """Blocks of one shape with the same components, as arrays with one more axis in front.

    Parameters
    ----------
    axes
        The axes of all blocks.
    blocks
        The blocks, alike but for their numbers and for the names of their axes.
    components
        The keys of the components of the first block.

    Attributes
    ----------
    components
        The keys of the components, by the stack's own axes 0, 1, ...
    """

    def __init__(self, axes: Axes, blocks: Sequence[Block], components: Sequence[Key]) -> None:
        first = blocks[0]
        self.blocks = blocks
        self.shape = axes.shape(first.key)
        local_keys, labels = axes.local(first.key, components)
        self.margins = Margins(self.shape, local_keys, labels)
        full = tuple((axis, None) for axis in range(len(self.shape)))
        self._cells_are_component = full in local_keys
        self.components = ([full] if self._cells_are_component else []) + list(self.margins.keys)
        self.values = np.stack([block.values for block in blocks])
        self.variance = self._variance([block.variance for block in blocks])
        self.low = self._bound([block.low for block in blocks], -np.inf)
        self.high = self._bound([block.high for block in blocks], np.inf)
        self.dtype: Any = np.float32 if self.values[0].size >= SINGLE else np.float64

    def _variance(self, variances: Sequence[Floats]) -> Floats:
        """Return the variances as one array; one number a block if no block has two."""
        full = np.stack([np.broadcast_to(variance, self.shape) for variance in variances])
        flat = full.reshape(len(variances), -1)
        if (flat == flat[:, :1]).all():
            return flat[:, 0].reshape((len(variances), *(1 for _ in self.shape)))
        return full

    def _bound(self, bounds: Sequence[Floats | None], default: float) -> Floats | None:
        """Return the bounds as one array; None if no block has one."""
        if all(bound is None for bound in bounds):
            return None
        arrays = [np.asarray(default if bound is None else bound) for bound in bounds]
        if all(bound.ndim == 0 for bound in arrays):
            return np.array(arrays).reshape((len(arrays), *(1 for _ in self.shape)))
        return np.stack([np.broadcast_to(bound, self.shape) for bound in arrays])

    def add(self, cells: Array) -> list[Array]:
        """Return the sums of cells, in the order of `components`."""
        return ([cells] if self._cells_are_component else []) + self.margins.add(cells)

    def spread(self, numbers: Sequence[Array]) -> Array:
        """Return, for every cell, the sum of the numbers of all sums that contain it."""
        if not self._cells_are_component:
            return self.margins.spread(numbers)
        return numbers[0] + self.margins.spread(numbers[1:]) if len(numbers) > 1 else numbers[0]

    def clip(self, cells: Floats) -> Floats:
        """Return the cells clipped to their bounds."""
        if self.low is None and self.high is None:
            return cells
        return np.asarray(np.clip(cells, self.low, self.high))

    def inside(self, cells: Floats) -> Booleans | None:
        """Return which cells are strictly between their bounds; None if there are no bounds."""
        if self.low is None and self.high is None:
            return None
        inside = np.ones(cells.shape, dtype=bool)
        if self.low is not None:
            inside &= cells > self.low
        if self.high is not None:
            inside &= cells < self.high
        return inside


class _Siblings(NamedTuple):
    """The groups of a level that lie in one group of the next coarser level.

    Attributes
    ----------
    parents
        The coarser group that contains each group.
    order, starts
        The groups sorted by parent, and where the groups of each parent start.
    shares
        1 over the number of groups of each parent.
    """

    parents: Integers
    order: Integers
    starts: Integers
    shares: Floats


@dataclass(frozen=True)
class ComponentSlice:
    """One component of a stack in the vector of multipliers.

    Attributes
    ----------
    span
        Where its multipliers are.
    shape
        Blocks first, then the sides of the component.
    siblings
        For each side the groups whose mean is removed; None if that is the whole axis.
    """

    span: slice
    shape: tuple[int, ...]
    siblings: tuple[_Siblings | None, ...]

    @property
    def size(self) -> int:
        """Numbers of the component of one block."""
        return math.prod(self.shape[1:])

    def centred(self, values: Array) -> Array:
        """Return values minus the mean of their siblings, along every axis."""
        for dimension, siblings in enumerate(self.siblings, 1):
            if siblings is None:
                values = values - np.add.reduce(values, axis=dimension, keepdims=True) / values.shape[dimension]
            else:
                sums = np.add.reduceat(values.take(siblings.order, axis=dimension), siblings.starts, axis=dimension)
                means = sums * along(siblings.shares, dimension, values.ndim)
                values = values - means.take(siblings.parents, axis=dimension)
        return values


class Family:
    """All blocks of a problem, in stacks, and the components that they share.

    Attributes
    ----------
    tables
        The groupings that no other block refines.
    stacks, slices
        The stacks, and for each stack its components.
    component_index
        For every multiplier the number of its component; the multipliers of folded blocks are last.
    component_count
        How many numbers all components of all copies have.
    stacked
        How many multipliers belong to stacks.
    folded, folded_means, folded_variances
        The component numbers of folded blocks, their means, and the variances of the means.
    least_variance
        The least variance above 0.
    """

    def __init__(self, axes: Axes, blocks: Sequence[Block]) -> None:
        self.axes, self.blocks = axes, tuple(blocks)
        first_copy = [block for block in blocks if block.copy == 0]
        self.tables = axes.maximal([block.key for block in first_copy])
        self._components = _shared_components(axes, blocks)
        shared = {key for keys in self._components.values() for key in keys}
        self._starts: dict[Key, int] = {}
        self._copy_size = 0
        for key in sorted(shared, key=axes.rank):
            self._starts[key] = self._copy_size
            self._copy_size += axes.size(key)
        self.component_count = self._copy_size * (1 + max(block.copy for block in blocks))
        folded = [block for block in blocks if self._can_fold(block)]
        self.stacks, self.slices, index = self._stacked([block for block in blocks if not self._can_fold(block)])
        self._fold(folded)
        self.component_index = np.concatenate([index, self.folded])
        self.stacked = len(index)
        variances = [np.min(block.variance[block.variance > 0]) for block in blocks if (block.variance > 0).any()]
        self.least_variance = float(min(variances, default=1.0))

    def _can_fold(self, block: Block) -> bool:
        """Return True if a block is a margin of plain axes, without bounds, with one variance above 0."""
        bounded = block.low is not None or block.high is not None or block.key in self.tables
        plain = not any(self.axes.parents(axis, level).any() for axis, level in block.key)
        return not bounded and plain and block.variance.ndim == 0 and float(block.variance) > 0

    def _fold(self, blocks: Sequence[Block]) -> None:
        """Replace blocks by the mean of each component weighted by precision, and the variance of that mean."""
        stacks, slices, index = self._stacked(blocks)
        variances, components = np.empty(len(index)), np.empty(len(index))
        for stack, stack_slices in zip(stacks, slices, strict=True):
            for component, sums in zip(stack_slices, stack.add(stack.values), strict=True):
                cells = math.prod(stack.shape) / component.size
                variances[component.span] = np.broadcast_to(
                    stack.variance.reshape(-1, 1) * cells, (component.shape[0], component.size)
                ).reshape(-1)
                components[component.span] = component.centred(sums).reshape(-1)
        precision = np.bincount(index, 1 / variances, minlength=self.component_count)
        weighted = np.bincount(index, components / variances, minlength=self.component_count)
        means = weighted / np.maximum(precision, 1e-300)
        self.folded = np.flatnonzero(precision > 0)
        self.folded_means, self.folded_variances = means[self.folded], 1 / precision[self.folded]
        self._folded_scatter = 0.0
        for stack, stack_slices in zip(stacks, slices, strict=True):
            agreed = [
                means[index[component.span]].reshape(component.shape) / (math.prod(stack.shape) / component.size)
                for component in stack_slices
            ]
            self._folded_scatter += float(np.sum((stack.spread(agreed) - stack.values) ** 2 / stack.variance)) / 2

    def _stacked(self, blocks: Sequence[Block]) -> tuple[list[Stack], list[list[ComponentSlice]], Integers]:
        """Return blocks in stacks, the components of each stack, and the component number of each multiplier."""
        kinds: dict[Any, list[Block]] = {}
        for block in blocks:
            kinds.setdefault(self._kind(block), []).append(block)
        stacks: list[Stack] = []
        slices: list[list[ComponentSlice]] = []
        indices: list[Integers] = []
        start = 0
        for members in kinds.values():
            stack = Stack(self.axes, members, self._components[members[0].key])
            user_keys = []
            for block in members:
                keys = self._components[block.key]
                user_keys.append(dict(zip(self.axes.local(block.key, keys)[0], keys, strict=True)))
            stack_slices = []
            for local_key in stack.components:
                keys = [names[local_key] for names in user_keys]
                component = ComponentSlice(
                    slice(start, start + self.axes.size(keys[0]) * len(keys)),
                    (len(members), *self.axes.shape(keys[0])),
                    self._siblings(keys[0]),
                )
                for key, block in zip(keys, members, strict=True):
                    indices.append(self._starts[key] + self._copy_size * block.copy + np.arange(component.size))
                stack_slices.append(component)
                start = component.span.stop
            stacks.append(stack)
            slices.append(stack_slices)
        return stacks, slices, np.concatenate([*indices, np.empty(0, dtype=np.int64)])

    def _kind(self, block: Block) -> Any:
        """Return what blocks of one stack have in common. An axis with levels stacks only with itself."""
        plain = [level is None and not self.axes.parents(axis, level).any() for axis, level in block.key]
        sides = tuple(
            side if is_plain else (side, pair)
            for side, pair, is_plain in zip(self.axes.shape(block.key), block.key, plain, strict=True)
        )
        components = tuple(self.axes.local(block.key, self._components[block.key])[0])
        return sides, components, block.low is None and block.high is None

    def _siblings(self, key: Key) -> tuple[_Siblings | None, ...]:
        siblings: list[_Siblings | None] = []
        for axis, level in key:
            parents = self.axes.parents(axis, level)
            if parents.any():
                siblings.append(_Siblings(parents, *sorted_by_group(parents), 1 / np.bincount(parents)))
            else:
                siblings.append(None)
        return tuple(siblings)

    @cached_property
    def size(self) -> int:
        """The number of multipliers."""
        return len(self.component_index)

    def components(self, cells: Sequence[Array], multipliers: Floats, means: bool = True) -> Floats:
        """Return the components of all blocks one after the other, folded blocks last.

        Without `means`, the components of folded blocks are their changes by the multipliers alone.
        """
        components = np.empty(self.size)
        for stack, stack_slices, stack_cells in zip(self.stacks, self.slices, cells, strict=True):
            for component, sums in zip(stack_slices, stack.add(stack_cells), strict=True):
                components[component.span] = component.centred(sums.astype(np.float64, copy=False)).reshape(-1)
        components[self.stacked :] = self.folded_variances * multipliers[self.stacked :]
        if means:
            components[self.stacked :] += self.folded_means
        return components

    def folded_distance(self, multipliers: Floats) -> float:
        """Return |x - y|**2 / (2 v), summed over all folded blocks."""
        return float(self.folded_variances @ multipliers[self.stacked :] ** 2) / 2 + self._folded_scatter

    def spread(self, number: int, vector: Floats, dtype: Any = np.float64) -> Array | float:
        """Return S' t for one stack: for every cell the sum of the multipliers of all sums that contain it."""
        slices = self.slices[number]
        if not slices:
            return 0.0
        multipliers = [
            vector[component.span].reshape(component.shape).astype(dtype, copy=False) for component in slices
        ]
        return self.stacks[number].spread(multipliers)


def _shared_components(axes: Axes, blocks: Sequence[Block]) -> dict[Key, list[Key]]:
    """Return, for every block, the components that it shares with another block.

    A block without noise states only components that no larger block without noise has stated already.
    """
    first_copy = [block for block in blocks if block.copy == 0]
    below = {block.key: list(axes.below(block.key)) for block in first_copy}
    times = Counter(key for block in first_copy for key in below[block.key])
    noisy = {block.key for block in blocks if (block.variance > 0).any()}
    stated: set[Key] = set()
    components = {}
    for block in sorted(first_copy, key=lambda block: -axes.size(block.key)):
        keys = [key for key in below[block.key] if times[key] > 1]
        if block.key not in noisy:
            keys = [key for key in keys if key not in stated]
            stated.update(keys)
        components[block.key] = keys
    return components

"""The exact variance of least squares without bounds, over the cells of a grouping that is measured or not.

Let at most one axis have nested levels l = 0 (all of it), 1, ..., with groups of any sizes; the other axes are plain.
Let s be a set of plain axes. The component of s is the sums over s, minus the mean along every axis of s. The measured
groupings (l, g) with s within g give the component of s at each node of level l the precision

    w = sum over (l, g) of 1 / (v N(g minus s)),      N(r) the product of the sides of the axes in r.

The noise has the same variance in every direction of a component. So each component is a tree of its own with these
precisions, and the least squares of a tree is exact. Up the tree, with Q the sum of 1/p over the children:

    p = w + 1/Q,  and p = w at a leaf.

Down the tree, the variance at the root is 1/p, and at a child

    1/p - (1/p)**2 / Q + ((1/p) / Q)**2 (variance at its parent).

A cell of the grouping (l, g) has the variance

    sum over s within g of (variance at its node for s) prod over a in s of (1 - 1/n_a) / N(g minus s)**2.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain, combinations, pairwise

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.fit_problem import Block

Pair = tuple[int, Hashable]


def variances(axes: Axes, blocks: Sequence[Block], others: Sequence[Key] = ()) -> dict[Key, tuple[float, float]] | None:
    """Return the mean and the largest variance of the cells of every block; None if the formula does not hold.

    The formula holds if at most one axis has several levels, these nest, and variances differ along that axis only.

    Parameters
    ----------
    axes, blocks
        The measured groupings.
    others
        Further groupings, each of which a measured grouping refines.
    """
    keys = [*(block.key for block in blocks), *others]
    levels = _nested_levels(axes, keys)
    if levels is None:
        return None
    tree = _Tree(axes, levels)
    precisions: dict[tuple[int, Key], Floats] = {}
    for block in blocks:
        variance = _variance_by_node(block, tree.dimension(block.key))
        if variance is None:
            return None
        precision = np.divide(1.0, variance, out=np.full_like(variance, np.inf), where=variance > 0)
        precisions[tree.level_and_plain_axes(block.key)] = precision
    sides = {pair: axes.groups(*pair) for key in keys for pair in key}
    by_component: dict[Key, list[Floats]] = {}
    by_key = {}
    for key in keys:
        level, plain = tree.level_and_plain_axes(key)
        mean, by_node = 0.0, np.zeros(1)
        for component in chain.from_iterable(combinations(plain, size) for size in range(len(plain) + 1)):
            if component not in by_component:
                by_component[component] = tree.variances(_precisions_by_level(component, precisions, sides))
            share = math.prod(1 - 1 / sides[pair] for pair in component)
            rest = math.prod(sides[pair] for pair in plain if pair not in component)
            mean += float(np.mean(by_component[component][level])) * share / rest**2
            by_node = by_node + by_component[component][level] * share / rest**2
        by_key[key] = mean, float(by_node.max())
    return by_key


def _precisions_by_level(
    component: Key, precisions: Mapping[tuple[int, Key], Floats], sides: Mapping[Pair, int]
) -> dict[int, Floats]:
    """Return w of a component at every node, by level."""
    by_level: dict[int, Floats] = {}
    for (level, plain), precision in precisions.items():
        if set(component) <= set(plain):
            rest = math.prod(sides[pair] for pair in plain if pair not in component)
            by_level[level] = by_level.get(level, np.zeros(1)) + precision / rest
    return by_level


def _nested_levels(axes: Axes, keys: Sequence[Key]) -> list[Pair] | None:
    """Return the levels of the axis that has several, from coarse to fine; nothing if no axis has several.

    Return None if two axes have several levels, or if the levels do not nest.
    """
    used: dict[int, set[Hashable]] = {}
    for key in keys:
        for axis, level in key:
            used.setdefault(axis, set()).add(level)
    several = [axis for axis, levels in used.items() if len(levels) > 1]
    if len(several) > 1:
        return None
    if not several:
        return []
    axis = several[0]
    pairs = [(axis, level) for level in sorted(used[axis], key=lambda level: axes.groups(axis, level))]
    nested = all(axes.refines((fine,), (coarse,)) for coarse, fine in pairwise(pairs))
    return pairs if nested else None


def _variance_by_node(block: Block, dimension: int | None) -> Floats | None:
    """Return the variance at every node of the tree, which is one dimension of the block.

    Return None if the variance differs within a node.
    """
    variance = np.asarray(block.variance, dtype=np.float64)
    if variance.ndim == 0 or dimension is None:
        return variance.reshape(-1)[:1] if (variance == variance.flat[0]).all() else None
    by_node = np.moveaxis(variance, dimension, 0).reshape(variance.shape[dimension], -1)
    return by_node[:, 0].copy() if (by_node == by_node[:, :1]).all() else None


class _Tree:
    """The nested levels of one axis; level 0 is the root."""

    def __init__(self, axes: Axes, pairs: Sequence[Pair]) -> None:
        self._level = {pair: number for number, pair in enumerate(pairs, 1)}
        self._sizes = [1, *(axes.groups(*pair) for pair in pairs)]
        self._parents: list[Integers] = [np.zeros(0, dtype=np.int64)]
        for coarse, fine in zip([(), *((pair,) for pair in pairs)], pairs, strict=False):
            self._parents.append(axes.containing_cells((fine,), coarse))

    def level_and_plain_axes(self, key: Key) -> tuple[int, Key]:
        """Return the level of a grouping, and its plain axes."""
        level = max((self._level.get(pair, 0) for pair in key), default=0)
        return level, tuple(pair for pair in key if pair not in self._level)

    def dimension(self, key: Key) -> int | None:
        """Return which dimension of a grouping is the axis of the tree; None if no dimension is."""
        return next((number for number, pair in enumerate(key) if pair in self._level), None)

    def variances(self, precisions: Mapping[int, Floats]) -> list[Floats]:
        """Return the variance at every node, by level, down to the finest level that has precisions."""
        last = max(precisions, default=0)
        own = [np.broadcast_to(precisions.get(level, np.zeros(1)), (self._sizes[level],)) for level in range(last + 1)]
        upward: list[Floats] = [np.empty(0)] * (last + 1)  # 1/p
        sums: list[Floats] = [np.empty(0)] * (last + 1)  # Q
        with np.errstate(divide="ignore"):
            upward[last] = 1 / own[last]
            for level in range(last - 1, -1, -1):
                children = np.bincount(self._parents[level + 1], upward[level + 1], minlength=self._sizes[level])
                sums[level] = children.astype(np.float64)
                upward[level] = 1 / (own[level] + 1 / sums[level])
        variances = [upward[0]]
        for level in range(1, last + 1):
            parent_sums, variance = sums[level - 1][self._parents[level]], upward[level]
            share = np.divide(variance, parent_sums, out=np.zeros_like(variance), where=parent_sums > 0)
            variances.append(variance * (1 - share) + share**2 * variances[-1][self._parents[level]])
        return variances

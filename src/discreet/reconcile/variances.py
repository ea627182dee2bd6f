"""The exact variance of least squares without bounds, on average over the cells of a grouping.

Let one axis at most have nested levels, l = 0 (all of it), 1, ..., with groups of any sizes; the other axes are plain.
For a set s of plain axes, the measured groupings (l, g) with s within g give the component of s (the sums over s, minus
the mean along every axis of s) at each node of level l the precision

    w = sum over (l, g) of 1 / (v N(g minus s)),      N(r) the product of the sides of the axes in r.

The noise is alike in every direction of the component, so the least squares of a tree with these precisions is exact,
each s by itself. Up the tree, Q being the sum of 1/p over the children: p = w + 1/Q, and p = w at a leaf. Down:
variance at the root 1/p, at a child 1/p - (1/p)**2 / Q + ((1/p) / Q)**2 (variance of its parent). A cell of the
grouping (l, g) has the sum over s within g of (variance at its node for s) prod over a in s of (1 - 1/n_a) /
N(g minus s)**2.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.blocks import Block

Pair = tuple[int, Hashable]


def variances(axes: Axes, blocks: Sequence[Block]) -> dict[Key, float] | None:
    """The mean variance of the cells of every block; None where the formula does not hold.

    It holds where one axis at most has several levels, which nest, and variances differ along that axis only.
    """
    deep = _deep(axes, blocks)
    if deep is None:
        return None
    tree = _Tree(axes, deep)
    precisions: dict[tuple[int, tuple[Pair, ...]], Floats] = {}
    for block in blocks:
        level, plain = tree.place(block.key)
        spread = _by_node(block, tree.axis(block.key))
        if spread is None:
            return None
        precisions[level, plain] = np.divide(1.0, spread, out=np.full_like(spread, np.inf), where=spread > 0)
    sides = {pair: axes.groups(*pair) for block in blocks for pair in block.key}
    found: dict[tuple[Pair, ...], list[Floats]] = {}
    result = {}
    for block in blocks:
        level, plain = tree.place(block.key)
        mean = 0.0
        for size in range(len(plain) + 1):
            for part in combinations(plain, size):
                if part not in found:
                    found[part] = tree.variances(_weights(part, precisions, sides))
                share = math.prod(1 - 1 / sides[pair] for pair in part)
                rest = math.prod(sides[pair] for pair in plain if pair not in part)
                mean += float(np.mean(found[part][level])) * share / rest**2
        result[block.key] = mean
    return result


def _weights(
    part: tuple[Pair, ...],
    precisions: Mapping[tuple[int, tuple[Pair, ...]], Floats],
    sides: Mapping[Pair, int],
) -> dict[int, Floats]:
    """The precision of a component at every node, by level."""
    found: dict[int, Floats] = {}
    for (level, plain), precision in precisions.items():
        if set(part) <= set(plain):
            rest = math.prod(sides[pair] for pair in plain if pair not in part)
            found[level] = found.get(level, np.zeros(1)) + precision / rest
    return found


def _deep(axes: Axes, blocks: Sequence[Block]) -> list[Pair] | None:
    """The levels of the axis that has several, from coarse to fine; None where there are two such axes, or no nest."""
    used: dict[int, set[Hashable]] = {}
    for block in blocks:
        for axis, level in block.key:
            used.setdefault(axis, set()).add(level)
    several = [axis for axis, levels in used.items() if len(levels) > 1]
    if len(several) > 1:
        return None
    if not several:
        return []
    axis = several[0]
    chain = [(axis, level) for level in sorted(used[axis], key=lambda level: axes.groups(axis, level))]
    nested = all(axes.refines((fine,), (coarse,)) for coarse, fine in pairwise(chain))
    return chain if nested else None


def _by_node(block: Block, along: int | None) -> Floats | None:
    """The variance at every node of the tree; None where it differs within a node."""
    spread = np.asarray(block.variance, dtype=np.float64)
    if spread.ndim == 0 or along is None:
        return spread.reshape(-1)[:1] if (spread == spread.flat[0]).all() else None
    lines = np.moveaxis(spread, along, 0).reshape(spread.shape[along], -1)
    return lines[:, 0].copy() if (lines == lines[:, :1]).all() else None


class _Tree:
    """The levels of one axis; level 0 is the root."""

    def __init__(self, axes: Axes, chain: Sequence[Pair]) -> None:
        self._level = {pair: number for number, pair in enumerate(chain, 1)}
        self._sizes = [1, *(axes.groups(*pair) for pair in chain)]
        self._parents: list[Integers] = [np.zeros(0, dtype=np.int64)]
        for coarse, fine in zip([(), *((pair,) for pair in chain)], chain, strict=False):
            self._parents.append(axes.owners((fine,), coarse))

    def place(self, key: Key) -> tuple[int, tuple[Pair, ...]]:
        """The level of a grouping, and its plain axes."""
        level = max((self._level.get(pair, 0) for pair in key), default=0)
        return level, tuple(pair for pair in key if pair not in self._level)

    def axis(self, key: Key) -> int | None:
        """Which axis of a grouping is that of the tree."""
        return next((at for at, pair in enumerate(key) if pair in self._level), None)

    def variances(self, weights: Mapping[int, Floats]) -> list[Floats]:
        """The variance at every node, by level, down to the finest level that has weights."""
        last = max(weights, default=0)
        own = [np.broadcast_to(weights.get(level, np.zeros(1)), (self._sizes[level],)) for level in range(last + 1)]
        spread: list[Floats] = [np.empty(0)] * (last + 1)  # 1/p
        sums: list[Floats] = [np.empty(0)] * (last + 1)  # Q
        with np.errstate(divide="ignore"):
            spread[last] = 1 / own[last]
            for level in range(last - 1, -1, -1):
                children = np.bincount(self._parents[level + 1], spread[level + 1], minlength=self._sizes[level])
                sums[level] = children.astype(np.float64)
                spread[level] = 1 / (own[level] + 1 / sums[level])
        found = [spread[0]]
        for level in range(1, last + 1):
            above, each = sums[level - 1][self._parents[level]], spread[level]
            share = np.divide(each, above, out=np.zeros_like(each), where=above > 0)
            found.append(each * (1 - share) + share**2 * found[-1][self._parents[level]])
        return found

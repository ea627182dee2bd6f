"""The coefficients of the measurements in sums over products of groups, without an array of all cells.

A cell of a coarser table is a sum over a product A_1 x ... x A_k: some groups of every axis of a published grouping.
Its estimate is linear in the measurements (`joint_estimates`). By symmetry, the coefficient of a measured cell depends
on its node in the tree of levels, and for every plain axis i only on whether the cell is in A_i. So each plain axis of
n groups is replaced by two classes, "in" with |A_i| groups and "out" with n - |A_i| groups. With h_i = 1 in A_i, minus
the mean |A_i| / n, the right hand side of component s is

    (product of |A_i| over plain axes i outside s) (product of h_i over i in s)

times the nodes in the sum. The equations of every component are those of `joint_estimates`, with 2 columns an axis in
place of n. A release of a million cells with three axes has 27 columns in all.

The law of the error depends on the sizes of the A_i, and on the nodes up to a symmetry of the tree. `kind_of_nodes` is
equal for sets of nodes that a symmetry maps to each other.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.reconcile.joint_estimates import ComponentEstimates, Plain

WeightedTerms = list[tuple[int, Floats, Floats]]
"""Numbers of tables of noise, each with coefficients, and how many measured cells have each coefficient."""


def coefficients_of_product(estimates: ComponentEstimates, index: int, groups: Sequence[Integers]) -> WeightedTerms:
    """Return the coefficients of the measurements in the estimate of a sum of cells of one grouping.

    Parameters
    ----------
    estimates
        The estimates of the part of the grouping.
    index
        The index of the grouping.
    groups
        For every axis of the grouping, the indices of the groups in the sum.
    """
    shapes = estimates.shapes
    level, plain = shapes.level_and_plain(index)
    nodes, sizes = _nodes_and_sizes(estimates, index, groups)
    marked = np.zeros(shapes.tree.sizes[level])
    marked[nodes] = 1.0
    solved = {}
    for size in range(len(plain) + 1):
        for component in combinations(plain, size):
            times = math.prod(sizes[axis] for axis in plain if axis not in component)
            right = marked * times / shapes.rest(plain, component)
            for axis in component:
                share = sizes[axis] / shapes.side_of[axis]
                right = np.multiply.outer(right, np.array([1 - share, -share]))
            solved[component] = estimates.solve(component, {level: right})
    return [
        (block.table, *_block_terms(estimates, block.level, block.plain, block.weights, sizes, solved))
        for block in estimates.blocks
    ]


def _block_terms(
    estimates: ComponentEstimates,
    level: int,
    block_plain: Plain,
    weights: Floats,
    sizes: Mapping[int, int],
    solved: Mapping[Plain, Sequence[Floats]],
) -> tuple[Floats, Floats]:
    """Return coefficients of the cells of a measured grouping, and their numbers."""
    shapes = estimates.shapes
    shared = tuple(axis for axis in block_plain if axis in sizes)
    values = np.zeros((len(weights), *(2 for _ in shared)))
    for component, by_level in solved.items():
        if set(component) <= set(shared):
            sides = [2 if axis in component else 1 for axis in shared]
            values = values + by_level[level].reshape(-1, *sides) / shapes.rest(block_plain, component)
    values = values * weights.reshape(-1, *(1 for _ in shared))
    number: Floats = np.full(1, float(shapes.rest(block_plain, shared)))
    for axis in shared:
        number = np.multiply.outer(number, np.array([sizes[axis], shapes.side_of[axis] - sizes[axis]], dtype=float))
    numbers = np.broadcast_to(number.reshape(1, *(2 for _ in shared)), values.shape)
    present = weights > 0
    return values[present].reshape(-1), numbers[present].reshape(-1)


def kind_of_nodes(estimates: ComponentEstimates, index: int, nodes: Integers) -> Hashable:
    """Return a value that is equal for sets of nodes of a level that a symmetry of the tree maps to each other.

    Parameters
    ----------
    estimates, index
        As in `coefficients_of_product`.
    nodes
        Different groups of the axis with levels, or of an axis that has one group.
    """
    tree, kinds = estimates.shapes.tree, estimates.kinds_of_nodes
    level, _ = estimates.shapes.level_and_plain(index)
    if len(nodes) == tree.sizes[level]:
        return "all"
    below: dict[int, Hashable] = {node: int(kinds[level][node]) for node in nodes.tolist()}
    for number in range(level, 0, -1):
        families: dict[int, list[Hashable]] = {}
        for node, kind in below.items():
            families.setdefault(int(tree.parents[number][node]), []).append(kind)
        below = {
            parent: (int(kinds[number - 1][parent]), tuple(sorted(family, key=repr)))
            for parent, family in families.items()
        }
    return below[0]


def kind_of_axis(estimates: ComponentEstimates, index: int, axis: int, groups: Integers) -> Hashable:
    """Return a value that is equal for sets of groups of an axis that lead to the same law of the error of a sum.

    Parameters
    ----------
    estimates, index
        As in `coefficients_of_product`.
    axis
        The number of the axis in the grouping.
    groups
        The indices of the groups in the sum.
    """
    of_part, _ = estimates.shapes.part.keys[index][axis]
    if of_part == estimates.shapes.tree.axis:
        return kind_of_nodes(estimates, index, groups)
    return len(groups)


def _nodes_and_sizes(
    estimates: ComponentEstimates, index: int, groups: Sequence[Integers]
) -> tuple[Integers, dict[int, int]]:
    """Return the nodes in the sum, and for every plain axis with several groups the number of groups in the sum."""
    tree = estimates.shapes.tree
    nodes, sizes = np.zeros(1, dtype=np.int64), {}
    for (axis, _), own in zip(estimates.shapes.part.keys[index], groups, strict=True):
        if axis == tree.axis:
            nodes = np.asarray(own)
        elif axis in estimates.shapes.side_of:
            sizes[axis] = len(own)
    return nodes, sizes

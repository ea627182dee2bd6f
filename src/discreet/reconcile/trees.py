"""Make the counts of a hierarchy (country, state, county) add up.

**Least squares.** x = argmin of sum (y_i - x_i)**2 / v_i over all nodes, subject to x >= 0 and to every x_i being the
sum of its children's. Without x >= 0 two passes solve it exactly. With s and v_s the sums of the children's z and v,

    up:     z_i = (v_s y_i + v_i s) / (v_i + v_s),   v_i <- v_i v_s / (v_i + v_s);
    down:   x_c = z_c + (x_i - s) v_c / v_s.

A node that is not measured has v = inf; a node with a fixed value has v = 0. For x >= 0, leaves that come out negative
are set to 0, and the passes are repeated without them until no leaf is negative. That is the exact minimum: the
quadratic form sum 1/v_i 1_i 1_i' of a tree is an ultrametric matrix, its inverse is therefore an M-matrix (Martinez,
Michon and San Martin 1994), and for an M-matrix a leaf once set to 0 stays there (Chandrasekaran 1970).

**Integers.** From the roots down, every x is rounded down or up, and the children of a node share its integer by
largest remainders. As x adds up and is not negative, this is always possible: every node ends within 1 of its
least-squares value, and fixed values are met exactly.

**Order.** Nodes are first sorted by their contents (`tree_order`), so the result does not depend on the order in which
nodes are given.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import arrays
from discreet.arrays import Booleans, Floats, Integers
from discreet.errors import InputError, ParameterError
from discreet.exact import is_integer
from discreet.reconcile import apportion, tie_breaking
from discreet.reconcile.tree_order import TreeOrder, nodes_by_level, tree_order

NodeName = Callable[[int], str]
"""How error messages name a node, from its index."""


def tree(
    counts: npt.ArrayLike,
    parent: npt.ArrayLike,
    *,
    variance: float | Sequence[float] | Floats | Mapping[int, float] | None = None,
    fixed: Mapping[int, int] | None = None,
    seed: int | None = None,
) -> Integers:
    """Return non-negative integers that add up, from the noisy counts of all nodes of one or several trees.

    Parameters
    ----------
    counts
        The noisy integer of every node, in any order.
    parent
        The index of every node's parent; -1 for a root.
    variance
        The variance of the noise: one number, one a node, or one a level. Levels are a mapping from depth (a root has
        depth 0), or a sequence as long as there are levels. inf marks a node that was not measured; leaves must be
        measured. Only ratios matter. None: all are equal.
    fixed
        Values that are public from elsewhere and are met exactly, by node.
    seed
        An integer from 0 that decides ties. None takes a fresh one.

    Returns
    -------
    numpy.ndarray
        One int64 a node. Every node with children is their sum.

    Raises
    ------
    InputError
        Counts are not integers, or parents are not a tree.
    ParameterError
        Variances or fixed values are not what they should be, or fixed values contradict each other.

    Examples
    --------
    A country, two states, and three counties of which the last two are in the second state:

    >>> import discreet as dc
    >>> noisy, parent = [103, 40, 61, 41, 36, 22], [-1, 0, 0, 1, 2, 2]
    >>> dc.reconcile.tree(noisy, parent, seed=1).tolist()
    [102, 41, 61, 41, 37, 24]
    >>> dc.reconcile.tree(noisy, parent, fixed={0: 100}, seed=1).tolist()
    [100, 40, 60, 40, 37, 23]
    """
    return fit_tree(counts, parent, variance, fixed, seed)[0]


def fit_tree(
    counts: Any, parent: Any, variance: Any, fixed: Any, seed: int | None, name: NodeName = str
) -> tuple[Integers, Floats, Floats]:
    """Return the integers of `tree`, their least-squares values, and least squares without bounds.

    Parameters
    ----------
    counts, parent, variance, fixed, seed
        As for `tree`.
    name
        How error messages name a node.

    Raises
    ------
    InputError, ParameterError
        As for `tree`.
    """
    noisy, parents = _nodes(counts, parent)
    levels = nodes_by_level(parents, name)
    variances = _variances(variance, levels, parents, name)
    known = _known(fixed, len(noisy), name)
    order = tree_order(levels, parents, noisy, variances, known)
    sorted_noisy, sorted_variances, sorted_known = noisy[order.nodes], variances[order.nodes], known[order.nodes]
    bounds = _bounds(order, sorted_known, name)
    arrays.require_summable(sorted_noisy[order.leaf], "the counts of the leaves")
    free = least_squares(order, sorted_noisy, sorted_variances, sorted_known, bounded=False)
    real = least_squares(order, sorted_noisy, sorted_variances, sorted_known)
    result, real_in_order, free_in_order = np.empty_like(noisy), np.empty(len(noisy)), np.empty(len(noisy))
    result[order.nodes] = _rounded(order, real, bounds, tie_breaking.key(seed))
    real_in_order[order.nodes], free_in_order[order.nodes] = real, free
    return result, real_in_order, free_in_order


def _nodes(counts: Any, parent: Any) -> tuple[Integers, Integers]:
    noisy, parents = arrays.integers(counts, "counts"), arrays.integers(parent, "parent")
    if noisy.ndim != 1 or noisy.shape != parents.shape or not len(noisy):
        raise InputError(
            f"counts have the shape {noisy.shape} and parent has {parents.shape}; give one of each for every node"
        )
    wrong = (parents < -1) | (parents >= len(parents))
    if wrong.any():
        node = int(np.argmax(wrong))
        raise InputError(
            f"node {node} has the parent {parents[node]}, which is no node; give an index from 0 to {len(parents) - 1},"
            " or -1 for a root"
        )
    return noisy, parents


def _variances(variance: Any, levels: list[Integers], parents: Integers, name: NodeName) -> Floats:
    """Return the variance of every node."""
    size = len(parents)
    if isinstance(variance, Mapping):
        if set(variance) != set(range(len(levels))):
            raise ParameterError(f"variance has levels {list(variance)}; the tree has levels 0 to {len(levels) - 1}")
        variance = [variance[depth] for depth in range(len(levels))]
    variances = arrays.noise_variances(1.0 if variance is None else variance, "variance")
    if variances.ndim == 0:
        variances = np.full(size, float(variances))
    elif variances.shape == (len(levels),) and len(levels) != size:
        by_level, variances = variances, np.empty(size)
        for nodes, value in zip(levels, by_level, strict=True):
            variances[nodes] = value
    elif variances.shape != (size,):
        raise ParameterError(
            f"variance has the shape {variances.shape}; give one number, or one for each of {size} nodes or"
            f" {len(levels)} levels"
        )
    leaf = np.ones(size, dtype=bool)
    leaf[parents[parents >= 0]] = False
    if not np.isfinite(variances[leaf]).all():
        node = int(np.flatnonzero(leaf & ~np.isfinite(variances))[0])
        raise ParameterError(f"node {name(node)} is a leaf that was not measured (its variance is inf); leave it out")
    return variances


def _known(fixed: Any, size: int, name: NodeName) -> Integers:
    """Return the fixed value of every node, -1 for nodes that are not fixed."""
    known = np.full(size, -1, dtype=np.int64)
    fixed = {} if fixed is None else fixed
    if not isinstance(fixed, Mapping):
        raise ParameterError(f"fixed is {fixed!r:.60}; give values by node, {{0: 1000}}")
    for node, value in fixed.items():
        if not is_integer(node) or not 0 <= int(node) < size:
            raise ParameterError(f"fixed names the node {node!r:.60}; nodes are indices 0 to {size - 1}")
        known[node] = arrays.fixed_value(value, f"node {name(node)}")
    return known


def least_squares(
    order: TreeOrder, noisy: Integers, variances: Floats, known: Integers, *, bounded: bool = True
) -> Floats:
    """Return the least-squares values of all nodes: additive, with fixed values met.

    Parameters
    ----------
    order
        The sorted nodes. All other arrays are in that order.
    noisy, variances
        The measurements and their variances.
    known
        The fixed values, -1 for nodes that are not fixed.
    bounded
        Values are not negative.
    """
    fixed = known >= 0
    centre = np.where(fixed, known, noisy).astype(np.float64)
    own_variances = np.where(fixed, 0.0, variances)
    free = order.leaf.copy()
    if not bounded:
        return _two_passes(order, centre, own_variances, fixed, free)
    free &= ~_below_zero(order, known)
    while True:
        fitted = _two_passes(order, centre, own_variances, fixed, free)
        negative = free & (fitted < 0) & ~fixed
        if not negative.any():
            break
        free &= ~negative
    fitted[fixed] = known[fixed]
    return np.maximum(fitted, 0.0)


def _two_passes(order: TreeOrder, centre: Floats, own_variances: Floats, fixed: Booleans, free: Booleans) -> Floats:
    """Return least squares without bounds; leaves that are not free are 0.

    `trust` is the weight of a node's own number against the sum of its children's.
    """
    values = np.where(free | fixed, centre, 0.0)
    variances = np.where(free, own_variances, 0.0)
    sums_by_depth = []
    for depth in reversed(range(len(order.inner))):
        nodes, children = order.inner[depth], order.level(depth + 1)
        sums = np.add.reduceat(values[children], order.starts[depth])
        sum_variances = np.add.reduceat(variances[children], order.starts[depth])
        total_variances = own_variances[nodes] + sum_variances
        trust = np.divide(sum_variances, total_variances, out=np.zeros_like(sums), where=sum_variances > 0)
        values[nodes] = np.where(fixed[nodes], centre[nodes], sums + trust * (centre[nodes] - sums))
        variances[nodes] = np.where(fixed[nodes], 0.0, sum_variances * (1 - trust))
        sums_by_depth.append((sums, sum_variances))
    for depth, (sums, sum_variances) in enumerate(reversed(sums_by_depth)):
        children = order.level(depth + 1)
        missing = values[order.inner[depth]] - sums
        shares = np.divide(missing, sum_variances, out=np.zeros_like(sums), where=sum_variances > 0)
        values[children] += order.for_children(depth, shares) * variances[children]
    return values


def _below_zero(order: TreeOrder, known: Integers) -> Booleans:
    """Return which nodes are fixed at 0, or are below a node that is."""
    closed: Booleans = known == 0
    if closed.any():
        for depth in range(1, len(order.edges) - 1):
            closed[order.level(depth)] |= order.for_children(depth - 1, closed[order.inner[depth - 1]])
    return closed


def _bounds(order: TreeOrder, known: Integers, name: NodeName) -> tuple[Integers, Integers]:
    """Return the lowest and the highest value of each node that the fixed values below it allow.

    Raise ParameterError if a fixed value is outside these bounds.
    """
    lowest = np.where(known >= 0, known, 0)
    highest = np.where((known >= 0) | ~order.leaf, known, arrays.LARGEST_SUM * 2)
    for depth in reversed(range(len(order.inner))):
        nodes, children = order.inner[depth], order.level(depth + 1)
        least = np.add.reduceat(lowest[children], order.starts[depth])
        most_float = np.add.reduceat(highest[children].astype(np.float64), order.starts[depth])
        most = np.minimum(most_float, 2.0**62).astype(np.int64)
        value = known[nodes]
        for wrong, bound, word in ((least > value, least, "at least"), (most < value, most, "at most")):
            wrong = wrong & (value >= 0)
            if wrong.any():
                index = int(np.argmax(wrong))
                raise ParameterError(
                    f"fixed contradicts itself: node {name(int(order.nodes[nodes[index]]))} is fixed at {value[index]},"
                    f" and its descendants add up to {word} {bound[index]}; correct one of them"
                )
        lowest[nodes] = np.where(value >= 0, value, least)
        highest[nodes] = np.where(value >= 0, value, most)
    return lowest, highest


def _rounded(order: TreeOrder, fitted: Floats, bounds: tuple[Integers, Integers], seed_key: int) -> Integers:
    """Return the integers: roots are rounded, and children share the integer of their parent."""
    lowest, highest = bounds
    priority = tie_breaking.priorities(seed_key, len(fitted))
    result = np.empty(len(fitted), dtype=np.int64)
    roots = order.level(0)
    result[roots] = np.rint(fitted[roots])
    for depth in range(len(order.inner)):
        children = order.level(depth + 1)
        result[children] = apportion.largest_remainders(
            fitted[children],
            order.starts[depth],
            result[order.inner[depth]],
            priority[children],
            lowest[children],
            highest[children],
        )
    return result

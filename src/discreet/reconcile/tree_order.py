"""The nodes of a hierarchy, level by level, in an order that depends on their contents only.

Nodes are sorted by level, then by parent, then by a hash of count, variance, fixed value and descendants:

    content of a node = mix(hash of count + hash of variance + hash of fixed value + sum over children of mix(content))

A sum of hashes does not depend on the order of the children. So ties that are decided by the index of a node do not
depend on the order in which nodes are given. Only nodes that agree in all of these are told apart by their given order,
and to exchange them changes nothing but their names.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.errors import InputError
from discreet.reconcile import tie_breaking
from discreet.reconcile.axes import Array

LISTED = 8
"""Nodes of a circle that an error message shows at most."""


@dataclass(frozen=True)
class TreeOrder:
    """Nodes sorted by level, siblings together.

    Attributes
    ----------
    nodes
        The user's index of the node at each sorted index.
    edges
        The sorted index at which each level starts, and the end.
    inner
        For each level, the sorted indices of its nodes that have children.
    starts
        For each level, where the children of those nodes start in the next level.
    leaf
        Whether a node has no children.
    """

    nodes: Integers
    edges: Integers
    inner: list[Integers]
    starts: list[Integers]
    leaf: Booleans

    def level(self, depth: int) -> slice:
        """Return the sorted indices of a level."""
        return slice(int(self.edges[depth]), int(self.edges[depth + 1]))

    def for_children(self, depth: int, values: Array) -> Array:
        """Return one value for each inner node of a level, repeated for each of its children."""
        children = self.level(depth + 1)
        return np.repeat(values, np.diff(self.starts[depth], append=children.stop - children.start))


def nodes_by_level(parents: Integers, name: Callable[[int], str] = str) -> list[Integers]:
    """Return the nodes of each depth; roots have depth 0.

    Raise InputError if a node reaches no root, because parents form a circle. `name` names a node in messages.
    """
    is_sorted = bool((parents[1:] >= parents[:-1]).all())
    by_parent = np.arange(len(parents)) if is_sorted else np.argsort(parents, kind="stable")
    child_counts = np.bincount(parents + 1, minlength=len(parents) + 1)
    first_child = np.cumsum(child_counts)[:-1]
    root_count, child_counts = child_counts[0], child_counts[1:]
    levels = []
    nodes = by_parent[:root_count]
    while len(nodes):
        levels.append(nodes)
        sizes = child_counts[nodes]
        ends = np.cumsum(sizes)
        within = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
        nodes = by_parent[np.repeat(first_child[nodes], sizes) + within]
    if sum(map(len, levels)) < len(parents):
        raise InputError(
            f"the parents form a circle ({_circle(parents, levels, name)}); make one of these nodes a root"
        )
    return levels


def _circle(parents: Integers, levels: list[Integers], name: Callable[[int], str]) -> str:
    """Return the nodes of a circle among the nodes that reach no root, as text."""
    reached = np.zeros(len(parents), dtype=bool)
    reached[np.concatenate([*levels, np.empty(0, dtype=np.int64)])] = True
    node = int(np.argmin(reached))
    walk = {node: 0}
    while (node := int(parents[node])) not in walk:
        walk[node] = len(walk)
    circle = [*list(walk)[walk[node] :], node]
    return " -> ".join(map(name, circle[:LISTED])) + (" ..." if len(circle) > LISTED else "")


def tree_order(
    levels: list[Integers], parents: Integers, noisy: Integers, variances: Floats, known: Integers
) -> TreeOrder:
    """Return the nodes sorted by level, parent and contents.

    Parameters
    ----------
    levels
        The nodes of each depth.
    parents, noisy, variances, known
        For every node its parent, measurement, variance, and fixed value or -1.
    """
    content = _content_hashes(levels, parents, noisy, variances, known)
    sorted_index = np.empty(len(parents), dtype=np.int64)
    order: list[Integers] = []
    inner: list[Integers] = []
    starts: list[Integers] = []
    start = 0
    for nodes in levels:
        parent_bits = len(order[-1]).bit_length() if start else 0
        code = content[nodes] >> np.uint64(parent_bits)
        if start:
            parent_rank = sorted_index[parents[nodes]] - (start - len(order[-1]))
            code |= parent_rank.astype(np.uint64) << np.uint64(64 - parent_bits)
        nodes = nodes[np.argsort(code, kind="stable")]
        sorted_index[nodes] = np.arange(start, start + len(nodes))
        if start:
            sorted_parents = sorted_index[parents[nodes]]
            first_children = np.flatnonzero(np.diff(sorted_parents, prepend=-1))
            inner.append(sorted_parents[first_children])
            starts.append(first_children)
        order.append(nodes)
        start += len(nodes)
    leaf = np.ones(len(parents), dtype=bool)
    leaf[np.concatenate([*inner, np.empty(0, dtype=np.int64)])] = False
    return TreeOrder(np.concatenate(order), np.cumsum([0, *map(len, order)]), inner, starts, leaf)


def _content_hashes(
    levels: list[Integers], parents: Integers, noisy: Integers, variances: Floats, known: Integers
) -> tie_breaking.Words:
    """Return a hash of every node's numbers and descendants."""
    own = _hash_varying(variances) + _hash_varying(known)
    below = np.zeros(len(parents), dtype=np.uint64)
    content = np.empty(len(parents), dtype=np.uint64)
    for nodes in reversed(levels):
        content[nodes] = tie_breaking.mix(tie_breaking.words(noisy[nodes]) + own[nodes] + below[nodes])
        if parents[nodes[0]] >= 0:
            np.add.at(below, parents[nodes], tie_breaking.mix(content[nodes]))
    return content


def _hash_varying(values: Array) -> tie_breaking.Words:
    """Return the hashes of values, or 0 for all if all values are equal."""
    if len(values) and (values != values[0]).any():
        return tie_breaking.words(values)
    return np.zeros(len(values), dtype=np.uint64)

"""Counts of a hierarchy (country, state, county), made to add up.

**Least squares.** x = argmin of sum (y_i - x_i)**2 / v_i over all nodes, subject to x >= 0 and every x_i being the sum
of its children's. Without x >= 0 two passes solve it exactly. Up: s and v_s being the sums of the children's z and v,

    z_i = (v_s y_i + v_i s) / (v_i + v_s),   v_i <- v_i v_s / (v_i + v_s);    down:   x_c = z_c + (x_i - s) v_c / v_s.

A node not measured has v = inf, one whose value is public v = 0. For x >= 0: leaves that come out negative are set to
0 and the passes are repeated without them until none does. That is the exact minimum: the quadratic form
sum 1/v_i 1_i 1_i' of a tree is an ultrametric matrix, its inverse is therefore an M-matrix (Martinez, Michon and San
Martin 1994), and for those a leaf once set to 0 stays there (Chandrasekaran 1970).

**Integers.** From the roots down, every x is rounded down or up, and the children of a node share its integer by
largest remainders. As x adds up and is not negative, this is always possible: every node ends within 1 of its
least-squares value, and public values are met exactly.

**Order.** Nodes are first put into an order that depends on their contents only (level, parent, then a hash of count,
variance, public value and descendants), so the result does not depend on the order in which they are given. Only nodes
that agree in all of these are told apart by their place, and to exchange them changes nothing but their names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.errors import InputError, ParameterError
from discreet.exact import is_integer
from discreet.reconcile import apportion, inputs, tie_breaking


def tree(
    counts: npt.ArrayLike,
    parent: npt.ArrayLike,
    *,
    variance: float | Sequence[float] | Floats | Mapping[int, float] | None = None,
    fixed: Mapping[int, int] | None = None,
    seed: int | None = None,
) -> Integers:
    """Non-negative integers that add up, from the noisy counts of all nodes of one or several trees.

    Parameters
    ----------
    counts
        The noisy integer of every node, in any order.
    parent
        The index of every node's parent; -1 for a root.
    variance
        Of the noise: one number, one a node, or one a level (a mapping from depth, the roots' being 0, or a sequence as
        long as there are levels). inf for a node that was not measured; a leaf must be. All equal unless given; only
        ratios matter.
    fixed
        Values that are public from elsewhere and must be met exactly, by node.
    seed
        Decides ties; None takes a fresh one.

    Returns
    -------
    int64 array, one integer a node; every node that has children is their sum.
    """
    return named(counts, parent, variance, fixed, seed, str)


def named(
    counts: Any, parent: Any, variance: Any, fixed: Any, seed: int | None, name: Callable[[int], str]
) -> Integers:
    """The same as `tree`, with errors that call a node by its name."""
    return fitted(counts, parent, variance, fixed, seed, name)[0]


def fitted(
    counts: Any, parent: Any, variance: Any, fixed: Any, seed: int | None, name: Callable[[int], str]
) -> tuple[Integers, Floats, Floats]:
    """The integers, the numbers they were rounded from, and those of least squares without bounds."""
    noisy, above = _nodes(counts, parent)
    levels = _levels(above, name)
    spread = _variance(variance, levels, above, name)
    known = _fixed(fixed, len(noisy), name)
    shape = _order(levels, above, noisy, spread, known)
    known = known[shape.order]
    bounds = _bounds(shape, known, name)
    inputs.together(noisy[shape.order][shape.leaf], "the counts of the leaves")
    given = noisy[shape.order], spread[shape.order], known
    free = _unbounded(shape, *given)
    real = _fit(shape, *given)
    result, numbers, unbounded = np.empty_like(noisy), np.empty(len(noisy)), np.empty(len(noisy))
    result[shape.order] = _round(shape, real, bounds, tie_breaking.key(seed))
    numbers[shape.order], unbounded[shape.order] = real, free
    return result, numbers, unbounded


@dataclass(frozen=True)
class _Shape:
    """Nodes by level, siblings together.

    Attributes
    ----------
    order
        The given index of the node at each place.
    edges
        Where each level starts, and the end.
    inner
        For each level, the places of its nodes that have children.
    starts
        For each level, where the children of those nodes start in the next.
    leaf
        Whether a node has no children.
    """

    order: Integers
    edges: Integers
    inner: list[Integers]
    starts: list[Integers]
    leaf: npt.NDArray[np.bool_]

    def level(self, depth: int) -> slice:
        """The places of a level."""
        return slice(int(self.edges[depth]), int(self.edges[depth + 1]))

    def spread_out(self, depth: int, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """One value for each inner node of a level, repeated for its children."""
        nodes = self.level(depth + 1)
        return np.repeat(values, np.diff(self.starts[depth], append=nodes.stop - nodes.start))


def _nodes(counts: Any, parent: Any) -> tuple[Integers, Integers]:
    noisy, above = inputs.integers(counts, "counts"), inputs.integers(parent, "parent")
    if noisy.ndim != 1 or noisy.shape != above.shape or not len(noisy):
        raise InputError(
            f"counts have the shape {noisy.shape} and parent has {above.shape}; give one of each for every node"
        )
    wrong = (above < -1) | (above >= len(above))
    if wrong.any():
        node = int(np.argmax(wrong))
        raise InputError(
            f"node {node} has the parent {above[node]}, which is not there; parents are indices 0 to {len(above) - 1},"
            " or -1 for a root"
        )
    return noisy, above


def _levels(above: Integers, name: Callable[[int], str] = str) -> list[Integers]:
    """The nodes of each depth; every node must reach a root."""
    ordered = bool((above[1:] >= above[:-1]).all())
    by_parent = np.arange(len(above)) if ordered else np.argsort(above, kind="stable")
    children = np.bincount(above + 1, minlength=len(above) + 1)
    first = np.cumsum(children)[:-1]
    roots, children = children[0], children[1:]
    levels = []
    nodes = by_parent[:roots]
    reached = 0
    while len(nodes):
        levels.append(nodes)
        reached += len(nodes)
        sizes = children[nodes]
        ends = np.cumsum(sizes)
        within = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)
        nodes = by_parent[np.repeat(first[nodes], sizes) + within]
    if reached < len(above):
        seen = np.zeros(len(above), dtype=bool)
        if levels:
            seen[np.concatenate(levels)] = True
        node = int(np.argmin(seen))
        walk = {node: 0}
        while (node := int(above[node])) not in walk:
            walk[node] = len(walk)
        cycle = [*list(walk)[walk[node] :], node]
        shown = " -> ".join(map(name, cycle[:8])) + (" ..." if len(cycle) > 8 else "")
        raise InputError(f"the parents run in a circle ({shown}); make one of these nodes a root")
    return levels


def _variance(given: Any, levels: list[Integers], above: Integers, name: Callable[[int], str]) -> Floats:
    size = len(above)
    if isinstance(given, Mapping):
        if set(given) != set(range(len(levels))):
            raise ParameterError(f"variance has levels {list(given)}; the tree has levels 0 to {len(levels) - 1}")
        given = [given[depth] for depth in range(len(levels))]
    spread = inputs.variance(1.0 if given is None else given, "variance")
    if spread.ndim == 0:
        spread = np.full(size, float(spread))
    elif spread.shape == (len(levels),) and len(levels) != size:
        by_level, spread = spread, np.empty(size)
        for nodes, value in zip(levels, by_level, strict=True):
            spread[nodes] = value
    elif spread.shape != (size,):
        raise ParameterError(
            f"variance has the shape {spread.shape}; give one number, or one for each of {size} nodes or"
            f" {len(levels)} levels"
        )
    leaf = np.ones(size, dtype=bool)
    leaf[above[above >= 0]] = False
    if not np.isfinite(spread[leaf]).all():
        node = int(np.flatnonzero(leaf & ~np.isfinite(spread))[0])
        raise ParameterError(f"node {name(node)} is a leaf that was not measured (its variance is inf); leave it out")
    return spread


def _fixed(given: Any, size: int, name: Callable[[int], str]) -> Integers:
    """Public values, -1 where there is none."""
    known = np.full(size, -1, dtype=np.int64)
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise ParameterError(f"fixed is {given!r:.60}; give values by node, {{0: 1000}}")
    for node, value in given.items():
        if not is_integer(node) or not 0 <= int(node) < size:
            raise ParameterError(f"fixed names the node {node!r:.60}; nodes are indices 0 to {size - 1}")
        known[node] = inputs.known(value, f"node {name(node)}")
    return known


def _order(levels: list[Integers], above: Integers, noisy: Integers, spread: Floats, known: Integers) -> _Shape:
    own = _hash_varying(spread) + _hash_varying(known)
    below = np.zeros(len(above), dtype=np.uint64)
    content = np.empty(len(above), dtype=np.uint64)
    for nodes in reversed(levels):
        content[nodes] = tie_breaking.mix(tie_breaking.words(noisy[nodes]) + own[nodes] + below[nodes])
        if above[nodes[0]] >= 0:
            np.add.at(below, above[nodes], tie_breaking.mix(content[nodes]))
    place = np.empty(len(above), dtype=np.int64)
    order: list[Integers] = []
    inner: list[Integers] = []
    starts: list[Integers] = []
    start = 0
    for nodes in levels:
        bits = 0 if start == 0 else len(order[-1]).bit_length()
        code = content[nodes] >> np.uint64(bits)
        if start:
            rank = place[above[nodes]] - (start - len(order[-1]))
            code |= rank.astype(np.uint64) << np.uint64(64 - bits)
        nodes = nodes[np.argsort(code, kind="stable")]
        place[nodes] = np.arange(start, start + len(nodes))
        if start:
            over = place[above[nodes]]
            new = np.flatnonzero(np.diff(over, prepend=-1))
            inner.append(over[new])
            starts.append(new)
        order.append(nodes)
        start += len(nodes)
    leaf = np.ones(len(above), dtype=bool)
    leaf[np.concatenate([*inner, np.empty(0, dtype=np.int64)])] = False
    return _Shape(
        np.concatenate(order),
        np.cumsum([0, *map(len, order)]),
        inner,
        starts,
        leaf,
    )


def _hash_varying(values: npt.NDArray[Any]) -> tie_breaking.Words:
    """Hashes, or 0 for all where all values are the same."""
    if len(values) and (values != values[0]).any():
        return tie_breaking.words(values)
    return np.zeros(len(values), dtype=np.uint64)


def _unbounded(shape: _Shape, noisy: Integers, spread: Floats, known: Integers) -> Floats:
    """Least squares without bounds, public values met."""
    public = known >= 0
    centre = np.where(public, known, noisy).astype(np.float64)
    return _passes(shape, centre, np.where(public, 0.0, spread), public, shape.leaf.copy())


def _fit(shape: _Shape, noisy: Integers, spread: Floats, known: Integers) -> Floats:
    """The least-squares values, additive and not negative."""
    public = known >= 0
    centre = np.where(public, known, noisy).astype(np.float64)
    own = np.where(public, 0.0, spread)
    free = shape.leaf.copy()
    _close(shape, known, free)
    while True:
        fitted = _passes(shape, centre, own, public, free)
        negative = free & (fitted < 0) & ~public
        if not negative.any():
            break
        free &= ~negative
    fitted[public] = known[public]
    return np.maximum(fitted, 0.0)


def _passes(
    shape: _Shape, centre: Floats, own: Floats, public: npt.NDArray[np.bool_], free: npt.NDArray[np.bool_]
) -> Floats:
    value = np.where(free | public, centre, 0.0)
    spread = np.where(free, own, 0.0)
    gaps = []
    for depth in reversed(range(len(shape.inner))):
        nodes, children = shape.inner[depth], shape.level(depth + 1)
        total = np.add.reduceat(value[children], shape.starts[depth])
        wide = np.add.reduceat(spread[children], shape.starts[depth])
        trust = np.divide(wide, own[nodes] + wide, out=np.zeros_like(wide), where=wide > 0)
        value[nodes] = np.where(public[nodes], centre[nodes], total + trust * (centre[nodes] - total))
        spread[nodes] = np.where(public[nodes], 0.0, wide * (1 - trust))
        gaps.append((total, wide))
    for depth, (total, wide) in enumerate(reversed(gaps)):
        children = shape.level(depth + 1)
        gap = np.divide(value[shape.inner[depth]] - total, wide, out=np.zeros_like(wide), where=wide > 0)
        value[children] += shape.spread_out(depth, gap) * spread[children]
    return value


def _close(shape: _Shape, known: Integers, free: npt.NDArray[np.bool_]) -> None:
    """Below a public 0 everything is 0."""
    closed = known == 0
    if not closed.any():
        return
    for depth in range(1, len(shape.edges) - 1):
        nodes = shape.level(depth)
        closed[nodes] |= shape.spread_out(depth - 1, closed[shape.inner[depth - 1]])
    free &= ~closed


def _bounds(shape: _Shape, known: Integers, name: Callable[[int], str]) -> tuple[Integers, Integers]:
    """Between which each node must lie for the public values below it; they must leave room for those above."""
    lowest = np.where(known >= 0, known, 0)
    highest = np.where((known >= 0) | ~shape.leaf, known, inputs.LARGEST * 2)
    for depth in reversed(range(len(shape.inner))):
        nodes, children = shape.inner[depth], shape.level(depth + 1)
        least = np.add.reduceat(lowest[children], shape.starts[depth])
        most = np.minimum(np.add.reduceat(highest[children].astype(np.float64), shape.starts[depth]), 2.0**62).astype(
            np.int64
        )
        value = known[nodes]
        for wrong, bound, word in (
            (least > value, least, "add up to at least"),
            (most < value, most, "add up to at most"),
        ):
            wrong = wrong & (value >= 0)
            if wrong.any():
                at = int(np.argmax(wrong))
                node = name(int(shape.order[nodes[at]]))
                raise ParameterError(
                    f"fixed contradicts itself: node {node} is fixed at {value[at]}, and its descendants"
                    f" {word} {bound[at]}; correct one of them"
                )
        lowest[nodes] = np.where(value >= 0, value, least)
        highest[nodes] = np.where(value >= 0, value, most)
    return lowest, highest


def _round(shape: _Shape, fitted: Floats, bounds: tuple[Integers, Integers], key: int) -> Integers:
    lowest, highest = bounds
    priority = tie_breaking.priorities(key, len(fitted))
    result = np.empty(len(fitted), dtype=np.int64)
    roots = shape.level(0)
    result[roots] = np.rint(fitted[roots])
    for depth in range(len(shape.inner)):
        children = shape.level(depth + 1)
        result[children] = apportion.largest_remainders(
            fitted[children],
            shape.starts[depth],
            result[shape.inner[depth]],
            priority[children],
            lowest[children],
            highest[children],
        )
    return result

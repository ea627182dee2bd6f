"""Least squares without bounds, as a linear function of the measurements: estimates, and the coefficients of any sum.

The estimate of a cell, or of a sum of cells, is linear in the measurements: the sum of a_j y_j over the measured cells
j. If the a_j are known, so is the law of its error (`joint_intervals`). Each measured cell enters once. A cell that is
in several groupings (a state with one county) has one measurement, which counts in the finest of them.

**Components.** Let at most one axis have nested levels l = 0 (all of it), 1, ..., with groups of any sizes; the other
axes are plain. Let s be a set of plain axes. The component u_s is the sums over s, minus the mean along every axis of
s, at each node of the tree of levels. A measured grouping (l, g) of variance v with s within g measures u_s at the
nodes of level l with the precision w / N(g minus s), with w = 1 / v, and N(r) the product of the sides of the axes in
r. w is 0 at nodes whose cells are measured cells of a finer grouping, too. With P_s for "minus the mean along every
axis of s", least squares solves for each s alone

    M_s u_s = sum over (l, g) of w / N(g minus s) P_s(y over s),

where M_s = sum of W_s(node) 1 1' over the nodes of the tree, and W_s the sum of the precisions. A grouping (l, t) has

    x = sum over s within t of u_s / N(t minus s).

A sum h of cells of (l, t) has the same equations with another right hand side: with v_s = M_s^-1 P_s(h over s) /
N(t minus s), the coefficients of the measured grouping (k, g) are w times the sum over s within g and t of v_s /
N(g minus s). Both are two passes over a tree. With r the right hand side, S and Q the sums of a and 1/p over children:

    up      p = W + 1/Q,   a = (r + S/Q) / p,           p = W, a = r/p at leaves;
    down    u = a + (u(parent) - S(parent)) / (p Q(parent)),          u = a at the root.

**Few cells.** If several axes have levels, or levels do not nest, the equations of all cells are solved as they are,
for up to `MOST_DENSE` combinations of categories. Larger parts of this kind have no joint estimates.

**Kinds.** Cells of one kind have the same coefficients in another order, hence errors with one law. Nodes of a tree are
of one kind if the trees below them are alike, and their parents are of one kind.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, pairwise
from typing import Any

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.plan.measured_cells import MeasuredCells
from discreet.reconcile.axes import sorted_by_group
from discreet.reconcile.cliques import Part
from discreet.reconcile.dense_estimates import MOST_DENSE, DenseEstimates, Terms

Plain = tuple[int, ...]


def joint_estimates(
    part: Part, measured: MeasuredCells, variances: Sequence[float]
) -> "ComponentEstimates | DenseEstimates | None":
    """Return the estimates of a part from all its measurements; None if the part is too large for equations of all.

    Parameters
    ----------
    part
        Groupings of one population.
    measured
        Which of them are measured, with which table of noise.
    variances
        For every table of noise, the variance of one measurement.
    """
    owned = owned_cells(part, measured)
    estimates = _component_estimates(part, measured, owned, variances)
    if estimates is None and math.prod(map(len, part.axes)) <= MOST_DENSE:
        return DenseEstimates.of(part, measured, owned, variances)
    return estimates


def owned_cells(part: Part, measured: MeasuredCells) -> dict[int, Booleans]:
    """Return for every measured grouping which of its cells are in no finer measured grouping with the same noise."""
    seen = np.zeros(measured.size, dtype=bool)
    owned: dict[int, Booleans] = {}
    indices = [index for index in part.distinct.values() if measured.indices[index] is not None]
    for index in sorted(indices, key=lambda index: (-math.prod(part.shape(part.keys[index])), index)):
        cells = measured.indices[index]
        assert cells is not None
        owned[index] = ~seen[cells]
        seen[cells] = True
    return owned


@dataclass(frozen=True, eq=False)
class _Block:
    """A measured grouping: its level, its plain axes, its table of noise, and w at every node of its level."""

    index: int
    level: int
    plain: Plain
    table: int
    weights: Floats


@dataclass(frozen=True, eq=False)
class _Tree:
    """The nested levels of one axis, from the root on. Without such an axis the root is the only level.

    Attributes
    ----------
    axis
        The axis; -1 if there is none.
    level_of
        The number of every level of the axis.
    sizes
        The number of nodes of every level.
    parents
        For every level the parents of its nodes, in the level before.
    """

    axis: int
    level_of: Mapping[Any, int]
    sizes: tuple[int, ...]
    parents: tuple[Integers, ...]


@dataclass(frozen=True, eq=False)
class _Arrangement:
    """The groupings of a part as arrays: nodes of the tree first, then the plain axes in order."""

    part: Part
    tree: _Tree

    def level_and_plain(self, index: int) -> tuple[int, Plain]:
        """Return the level of a grouping, and its plain axes with more than one group, in order."""
        key, tree = self.part.keys[index], self.tree
        level = max((tree.level_of.get(name, 0) for axis, name in key if axis == tree.axis), default=0)
        plain = [axis for axis, name in key if axis != tree.axis and self.part.shape(((axis, name),))[0] > 1]
        return level, tuple(sorted(plain))

    def sides(self, plain: Plain) -> tuple[int, ...]:
        """Return the sides of plain axes, which have one partition each."""
        return tuple(self.side_of[axis] for axis in plain)

    @cached_property
    def side_of(self) -> dict[int, int]:
        """The number of groups of every plain axis. Groupings that have all categories in one group do not count."""
        sides = {pair: self.part.shape((pair,))[0] for key in self.part.keys.values() for pair in key}
        return {axis: side for (axis, _), side in sides.items() if axis != self.tree.axis and side > 1}

    def rest(self, plain: Plain, component: Plain) -> int:
        """Return the product of the sides of the plain axes that a component does not have."""
        return math.prod(self.sides(tuple(axis for axis in plain if axis not in component)))

    def _dimensions(self, index: int) -> list[int]:
        """Return the dimensions of a grouping: the axis of the tree first, then the plain axes in order."""
        key = self.part.keys[index]
        return sorted(range(len(key)), key=lambda number: (key[number][0] != self.tree.axis, key[number][0]))

    def arranged(self, index: int, values: Any) -> Floats:
        """Return the numbers of a grouping: nodes first, then the plain axes in order."""
        level, plain = self.level_and_plain(index)
        shaped = np.asarray(values, dtype=np.float64).reshape(self.part.shape(self.part.keys[index]))
        return shaped.transpose(self._dimensions(index)).reshape((self.tree.sizes[level], *self.sides(plain)))

    def restored(self, index: int, values: Any) -> Any:
        """Return arranged numbers in the shape of their grouping."""
        dimensions, shape = self._dimensions(index), self.part.shape(self.part.keys[index])
        return values.reshape([shape[number] for number in dimensions]).transpose(np.argsort(dimensions)).reshape(shape)


@dataclass(frozen=True, eq=False)
class _Component:
    """The tree of one component: W, p and Q at every node, by level, down to the finest level that is measured."""

    precisions: tuple[Floats, ...]
    upward: tuple[Floats, ...]
    sums: tuple[Floats, ...]


@dataclass(frozen=True, eq=False)
class ComponentEstimates:
    """Least squares by components. Made by `joint_estimates`."""

    shapes: _Arrangement
    blocks: tuple[_Block, ...]
    components: Mapping[Plain, _Component]

    @property
    def groupings(self) -> list[int]:
        """The indices of the groupings that the measurements determine."""
        return [index for index in self.shapes.part.grouping_indices if self._is_determined(index)]

    def estimates(self, measurements: Sequence[Integers | None]) -> dict[int, Floats]:
        """Return the estimates of every grouping, from the measurements of every grouping of the layout."""
        right: dict[Plain, dict[int, Floats]] = {}
        for block in self.blocks:
            values = measurements[block.index]
            assert values is not None
            weighted = self.shapes.arranged(block.index, values) * _column(block.weights, len(block.plain))
            for component in _subsets(block.plain):
                by_level = right.setdefault(component, {})
                over = self._over(weighted, block.plain, component) / self.shapes.rest(block.plain, component)
                by_level[block.level] = by_level[block.level] + over if block.level in by_level else over
        solved = {component: self.solve(component, by_level) for component, by_level in right.items()}
        estimates = {}
        for index in self.groupings:
            level, plain = self.shapes.level_and_plain(index)
            lifted = self._lifted({name: solved[name] for name in _subsets(plain)}, level, plain, plain)
            estimates[index] = self.shapes.restored(index, lifted)
        return estimates

    def coefficients(self, weights: Mapping[int, Floats]) -> Terms:
        """Return the coefficients of the measurements in the estimate of a sum of cells.

        Parameters
        ----------
        weights
            How often each cell is in the sum, by grouping index, in the shape of the grouping.

        Returns
        -------
        list
            Numbers of tables of noise, each with the coefficients of measured cells.
        """
        right: dict[Plain, dict[int, Floats]] = {}
        for index, times in weights.items():
            level, plain = self.shapes.level_and_plain(index)
            arranged = self.shapes.arranged(index, times)
            for component in _subsets(plain):
                by_level = right.setdefault(component, {})
                over = self._over(arranged, plain, component) / self.shapes.rest(plain, component)
                by_level[level] = by_level[level] + over if level in by_level else over
        solved = {component: self.solve(component, by_level) for component, by_level in right.items()}
        terms = []
        for block in self.blocks:
            own = {component: solved[component] for component in _subsets(block.plain) if component in solved}
            lifted = self._lifted(own, block.level, block.plain, block.plain)
            values = lifted * _column(block.weights, len(block.plain))
            terms.append((block.table, values[block.weights > 0].reshape(-1)))
        return terms

    def kinds(self, index: int) -> Integers:
        """Return the kind of every cell of a grouping, in the shape of the grouping: 0, 1, ..."""
        level, plain = self.shapes.level_and_plain(index)
        _, kinds = np.unique(self.kinds_of_nodes[level], return_inverse=True)
        shape = (self.shapes.tree.sizes[level], *self.shapes.sides(plain))
        return np.asarray(self.shapes.restored(index, np.broadcast_to(_column(kinds, len(plain)), shape)))

    @cached_property
    def kinds_of_nodes(self) -> list[Integers]:
        """Return the kind of every node, by level. Nodes of different levels are not compared."""
        levels = range(len(self.shapes.tree.sizes))
        below: list[Integers] = [np.zeros(0, dtype=np.int64)] * len(levels)
        for level in reversed(levels):
            own = [block.weights for block in self.blocks if block.level == level]
            signs = [_numbered(weights) for weights in own] or [np.zeros(self.shapes.tree.sizes[level], dtype=np.int64)]
            if level + 1 < len(levels):
                order, starts = sorted_by_group(self.shapes.tree.parents[level + 1])
                numbers: dict[bytes, int] = {}
                families = [np.sort(family).tobytes() for family in np.split(below[level + 1][order], starts[1:])]
                signs.append(np.array([numbers.setdefault(family, len(numbers)) for family in families]))
            below[level] = _numbered_rows(signs)
        kinds = [below[0]]
        for level in levels[1:]:
            kinds.append(_numbered_rows([kinds[-1][self.shapes.tree.parents[level]], below[level]]))
        return kinds

    def _is_determined(self, index: int) -> bool:
        level, plain = self.shapes.level_and_plain(index)
        known = [self.components.get(component) for component in _subsets(plain)]
        return all(component is not None and len(component.upward) > level for component in known)

    def _over(self, values: Floats, plain: Plain, component: Plain) -> Floats:
        """Return the component of arranged numbers: sums over other axes, minus the mean along every axis."""
        others = tuple(number for number, axis in enumerate(plain, 1) if axis not in component)
        sums: Floats = values.sum(axis=others)
        for dimension in range(1, sums.ndim):
            sums = sums - sums.mean(axis=dimension, keepdims=True)
        return sums

    def _lifted(self, solved: Mapping[Plain, Sequence[Floats]], level: int, plain: Plain, divided_by: Plain) -> Floats:
        """Return the sum of components over a grouping, each divided by the cells that it is spread over."""
        result = np.zeros((self.shapes.tree.sizes[level], *self.shapes.sides(plain)))
        for component, by_level in solved.items():
            shape = [
                side if axis in component else 1 for axis, side in zip(plain, self.shapes.sides(plain), strict=True)
            ]
            result += by_level[level].reshape([-1, *shape]) / self.shapes.rest(divided_by, component)
        return result

    def solve(self, name: Plain, right: Mapping[int, Floats]) -> list[Floats]:
        """Return M^-1 times a right hand side, by level, for one component: nodes first, then any other axes."""
        component, given = self.components[name], next(iter(right.values()))
        last = len(component.upward) - 1
        sides = given.shape[1:]
        columns = math.prod(sides)
        own = [
            right[level].reshape(-1, columns) if level in right else np.zeros((self.shapes.tree.sizes[level], columns))
            for level in range(last + 1)
        ]
        upward = [np.empty(0)] * (last + 1)
        sums = [np.empty(0)] * (last + 1)
        upward[last] = own[last] / component.upward[last][:, None]
        for level in range(last - 1, -1, -1):
            order, starts = sorted_by_group(self.shapes.tree.parents[level + 1])
            sums[level] = np.add.reduceat(upward[level + 1][order], starts, axis=0)
            upward[level] = (own[level] + sums[level] / component.sums[level][:, None]) / component.upward[level][
                :, None
            ]
        solved = [upward[0]]
        for level in range(1, last + 1):
            parents = self.shapes.tree.parents[level]
            share = 1 / (component.upward[level] * component.sums[level - 1][parents])
            solved.append(upward[level] + share[:, None] * (solved[-1][parents] - sums[level - 1][parents]))
        return [values.reshape(-1, *sides) for values in solved]


def _component_estimates(
    part: Part, measured: MeasuredCells, owned: Mapping[int, Booleans], variances: Sequence[float]
) -> ComponentEstimates | None:
    """Return the estimates by components; None if several axes have levels, or levels do not nest."""
    tree = _tree(part)
    if tree is None:
        return None
    shapes, blocks = _Arrangement(part, tree), []
    for index, is_owned in owned.items():
        level, plain = shapes.level_and_plain(index)
        table = measured.noise_of[index]
        assert table is not None
        by_node = shapes.arranged(index, is_owned).reshape(tree.sizes[level], -1)
        if (by_node != by_node[:, :1]).any():
            return None
        if by_node.any():
            blocks.append(_Block(index, level, plain, table, by_node[:, 0] / variances[table]))
    components = {}
    for name in dict.fromkeys(chain.from_iterable(_subsets(block.plain) for block in blocks)):
        component = _component(name, blocks, shapes)
        if component is None:
            return None
        components[name] = component
    return ComponentEstimates(shapes, tuple(blocks), components)


def _component(name: Plain, blocks: Sequence[_Block], shapes: _Arrangement) -> _Component | None:
    tree = shapes.tree
    precisions: list[Floats] = [np.zeros(size) for size in tree.sizes]
    for block in blocks:
        if set(name) <= set(block.plain):
            precisions[block.level] = precisions[block.level] + block.weights / shapes.rest(block.plain, name)
    last = max(level for level, precision in enumerate(precisions) if precision.any())
    if not precisions[last].all():
        return None
    upward: list[Floats] = [np.empty(0)] * (last + 1)
    sums: list[Floats] = [np.empty(0)] * (last + 1)
    upward[last] = precisions[last]
    for level in range(last - 1, -1, -1):
        children = np.bincount(tree.parents[level + 1], 1 / upward[level + 1], minlength=tree.sizes[level])
        sums[level] = children.astype(np.float64)
        upward[level] = precisions[level] + 1 / sums[level]
    return _Component(tuple(precisions[: last + 1]), tuple(upward), tuple(sums))


def _tree(part: Part) -> _Tree | None:
    """Return the levels of the axis that has several; None if several axes have, or if levels do not nest."""
    pairs = dict.fromkeys(pair for key in part.keys.values() for pair in key if part.shape((pair,))[0] > 1)
    levels: dict[int, list[Any]] = {}
    for axis, level in pairs:
        levels.setdefault(axis, []).append(level)
    several = [axis for axis, names in levels.items() if len(names) > 1]
    if len(several) > 1:
        return None
    if not several:
        return _Tree(-1, {}, (1,), (np.zeros(0, dtype=np.int64),))
    axis = several[0]
    names = sorted(levels[axis], key=lambda level: part.shape(((axis, level),))[0])
    sizes = (1, *(part.shape(((axis, level),))[0] for level in names))
    parents = [np.zeros(0, dtype=np.int64), np.zeros(sizes[1], dtype=np.int64)]
    for coarse, fine in pairwise(names):
        groups = part.containing_cells(((axis, fine),), ((axis, coarse),))
        if groups is None or part.shape(((axis, fine),)) == part.shape(((axis, coarse),)):
            return None
        parents.append(groups)
    return _Tree(axis, {level: number for number, level in enumerate(names, 1)}, sizes, tuple(parents))


def _subsets(plain: Plain) -> Iterator[Plain]:
    return chain.from_iterable(combinations(plain, size) for size in range(len(plain) + 1))


def _column(by_node: Any, dimensions: int) -> Any:
    """Return numbers of nodes, shaped to be broadcast over plain axes."""
    return by_node.reshape([-1] + [1] * dimensions)


def _numbered(values: Floats) -> Integers:
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _numbered_rows(columns: Sequence[Integers]) -> Integers:
    return np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)

"""Least squares over groupings that must agree: against an independent quadratic program, with a true certificate."""

import math
from dataclasses import replace
from itertools import combinations
from typing import Any
from unittest import mock

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from discreet.errors import SolverError
from discreet.reconcile import cube, dense, least_squares
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.fit_problem import Block, Fit
from discreet.reconcile.least_squares import fit
from discreet.reconcile.settle import nearest_with_totals
from discreet.reconcile.variances import variances

SOLVERS = ["elimination", "conjugate gradients"]


def solved(axes: Axes, blocks: list[Block], solver: str) -> Fit:
    """Return the fit by one solver; small problems are solved by elimination unless that is switched off."""
    if solver == "elimination":
        return fit(axes, blocks)
    with mock.patch.object(dense, "MOST_CELLS", -1):
        return fit(axes, blocks)


def containing_cells(axes: Axes, table: Key, key: Key) -> Any:
    """Return, for each cell of a table, the cell of a margin that contains it, by plain Python."""
    shape, sides = axes.shape(table), axes.shape(key)
    labels = {pair: axes._labels[pair] for pair in (*table, *key)}
    indices = []
    for cell in np.ndindex(shape):
        index = 0
        for (axis, level), side in zip(key, sides, strict=True):
            dimension = next(number for number, (table_axis, _) in enumerate(table) if table_axis == axis)
            category = int(np.flatnonzero(labels[table[dimension]] == cell[dimension])[0])
            index = index * side + int(labels[axis, level][category])
        indices.append(index)
    return np.array(indices)


def program(axes: Axes, blocks: list[Block]) -> float:
    """Return the least objective, by Clarabel: the cells of every table are variables, equal sums are equations."""
    tables = axes.maximal([block.key for block in blocks])
    starts = dict(zip(tables, np.cumsum([0, *map(axes.size, tables)]), strict=False))
    size = sum(map(axes.size, tables))

    def sums(table: Key, key: Key) -> Any:
        rows = containing_cells(axes, table, key)
        columns = starts[table] + np.arange(len(rows))
        return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (axes.size(key), size))

    rows, right, weights, equal, known = [], [], [], [], []
    for block in blocks:
        matrix = sums(next(table for table in tables if axes.refines(table, block.key)), block.key)
        variance = np.broadcast_to(block.variance, axes.shape(block.key)).reshape(-1)
        noisy = variance > 0
        rows.append(matrix[noisy])
        right.append(block.values.reshape(-1)[noisy])
        weights.append(1 / variance[noisy])
        equal.append(matrix[~noisy])
        known.append(block.values.reshape(-1)[~noisy])
    for first, second in combinations(tables, 2):
        shared = axes.meet(first, second)
        equal.append(sums(first, shared) - sums(second, shared))
        known.append(np.zeros(axes.size(shared)))
    matrix, target, weight = sparse.vstack(rows).tocsc(), np.concatenate(right), np.concatenate(weights)
    equations = sparse.vstack(equal)
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-10
    cones = [clarabel.ZeroConeT(equations.shape[0]), clarabel.NonnegativeConeT(size)]
    solver = clarabel.DefaultSolver(
        sparse.triu(matrix.T @ sparse.diags(weight) @ matrix).tocsc(),
        -(matrix.T @ (weight * target)),
        sparse.vstack([equations, -sparse.identity(size)]).tocsc(),
        np.concatenate([*known, np.zeros(size)]),
        cones,
        options,
    )
    cells = np.array(solver.solve().x)
    return float(0.5 * np.sum(weight * (matrix @ cells - target) ** 2))


@st.composite
def families(draw: st.DrawFn) -> tuple[Axes, list[Block]]:
    """Groupings of up to four axes, with levels that nest or not, variances far apart, and some known numbers."""
    random = np.random.default_rng(draw(st.integers(0, 10**9)))
    sides = [int(random.integers(1, 6)) for _ in range(draw(st.integers(1, 4)))]
    labels: dict[tuple[int, Any], Any] = {}
    for axis, side in enumerate(sides):
        for name in "xy"[: int(random.integers(0, 3)) if side > 2 else 0]:
            groups = random.integers(0, random.integers(1, side) + 1, side)
            labels[axis, name] = np.unique(groups, return_inverse=True)[1]
    axes = Axes(sides, labels)
    full = axes.canonical(tuple((axis, None) for axis in range(len(sides))))
    truth = np.asarray(random.poisson(random.gamma(0.3, 10, axes.shape(full))))
    keys = set()
    for _ in range(draw(st.integers(1, 7))):
        chosen = sorted(random.choice(len(sides), random.integers(0, min(len(sides), 3) + 1), replace=False))
        levels = {axis: [None, *(name for level_axis, name in labels if level_axis == axis)] for axis in chosen}
        pairs = tuple((int(axis), levels[axis][random.integers(len(levels[axis]))]) for axis in chosen)
        keys.add(axes.canonical(pairs))
    tables = set(axes.maximal(list(keys)))
    blocks = []
    for key in sorted(keys, key=str):
        cells = containing_cells(axes, full, key)
        true = np.bincount(cells, truth.reshape(-1), axes.size(key)).reshape(axes.shape(key))
        variance = np.asarray(10 ** random.uniform(-2, 2, () if random.random() < 0.7 else true.shape))
        values = np.asarray(true + np.rint(random.normal(0, np.sqrt(variance), true.shape)), dtype=np.float64)
        if random.random() < 0.2:
            known = random.random(true.shape) < random.choice([0.3, 1.0])
            values, variance = np.where(known, true, values), np.where(known, 0.0, variance)
        blocks.append(Block(key, values, variance, np.asarray(0.0) if key in tables else None))
    return axes, blocks


@pytest.mark.parametrize("solver", SOLVERS)
@given(family=families())
@settings(max_examples=150)
def test_any_groupings_come_out_as_by_a_quadratic_program(solver: str, family: tuple[Axes, list[Block]]) -> None:
    axes, blocks = family
    if all((block.variance == 0).all() for block in blocks):
        return
    fitted = solved(axes, blocks, solver)
    least = program(axes, blocks)
    assert fitted.objective <= least * (1 + 1e-6) + 1e-6
    assert fitted.objective - fitted.gap <= least * (1 + 1e-6) + 1e-6  # the dual is a lower bound
    for block in blocks:
        if block.low is not None:
            assert fitted.tables[block.key].min() >= 0
    for tables in combinations(axes.maximal([block.key for block in blocks]), 2):
        sums = [axes.add(fitted.tables[key], key, axes.meet(*tables)) for key in tables]
        unit = math.sqrt(min(float(np.min(b.variance[b.variance > 0])) for b in blocks if (b.variance > 0).any()))
        assert np.abs(sums[0] - sums[1]).max() <= 1e-3 * unit * max(map(axes.size, tables))


@pytest.mark.parametrize(
    ("sides", "keys", "fewer"),
    [
        ([5, 4, 6], [(0, 1), (1, 2), (0, 2)], "rows"),
        ([7, 3, 5, 4], [(0, 1), (1, 2), (1, 3)], "rows"),
        ([2] * 6, [tuple(range(6))], "cells"),
        ([3] * 4, [(0, 1, 2), (1, 2, 3)], "cells"),
    ],
)
@pytest.mark.parametrize("settled", [False, True])
def test_few_cells_are_fitted_by_elimination_and_come_out_the_same(
    sides: list[int], keys: list[tuple[int, ...]], fewer: str, settled: bool
) -> None:
    """Many cells end at 0; with the total and the sums along axes known, equations follow from each other."""
    random = np.random.default_rng(8)
    axes = Axes(sides, {})
    people = random.geometric(0.6, (len(sides), 500)).clip(1, np.array(sides)[:, None]) - 1
    blocks = []
    margins = dict.fromkeys(
        key for table in keys for size in range(len(table) + 1) for key in combinations(table, size)
    )
    for key in margins:
        shape = [sides[axis] for axis in key]
        cells = np.ravel_multi_index([people[axis] for axis in key], shape) if key else np.zeros(500, dtype=int)
        counts = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
        known = settled and len(key) < 2
        noisy = counts.astype(np.float64)
        noisy += 0 if known else np.rint(random.normal(0, 13, counts.shape))
        low = np.asarray(0.0) if key in keys else None
        blocks.append(Block(tuple((axis, None) for axis in key), noisy, np.asarray(0.0 if known else 169.0), low))
    equations = dense.Equations(axes, blocks, axes.maximal([block.key for block in blocks]))
    assert (equations.row_count > equations.cell_count) == (fewer == "cells")
    direct, iterative = (solved(axes, blocks, solver) for solver in SOLVERS)
    assert direct.steps[1] == 0 < iterative.steps[1]
    assert min(table.min() for table in direct.tables.values()) == 0
    assert direct.objective == pytest.approx(program(axes, blocks), rel=1e-6)
    assert all(np.allclose(direct.tables[key], iterative.tables[key], atol=1e-2) for key in direct.tables)


@pytest.mark.parametrize("solver", SOLVERS)
def test_numbers_stay_between_lower_and_upper_bounds_in_tables_and_in_sums(solver: str) -> None:
    axes = Axes([3, 3], {})
    full: Key = ((0, None), (1, None))
    cells = Block(full, np.full((3, 3), 5.0), np.asarray(1.0), np.asarray(0.0), np.array([[2.0, 9, 9]] * 3))
    sums = Block(((0, None),), np.array([30.0, 15.0, 0.0]), np.asarray(1.0), np.asarray(10.0), np.asarray(16.0))
    fitted = solved(axes, [cells, sums], solver)
    table = fitted.tables[full]
    assert table[:, 0] == pytest.approx([2, 2, 2], abs=1e-4)
    assert table.sum(axis=1) == pytest.approx([16, 14, 10], abs=1e-4)
    assert fitted.gap == pytest.approx(0, abs=1e-4)


def test_a_forgotten_variance_is_seen_by_the_comparison_with_a_quadratic_program() -> None:
    """The mutation takes all variances as equal; the objective with the right ones is then far from its minimum."""
    random = np.random.default_rng(1)
    axes = Axes([4, 5], {})
    keys: list[Key] = [((0, None), (1, None)), ((0, None),), ()]
    low = dict(zip(keys, (np.asarray(0.0), None, None), strict=True))
    blocks = [
        Block(key, random.normal(10, 1, axes.shape(key)), np.asarray(variance), low[key])
        for key, variance in zip(keys, (100.0, 1.0, 0.01), strict=True)
    ]
    right = fit(axes, blocks)
    forgotten = fit(axes, [replace(block, variance=np.asarray(1.0)) for block in blocks]).tables
    objective = sum(float(np.sum((forgotten[b.key] - b.values) ** 2 / b.variance)) / 2 for b in blocks)
    assert right.objective == pytest.approx(program(axes, blocks), rel=1e-6)
    assert objective > 2 * right.objective


def test_every_margin_gets_its_own_variance() -> None:
    """A precise margin stays, and an imprecise one gives way, through the public function."""
    noisy: dict[tuple[int, ...], Any] = {(0,): [100, 100], (): 300}
    assert cube(noisy, variance={(0,): 1.0, (): 1e6}, seed=1)[()] == 200
    assert cube(noisy, variance={(0,): 1e6, (): 1.0}, seed=1)[()] == 300


@given(families())
@settings(max_examples=100)
def test_the_variances_are_those_of_a_dense_matrix(family: tuple[Axes, list[Block]]) -> None:
    axes, blocks = family
    blocks = [replace(block, variance=np.asarray(float(np.mean(block.variance)) + 0.1)) for block in blocks]
    finest = axes.maximal([block.key for block in blocks])
    others = [block.key for block in blocks[1::2] if block.key not in finest]  # every other margin is not measured
    all_keys = [block.key for block in blocks]
    blocks = [block for block in blocks if block.key not in others]
    found = variances(axes, blocks, others)
    if found is None:
        return
    full = axes.canonical(tuple((axis, None) for axis in range(len(axes.sides))))
    size = axes.size(full)
    matrices = {}
    square = np.zeros((size, size))
    for key in all_keys:
        matrices[key] = np.zeros((axes.size(key), size))
        matrices[key][containing_cells(axes, full, key), np.arange(size)] = 1
    for block in blocks:
        square += matrices[block.key].T @ matrices[block.key] / float(block.variance)
    inverse = np.linalg.pinv(square, rcond=1e-11)
    for key, matrix in matrices.items():
        diagonal = np.diag(matrix @ inverse @ matrix.T)
        assert found[key] == pytest.approx((diagonal.mean(), diagonal.max()), rel=1e-6)


def test_several_problems_at_once_come_out_as_each_alone() -> None:
    random = np.random.default_rng(2)
    axes = Axes([3, 4], {})
    keys: list[Key] = [((0, None), (1, None)), ((0, None),), ((1, None),), ()]
    problems = [
        [Block(key, random.normal(2, 3, axes.shape(key)), np.asarray(1.0), np.asarray(0.0) if len(key) == 2 else None)
         for key in keys]
        for _ in range(5)
    ]  # fmt: skip
    together = fit(axes, [replace(block, copy=copy) for copy, blocks in enumerate(problems) for block in blocks])
    for blocks, tables in zip(problems, together.copies, strict=True):
        alone = fit(axes, blocks).tables
        assert all(np.allclose(alone[key], tables[key], atol=1e-4) for key in keys)


def test_a_contradiction_is_an_error_and_never_a_table() -> None:
    axes = Axes([2], {})
    blocks = [
        Block(((0, None),), np.array([3.0, 4.0]), np.asarray(1.0), np.asarray(0.0)),
        Block((), np.asarray(-5.0), np.asarray(0.0)),
    ]
    with pytest.raises(SolverError, match="disagree by"):
        fit(axes, blocks)


def test_a_search_that_is_cut_off_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    noisy = {key: random.integers(-9, 9, [6] * len(key)) for size in range(4) for key in combinations(range(3), size)}
    monkeypatch.setattr(least_squares, "STEPS", 1)
    monkeypatch.setattr(dense, "STEPS", 1)
    with pytest.raises(SolverError, match="disagree by"):
        cube(noisy, seed=1)


@given(st.lists(st.lists(st.floats(-50, 50), min_size=1, max_size=6), min_size=1, max_size=4), st.floats(0, 100))
def test_the_nearest_numbers_have_the_total_and_one_shift(groups: list[list[float]], total: float) -> None:
    starts = np.cumsum([0, *map(len, groups)])[:-1]
    totals = np.full(len(groups), total)
    projected = nearest_with_totals(np.concatenate([np.array(group) for group in groups]), starts, totals)
    for group, numbers in zip(groups, np.split(projected, starts[1:]), strict=True):
        assert (numbers >= 0).all()
        assert numbers.sum() == pytest.approx(total, abs=1e-9 * (1 + total))
        shifts = (np.array(group) - numbers)[numbers > 0]
        if len(shifts):  # one shift for all numbers that stay positive, and no less for the others
            assert np.ptp(shifts) < 1e-9 * 100
            assert (np.array(group)[numbers == 0] <= shifts.max() + 1e-9).all()

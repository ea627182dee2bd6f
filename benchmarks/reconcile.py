"""Reconcile a tree and a cube of a million cells, and solve the same least squares by OSQP and Clarabel.

    uv run --group bench python -m benchmarks.reconcile

`benchmarks.reconcile_tables` measures several tables together, and cubes under several kinds of noise.

1. The solvers get the same problem, of a size that they solve in reasonable time: cells x >= 0 and sums s = A x, all
   measured with one variance, minimise sum (x - y_0)**2 + sum (s - y_A)**2. Discreet's time includes the integers. The
   objectives compared are those of real-valued fits, because the solvers make no integers.
2. The town of the demo: errors of every grouping as measured, by least squares alone, and as released, totals first.
3. A cube of a million cells with fixed margins: errors by the number of axes that a margin keeps.
4. Lists: least squares and Wang's algorithms on the noise of the same 40,000 runs of Wang's examples.
"""

import os
import resource
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from benchmarks.solvers import by_clarabel, by_osqp
from benchmarks.timing import best
from discreet.count import contributions
from discreet.count.cell_counts import cell_counts
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.measure import keys, lookup
from discreet.papers.wang2020.example_data import EXAMPLES
from discreet.papers.wang2020.repeated_runs import METHODS
from discreet.papers.wang2020.repeated_runs import runs as repeated
from discreet.reconcile import cube, cubes, tree, trees
from discreet.reconcile.least_squares import fit
from discreet.reconcile.read_problem import read_problem
from discreet.reconcile.table_plan import make_table_plan
from discreet.release import demo_town, plan_release

STOP = 1 - np.exp(-1.0)


def noise(generator: np.random.Generator, shape: Any) -> Any:
    """Return two-sided geometric noise, epsilon 1."""
    return generator.geometric(STOP, shape) - generator.geometric(STOP, shape)


def make_tree(fans: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """Return noisy counts and parents of a balanced tree of sparse counts, and the matrix that sums its leaves."""
    generator = np.random.default_rng(1)
    parents, levels, start, size = [np.array([-1])], [1], 0, 1
    for fan in fans:
        parents.append(start + np.repeat(np.arange(size), fan))
        start, size = start + size, size * fan
        levels.append(size)
    counts = [generator.poisson(generator.gamma(0.5, 4, size))]
    for fan in reversed(fans):
        counts.insert(0, counts[0].reshape(-1, fan).sum(axis=1))
    noisy = np.concatenate(counts)
    noisy = noisy + noise(generator, noisy.shape)
    blocks = [sparse.kron(sparse.identity(level), np.ones((1, size // level))) for level in levels]
    return noisy, np.concatenate(parents), sparse.vstack(blocks).tocsr()


def make_cube(side: int) -> tuple[dict[tuple[int, ...], Any], Any]:
    """Return all noisy margins of a three-way cube of sparse counts, and the matrix that sums its cells."""
    generator = np.random.default_rng(2)
    means = [generator.gamma(2, 0.5, side) for _ in range(3)]
    cells = generator.poisson(np.einsum("i,j,k->ijk", *means))
    margins, blocks = {}, []
    for size in range(4):
        for key in combinations(range(3), size):
            values = cells.sum(axis=tuple(axis for axis in range(3) if axis not in key))
            margins[key] = values + noise(generator, np.shape(values))
            parts = [sparse.identity(side) if axis in key else np.ones((1, side)) for axis in range(3)]
            blocks.append(sparse.kron(sparse.kron(parts[0], parts[1]), parts[2]))
    return margins, sparse.vstack(blocks).tocsr()


def quadratic(matrix: Any, noisy: Any) -> tuple[Any, Any, Any]:
    """Return P and q of the objective, and the equations A x - s = 0. Variables: cells, and sums of several cells."""
    sums = np.asarray(matrix.sum(axis=1)).reshape(-1) > 1
    own, grouped = matrix[~sums], matrix[sums]
    size = matrix.shape[1] + grouped.shape[0]
    weight = np.concatenate([np.asarray(own.sum(axis=0)).reshape(-1), np.ones(grouped.shape[0])])
    linear = -np.concatenate([own.T @ noisy[~sums], noisy[sums].astype(float)])
    equations = sparse.hstack([grouped, -sparse.identity(grouped.shape[0])])
    return sparse.diags(weight, shape=(size, size), format="csc"), linear, equations


def fit_tree(noisy: Any, parent: Any) -> Any:
    """Return the least-squares values of the leaves, in the order of the nodes."""
    real = trees.fit_tree(noisy, parent, None, None, 1)[1]
    return real[~np.isin(np.arange(len(noisy)), parent)]


def fit_cube(margins: Any) -> Any:
    """Return the least-squares values of the cells."""
    problem = read_problem(margins, None, None, None)
    cells = fit(problem.axes, cubes.blocks_of(problem)).tables[problem.tables[0]]
    return problem.in_user_order(max(margins, key=len), cells).reshape(-1)


def peak(run: Callable[[], object]) -> float:
    """Return the largest memory of a call, in megabytes."""
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 2**20


def compare(grid: Table, name: str, ours: Callable[[], object], fitted: Any, matrix: Any, noisy: Any) -> None:
    """Add rows with seconds, ratios and objectives of Discreet and of the solvers."""

    def objective(cells: Any) -> float:
        return float(np.sum((matrix @ cells - noisy) ** 2))

    seconds, own = best(ours, 3), objective(fitted)
    grid.add_row(f"{name}: Discreet, to integers", f"{seconds:.3f}", "1", "", f"{peak(ours):.0f}")
    for solver, run in (("OSQP", by_osqp), ("Clarabel", by_clarabel)):
        start = time.perf_counter()
        cells = run(*quadratic(matrix, noisy), matrix.shape[1])
        solver_seconds = time.perf_counter() - start
        above = own / objective(cells) - 1
        ratio = f"{solver_seconds / seconds:,.0f}"
        grid.add_row(f"{name}: {solver}", f"{solver_seconds:.2f}", ratio, f"{above:+.5%}", "")


def lists() -> Table:
    """Return the errors of every algorithm for lists, and their excess over least squares, paired run by run."""
    grid = Table("example", "algorithm", "mean squared error", "less least squares'", "standard error", "largest bias")
    for example, truth in EXAMPLES.items():
        base = repeated(example, "least squares").squared
        for method in METHODS:
            runs = repeated(example, method)
            excess = runs.squared - base
            error = excess.std() / np.sqrt(len(excess))
            bias = np.abs(runs.mean - truth).max()
            name = "3, as in the paper" if method == "3" else method
            numbers = (runs.squared.mean(), excess.mean(), error, bias)
            grid.add_row(str(example), name, *(f"{value:.4f}" for value in numbers))
    return grid


RELEASES = 200
"""Simulated releases of the town."""


def releases(runs: int = RELEASES) -> Table:
    """Return root mean square errors of every grouping of the demo's town, over many releases."""
    with tempfile.TemporaryDirectory() as folder:
        plan = plan_release.plan(demo_town.unpack(Path(folder)) | {"measure": "published"})
        layout, unit = plan.layout, plan.spec.unit
        with open_engine(plan.spec.source) as engine:
            count_plan = CountPlan(tuple(book.recode for book in layout.books), unit.id)
            leaves = contributions.leaves(engine, count_plan, unit.contributions, keys.row_order(bytes(32)))
            truth, _ = cell_counts(layout, leaves)
    table_plan, true = make_table_plan(plan), plan.measured.by_grouping(truth)
    squares = np.zeros((runs, len(true), 4))
    for number in range(runs):
        values = plan.measured.by_grouping(lookup.measure(plan, truth, None))
        with patch.object(cubes, "settle", lambda problem, blocks, _: (blocks, problem)):
            alone = by_grouping(layout, table_plan.tables(values))
        clamped = [np.clip(counts, 0, None) for counts in values if counts is not None]
        released = by_grouping(layout, table_plan.tables(values))
        for kind, counts in enumerate((values, clamped, alone, released)):
            squares[number, :, kind] = [np.mean((x - y) ** 2) for x, y in zip(counts, true, strict=True)]
    grid = Table(
        "grouping", "cells", "measured", "clamped", "least squares alone", "total first", "its squared / measured"
    )
    for index, grouping in enumerate(layout.groupings):
        name = " x ".join(axis.book.name for axis in grouping.axes) or "total"
        errors = np.sqrt(squares[:, index].mean(axis=0))
        before, after = squares[:, index, 0], squares[:, index, 3]
        ratio = after.mean() / before.mean()
        uncertainty = (after - ratio * before).std() / before.mean() / np.sqrt(runs)
        grid.add_row(
            name, str(grouping.size), *(f"{error:.2f}" for error in errors), f"{ratio:.3f} +- {uncertainty:.3f}"
        )
    return grid


def by_grouping(layout: Any, tables: Any) -> list[Any]:
    """Return the counts of every grouping, from the counts of every table."""
    by_index = {
        index: counts
        for (_, grouping_indices), table in zip(layout.tables, tables, strict=True)
        for index, counts in zip(grouping_indices, table, strict=True)
    }
    return [by_index[index] for index in range(len(layout.groupings))]


def fixed_margins(side: int) -> Table:
    """Return mean squared errors of a sparse cube with true margins fixed, by the axes kept, and seconds."""
    generator = np.random.default_rng(0)
    truth = generator.poisson(0.5, (side,) * 3)
    keys = [key for size in range(4) for key in combinations(range(3), size)]
    true = {key: truth.sum(axis=tuple(axis for axis in range(3) if axis not in key)) for key in keys}
    noisy = {key: values + noise(generator, np.shape(values)) for key, values in true.items()}

    def errors(margins: Any) -> list[str]:
        squares = {key: float(np.mean((margins[key] - true[key]) ** 2)) for key in keys}
        return [f"{np.mean([squares[key] for key in keys if len(key) == ways]):.2f}" for ways in range(4)]

    grid = Table("fixed", "seconds", "total", "one way", "two ways", "cells")
    grid.add_row("(as measured)", "", *errors(noisy))
    choices: dict[str, list[tuple[int, ...]]] = {
        "nothing": [], "total": [()], "one axis": [(0,)], "two axes": [(0,), (1,)], "three axes": [(0,), (1,), (2,)],
        "two axes, crossed": [(0, 1)],
    }  # fmt: skip
    for name, chosen in choices.items():
        start = time.perf_counter()
        margins = cube(noisy, fixed={key: true[key] for key in chosen}, seed=1)
        grid.add_row(name, f"{time.perf_counter() - start:.1f}", *errors(margins))
    return grid


def main() -> None:
    """Run the comparison and print it."""
    grid = Table("what", "seconds", "times slower than Discreet", "Discreet's objective above theirs", "MB at most")
    for fans in ((100, 100, 100), (100, 100, 10)):
        noisy, parent, _ = make_tree(fans)
        run: Callable[[], object] = partial(tree, noisy, parent, seed=1)
        grid.add_row(f"tree, {np.prod(fans):,} leaves, four levels", f"{best(run, 5):.3f}", "", "", f"{peak(run):.0f}")
    margins, _ = make_cube(100)
    run = partial(cube, margins, seed=1)
    grid.add_row("cube, 1,000,000 cells, all margins", f"{best(run, 3):.3f}", "", "", f"{peak(run):.0f}")
    noisy, parent, matrix = make_tree((50, 50, 40))
    fitted = fit_tree(noisy, parent)
    compare(grid, "tree, 100,000 leaves", partial(tree, noisy, parent, seed=1), fitted, matrix, noisy)
    margins, cells = make_cube(20)
    measured = np.concatenate([np.ravel(values) for values in margins.values()])
    compare(grid, "cube, 8,000 cells", partial(cube, margins, seed=1), fit_cube(margins), cells, measured)
    Console(width=130).print(grid)
    for table in (releases(), fixed_margins(100), lists()):
        Console(width=130).print(table)
    scale = 2**20 if sys.platform == "darwin" else 2**10
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors;", end=" ")
    print(f"whole process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale:.0f} MB at most")


if __name__ == "__main__":
    main()

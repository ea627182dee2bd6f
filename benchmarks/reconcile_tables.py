"""Reconcile several tables and large cubes: time, memory, objective against OSQP and Clarabel, and errors.

    uv run --group bench python -m benchmarks.reconcile_tables [--large]

**Speed.** Cubes of a million cells with all margins, under little noise, and under noise that puts most cells at 0; all
1,770 two-way tables of 60 variables; with --large, 100 x 100 x 100 x 10 cells with all margins. Times include the
integers.

**Objective.** The same least squares by OSQP and by Clarabel: the cells of every table are variables, sums that tables
share are equal, numbers are not negative. Times include making the matrices, as Discreet's include making its blocks.
Short times are the best of three. OSQP gets a stricter tolerance until its objective is within 0.1% of the least known.
A solver that takes more than two minutes is stopped.

**Errors.** For every number of dimensions, the mean square error of released counts (totals first), divided by that of
the measurements, in paired runs. A ratio above 1 by more than three standard errors is marked. The last column is what
integers can have at best along one axis: least squares without bounds, moved to the nearest integers with the published
total. No integers with that total are nearer to least squares.
"""

import argparse
import math
import os
import resource
import time
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from benchmarks.solvers import by_clarabel, by_osqp, within
from benchmarks.timing import best
from discreet.reconcile import cube, cubes
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.fit_problem import Block
from discreet.reconcile.least_squares import fit
from discreet.reconcile.read_problem import read_problem

Margins = dict[tuple[int, ...], Any]


def noise(generator: np.random.Generator, shape: Any, variance: float) -> Any:
    """Return rounded normal noise."""
    return np.rint(generator.normal(0, math.sqrt(variance), shape)).astype(np.int64)


def margins_of(cells: Any) -> Margins:
    """Return all margins of a cube."""
    axes = range(cells.ndim)
    return {
        key: cells.sum(axis=tuple(axis for axis in axes if axis not in key))
        for size in range(cells.ndim + 1)
        for key in combinations(axes, size)
    }


def make_cells(generator: np.random.Generator, shape: tuple[int, ...], mean: float, skewed: bool) -> Any:
    """Return true counts with equal means, or with means by Zipf's law along every axis."""
    means = np.array(float(mean))
    for side in shape:
        shares = 1 / np.arange(1, side + 1) if skewed else np.ones(side)
        means = np.multiply.outer(means, shares * side / shares.sum())
    return generator.poisson(means * generator.gamma(0.5, 2, shape))


def make_tables(
    generator: np.random.Generator, sides: list[int], keys: list[tuple[int, ...]], variance: float
) -> Margins:
    """Return noisy tables of 20,000 people, with all their margins."""
    people = [np.minimum(generator.geometric(0.35, 20_000) - 1, side - 1) for side in sides]
    margins: Margins = {}
    subsets = (subset for key in keys for size in range(len(key) + 1) for subset in combinations(key, size))
    for key in dict.fromkeys(subsets):
        cells = np.zeros(20_000, dtype=np.int64)
        for axis in key:
            cells = cells * sides[axis] + people[axis]
        shape = tuple(sides[axis] for axis in key)
        counts = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
        margins[key] = counts + noise(generator, shape, variance)
    return margins


CUBES = [
    ("small noise (variance 1.84)", 1.0, False, 1.84),
    ("sparse, variance 180", 0.3, False, 180.0),
    ("sparse and skewed, variance 180", 0.3, True, 180.0),
    ("dense, variance 180", 10.0, False, 180.0),
    ("dense and skewed, variance 180", 10.0, True, 180.0),
]


def speed(large: bool) -> Table:
    """Return the seconds of whole reconciliations, and their certificates."""
    grid = Table("what", "seconds", "with totals first", "gap", "largest step to an integer", "peak MB so far")
    for name, mean, skewed, variance in CUBES:
        cells = make_cells(np.random.default_rng(1), (100, 100, 100), mean, skewed)
        timed(grid, f"cube of 1,000,000 cells, {name}", noisy_margins(cells, variance), variance, 3)
    pairs: list[tuple[int, ...]] = list(combinations(range(60), 2))
    timed(grid, "1,770 two-way tables", make_tables(np.random.default_rng(3), [10] * 60, pairs, 169.0), 169.0, 1)
    for name, mean, skewed, variance in CUBES[1:4] if large else ():
        cells = make_cells(np.random.default_rng(1), (100, 100, 100, 10), mean, skewed)
        noisy = noisy_margins(cells, variance)
        del cells
        timed(grid, f"cube of 10,000,000 cells, {name}", noisy, variance, 1)
    return grid


def noisy_margins(cells: Any, variance: float) -> Margins:
    """Return all margins of a cube with noise, the same noise for margins of one shape."""
    margins = margins_of(cells)
    return {key: sums + noise(np.random.default_rng(2), sums.shape, variance) for key, sums in margins.items()}


def timed(grid: Table, name: str, noisy: Margins, variance: float, repeats: int) -> None:
    """Add a row with the seconds of one reconciliation."""
    seconds = best(partial(cube, noisy, variance=variance, seed=1), repeats)
    start = time.perf_counter()
    result = cubes.reconcile_cube(noisy, variance, None, 1, None, total_first=True)
    total_first = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    certificate = f"{result.gap:.1e}", f"{result.shift:.2f}"
    grid.add_row(name, f"{seconds:.2f}", f"{total_first:.2f}", *certificate, f"{memory:,.0f}")


def program(axes: Axes, blocks: list[Block]) -> tuple[Any, Any, Any, Any, list[Key], int]:
    """Return P and q of the objective, the equations, the measurements, the tables, and the number of cells.

    Variables are the cells of all tables, then all other sums. Measurements are a matrix, its target and precisions.
    """
    tables = axes.maximal([block.key for block in blocks])
    order = [*tables, *(block.key for block in blocks if block.key not in tables)]
    starts = dict(zip(order, np.cumsum([0, *map(axes.size, order)]), strict=False))
    size, cells = sum(map(axes.size, order)), sum(map(axes.size, tables))

    def sums(table: Key, key: Key) -> Any:
        rows = axes.containing_cells(table, key)
        columns = starts[table] + np.arange(len(rows))
        return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (axes.size(key), size))

    weight, linear = np.zeros(size), np.zeros(size)
    equal, rows = [], []
    for block in blocks:
        span = slice(starts[block.key], starts[block.key] + block.values.size)
        weight[span] = 1 / float(block.variance)
        linear[span] = -block.values.reshape(-1) / float(block.variance)
        table = next(table for table in tables if axes.refines(table, block.key))
        rows.append(sums(table, block.key)[:, :cells])
        if block.key not in tables:
            equal.append(sums(table, block.key) - sums(block.key, block.key))
    for first, second in combinations(tables, 2):
        shared = axes.meet(first, second)
        equal.append(sums(first, shared) - sums(second, shared))
    equations = sparse.vstack(equal).tocsc() if equal else sparse.csc_matrix((0, size))
    target = np.concatenate([block.values.reshape(-1) for block in blocks])
    precision = np.concatenate([np.full(block.values.size, 1 / float(block.variance)) for block in blocks])
    measured = sparse.vstack(rows).tocsr(), target, precision
    return sparse.diags(weight, format="csc"), linear, equations, measured, tables, cells


SETS: dict[str, tuple[list[int], list[tuple[int, ...]]]] = {
    "four tables that share one axis": ([17, 3, 7, 8, 6], [(0, 1), (1, 2), (1, 3), (1, 4)]),
    "a circle": ([40, 30, 20], [(0, 1), (1, 2), (0, 2)]),
    "three three-way tables": ([17, 9, 8, 6, 3], [(0, 1, 2), (1, 2, 3), (2, 3, 4)]),
    "all pairs of 20 variables": ([10] * 20, list(combinations(range(20), 2))),
    "a cube of 8,000 cells": ([20, 20, 20], [(0, 1, 2)]),
    "a cube of 27,000 cells": ([30, 30, 30], [(0, 1, 2)]),
}


def objectives() -> Table:
    """Return seconds and objectives of Discreet and of the solvers. All seconds are of real-valued fits."""
    grid = Table("tables", "solver", "seconds", "times slower", "Discreet's objective above theirs")
    for name, (sides, keys) in SETS.items():
        noisy = make_tables(np.random.default_rng(4), sides, keys, 169.0)
        problem = read_problem(noisy, 169.0, None, None, ordered=False)
        blocks = cubes.blocks_of(problem)
        seconds = best(partial(fit, problem.axes, blocks), 3)
        grid.add_row(name, "Discreet", f"{seconds:.3f}", "1", "")
        _, _, _, (matrix, target, weight), tables, _ = program(problem.axes, blocks)
        fitted = fit(problem.axes, blocks).tables
        own = np.concatenate([fitted[table].reshape(-1) for table in tables])

        def objective(cells: Any, matrix: Any = matrix, target: Any = target, weight: Any = weight) -> float:
            return float(np.sum(weight * (matrix @ cells - target) ** 2)) / 2

        for solver, runs in SOLVERS.items():
            for run in runs:
                cells, solver_seconds = within(LIMIT, partial(solved, run, problem.axes, blocks))
                if cells is None or objective(cells) <= objective(own) * 1.001:
                    break
            if cells is None:
                grid.add_row("", solver, f"over {solver_seconds:.0f}", f"over {solver_seconds / seconds:,.0f}", "")
                continue
            if solver_seconds < 1:
                again = [within(LIMIT, partial(solved, run, problem.axes, blocks))[1] for _ in range(2)]
                solver_seconds = min(solver_seconds, *again)
            above = objective(own) / objective(cells) - 1
            grid.add_row("", solver, f"{solver_seconds:.3f}", f"{solver_seconds / seconds:,.1f}", f"{above:+.4%}")
    return grid


LIMIT = 120.0
SOLVERS: dict[str, list[Any]] = {
    "OSQP": [partial(by_osqp, accuracy=10.0**-digits) for digits in (4, 5, 6, 7)],
    "Clarabel": [by_clarabel],
}


def solved(run: Any, axes: Axes, blocks: list[Block]) -> Any:
    """Return the cells by a solver, from the blocks."""
    square, linear, equations, _, _, count = program(axes, blocks)
    return run(square, linear, equations, count)


def errors(runs: int = 30) -> Table:
    """Return mean square errors of released counts over those of the measurements, by dimensions of a margin."""
    grid = Table("tables", "0", "1", "2", "3", "4", "1, at best")
    shapes = [(30, 30, 30), (40, 40), (12, 12, 12, 12), (100, 100, 100)]
    for shape in shapes:
        for name, mean, skewed, variance in CUBES:
            squares: dict[int, list[tuple[float, float]]] = {}
            at_best = []
            for run in range(runs if math.prod(shape) < 10**6 else 20):
                generator = np.random.default_rng(run)
                true = margins_of(make_cells(generator, shape, mean, skewed))
                measured = {key: values + noise(generator, values.shape, variance) for key, values in true.items()}
                result = cubes.reconcile_cube(measured, variance, None, 1, None, total_first=True)
                released = result.values
                assert result.free is not None
                lists: Margins = {(axis,): nearest(result.free[axis,], released[()]) for axis in range(len(shape))}
                at_best.append((mean_square(measured, true, 1), mean_square(lists, true, 1)))
                for ways in range(len(shape) + 1):
                    pair = mean_square(measured, true, ways), mean_square(released, true, ways)
                    squares.setdefault(ways, []).append(pair)
            sides = " x ".join(map(str, shape))
            ratios = [ratio_text(squares[ways]) for ways in sorted(squares)]
            grid.add_row(f"{sides}, {name}", *ratios, *[""] * (5 - len(ratios)), ratio_text(at_best))
    return grid


def nearest(values: Any, total: Any) -> Any:
    """Return the nearest integers with a total: largest remainders."""
    rounded = np.floor(values).astype(np.int64)
    extra = int(total - rounded.sum())
    order = np.argsort(rounded - values)
    for step in range(abs(extra)):
        rounded[order[step % len(order)] if extra > 0 else order[-1 - step % len(order)]] += np.sign(extra)
    return rounded


def mean_square(margins: Margins, true: Margins, ways: int) -> float:
    """Return the mean square error over the margins of so many dimensions."""
    keys = [key for key in true if len(key) == ways and key in margins]
    return float(np.mean([np.mean((margins[key] - true[key]) ** 2) for key in keys]))


def ratio_text(pairs: list[tuple[float, float]]) -> str:
    """Return the ratio of released to measured mean squares, with its standard error."""
    measured, released = np.array(pairs).T
    ratio = released.mean() / measured.mean()
    error = (released - ratio * measured).std() / measured.mean() / math.sqrt(len(pairs))
    return f"{ratio:.3f} ({error:.3f})" + (" !" if ratio > 1 + 3 * error + 1e-3 else "")


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", action="store_true", help="also cubes of ten million cells")
    large = parser.parse_args().large
    for grid in (partial(speed, large), objectives, errors):
        Console(width=140).print(grid())
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()

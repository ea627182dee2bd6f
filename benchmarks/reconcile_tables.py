"""Several tables and large cubes made to add up: time, memory, objective against OSQP and Clarabel, and errors.

    uv run --group bench python -m benchmarks.reconcile_tables [--large]

**Speed.** Cubes of a million cells with all margins, where noise is small and where most cells end at 0; all 1,770
two-way tables of 60 variables; with --large, 100 x 100 x 100 x 10 cells with all margins. Times include the integers.

**Objective.** The same least squares by OSQP and by Clarabel: the cells of every table are variables, what tables share
is equal, numbers are not negative. Times include making the matrices, as Discreet's include making its blocks, and are
the best of three if short. OSQP is asked for more digits until its objective is within 0.1% of the least known. A
solver that takes more than two minutes is stopped.

**Errors.** For every number of dimensions, the mean square error of published counts over that of the measurements, as
released (totals first), in paired runs; a ratio that is above 1 by more than three standard errors is marked.
"""

import argparse
import math
import os
import resource
import time
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

from benchmarks.solvers import by_clarabel, by_osqp, within
from benchmarks.timing import best
from discreet.reconcile import cube
from discreet.reconcile.axes import Axes, Key
from discreet.reconcile.blocks import Block
from discreet.reconcile.least_squares import fit
from discreet.reconcile.problem import read

cubes = import_module("discreet.reconcile.cubes")

Margins = dict[tuple[int, ...], Any]


def noise(generator: np.random.Generator, shape: Any, variance: float) -> Any:
    """Rounded normal noise."""
    return np.rint(generator.normal(0, math.sqrt(variance), shape)).astype(np.int64)


def margins_of(cells: Any) -> Margins:
    """All margins of a cube."""
    axes = range(cells.ndim)
    return {
        key: cells.sum(axis=tuple(axis for axis in axes if axis not in key))
        for size in range(cells.ndim + 1)
        for key in combinations(axes, size)
    }


def make_cells(generator: np.random.Generator, shape: tuple[int, ...], mean: float, skewed: bool) -> Any:
    """True counts: alike everywhere, or by Zipf's law along every axis."""
    means = np.array(float(mean))
    for side in shape:
        shares = 1 / np.arange(1, side + 1) if skewed else np.ones(side)
        means = np.multiply.outer(means, shares * side / shares.sum())
    return generator.poisson(means * generator.gamma(0.5, 2, shape))


def make_tables(
    generator: np.random.Generator, sides: list[int], keys: list[tuple[int, ...]], variance: float
) -> Margins:
    """Noisy tables of 20,000 people, with all their margins."""
    people = [np.minimum(generator.geometric(0.35, 20_000) - 1, side - 1) for side in sides]
    wanted = dict.fromkeys(low for key in keys for size in range(len(key) + 1) for low in combinations(key, size))
    found = {}
    for key in wanted:
        place = np.zeros(20_000, dtype=np.int64)
        for axis in key:
            place = place * sides[axis] + people[axis]
        shape = tuple(sides[axis] for axis in key)
        counts = np.bincount(place, minlength=math.prod(shape)).reshape(shape)
        found[key] = counts + noise(generator, shape, variance)
    return found


CUBES = [
    ("small noise (variance 1.84)", 1.0, False, 1.84),
    ("sparse, variance 180", 0.3, False, 180.0),
    ("sparse and skewed, variance 180", 0.3, True, 180.0),
    ("dense, variance 180", 10.0, False, 180.0),
    ("dense and skewed, variance 180", 10.0, True, 180.0),
]


def speed(large: bool) -> Table:
    """Seconds of whole reconciliations, and their certificates."""
    grid = Table("what", "seconds", "with totals first", "gap", "largest step to an integer", "peak MB so far")
    for name, mean, skewed, variance in CUBES:
        cells = make_cells(np.random.default_rng(1), (100, 100, 100), mean, skewed)
        given = {key: v + noise(np.random.default_rng(2), v.shape, variance) for key, v in margins_of(cells).items()}
        timed(grid, f"cube of 1,000,000 cells, {name}", given, variance, 3)
    pairs: list[tuple[int, ...]] = list(combinations(range(60), 2))
    timed(grid, "1,770 two-way tables", make_tables(np.random.default_rng(3), [10] * 60, pairs, 169.0), 169.0, 1)
    for name, mean, skewed, variance in CUBES[1:4] if large else ():
        cells = make_cells(np.random.default_rng(1), (100, 100, 100, 10), mean, skewed)
        given = {key: v + noise(np.random.default_rng(2), v.shape, variance) for key, v in margins_of(cells).items()}
        del cells
        timed(grid, f"cube of 10,000,000 cells, {name}", given, variance, 1)
    return grid


def timed(grid: Table, name: str, given: Margins, variance: float, repeats: int) -> None:
    """One row."""
    seconds = best(partial(cube, given, variance=variance, seed=1), repeats)
    start = time.perf_counter()
    made = cubes.reconciled(given, variance, None, 1, None, total_first=True)
    first = time.perf_counter() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    grid.add_row(name, f"{seconds:.2f}", f"{first:.2f}", f"{made.gap:.1e}", f"{made.shift:.2f}", f"{most:,.0f}")


def program(axes: Axes, blocks: list[Block]) -> tuple[Any, Any, Any, Any, list[Key], int]:
    """P, q of the objective over the cells of all tables and all other sums, the equations, and what is measured."""
    tables = axes.maximal([block.key for block in blocks])
    order = [*tables, *(block.key for block in blocks if block.key not in tables)]
    starts = dict(zip(order, np.cumsum([0, *map(axes.size, order)]), strict=False))
    size, cells = sum(map(axes.size, order)), sum(map(axes.size, tables))

    def sums(table: Key, key: Key) -> Any:
        to = axes.owners(table, key)
        return sparse.csr_matrix((np.ones(len(to)), (to, starts[table] + np.arange(len(to)))), (axes.size(key), size))

    weight, linear = np.zeros(size), np.zeros(size)
    equal, rows = [], []
    for block in blocks:
        here = slice(starts[block.key], starts[block.key] + block.values.size)
        weight[here] = 1 / float(block.variance)
        linear[here] = -block.values.reshape(-1) / float(block.variance)
        above = next(table for table in tables if axes.refines(table, block.key))
        rows.append(sums(above, block.key)[:, :cells])
        if block.key not in tables:
            equal.append(sums(above, block.key) - sums(block.key, block.key))
    for one, other in combinations(tables, 2):
        shared = axes.meet(one, other)
        equal.append(sums(one, shared) - sums(other, shared))
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
    """Seconds and objectives against both solvers; Discreet's seconds are those of the fit, as theirs are."""
    grid = Table("tables", "solver", "seconds", "times slower", "Discreet's objective above theirs")
    for name, (sides, keys) in SETS.items():
        given = make_tables(np.random.default_rng(4), sides, keys, 169.0)
        problem = read(given, 169.0, {}, {}, ordered=False)
        blocks = cubes.blocks_of(problem)
        seconds = best(partial(fit, problem.axes, blocks), 3)
        grid.add_row(name, "Discreet", f"{seconds:.3f}", "1", "")
        _, _, _, (matrix, target, weight), tables, _ = program(problem.axes, blocks)
        found = fit(problem.axes, blocks).tables
        own = np.concatenate([found[table].reshape(-1) for table in tables])

        def objective(cells: Any, matrix: Any = matrix, target: Any = target, weight: Any = weight) -> float:
            return float(np.sum(weight * (matrix @ cells - target) ** 2)) / 2

        for solver, runs in SOLVERS.items():
            for run in runs:
                cells, taken = within(LIMIT, partial(solved, run, problem.axes, blocks))
                if cells is None or objective(cells) <= objective(own) * 1.001:
                    break
            if cells is None:
                grid.add_row("", solver, f"over {taken:.0f}", f"over {taken / seconds:,.0f}", "")
                continue
            if taken < 1:
                taken = min(taken, *(within(LIMIT, partial(solved, run, problem.axes, blocks))[1] for _ in range(2)))
            above = objective(own) / objective(cells) - 1
            grid.add_row("", solver, f"{taken:.3f}", f"{taken / seconds:,.1f}", f"{above:+.4%}")
    return grid


LIMIT = 120.0
SOLVERS: dict[str, list[Any]] = {
    "OSQP": [partial(by_osqp, accuracy=10.0**-digits) for digits in (4, 5, 6, 7)],
    "Clarabel": [by_clarabel],
}


def solved(run: Any, axes: Axes, blocks: list[Block]) -> Any:
    """The cells by a solver, from the blocks."""
    square, linear, equations, _, _, count = program(axes, blocks)
    return run(square, linear, equations, count)


def errors(runs: int = 30) -> Table:
    """Mean square errors of what is released, over those of the measurements, by the dimensions of a margin."""
    grid = Table("tables", "0", "1", "2", "3", "4")
    shapes = [(30, 30, 30), (40, 40), (12, 12, 12, 12), (100, 100, 100)]
    for shape in shapes:
        for name, mean, skewed, variance in CUBES:
            ratios: Mapping[int, list[tuple[float, float]]] = {}
            for run in range(runs if math.prod(shape) < 10**6 else 5):
                generator = np.random.default_rng(run)
                true = margins_of(make_cells(generator, shape, mean, skewed))
                given = {key: values + noise(generator, values.shape, variance) for key, values in true.items()}
                made = cubes.reconciled(given, variance, None, 1, None, total_first=True).values
                ratios = replaced(ratios, given, made, true)
            sides = " x ".join(map(str, shape))
            cells = [told(ratios[ways]) for ways in sorted(ratios)]
            grid.add_row(f"{sides}, {name}", *cells)
    return grid


def replaced(ratios: Mapping[int, list[tuple[float, float]]], given: Margins, made: Margins, true: Margins) -> Any:
    """With one more run: mean squares of what is measured and what is released, by dimensions."""
    found = {ways: list(each) for ways, each in ratios.items()}
    for ways in {len(key) for key in true}:
        keys = [key for key in true if len(key) == ways]
        pair = tuple(float(np.mean([np.mean((each[k] - true[k]) ** 2) for k in keys])) for each in (given, made))
        found.setdefault(ways, []).append(pair)  # type: ignore[arg-type]
    return found


def told(pairs: list[tuple[float, float]]) -> str:
    """A ratio with its standard error."""
    measured, released = np.array(pairs).T
    ratio = released.mean() / measured.mean()
    error = (released - ratio * measured).std() / measured.mean() / math.sqrt(len(pairs))
    return f"{ratio:.3f} ({error:.3f})" + (" !" if ratio > 1 + 3 * error + 1e-3 else "")


def main() -> None:
    """Run everything and print it."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--large", action="store_true", help="cubes of ten million cells, too")
    large = asked.parse_args().large
    for grid in (partial(speed, large), objectives, errors):
        Console(width=140).print(grid())
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()

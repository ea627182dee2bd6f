"""Plans of noise: their errors against the best known ones, their time, simulated releases, and coverage.

    uv run python -m benchmarks.planner [--runs 200]

**Plans.** The root of what each aim makes small, at epsilon 1 and delta 1e-6: by the plan, by the best plan known in
real numbers (golden numbers, and the searches of `plan.planner` before certification for workloads without golden
numbers), by one noise for all groupings, and the bound of Gaussian noise. Seconds are those of the whole plan: search,
certificates, composition, and the plan with one noise.

**Simulated releases.** Root mean square errors of published integers after reconciliation, which gets the variances of
the certified tables. Plans and "one noise" take the same uniform draws for the same cells.

**Coverage.** Shares of intervals of 95% that hold the true count (3, where intervals end at 0, and 1000), for every
grouping of the town, and their half widths. A cell's own half width is that of one noise for all groupings, without the
other measurements.
"""

import argparse
import gzip
import math
import os
import time
from importlib import resources
from itertools import combinations, product
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from discreet.certify.ptable import PTable
from discreet.plan.planner import Aim, NoisePlan, Workload, plan_noise
from discreet.plan.planner.error_law import error_law
from discreet.reconcile.cubes import reconcile_cube

TOWN = Workload(
    ((1, 13), (1, 7), (1, 3), (1, 6)),
    ((1, 1, 0, 0), (1, 0, 0, 0), *((0, *levels) for levels in product((0, 1), repeat=3))),
)
TOWN_AXES = ("district", "age", "sex", "work")
ADULT = Workload(
    tuple((1, size) for size in (2, 5, 16, 7, 8)),
    tuple(levels for levels in product((0, 1), repeat=5) if sum(levels) in (2, 3)),
)
CENSUS = Workload(((1, 10, 1000), (1, 50), (1, 2)), tuple(product(range(3), range(2), range(2))))
MARGINS = [kept for size in range(4) for kept in combinations(range(25), size)]
MANY = Workload(
    tuple((1, 2 + 7 * axis % 11) for axis in range(25)),
    tuple(tuple(int(axis in kept) for axis in range(25)) for kept in MARGINS),
)

WORKLOADS = {"town": TOWN, "Adult": ADULT, "census-like": CENSUS, "25 variables": MANY}
AIMS = ("margins", "cells", "worst")
BEST = {
    ("town", "margins"): 8.1476,
    ("town", "cells"): 4.5430,
    ("town", "worst"): 9.762,
    ("Adult", "margins"): 12.944,
    ("Adult", "cells"): 10.366,
    ("Adult", "worst"): 13.330,
    ("census-like", "margins"): 9.9143,
    ("census-like", "cells"): 3.0750,
    ("census-like", "worst"): 10.995,
}
"""The best plans known in real numbers; with noise between geometric and Gaussian noise, the best ones found."""

BUDGET: dict[str, Any] = {"epsilon": 1, "delta": "1e-6"}


def plans(console: Console) -> dict[tuple[str, str], NoisePlan]:
    """Print the errors and the seconds of plans, and return the plans."""
    grid = Table("published", "aim", "error", "best known", "ratio", "one noise", "Gaussian bound", "noise", "measured")
    for head in ("tables", "delta", "seconds", "of processor"):
        grid.add_column(head, justify="right")
    made = {}
    for name, workload in WORKLOADS.items():
        for aim in AIMS:
            start, used = time.perf_counter(), time.process_time()
            plan = plan_noise(workload, Aim(aim), **BUDGET)
            seconds, used = time.perf_counter() - start, time.process_time() - used
            made[name, aim] = plan
            best = BEST.get((name, aim))
            known = ("", "") if best is None else (f"{best:.3f}", f"{plan.error / best:.4f}")
            published = math.sqrt(Aim(aim).error(workload, np.array(plan.published_deviations) ** 2))
            measured = f"{sum(index is not None for index in plan.noise_of)} of {len(plan.noise_of)}"
            figures = f"{published:.3f}", f"{plan.gaussian_bound:.3f}", plan.kind, measured, f"{len(plan.tables)}"
            times = f"{plan.composed[1]:.3g}", f"{seconds:.2f}", f"{used:.2f}"
            grid.add_row(name, aim, f"{plan.error:.3f}", *known, *figures, *times)
    console.print(grid)
    return made


def town_counts() -> Any:
    """Return the true counts of the town by district, age, sex and work, with a last category for others."""
    packed = (resources.files("discreet") / "data" / "town.csv.gz").read_bytes()
    rows = [line.split(",") for line in gzip.decompress(packed).decode().splitlines()[1:]]
    _, districts, ages, sexes, works = zip(*rows, strict=True)
    cells = [
        np.unique(districts, return_inverse=True)[1],
        np.searchsorted([16, 25, 45, 67, 80], [int(age) for age in ages], side="right"),
        np.unique(sexes, return_inverse=True)[1],
        np.unique(works, return_inverse=True)[1],
    ]
    counts = np.zeros((13, 7, 3, 6), dtype=np.int64)
    np.add.at(counts, tuple(cells), 1)
    return counts


def census_counts() -> Any:
    """Return skewed true counts of 1,000 districts in 10 regions, by 50 ages and 2 sexes."""
    generator = np.random.default_rng(16)
    size = generator.gamma(1.0, 1.0, (1000, 1, 1))
    ages = np.exp(-np.linspace(0, 3, 50))[None, :, None]
    return generator.poisson(60 * size * ages * generator.gamma(4, 0.25, (1000, 50, 2)))


def key_of(levels: tuple[int, ...], depths: list[int]) -> Any:
    """Return the key of a grouping for `reconcile.cube`: its axes, a coarser level as a pair (axis, level)."""
    pairs = [(axis, level) for axis, level in enumerate(levels) if level]
    return tuple(axis if level == depths[axis] else (axis, f"level {level}") for axis, level in pairs)


def margin(counts: Any, workload: Workload, levels: tuple[int, ...]) -> Any:
    """Return the counts of a grouping, from the cells of all axes; groups of a level have equal sizes."""
    for axis, level in reversed(list(enumerate(levels))):
        groups = workload.axes[axis][level]
        shape = (*counts.shape[:axis], groups, counts.shape[axis] // groups, *counts.shape[axis + 1 :])
        counts = counts.reshape(shape).sum(axis=axis + 1)
        counts = counts.sum(axis=axis) if level == 0 else counts
    return counts


def simulate(counts: Any, workload: Workload, plan: NoisePlan, runs: int) -> Any:
    """Return the mean square error of every grouping after reconciliation."""
    depths = [len(sizes) - 1 for sizes in workload.axes]
    levels = {
        axis: {f"level {level}": np.arange(sizes[-1]) * sizes[level] // sizes[-1] for level in range(1, depths[axis])}
        for axis, sizes in enumerate(workload.axes)
        if depths[axis] > 1
    }
    truth = [margin(counts, workload, grouping) for grouping in workload.groupings]
    finest = [g for g in workload.groupings if not any(g != h and is_within(g, h) for h in workload.groupings)]
    squares = np.zeros(len(truth))
    for run in range(runs):
        generator = np.random.default_rng(run)
        noisy, variances = {}, {}
        for grouping, index in enumerate(plan.noise_of):
            uniform = generator.random(truth[grouping].shape)
            if index is not None:
                table = plan.tables[index]
                key = key_of(workload.groupings[grouping], depths)
                noisy[key] = table.perturb(truth[grouping], keys=(uniform * 2.0**table.bits).astype(np.uint64))
                variances[key] = float(table.utility["variance"][1])
        released = reconcile_cube(noisy, variances, None, run, levels or None, total_first=True).values
        for grouping, cells in enumerate(workload.groupings):
            finer = next(g for g in finest if is_within(cells, g))
            found = sums_within(released[key_of(finer, depths)], workload, finer, cells)
            squares[grouping] += float(np.mean((found - truth[grouping]) ** 2.0))
    return squares / runs


def is_within(grouping: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return True if the cells of a grouping are sums of cells of the other one."""
    return all(level <= finer for level, finer in zip(grouping, other, strict=True))


def sums_within(cells: Any, workload: Workload, table: tuple[int, ...], grouping: tuple[int, ...]) -> Any:
    """Return the counts of a grouping from the cells of a table that refines it."""
    kept = [axis for axis, level in enumerate(table) if level]
    inner = Workload(
        tuple(workload.axes[axis][: table[axis] + 1] for axis in kept), (tuple(grouping[axis] for axis in kept),)
    )
    return margin(cells, inner, inner.groupings[0])


def one_noise(workload: Workload) -> NoisePlan:
    """Return the plan that measures all groupings with one noise."""
    return plan_noise(workload, groups=[range(len(workload.groupings))], **BUDGET)


def releases(console: Console, made: dict[tuple[str, str], NoisePlan], runs: int) -> None:
    """Print errors of simulated releases."""
    grid = Table(
        "published", "plan", "all cells", "margins, root of mean square", "margins, mean of roots", "worst", "runs"
    )
    cases = [("town", TOWN, town_counts(), runs), ("census-like", CENSUS, census_counts(), max(1, runs // 40))]
    for name, workload, counts, times in cases:
        several = {"one noise": one_noise(workload)} | {f"aim {aim}": made[name, aim] for aim in AIMS}
        several["aim margins, no worse"] = plan_noise(workload, Aim(no_worse_than_published=True), **BUDGET)
        for label, plan in several.items():
            squares = simulate(counts, workload, plan, times)
            cells = math.sqrt((squares * workload.cells).sum() / workload.cells.sum())
            roots = np.sqrt(squares)
            figures = cells, math.sqrt(squares.mean()), float(roots.mean()), float(roots.max())
            grid.add_row(name, label, *(f"{figure:.2f}" for figure in figures), f"{times}")
    console.print(grid)


def estimators(workload: Workload, plan: NoisePlan) -> tuple[Any, Any]:
    """Return the matrix from the noise of measured cells to errors of published cells, and the groupings of these."""
    measured = [grouping for grouping, index in enumerate(plan.noise_of) if index is not None]
    sums = [summing_matrix(workload, grouping) for grouping in range(len(workload.groupings))]
    roots = np.concatenate([np.full(len(sums[g]), 1 / math.sqrt(variance_of(plan, g))) for g in measured])
    inverse = np.linalg.pinv(np.vstack([sums[g] for g in measured]) * roots[:, None], rcond=1e-10) * roots[None, :]
    return np.vstack(sums) @ inverse, np.repeat(np.arange(len(sums)), [len(matrix) for matrix in sums])


def variance_of(plan: NoisePlan, grouping: int) -> float:
    """Return the variance of the noise of a measured grouping."""
    index = plan.noise_of[grouping]
    assert index is not None
    return float(plan.tables[index].utility["variance"][1])


def summing_matrix(workload: Workload, grouping: int) -> Any:
    """Return the matrix that adds the finest cells up to the cells of a grouping."""
    matrix: Any = np.ones((1, 1))
    for sizes, level in zip(workload.axes, workload.groupings[grouping], strict=True):
        matrix = np.kron(matrix, np.eye(sizes[-1]) if level else np.ones((1, sizes[-1])))
    return matrix


def draws(table: PTable, uniform: Any) -> Any:
    """Return noise of a table for uniform numbers."""
    row = table.interior[0]
    return np.searchsorted(np.cumsum(np.array(row.weights) / 2.0**table.bits), uniform, side="right") + row.first


def coverage(console: Console, made: dict[tuple[str, str], NoisePlan], runs: int = 100_000, batch: int = 5_000) -> None:
    """Print the coverage and the half widths of intervals of the town."""
    single = one_noise(TOWN)
    grid = Table("grouping", "own half width")
    columns = {"one noise": single} | {f"aim {aim}": made["town", aim] for aim in AIMS}
    lines: list[list[str]] = []
    own = error_law(Workload((), ((),)), single.tables, (0,), 0).quantile(0.95)
    for levels in TOWN.groupings:
        name = " x ".join(axis for axis, level in zip(TOWN_AXES, levels, strict=True) if level)
        lines.append([name or "total", f"{own:.2f}"])
    for label, plan in columns.items():
        grid.add_column(f"{label}: half width, coverage at 3 and 1000")
        matrix, owner = estimators(TOWN, plan)
        laws = [error_law(TOWN, plan.tables, plan.noise_of, grouping) for grouping in range(len(TOWN.groupings))]
        generator = np.random.default_rng(7)
        held = np.zeros((2, len(laws)))
        for _ in range(runs // batch):
            noise = [
                draws(plan.tables[index], generator.random((batch, int(TOWN.cells[grouping]))))
                for grouping, index in enumerate(plan.noise_of)
                if index is not None
            ]
            errors = np.hstack(noise) @ matrix.T
            for grouping, law in enumerate(laws):
                for row, count in enumerate((3, 1000)):
                    low, high = law.interval(count + errors[:, owner == grouping], 0.95)
                    held[row, grouping] += np.mean((low <= count) & (count <= high)) * batch / runs
        for grouping, law in enumerate(laws):
            shares = ", ".join(f"{100 * share:.2f}%" for share in held[:, grouping])
            lines[grouping].append(f"{law.quantile(0.95):.2f}: {shares}")
    for line in lines:
        grid.add_row(*line)
    console.print(grid)
    console.print(f"{runs:,} runs, all cells of each grouping")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    console = Console(width=180)
    console.print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    made = plans(console)
    releases(console, made, runs)
    coverage(console, made)


if __name__ == "__main__":
    main()

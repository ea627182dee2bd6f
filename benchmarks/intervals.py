"""Intervals of published counts from all measurements: their chance to hold the truth, their width, and their time.

    uv run python -m benchmarks.intervals [--cells 10000] [--draws 100000] [--large]

**Coverage and width.** Measurements are drawn for true counts again and again, until every grouping has had so many
cells. For each grouping: the share of intervals that hold the true count, the same for true counts of 0 and of 3 where
there are any, and half the width of an interval far above 0, beside half the width of the interval of the measurement
of a cell alone. The intervals are not widened to published counts, which can only help. Cells of one draw share errors,
so shares differ from the chance by more than 10,000 draws would. The column "one cell" has the share over so many draws
of the error of the first cell of the grouping, for a count far above 0.

    town        the demo: ten groupings, one noise, with the counts of the town
    skewed      two tables of a skewed population, many empty cells, of which two groupings are measured with two noises
    hierarchy   cells in groups of unequal sizes, one of them with one member

**Time.** Seconds of processor for the intervals of a table of a million cells with all margins (--large).
"""

import argparse
import csv
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from tests.simulated import measured, true_counts

import discreet as dc
from discreet.plan.release_plan import ReleasePlan
from discreet.publish.cell_intervals import own_intervals
from discreet.publish.joint_intervals import JointIntervals, joint_intervals
from discreet.reconcile.table_plan import make_table_plan
from discreet.release import demo_town

GEOMETRIC = {"name": "geometric", "epsilon": "0.5"}


def town() -> tuple[ReleasePlan, Any]:
    """Return the plan of the demo, and the people of the town by leaves."""
    with tempfile.TemporaryDirectory() as folder:
        spec = demo_town.unpack(Path(folder))
        plan = dc.release.plan(spec)
        with Path(spec["source"]["csv"]).open(newline="") as file:
            people = list(csv.DictReader(file))
    books = plan.layout.books
    counts = Counter(tuple(_leaf(plan, book.name, row) for book in books) for row in people)
    array = np.zeros([len(book.leaves) for book in books])
    for leaves, number in counts.items():
        array[leaves] = number
    return plan, array


def _leaf(plan: ReleasePlan, name: str, row: dict[str, str]) -> int:
    dimension, book = plan.spec.dimensions[name], plan.codebooks[name]
    text = row[dimension.column]
    if dimension.ranges is not None:
        for leaf, (low, high) in enumerate(dimension.ranges.values()):
            if text and (low is None or float(text) >= float(low)) and (high is None or float(text) < float(high)):
                return leaf
        return len(book.leaves) - 1
    return book.leaves.index(text) if text in book.leaves else len(book.leaves) - 1


def generated(sides: dict[str, int], spec: dict[str, Any]) -> tuple[ReleasePlan, Any]:
    """Return a plan for a skewed population, and the population: most combinations are empty, some have three."""
    dimensions = {name: {"column": name, "categories": [str(at) for at in range(side)]} for name, side in sides.items()}
    for name, levels in spec.pop("levels", {}).items():
        dimensions[name]["levels"] = levels
    plan = dc.release.plan(
        {
            "version": "1",
            "source": {"csv": "people.csv"},
            "dimensions": dimensions,
            "budget": {"epsilon": 20, "delta": "1e-6"},
            "key": "fresh",
            **spec,
        }
    )
    rng = np.random.default_rng(5)
    shape = [len(book.leaves) for book in plan.layout.books]
    people = np.floor(rng.pareto(0.7, shape) * (rng.random(shape) < 0.5)).clip(max=1e5)
    people[rng.random(shape) < 0.1] = 3
    return plan, people


def workloads() -> dict[str, tuple[ReleasePlan, Any]]:
    """Return plans and populations by name."""
    skewed = {
        "tables": [
            {"name": "t", "dimensions": ["a", "b", "c"], "margins": "all"},
            {"name": "u", "dimensions": ["a", "d"], "margins": "all"},
        ],
        "measure": [
            {"table": "t", "design": GEOMETRIC},
            {"table": "u", "design": GEOMETRIC | {"epsilon": "0.25"}},
            {"table": "t", "margin": ["a"], "design": GEOMETRIC | {"epsilon": "1"}},
        ],
    }
    levels = {"groups": {"x": ["0"], "y": ["1", "2"], "z": ["3", "4", "5", "6", "7"]}}
    hierarchy = {
        "levels": {"a": levels},
        "tables": [
            {"name": "t", "dimensions": ["a", "b"], "margins": "all"},
            {"name": "g", "dimensions": [{"dimension": "a", "level": "groups"}, "b"], "margins": "all"},
        ],
        "design": GEOMETRIC,
    }
    return {
        "town": town(),
        "skewed": generated({"a": 6, "b": 5, "c": 4, "d": 7}, skewed),
        "hierarchy": generated({"a": 12, "b": 3}, hierarchy),
    }


def coverage(console: Console, cells: int, draws: int) -> None:
    """Print the shares of intervals that hold the true count, and half widths."""
    grid = Table(
        "data", "grouping", "measured", "covered", "count 0", "count 3", "one cell", "half width", "of the cell alone"
    )
    for name, (plan, people) in workloads().items():
        joint, truth, rng = (
            joint_intervals(plan, make_table_plan(plan)),
            true_counts(plan, people),
            np.random.default_rng(1),
        )
        sizes = [grouping.size for grouping in plan.layout.groupings]
        held: list[list[Any]] = [[] for _ in sizes]
        drawn = [0] * len(sizes)
        while min(drawn) < cells:
            wanted = {index for index, number in enumerate(drawn) if number < cells}
            ends = joint.ends(measured(plan, truth, rng))
            for index in wanted:
                low, high = ends[index]
                held[index].append((low <= truth[index]) & (truth[index] <= high))
                drawn[index] += sizes[index]
        for index, grouping in enumerate(plan.layout.groupings):
            inside = np.array([part.ravel() for part in held[index]])
            zero, three = (inside[:, truth[index].ravel() == count] for count in (0, 3))
            own = plan.ptable_of(index)
            alone = "" if own is None else f"{_own_half(own):.1f}"
            grid.add_row(
                name, grouping.name, "no" if own is None else "yes", f"{inside.mean():.2%}",
                *(f"{part.mean():.2%}" if part.size else "" for part in (zero, three)),
                f"{_one_cell(plan, joint, index, draws):.2%}", _half(joint, index), alone,
            )  # fmt: skip
    console.print(grid)


def _one_cell(plan: ReleasePlan, joint: JointIntervals, index: int, draws: int) -> float:
    """Return the share of draws in which the interval of the first cell of a grouping holds a large count."""
    kinds, laws = joint.laws(index)
    times, rng = np.zeros(kinds.shape), np.random.default_rng(index)
    times.flat[0] = 1.0
    errors = np.zeros(draws)
    for table, values in joint.part_of[index].coefficients({index: times}):
        row = plan.ptables[table].interior[0]
        ends = np.cumsum(np.array(row.weights, dtype=np.float64) / plan.ptables[table].table.total)
        for value in values[values != 0].tolist():
            noise = np.minimum(np.searchsorted(ends, rng.random(draws)), len(ends) - 1) + row.first
            errors += value * noise
    low, high = laws[int(kinds.flat[0])].interval(10**6 + errors, 0.95)
    return float(np.mean((low <= 10**6) & (high >= 10**6)))


def _half(joint: JointIntervals, index: int) -> str:
    lower, upper = joint.ends_of_errors(index)
    halves = (upper - lower) / 2
    ends = f"{halves.min():.1f}", f"{halves.max():.1f}"
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _own_half(ptable: Any) -> float:
    [own] = own_intervals(ptable.table, [np.array([10**6])])
    return float(own.high[0] - own.low[0]) / 2


def large(console: Console) -> None:
    """Print the time of the intervals of a million cells."""
    for name, levels in (("100 x 100 x 100", {}), ("1,000 in 20 unequal groups x 1,000", _unequal())):
        sides = {"a": 99, "b": 99, "c": 99} if not levels else {"a": 999, "b": 999}
        tables: list[dict[str, Any]] = [{"name": "t", "dimensions": list(sides), "margins": "all"}]
        if levels:
            tables.append({"name": "g", "dimensions": [{"dimension": "a", "level": "g"}, "b"], "margins": "all"})
        plan, people = generated(sides, {"levels": levels, "tables": tables, "design": GEOMETRIC})
        measurements = measured(plan, true_counts(plan, people), np.random.default_rng(2))
        table_plan = make_table_plan(plan)
        start = time.process_time()
        ends = joint_intervals(plan, table_plan).ends(measurements)
        console.print(f"{name}: {len(ends)} groupings, {time.process_time() - start:.1f} s of processor")


def _unequal() -> dict[str, Any]:
    groups: dict[str, list[str]] = {}
    for at in range(999):
        groups.setdefault(f"g{int((at / 999) ** 2 * 20)}", []).append(str(at))
    return {"a": {"g": groups}}


def main() -> None:
    """Print all parts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    console = Console(width=150)
    if arguments.large:
        large(console)
    coverage(console, arguments.cells, arguments.draws)


if __name__ == "__main__":
    main()

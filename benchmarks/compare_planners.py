"""Compare planned releases with those of other planners: errors in theory and in simulations, at the same guarantee.

    uv run --group bench python -m benchmarks.compare_planners [--adult FILE] [--runs 100] [--only town]

FILE is the UCI Adult training file as CSV with a header, which may be gzipped. Without it Adult is compared in theory.

Everyone may lose epsilon 1 and delta 1e-6 in all. The guarantee of Discreet and of the fixed splits is composed from
the certified integers, the guarantee of Gaussian noise is exact for real numbers (Balle and Wang 2018), and Laplace
noise has delta 0. `peer_planners` says what the others are, `peer_estimates` how they estimate.

**Theory.** Unbiased least squares: the root of the mean variance of all cells, the root of the mean variance of the
published groupings ("margins"), and the largest standard deviation of a grouping. Seconds are those of the processor,
for the plan; Discreet's include its certificates.

**Simulations.** The same three figures as root mean square errors of what is published. Runs are paired: integer noise
takes the same uniform draws for the same cells, and Private-PGM gets the very measurements of Discreet. ResidualPlanner
and HDMM are followed by least squares with cells of 0 or more. Fixed splits are reconciled by Discreet. "All axes
crossed too": the table of all axes is published as well, with weight 0, and its own error is not counted.
"""

import argparse
import csv
import gzip
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.peer_estimates import Cube, PrivatePgm, add_up, noisy_coordinates
from benchmarks.peer_planners import (
    EPSILON,
    MU,
    GaussianOnSpaces,
    IntegerNoise,
    Levels,
    NoiseOnMargins,
    fixed_split,
    gaussian_delta,
    hdmm,
    residual_planner,
    zcdp_mu,
)
from benchmarks.planner import (
    ADULT,
    BUDGET,
    CENSUS,
    TOWN,
    census_counts,
    is_within,
    key_of,
    margin,
    one_noise,
    sums_within,
    town_counts,
)
from discreet.plan.planner import Aim, Workload, plan_noise
from discreet.reconcile.cubes import reconcile_cube

ADULT_COLUMNS = ("sex", "race", "education", "marital_status")
ADULT_AGES = (20, 30, 40, 50, 60, 70, 80)

Plan = IntegerNoise | GaussianOnSpaces | NoiseOnMargins


@dataclass(frozen=True)
class Contender:
    """A planner with its plan.

    Attributes
    ----------
    name
        Who plans, and what is made small.
    workload
        What the planner was told is published.
    plan
        The plan.
    variances
        The variance of every published grouping by unbiased least squares.
    delta
        delta at epsilon 1, exact or an upper bound.
    seconds
        Seconds of the processor.
    """

    name: str
    workload: Workload
    plan: Plan
    variances: Any
    delta: float
    seconds: float


def adult_counts(path: Path) -> Any:
    """Return the counts of the Adult file by sex, race, education, marital status and age."""
    packed = path.read_bytes()
    text = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode()
    rows = list(csv.DictReader(text.splitlines()))
    cells = [np.unique([row[name].strip() for row in rows], return_inverse=True)[1] for name in ADULT_COLUMNS]
    cells.append(np.searchsorted(ADULT_AGES, [int(row["age"]) for row in rows], side="right"))
    counts = np.zeros([sizes[-1] for sizes in ADULT.axes], dtype=np.int64)
    np.add.at(counts, tuple(cells), 1)
    return counts


def planned(workload: Workload, aim: Aim | None) -> tuple[IntegerNoise, Any, float]:
    """Return a plan of Discreet, or one noise for all groupings: the noise, its variances, and delta."""
    plan = one_noise(workload) if aim is None else plan_noise(workload, aim, **BUDGET)
    return IntegerNoise(plan.tables, plan.noise_of, plan.composed[1]), np.array(plan.deviations) ** 2, plan.composed[1]


def contenders(workload: Workload, geography: int | None) -> list[Contender]:
    """Return the plans of everyone."""
    found: list[Contender] = []

    def add(name: str, make: Callable[[], tuple[Plan, Any, float]], told: Workload = workload) -> None:
        start = time.process_time()
        plan, variances, delta = make()
        found.append(Contender(name, told, plan, variances, delta, time.process_time() - start))

    def residual(aim: str) -> tuple[Plan, Any, float]:
        plan = residual_planner(workload, aim)
        return plan, plan.variances, gaussian_delta(MU)

    def weighted(aim: str, laplace: bool) -> tuple[Plan, Any, float]:
        plan = hdmm(workload, aim, laplace=laplace)
        return plan, plan.variances, 0.0 if laplace else gaussian_delta(MU)

    def split(gaussian: bool) -> tuple[Plan, Any, float]:
        plan = fixed_split(workload, geography, gaussian=gaussian)
        noise = [plan.tables[index] for index in plan.noise_of if index is not None]
        tau = [1 / float(table.utility["variance"][1]) for table in noise]
        return plan, workload.variances(tau), plan.delta

    add("Discreet, one noise", lambda: planned(workload, None))
    for aim in ("margins", "cells", "worst"):
        add(f"Discreet, {aim}", lambda aim=aim: planned(workload, Aim(aim)))  # type: ignore[misc]
    finest = tuple(len(sizes) - 1 for sizes in workload.axes)
    if finest not in workload.groupings:
        finer = replace(workload, groupings=(*workload.groupings, finest), touches=None)
        weights = (1.0,) * len(workload.groupings) + (0.0,)
        add("Discreet, cells, all axes crossed too", lambda: planned(finer, Aim("cells", weights)), finer)
    for aim in ("margins", "cells", "worst"):
        add(f"ResidualPlanner, {aim}", lambda aim=aim: residual(aim))  # type: ignore[misc]
    for laplace in (False, True):
        for aim in ("margins", "cells"):
            name = f"HDMM, {'Laplace' if laplace else 'Gaussian'}, {aim}"
            add(name, lambda aim=aim, laplace=laplace: weighted(aim, laplace))  # type: ignore[misc]
    for gaussian in (True, False):
        name = f"fixed split, {'discrete Gaussian' if gaussian else 'geometric'}"
        add(name, lambda gaussian=gaussian: split(gaussian))  # type: ignore[misc]
    return found


def figures(workload: Workload, squares: Any) -> list[str]:
    """Return the three figures of mean square errors of the published groupings."""
    squares = np.asarray(squares)[: len(workload.groupings)]
    cells = math.sqrt((squares * workload.cells).sum() / workload.cells.sum())
    return [f"{figure:.2f}" for figure in (cells, math.sqrt(squares.mean()), math.sqrt(squares.max()))]


def theory(console: Console, name: str, workload: Workload, everyone: list[Contender]) -> None:
    """Print standard deviations of unbiased least squares."""
    grid = Table("planner", "cells", "margins", "worst", "delta", "measured", "seconds", title=f"{name}: theory")
    for contender in everyone:
        plan = contender.plan
        if isinstance(plan, IntegerNoise):
            measured = f"{sum(index is not None for index in plan.noise_of)} groupings"
        elif isinstance(plan, NoiseOnMargins):
            measured = f"{len(plan.noise_variances)} groupings"
        else:
            measured = f"{len(plan.precisions)} spaces"
        delta = f"{contender.delta:.3g}"
        row = figures(workload, contender.variances), delta, measured, f"{contender.seconds:.2f}"
        grid.add_row(contender.name, *row[0], *row[1:])
    console.print(grid)


def measured(
    counts: Any, told: Workload, plan: IntegerNoise, run: int
) -> tuple[dict[Levels, Any], dict[Levels, float]]:
    """Return noisy integers and their variances by grouping. The same cell has the same uniform draw in all plans."""
    noisy, variances = {}, {}
    for number, (grouping, index) in enumerate(zip(told.groupings, plan.noise_of, strict=True)):
        if index is not None:
            table, true = plan.tables[index], margin(counts, told, grouping)
            uniform = np.random.default_rng((run, number)).random(true.shape)
            keys = np.floor(uniform * 2.0**53).astype(np.uint64)
            keys = keys << np.uint64(table.bits - 53) if table.bits >= 53 else keys >> np.uint64(53 - table.bits)
            noisy[grouping] = table.perturb(true, keys=keys)
            variances[grouping] = float(table.utility["variance"][1])
    return noisy, variances


def reconciled(told: Workload, noisy: dict[Levels, Any], variances: dict[Levels, float], seed: int) -> list[Any]:
    """Return the integers that Discreet publishes, for every grouping."""
    depths = [len(sizes) - 1 for sizes in told.axes]
    levels = {
        axis: {f"level {level}": np.arange(sizes[-1]) * sizes[level] // sizes[-1] for level in range(1, depths[axis])}
        for axis, sizes in enumerate(told.axes)
        if depths[axis] > 1
    }
    keyed = {key_of(grouping, depths): values for grouping, values in noisy.items()}
    weights = {key_of(grouping, depths): variance for grouping, variance in variances.items()}
    released = reconcile_cube(keyed, weights, None, seed, levels or None, total_first=True).values
    finest = [g for g in told.groupings if not any(g != h and is_within(g, h) for h in told.groupings)]
    result = []
    for grouping in told.groupings:
        table = next(finer for finer in finest if is_within(grouping, finer))
        result.append(sums_within(released[key_of(table, depths)], told, table, grouping))
    return result


def publisher(contender: Contender, counts: Any, pgm: PrivatePgm | None = None) -> Callable[[int], list[Any]]:
    """Return a function from the number of a run to what is published then."""
    plan, told = contender.plan, contender.workload
    if isinstance(plan, IntegerNoise):
        if pgm is not None:
            return lambda run: pgm.margins(*measured(counts, told, plan, run))
        return lambda run: reconciled(told, *measured(counts, told, plan, run), run)
    cube = Cube(told)

    def bounded(run: int) -> list[Any]:
        estimate, precisions = noisy_coordinates(cube, counts, plan, np.random.default_rng(run))
        return cube.margins(cube.least_squares(estimate, precisions))

    return bounded


def simulations(
    console: Console, name: str, workload: Workload, counts: Any, everyone: list[Contender], runs: int
) -> None:
    """Print root mean square errors of simulated releases, and what the published numbers are like."""
    grid = Table("planner", "cells", "margins", "worst", "integers", "adds up", "least", "seconds a release")
    grid.title = f"{name}: {runs} simulated releases of {counts.sum():,} people"
    truth = [margin(counts, workload, grouping) for grouping in workload.groupings]
    several = [(contender.name, publisher(contender, counts)) for contender in everyone]
    for contender in everyone:
        if contender.name in ("Discreet, margins", "Discreet, cells", "Discreet, worst"):
            pgm = publisher(contender, counts, PrivatePgm(workload))
            several.append((f"Private-PGM on {contender.name}", pgm))
    for label, publish in several:
        squares, integers, additive, least = np.zeros(len(truth)), True, True, math.inf
        publish(0)  # compiles what is compiled
        start = time.process_time()
        for run in range(runs):
            published = publish(run)
            squares += [float(np.mean((found - true) ** 2.0)) for found, true in zip(published, truth, strict=False)]
            integers &= all(bool((np.asarray(cells) == np.rint(cells)).all()) for cells in published)
            additive &= add_up(published[: len(truth)], workload)
            least = min(least, *(float(np.min(cells)) for cells in published))
        seconds = (time.process_time() - start) / runs
        said = "yes" if integers else "no", "yes" if additive else "no", f"{least:.3g}", f"{seconds:.2f}"
        grid.add_row(label, *figures(workload, squares / runs), *said)
    console.print(grid)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adult", type=Path, help="the UCI Adult training file")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--only", choices=["town", "Adult", "census-like"])
    arguments = parser.parse_args()
    console = Console(width=150)
    console.print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    console.print(
        f"epsilon {EPSILON:g}, delta 1e-6: mu is {MU:.4f} exactly, {zcdp_mu():.4f} by the conversion of zCDP, whose"
        f" noise is wider by {MU / zcdp_mu() - 1:.1%}"
    )
    adult = None if arguments.adult is None else adult_counts(arguments.adult)
    cases: list[tuple[str, Workload, int | None, Any, int]] = [
        ("town", TOWN, None, town_counts(), arguments.runs),
        ("Adult", ADULT, None, adult, arguments.runs),
        ("census-like", CENSUS, 0, census_counts(), max(2, arguments.runs // 20)),
    ]
    for name, workload, geography, counts, runs in cases:
        if arguments.only in (None, name):
            everyone = contenders(workload, geography)
            theory(console, name, workload, everyone)
            if counts is not None:
                simulations(console, name, workload, counts, everyone, runs)


if __name__ == "__main__":
    main()

"""Time of intervals for a million cells, and their coverage: `uv run python -m benchmarks.infer`."""

import os
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.timing import best
from discreet import design
from discreet.infer import coverage, intervals

CELLS = 1_000_000
PRIORS = ("uniform", "poisson:20", "negative-binomial:20:0.5")


def main() -> None:
    """Print the table of times and the table of coverage."""
    tables = {
        "geometric, epsilon 1": design.geometric(epsilon=1).certify(),
        "geometric, epsilon 0.1": design.geometric(epsilon="0.1").certify(),
        "Gaussian, variance 180": design.gaussian(sigma2=180).certify(epsilon="0.4"),
        "maximum entropy, support 10": design.maxent(support=10, variance=10).certify(epsilon=1),
        "geometric on 0..100": design.geometric(epsilon=1, upper=100).certify(),
    }
    rng = np.random.default_rng(1)
    sparse = rng.negative_binomial(0.5, 0.5 / 20.5, CELLS)
    spread = rng.integers(0, 10**8, CELLS)
    console = Console(width=140)
    times = Table("noise", "prior", "sparse cells, seconds", "cells all different, seconds")
    shown = Table("noise", "prior", "true 0", "true 1", "true 5", "true 20", "true 100", "least, up to 40", "average")
    for name, table in tables.items():
        measured = [np.asarray(table.perturb(true)) for true in (sparse, spread)]
        for prior in PRIORS:
            seconds = [best(partial(intervals, table, cells, prior=prior), 1) for cells in measured]
            times.add_row(name, prior, *(f"{duration:.2f}" for duration in seconds))
            covered = coverage(table, prior=prior, counts=[0, 1, 5, 20, 100])
            least = min(coverage(table, prior=prior, counts=range(41)).chances)
            average = f"{float(covered.average):.4f}"
            shown.add_row(name, prior, *(f"{float(chance):.4f}" for chance in (*covered.chances, least)), average)
    console.print(f"intervals of {CELLS:,} cells")
    console.print(times)
    console.print("chance that a 95% interval holds the true count")
    console.print(shown)
    console.print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()

"""Time of posteriors of additive counts (Wang 2020), and the largest probability that is left out.

    uv run python -m benchmarks.infer_wang

For three components, also the sum over all noisy tables within 30/epsilon of the released table, as the paper does for
two. Then the time of algorithm 3 itself, up to a million components. Seconds are seconds of the processor, which do not
depend on other processes.
"""

import os
import time
from functools import partial
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import timing
from discreet.infer import wang
from discreet.infer.wang_posteriors import _coupled
from discreet.papers.wang2020.example_data import EXAMPLE_1, EXAMPLE_2
from discreet.reconcile import wang as reconcile

whole = import_module("discreet.infer.wang_posteriors.components")

UP_TO_1000 = np.random.default_rng(1).integers(0, 1000, 50)

LISTS: dict[str, tuple[Any, float]] = {
    "2 components": ([250, 357], 1.0),
    "3 components": ([9, 4, 14], 1.0),
    "50 components, Example 2": (EXAMPLE_2, 1.0),
    "50 components, Example 1": (EXAMPLE_1, 1.0),
    "50 components, one person": ([1] + [0] * 49, 1.0),
    "10 components, epsilon 0.2": (np.arange(10) * 5, 0.2),
    "50 components to 1000, epsilon 0.5": (UP_TO_1000, 0.5),
    "50 components to 1000, epsilon 0.25": (UP_TO_1000, 0.25),
}

SIZES = (1_000, 10_000, 100_000, 1_000_000)

RULES = (("3", "first"), ("3", "random"), ("2", "first"))


best = partial(timing.best, clock=time.process_time)


def every_table(released: Any, epsilon: float) -> Any:
    """Return the joint posterior by the sum over all noisy tables: algorithm 3, ties to the first."""
    reach = int(30 / epsilon)
    values = np.arange(max(released) + reach + 1)
    noisy = np.array(list(product(values, repeat=len(released))))
    total = int(np.sum(released))
    outcome = reconcile(noisy, np.full(len(noisy), total), algorithm="3", ties="first")
    table = (outcome == released).all(axis=1).astype(float).reshape((len(values),) * len(released))
    noise = np.exp(-epsilon * np.abs(np.subtract.outer(values, values)))
    noise[:, 0] /= -np.expm1(-epsilon)
    for axis in range(len(released)):
        table = np.moveaxis(np.tensordot(noise, table, axes=(1, axis)), 0, axis)
    sums = sum(np.meshgrid(*[values] * len(released), indexing="ij"))
    table *= np.exp(-epsilon * np.abs(total - sums))
    return table / table.sum()


MODES = {
    "0 to 50": lambda generator, size: generator.integers(0, 50, size),
    "all 1": lambda generator, size: np.ones(size, np.int64),
    "0 to 2**40": lambda generator, size: generator.integers(0, 2**40, size),
}


def seconds_of_mode(size: int, make: Any) -> float:
    """Return the seconds of algorithm 3 with random ties. The total is nine tenths of the sum of the components."""
    components = make(np.random.default_rng(2), size)
    total = min(int(components.sum()) * 9 // 10, 2**42)
    return best(partial(reconcile, components, total, algorithm="3", seed=1), 3)


def main() -> None:
    """Print the seconds."""
    grid = Table("released", "algorithm", "ties", "seconds", "rows", "left out at most")
    for name, (released, epsilon) in LISTS.items():
        for algorithm, ties in RULES:
            ask = partial(wang, released, epsilon=epsilon, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
            rows, total, rate = whole._rows(released, epsilon, algorithm, ties, None)
            left_out = _coupled.marginal_posteriors(rows, total, rate)[1]
            grid.add_row(name, algorithm, ties, f"{best(ask, 3):.3f}", str(len(rows)), f"{left_out:.1e}")
    released, epsilon = LISTS["3 components"]
    slow, fast = (best(run, 1) for run in (partial(every_table, released, epsilon), partial(wang, released, epsilon=1)))
    modes = Table("components", *MODES)
    for size in SIZES:
        modes.add_row(f"{size:,}", *(f"{seconds_of_mode(size, make):.3f}" for make in MODES.values()))
    Console(width=120).print(grid)
    Console(width=120).print(modes)
    print(f"every noisy table of 3 components: {slow:.2f} s, {slow / fast:,.0f} times as long")
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()

"""How long posteriors of counts that were made to add up take, and how much is left out at most.

    uv run python -m benchmarks.infer_wang

Beside them the sum over every noisy table within 30/epsilon of the released one, for three components, by the algorithm
itself: what the paper does for two.
"""

import os
from functools import partial
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.timing import best
from discreet.infer import coupled, wang
from discreet.papers.wang2020 import EXAMPLE_1, EXAMPLE_2
from discreet.reconcile import wang as reconcile

whole = import_module("discreet.infer.wang")

LISTS: dict[str, tuple[Any, float]] = {
    "2 components": ([250, 357], 1.0),
    "3 components": ([9, 4, 14], 1.0),
    "50 components, Example 2": (EXAMPLE_2, 1.0),
    "50 components, Example 1": (EXAMPLE_1, 1.0),
    "50 components, one person": ([1] + [0] * 49, 1.0),
    "10 components, epsilon 0.2": (np.arange(10) * 5, 0.2),
}

RULES = (("3", "first"), ("3", "random"), ("2", "first"))


def every_table(released: Any, epsilon: float) -> Any:
    """The joint posterior by the sum over all noisy tables, algorithm 3, ties to the first."""
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


def main() -> None:
    """Run it and print seconds."""
    grid = Table("released", "algorithm", "ties", "seconds", "rows", "left out at most")
    for name, (released, epsilon) in LISTS.items():
        for algorithm, ties in RULES:
            ask = partial(wang, released, epsilon=epsilon, algorithm=algorithm, ties=ties)  # type: ignore[arg-type]
            rows, total, rate = whole._rows(released, epsilon, algorithm, ties, None)
            left_out = coupled.laws(rows, total, rate)[1]
            grid.add_row(name, algorithm, ties, f"{best(ask, 3):.3f}", str(len(rows)), f"{left_out:.1e}")
    released, epsilon = LISTS["3 components"]
    slow, fast = (best(run, 1) for run in (partial(every_table, released, epsilon), partial(wang, released, epsilon=1)))
    Console(width=120).print(grid)
    print(f"every noisy table of 3 components: {slow:.2f} s, {slow / fast:,.0f} times as long")
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()

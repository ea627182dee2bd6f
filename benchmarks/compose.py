"""Time to compose k cells and find epsilon, compared with dp_accounting's privacy loss distributions in one run.

uv run python -m benchmarks.compose

The peer gets the pair of neighbouring counts, in both directions, at its default discretisation, and returns an upper
bound too. An empty figure means that the peer was left out, because it would take long.
"""

import math
import os

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as peer
from rich.console import Console
from rich.table import Table

import discreet as dc
from benchmarks.timing import best
from discreet.account import compose, profile

GAMMA = 127 / 12495
"""Sadeghi 2023, Example 1."""

PEER_MOST = 1000


def maximum_entropy(support: int) -> dc.Mechanism:
    """Return noise in proportion to exp(-gamma z**2)."""
    weights = [math.exp(-GAMMA * z * z) for z in range(-support, support + 1)]
    row = dc.Row.of(-support, [w / math.fsum(weights) for w in weights])
    return dc.Mechanism(dc.Counts(), interior=(row,))


def theirs(mechanism: dc.Mechanism, cells: int, delta: float) -> float:
    """Return the epsilon of the peer."""
    distribution, neighbour = (
        {y: math.log(p) for y, p in zip(*(part.tolist() for part in mechanism.pmf(c)), strict=True)} for c in (100, 101)
    )
    pair = peer.from_two_probability_mass_functions(distribution, neighbour, symmetric=False)
    return float(pair.self_compose(cells).get_epsilon_for_delta(delta))


def main() -> None:
    """Print seconds and epsilons."""
    console = Console(width=120)
    console.print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    designs = {
        "max entropy, D 25": maximum_entropy(25),
        "max entropy, D 60": maximum_entropy(60),
        "geometric .2": dc.design.geometric(epsilon="0.2"),
        "bounded .5 .1 20": dc.design.bounded(epsilon="0.5", eta="0.1", support=20, lowest=20),
    }
    table = Table()
    for head in ("noise", "cells", "delta", "epsilon", "theirs", "seconds", "theirs", "ratio"):
        table.add_column(head, justify="right")
    for name, mechanism in designs.items():
        certified = mechanism.certify(epsilon="0.5" if "geometric" not in name else "0.2", bits=62)
        for cells in (1, 100, 1000, 10_000):
            delta = max(1e-6, min(0.9, 1.1 * compose(certified, cells).floor))
            epsilon = compose(certified, cells).epsilon(delta)
            ours = best(lambda t=certified, k=cells, d=delta: compose(t, k).epsilon(d), 3)  # type: ignore[misc]
            figures = [name, f"{cells}", f"{delta:.2g}", f"{epsilon:.5f}"]
            if cells <= PEER_MOST:
                peer_epsilon = theirs(mechanism, cells, delta)
                seconds = best(lambda m=mechanism, k=cells, d=delta: theirs(m, k, d), 1)  # type: ignore[misc]
                table.add_row(*figures, f"{peer_epsilon:.5f}", f"{ours:.3f}", f"{seconds:.3f}", f"{seconds / ours:.0f}")
            else:
                table.add_row(*figures, "", f"{ours:.3f}", "", "")
    console.print(table)
    noise = maximum_entropy(50)
    at = np.linspace(0, 1, 10_000)
    curve = profile(noise)
    matrix = dc.design.geometric(alpha="9/10", upper=200)
    rows = {
        "profile of 101-point noise at 10,000 knots": best(lambda: curve.delta(at), 5),
        "its pair": best(lambda: curve.pair(1e-4), 5),
        "five rows a person, 100 groupings, epsilon at 0.5": best(
            lambda: compose(maximum_entropy(60), 100, contributions=5).epsilon(0.5), 1
        ),
        "201 x 201 matrix, 10,000 cells, epsilon at 1e-6": best(lambda: compose(matrix, 10_000).epsilon(1e-6), 1),
    }
    for name, seconds in rows.items():
        console.print(f"{name}: {seconds:.4f} s")


if __name__ == "__main__":
    main()

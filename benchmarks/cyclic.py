"""Noise on a cycle: times of the closed form, the linear program and the integer program.

    uv run python -m benchmarks.cyclic

The integer program is for probabilistic DP, with the same size, differences and cost, in the same run.
"""

import os
import warnings
from functools import partial

from rich.console import Console
from rich.table import Table

from benchmarks.timing import best
from discreet.design import cyclic
from discreet.errors import PrivacyWarning

MILLION = {
    "1..6": (1, 2, 3, 4, 5, 6),
    "powers of ten": (1, 10, 100, 1_000, 10_000, 100_000),
    "spread": (1, 7, 333_333, 250_000, 99_991, 31_337),
}


def main() -> None:
    """Print the comparison."""
    warnings.simplefilter("ignore", PrivacyWarning)
    grid = Table("what", "seconds", "times faster than the integer program")
    for name, steps in MILLION.items():
        seconds = best(partial(cyclic, size=10**6, epsilon=1, neighbours=steps), 3)
        grid.add_row(f"delta 0, size 1,000,000, differences {name}", f"{seconds:.3f}", "")
    for few in ((1,), (1, 2, 3)):
        circular = partial(cyclic, epsilon=1, objective="circular", neighbours=few)
        for delta in ("0.001", "0.1"):
            seconds = best(partial(circular, size=1000, delta=delta), 3)
            grid.add_row(f"DP, circular, size 1,000, differences {few}, delta {delta}", f"{seconds:.3f}", "")
        linear = best(partial(circular, size=64, delta="0.01"), 5)
        whole = best(partial(circular, size=64, delta="0.01", privacy="pdp"), 1)
        grid.add_row(f"DP, circular, size 64, differences {few}", f"{linear:.4f}", f"{whole / linear:,.0f}")
        grid.add_row("probabilistic DP, the same, integer program", f"{whole:.2f}", "1")
    Console(width=120).print(grid)
    print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()

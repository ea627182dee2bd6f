"""Time to certify and verify a matrix mechanism, and to compute its privacy curve.

uv run python -m benchmarks.certify
"""

import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import discreet


def main() -> None:
    """Print seconds for several sizes."""
    table = Table(title=f"seconds; load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores", title_justify="left")
    for head in ("matrix", "design", "certify", "verify", "delta at 1,000 epsilons"):
        table.add_column(head, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        for n in (20, 100, 200, 500):
            marks = [time.perf_counter()]
            mechanism = discreet.design.geometric(alpha="9/10", upper=n)
            marks.append(time.perf_counter())
            mechanism.certify().save(path)
            marks.append(time.perf_counter())
            discreet.verify(path)
            marks.append(time.perf_counter())
            mechanism.deltas(np.linspace(0, 5, 1000))
            marks.append(time.perf_counter())
            table.add_row(f"{n + 1} x {n + 1}", *(f"{b - a:.3f}" for a, b in pairwise(marks)))
    Console().print(table)


if __name__ == "__main__":
    main()

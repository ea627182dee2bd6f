"""Time of `discreet infer DIR -o FILE` on a release of a million cells, without and with `--minus`.

uv run python -m benchmarks.infer_folder
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from discreet.release import run

SIDE = 99


def main() -> None:
    """Publish a table of 100 by 100 by 100 cells and its margins twice, and time the command."""
    rng = np.random.default_rng(1)
    labels = [str(value) for value in range(SIDE)]
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        rows = rng.integers(0, SIDE, (300_000, 3)).tolist()
        (directory / "people.csv").write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
        spec = {
            "version": "1",
            "source": {"csv": str(directory / "people.csv")},
            "dimensions": {column: {"column": column, "categories": labels} for column in "abc"},
            "tables": [{"name": "t", "dimensions": ["a", "b", "c"], "margins": "all"}],
            "design": {"name": "geometric", "epsilon": 1},
            "budget": {"epsilon": 9, "delta": "1e-3"},
            "key": "fresh",
        }
        for version in ("1", "2"):
            run(spec | {"version": version}, directory / version)
        for options in ([], ["--minus", str(directory / "1")]):
            _time([str(directory / "2"), *options, "-o", str(directory / "found.csv")])
            cells = (directory / "found.csv").read_text().count("\n") - 1
            print(f"{cells:,} cells, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def _time(arguments: list[str]) -> None:
    """Run the command, and print its seconds and memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    command = [str(Path(sys.executable).with_name("discreet")), "infer", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{'a table' if len(arguments) == 3 else 'changes'}: {seconds:.1f} s, {spent:.1f} s of processor time, at most"
        f" {used.ru_maxrss / 1024:.0f} MB"
    )


if __name__ == "__main__":
    main()

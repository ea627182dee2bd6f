"""`discreet infer DIR -o FILE` on a release of a million cells: `uv run python -m benchmarks.infer_folder`."""

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
    """Publish a table of 100 by 100 by 100 cells and its margins, and time the command on it."""
    rng = np.random.default_rng(1)
    labels = [str(value) for value in range(SIDE)]
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        rows = rng.integers(0, SIDE, (300_000, 3)).tolist()
        (place / "people.csv").write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
        spec = {
            "version": "1",
            "source": {"csv": str(place / "people.csv")},
            "dimensions": {each: {"column": each, "categories": labels} for each in "abc"},
            "tables": [{"name": "t", "dimensions": ["a", "b", "c"], "margins": "all"}],
            "design": {"name": "geometric", "epsilon": 1},
            "budget": {"epsilon": 9, "delta": "1e-3"},
            "key": "fresh",
        }
        run(spec, place / "out")
        start = time.perf_counter()
        command = [
            str(Path(sys.executable).with_name("discreet")),
            "infer",
            str(place / "out"),
            "-o",
            str(place / "found.csv"),
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        cells = (place / "found.csv").read_text().count("\n") - 1
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{cells:,} cells: {seconds:.1f} s, of them {used.ru_utime + used.ru_stime:.1f} s of processor time, "
        f"{used.ru_maxrss / 1024:.0f} MB, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    )


if __name__ == "__main__":
    main()

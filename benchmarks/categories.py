"""A release of one dimension with many declared categories, and its two checks: seconds and peak memory.

    uv run python -m benchmarks.categories [--categories 10000 100000 1000000] [--rows 200000]

The release, the check by replay and the second checker run in processes of their own. The table shows their seconds of
processor time and their peak in MB. One row in a hundred has an undeclared category. Time and memory should be in
proportion to the number of categories, plus a constant.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

STEPS = ("release", "first check", "second check")


def generate(file: Path, rows: int, categories: int) -> None:
    """Write people with an id and a category."""
    import duckdb

    code = f"hash(i) % {categories} + CASE WHEN i % 100 = 0 THEN {categories} ELSE 0 END"
    duckdb.execute(f"COPY (SELECT i AS id, 'c' || ({code}) AS c FROM range({rows}) t(i)) TO '{file}' (HEADER)")


def release(folder: Path, categories: int) -> None:
    """Release the file people.csv into the folder `out`."""
    from discreet.release import run

    os.environ["BENCHMARK_SECRET"] = os.urandom(32).hex()
    spec: dict[str, Any] = {
        "version": "1",
        "source": {"csv": str(folder / "people.csv")},
        "unit": {"id": "id"},
        "dimensions": {"c": {"column": "c", "categories": [f"c{code}" for code in range(categories)]}},
        "tables": [{"name": "t", "dimensions": ["c"], "margins": "all"}],
        "budget": {"epsilon": 2, "delta": "1e-6"},
        "secret": {"env": "BENCHMARK_SECRET", "memory": str(folder / "memory")},
    }
    run(spec, folder / "out")


def check(folder: Path, second: bool) -> None:
    """Check the folder by the second checker, or by replay."""
    if second:
        from discreet.certify.folder import check as independent

        assert not independent(folder / "out").failures
    else:
        from discreet.publish.verify_folder import verify_folder as replay

        replay(folder / "out")


def step(name: str, folder: Path, categories: int) -> None:
    """Run a step, and print its seconds and its peak in MB."""
    if name == "release":
        release(folder, categories)
    else:
        check(folder, name == "second check")
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    """Run each step for each number of categories, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--categories", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        name, folder, categories = arguments.step
        step(name, Path(folder), int(categories))
        return
    from rich.console import Console
    from rich.table import Table

    grid = Table("categories", *(f"{name}, {unit}" for name in STEPS for unit in ("s", "MB")))
    for categories in arguments.categories:
        with tempfile.TemporaryDirectory() as folder:
            generate(Path(folder) / "people.csv", arguments.rows, categories)
            figures = []
            for name in STEPS:
                command = [sys.executable, "-m", "benchmarks.categories", "--step", name, folder, str(categories)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                figures += [f"{float(number):.1f}" for number in done.stdout.split()[-2:]]
        grid.add_row(f"{categories:,}", *figures)
    Console(width=120).print(f"{arguments.rows:,} rows, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores", grid)


if __name__ == "__main__":
    main()

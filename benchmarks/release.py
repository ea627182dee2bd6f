"""A whole release against ONS's cell-key-perturbation, on the same Parquet file: seconds and peak memory.

    uv run --group bench python -m benchmarks.release [--rows 10000000] [--repeats 3] [--alone]

Three dimensions of ten categories, no margins. Each contender runs in its own process, timed from start to end. The
process reads the file, counts and perturbs. Discreet also certifies, composes and writes the folder. The peer reads
record keys from the file; Discreet makes contributor keys from the ids. Each contender runs once before it is timed, so
that its modules are compiled and the file is in memory. Then the contenders run in turn. The table shows the best time
and the largest memory of each.

With --alone, Discreet publishes all margins of 72 categories, without the peer, which cannot hold them in memory.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("a", "b", "c")


def generate(file: Path, rows: int, categories: int) -> None:
    """Write random rows with a 64-bit id and a record key of 8 bits."""
    import duckdb

    columns = ", ".join(f"'v' || (hash(i + {at}) % {categories}) AS {name}" for at, name in enumerate(NAMES))
    duckdb.execute(
        f"COPY (SELECT {columns}, CAST(i AS BIGINT) AS id, CAST(hash(i + 9) % 256 AS INTEGER) AS key"
        f" FROM range({rows}) t(i)) TO '{file}'"
    )


def ours(file: str, folder: str, key: str, margins: str, categories: int) -> None:
    """Run the release."""
    from discreet.release import run

    labels = [f"v{code}" for code in range(categories)]
    os.environ["BENCHMARK_SECRET"] = os.urandom(32).hex()
    spec: dict[str, Any] = {
        "version": "1",
        "source": {"parquet": file},
        "unit": {"id": "id"} if key == "contributors" else {},
        "dimensions": {name: {"column": name, "categories": labels} for name in NAMES},
        "tables": [{"name": "t", "dimensions": list(NAMES), "margins": margins}],
        "design": {"name": "geometric", "epsilon": "0.1"},
        "budget": None if key == "contributors" else {"epsilon": 2, "delta": "1e-5"},
        "key": key,
        "secret": {"env": "BENCHMARK_SECRET", "memory": f"{folder}.memory"},
    }
    run(spec, folder)


def peer(file: str) -> None:
    """Run ONS's package, with a table made by the rule of the package."""
    import pandas as pd
    from cell_key_perturbation.create_perturbed_table import create_perturbed_table

    data = pd.read_parquet(file, columns=[*NAMES, "key"])
    rows = [(count, key, (key % 5) - 2) for count in range(1, 751) for key in range(256)]
    ptable = pd.DataFrame(rows, columns=["pcv", "ckey", "pvalue"])
    create_perturbed_table(data, ptable, geog=["a"], tab_vars=["b", "c"], record_key="key", threshold=0)


def timed(contender: str, file: Path, folder: str, categories: int) -> tuple[float, float]:
    """Run a contender in its own process. Return its seconds and its peak in MB."""
    compiled = {"PYTHONPYCACHEPREFIX": f"{folder}/compiled", "PYTHONDONTWRITEBYTECODE": ""}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.release", "--contender", contender, str(file), folder, str(categories)],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | compiled,
    )
    return time.perf_counter() - start, float(done.stdout.split()[-1])


def run_contender(contender: str, file: str, folder: str, categories: int) -> None:
    """Run a contender, and print its peak memory at the end."""
    if contender == "peer":
        peer(file)
    else:
        key, margins = contender.split("/")
        ours(file, f"{folder}/{time.monotonic_ns()}", key, margins, categories)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    """Generate the file, run the contenders and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--contender", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.contender:
        contender, file, folder, categories = arguments.contender
        run_contender(contender, file, folder, int(categories))
        return
    from rich.console import Console
    from rich.table import Table

    categories = 72 if arguments.alone else 10
    contenders = ["query/all"] if arguments.alone else ["peer", "query/none", "contributors/none"]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "people.parquet"
        generate(data, arguments.rows, categories)
        runs = [
            {contender: timed(contender, data, folder, categories) for contender in contenders}
            for _ in range(arguments.repeats + 1)
        ]
    figures = {
        contender: (min(run[contender][0] for run in runs[1:]), max(run[contender][1] for run in runs[1:]))
        for contender in contenders
    }
    grid = Table("contender", "seconds", "peak MB", "times faster", "share of the peer's memory")
    peer_figures = figures.get("peer")
    for contender, (seconds, peak) in figures.items():
        ratio = (f"{peer_figures[0] / seconds:.1f}", f"{peak / peer_figures[1]:.2f}") if peer_figures else ("", "")
        grid.add_row(contender, f"{seconds:.2f}", f"{peak:.0f}", *ratio)
    Console(width=120).print(f"{arguments.rows:,} rows, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores", grid)


if __name__ == "__main__":
    main()

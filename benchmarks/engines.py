"""Count rows and add record keys with DuckDB: seconds and memory, on generated rows.

    uv run python -m benchmarks.engines [--rows 10000000] [--memory 600MB] [--csv]

Three dimensions of ten categories (integers, text, ages in ranges), and a different 64-bit id in each row. The peak is
the peak of this process; another process generates the rows. Keys are made by a multiplication, so that the time is the
time of the engine. The first line is DuckDB alone, grouping by the three columns without recodes.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from benchmarks.timing import best
from discreet.count.recode import CountPlan
from discreet.count.sources import open_engine
from discreet.plan.codebook import Recode

RECODES = (
    Recode("region", 10, values={str(i): i for i in range(10)}),
    Recode("work", 10, values={f"trade {i}": i for i in range(10)}),
    Recode("age", 10, ranges=[(10 * i, 10 * i + 10, i) for i in range(10)]),
)
_GENERATE = """
import duckdb, sys
duckdb.execute(f'''COPY (
    SELECT CAST(hash(i) % 10 AS INTEGER) AS region, 'trade ' || (hash(i + 1) % 10) AS work,
           CAST(hash(i + 2) % 100 AS INTEGER) AS age, CAST(i AS BIGINT) AS id
    FROM range({sys.argv[2]}) t(i)) TO '{sys.argv[1]}' ''')
"""


def keys(ids: pa.Array) -> tuple[npt.NDArray[np.uint32], ...]:
    """Return four numbers for each id, made from the offsets of the texts. They are not secret."""
    ends = np.frombuffer(ids.buffers()[1], np.int32)[ids.offset : ids.offset + len(ids)]
    return tuple((ends.astype(np.uint32) * np.uint32(2654435761 + 2 * i)) for i in range(4))


def main() -> None:
    """Generate the rows, time the engine and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--memory", default="600MB")
    parser.add_argument("--csv", action="store_true", help="read the rows from CSV instead of Parquet")
    arguments = parser.parse_args()
    repeats = 3 if arguments.rows <= 10_000_000 else 1
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ("town.csv" if arguments.csv else "town.parquet")
        subprocess.run([sys.executable, "-c", _GENERATE, file, str(arguments.rows)], check=True)
        table = Table(title=f"{arguments.rows:,} rows, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        for head in ("", "seconds", "peak so far, MB"):
            table.add_column(head, justify="right" if head else "left")

        def row(name: str, seconds: float) -> None:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            table.add_row(name, f"{seconds:.2f}", f"{peak:,.0f}")

        floor = f"SELECT region, work, age, count(*) FROM '{file}' GROUP BY ALL"
        with duckdb.connect(config={"memory_limit": arguments.memory}) as base:
            row("DuckDB, raw columns", best(lambda: base.sql(floor).fetchall(), repeats))
        with open_engine({"csv" if arguments.csv else "parquet": file}, memory=arguments.memory) as engine:
            row("count", best(lambda: engine.count(CountPlan(RECODES)), repeats))
            plan = CountPlan(RECODES, unit="id")
            row("count, rows with an id", best(lambda: engine.count(plan), repeats))
            row("sums of record keys", best(lambda: engine.sums(plan, keys), repeats))
            row("excess", best(lambda: list(engine.excess(plan, 1)), repeats))
        Console().print(table)


if __name__ == "__main__":
    main()

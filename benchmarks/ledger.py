"""Eight processes ask one ledger, which has room for 300 grants, for 400; and the time that many cells take.

uv run python -m benchmarks.ledger

Each grant is reserved, spent and completed: three transactions, which are on disk when they return. The clock starts
when all processes are ready. The databases are SQLite and a PostgreSQL server of the system's packages, with fsync.
"""

import hashlib
import multiprocessing
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests import servers

import discreet as dc
from benchmarks.timing import best
from discreet.account.ledger.ledger import Ledger
from discreet.errors import BudgetError

PROCESSES, EACH, FIT = 8, 50, 300
CELLS = 400_000


def cell(name: str) -> bytes:
    """Return the digest of a cell."""
    return hashlib.sha256(name.encode()).digest()[:16]


def ask(location: str, secret: bytes, office: int, ready: Barrier) -> None:
    """Ask for grants of one unit each."""
    ledger = Ledger.at(location, secret)
    ready.wait()
    for number in range(EACH):
        release = f"office {office}, release {number}"
        try:
            grant = ledger.reserve(release, 1, [cell(release)], {"by": office})
        except BudgetError:
            continue
        grant.spend()
        grant.complete()


def contention(location: str) -> tuple[int, float]:
    """Return how many grants the verified ledger has, and the seconds."""
    secret = secrets.token_bytes(32)
    unit = dc.design.geometric(epsilon="0.01", upper=20).certify()
    ledger = Ledger.open(location, unit=unit, epsilon=f"{FIT}/100", delta=0, secret=secret)
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(PROCESSES + 1)
    processes = [context.Process(target=ask, args=(location, secret, office, ready)) for office in range(PROCESSES)]
    for process in processes:
        process.start()
    ready.wait()
    start = time.perf_counter()
    for process in processes:
        process.join()
    seconds = time.perf_counter() - start
    assert all(process.exitcode == 0 for process in processes)
    statement = ledger.verify()
    assert statement.spent == len(statement.records) == statement.capacity
    return statement.spent, seconds


@contextmanager
def locations() -> Iterator[dict[str, list[str]]]:
    """Return the locations of two new ledgers on each kind of database that is installed."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"SQLite": [str(Path(folder) / name) for name in ("a", "b")]}
        programs = servers.programs()
        if programs is None:
            yield files
            return
        with servers.server(programs, durable=True) as running:
            running.execute("CREATE DATABASE a", "CREATE DATABASE b")
            yield files | {"PostgreSQL": [running.url("a"), running.url("b")]}


def main() -> None:
    """Print grants and seconds."""
    console = Console(width=120)
    console.print(f"load {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    table = Table()
    for head in ("database", "asked", "granted", "seconds", "ms a transaction", "400,000 cells: spend", "known"):
        table.add_column(head, justify="right")
    cells = [cell(str(number)) for number in range(CELLS)]
    with locations() as databases:
        for name, (first, second) in databases.items():
            granted, seconds = contention(first)
            transactions = 3 * granted + PROCESSES * EACH - granted
            secret = secrets.token_bytes(32)
            unit = dc.design.geometric(epsilon="0.01", upper=20).certify()
            ledger = Ledger.open(second, unit=unit, epsilon=1, delta=0, secret=secret)
            grant = ledger.reserve("large", 1, cells, {})
            spend = best(grant.spend, 1)
            known = best(lambda: ledger.known(cells), 1)  # noqa: B023
            assert len(ledger.known(cells)) == CELLS
            figures = (f"{seconds:.2f}", f"{1000 * seconds / transactions:.1f}", f"{spend:.2f} s", f"{known:.2f} s")
            table.add_row(name, f"{PROCESSES * EACH}", f"{granted}", *figures)
    console.print(table)


if __name__ == "__main__":
    main()

"""Response times of `discreet serve` for tables of about 1,000 cells out of a release of a million cells.

    uv run python -m benchmarks.serve_tables [SECONDS] [READERS]

Every reader asks for one table after another, each of other people: kept categories are drawn anew. Tables are the
JSON document of the API, or the page with its table. Prints quantiles of the seconds that answers took, errors, and the
memory of the server at the start, half-way and at the end.
"""

import http.client
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from discreet.release import run

SIDE = 99
AXES = ("a", "b", "c")


def main() -> None:
    """Publish a release of a million cells, serve it, and let readers ask for tables."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    readers = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with tempfile.TemporaryDirectory() as temporary:
        folder = _publish(Path(temporary))
        command = [str(Path(sys.executable).with_name("discreet")), "serve", str(folder), "--port", "0"]
        start = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                address = next(line.split(" at ")[1].split()[0] for line in server.stdout if " at " in line)
                print(f"{time.perf_counter() - start:.1f} s from the command to the first page")
                for kind in ("api", "page"):
                    _ask(server.pid, address.split("//")[1].rstrip("/"), kind, seconds, readers)
            finally:
                server.terminate()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def _publish(directory: Path) -> Path:
    """Publish a table of 100 by 100 by 100 cells and its margins. Return the folder."""
    rng = np.random.default_rng(1)
    labels = [str(value) for value in range(SIDE)]
    tens = {f"{first}0s": labels[10 * first : 10 * first + 10] for first in range(10)}
    rows = rng.integers(0, SIDE, (300_000, len(AXES))).tolist()
    (directory / "people.csv").write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    spec = {
        "version": "1",
        "source": {"csv": str(directory / "people.csv")},
        "dimensions": {name: {"column": name, "categories": labels, "levels": {"tens": tens}} for name in AXES},
        "tables": [{"name": "t", "dimensions": list(AXES), "margins": "all"}],
        "design": {"name": "geometric", "epsilon": 1},
        "budget": {"epsilon": 9, "delta": "1e-3"},
        "key": "fresh",
    }
    run(spec, directory / "million")
    return directory / "million"


def _query(chance: random.Random) -> str:
    """Return the query string of a table of 1,000 to 1,100 cells, of some people."""
    rows, columns, other = chance.sample(AXES, 3)
    kept = chance.sample(range(SIDE), chance.choice([5, 20, 50]))
    parameters = [("rows", rows), ("columns", columns), ("level", f"{columns}=tens")]
    return urlencode([*parameters, *(("keep", f"{other}={label}") for label in kept)])


def _ask(process: int, host: str, kind: str, seconds: float, readers: int) -> None:
    """Let readers ask for tables for some time, and print how long answers took."""
    took: list[float] = []
    failures: list[object] = []
    memory = [_megabytes(process)]
    end = time.perf_counter() + seconds

    def reader(number: int) -> None:
        chance = random.Random(f"{kind} {number}")
        connection = http.client.HTTPConnection(host, timeout=60)
        while time.perf_counter() < end:
            path = "/api/releases/million/table" if kind == "api" else "/releases/million"
            start = time.perf_counter()
            connection.request("GET", f"{path}?{_query(chance)}")
            answer = connection.getresponse()
            body = answer.read()
            took.append(time.perf_counter() - start)
            if answer.status != 200 or len(body) < 10_000:
                failures.append(answer.status)
        connection.close()

    threads = [threading.Thread(target=reader, args=(number,)) for number in range(readers)]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 2)
    memory.append(_megabytes(process))
    for thread in threads:
        thread.join()
    memory.append(_megabytes(process))
    quantiles = {share: float(np.quantile(took, share)) for share in (0.5, 0.95, 0.99)}
    words = ", ".join(f"p{share * 100:.0f} {value * 1000:.0f} ms" for share, value in quantiles.items())
    print(f"{kind}: {len(took)} tables for {readers} readers in {seconds:.0f} s, {len(failures)} errors: {words}")
    print(f"{kind}: memory {', '.join(f'{own:.0f}' for own in memory)} MB at the start, half-way and at the end")


def _megabytes(process: int) -> float:
    """Return the memory that a process uses now."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise LookupError(process)


if __name__ == "__main__":
    main()

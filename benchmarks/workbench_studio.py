"""How long the studio of the workbench takes to draw again after a change, for four designs on 0..n.

    uv run python -m benchmarks.workbench_studio

The time is that of the whole answer: the request, tuning four designs, four charts, the page. The goal is 200 ms for
n up to 50. As a peer in the same run, the same designs are tuned alone.
"""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import httpx

from discreet.design.compare import compare
from discreet.web.workbench.studio_pages import BOUNDED, UNBOUNDED
from discreet.web.workbench.workbench_application import workbench
from discreet.web.workbench.working_folder import WorkingFolder
from discreet.web.workbench.workspace import Workspace

RUNS = 15
SIZES = (10, 20, 50)


async def measure(folder: Path) -> None:
    """Print the median and the largest time of each kind of page."""
    made = workbench(Workspace(WorkingFolder.of(folder)))
    transport = httpx.ASGITransport(made.application)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        await client.get(made.address("/"), follow_redirects=True)
        for at in ("privacy", "variance"):
            for n in (None, *SIZES):
                names = (UNBOUNDED if n is None else BOUNDED)[:4]
                delta = "1e-9" if n is None else "0"
                variance = "4" if at == "variance" else None
                times, alone = [], []
                for run in range(RUNS):
                    epsilon = str(1 + run / 100)
                    query: dict[str, str | list[str]] = {
                        "design": list(names),
                        "at": at,
                        "epsilon": epsilon,
                        "delta": delta,
                        "variance": "4",
                        "counts": "unbounded" if n is None else "bounded",
                        "n": "" if n is None else str(n),
                    }
                    start = time.perf_counter()
                    answer = await client.get(made.root + "studio", params=query)
                    times.append(time.perf_counter() - start)
                    assert answer.status_code == 200
                    start = time.perf_counter()
                    compare(names, epsilon=epsilon, delta=delta, variance=variance, n=n)
                    alone.append(time.perf_counter() - start)
                counts = "unbounded" if n is None else f"0..{n}"
                print(
                    f"equal {at:8} {counts:9}  median {1000 * statistics.median(times):5.0f} ms, largest"
                    f" {1000 * max(times):5.0f} ms; tuning alone {1000 * statistics.median(alone):5.0f} ms"
                )


def main() -> None:
    """Measure the studio."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder)))


if __name__ == "__main__":
    main()

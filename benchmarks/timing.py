"""How long a call takes."""

import time
from collections.abc import Callable


def best(run: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest run."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)

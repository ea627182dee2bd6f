"""How long a call takes."""

import time
from collections.abc import Callable


def best(run: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the fastest run; by `time.process_time` those of the processor."""
    times = []
    for _ in range(repeats):
        start = clock()
        run()
        times.append(clock() - start)
    return min(times)

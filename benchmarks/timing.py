"""The time of a call."""

import time
from collections.abc import Callable


def best(run: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds of the fastest run. With `time.process_time` as clock, these are seconds of the processor."""
    times = []
    for _ in range(repeats):
        start = clock()
        run()
        times.append(clock() - start)
    return min(times)

"""Releases and checks, which take a while: each runs in a thread, and pages ask how far it is.

The thread is no daemon: a process that is told to end waits for a release that has begun, as a draw must not be lost.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import DiscreetError
from discreet.publish.two_checks import TwoChecks, check_twice
from discreet.release.release_value import Release
from discreet.release.run import PUBLISHED, run

Tell = Callable[[str, float], None]


@dataclass(frozen=True)
class Made:
    """What a release left.

    Attributes
    ----------
    folder, log
        The published folder, and the private log if there is one.
    resumed
        True if the release went on from measurements that an earlier run drew.
    units, left
        The units that the ledger was charged, and those that are left; None without a ledger.
    unexplained
        Fixed counts that noise does not explain, each with the reason that the specification gives.
    """

    folder: Path
    log: Path | None
    resumed: bool
    units: int | None = None
    left: int | None = None
    unexplained: tuple[str, ...] = ()


class Job:
    """Work in a thread.

    Parameters
    ----------
    kind
        "release" or "verify".
    name
        The folder that the job makes or checks, as pages show it.
    work
        The work, which tells its steps.

    Attributes
    ----------
    step, done
        The current step, and the fraction of the step that is done.
    result
        What the work returned; None while it runs, and if it failed.
    error
        What the user has to know if the work failed.
    """

    def __init__(self, kind: str, name: str, work: Callable[[Tell], Made | TwoChecks]) -> None:
        self.kind, self.name = kind, name
        self.step, self.done = "", 0.0
        self.result: Made | TwoChecks | None = None
        self.error: BaseException | None = None
        self.is_running = True
        self._work, self._started = work, time.monotonic()
        self._ended: float | None = None

    @property
    def seconds(self) -> float:
        """How long the job has run."""
        return (self._ended or time.monotonic()) - self._started

    def start(self, afterwards: Callable[[], None]) -> None:
        """Start the thread. `afterwards` is called at its end."""
        self._afterwards = afterwards
        self._thread = threading.Thread(target=self._run, name=f"discreet-{self.kind}")
        self._thread.start()

    def wait(self) -> None:
        """Wait until the job has ended."""
        self._thread.join()

    def _tell(self, step: str, done: float) -> None:
        self.step, self.done = step, done

    def _run(self) -> None:
        try:
            self.result = self._work(self._tell)
        except DiscreetError as error:
            self.error = error
        except BaseException as error:
            self.error = error
            raise
        finally:
            self._ended = time.monotonic()
            self._afterwards()
            self.is_running = False


def release_job(spec: Path, name: str, folder: Path, log: Path | None) -> Job:
    """Return the job that `discreet release SPEC -o DIR --log FILE` does."""

    def work(tell: Tell) -> Made:
        release: Release = run(spec, folder, log=log, progress=tell)
        tell(PUBLISHED, 1)
        charge = release.charge
        left = None if charge is None else charge.left - charge.units
        unexplained = tuple(
            f"{count.text}; noise does not explain that: {count.differs}"
            for count in release.published.given_counts
            if not count.explained
        )
        units = None if charge is None else charge.units
        return Made(folder, log, release.resumed is not None, units, left, unexplained)

    return Job("release", name, work)


def verify_job(name: str, folder: Path) -> Job:
    """Return the job that `discreet verify DIR` does."""
    return Job("verify", name, lambda _: check_twice(folder))

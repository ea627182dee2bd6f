"""The command line: one file for each command, without logic of its own.

This module loads nothing that takes time, so that a command answers signals from its start on; `commands` loads all.
"""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from discreet.cli import _streams
from discreet.errors import DiscreetError
from discreet.interrupts import ENDING
from discreet.redact import hide_secrets

if TYPE_CHECKING:
    from discreet.cli._commands import app

__all__ = ["app", "main"]

LEAST_MEMORY = 200_000_000
"""Bytes of address space without which numpy does not load."""


def main() -> None:
    """Run a command; a mistake of the user's is one message on standard error and exit code 2.

    A command that is told to end by a signal removes what it put aside, as copies of rows, says so in one line, and
    exits with 128 and the number of the signal. If its work was done by then, as a folder that is published and
    complete, it says so and exits with 0.
    """
    with _streams.guarded(), _answering() as told:
        try:
            _require_memory()
            from discreet.cli import _commands

            _commands.run()
        except BaseException as error:
            if told:  # a library may have made an error of its own of being ended
                _tell_the_end(told[0], error)
                sys.exit(128 + told[0] if _streams.STATE.left is None else 0)
            if _is_lack_of_memory(error):
                _tell_memory(error)
            elif isinstance(error, DiscreetError):
                _commands.tell(error)
            else:
                raise
            sys.exit(2)


@contextmanager
def _answering() -> Iterator[list[int]]:
    """Raise SystemExit where a signal tells the command to end; the signals that came are in the list.

    Signals that the command was started to ignore stay ignored.
    """
    told: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        told.append(number)
        sys.exit(128 + number)

    before = {number: signal.getsignal(number) for number in ENDING}
    answered = {number: answer for number, answer in before.items() if answer not in (signal.SIG_IGN, None)}
    for number in answered:
        signal.signal(number, end)
    try:
        yield told
    finally:
        for number, answer in answered.items():
            signal.signal(number, answer)


def _tell_the_end(number: int, error: BaseException) -> None:
    notes = list(getattr(error, "__notes__", ()))
    if _streams.STATE.left is not None and not notes:
        notes = [f"The work was done: {_streams.STATE.left}."]
    print(hide_secrets("\n".join([f"ended by {signal.Signals(number).name}", *notes])), file=sys.stderr)


def _require_memory() -> None:
    """Raise MemoryError if the process may have less memory than libraries need to load.

    A library that finds none may end the process itself, without a word that helps.
    """
    if sys.platform == "win32":
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_MEMORY:
        raise MemoryError


def _is_lack_of_memory(error: BaseException) -> bool:
    """Whether memory was missing: for values, for a thread, or for the code of a library."""
    words = ("can't start new thread", "annot allocate memory", "failed to map segment", "std::bad_alloc")
    return isinstance(error, MemoryError) or (
        isinstance(error, (ImportError, OSError, RuntimeError)) and any(word in str(error) for word in words)
    )


def _tell_memory(error: BaseException) -> None:
    notes = getattr(error, "__notes__", ())
    said = (
        "error: there is not enough memory; raise the limit (ulimit -v), close other programs, or publish less at once"
    )
    print(hide_secrets("\n".join([said, *notes])), file=sys.stderr)


def __getattr__(name: str) -> Any:
    """Loaded when first used: it takes a while."""
    if name == "app":
        from discreet.cli._commands import app

        return app
    raise AttributeError(f"module 'discreet.cli' has no attribute {name!r}")

"""The command line: one file for each command, without logic of its own.

This module loads nothing that takes time, so that a command handles signals from its start on. `_commands` loads the
rest.
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

_MEMORY_MESSAGES = ("can't start new thread", "annot allocate memory", "failed to map segment", "std::bad_alloc")
"""What libraries say when memory is missing, besides MemoryError."""


def main() -> None:
    """Run a command. A mistake of the user is one message on standard error and exit code 2.

    A command that is ended by a signal removes its temporary files, prints one line, and exits with 128 plus the number
    of the signal. If its work was complete, such as a published folder, the line says so, and the exit code is 0.
    """
    with _streams.guarded(), _handled_signals() as received:
        try:
            _require_memory()
            from discreet.cli import _commands

            _commands.run()
        except BaseException as error:
            if received:  # a library may have turned the SystemExit of a signal into an error of its own
                _print_end(received[0], error)
                sys.exit(128 + received[0] if _streams.STATE.left is None else 0)
            if _is_lack_of_memory(error):
                _print_lack_of_memory(error)
            elif isinstance(error, DiscreetError):
                _commands.print_error(error)
            else:
                raise
            sys.exit(2)


@contextmanager
def _handled_signals() -> Iterator[list[int]]:
    """Raise SystemExit when a signal ends the command. Yield a list that holds the numbers of received signals.

    Signals that are ignored when the command starts stay ignored.
    """
    received: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        received.append(number)
        sys.exit(128 + number)

    before = {number: signal.getsignal(number) for number in ENDING}
    handlers = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    for number in handlers:
        signal.signal(number, end)
    try:
        yield received
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _print_end(number: int, error: BaseException) -> None:
    notes = list(getattr(error, "__notes__", ()))
    if _streams.STATE.left is not None and not notes:
        notes = [f"The work was done: {_streams.STATE.left}."]
    print(hide_secrets("\n".join([f"ended by {signal.Signals(number).name}", *notes])), file=sys.stderr)


def _require_memory() -> None:
    """Raise MemoryError if the process may have less memory than libraries need to load.

    Without memory a library may end the process itself, with a message that does not help.
    """
    if sys.platform == "win32":
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_MEMORY:
        raise MemoryError


def _is_lack_of_memory(error: BaseException) -> bool:
    """Return True if memory was missing for values, for a thread, or for the code of a library."""
    return isinstance(error, MemoryError) or (
        isinstance(error, (ImportError, OSError, RuntimeError))
        and any(message in str(error) for message in _MEMORY_MESSAGES)
    )


def _print_lack_of_memory(error: BaseException) -> None:
    notes = getattr(error, "__notes__", ())
    message = (
        "error: there is not enough memory; raise the limit (ulimit -v), close other programs, or publish less at once"
    )
    print(hide_secrets("\n".join([message, *notes])), file=sys.stderr)


def __getattr__(name: str) -> Any:
    """Load `app` when it is first used, because this takes a while."""
    if name == "app":
        from discreet.cli._commands import app

        return app
    raise AttributeError(f"module 'discreet.cli' has no attribute {name!r}")

"""Standard output and error that may be full, closed or unable to write a character: never a reason for a traceback.

A command that can no longer print goes on to its end. Then its exit code says what is true: if it left something that
lasts (`left`), such as a published folder, it succeeded, and a line on standard error says that the rest is lost.
"""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass
class State:
    """What became of standard output in this command.

    Attributes
    ----------
    lost
        The error at which output was lost.
    left
        What the command left, or found, that its exit code tells of.
    """

    lost: OSError | None = None
    left: str | None = None


STATE = State()


def left(what: str) -> None:
    """Say what this command has done for good: its exit code is then 0, whatever becomes of its output."""
    STATE.left = what


class _Stream:
    """A text stream whose failures are kept, and end nothing."""

    def __init__(self, stream: Any, kept: bool) -> None:
        self._stream, self._kept = stream, kept
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """All of the text, or nothing where the stream failed."""
        try:
            self._stream.write(text)
        except OSError as error:
            self._failed(error)
        return len(text)

    def flush(self) -> None:
        """Write what is held back."""
        try:
            self._stream.flush()
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        """Have nothing more of it fail, at the end of the process either."""
        if self._kept and STATE.lost is None:
            STATE.lost = error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


@contextmanager
def guarded() -> Iterator[None]:
    """Print through streams that end nothing; in the end, raise SystemExit where lost output is a failure."""
    STATE.lost = STATE.left = None
    before = sys.stdout, sys.stderr
    sys.stdout = None if sys.stdout is None else _Stream(sys.stdout, kept=True)
    sys.stderr = None if sys.stderr is None else _Stream(sys.stderr, kept=False)
    try:
        try:
            yield
        except SystemExit as end:
            if end.code:
                raise
        _tell()
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        sys.stdout, sys.stderr = before


def _tell() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()
    if STATE.lost is None or STATE.lost.errno == errno.EPIPE:  # whoever reads a pipe may stop
        return
    reason = f"standard output cannot be written ({STATE.lost.strerror})"
    if STATE.left is None:
        print(f"error: {reason}; make room, or send it elsewhere", file=sys.stderr)
        sys.exit(2)
    print(f"warning: {reason}, and what it would have said is lost; {STATE.left}", file=sys.stderr)

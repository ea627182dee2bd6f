"""Standard output and error that may be full, closed or unable to write a character, without a traceback.

A command that can no longer print continues to its end. If it left something that lasts (`left`), such as a published
folder, its exit code is 0, and a line on standard error says that the rest of the output is lost. Else its exit code
is 2.
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
    """What happened to standard output in this command.

    Attributes
    ----------
    lost
        The error that ended the output. None: nothing is lost.
    left
        The lasting result of the command, in words. None: the command has left nothing so far.
    """

    lost: OSError | None = None
    left: str | None = None


STATE = State()


def left(result: str) -> None:
    """Record the lasting result of this command, in words. From here on the exit code is 0 even if output is lost."""
    STATE.left = result


class _Stream:
    """A text stream whose failures do not end the command. Failures of standard output are recorded in STATE."""

    def __init__(self, stream: Any, recorded: bool) -> None:
        self._stream, self._recorded = stream, recorded
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write the text, or nothing if the stream failed."""
        try:
            self._stream.write(text)
        except OSError as error:
            self._fail(error)
        return len(text)

    def flush(self) -> None:
        """Write what is buffered, or nothing if the stream failed."""
        try:
            self._stream.flush()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        """Record the error. Send further output nowhere, so that it cannot fail when the process ends."""
        if self._recorded and STATE.lost is None:
            STATE.lost = error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


@contextmanager
def guarded() -> Iterator[None]:
    """Replace standard output and error by streams whose failures do not end the command.

    Raises
    ------
    SystemExit
        At the end, if output is lost and the command left no lasting result.
    """
    STATE.lost = STATE.left = None
    before = sys.stdout, sys.stderr
    sys.stdout = None if sys.stdout is None else _Stream(sys.stdout, recorded=True)
    sys.stderr = None if sys.stderr is None else _Stream(sys.stderr, recorded=False)
    try:
        try:
            yield
        except SystemExit as end:
            if end.code:
                raise
        _report_lost_output()
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        sys.stdout, sys.stderr = before


def _report_lost_output() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()
    if STATE.lost is None or STATE.lost.errno == errno.EPIPE:  # the reader of a pipe may stop
        return
    reason = f"standard output cannot be written ({STATE.lost.strerror})"
    if STATE.left is None:
        print(f"error: {reason}; make room, or send it elsewhere", file=sys.stderr)
        sys.exit(2)
    print(f"warning: {reason}, and the rest of the output is lost; {STATE.left}", file=sys.stderr)

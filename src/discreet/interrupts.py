"""Signals that end a process, answered where no step is half done.

Python answers a signal between any two of its instructions. What must be done whole, such as to pay and to note what
was paid, is done in a `deferred` block: a signal that comes meanwhile is answered at the end of the block.
"""

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that tell a process to end, and that a process can answer."""


@contextmanager
def deferred() -> Iterator[None]:
    """Answer signals that end the process after the block, not inside it.

    If the block raises, its error goes on, with a note that a signal came. Only the main thread answers signals, so in
    other threads there is nothing to defer.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        for number, answer in before.items():
            if answer not in (signal.SIG_IGN, None):
                signal.signal(number, lambda given, _: came.append(given))
        yield
    except BaseException as error:
        if came:
            error.add_note(f"The process was told to end meanwhile ({signal.Signals(came[0]).name}).")
        raise
    finally:
        _restore(before)
    if came:
        _answer(came[0], before[came[0]])


def _restore(before: Mapping[int, Any]) -> None:
    for number, answer in before.items():
        if answer is not None:
            signal.signal(number, answer)


def _answer(number: int, answer: Any) -> None:
    """As if the signal came now."""
    if callable(answer):
        answer(number, None)
    else:
        signal.raise_signal(number)

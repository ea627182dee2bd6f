"""Answer signals that end a process only where no step is half done.

Python answers a signal between any two of its instructions. Steps that belong together, such as to pay and to record
the payment, run in a `deferred` block: a signal that arrives inside the block is answered at the end of the block.
"""

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that tell a process to end and that a process can answer."""


@contextmanager
def deferred() -> Iterator[None]:
    """Answer signals that end the process after the block, not inside it.

    If the block raises, the error goes on, with a note that names the signal. Only the main thread answers signals, so
    other threads have nothing to defer.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    handlers = {number: signal.getsignal(number) for number in ENDING}
    try:
        for number, handler in handlers.items():
            if handler not in (signal.SIG_IGN, None):
                signal.signal(number, lambda number, _: arrived.append(number))
        yield
    except BaseException as error:
        if arrived:
            error.add_note(f"The process was told to end meanwhile ({signal.Signals(arrived[0]).name}).")
        raise
    finally:
        _restore(handlers)
    if arrived:
        _answer(arrived[0], handlers[arrived[0]])


def _restore(handlers: Mapping[int, Any]) -> None:
    for number, handler in handlers.items():
        if handler is not None:
            signal.signal(number, handler)


def _answer(number: int, handler: Any) -> None:
    """Run the handler as if the signal arrived now."""
    if callable(handler):
        handler(number, None)
    else:
        signal.raise_signal(number)

"""Results that many threads ask for: each is computed once, and some of them are remembered.

Requests for one result wait for one another. The first computes the result, and the others take it. If the first fails,
the next computes the result again.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Result = TypeVar("_Result")


class RememberedResults(Generic[_Result]):
    """Results by key, up to a total size. Results that were not used for longest are forgotten first.

    Parameters
    ----------
    most
        The largest total size.
    size
        Returns the size of a result. None if every result has the size 1.
    """

    def __init__(self, most: int, size: Callable[[_Result], int] | None = None) -> None:
        self._most, self._size_of = most, size
        self._results: OrderedDict[Hashable, tuple[_Result, int]] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()
        self._running: dict[Hashable, threading.Lock] = {}

    def __len__(self) -> int:
        return len(self._results)

    @property
    def total(self) -> int:
        """The total size of the results that are remembered."""
        return self._total

    def get(self, key: Hashable, compute: Callable[[], _Result]) -> _Result:
        """Return the result of a key, from memory or computed.

        Parameters
        ----------
        key
            What tells the result from others.
        compute
            Returns the result. Its errors are passed on, and not remembered.
        """
        with self._lock:
            known = self._used(key)
            own = self._running.setdefault(key, threading.Lock()) if known is None else None
        if known is not None:
            return known[0]
        assert own is not None
        with own:
            with self._lock:
                known = self._used(key)
            if known is not None:
                return known[0]
            try:
                result = compute()
                self._remember(key, result)
            finally:
                with self._lock:
                    if self._running.get(key) is own:
                        del self._running[key]
        return result

    def _used(self, key: Hashable) -> tuple[_Result, int] | None:
        """Return what is remembered, as the last that was used. Call with the lock."""
        known = self._results.get(key)
        if known is not None:
            self._results.move_to_end(key)
        return known

    def _remember(self, key: Hashable, result: _Result) -> None:
        size = 1 if self._size_of is None else self._size_of(result)
        with self._lock:
            _, old = self._results.pop(key, (None, 0))
            self._results[key] = result, size
            self._total += size - old
            while self._total > self._most:
                _, (_, oldest) = self._results.popitem(last=False)
                self._total -= oldest

"""Results are computed once, also for many threads, and are forgotten before they take too much memory."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from discreet.infer.any_table.remembered_results import RememberedResults


def test_requests_in_flight_for_one_result_compute_it_once() -> None:
    results: RememberedResults[int] = RememberedResults(10)
    started, go_on, computed = threading.Event(), threading.Event(), []

    def compute() -> int:
        computed.append(1)
        started.set()
        assert go_on.wait(60)
        return 7

    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(results.get, "key", compute)
        assert started.wait(60)
        others = [pool.submit(results.get, "key", compute) for _ in range(3)]
        assert pool.submit(results.get, "another key", lambda: 8).result(60) == 8  # waits for nobody
        go_on.set()
        assert [one.result(60) for one in (first, *others)] == [7] * 4
    assert computed == [1]


def test_an_error_is_not_remembered() -> None:
    results: RememberedResults[float] = RememberedResults(10)
    with pytest.raises(ZeroDivisionError):
        results.get("key", lambda: 1 / 0)
    assert results.get("key", lambda: 1.0) == 1.0


def test_results_are_forgotten_by_their_size_the_longest_unused_first() -> None:
    results: RememberedResults[str] = RememberedResults(10, len)
    for key, text in (("a", "xxxx"), ("b", "yyyy")):
        results.get(key, lambda text=text: text)  # type: ignore[misc]
    assert results.get("a", lambda: "new") == "xxxx"
    results.get("c", lambda: "zzzz")
    assert (len(results), results.total) == (2, 8)
    assert results.get("a", lambda: "new") == "xxxx"
    assert results.get("b", lambda: "new") == "new"
    assert results.get("d", lambda: "x" * 11) == "x" * 11
    assert results.total <= 10


def test_many_threads_keep_the_total() -> None:
    results: RememberedResults[int] = RememberedResults(50)
    with ThreadPoolExecutor(8) as pool:
        keys = [number * 37 % 91 for number in range(4000)]
        assert list(pool.map(lambda key: results.get(key, lambda: key), keys)) == keys
    assert len(results) == results.total == 50

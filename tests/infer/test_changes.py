"""Changes of many cells are equal to those of `difference`, one by one."""

import itertools

import numpy as np
import pytest

from discreet import Counts, Mechanism, Row, design
from discreet.infer import _changes, difference, posterior
from tests.infer.tables import TABLES

NAMES = ("geometric", "small rows", "from 4 on", "fair on 0..5")


@pytest.mark.parametrize("prior", [None, "poisson:5", "negative-binomial:5:0.5"])
@pytest.mark.parametrize(("one", "other"), list(itertools.product(NAMES, NAMES)))
def test_changes_are_differences(one: str, other: str, prior: str | None) -> None:
    """Also far from 0, where many cells share the work; one row at a time or many at a time."""
    tables = TABLES[one], TABLES[other]
    measurements = []
    for name, table in zip((one, other), tables, strict=True):
        true = np.arange(6) if name == "fair on 0..5" else np.array([4, 5, 6, 9, 30, 31, 1000])
        measurements.append(np.unique(table.perturb(true)))
    pairs = np.array(list(itertools.product(*measurements)))
    rows = _changes.change_rows(tables, pairs, "0.9", prior)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_changes, "CHUNK", 1)
        assert _changes.change_rows(tables, pairs, "0.9", prior) == rows
    for (now, then), (low, high, mean, mode, note) in zip(pairs, rows, strict=True):
        new, old = posterior(tables[0], now, prior), posterior(tables[1], then, prior)
        if new.open_end or old.open_end:
            assert "5" in note
            assert (low == "", high == "", mean, mode) == (old.open_end, new.open_end, "", "")
            continue
        expected = difference(new, old)
        assert (low, high, mode, note) == (*expected.interval("0.9"), expected.mode(), "")
        assert float(mean) == pytest.approx(expected.mean(), abs=0.006)


def test_a_mean_change_of_0_has_no_sign() -> None:
    table = design.geometric(epsilon=1).certify()
    pairs = np.array([[50, 50], [3, 3], [0, 0]])
    assert [row[2] for row in _changes.change_rows((table, table), pairs, 0.95, None)] == ["0.00"] * 3


def test_changes_of_huge_counts_keep_their_digits() -> None:
    table = design.geometric(epsilon=1).certify()
    pairs = np.array([[2**60 + 1, 2**60 - 2], [2**53 + 1, 2**53 - 2]])
    assert [row[2:4] for row in _changes.change_rows((table, table), pairs, 0.95, None)] == [["3.00", 3]] * 2


@pytest.mark.parametrize("level", ["0.9999995", "0.9999999999999"])
def test_levels_near_1_have_the_intervals_of_difference(level: str) -> None:
    table = design.geometric(epsilon=1).certify()
    pairs = np.array([[-14, 5], [3, 40], [100, 100]])
    for (now, then), row in zip(pairs, _changes.change_rows((table, table), pairs, level, None), strict=True):
        assert tuple(row[:2]) == difference(posterior(table, now), posterior(table, then)).interval(level)


def test_the_mode_is_the_smallest_of_equally_likely_changes() -> None:
    """Rounding does not decide between them."""
    even = Mechanism(Counts(), interior=(Row.exact(-2, [1, 1, 1, 1]),)).certify(epsilon=50)
    spread = Mechanism(Counts(), interior=(Row.exact(-1, [1, 1]),)).certify(epsilon=50)
    rows = _changes.change_rows((even, spread), np.array([[40, 20], [41, 20], [60, 35]]), 0.9, None)
    assert [row[3] for row in rows] == [19, 20, 24]

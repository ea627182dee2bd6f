"""Integers of several tables agree in shared margins, are near least squares, and are found if tables cross."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import SolverError
from discreet.reconcile import cube, fixed_sums, round_table, whole_numbers
from discreet.reconcile.cubes import reconcile_cube

Keys = list[tuple[int, ...]]


def noisy(seed: int, sides: list[int], tables: Keys, people: int = 500, deviation: float = 5) -> dict[Any, Any]:
    """Return tables of random people with all their margins, with noise."""
    draw = np.random.default_rng(seed)
    codes = [np.minimum(draw.geometric(0.4, people) - 1, side - 1) for side in sides]
    margins = {}
    for key in {subset for table in tables for size in range(len(table) + 1) for subset in combinations(table, size)}:
        cells = np.zeros(people, dtype=np.int64)
        for axis in key:
            cells = cells * sides[axis] + codes[axis]
        shape = [sides[axis] for axis in key]
        counts = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)
        margins[key] = counts + np.rint(draw.normal(0, deviation, shape)).astype(np.int64)
    return margins


def assert_consistent(margins: dict[Any, Any]) -> None:
    """Assert that every margin is the sum of every margin that keeps more axes, and that no number is negative."""
    for coarse, fine in ((coarse, fine) for coarse in margins for fine in margins if set(coarse) < set(fine)):
        dropped = tuple(dimension for dimension, axis in enumerate(fine) if axis not in coarse)
        assert np.array_equal(margins[coarse], np.asarray(margins[fine]).sum(axis=dropped))
    assert all(np.min(values) >= 0 for values in margins.values())


SIDES = [7, 5, 4, 3, 2]


@given(
    st.lists(st.sampled_from(list(combinations(range(5), 2))), min_size=2, max_size=6, unique=True),
    st.integers(0, 10**6),
    st.booleans(),
)
@settings(max_examples=60)
def test_two_way_tables_stay_within_one_of_least_squares(tables: Keys, seed: int, total_first: bool) -> None:
    used = sorted({axis for table in tables for axis in table})
    tables = [tuple(used.index(axis) for axis in table) for table in tables]
    margins = noisy(seed, [SIDES[axis] for axis in used], tables)
    result = reconcile_cube(margins, 25.0, None, 1, None, total_first=total_first)
    assert_consistent(result.values)
    for key, values in result.values.items():
        assert np.abs(values - result.real[key]).max() <= 1 + 1e-6


CROSSING: Keys = [(0, 1, 2), (0, 1, 3), (0, 2, 4), (1, 2, 5)]


@pytest.mark.parametrize("seed", range(20))
def test_tables_with_three_separators_that_cross_have_integers(seed: int) -> None:
    """The first table shares all its two-way margins; if each were rounded by itself, they could leave no integers."""
    sides = np.random.default_rng(seed).integers(2, 8, 6).tolist()
    result = reconcile_cube(noisy(seed, sides, CROSSING), 25.0, None, 1, None, total_first=True)
    assert_consistent(result.values)
    assert result.shift < 2


def test_tables_without_integers_are_refused_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_table, "meet", lambda *_: False)
    with pytest.raises(SolverError, match=r"\(0, 1, 3\) .*\(0, 1\)"):
        cube(noisy(1, [4, 4, 4, 3, 3, 3], CROSSING), seed=1)


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_several_tables_do_not_depend_on_the_order_of_categories(seed: int) -> None:
    tables: Keys = [(0, 1), (1, 2), (0, 2)]
    margins = noisy(seed, [5, 4, 3], tables)
    for key in tables:
        margins[key] = margins[key] * 1000 + np.arange(margins[key].size).reshape(margins[key].shape)
    draw = np.random.default_rng(seed)
    orders = [draw.permutation(side) for side in (5, 4, 3)]

    def shuffled(values: Any, key: tuple[int, ...]) -> Any:
        for dimension, axis in enumerate(key):
            values = np.take(values, orders[axis], axis=dimension)
        return values

    straight = cube(margins, seed=3)
    reordered = cube({key: shuffled(values, key) for key, values in reversed(margins.items())}, seed=3)
    assert all(np.array_equal(reordered[key], shuffled(straight[key], key)) for key in margins)


def test_a_table_that_is_fixed_as_a_whole_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that cross the fixed table are rounded within its sums, not the other way round."""
    draw = np.random.default_rng(1)
    truth = draw.poisson(3, (3, 4, 3, 3))
    margins = {}
    for key in combinations(range(4), 3):
        (dropped,) = set(range(4)) - set(key)
        true = truth.sum(axis=dropped)
        margins[key] = true + np.rint(draw.normal(0, 3, true.shape)).astype(np.int64)
    rounded = []
    rounded_by_attempt = whole_numbers._Attempt._rounded

    def watched(attempt: Any, table: Any, real: Any) -> Any:
        rounded.append(table)
        return rounded_by_attempt(attempt, table, real)

    monkeypatch.setattr(whole_numbers._Attempt, "_rounded", watched)
    result = cube(margins, variance=9, fixed={(0, 1, 2): truth.sum(axis=3)}, seed=1)
    assert np.array_equal(result[0, 1, 2], truth.sum(axis=3))
    assert_consistent(result)
    assert ((0, None), (1, None), (2, None)) not in rounded
    assert len(rounded) >= 3


@pytest.mark.parametrize(
    ("sides", "limits"),
    [((40, 40), (0.1, 0.13)), ((30, 30, 30), (0.12, 0.12, 0.15)), ((8, 9, 10, 7), (0.13, 0.28, 0.48, 0.27))],
)
def test_integers_of_every_margin_are_close_to_least_squares(sides: tuple[int, ...], limits: tuple[float, ...]) -> None:
    """The nearest integers, which do not add up, have a mean square of 1/12."""
    generator = np.random.default_rng(11)
    cells = generator.poisson(20, sides)
    axes = range(len(sides))
    keys = [key for size in range(len(sides) + 1) for key in combinations(axes, size)]
    sums = {key: cells.sum(axis=tuple(axis for axis in axes if axis not in key)) for key in keys}
    noise = {key: np.rint(generator.normal(0, 2, values.shape)).astype(np.int64) for key, values in sums.items()}
    measured = {key: sums[key] + noise[key] for key in keys}
    result = reconcile_cube(measured, 4.0, None, 1, None, total_first=True)
    for ways, limit in enumerate(limits, 1):
        squares = [(result.values[key] - result.real[key]) ** 2 for key in keys if len(key) == ways]
        assert np.mean([np.mean(of_margin) for of_margin in squares]) < limit


def test_lists_of_one_table_aim_at_one_total(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists that are rounded apart may differ in their totals: a two-way margin of both is searched for in vain."""
    searches: list[Any] = []
    search = fixed_sums._program

    def counted(*given: Any) -> Any:
        searches.append(given)
        return search(*given)

    monkeypatch.setattr(fixed_sums, "_program", counted)
    for seed in range(8):
        margins = noisy(seed, [13, 7, 6, 3], [(0, 1), (1, 2, 3)], people=100_000, deviation=13)
        assert_consistent(reconcile_cube(margins, 169.0, None, seed, None, total_first=True).values)
    assert not searches

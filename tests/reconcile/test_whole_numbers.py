"""Integers of several tables: equal where tables agree, near least squares, and found where tables cross."""

from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import SolverError
from discreet.reconcile import cube

cubes = import_module("discreet.reconcile.cubes")
whole = import_module("discreet.reconcile.whole_numbers")

Keys = list[tuple[int, ...]]


def noisy(seed: int, sides: list[int], tables: Keys, people: int = 500, deviation: float = 5) -> dict[Any, Any]:
    """Tables of some people with all their margins, with noise."""
    draw = np.random.default_rng(seed)
    codes = [np.minimum(draw.geometric(0.4, people) - 1, side - 1) for side in sides]
    found = {}
    for key in {low for table in tables for size in range(len(table) + 1) for low in combinations(table, size)}:
        place = np.zeros(people, dtype=np.int64)
        for axis in key:
            place = place * sides[axis] + codes[axis]
        shape = [sides[axis] for axis in key]
        counts = np.bincount(place, minlength=int(np.prod(shape))).reshape(shape)
        found[key] = counts + np.rint(draw.normal(0, deviation, shape)).astype(np.int64)
    return found


def assert_consistent(made: dict[Any, Any]) -> None:
    """Every margin is the sum of every table that has it."""
    for coarse, fine in ((one, other) for one in made for other in made if set(one) < set(other)):
        dropped = tuple(place for place, axis in enumerate(fine) if axis not in coarse)
        assert np.array_equal(made[coarse], np.asarray(made[fine]).sum(axis=dropped))
    assert all(np.min(values) >= 0 for values in made.values())


SIDES = [7, 5, 4, 3, 2]


@given(
    st.lists(st.sampled_from(list(combinations(range(5), 2))), min_size=2, max_size=6, unique=True),
    st.integers(0, 10**6),
    st.booleans(),
)
@settings(max_examples=60)
def test_two_way_tables_stay_within_one_of_least_squares(tables: Keys, seed: int, first: bool) -> None:
    used = sorted({axis for table in tables for axis in table})
    tables = [tuple(used.index(axis) for axis in table) for table in tables]
    found = cubes.reconcile_cube(
        noisy(seed, [SIDES[axis] for axis in used], tables), 25.0, None, 1, None, total_first=first
    )
    assert_consistent(found.values)
    for key, values in found.values.items():
        assert np.abs(values - found.real[key]).max() <= 1 + 1e-6


CROSSING: Keys = [(0, 1, 2), (0, 1, 3), (0, 2, 4), (1, 2, 5)]


@pytest.mark.parametrize("seed", range(20))
def test_three_separators_that_cross(seed: int) -> None:
    """The first table shares all its two-way margins: rounded each by itself, they may leave no integers."""
    sides = np.random.default_rng(seed).integers(2, 8, 6).tolist()
    found = cubes.reconcile_cube(noisy(seed, sides, CROSSING), 25.0, None, 1, None, total_first=True)
    assert_consistent(found.values)
    assert found.shift < 2


def test_tables_without_integers_are_refused_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "meet", lambda *_: False)
    with pytest.raises(
        SolverError, match=r"no non-negative integers were found for \(0, 1, 3\) within its sums by \(0, 1\)"
    ):
        cube(noisy(1, [4, 4, 4, 3, 3, 3], CROSSING), seed=1)


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_several_tables_do_not_depend_on_the_order_of_categories(seed: int) -> None:
    tables: Keys = [(0, 1), (1, 2), (0, 2)]
    given_tables = noisy(seed, [5, 4, 3], tables)
    given_tables |= {key: given_tables[key] * 1000 + np.arange(given_tables[key].size).reshape(given_tables[key].shape)
                     for key in tables}  # fmt: skip
    draw = np.random.default_rng(seed)
    orders = [draw.permutation(side) for side in (5, 4, 3)]

    def shuffled(values: Any, key: tuple[int, ...]) -> Any:
        for place, axis in enumerate(key):
            values = np.take(values, orders[axis], axis=place)
        return values

    straight = cube(given_tables, seed=3)
    turned = cube({key: shuffled(values, key) for key, values in reversed(given_tables.items())}, seed=3)
    assert all(np.array_equal(turned[key], shuffled(straight[key], key)) for key in given_tables)


def test_a_table_that_is_fixed_as_a_whole_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that cross it are rounded within its sums, not the other way round."""
    draw = np.random.default_rng(1)
    truth = draw.poisson(3, (3, 4, 3, 3))
    given = {}
    for key in combinations(range(4), 3):
        (gone,) = set(range(4)) - set(key)
        true = truth.sum(axis=gone)
        given[key] = true + np.rint(draw.normal(0, 3, true.shape)).astype(np.int64)
    rounded, real = [], whole._table

    def watched(*given: Any) -> Any:
        rounded.append(given[1])
        return real(*given)

    monkeypatch.setattr(whole, "_table", watched)
    made = cube(given, variance=9, fixed={(0, 1, 2): truth.sum(axis=3)}, seed=1)
    assert np.array_equal(made[0, 1, 2], truth.sum(axis=3))
    assert_consistent(made)
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
    result = cubes.reconcile_cube(measured, 4.0, None, 1, None, total_first=True)
    for ways, limit in enumerate(limits, 1):
        squares = [(result.values[key] - result.real[key]) ** 2 for key in keys if len(key) == ways]
        assert np.mean([np.mean(each) for each in squares]) < limit

"""Fixed values of a cube are met, and leave all other numbers as close to the measurements."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import SolverError
from discreet.reconcile import cube, fixed_sums
from tests.reconcile.cube_cases import CubeMargins, consistent, cubes, every_key, margin, off_the_fit


@given(cubes(), st.data())
def test_fixed_values_are_met(given_cube: Any, data: st.DataObject) -> None:
    """At most two margins of one table, and some of its cells, do not contradict each other."""
    noisy, variance = given_cube
    full = max(noisy, key=len)
    truth = np.asarray(cube(noisy, seed=1)[full])
    fixed: CubeMargins = {}
    for key in data.draw(st.lists(st.sampled_from(every_key(truth.ndim)), unique=True, max_size=2)):
        fixed[key] = margin(truth, key)
    if full not in fixed:
        indices = data.draw(st.lists(st.sampled_from(list(np.ndindex(truth.shape))), unique=True, max_size=4))
        fixed[full] = {index: int(truth[index]) for index in indices}
    result = cube(noisy, variance=variance, fixed=fixed, seed=2)
    assert consistent(result)
    cells = np.asarray(result[full])
    for key, values in fixed.items():
        if isinstance(values, dict):
            assert all(cells[index] == value for index, value in values.items())
        else:
            assert np.array_equal(margin(cells, key), values)


@st.composite
def fixed_problems(draw: st.DrawFn) -> tuple[CubeMargins, CubeMargins, dict[int, Any]]:
    """Noisy margins, fixed values of margins or cells taken from one table, and levels."""
    sides = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    levels = {}
    if draw(st.booleans()):
        groups = generator.integers(0, 2, sides[0])
        levels = {0: {"half": np.unique(groups, return_inverse=True)[1]}}
    size = draw(st.sampled_from([1, 5, 1000, 10**9]))
    truth = generator.integers(0, size + 1, sides) * generator.integers(0, 2, sides)
    keys: list[Any] = [*every_key(len(sides))]
    if levels:
        keys += [tuple((0, "half") if axis == 0 else axis for axis in key) for key in keys if 0 in key]
    fixed_keys = draw(st.lists(st.sampled_from(keys), unique=True, min_size=1, max_size=5))
    fixed: CubeMargins = {}
    for key in fixed_keys:
        values = np.asarray(grouped(truth, key, levels))
        by_index = {index: int(values[index]) for index in np.ndindex(values.shape) if generator.random() < 0.6}
        fixed[key] = values if draw(st.booleans()) else by_index
    measured = draw(st.sets(st.sampled_from(keys))) | {(axis,) for axis in range(len(sides))}
    noisy: CubeMargins = {}
    for key in measured | (set(fixed_keys) if draw(st.booleans()) else set()):
        values = grouped(truth, key, levels)
        noisy[key] = values + generator.integers(-1000, 1001, np.shape(values))
    return noisy, fixed, levels


def grouped(cells: np.ndarray, key: tuple[Any, ...], levels: dict[int, Any]) -> Any:
    """Return a margin, with axis 0 at its level if the key says so."""
    if (0, "half") in key:
        labels = levels[0]["half"]
        cells = np.stack([cells[labels == group].sum(axis=0) for group in range(labels.max() + 1)])
    return margin(cells, tuple(entry[0] if isinstance(entry, tuple) else entry for entry in key))


@given(fixed_problems(), st.integers(0, 3))
@settings(max_examples=300)
def test_fixed_values_that_can_be_met_are_met_whatever_the_noise(problem: Any, seed: int) -> None:
    """Fixed values of a table of non-negative integers can be met, however far the noisy numbers are."""
    noisy, fixed, levels = problem
    result = cube(noisy, fixed=fixed, levels=levels, seed=seed)
    assert all(np.min(values) >= 0 for values in result.values())
    assert len({int(np.sum(values)) for values in result.values()}) == 1
    full = tuple(range(sum((axis,) in noisy for axis in range(3))))
    if full in result:
        cells = np.asarray(result[full])
        assert all(np.array_equal(values, grouped(cells, key, levels)) for key, values in result.items())
    for key, values in fixed.items():
        if key in result or full in result:
            sums = np.asarray(result[key] if key in result else grouped(cells, key, levels))
            by_index = (
                values if isinstance(values, dict) else {index: values[index] for index in np.ndindex(sums.shape)}
            )
            assert all(sums[index] == value for index, value in by_index.items())


@pytest.mark.parametrize("skew", [1.0, 4.0])
def test_a_fixed_count_of_a_margin_that_was_not_measured_changes_little_else(skew: float) -> None:
    """The other counts of that margin are the sums of the cells, however skewed they are."""
    draw = np.random.default_rng(3)
    truth = draw.poisson(np.outer(8000 / np.arange(1, 7) ** skew, np.ones(5)))
    noisy = truth + np.rint(draw.normal(0, 3, truth.shape)).astype(np.int64)
    plain = cube({(0, 1): noisy}, variance=9, seed=1)[0, 1].sum(axis=1)
    fixed = cube({(0, 1): noisy}, variance=9, fixed={(0,): {2: int(truth[2].sum())}}, seed=1)[0, 1].sum(axis=1)
    assert fixed[2] == truth[2].sum()
    assert np.abs(np.delete(fixed - plain, 2)).max() <= 5


def test_fixed_values_are_met_if_last_digits_of_large_counts_hide_where_to_go() -> None:
    """Newton's steps get worse after the tables agree to 6e-5: the best point is taken, not the last one."""
    noisy = {
        (2,): np.array([45812114, 851331652, 290463605, 63637331]),
        (1, 2): np.array([[-880, 851330504, -503, -730], [45812847, 168, 290463853, 63638062]]),
        (0, 1, 2): np.array(
            [
                [[170, 851331820, -95, -275], [-881, -979, -715, 859]],
                [[978, -309, 6, -461], [45811019, 798, 290464157, 63638313]],
            ]
        ),
        (1,): np.array([851331452, 399912118]),
        (0,): np.array([851330556, 399911676]),
        (): np.array(1251242526),
    }
    truth = np.zeros((2, 2, 4), dtype=np.int64)
    truth[0, 0, 1], truth[1, 1] = 851330917, [45811981, 0, 290463193, 63637409]
    cells = [(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 1, 0), (0, 1, 1), (0, 1, 2), (0, 1, 3), (1, 0, 0), (1, 0, 2)]
    cells += [(1, 0, 3), (1, 1, 0), (1, 1, 2), (1, 1, 3)]
    fixed = {
        (): truth.sum(),
        (0,): truth.sum(axis=(1, 2)),
        (1,): truth.sum(axis=(0, 2)),
        (1, 2): {index: int(truth.sum(axis=0)[index]) for index in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)]},
        (0, 1, 2): {index: int(truth[index]) for index in cells},
    }
    assert np.array_equal(cube(noisy, fixed=fixed, seed=0)[0, 1, 2].sum(axis=(1, 2)), fixed[0,])


@pytest.mark.parametrize("value", [10**4, 10**6, 10**9, 2**41])
def test_a_fixed_total_may_be_far_from_the_noisy_one(value: int) -> None:
    result = cube({(): 5, (0,): [1, 2]}, fixed={(): value}, seed=1)
    assert result[()] == value == result[0,].sum()
    assert np.abs(result[0,] - value / 2).max() <= 1
    rows = cube({(0, 1): np.zeros((2, 3), dtype=int), (1,): [0, 0, 0]}, fixed={(0,): [value, 6]}, seed=1)[0, 1]
    assert rows.sum(axis=1).tolist() == [value, 6]
    assert np.abs(rows - np.array([[value / 3], [2]])).max() <= 1


@pytest.mark.parametrize(("scale", "off"), [(100, 0), (5, 100)])
def test_fixed_row_sums_are_met_under_heavy_noise(scale: int, off: int) -> None:
    truth = np.array([[1190, 1195, 0], [610, 605, 0], [160, 158, 0], [45, 40, 0], [0, 0, 0]])
    rows = truth.sum(axis=1) + off
    generator = np.random.default_rng(0)
    for _ in range(50):
        noisy = {}
        for key in every_key(2):
            sums = margin(truth, key)
            noisy[key] = sums + np.rint(generator.laplace(0, scale, np.shape(sums))).astype(int)
        result = cube(noisy, fixed={(0,): rows}, seed=1)
        assert consistent(result)
        assert result[0,].tolist() == rows.tolist()


@cache
def free_of_fixed_values(sides: tuple[int, ...]) -> dict[int, float]:
    return off_the_fit(sides, [])


@pytest.mark.parametrize("fixed_keys", [[()], [(0,)], [(0,), (1,)], [(0,), (1,), (2,)]], ids=str)
@pytest.mark.parametrize("sides", [(20, 20, 20), (100, 12, 5), (8, 7, 6, 5)])
def test_fixed_values_leave_the_other_margins_as_close(
    sides: tuple[int, ...], fixed_keys: list[tuple[int, ...]]
) -> None:
    """Nearly every fixed sum of one, two or three axes takes a step."""
    free, distances = free_of_fixed_values(sides), off_the_fit(sides, fixed_keys)
    assert all(distances[ways] < 1.3 * free[ways] for ways in distances), (distances, free)


def test_single_values_of_a_margin_may_be_fixed() -> None:
    noisy: CubeMargins = {(0, 1): [[3, 5, -1], [4, 4, 2]], (0,): [9, 9], (1,): [8, 8, 2]}
    result = cube(noisy, fixed={(0,): {1: 20}, (1,): {2: 0}}, seed=1)
    assert result[0,][1] == 20
    assert result[1,][2] == 0
    assert consistent(result)


def test_three_fixed_margins_of_a_cube_are_met() -> None:
    generator = np.random.default_rng(4)
    truth = generator.poisson(3, (4, 5, 3))
    noisy = {(0, 1, 2): truth + generator.integers(-2, 3, truth.shape)}
    fixed = {key: margin(truth, key) for key in [(0, 1), (0, 2), (1, 2)]}
    cells = cube(noisy, fixed=fixed, seed=1)[0, 1, 2]
    assert all(np.array_equal(margin(cells, key), values) for key, values in fixed.items())


def test_a_search_that_runs_out_of_time_ends_at_once_and_claims_no_contradiction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All programs share one limit: the program that reaches the limit is the last."""
    programs = []
    program = fixed_sums._program

    def counted(*arguments: Any) -> Any:
        programs.append(1)
        return program(*arguments)

    monkeypatch.setattr(fixed_sums, "_program", counted)
    monkeypatch.setattr(fixed_sums, "SUBSETS", (330, 340))
    monkeypatch.setattr(fixed_sums, "SECONDS", 0.0)
    truth = np.random.default_rng(4).poisson(1, (7, 7, 7))
    fixed = {key: margin(truth, key) for key in [(0, 1), (0, 2), (1, 2)]}
    with pytest.raises(SolverError, match="0 seconds"):
        cube({(0, 1, 2): 0 * truth}, fixed=fixed, seed=1)
    assert len(programs) == 1

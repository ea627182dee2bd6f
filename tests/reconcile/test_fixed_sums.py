"""Public values of a cube are met, and leave the rest as close to the measurements."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import SolverError
from discreet.reconcile import cube
from tests.reconcile.cube_cases import CubeMargins, consistent, cubes, every_key, margin, off_the_fit

meeting = import_module("discreet.reconcile.fixed_sums")


@given(cubes(), st.data())
def test_public_values_are_met(given_cube: Any, data: st.DataObject) -> None:
    """Margins of one table, at most two of them besides the total, and some of its cells: they do not contradict."""
    noisy, variance = given_cube
    full = max(noisy, key=len)
    truth = cube(noisy, seed=1)[full]
    truth = np.asarray(truth)
    fixed: CubeMargins = {}
    for key in data.draw(st.lists(st.sampled_from(every_key(truth.ndim)), unique=True, max_size=2)):
        fixed[key] = margin(truth, key)
    if full not in fixed:
        places = data.draw(st.lists(st.sampled_from(list(np.ndindex(truth.shape))), unique=True, max_size=4))
        fixed[full] = {place: int(truth[place]) for place in places}
    result = cube(noisy, variance=variance, fixed=fixed, seed=2)
    assert consistent(result)
    cells = np.asarray(result[full])
    for key, values in fixed.items():
        if isinstance(values, dict):
            assert all(cells[place] == value for place, value in values.items())
        else:
            assert np.array_equal(margin(cells, key), values)


@st.composite
def public(draw: st.DrawFn) -> tuple[CubeMargins, CubeMargins, dict[int, Any]]:
    """Noisy margins, values of any margins or cells that are fixed at those of one table, and levels."""
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
    public_keys = draw(st.lists(st.sampled_from(keys), unique=True, min_size=1, max_size=5))
    fixed: CubeMargins = {}
    for key in public_keys:
        values = np.asarray(grouped(truth, key, levels))
        some = {place: int(values[place]) for place in np.ndindex(values.shape) if generator.random() < 0.6}
        fixed[key] = values if draw(st.booleans()) else some
    measured = draw(st.sets(st.sampled_from(keys))) | {(axis,) for axis in range(len(sides))}
    noisy: CubeMargins = {}
    for key in measured | (set(public_keys) if draw(st.booleans()) else set()):
        values = grouped(truth, key, levels)
        noisy[key] = values + generator.integers(-1000, 1001, np.shape(values))
    return noisy, fixed, levels


def grouped(cells: np.ndarray, key: tuple[Any, ...], levels: dict[int, Any]) -> Any:
    """A margin, axis 0 at its level if the key says so."""
    if (0, "half") in key:
        labels = levels[0]["half"]
        cells = np.stack([cells[labels == group].sum(axis=0) for group in range(labels.max() + 1)])
    return margin(cells, tuple(part[0] if isinstance(part, tuple) else part for part in key))


@given(public(), st.integers(0, 3))
@settings(max_examples=300)
def test_whatever_the_noise_public_values_that_can_be_met_are(problem: Any, seed: int) -> None:
    """Taken from a table of non-negative integers, they can be: how far the noisy ones are does not matter."""
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
            found = np.asarray(result[key] if key in result else grouped(cells, key, levels))
            places = values if isinstance(values, dict) else {p: values[p] for p in np.ndindex(found.shape)}
            assert all(found[place] == value for place, value in places.items())


@pytest.mark.parametrize("skew", [1.0, 4.0])
def test_a_fixed_count_of_a_margin_that_was_not_measured_changes_little_else(skew: float) -> None:
    """The other counts of that margin are what the cells say, however skewed they are."""
    draw = np.random.default_rng(3)
    truth = draw.poisson(np.outer(8000 / np.arange(1, 7) ** skew, np.ones(5)))
    noisy = truth + np.rint(draw.normal(0, 3, truth.shape)).astype(np.int64)
    plain = cube({(0, 1): noisy}, variance=9, seed=1)[0, 1].sum(axis=1)
    fixed = cube({(0, 1): noisy}, variance=9, fixed={(0,): {2: int(truth[2].sum())}}, seed=1)[0, 1].sum(axis=1)
    assert fixed[2] == truth[2].sum()
    assert np.abs(np.delete(fixed - plain, 2)).max() <= 5


def test_large_counts_whose_last_digits_hide_where_to_go() -> None:
    """Newton's steps get worse after the tables agree to 6e-5; the best point counts, not the last."""
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
        (1, 2): {at: int(truth.sum(axis=0)[at]) for at in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)]},
        (0, 1, 2): {at: int(truth[at]) for at in cells},
    }
    assert np.array_equal(cube(noisy, fixed=fixed, seed=0)[0, 1, 2].sum(axis=(1, 2)), fixed[0,])


@pytest.mark.parametrize("value", [10**4, 10**6, 10**9, 2**41])
def test_a_public_total_far_from_the_noisy_one(value: int) -> None:
    result = cube({(): 5, (0,): [1, 2]}, fixed={(): value}, seed=1)
    assert result[()] == value == result[0,].sum()
    assert np.abs(result[0,] - value / 2).max() <= 1
    rows = cube({(0, 1): np.zeros((2, 3), dtype=int), (1,): [0, 0, 0]}, fixed={(0,): [value, 6]}, seed=1)[0, 1]
    assert rows.sum(axis=1).tolist() == [value, 6]
    assert np.abs(rows - np.array([[value / 3], [2]])).max() <= 1


@pytest.mark.parametrize(("scale", "off"), [(100, 0), (5, 100)])
def test_public_row_sums_under_heavy_noise(scale: int, off: int) -> None:
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


@pytest.mark.parametrize("sides", [(20, 20, 20), (100, 12, 5), (8, 7, 6, 5)])
def test_public_values_leave_the_other_margins_as_close(sides: tuple[int, ...]) -> None:
    """A total, an axis, two and three axes, which together take a step in nearly every fixed sum."""
    free = off_the_fit(sides, [])
    for public in ([()], [(0,)], [(0,), (1,)], [(0,), (1,), (2,)]):
        found = off_the_fit(sides, public)  # type: ignore[arg-type]
        assert all(found[ways] < 1.3 * free[ways] for ways in found), (public, found, free)


def test_some_values_of_a_margin_are_public() -> None:
    noisy: CubeMargins = {(0, 1): [[3, 5, -1], [4, 4, 2]], (0,): [9, 9], (1,): [8, 8, 2]}
    result = cube(noisy, fixed={(0,): {1: 20}, (1,): {2: 0}}, seed=1)
    assert result[0,][1] == 20
    assert result[1,][2] == 0
    assert consistent(result)


def test_three_public_margins_of_a_cube() -> None:
    generator = np.random.default_rng(4)
    truth = generator.poisson(3, (4, 5, 3))
    noisy = {(0, 1, 2): truth + generator.integers(-2, 3, truth.shape)}
    fixed = {key: margin(truth, key) for key in [(0, 1), (0, 2), (1, 2)]}
    cells = cube(noisy, fixed=fixed, seed=1)[0, 1, 2]
    assert all(np.array_equal(margin(cells, key), values) for key, values in fixed.items())


def test_a_search_that_runs_out_of_time_ends_at_once_and_claims_no_contradiction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One limit for all programs: the first that meets it is the last."""
    programs = []
    program = meeting._program

    def counted(*given_program: Any) -> Any:
        programs.append(1)
        return program(*given_program)

    monkeypatch.setattr(meeting, "_program", counted)
    monkeypatch.setattr(meeting, "SUBSETS", (330, 340))
    monkeypatch.setattr(meeting, "SECONDS", 0.0)
    truth = np.random.default_rng(4).poisson(1, (7, 7, 7))
    fixed = {key: margin(truth, key) for key in [(0, 1), (0, 2), (1, 2)]}
    with pytest.raises(SolverError, match="found in 0 seconds; there may be some"):
        cube({(0, 1, 2): 0 * truth}, fixed=fixed, seed=1)
    assert len(programs) == 1

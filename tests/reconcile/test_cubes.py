"""Crossed tables: additive, non-negative, public values met, least squares behind them, any set of margins."""

from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from discreet.errors import InputError, ParameterError, SolverError
from discreet.reconcile import cube, moved
from discreet.reconcile.least_squares import fit
from discreet.reconcile.margins import Margins
from discreet.reconcile.problem import read
from discreet.reconcile.round_2d import controlled

parts = import_module("discreet.reconcile.cubes")
meeting = import_module("discreet.reconcile.fixed_sums")

Margin = dict[tuple[Any, ...], Any]


def every_key(dimensions: int) -> list[tuple[int, ...]]:
    return [key for size in range(dimensions + 1) for key in combinations(range(dimensions), size)]


def margin(cells: np.ndarray, key: tuple[int, ...]) -> Any:
    return cells.sum(axis=tuple(axis for axis in range(cells.ndim) if axis not in key))


def consistent(result: Margin) -> bool:
    """Every margin is the sum of each that keeps more axes."""
    for coarse, fine in ((a, b) for a in result for b in result if set(a) < set(b)):
        dropped = tuple(place for place, axis in enumerate(fine) if axis not in coarse)
        if not np.array_equal(result[coarse], np.asarray(result[fine]).sum(axis=dropped)):
            return False
    return all(np.min(values) >= 0 and np.asarray(values).dtype == np.int64 for values in result.values())


def fitted(margins: Margin, variance: Any = None, fixed: Any = None) -> np.ndarray:
    """The real cells of the only table."""
    problem = read(margins, variance, fixed or {}, {})
    found = fit(problem.axes, parts.blocks_of(problem))
    return np.asarray(problem.given(max(margins, key=len), found.tables[problem.tables[0]]))


@st.composite
def cubes(draw: st.DrawFn, smallest: int = 1) -> tuple[Margin, Margin]:
    """Noisy margins that include the cells, and their variances."""
    sides = tuple(draw(st.lists(st.integers(1, 4), min_size=smallest, max_size=3)))
    full = tuple(range(len(sides)))
    keys = draw(st.sets(st.sampled_from(every_key(len(sides))))) | {full}
    seed = draw(st.integers(0, 10**6))
    generator = np.random.default_rng(seed)
    cells = generator.poisson(draw(st.sampled_from([0.3, 3, 30])), sides)
    noisy = {key: margin(cells, key) + generator.integers(-4, 5, np.shape(margin(cells, key))) for key in keys}
    return noisy, {key: draw(st.sampled_from([0.5, 1, 2, 8])) for key in keys}


@given(cubes(), st.integers(0, 5))
def test_any_cube_adds_up(given_cube: Any, seed: int) -> None:
    noisy, variance = given_cube
    result = cube(noisy, variance=variance, seed=seed)
    assert list(result) == list(noisy)
    assert all(np.shape(result[key]) == np.shape(noisy[key]) for key in noisy)
    assert consistent(result)
    again = cube(dict(reversed(noisy.items())), variance=variance, seed=seed)
    assert all(np.array_equal(result[key], again[key]) for key in noisy)


@given(st.sets(st.sampled_from(every_key(3)), min_size=1), st.integers(0, 10**6))
@settings(max_examples=50)
def test_any_set_of_margins_adds_up(keys: set[tuple[int, ...]], seed: int) -> None:
    """Also where the cells themselves were not published."""
    generator = np.random.default_rng(seed)
    axes = sorted({axis for key in keys for axis in key})
    number = {axis: place for place, axis in enumerate(axes)}
    cells = generator.poisson(4, (3, 4, 2)[: len(axes)])
    noisy = {}
    for key in keys:
        renamed = tuple(number[axis] for axis in key)
        noisy[renamed] = margin(cells, renamed) + generator.integers(-3, 4, np.shape(margin(cells, renamed)))
    result = cube(noisy, seed=seed)
    assert consistent(result)
    for key in result:
        assert np.abs(np.asarray(result[key]) - noisy[key]).max() < 12 * max(1, cells.size)


@given(cubes())
def test_the_fit_is_the_least_squares_of_all(given_cube: Any) -> None:
    noisy, variance = given_cube
    cells = fitted(noisy, variance)
    rows, right = [], []
    for key, values in noisy.items():
        for place in np.ndindex(np.shape(values)):
            mask = np.zeros(cells.shape)
            mask[tuple(place[key.index(axis)] if axis in key else slice(None) for axis in range(cells.ndim))] = 1
            rows.append(mask.reshape(-1) / np.sqrt(variance[key]))
            right.append(np.asarray(values)[place] / np.sqrt(variance[key]))
    matrix, target = np.array(rows), np.array(right)
    _, norm = nnls(matrix, target)
    assert (cells >= 0).all()
    ours = np.sum((matrix @ cells.reshape(-1) - target) ** 2)
    assert norm**2 - 1e-6 <= ours <= 1.001 * norm**2 + 1e-6


@given(cubes(), st.data())
def test_public_values_are_met(given_cube: Any, data: st.DataObject) -> None:
    """Margins of one table, at most two of them besides the total, and some of its cells: they do not contradict."""
    noisy, variance = given_cube
    full = max(noisy, key=len)
    truth = cube(noisy, seed=1)[full]
    truth = np.asarray(truth)
    fixed: Margin = {}
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
def public(draw: st.DrawFn) -> tuple[Margin, Margin, dict[int, Any]]:
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
    fixed: Margin = {}
    for key in public_keys:
        values = np.asarray(grouped(truth, key, levels))
        some = {place: int(values[place]) for place in np.ndindex(values.shape) if generator.random() < 0.6}
        fixed[key] = values if draw(st.booleans()) else some
    measured = draw(st.sets(st.sampled_from(keys))) | {(axis,) for axis in range(len(sides))}
    noisy: Margin = {}
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


@given(cubes(), st.randoms())
def test_the_order_of_categories_does_not_matter(given_cube: Any, chance: Any) -> None:
    noisy, variance = given_cube
    full = max(noisy, key=len)
    sides = np.shape(noisy[full])
    generator = np.random.default_rng(chance.randrange(10**6))
    noisy = noisy | {full: generator.permutation(np.prod(sides)).reshape(sides) * 3}
    orders = [generator.permutation(side) for side in sides]

    def shuffle(values: Any, key: tuple[int, ...]) -> Any:
        for place, axis in enumerate(key):
            values = np.take(values, orders[axis], axis=place)
        return values

    straight = cube(noisy, variance=variance, seed=4)
    shuffled = cube({key: shuffle(values, key) for key, values in noisy.items()}, variance=variance, seed=4)
    for key in noisy:
        assert np.array_equal(shuffled[key], shuffle(straight[key], key))


@given(cubes(2), st.integers(0, 3))
def test_two_ways_are_rounded_down_or_up_throughout(given_cube: Any, seed: int) -> None:
    noisy, variance = given_cube
    full = max(noisy, key=len)
    if len(full) != 2:
        return
    cells, real = np.asarray(cube(noisy, variance=variance, seed=seed)[full]), fitted(noisy, variance)
    for key in every_key(2):
        assert np.abs(margin(cells, key) - margin(real, key)).max() < 1.001


@pytest.mark.parametrize("fixed", ["", "rows", "rows and columns", "total"])
def test_controlled_rounding_of_a_large_table(fixed: str) -> None:
    """Real cells whose fixed sums are integers up to the errors of a fit."""
    generator = np.random.default_rng(2)
    cells = generator.poisson(1.5, (60, 80)) + 0.0
    for _ in range(3000):  # steps that keep all sums
        (i, j), (k, m), step = generator.choice(60, 2, False), generator.choice(80, 2, False), generator.random()
        step = min(step, cells[i, m], cells[j, k])
        cells[i, k] += step
        cells[j, m] += step
        cells[i, m] -= step
        cells[j, k] -= step
    rows, columns, total = (np.rint(cells.sum(axis=axis)).astype(int) for axis in (1, 0, None))
    assert np.mean(cells != np.rint(cells)) > 0.5
    noisy = cells + (cells > 0.01) * generator.normal(0, 1e-5, cells.shape)
    given_sums = rows if "rows" in fixed else None, columns if "columns" in fixed else None
    result = controlled(noisy, *given_sums, total if fixed == "total" else None, 9)
    assert result is not None
    for axis in (0, 1, (0, 1)):
        assert np.abs((result - cells).sum(axis=axis)).max() < 1.001
    assert np.abs(result - cells).max() < 1.001
    assert "rows" not in fixed or np.array_equal(result.sum(axis=1), rows)
    assert "columns" not in fixed or np.array_equal(result.sum(axis=0), columns)
    assert fixed != "total" or result.sum() == total


@pytest.mark.parametrize("sides", [(8, 9), (6, 7, 8), (3, 4, 5, 4)])
def test_the_error_is_not_above_that_of_clipping_at_any_level(sides: tuple[int, ...]) -> None:
    """Clip-and-round: negative cells become 0 and the margins are their sums, so that it adds up as well."""
    generator = np.random.default_rng(5)
    truth = generator.poisson(generator.gamma(0.6, 5, sides))
    keys = every_key(len(sides))
    error = {key: np.zeros(2) for key in keys}
    for run in range(40):
        noisy = {}
        for key in keys:
            shape = np.shape(margin(truth, key))
            noisy[key] = margin(truth, key) + generator.geometric(0.6, shape) - generator.geometric(0.6, shape)
        result = cube(noisy, seed=run)
        clipped = noisy[keys[-1]].clip(0)
        for key in keys:
            both = np.asarray(result[key]), margin(clipped, key)
            error[key] += [np.mean((values - margin(truth, key)) ** 2) for values in both]
    for key in keys:
        assert error[key][0] <= error[key][1], (key, error[key] / 40)


def test_margins_of_three_ways_stay_close_to_the_fit() -> None:
    generator = np.random.default_rng(8)
    truth = generator.poisson(2, (20, 15, 12))
    noisy = {key: margin(truth, key) + generator.integers(-2, 3, np.shape(margin(truth, key))) for key in every_key(3)}
    cells, real = np.asarray(cube(noisy, seed=1)[0, 1, 2]), fitted(noisy)
    assert np.abs(cells - real).max() < 1
    for key in every_key(3):
        assert np.sqrt(np.mean((margin(cells, key) - margin(real, key)) ** 2)) < (2 if key == () else 1)


def off_the_fit(sides: tuple[int, ...], public: list[tuple[int, ...]], variance: Any = None) -> dict[int, float]:
    """Root mean square distance from the least-squares values, by axes kept, of margins that are not public."""
    generator = np.random.default_rng(3)
    squares: dict[int, list[float]] = {}
    for run in range(15):
        truth = generator.poisson(generator.gamma(0.6, 3, sides))
        noisy = {}
        for key in every_key(len(sides)):
            shape = np.shape(margin(truth, key))
            noisy[key] = margin(truth, key) + generator.geometric(0.6, shape) - generator.geometric(0.6, shape)
        fixed = {key: margin(truth, key) for key in public}
        result = cube(noisy, variance=variance, fixed=fixed, seed=run)
        real = fitted(noisy, variance, fixed)
        for key in noisy:
            if key and key not in public:
                squares.setdefault(len(key), []).extend(np.ravel(result[key] - margin(real, key)) ** 2)
        assert all(np.array_equal(result[key], fixed[key]) for key in public)
    return {ways: float(np.sqrt(np.mean(each))) for ways, each in squares.items()}


@pytest.mark.parametrize("sides", [(20, 20, 20), (100, 12, 5), (8, 7, 6, 5)])
def test_public_values_leave_the_other_margins_as_close(sides: tuple[int, ...]) -> None:
    """A total, an axis, two and three axes, which together take a step in nearly every fixed sum."""
    free = off_the_fit(sides, [])
    for public in ([()], [(0,)], [(0,), (1,)], [(0,), (1,), (2,)]):
        found = off_the_fit(sides, public)  # type: ignore[arg-type]
        assert all(found[ways] < 1.3 * free[ways] for ways in found), (public, found, free)


@pytest.mark.parametrize("precise", [(), (0,)])
def test_a_precise_margin_leaves_the_others_as_close(precise: tuple[int, ...]) -> None:
    """Rounded with their precision as weight alone, one-way margins are ten times as far."""
    variance = dict.fromkeys(every_key(3), 1.0)
    free, found = (off_the_fit((20, 20, 20), [], variance | {precise: each}) for each in (1.0, 0.01))
    assert all(found[ways] < 1.3 * free[ways] for ways in found), (found, free)


def test_a_hierarchy_crossed_with_dimensions() -> None:
    """Counties in states by age: states by age, states, ages and the total are all sums of the same cells."""
    generator = np.random.default_rng(3)
    state = np.repeat([2, 0, 1], [4, 3, 5])
    truth = generator.poisson(6, (12, 5))
    by_state = np.stack([truth[state == group].sum(axis=0) for group in range(3)])
    tables: Margin = {
        (0, 1): truth, ((0, "state"), 1): by_state, ((0, "state"),): by_state.sum(axis=1), (1,): truth.sum(axis=0),
        (): truth.sum(),
    }  # fmt: skip
    noisy = {key: values + generator.integers(-3, 4, np.shape(values)) for key, values in tables.items()}
    fixed = {((0, "state"),): by_state.sum(axis=1), (0, 1): {(0, 0): 0}}
    result = cube(noisy, levels={0: {"state": state}}, variance=dict.fromkeys(noisy, 2.0), fixed=fixed, seed=1)
    cells = result[0, 1]
    sums = np.stack([cells[state == group].sum(axis=0) for group in range(3)])
    assert np.array_equal(result[(0, "state"), 1], sums)
    assert np.array_equal(result[((0, "state"),)], by_state.sum(axis=1))
    assert np.array_equal(result[1,], cells.sum(axis=0))
    assert result[()] == cells.sum() == truth.sum()
    assert cells.min() >= 0
    assert cells[0, 0] == 0
    order = generator.permutation(12)
    again = cube(
        noisy | {(0, 1): noisy[0, 1][order]},
        levels={0: {"state": state[order]}},
        variance=2.0,
        fixed=fixed | {(0, 1): {(int(np.argsort(order)[0]), 0): 0}},
        seed=1,
    )
    assert np.array_equal(again[0, 1], cells[order])


def test_some_values_of_a_margin_are_public() -> None:
    noisy: Margin = {(0, 1): [[3, 5, -1], [4, 4, 2]], (0,): [9, 9], (1,): [8, 8, 2]}
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


@pytest.mark.parametrize("names", ["zyxw", "badc", ("join", "None", "0", "1")])
@pytest.mark.parametrize("listed", [False, True])
def test_what_levels_are_called_does_not_matter_nor_which_is_listed_first(names: Any, listed: bool) -> None:
    """Levels that cross, as many groups in each of two: which comes first is decided by numbers."""
    ways = [[0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0], [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]]
    for seed in range(20):
        generator = np.random.default_rng(seed)
        cells = generator.poisson(2, (6, 3))
        noisy = {(0,): cells.sum(axis=1), (1,): cells.sum(axis=0), (): np.asarray(cells.sum())}
        noisy |= {
            ((0, name), 1): np.eye(max(way) + 1, dtype=int)[way].T @ cells
            for name, way in zip("abcd", ways, strict=True)
        }
        noisy = {key: v + np.rint(generator.normal(0, 3, v.shape)).astype(int) for key, v in noisy.items()}
        other = dict(zip("abcd", names, strict=True))
        renamed = {(((0, other[key[0][1]]), 1) if len(key) == 2 else key): v for key, v in noisy.items()}
        levels = dict(zip(names, ways, strict=True))
        if listed:
            levels = dict(reversed(levels.items()))
        first = cube(noisy, variance=9.0, seed=1, levels={0: dict(zip("abcd", ways, strict=True))})
        second = cube(renamed, variance=9.0, seed=1, levels={0: levels})
        assert all(map(np.array_equal, first.values(), second.values()))


def test_axes_in_any_order() -> None:
    noisy = np.arange(12).reshape(3, 4) - 2
    straight = cube({(0, 1): noisy, (): 50}, seed=1)
    turned = cube({(1, 0): noisy.T, (): 50}, variance={(1, 0): np.ones((4, 3)), (): 1}, seed=1)
    assert turned[1, 0].shape == (4, 3)
    assert turned[1, 0].sum() == turned[()] == straight[()]


def test_how_far_the_numbers_moved() -> None:
    noisy: Margin = {(0, 1): [[3, -2], [4, 4]], (): 9}
    result = cube(noisy, seed=1)
    told = moved(noisy, result)
    assert told[0, 1].largest == np.abs(result[0, 1] - noisy[0, 1]).max()
    assert told[()].mean == abs(result[()] - 9)
    assert moved([1, 2, 3], [1, 2, 7]).root_mean_square == pytest.approx(np.sqrt(16 / 3))
    for before, after in (([1], [1, 2]), ({(): 1}, {(0,): [1]}), ({(): 1}, [1])):
        with pytest.raises(InputError, match="give"):
            moved(before, after)


@pytest.mark.parametrize(
    ("margins", "complaint"),
    [
        ({}, "no margins"),
        ([1, 2], "no margins"),
        ({0: [1, 2]}, "tuple of axes"),
        ({(0,): [[1, 2]]}, "keeps 1 axes"),
        ({(0,): [1, 2], (0, 1): [[1], [2], [3]]}, "3 categories on axis 0"),
        ({(0,): [1, 2], (2,): [1]}, "axis 1"),
        ({(-1,): [1]}, "axes are 0, 1"),
        ({(0, 0): [[1]]}, "twice"),
        ({(0, 1): [[1]], (1, 0): [[1]]}, "given twice"),
        ({(): float("nan")}, "nan"),
        ({(0,): [1, 2.5]}, "2.5"),
        ({(0,): np.ma.masked_equal([1, 2], 2)}, "masked"),
        (
            {(0, 1): np.full((64, 64), 2**36), (0,): np.zeros(64, dtype=int)},
            "counts of \\(0, 1\\) add up to 2.81e\\+14",
        ),
        ({(0,): []}, "no categories"),
        ({((0, "state"),): [1, 2]}, "describe it in levels"),
        ({(0, 1): np.broadcast_to(1, (20_000, 20_000))}, "smaller tables"),
    ],
)
def test_bad_margins_are_refused(margins: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        cube(margins)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"variance": 0}, "above 0"),
        ({"variance": -1}, "above 0"),
        ({"variance": {(0, 1): 1}}, "no entry for the margin"),
        ({"variance": {(0, 1): 1, (0,): 1, (): 1, (1,): 1}}, "not given"),
        ({"variance": {(0, 1): [1, 2], (0,): 1, (): 1}}, "one a cell"),
        ({"variance": {(0, 1): 1, (0,): 1, (): np.inf}}, "finite"),
        ({"fixed": {(0,): [5, 5], (): 11}}, "\\(0,\\) adds up to 10 and \\(\\) to 11 in all"),
        ({"fixed": {(): 3, (0, 1): {(0, 0): 4}}}, "margin \\(\\) at \\(\\) is fixed at 3, .* at least 4"),
        ({"fixed": {(0,): [9, 9], (0, 1): {(0, 0): 1, (0, 1): 1}}}, "at \\(0,\\) is fixed at 9"),
        ({"fixed": {(0, 1): {(5, 5): 0}}}, "cell \\(5, 5\\)"),
        ({"fixed": {(0, 1): {(0, 0): -1}}}, "from 0"),
        ({"fixed": {(0,): [1, -1]}}, "holds -1"),
        ({"fixed": {(0,): [1, 2, 3]}}, "shape"),
        ({"fixed": {(0,): {1.0: 3}}}, "cell 1.0"),
        ({"fixed": {(0,): {True: 3}}}, "cell True"),
        ({"fixed": {(0,): {(): 3}}}, "cell \\(\\)"),
        ({"fixed": [1]}, "values by margin"),
        ({"fixed": {(0,): {1: 20}, (): 10}}, "\\(0,\\) adds up to at least 20 and \\(\\) to 10 in all"),
        ({"fixed": {(0,): {0: 6, 1: 6}, (1,): {0: 4, 1: 7}}}, "adds up to 12 and \\(1,\\) to 11 in all"),
        ({"fixed": {(0,): [8, 8], (0, 1): {(0, 0): 9}}}, "at \\(0,\\) is fixed at 8, .* at least 9"),
        ({"variance": np.inf}, "is inf; give finite"),
        ({"seed": "x"}, "seed"),
    ],
)  # fmt: skip
def test_bad_options_are_refused(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        cube({(0, 1): [[1, 2], [3, 4]], (0,): [3, 7], (): 10}, **options)


def test_public_values_that_no_integers_meet_are_refused() -> None:
    """Two rows have one cell left each, in a column that is too small for both: no two sums tell."""
    zeros = dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], 0)
    with pytest.raises(
        SolverError, match=r"no tables were found that meet the fixed values of \(0, 1\), \(0,\), \(1,\)"
    ):
        cube(
            {(0, 1): np.ones((3, 3), dtype=int)},
            fixed={(0,): [3, 3, 2], (1,): [2, 2, 4], (0, 1): zeros},
            seed=1,
        )


def test_levels_are_checked() -> None:
    tables: Margin = {(0,): [1, 2, 3], ((0, "half"),): [3, 3]}
    for labels, complaint in (([0, 2, 2], "gaps"), ([0, 1], "categories on axis 0"), ([[0, 1]], "gaps")):
        with pytest.raises(InputError, match=complaint):
            cube(tables, levels={0: {"half": labels}})
    with pytest.raises(InputError, match="shape"):
        cube({(0,): [1, 2, 3], ((0, "half"),): [3, 3, 3]}, levels={0: {"half": [0, 0, 1]}})
    for levels in ([1], {0: [0, 0, 1]}, {"x": {"half": [0, 0, 1]}}):
        with pytest.raises(InputError, match="level"):
            cube(tables, levels=levels)  # type: ignore[arg-type]
    with pytest.raises(
        ParameterError, match=r"\(0,\) adds up to at most 5 and \(\(0, 'half'\),\) to at least 9 for margin"
    ):
        cube(
            {(0, 1): np.ones((3, 2), dtype=int)},
            levels={0: {"half": [0, 0, 1]}},
            fixed={(0,): {0: 2, 1: 3}, ((0, "half"),): {0: 9}},
        )
    Margins((3,), [((0, None),)], {})


def test_the_example_of_the_page() -> None:
    noisy: Margin = {(): 103, (0,): [40, 61], (1,): [55, 33, 16], (0, 1): [[18, 20, -1], [34, 15, 13]]}
    table = cube(noisy, seed=1)
    assert table[0, 1].tolist() == [[19, 20, 1], [35, 14, 13]]
    assert (table[0,].tolist(), table[1,].tolist(), int(table[()])) == ([40, 62], [54, 34, 14], 102)

"""Crossed tables: additive, non-negative, fixed values met, fitted by least squares, any set of margins."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from discreet.errors import InputError
from discreet.reconcile import cube, moved
from tests.reconcile.cube_cases import (
    CubeMargins,
    consistent,
    cubes,
    every_key,
    fitted,
    margin,
    off_the_fit,
)


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
    """Also if the cells themselves were not measured."""
    generator = np.random.default_rng(seed)
    axes = sorted({axis for key in keys for axis in key})
    number = {axis: rank for rank, axis in enumerate(axes)}
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
        for index in np.ndindex(np.shape(values)):
            mask = np.zeros(cells.shape)
            mask[tuple(index[key.index(axis)] if axis in key else slice(None) for axis in range(cells.ndim))] = 1
            rows.append(mask.reshape(-1) / np.sqrt(variance[key]))
            right.append(np.asarray(values)[index] / np.sqrt(variance[key]))
    matrix, target = np.array(rows), np.array(right)
    _, norm = nnls(matrix, target)
    assert (cells >= 0).all()
    objective = np.sum((matrix @ cells.reshape(-1) - target) ** 2)
    assert norm**2 - 1e-6 <= objective <= 1.001 * norm**2 + 1e-6


@given(cubes(), st.randoms())
def test_the_order_of_categories_does_not_matter(given_cube: Any, chance: Any) -> None:
    noisy, variance = given_cube
    full = max(noisy, key=len)
    sides = np.shape(noisy[full])
    generator = np.random.default_rng(chance.randrange(10**6))
    noisy = noisy | {full: generator.permutation(np.prod(sides)).reshape(sides) * 3}
    orders = [generator.permutation(side) for side in sides]

    def shuffle(values: Any, key: tuple[int, ...]) -> Any:
        for dimension, axis in enumerate(key):
            values = np.take(values, orders[axis], axis=dimension)
        return values

    straight = cube(noisy, variance=variance, seed=4)
    shuffled = cube({key: shuffle(values, key) for key, values in noisy.items()}, variance=variance, seed=4)
    for key in noisy:
        assert np.array_equal(shuffled[key], shuffle(straight[key], key))


@pytest.mark.parametrize("sides", [(8, 9), (6, 7, 8), (3, 4, 5, 4)])
def test_the_error_is_not_above_that_of_clipping_at_any_level(sides: tuple[int, ...]) -> None:
    """Clipping: negative cells become 0 and the margins are their sums, so that clipped tables add up as well."""
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
            pair = np.asarray(result[key]), margin(clipped, key)
            error[key] += [np.mean((values - margin(truth, key)) ** 2) for values in pair]
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


@pytest.mark.parametrize("precise", [(), (0,)])
def test_a_precise_margin_leaves_the_others_as_close(precise: tuple[int, ...]) -> None:
    """If margins were rounded with their precisions as weights alone, one-way margins would be ten times as far."""
    variance = dict.fromkeys(every_key(3), 1.0)
    equal, unequal = (off_the_fit((20, 20, 20), [], variance | {precise: own}) for own in (1.0, 0.01))
    assert all(unequal[ways] < 1.3 * equal[ways] for ways in unequal), (unequal, equal)


def test_a_hierarchy_crossed_with_dimensions_adds_up() -> None:
    """Counties in states by age: states by age, states, ages and the total are all sums of the same cells."""
    generator = np.random.default_rng(3)
    state = np.repeat([2, 0, 1], [4, 3, 5])
    truth = generator.poisson(6, (12, 5))
    by_state = np.stack([truth[state == group].sum(axis=0) for group in range(3)])
    tables: CubeMargins = {
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


def test_axes_may_come_in_any_order() -> None:
    noisy = np.arange(12).reshape(3, 4) - 2
    straight = cube({(0, 1): noisy, (): 50}, seed=1)
    transposed = cube({(1, 0): noisy.T, (): 50}, variance={(1, 0): np.ones((4, 3)), (): 1}, seed=1)
    assert transposed[1, 0].shape == (4, 3)
    assert transposed[1, 0].sum() == transposed[()] == straight[()]


def test_moved_measures_the_distance_from_the_noisy_numbers() -> None:
    noisy: CubeMargins = {(0, 1): [[3, -2], [4, 4]], (): 9}
    result = cube(noisy, seed=1)
    distances = moved(noisy, result)
    assert distances[0, 1].largest == np.abs(result[0, 1] - noisy[0, 1]).max()
    assert distances[()].mean == abs(result[()] - 9)
    assert moved([1, 2, 3], [1, 2, 7]).root_mean_square == pytest.approx(np.sqrt(16 / 3))
    for before, after, named in (
        ([1], [1, 2], r"\(1,\).*\(2,\)"),
        ({(): 1}, {(0,): [1]}, "keys"),
        ({(): 1}, [1], "keys"),
    ):
        with pytest.raises(InputError, match=named):
            moved(before, after)


def test_the_example_of_the_page_is_right() -> None:
    noisy: CubeMargins = {(): 103, (0,): [40, 61], (1,): [55, 33, 16], (0, 1): [[18, 20, -1], [34, 15, 13]]}
    table = cube(noisy, seed=1)
    assert table[0, 1].tolist() == [[19, 20, 1], [35, 14, 13]]
    assert (table[0,].tolist(), table[1,].tolist(), int(table[()])) == ([40, 62], [54, 34, 14], 102)


@pytest.mark.parametrize("names", ["zyxw", "badc", ("join", "None", "0", "1")])
@pytest.mark.parametrize("backwards", [False, True])
def test_the_names_and_the_order_of_levels_do_not_matter(names: Any, backwards: bool) -> None:
    """Some levels cross and have the same number of groups: the numbers decide which level comes first."""
    partitions = [[0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0], [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]]
    for seed in range(8):
        generator = np.random.default_rng(seed)
        cells = generator.poisson(2, (6, 3))
        noisy: dict[Any, Any] = {(0,): cells.sum(axis=1), (1,): cells.sum(axis=0), (): np.asarray(cells.sum())}
        noisy |= {
            ((0, name), 1): np.eye(max(groups) + 1, dtype=int)[groups].T @ cells
            for name, groups in zip("abcd", partitions, strict=True)
        }
        noisy = {
            key: values + np.rint(generator.normal(0, 3, values.shape)).astype(int) for key, values in noisy.items()
        }
        new_name = dict(zip("abcd", names, strict=True))
        renamed = {(((0, new_name[key[0][1]]), 1) if len(key) == 2 else key): values for key, values in noisy.items()}
        levels = dict(zip(names, partitions, strict=True))
        if backwards:
            levels = dict(reversed(levels.items()))
        first = cube(noisy, variance=9.0, seed=1, levels={0: dict(zip("abcd", partitions, strict=True))})
        second = cube(renamed, variance=9.0, seed=1, levels={0: levels})
        assert all(map(np.array_equal, first.values(), second.values()))

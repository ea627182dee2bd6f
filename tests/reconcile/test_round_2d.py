"""In two-way tables every number is rounded down or up, sums included."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from discreet.arrays import Floats
from discreet.reconcile import cube
from discreet.reconcile.round_2d import MARGIN, _row_pairs, controlled_rounding
from tests.reconcile.cube_cases import (
    cubes,
    every_key,
    fitted,
    margin,
)


@given(cubes(2), st.integers(0, 3))
def test_every_number_of_a_two_way_table_is_rounded_down_or_up(given_cube: Any, seed: int) -> None:
    noisy, variance = given_cube
    full = max(noisy, key=len)
    if len(full) != 2:
        return
    cells, real = np.asarray(cube(noisy, variance=variance, seed=seed)[full]), fitted(noisy, variance)
    for key in every_key(2):
        assert np.abs(margin(cells, key) - margin(real, key)).max() < 1.001


@pytest.mark.parametrize("fixed", ["", "rows", "rows and columns", "total"])
def test_a_large_table_is_rounded_down_or_up_within_fixed_sums(fixed: str) -> None:
    """The fixed sums of the real cells are integers up to the errors of a fit."""
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
    fixed_sums = rows if "rows" in fixed else None, columns if "columns" in fixed else None
    result = controlled_rounding(noisy, *fixed_sums, total if fixed == "total" else None, 9)
    assert result is not None
    for axis in (0, 1, (0, 1)):
        assert np.abs((result - cells).sum(axis=axis)).max() < 1.001
    assert np.abs(result - cells).max() < 1.001
    assert "rows" not in fixed or np.array_equal(result.sum(axis=1), rows)
    assert "columns" not in fixed or np.array_equal(result.sum(axis=0), columns)
    assert fixed != "total" or result.sum() == total


def least_squares_of_integers(cells: Floats) -> float:
    """Return the least weighted distance of integers that add up, by a linear program whose corners are integers."""
    rows, columns = cells.shape
    bordered = np.zeros((rows + 1, columns + 1))
    bordered[:-1, :-1] = cells
    bordered[:-1, -1], bordered[-1] = -cells.sum(axis=1), -bordered.sum(axis=0)
    bordered[-1, -1] = cells.sum()
    floor = np.floor(bordered)
    fraction = bordered - floor
    weight = np.ones(bordered.shape)
    weight[-1], weight[:, -1] = MARGIN, MARGIN
    sums = np.vstack([np.kron(np.eye(rows + 1), np.ones(columns + 1)), np.kron(np.ones(rows + 1), np.eye(columns + 1))])
    steps = linprog((weight * (1 - 2 * fraction)).ravel(), A_eq=sums, b_eq=-sums @ floor.ravel(), bounds=(0, 1)).x
    return float(np.sum(weight * (floor + np.rint(steps).reshape(bordered.shape) - bordered) ** 2))


def test_rounding_is_nearly_the_closest_there_is() -> None:
    generator = np.random.default_rng(5)
    distance = least = 0.0
    for _ in range(20):
        cells = generator.random((9, 12)) * 5
        rounded = controlled_rounding(cells, None, None, None, 1)
        assert rounded is not None
        errors = rounded - cells
        sums = [errors.sum(axis=0), errors.sum(axis=1), errors.sum()]
        distance += float(np.sum(errors**2) + MARGIN * sum(np.sum(np.square(margin)) for margin in sums))
        least += least_squares_of_integers(cells)
    assert least <= distance <= 1.15 * least


@pytest.mark.parametrize("shape", [(100, 100), (3, 400), (400, 3)])
def test_cells_are_almost_as_close_as_nearest_integers(shape: tuple[int, int]) -> None:
    cells = np.random.default_rng(6).random(shape) * 5
    rounded = controlled_rounding(cells, None, None, None, 1)
    assert rounded is not None
    assert np.abs(rounded - cells).max() < 1
    assert np.mean((rounded - cells) ** 2) < 0.11  # nearest integers, which do not add up: 1/12


@pytest.mark.parametrize("size", [2, 3, 8, 9])
def test_every_two_rows_meet_once_in_a_tournament(size: int) -> None:
    met = [
        frozenset(pair)
        for first, second in _row_pairs(size, size + size % 2 - 1)
        for pair in zip(first.tolist(), second.tolist(), strict=True)
    ]
    assert sorted(map(sorted, met)) == [[a, b] for a in range(size) for b in range(a + 1, size)]

"""Waves hold every cell once; in three dimensions no two cells of a wave share a sum over one axis."""

from itertools import combinations

import numpy as np
import pytest

from discreet.reconcile import waves
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit

SIDES = (5, 8, 11)
KEYS = [tuple((axis, None) for axis in axes) for size in range(3) for axes in combinations(range(3), size)]


def test_every_cell_is_in_one_wave_without_neighbours_along_an_axis() -> None:
    margins = Margins(SIDES, KEYS, {})
    numbers = waves._wave_numbers(SIDES)
    cells = np.flatnonzero(np.random.default_rng(1).random(440) < 0.7)
    assert sorted(waves.Waves(margins, cells).cells) == cells.tolist()
    for wave in range(11):
        indices = margins.sum_indices(np.flatnonzero(numbers == wave))
        for key, row in zip(margins.keys, indices, strict=True):
            assert len(key) < 2 or len(np.unique(row)) == len(row)


@pytest.mark.parametrize("sides", [(300, 2), (3, 4, 5), (1, 1), (70_000,)])
def test_the_number_of_a_wave_is_the_sum_of_coordinates(sides: tuple[int, ...]) -> None:
    expected = sum(np.indices(sides)) % min(max(sides), waves.MOST)
    np.testing.assert_array_equal(waves._wave_numbers(sides), np.ravel(expected))


def test_waves_lower_the_misfit_and_keep_its_errors_right() -> None:
    generator, margins = np.random.default_rng(2), Margins(SIDES, KEYS, {})
    cells = generator.random(SIDES) * 3
    floor = np.floor(cells).astype(np.int64).reshape(-1)
    targets = [np.asarray(sums, dtype=np.float64) for sums in margins.add(cells)]
    ordered = waves.Waves(margins, np.arange(cells.size))
    fractions = (cells.reshape(-1) - floor)[ordered.cells]
    errors = np.zeros(sum(map(np.size, targets)))
    up = ordered.goes_up(fractions, errors)
    integers = floor.copy()
    integers[ordered.cells] += up
    misfit = Misfit(margins, cells.reshape(-1), targets, [1.0] * 7, 1.0, integers)
    np.testing.assert_allclose(errors, misfit.all_errors, atol=1e-9)
    at_random = margins.add((floor + (generator.random(440) < cells.reshape(-1) - floor)).reshape(SIDES))
    squares = np.square(
        np.concatenate([np.ravel(sums - target) for sums, target in zip(at_random, targets, strict=True)])
    )
    assert np.square(errors).sum() < squares.sum() / 3
    before = np.square(misfit.all_errors).sum()
    in_waves = integers[ordered.cells].astype(np.float64)
    ordered.sweep(misfit, in_waves, cells.reshape(-1)[ordered.cells])
    assert np.square(misfit.all_errors).sum() <= before
    np.testing.assert_array_equal(integers[ordered.cells], in_waves)
    sums = np.concatenate([np.ravel(margin) for margin in margins.add(integers.reshape(SIDES))])
    np.testing.assert_allclose(misfit.all_errors, sums - np.concatenate([np.ravel(t) for t in targets]), atol=1e-9)

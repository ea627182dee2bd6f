"""Moves of two cells bring sums to the integers they aim at; cells stay rounded down or up, and other sums stay."""

from itertools import combinations

import numpy as np
import pytest

from discreet.arrays import Floats, Integers
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit
from discreet.reconcile.round_nd import move_pairs

SIDES = (14, 12, 10)
KEYS = [tuple((axis, None) for axis in axes) for size in range(3) for axes in combinations(range(3), size)]


def rounding(cells: Floats, generator: np.random.Generator) -> Integers:
    """Return the cells, each rounded down or up at random."""
    floor = np.floor(cells)
    return (floor + (generator.random(cells.shape) < cells - floor)).astype(np.int64)


Cube = tuple[Margins, Floats, list[Floats], Integers]


@pytest.fixture
def cube() -> Cube:
    """Return margins, real cells, the sums of one rounding of the cells, and another rounding with the same total."""
    generator = np.random.default_rng(3)
    cells = generator.random(SIDES) * 4
    margins = Margins(SIDES, KEYS, {})
    aims = [np.asarray(total, dtype=np.float64) for total in margins.add(rounding(cells, generator))]
    integers = rounding(cells, generator)
    floor = np.floor(cells).astype(np.int64)
    excess = int(integers.sum() - aims[margins.keys.index(())])
    movable = np.flatnonzero((integers > floor) if excess > 0 else (integers == floor))
    integers.reshape(-1)[movable[: abs(excess)]] -= np.sign(excess)
    return margins, cells, aims, integers


def faults(margins: Margins, integers: Integers, aims: list[Floats]) -> int:
    return sum(int((total != aim).sum()) for total, aim in zip(margins.add(integers), aims, strict=True))


def test_most_sums_come_to_their_aims(cube: Cube) -> None:
    margins, cells, aims, integers = cube
    before, total = faults(margins, integers, aims), int(integers.sum())
    misfit = Misfit(margins, cells.reshape(-1), aims, [1.0] * len(aims), 1.0, integers.reshape(-1))
    move_pairs(misfit, margins, range(len(margins.keys)), (), seed_key=1)
    assert faults(margins, integers, aims) < before / 3
    assert integers.sum() == total
    assert np.abs(integers - cells).max() < 1
    errors = np.concatenate([np.ravel(total - aim) for total, aim in zip(margins.add(integers), aims, strict=True)])
    np.testing.assert_array_equal(np.concatenate(misfit.errors()), errors)


def test_nothing_moves_along_fixed_axes(cube: Cube) -> None:
    margins, cells, aims, integers = cube
    before = integers.copy()
    misfit = Misfit(margins, cells.reshape(-1), aims, [1.0] * len(aims), 1.0, integers.reshape(-1))
    move_pairs(misfit, margins, range(len(margins.keys)), (0, 2), seed_key=1)
    assert not np.array_equal(integers, before)
    np.testing.assert_array_equal(integers.sum(axis=1), before.sum(axis=1))


def test_sums_that_are_right_stay(cube: Cube) -> None:
    margins, cells, _, integers = cube
    before = integers.copy()
    aims = [np.asarray(total, dtype=np.float64) for total in margins.add(integers)]
    misfit = Misfit(margins, cells.reshape(-1), aims, [1.0] * len(aims), 1.0, integers.reshape(-1))
    move_pairs(misfit, margins, range(len(margins.keys)), (), seed_key=1)
    np.testing.assert_array_equal(integers, before)

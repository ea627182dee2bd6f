"""Moves of two cells: sums come to the integers they aim at, cells stay rounded down or up, other sums stay."""

from itertools import combinations

import numpy as np
import pytest

from discreet.arrays import Floats, Integers
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit
from discreet.reconcile.pair_moves import mend

SIDES = (14, 12, 10)
KEYS = [tuple((axis, None) for axis in axes) for size in range(3) for axes in combinations(range(3), size)]


def rounding(cells: Floats, generator: np.random.Generator) -> Integers:
    """Return the cells, each rounded down or up at random."""
    floor = np.floor(cells)
    return (floor + (generator.random(cells.shape) < cells - floor)).astype(np.int64)


@pytest.fixture
def cube() -> tuple[Margins, Floats, list[Floats], Integers]:
    """Return margins, real cells, the sums of one rounding of the cells, and another rounding with the same total."""
    generator = np.random.default_rng(3)
    cells = generator.random(SIDES) * 4
    margins = Margins(SIDES, KEYS, {})
    aims = [np.asarray(total, dtype=np.float64) for total in margins.add(rounding(cells, generator))]
    whole = rounding(cells, generator)
    floor = np.floor(cells).astype(np.int64)
    excess = int(whole.sum() - aims[margins.keys.index(())])
    movable = np.flatnonzero((whole > floor) if excess > 0 else (whole == floor))
    whole.reshape(-1)[movable[: abs(excess)]] -= np.sign(excess)
    return margins, cells, aims, whole


def faults(margins: Margins, whole: Integers, aims: list[Floats]) -> int:
    return sum(int((total != aim).sum()) for total, aim in zip(margins.add(whole), aims, strict=True))


def test_most_sums_come_to_their_aims(cube: tuple[Margins, Floats, list[Floats], Integers]) -> None:
    margins, cells, aims, whole = cube
    before, total = faults(margins, whole, aims), int(whole.sum())
    misfit = Misfit(margins, cells.reshape(-1), aims, [1.0] * len(aims), 1.0, whole.reshape(-1))
    mend(misfit, margins, range(len(margins.keys)), (), key=1)
    assert faults(margins, whole, aims) < before / 3
    assert whole.sum() == total
    assert np.abs(whole - cells).max() < 1
    errors = np.concatenate([np.ravel(total - aim) for total, aim in zip(margins.add(whole), aims, strict=True)])
    np.testing.assert_array_equal(np.concatenate(misfit.errors()), errors)


def test_nothing_moves_along_axes_that_are_kept(cube: tuple[Margins, Floats, list[Floats], Integers]) -> None:
    margins, cells, aims, whole = cube
    before = whole.copy()
    misfit = Misfit(margins, cells.reshape(-1), aims, [1.0] * len(aims), 1.0, whole.reshape(-1))
    mend(misfit, margins, range(len(margins.keys)), (0, 2), key=1)
    assert not np.array_equal(whole, before)
    np.testing.assert_array_equal(whole.sum(axis=1), before.sum(axis=1))


def test_sums_that_are_right_stay(cube: tuple[Margins, Floats, list[Floats], Integers]) -> None:
    margins, cells, _, whole = cube
    before = whole.copy()
    aims = [np.asarray(total, dtype=np.float64) for total in margins.add(whole)]
    misfit = Misfit(margins, cells.reshape(-1), aims, [1.0] * len(aims), 1.0, whole.reshape(-1))
    mend(misfit, margins, range(len(margins.keys)), (), key=1)
    np.testing.assert_array_equal(whole, before)

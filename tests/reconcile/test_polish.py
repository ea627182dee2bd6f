"""Looking for cells in single precision first changes no integer, and misses no cell."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arrays import Floats, Integers
from discreet.reconcile import polish
from discreet.reconcile.margins import Margins
from discreet.reconcile.misfit import Misfit

SIDES = (9, 8, 7)
KEYS = [tuple((axis, None) for axis in axes) for size in range(3) for axes in combinations(range(3), size)]


def rounding(seed: int, weights: list[float], off: float) -> tuple[Misfit, Integers]:
    """Return a random rounding of random cells, with sums that are off by about so much, and the movable cells."""
    generator = np.random.default_rng(seed)
    margins = Margins(SIDES, KEYS, {})
    cells = generator.random(SIDES) * 4
    cells[generator.random(SIDES) < 0.3] = 2
    floor = np.floor(cells)
    integers = (floor + (generator.random(SIDES) < cells - floor)).astype(np.int64)
    targets: list[Floats] = [sums + generator.normal(0, off, np.shape(sums)) for sums in margins.add(cells)]
    misfit = Misfit(margins, cells.reshape(-1), targets, weights, min(weights), integers.reshape(-1))
    return misfit, np.flatnonzero(cells > floor)


@pytest.mark.parametrize("weights", [[1.0] * 7, [1e-9, 1.0, 1e6, 3.0, 0.1, 20.0, 1e12]])
@given(seed=st.integers(0, 10**6), off=st.sampled_from([0.0, 0.5, 10.0, 1e7]))
def test_rough_pulls_are_within_their_error(weights: list[float], seed: int, off: float) -> None:
    misfit, _ = rounding(seed, weights, off)
    every = np.arange(len(misfit.integers))
    rough, error = misfit.rough_pulls(misfit.excess(every).astype(np.float32))
    assert np.abs(rough - misfit.pull(every) / misfit.weight).max() <= error


@pytest.mark.parametrize("best_first", [False, True])
@pytest.mark.parametrize("weights", [[1.0] * 7, [1e-3, 1.0, 0.1, 3.0, 0.1, 20.0, 1.0]])
def test_single_precision_changes_no_integer(
    weights: list[float], best_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = 0
    for seed in range(10):
        results = []
        for least in (10**6, 0):
            monkeypatch.setattr(polish, "SINGLE", least)
            misfit, movable = rounding(seed, weights, 0.5)
            before = misfit.integers.copy()
            polish.polish(misfit, movable, seed, best_first)
            results.append(misfit.integers)
            moved += int((misfit.integers != before).sum())
        np.testing.assert_array_equal(results[0], results[1])
    assert moved > 100

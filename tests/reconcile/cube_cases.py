"""Cubes for tests, and whether their margins agree."""

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from discreet.reconcile import cube
from discreet.reconcile.cubes import blocks_of
from discreet.reconcile.least_squares import fit
from discreet.reconcile.read_problem import read_problem

CubeMargins = dict[tuple[Any, ...], Any]


def every_key(dimensions: int) -> list[tuple[int, ...]]:
    return [key for size in range(dimensions + 1) for key in combinations(range(dimensions), size)]


def margin(cells: np.ndarray, key: tuple[int, ...]) -> Any:
    return cells.sum(axis=tuple(axis for axis in range(cells.ndim) if axis not in key))


def consistent(margins: CubeMargins) -> bool:
    """Return True if values are integers from 0 and every margin is the sum of each margin that keeps more axes."""
    for coarse, fine in ((coarse, fine) for coarse in margins for fine in margins if set(coarse) < set(fine)):
        dropped = tuple(dimension for dimension, axis in enumerate(fine) if axis not in coarse)
        if not np.array_equal(margins[coarse], np.asarray(margins[fine]).sum(axis=dropped)):
            return False
    return all(np.min(values) >= 0 and np.asarray(values).dtype == np.int64 for values in margins.values())


def fitted(margins: CubeMargins, variance: Any = None, fixed: Any = None) -> np.ndarray:
    """Return the real cells of the only table."""
    problem = read_problem(margins, variance, fixed, None)
    tables = fit(problem.axes, blocks_of(problem)).tables
    return np.asarray(problem.in_user_order(max(margins, key=len), tables[problem.tables[0]]))


@st.composite
def cubes(draw: st.DrawFn, smallest: int = 1) -> tuple[CubeMargins, CubeMargins]:
    """Noisy margins that include the cells, and their variances."""
    sides = tuple(draw(st.lists(st.integers(1, 4), min_size=smallest, max_size=3)))
    full = tuple(range(len(sides)))
    keys = draw(st.sets(st.sampled_from(every_key(len(sides))))) | {full}
    seed = draw(st.integers(0, 10**6))
    generator = np.random.default_rng(seed)
    cells = generator.poisson(draw(st.sampled_from([0.3, 3, 30])), sides)
    noisy = {key: margin(cells, key) + generator.integers(-4, 5, np.shape(margin(cells, key))) for key in keys}
    return noisy, {key: draw(st.sampled_from([0.5, 1, 2, 8])) for key in keys}


def off_the_fit(sides: tuple[int, ...], public: list[tuple[int, ...]], variance: Any = None) -> dict[int, float]:
    """Return root mean square distances from the least-squares values, by axes kept, of margins that are not public."""
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
    return {ways: float(np.sqrt(np.mean(of_ways))) for ways, of_ways in squares.items()}

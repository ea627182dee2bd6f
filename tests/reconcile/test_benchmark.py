"""The benchmark's own part: the problems it gives the solvers are those that Discreet solves."""

import numpy as np
from benchmarks.reconcile import fit_cube, fit_tree, make_cube, make_tree
from scipy.optimize import nnls


def test_the_fits_of_the_benchmark_are_the_least_squares_of_its_matrices() -> None:
    noisy, parent, matrix = make_tree((2, 3))
    margins, cells = make_cube(3)
    measured = np.concatenate([np.ravel(values) for values in margins.values()])
    for found, rows, right in (
        (fit_tree(noisy, parent), matrix, noisy),
        (fit_cube(margins), cells, measured),
    ):
        best = nnls(rows.toarray(), right.astype(float))[1] ** 2
        assert best - 1e-6 <= np.sum((rows @ found - right) ** 2) <= best * (1 + 1e-4) + 1e-6

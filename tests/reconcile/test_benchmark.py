"""The benchmark gives the solvers the same problems that Discreet solves."""

import numpy as np
from benchmarks.reconcile import fit_cube, fit_tree, make_cube, make_tree
from scipy.optimize import nnls


def test_the_fits_of_the_benchmark_are_the_least_squares_of_its_matrices() -> None:
    noisy, parent, matrix = make_tree((2, 3))
    margins, cells = make_cube(3)
    measured = np.concatenate([np.ravel(values) for values in margins.values()])
    for fitted, rows, right in (
        (fit_tree(noisy, parent), matrix, noisy),
        (fit_cube(margins), cells, measured),
    ):
        least = nnls(rows.toarray(), right.astype(float))[1] ** 2
        assert least - 1e-6 <= np.sum((rows @ fitted - right) ** 2) <= least * (1 + 1e-4) + 1e-6

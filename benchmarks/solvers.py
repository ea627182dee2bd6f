"""Non-negative least squares by general solvers: minimise x' P x / 2 + q' x, equations x = 0, the first cells >= 0."""

from typing import Any

import numpy as np
from scipy import sparse


def by_osqp(square: Any, linear: Any, equations: Any, cells: int) -> Any:
    """The cells by OSQP."""
    import osqp

    rows, size = equations.shape
    limits = sparse.hstack([sparse.identity(cells), sparse.csr_matrix((cells, size - cells))])
    problem = osqp.OSQP()
    problem.setup(
        square,
        linear,
        sparse.vstack([equations, limits]).tocsc(),
        np.zeros(rows + cells),
        np.concatenate([np.zeros(rows), np.full(cells, np.inf)]),
        verbose=False,
        eps_abs=1e-4,
        eps_rel=1e-4,
        max_iter=20_000,
    )
    return np.maximum(problem.solve().x[:cells], 0)


def by_clarabel(square: Any, linear: Any, equations: Any, cells: int) -> Any:
    """The cells by Clarabel."""
    import clarabel

    rows, size = equations.shape
    limits = sparse.hstack([-sparse.identity(cells), sparse.csr_matrix((cells, size - cells))])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.ZeroConeT(rows), clarabel.NonnegativeConeT(cells)]
    constraints = sparse.vstack([equations, limits]).tocsc()
    solver = clarabel.DefaultSolver(square, linear, constraints, np.zeros(rows + cells), cones, settings)
    return np.maximum(np.array(solver.solve().x[:cells]), 0)

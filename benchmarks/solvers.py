"""Non-negative least squares by general solvers: minimise x' P x / 2 + q' x, equations x = 0, the first cells >= 0.

`within` runs a solver in its own process, with a limit of seconds.
"""

import multiprocessing
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse


def within(seconds: float, run: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call and its seconds; None and the limit if the call did not end in time."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def work() -> None:
        start = time.perf_counter()
        result = run()
        sender.send((result, time.perf_counter() - start))

    process = context.Process(target=work)
    process.start()
    outcome = receiver.recv() if receiver.poll(seconds) else (None, seconds)
    process.kill()
    process.join()
    return outcome


def by_osqp(square: Any, linear: Any, equations: Any, cells: int, accuracy: float = 1e-4) -> Any:
    """Return the cells by OSQP."""
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
        eps_abs=accuracy,
        eps_rel=accuracy,
        max_iter=1_000_000,
    )
    return np.maximum(problem.solve().x[:cells], 0)


def by_clarabel(square: Any, linear: Any, equations: Any, cells: int) -> Any:
    """Return the cells by Clarabel."""
    import clarabel

    rows, size = equations.shape
    limits = sparse.hstack([-sparse.identity(cells), sparse.csr_matrix((cells, size - cells))])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.ZeroConeT(rows), clarabel.NonnegativeConeT(cells)]
    constraints = sparse.vstack([equations, limits]).tocsc()
    solver = clarabel.DefaultSolver(square, linear, constraints, np.zeros(rows + cells), cones, settings)
    return np.maximum(np.array(solver.solve().x[:cells]), 0)

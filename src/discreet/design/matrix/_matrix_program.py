"""The linear program of `constrained`: the mechanism on 0..n of least loss with privacy and properties.

Symmetry. If the cost is symmetric, or S is a property, the variables of mirrored entries are one variable. With other
weights symmetry is not free (Theorem 1 of Cormode 2019 needs equal weights).

Rows implied by other rows are left out: RM implies RH and half of the privacy rows, CM implies CH, CH implies WH.

Optima are not unique. A second program takes the optimum of least L2 (equal weights), so that the answer does not
depend on the vertex where a solver stops. An L2 optimum needs no second program.
"""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats
from discreet.design.additive.geometric import geometric
from discreet.design.matrix._requested_properties import closure
from discreet.design.matrix.fair import fair
from discreet.errors import SolverError
from discreet.linear_program import Program, Variables

LOOSE = 1e-9
"""How far the second program may exceed the optimum of the first, as a share of the largest loss."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What to minimise, subject to what.

    Attributes
    ----------
    cost
        The loss of output i for true count j, times the weight of j.
    largest
        True if the largest loss of a true count is minimised, instead of the sum.
    """

    n: int
    alpha: float
    properties: frozenset[str]
    cost: Floats
    largest: bool

    @property
    def folded(self) -> bool:
        """True if mirrored entries are one variable."""
        return "S" in self.properties or bool(np.allclose(self.cost, self.cost[::-1, ::-1], rtol=1e-12, atol=0))


def solve(problem: Problem, time_limit: float) -> Floats:
    """Return the optimum as a matrix, outputs down and true counts across.

    Raises
    ------
    SolverError
        The first program was not solved in time.
    """
    n, cost = problem.n, problem.cost
    variables, size = number_entries(n, problem.folded, "F" in problem.properties)
    program = Program(size + problem.largest)
    add_privacy_and_properties(program, variables, problem.alpha, problem.properties)
    columns = np.arange(n // 2 + 1 if problem.folded else n + 1)
    program.rows(variables.T[columns], 1.0, 1.0, 1.0)
    if problem.largest:
        program.cost[-1] = 1.0
        for j in range(n + 1):
            terms = np.concatenate([variables[:, j], [size]])[None, :]
            program.rows(terms, np.concatenate([-cost[:, j], [1.0]]), 0.0, np.inf)
    else:
        np.add.at(program.cost, variables.ravel(), cost.ravel())
    values = program.solve(time_limit, None if problem.largest else _vertex(problem, variables, size))
    squares = np.subtract.outer(np.arange(n + 1), np.arange(n + 1)).astype(np.float64) ** 2 / (n + 1)
    if problem.largest or not np.allclose(cost, squares, rtol=1e-12, atol=0):
        values = _least_squares(program, values, variables, squares / (n * n), float(np.abs(cost).max()), time_limit)
    matrix = np.clip(values[variables], 0, None)
    return np.asarray(matrix / matrix.sum(axis=0))


def _least_squares(
    program: Program, values: Floats, variables: Variables, squares: Floats, scale: float, time_limit: float
) -> Floats:
    """Return the optimum of least L2, or the given optimum if the second program is not solved."""
    cost = program.cost.copy()
    most = float(cost @ values) + LOOSE * max(scale, 1e-300)
    program.rows(np.arange(len(cost))[None, :], cost, -np.inf, most)
    program.cost[:] = 0.0
    np.add.at(program.cost, variables.ravel(), squares.ravel())
    with suppress(SolverError):
        return program.solve(time_limit)
    return values


def number_entries(n: int, folded: bool, is_fair: bool) -> tuple[Variables, int]:
    """Return the number of the variable of every entry P[i, j], and how many variables there are.

    Mirrored entries share a variable if `folded`. The entries of the diagonal share one if `is_fair`.
    """
    numbers = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    if folded:
        numbers = np.minimum(numbers, numbers[::-1, ::-1])
    if is_fair:
        np.fill_diagonal(numbers, 0)
    used, indices = np.unique(numbers, return_inverse=True)
    return indices.reshape(n + 1, n + 1), len(used)


def add_privacy_and_properties(program: Program, p: Variables, alpha: float, properties: frozenset[str]) -> None:
    """Add the inequalities of privacy and of the properties, without inequalities that others imply."""
    n = len(p) - 1
    i, j = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    truth = np.diagonal(p)
    rightward = (i <= j)[:, :-1]  # in row i the step from j to j + 1 leads away from the diagonal
    near, far = np.where(rightward, p[:, :-1], p[:, 1:]), np.where(rightward, p[:, 1:], p[:, :-1])
    program.order(far, near, alpha)
    program.order(near, far, 1.0 if "RM" in properties else alpha)
    if "CP" in properties:
        program.order(p[:-1], p[1:], alpha)
        program.order(p[1:], p[:-1], alpha)
    if "RH" in properties and "RM" not in properties:
        program.order(np.broadcast_to(truth[:, None], p.shape), p)
    if "CM" in properties:
        downward = (i >= j)[:-1, :]
        program.order(np.where(downward, p[:-1], p[1:]), np.where(downward, p[1:], p[:-1]))
    elif "CH" in properties:
        program.order(np.broadcast_to(truth[None, :], p.shape), p)
    elif "WH" in properties:
        program.rows(np.unique(truth)[:, None], 1.0, 1 / (n + 1), np.inf)


def _vertex(problem: Problem, variables: Variables, size: int) -> Floats | None:
    """Return a feasible vertex to start from, or None.

    The vertex is EM* if F and RM are properties, and the geometric mechanism if it has the properties.
    """
    n, alpha, properties = problem.n, repr(problem.alpha), problem.properties
    if "CP" in properties:
        return None
    if {"F", "RM"} <= properties:
        start = fair(n=n, alpha=alpha)
    elif "F" not in properties and closure(properties) <= geometric(alpha=alpha, upper=n).properties():
        start = geometric(alpha=alpha, upper=n)
    else:
        return None
    values = np.zeros(size)
    values[variables.ravel()] = start.matrix().ravel()
    return values

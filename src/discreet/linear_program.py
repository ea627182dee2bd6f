"""Linear programs with sparse rows and integer variables, solved by HiGHS.

Variables are named by arrays of their numbers, so that one call adds a family of constraints. Rows that compare a
variable with itself, and rows that repeat another row, are dropped before the solver sees them.

If a feasible vertex is known, the solver starts there: the rows that define the vertex are its basis, and the simplex
method only has to check or improve the vertex. Otherwise an interior-point method with crossover is used. Variables
listed in `binary` are 0 or 1; the program is then solved by branch and bound.

A solver's "optimal" is never evidence of privacy. The answer is repaired, and `certify` checks it in integers.

HiGHS is loaded when a program is solved. To read or check a design, no solver is needed.
"""

import itertools
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.errors import SolverError

if TYPE_CHECKING:
    import highspy

Variables = Integers
"""Indices of variables of a program."""

TOLERANCES = (1e-10, 1e-9, 1e-8)
"""Tolerances that are tried in turn. A program that is not solved at the first may be solved at the next."""

SMALLEST_COEFFICIENT = 1e-12
"""With units: coefficients below this share of the largest in their row count as 0. HiGHS allows no less."""


def sparse_model(
    cost: Floats,
    highest: Floats,
    bounds: tuple[Floats, Floats],
    matrix: tuple[Integers, Integers, Floats],
    *,
    by_rows: bool,
    integer: Variables,
) -> "highspy.HighsLp":
    """Return a model for HiGHS: minimise cost @ x subject to 0 <= x <= highest and bounds on sparse rows.

    Parameters
    ----------
    matrix
        Where each row (or column) starts, and the indices and values of its entries.
    by_rows
        True if the matrix is given row by row, False if column by column.
    integer
        The variables that are integers.
    """
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(cost), len(bounds[0])
    model.col_cost_, model.col_lower_, model.col_upper_ = cost, np.zeros(len(cost)), highest
    model.row_lower_, model.row_upper_ = bounds
    layout = highspy.MatrixFormat
    model.a_matrix_.format_ = layout.kRowwise if by_rows else layout.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = matrix
    if integer.size:
        kinds = np.full(len(cost), highspy.HighsVarType.kContinuous, dtype=object)
        kinds[integer] = highspy.HighsVarType.kInteger
        model.integrality_ = kinds.tolist()
    return model


def silent_solver(model: "highspy.HighsLp", options: Mapping[str, float | str]) -> "highspy.Highs":
    """Return HiGHS with a model and options. HiGHS prints nothing."""
    import highspy

    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    for name, value in options.items():
        highs.setOptionValue(name, value)
    highs.passModel(model)
    return highs


def _highs(
    model: "highspy.HighsLp",
    solver: str,
    tolerance: float,
    seconds: float,
    basis: "highspy.HighsBasis | None",
    smallest: float | None,
) -> "highspy.Highs":
    """Return a solver with the model loaded.

    If a basis is given, the solver is the primal simplex method instead of `solver`. Coefficients below `smallest`
    count as 0. None: the default of HiGHS.
    """
    import highspy

    tolerances = (
        "primal_feasibility_tolerance",
        "dual_feasibility_tolerance",
        "ipm_optimality_tolerance",
        "mip_feasibility_tolerance",
        "mip_abs_gap",
    )
    options: dict[str, float | str] = {
        "time_limit": seconds,
        **dict.fromkeys(tolerances, tolerance),
        "mip_rel_gap": 0.0,
        "solver": solver,
        **({} if smallest is None else {"small_matrix_value": smallest}),
    }
    highs = silent_solver(model, options)
    if basis is not None and highs.setBasis(basis) == highspy.HighsStatus.kOk:
        highs.setOptionValue("presolve", "off")
        highs.setOptionValue("solver", "simplex")
        highs.setOptionValue("simplex_strategy", 4)  # primal
    return highs


class Program:
    """Minimise cost @ x subject to x >= 0 and the rows that are added.

    Attributes
    ----------
    cost
        One coefficient for each variable.
    binary
        The variables that are 0 or 1.
    units
        The size that each variable is expected to have. A solver's tolerance is absolute. So if variables differ by
        many orders of magnitude, the solver is given x / units, with every row and the cost divided by their largest
        coefficient. None: the solver is given x.
    """

    def __init__(self, size: int) -> None:
        self.cost: Floats = np.zeros(size)
        self.binary: Variables = np.zeros(0, dtype=np.int64)
        self.units: Floats | None = None
        self._variables: list[Variables] = []
        self._coefficients: list[Floats] = []
        self._bounds: list[tuple[int, float, float]] = []

    def order(self, greater: Variables, smaller: Variables, factor: float = 1.0) -> None:
        """Add x[greater] >= factor * x[smaller], elementwise. The factor is at most 1."""
        pairs = np.unique(np.stack([np.ravel(greater), np.ravel(smaller)], axis=1), axis=0)
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        self.rows(pairs, [1.0, -factor], 0.0, math.inf)

    def rows(self, variables: Variables, coefficients: npt.ArrayLike, lower: float, upper: float) -> None:
        """Add lower <= sum of coefficients * x[variables] <= upper, for each line of the array."""
        self._variables.append(variables)
        self._coefficients.append(np.broadcast_to(np.asarray(coefficients, dtype=np.float64), variables.shape))
        self._bounds.append((len(variables), lower, upper))

    def solve(self, time_limit: float, vertex: Floats | None = None, first: str = "ipm") -> Floats:
        """Return the values of the variables at the optimum.

        Parameters
        ----------
        time_limit
            Seconds after which the program is given up.
        vertex
            A feasible point at which some rows hold with equality. The search starts there if these rows define it.
        first
            The method to try before the other: "ipm" with crossover, or "simplex".

        Raises
        ------
        SolverError
            There is no feasible point, or the time ran out.
        """
        import highspy

        matrix = self.entries()
        model = self._model(*matrix)
        basis = None if vertex is None else self._basis(vertex, *matrix)
        end = time.monotonic() + time_limit
        solvers = ("choose",) if self.binary.size else (first, "ipm" if first == "simplex" else "simplex")
        for tolerance, solver in itertools.product(TOLERANCES, solvers):
            start = basis if tolerance == TOLERANCES[0] else None
            smallest = None if self.units is None else SMALLEST_COEFFICIENT
            highs = _highs(model, solver, tolerance, max(end - time.monotonic(), 0.0), start, smallest)
            highs.run()
            status = highs.getModelStatus()
            if status == highspy.HighsModelStatus.kTimeLimit or time.monotonic() > end:
                raise SolverError(
                    f"{self} was not solved in {time_limit:g} s; give a larger time_limit, or a smaller problem"
                )
            if status == highspy.HighsModelStatus.kOptimal:
                values = np.array(highs.getSolution().col_value)
                return values if self.units is None else values * self.units
        raise SolverError(f"{self} has no solution ({highs.modelStatusToString(status).lower()})")

    def __str__(self) -> str:
        return "the linear program with choices" if self.binary.size else "the linear program"

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lower and the upper bound of every row."""
        counts, lower, upper = zip(*self._bounds, strict=True)
        return np.repeat(np.array(lower), counts), np.repeat(np.array(upper), counts)

    def entries(self) -> tuple[Integers, Variables, Floats]:
        """Return the row numbers, variables and coefficients of all entries, by row. Repeated entries are added up."""
        widths = np.concatenate([np.full(len(v), v.shape[1]) for v in self._variables])
        row = np.repeat(np.arange(len(widths)), widths)
        variable = np.concatenate([v.ravel() for v in self._variables])
        value = np.concatenate([c.ravel() for c in self._coefficients])
        order = np.lexsort((variable, row))
        row, variable, value = row[order], variable[order], value[order]
        first = np.flatnonzero(np.concatenate([[True], (np.diff(row) != 0) | (np.diff(variable) != 0)]))
        return row[first], variable[first], np.add.reduceat(value, first)

    def _model(self, row: Integers, variable: Variables, value: Floats) -> "highspy.HighsLp":
        rows = sum(count for count, _, _ in self._bounds)
        highest = np.full(len(self.cost), math.inf)
        highest[self.binary] = 1
        cost, bounds = self.cost, self.bounds
        if self.units is not None:
            value = value * self.units[variable]
            largest = np.zeros(rows)
            np.maximum.at(largest, row, np.abs(value))
            value, bounds = value / largest[row], (bounds[0] / largest, bounds[1] / largest)
            cost = cost * self.units / np.abs(cost * self.units).max()
        matrix = np.searchsorted(row, np.arange(rows + 1)), variable, value
        return sparse_model(cost, highest, bounds, matrix, by_rows=True, integer=self.binary)

    def _basis(self, vertex: Floats, row: Integers, variable: Variables, value: Floats) -> "highspy.HighsBasis | None":
        """Return a basis of tight rows that define the vertex, one for each variable; None if there are too few.

        The rows are the equalities, and for each other variable the first tight order. An order defines one of its
        variables from the other, so orders that form a forest are independent.
        """
        import highspy

        lower, upper = self.bounds
        size = np.bincount(row, minlength=len(lower))
        activity = np.bincount(row, weights=value * vertex[variable], minlength=len(lower))
        scale = np.bincount(row, weights=np.abs(value * vertex[variable]), minlength=len(lower))
        tight = (activity - lower <= 1e-9 * scale) & (size == 2) & (lower == 0)
        equal = lower == upper
        parent = np.arange(len(self.cost))

        def root(v: int) -> int:
            while parent[v] != v:
                parent[v] = parent[parent[v]]
                v = int(parent[v])
            return v

        chosen = []
        starts = np.searchsorted(row, np.arange(len(lower)))
        for line in np.flatnonzero(tight):
            one, other = root(int(variable[starts[line]])), root(int(variable[starts[line] + 1]))
            if one != other:
                parent[one] = other
                chosen.append(line)
        if len(chosen) + int(equal.sum()) != len(self.cost):
            return None
        basic, tight_row = highspy.HighsBasisStatus.kBasic, highspy.HighsBasisStatus.kLower
        status = np.full(len(lower), basic, dtype=object)
        status[chosen] = tight_row
        status[equal] = tight_row
        basis = highspy.HighsBasis()
        basis.col_status, basis.row_status = [basic] * len(self.cost), status.tolist()
        basis.valid = True
        return basis

"""Optimal mechanisms for counts 0..n under any of the seven properties (Cormode 2019, sections 3 to 5).

The linear program, with P[i, j] = Pr[output i | true j]:

    minimise    sum_j w_j sum_i loss(i, j) P[i, j]        or the largest over j       (aggregate="sum" or "max")
    subject to  sum_i P[i, j] = 1,   P[i, j] >= alpha P[i, j +- 1],   and the properties, all of them linear.

No program is solved if the optimum is known:

- no properties (or S), a loss that grows with |i-j|, any prior: the geometric mechanism and a Bayes remap (`_remap`);
- L0 and F: EM* (`fair`);
- L0 with equal weights and properties that the geometric mechanism has: that mechanism (RH, RM, S; WH iff
  n >= 2 alpha/(1-alpha); CH and CM iff alpha <= 1/2);
- L0 with equal weights and WH: a closed form (`_honest_columns`);
- L0 with equal weights and CH or CM, n < 2 alpha/(1-alpha): a flat middle column (`_honest_columns`).

`_matrix_program` solves all other cases.

CP, column privacy, is the further property that section 8 of the paper proposes: P[i, j] >= alpha P[i +- 1, j]. Then
the chances of neighbouring outputs differ by no more than the factor that privacy allows for neighbouring counts.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.assess.utility import Loss, checked_weights
from discreet.design import parameters
from discreet.design.additive.geometric import geometric
from discreet.design.matrix import _honest_columns, _matrix_program, _remap
from discreet.design.matrix._requested_properties import (
    WITH_COLUMN_PRIVACY,
    closure,
    geometric_properties,
    requested,
)
from discreet.design.matrix.fair import fair
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number
from discreet.mechanism import Mechanism, Row

TIME_LIMIT = 600.0

Objective = str | tuple[str, int] | npt.ArrayLike


def constrained(
    *,
    n: int,
    epsilon: Number | None = None,
    properties: Sequence[str] | str = (),
    objective: Objective = "L0",
    weights: npt.ArrayLike | None = None,
    aggregate: str = "sum",
    alpha: Number | None = None,
    time_limit: float = TIME_LIMIT,
) -> Mechanism:
    """Return the mechanism on 0..n of least loss with the properties.

    Parameters
    ----------
    n : int
        Largest count.
    epsilon, alpha : Number, optional
        Privacy of one count: epsilon, or alpha = exp(-epsilon), which is then exact. Give one of them.
    properties : str or sequence of str
        Any of RH, RM, CH, CM, F, WH, S, CP, in a list or separated by commas, or "all" for the first seven.
    objective : str, tuple or array of float
        "L0", "L1", "L2", ("L0", d) or "L0,d", or a matrix of losses with outputs down and true counts across.
    weights : array of float, optional
        A prior over the true counts. By default all counts have the same weight.
    aggregate : str
        "sum" over true counts, or "max".
    time_limit : float
        Seconds after which a linear program is given up.

    Returns
    -------
    Mechanism
        The optimum. `design["method"]` says how it was found.

    Raises
    ------
    ParameterError
        A parameter is outside its range, or a property or objective is not known.
    SolverError
        The linear program was not solved in time.

    Examples
    --------
    >>> import discreet as dc
    >>> mechanism = dc.design.constrained(n=5, epsilon=1, properties=("WH", "CM"), objective="L2")
    >>> mechanism.design["method"], round(mechanism.loss("L2"), 4)
    ('linear program', 1.0834)
    """
    privacy = Epsilon.of(epsilon, alpha)
    largest = parameters.largest_count(n, "n")
    names = requested(properties, WITH_COLUMN_PRIVACY)
    loss = losses(objective, largest)
    prior = _prior_weights(weights, largest, aggregate)
    seconds = parameters.seconds(time_limit)
    rows, method = _known_optimum(largest, privacy, names, objective, prior, aggregate)
    if rows is None:
        problem = _matrix_program.Problem(
            largest, float(privacy.alpha), names, loss * prior[None, :], aggregate == "max"
        )
        matrix = _matrix_program.solve(problem, seconds)
        rows, method = tuple(Row(0, np.ascontiguousarray(column)) for column in matrix.T), "linear program"
    design = {
        "name": "constrained",
        "n": largest,
        **privacy.parameters,
        "properties": [name for name in WITH_COLUMN_PRIVACY if name in names],
        "objective": _objective_entry(objective),
        "weights": "equal" if weights is None else [repr(float(w)) for w in prior],
        "aggregate": aggregate,
        "method": method,
    }
    return Mechanism(Counts(0, largest), rows, design=design)


def losses(objective: Objective, n: int) -> Floats:
    """Return the loss of output i for true count j, as a matrix.

    Raises
    ------
    ParameterError
        The objective is neither a loss nor a matrix of finite losses.
    """
    unknown = ParameterError(
        f"objective is {objective!r:.60}; give 'L0', 'L1', 'L2', ('L0', d)"
        f" or a {n + 1} x {n + 1} matrix of finite losses"
    )
    if isinstance(objective, (str, tuple)):
        try:
            loss = Loss.of(objective)
        except ParameterError:
            raise unknown from None
        if loss.beyond >= n:
            raise ParameterError(f"objective is {objective!r}; give ('L0', d) with d from 0 to {n - 1}")
        return loss(np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1))).astype(np.float64))
    try:
        matrix = np.asarray(objective, dtype=np.float64)
    except (TypeError, ValueError):
        raise unknown from None
    if matrix.shape != (n + 1, n + 1) or not np.isfinite(matrix).all():
        raise unknown
    return matrix


def _objective_entry(objective: Objective) -> str | list[str | int]:
    """Return the objective as an entry of the design."""
    if isinstance(objective, str):
        return objective
    return list(objective) if isinstance(objective, tuple) else "matrix"


def _prior_weights(weights: npt.ArrayLike | None, n: int, aggregate: str) -> Floats:
    """Return the weights of the true counts; equal weights if none are given. Raise ParameterError if one is wrong."""
    if aggregate not in ("sum", "max"):
        raise ParameterError(f"aggregate is {aggregate!r}; give 'sum' or 'max'")
    if weights is None:
        return np.full(n + 1, 1 / (n + 1)) if aggregate == "sum" else np.ones(n + 1)
    return checked_weights(weights, n + 1, total=1.0 if aggregate == "sum" else None)


def _known_optimum(
    n: int, privacy: Epsilon, properties: frozenset[str], objective: Objective, prior: Floats, aggregate: str
) -> tuple[tuple[Row, ...] | None, str]:
    """Return the columns of the optimum and the method that found them; None if a program is needed."""
    if aggregate == "max" or not isinstance(objective, (str, tuple)) or "CP" in properties:
        return None, ""
    equal = bool(np.ptp(prior) <= 1e-15)
    if objective == "L0" and "F" in properties:
        return fair(n=n, **privacy.given).rows, "transport"
    if objective == "L0" and equal:
        if closure(properties) <= geometric_properties(n, privacy):
            return geometric(upper=n, **privacy.given).rows, "geometric"
        if not properties & {"CH", "CM"}:
            return _honest_columns.weakly_honest_columns(n, privacy), "transport"
        if (columns := _honest_columns.column_monotone_columns(n, privacy)) is not None:
            return columns, "transport"
    symmetric_prior = bool(np.allclose(prior, prior[::-1], atol=1e-15))
    if not properties or (properties == {"S"} and symmetric_prior):
        return _remap.rows(n, privacy, losses(objective, n), prior, symmetric=bool(properties)), "Bayes remap"
    return None, ""

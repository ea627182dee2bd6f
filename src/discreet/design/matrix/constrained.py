"""Optimal mechanisms for counts 0..n under any of the seven properties (Cormode 2019, sections 3 to 5).

The linear program, with P[i, j] = Pr[output i | true j]:

    minimise    sum_j w_j sum_i loss(i, j) P[i, j]        or the largest over j       (aggregate="sum" or "max")
    subject to  sum_i P[i, j] = 1,   P[i, j] >= alpha P[i, j +- 1],   and the properties asked for, all of them linear.

No program is solved where its optimum is known:

- no properties (or S), a loss that grows with |i-j|, any prior: the geometric mechanism and a Bayes remap (`remap`);
- L0 and F: EM* (`fair`);
- L0 with equal weights and CH or CM, n < 2 alpha/(1-alpha): a flat middle column (`honest`);
- L0 with equal weights and WH: the closed form in `honest`;
- L0 with equal weights and properties that the geometric mechanism has: that mechanism (RH, RM, S; WH iff
  n >= 2 alpha/(1-alpha); CH and CM iff alpha <= 1/2).

Otherwise it is folded by symmetry where the weights allow (with other weights symmetry is not free: Theorem 1 needs
them equal), and rows implied by others are left out: RM implies RH and half of the privacy rows, CM implies CH, CH
implies WH. Optima are not unique, so a second program takes the one of least L2 (equal weights) among them, and the
answer does not depend on the solver's vertex; an L2 optimum is taken as it is.

CP, column privacy, is the further property that section 8 of the paper proposes: P[i, j] >= alpha P[i +- 1, j], so
that the chances of neighbouring outputs differ by no more than the factor that privacy allows for neighbouring counts.
"""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.assess.utility import Loss, checked_weights
from discreet.certify.table import PROPERTIES
from discreet.design import parameters
from discreet.design.additive.geometric import geometric
from discreet.design.matrix import _remap, weakly_honest
from discreet.design.matrix.fair import fair
from discreet.domain import Counts
from discreet.errors import ParameterError, SolverError
from discreet.exact import Epsilon, Number
from discreet.linear_program import Program, Variables
from discreet.mechanism import Mechanism, Row

HELD = 1e-9
"""How closely the second program holds the first one's optimum, relative to the largest loss."""

TIME_LIMIT = 600.0

REQUESTS = (*PROPERTIES, "CP")
"""What may be asked for: the seven properties, and column privacy. "all" means the seven."""

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
    """The mechanism on 0..n of least loss with the properties.

    Parameters
    ----------
    n
        Largest count.
    epsilon
        Privacy of one count.
    properties
        Any of RH, RM, CH, CM, F, WH, S, CP, in a list or separated by commas, or "all" for the first seven.
    objective
        "L0", "L1", "L2", ("L0", d) or "L0,d", or a matrix of losses with outputs down and true counts across.
    weights
        A prior over the true counts; equal unless given.
    aggregate
        "sum" over true counts, or "max".
    alpha
        exp(-epsilon), instead of epsilon; it is then exact.
    time_limit
        Seconds after which a linear program is given up.
    """
    privacy = Epsilon.of(epsilon, alpha)
    largest = parameters.largest_count(n, "n")
    asked = requested(properties, REQUESTS)
    loss = losses(objective, largest)
    prior = prior_weights(weights, largest, aggregate)
    allowed = parameters.seconds(time_limit)
    rows, method = _known(largest, privacy, asked, objective, prior, aggregate)
    if rows is None:
        matrix = _solve(largest, float(privacy.alpha), asked, loss, prior, aggregate, allowed)
        rows, method = tuple(Row(0, np.ascontiguousarray(column)) for column in matrix.T), "linear program"
    named = objective if isinstance(objective, str) else list(objective) if isinstance(objective, tuple) else "matrix"
    design = {
        "name": "constrained",
        "n": largest,
        **privacy.parameters,
        "properties": [name for name in REQUESTS if name in asked],
        "objective": named,
        "weights": "equal" if weights is None else [repr(float(w)) for w in prior],
        "aggregate": aggregate,
        "method": method,
    }
    return Mechanism(Counts(0, largest), rows, design=design)


def requested(properties: Sequence[str] | str, known: Sequence[str] = PROPERTIES) -> frozenset[str]:
    """Return the properties as a set.

    Raises
    ------
    ParameterError
        A name is not one of the known ones.
    """
    if isinstance(properties, str):
        names = PROPERTIES if properties == "all" else tuple(properties.replace(",", " ").split())
    else:
        names = tuple(properties)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ParameterError(f"properties hold {unknown[0]!r}; choose from {', '.join(known)}, or give 'all'")
    return frozenset(names)


def closure(asked: frozenset[str]) -> frozenset[str]:
    """With what the properties imply: RM => RH, CM => CH => WH, and with F both honesties are one."""
    held = set(asked)
    held |= {"RH"} if "RM" in held else set()
    held |= {"CH"} if "CM" in held else set()
    held |= {"RH", "CH"} if "F" in held and held & {"RH", "CH"} else set()
    held |= {"WH"} if "CH" in held else set()
    return frozenset(held)


def geometric_properties(n: int, privacy: Epsilon) -> frozenset[str]:
    """What the geometric mechanism has: WH iff n >= 2 alpha/(1-alpha), CH and CM iff alpha <= 1/2; at n = 1 all."""
    alpha = privacy.alpha
    if n == 1:
        return frozenset(PROPERTIES)
    held = {"RH", "RM", "S"}
    held |= {"WH"} if n * (1 - alpha) >= 2 * alpha else set()
    held |= {"CH", "CM", "WH"} if 2 * alpha <= 1 else set()
    return frozenset(held)


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
    distance = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1))).astype(np.float64)
    if isinstance(objective, (str, tuple)):
        try:
            loss = Loss.of(objective)
        except ParameterError:
            raise unknown from None
        if loss.beyond >= n:
            raise ParameterError(f"objective is {objective!r}; give ('L0', d) with d from 0 to {n - 1}")
        return loss(distance)
    try:
        matrix = np.asarray(objective, dtype=np.float64)
    except (TypeError, ValueError):
        raise unknown from None
    if matrix.shape != (n + 1, n + 1) or not np.isfinite(matrix).all():
        raise unknown
    return matrix


def prior_weights(weights: npt.ArrayLike | None, n: int, aggregate: str) -> Floats:
    """Weights of the true counts: given and checked, or equal."""
    if aggregate not in ("sum", "max"):
        raise ParameterError(f"aggregate is {aggregate!r}; give 'sum' or 'max'")
    if weights is None:
        return np.full(n + 1, 1 / (n + 1)) if aggregate == "sum" else np.ones(n + 1)
    return checked_weights(weights, n + 1, total=1.0 if aggregate == "sum" else None)


def _known(
    n: int, privacy: Epsilon, asked: frozenset[str], objective: Objective, prior: Floats, aggregate: str
) -> tuple[tuple[Row, ...] | None, str]:
    """The optimum where no program is needed, and how it was found."""
    if aggregate == "max" or not isinstance(objective, (str, tuple)) or "CP" in asked:
        return None, ""
    equal = bool(np.ptp(prior) <= 1e-15)
    if objective == "L0":
        if "F" in asked:
            return fair(n=n, **privacy.given).rows, "transport"
        if equal and closure(asked) <= geometric_properties(n, privacy):
            return geometric(upper=n, **privacy.given).rows, "geometric"
        if equal and not asked & {"CH", "CM"}:
            return weakly_honest.closed_form(n, privacy), "transport"
        if equal and (rows := weakly_honest.column_closed_form(n, privacy)) is not None:
            return rows, "transport"
    if asked <= {"S"}:
        mirrored = bool(np.allclose(prior, prior[::-1], atol=1e-15))
        if not asked or mirrored:
            return _remap.rows(n, privacy, losses(objective, n), prior, symmetric="S" in asked), "Bayes remap"
    return None, ""


def _solve(
    n: int, alpha: float, asked: frozenset[str], loss: Floats, prior: Floats, aggregate: str, time_limit: float
) -> Floats:
    """The program of the module's docstring, folded, and its optimum as a matrix."""
    cost = loss * prior[None, :]
    folded = "S" in asked or bool(np.allclose(cost, cost[::-1, ::-1], rtol=1e-12, atol=0))
    variables, size = _variables(n, folded, "F" in asked)
    largest = 1 if aggregate == "max" else 0
    program = Program(size + largest)
    _privacy_and_properties(program, variables, alpha, asked)
    columns = np.arange(n // 2 + 1 if folded else n + 1)
    program.rows(variables.T[columns], 1.0, 1.0, 1.0)
    if aggregate == "max":
        program.cost[-1] = 1.0
        for j in range(n + 1):
            terms = np.concatenate([variables[:, j], [size]])[None, :]
            program.rows(terms, np.concatenate([-cost[:, j], [1.0]]), 0.0, np.inf)
    else:
        np.add.at(program.cost, variables.ravel(), cost.ravel())
    found = program.solve(time_limit, None if largest else _vertex(n, alpha, asked, variables, size))
    squares = losses("L2", n) / (n + 1)
    if largest or not np.allclose(cost, squares, rtol=1e-12, atol=0):
        first = program.cost.copy()
        held = float(first @ found) + HELD * max(float(np.abs(cost).max()), 1e-300)
        program.rows(np.arange(len(first))[None, :], first, -np.inf, held)
        program.cost[:] = 0.0
        np.add.at(program.cost, variables.ravel(), squares.ravel() / (n * n))
        with suppress(SolverError):
            found = program.solve(time_limit)
    matrix = np.clip(found[variables], 0, None)
    return np.asarray(matrix / matrix.sum(axis=0))


def _variables(n: int, folded: bool, fair_: bool) -> tuple[Variables, int]:
    """The number of the variable at P[i, j]: mirrored entries share one where folded, the diagonal one where fair."""
    numbers = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    if folded:
        numbers = np.minimum(numbers, numbers[::-1, ::-1])
    if fair_:
        np.fill_diagonal(numbers, 0)
    used, places = np.unique(numbers, return_inverse=True)
    return places.reshape(n + 1, n + 1), len(used)


def _privacy_and_properties(program: Program, p: Variables, alpha: float, asked: frozenset[str]) -> None:
    """All the inequalities; what others imply is left out."""
    n = len(p) - 1
    i, j = np.arange(n + 1)[:, None], np.arange(n + 1)[None, :]
    truth = np.diagonal(p)
    rightward = (i <= j)[:, :-1]  # in row i the step from j to j + 1 leads away from the diagonal
    near, far = np.where(rightward, p[:, :-1], p[:, 1:]), np.where(rightward, p[:, 1:], p[:, :-1])
    program.order(far, near, alpha)
    program.order(near, far, 1.0 if "RM" in asked else alpha)
    if "CP" in asked:
        program.order(p[:-1], p[1:], alpha)
        program.order(p[1:], p[:-1], alpha)
    if "RH" in asked and "RM" not in asked:
        program.order(np.broadcast_to(truth[:, None], p.shape), p)
    if "CM" in asked:
        downward = (i >= j)[:-1, :]
        program.order(np.where(downward, p[:-1], p[1:]), np.where(downward, p[1:], p[:-1]))
    elif "CH" in asked:
        program.order(np.broadcast_to(truth[None, :], p.shape), p)
    elif "WH" in asked:
        program.rows(np.unique(truth)[:, None], 1.0, 1 / (n + 1), np.inf)


def _vertex(n: int, alpha: float, asked: frozenset[str], variables: Variables, size: int) -> Floats | None:
    """A feasible vertex to start from: EM* for a fair row monotone one, else the geometric mechanism if it will do."""
    if "CP" in asked:
        return None
    if {"F", "RM"} <= asked:
        start = fair(n=n, alpha=repr(alpha))
    elif "F" not in asked and closure(asked) <= geometric(alpha=repr(alpha), upper=n).properties():
        start = geometric(alpha=repr(alpha), upper=n)
    else:
        return None
    values = np.zeros(size)
    values[variables.ravel()] = start.matrix().ravel()
    return values

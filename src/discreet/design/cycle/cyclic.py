"""Noise on a cycle: hours, months, categories, or vectors of them (Kadam 2024, corrected).

The published value is (q + Z) modulo the size N. f is the distribution of the noise Z, and M is the set of differences
that replacing one answer can make. Neighbours are symmetric, so M = -M always; the paper's one-sided M understates
delta (docs/papers/kadam2024.md).

Error rate, Pr[Z != 0]. There is a closed form for any M and any number of dimensions (`_closed_forms`). With d the word
metric of M (`_word_metric`):

    delta = 0      f(x) proportional to alpha^d(x),   Z = sum_x alpha^d(x),   error rate 1 - 1/Z
    delta > 0      delta at 0, and 1 - delta times the same:    error rate (1 - delta)(1 - 1/Z)
    inverse        least delta for an error rate of at most rho:   max(0, 1 - rho / (1 - 1/Z))

With delta > 0 this noise publishes the truth, and nothing else, with probability delta.

Other costs are linear programs (`cycle_program`):

    circular        min(x, N - x)^2
    uniform_prior   x (N - x), which is E (q~ - q)^2 for uniform q
    prior           E (q~ - q)^2 for q with the prior given
    worst           the largest E (q~ - q)^2 over q
    numbers         any cost of each residue

In several dimensions these costs are summed over the dimensions. The programs can also ask for noise of mean 0, and for
noise values with equal probabilities (footnote 4 of the paper). The closed forms are symmetric, so their mean is 0.

privacy="pdp" bounds the probability of a loss above epsilon instead (Kadam's Definition 2). This is an integer program,
with one exception: for the error rate and a single difference +-mu, the multiples of mu form a cycle of length
L = N / gcd(N, mu), and the optimum is

    f(0) = max(1/Z, max_m min(1 / (1 + 2 sum_(1<=h<=m) alpha^h), delta e^(m epsilon))),     0 <= m, 2m + 1 < L.

f falls by alpha up to m steps, and the rest of the mass is spread evenly beyond.

Counts do not wrap: with a distance cost, the noise would turn 0 into n.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.certify import levels
from discreet.certify.table import mirror, shifts
from discreet.design import parameters
from discreet.design.cycle import _closed_forms, _requests, _word_metric, cycle_program
from discreet.design.cycle._costs import costs
from discreet.design.cycle._requests import Goal
from discreet.design.cycle.cycle_program import Problem
from discreet.domain import Cycle
from discreet.errors import ParameterError, PrivacyWarning
from discreet.exact import Epsilon, Number, exact, text
from discreet.mechanism import Mechanism, Row

LARGEST_PROGRAM = 200_000
"""Most pairs of a value and a difference in a linear program."""

LARGEST_CHOICE = 2_000
"""Most pairs of a value and a difference in an integer program, where each pair is a choice between 0 and 1."""

TINY = Fraction(1, 10**6)
"""Delta above which a warning says what delta means."""

TIME_LIMIT = 600.0


def cyclic(
    *,
    size: int | None = None,
    epsilon: Number | None = None,
    delta: Number = 0,
    neighbours: Any = None,
    objective: str | npt.ArrayLike = "error_rate",
    privacy: str = "dp",
    shape: Sequence[int] | None = None,
    categories: Sequence[str] | None = None,
    distortion: Number | None = None,
    prior: npt.ArrayLike | None = None,
    public_classes: bool = False,
    zero_mean: bool = False,
    equal: Any = None,
    alpha: Number | None = None,
    time_limit: float = TIME_LIMIT,
) -> Mechanism:
    """Return the optimal noise on a cycle of residues or named categories.

    Parameters
    ----------
    size : int, optional
        How many values there are: 24 hours, 12 months. Give size, shape or categories.
    epsilon : Number, optional
        Privacy of one answer.
    delta : Number
        The chance that the promise fails; 0 is pure.
    neighbours : int, str or sequence, optional
        Differences that replacing one answer can make, for example 1,2 or, in two dimensions, 1,0;0,1. The negative of
        a difference is added. "all": every difference. By default 1 in every dimension, and "all" for categories.
    objective : str or array of float
        "error_rate", "circular", "uniform_prior", "prior", "worst", or one cost for each value, 0 first.
    privacy : str
        "dp", or "pdp": delta bounds the probability of a loss above epsilon.
    shape : sequence of int, optional
        Sizes of several dimensions, such as 7,24.
    categories : sequence of str, optional
        Names instead of numbers: names are perturbed into names.
    distortion : Number, optional
        Instead of delta: the largest expected cost. Delta is then the smallest that reaches this cost.
    prior : array of float, optional
        A prior over the true values, for objective "prior".
    public_classes : bool
        Accept neighbours that do not connect all values. The class of a value is then published as it is.
    zero_mean : bool
        Ask that the noise has mean 0 in every dimension. Noise is counted the shorter way round, and as 0 at the value
        opposite to the truth.
    equal : str or sequence, optional
        One label for each noise value, 0 first, such as 0,1,1,2. Noise values with the same label get the same
        probability.
    alpha : Number, optional
        exp(-epsilon), instead of epsilon; it is then exact.
    time_limit : float
        Seconds after which a program is given up.

    Returns
    -------
    Mechanism
        Noise on a `Cycle`. `design["delta"]` is the delta that was given, or that the distortion needs.

    Raises
    ------
    ParameterError
        A parameter is not what it must be, neighbours do not connect all values, or no noise costs so little.
    SolverError
        A program was not solved in time.

    Warns
    -----
    PrivacyWarning
        Delta is above one in a million.

    Examples
    --------
    >>> import discreet as dc
    >>> hours = dc.design.cyclic(size=24, epsilon=1)
    >>> round(hours.loss("L0"), 6)
    0.561266
    >>> colours = dc.design.cyclic(categories=["red", "green", "blue"], epsilon=1).certify()
    >>> colours.perturb(["red", "blue"], keys=[0, 0]).tolist()
    ['red', 'blue']
    """
    domain, names = _requests.read_domain(size, shape, categories, objective)
    differences = _requests.read_neighbours(domain, neighbours, names)
    goal = Goal.read(Epsilon.of(epsilon, alpha), delta, distortion)
    if privacy not in ("dp", "pdp"):
        raise ParameterError(f"privacy is {privacy!r}; give 'dp', or 'pdp' for probabilistic differential privacy")
    if prior is not None and not (isinstance(objective, str) and objective == "prior"):
        raise ParameterError("prior is given, and the objective does not use it; give objective='prior'")
    distance = _word_metric.distances(domain, differences)
    if not public_classes:
        _requests.check_connected(domain, differences, distance)
    classes = _requests.read_classes(domain, equal)

    by_error = isinstance(objective, str) and objective == "error_rate" and classes is None
    if by_error and privacy == "dp":
        row, reached = _closed_forms.least_error_rate(distance, goal)
    elif by_error and _is_single(domain, differences):
        row, reached = _closed_forms.least_error_rate_single_difference(distance, goal)
    else:
        problem = replace(
            _problem(domain, differences, costs(domain, objective, prior), goal, parameters.seconds(time_limit)),
            signed=_signed_noise(domain) if zero_mean else None,
            classes=classes,
        )
        row, reached = _programmed(problem, goal, privacy)
    if reached > TINY:
        warnings.warn(
            f"delta is {float(reached):.3g}: with up to that probability one answer is published as it is;"
            " choose a delta well below one in the number of people",
            PrivacyWarning,
            stacklevel=2,
        )
    design = {
        "name": "cyclic",
        **goal.epsilon.parameters,
        "delta": text(reached),
        "objective": objective if isinstance(objective, str) else [float(c) for c in np.ravel(objective)],
        "privacy": privacy,
        **({"categories": names} if names else {}),
        **({"distortion": text(goal.distortion)} if goal.distortion is not None else {}),
        **({"zero_mean": True} if zero_mean else {}),
        **({"equal": classes.tolist()} if classes is not None else {}),
    }
    return Mechanism(domain, interior=(row,), neighbours=differences, design=design)


def _is_single(domain: Cycle, differences: tuple[Any, ...]) -> bool:
    """Return True if neighbours differ by one difference, or by its negative."""
    return len(domain.shape) == 1 and len({min(d, domain.size - d) for d in differences}) == 1


def _signed_noise(domain: Cycle) -> Floats:
    """Return the signed noise of every residue, one line for each dimension."""
    parts = np.indices(domain.shape).reshape(len(domain.shape), -1)
    sides = np.array(domain.shape)[:, None]
    return np.where(2 * parts == sides, 0, parts - sides * (2 * parts > sides)).astype(np.float64)


# Programs for other costs


def _problem(domain: Cycle, differences: tuple[Any, ...], costs: Floats, goal: Goal, time_limit: float) -> Problem:
    return Problem(
        costs=costs,
        moved=np.array(list(shifts(domain, [_negative(domain, d) for d in differences]))),
        mirror=np.array(mirror(domain)),
        alpha=float(goal.epsilon.alpha),
        delta=float(goal.delta) if goal.distortion is None else None,
        limit=math.inf if goal.distortion is None else float(goal.distortion),
        time_limit=time_limit,
    )


def _negative(domain: Cycle, difference: Any) -> Any:
    if isinstance(difference, int):
        return -difference % domain.size
    return tuple(-d % side for d, side in zip(difference, domain.shape, strict=True))


def _programmed(problem: Problem, goal: Goal, privacy: str) -> tuple[Row, Fraction]:
    """Return the noise of a program, and its delta.

    Raises
    ------
    ParameterError
        The program is too large.
    """
    choices = privacy == "pdp" and problem.delta != 0
    largest = LARGEST_CHOICE if choices else LARGEST_PROGRAM
    if problem.moved.size > largest:
        raise ParameterError(
            f"{len(problem.mirror)} values with {len(problem.moved)} differences are too many for this objective;"
            f" at most {largest} pairs: use objective='error_rate'" + (", or privacy='dp'" if choices else "")
        )
    if problem.delta is None:
        return _least_delta(problem, goal.epsilon, choices)
    if problem.delta == 0:
        return _pure(problem, goal.epsilon), goal.delta
    best = cycle_program.probabilistic if choices else cycle_program.private
    return Row.from_logs(0, best(problem)), goal.delta


def _least_delta(problem: Problem, epsilon: Epsilon, choices: bool) -> tuple[Row, Fraction]:
    """Return the noise of least delta within the cost, and its delta.

    Raises
    ------
    ParameterError
        No noise costs so little, or only the truth itself does.
    """
    least = float(problem.costs.min(axis=1).max())
    if least > problem.limit:
        raise ParameterError(f"distortion is {problem.limit:g}; no noise costs less than {least:g}: allow more")
    pure = _pure(problem, epsilon)
    if problem.cost(pure.values) <= problem.limit:
        return pure, Fraction(0)
    logs = cycle_program.probabilistic(problem) if choices else cycle_program.private(problem)
    reached = problem.excess(np.exp(logs), whole=choices)
    if reached >= 1:
        raise ParameterError(f"distortion is {problem.limit:g}; only the truth itself costs so little: allow more")
    return Row.from_logs(0, logs), exact(reached, "delta")


def _pure(problem: Problem, epsilon: Epsilon) -> Row:
    """Return the noise of least cost with delta 0; exact if all ratios are powers of E, as they mostly are."""
    logs = cycle_program.private(replace(problem, delta=0.0))
    steps = levels.find(logs.tolist(), float(epsilon), 0)
    if steps is None:
        return Row.from_logs(0, logs)
    row, _ = _closed_forms.least_error_rate(np.array(steps), Goal(epsilon, Fraction(0), None))
    return row

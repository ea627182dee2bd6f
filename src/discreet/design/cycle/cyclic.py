"""Noise on a cycle: hours, months, categories, or vectors of them (Kadam 2024, corrected).

The published value is (q + Z) modulo the size N. f is the law of Z, M the set of differences that replacing one
answer can make. Neighbours are symmetric, so M = -M always; the paper's one-sided M understates delta
(docs/papers/kadam2024.md).

Error rate, Pr[Z != 0], in closed form for any M and any number of dimensions, d being the word metric (`words`):

    delta = 0      f(x) proportional to alpha^d(x),   Z = sum_x alpha^d(x),   error rate 1 - 1/Z
    delta > 0      delta at 0, and 1 - delta times the same:    error rate (1 - delta)(1 - 1/Z)
    inverse        least delta for an error rate of at most rho:   max(0, 1 - rho / (1 - 1/Z))

With delta > 0 that law publishes the truth, and nothing else, with probability delta. Other costs are linear programs
(`cyclic_program`):

    circular        min(x, N - x)^2
    uniform_prior   x (N - x), which is E (q~ - q)^2 for uniform q
    prior           E (q~ - q)^2 for q with the prior given
    worst           the largest E (q~ - q)^2 over q
    numbers         any cost of each residue

In several dimensions they are summed over the dimensions. The programs can also ask for noise of mean 0 and for noise
values with equal probabilities (footnote 4 of the paper). The closed forms are symmetric, so their mean is 0.

privacy="pdp" bounds the probability of a loss above epsilon instead (Kadam's Definition 2): an integer program, but
for the error rate and a single difference +-mu, whose multiples form a cycle of length L = N / gcd(N, mu), the
optimum is

    f(0) = max(1/Z, max_m min(1 / (1 + 2 sum_(1<=h<=m) alpha^h), delta e^(m epsilon))),     0 <= m, 2m + 1 < L,

falling by alpha up to m steps, with the rest of the mass spread evenly beyond.

Counts do not wrap: with a distance cost the noise would turn 0 into n.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.certify import levels
from discreet.certify.table import mirror, shifts
from discreet.design import parameters
from discreet.design.cycle import _closed_forms, _program, _word_metric
from discreet.design.cycle._costs import costs
from discreet.design.cycle._program import Problem
from discreet.domain import Counts, Cycle
from discreet.errors import MechanismError, ParameterError, PrivacyWarning
from discreet.exact import Epsilon, Number, exact, text
from discreet.mechanism import Mechanism, Row

LARGEST_SIZE = 4_000_000
"""Most values of a cycle: its certificate holds a weight for each."""

LARGEST_PROGRAM = 200_000
"""Most pairs of a value and a difference in a linear program."""

LARGEST_CHOICE = 2_000
"""The same where each is a choice between 0 and 1."""

TINY = Fraction(1, 10**6)
"""Delta above which a warning says what it means."""

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
    """The optimal noise on a cycle of residues or named categories.

    Parameters
    ----------
    size
        How many values there are: 24 hours, 12 months. Give size, shape or categories.
    epsilon
        Privacy of one answer.
    delta
        The chance that the promise fails; 0 is pure.
    neighbours
        Differences that replacing one answer can make, closed under negation here: 1,2 or, in two dimensions,
        1,0;0,1 or "all". Unless given: 1 in every dimension, but all between named categories.
    objective
        "error_rate", "circular", "uniform_prior", "prior", "worst", or one cost for each value, 0 first.
    privacy
        "dp", or "pdp": delta bounds the probability of a loss above epsilon.
    shape
        Sizes of several dimensions, such as 7,24.
    categories
        Names instead of numbers: names are perturbed into names.
    distortion
        Instead of delta: the expected cost allowed; delta is the smallest that reaches it.
    prior
        A prior over the true values, for objective "prior".
    public_classes
        Accept neighbours that do not connect all values. The class of a value is then published as it is.
    zero_mean
        Ask that the noise has mean 0 in every dimension. Noise is counted the shorter way round, and as 0 at the value
        opposite to the truth.
    equal
        One label for each noise value, 0 first, such as 0,1,1,2. Noise values with the same label get the same
        probability.
    alpha
        exp(-epsilon), instead of epsilon; it is then exact.
    time_limit
        Seconds after which a program is given up.
    """
    strength = Epsilon.of(epsilon, alpha)
    domain, names = _domain(size, shape, categories, objective)
    differences = _neighbours(domain, neighbours, names)
    target = exact(delta, "delta")
    if not 0 <= target < 1:
        raise ParameterError(f"delta is {delta!r}; give a probability from 0 to below 1")
    if privacy not in ("dp", "pdp"):
        raise ParameterError(f"privacy is {privacy!r}; give 'dp', or 'pdp' for probabilistic differential privacy")
    if distortion is not None and target:
        raise ParameterError(
            f"delta is {delta!r} and distortion is {distortion!r}; give one: the other follows from it"
        )
    distance = _word_metric.distances(domain, differences)
    if not public_classes and (distance < 0).any():
        raise ParameterError(_unconnected(domain, differences, int((distance >= 0).sum())))

    allowed = None if distortion is None else parameters.positive(distortion, "distortion")
    by_error = isinstance(objective, str) and objective == "error_rate"
    if prior is not None and not (isinstance(objective, str) and objective == "prior"):
        raise ParameterError("prior is given, and the objective does not use it; give objective='prior'")
    classes = _classes(domain, equal)
    if by_error and privacy == "dp" and classes is None:
        row, target = _closed_forms.least_error_rate(distance, strength, target, allowed)
    elif by_error and classes is None and _single(domain, differences):
        row, target = _closed_forms.least_error_rate_single_difference(distance, strength, target, allowed)
    else:
        problem = _problem(domain, differences, costs(domain, objective, prior), strength, target, allowed, time_limit)
        problem = replace(problem, signed=_signed(domain) if zero_mean else None, classes=classes)
        row, target = _programmed(problem, strength, privacy, target)
    if target > TINY:
        warnings.warn(
            f"delta is {float(target):.3g}: with up to that probability one answer is published as it is;"
            " choose a delta well below one in the number of people",
            PrivacyWarning,
            stacklevel=2,
        )
    return Mechanism(
        domain,
        interior=(row,),
        neighbours=differences,
        design={
            "name": "cyclic",
            **strength.parameters,
            "delta": text(target),
            "objective": objective if isinstance(objective, str) else [float(c) for c in np.ravel(objective)],
            "privacy": privacy,
            **({"categories": names} if names else {}),
            **({"distortion": text(allowed)} if allowed is not None else {}),
            **({"zero_mean": True} if zero_mean else {}),
            **({"equal": classes.tolist()} if classes is not None else {}),
        },
    )


# What was asked


def _domain(size: Any, shape: Any, categories: Any, objective: Any) -> tuple[Cycle, list[str]]:
    """The cycle, and the names of its values where they have any."""
    if sum(given is not None for given in (size, shape, categories)) != 1:
        raise ParameterError(
            f"size is {size!r}, shape is {shape!r}, categories are {categories!r:.60}; give exactly one of them"
        )
    if isinstance(size, Counts) or (isinstance(objective, str) and objective.upper() in ("L1", "L2", "MSE", "MAE")):
        size = _counts(size, objective)
    names = [] if categories is None else _names(categories)
    try:
        domain = Cycle(len(names) if names else size, None) if shape is None else Cycle(shape=_whole(shape, "shape"))
    except MechanismError as error:
        raise ParameterError(str(error)) from None
    if domain.size > LARGEST_SIZE:
        raise ParameterError(f"{domain} has {domain.size} values; at most {LARGEST_SIZE} fit into a certificate")
    return domain, names


def _counts(size: Any, objective: Any) -> int:
    """The size of a range of counts whose order does not matter; refused where a distance does."""
    if isinstance(objective, str) and objective == "error_rate" and size.size is not None:
        return int(size.size)
    raise ParameterError(
        f"objective is {objective!r} on counts, and counts do not wrap: noise on a cycle turns 0 into the largest count"
        " (at epsilon 1 and 0..100 the squared error at 0 is 2659, against 0.92 for clamped geometric noise);"
        " use geometric(epsilon=..., upper=n) or constrained(n=..., epsilon=...) for counts,"
        " and objective='circular' for hours, months and other values that do wrap"
    )


def _names(categories: Any) -> list[str]:
    if not isinstance(categories, (str, Sequence, np.ndarray)):
        raise ParameterError(f"categories are {categories!r:.80}; give names in a list, in the order they are to have")
    given = categories.split(",") if isinstance(categories, str) else list(categories)
    names = [name.strip() if isinstance(name, str) else name for name in given]
    if not all(isinstance(name, str) and name for name in names):
        raise ParameterError(f"categories are {categories!r:.80}; give names, each a text that is not empty")
    if len(set(names)) < len(names) or len(names) < 2:
        raise ParameterError(f"categories are {categories!r:.80}; give at least two names, each once")
    return names


def _whole(given: Any, name: str) -> list[int]:
    """Integers, in a sequence or as text separated by commas."""
    parts = (
        given.split(",")
        if isinstance(given, str)
        else list(given)
        if isinstance(given, (Sequence, np.ndarray))
        else [given]
    )
    try:
        return [int(part) if isinstance(part, str) else part for part in parts]
    except ValueError:
        raise ParameterError(f"{name} is {given!r}; give integers separated by commas") from None


def _neighbours(domain: Cycle, given: Any, names: list[str]) -> tuple[Any, ...]:
    several = len(domain.shape) > 1
    if isinstance(given, str) and given.strip() == "all":
        return domain.neighbours()
    if isinstance(given, str):
        parts = given.split(";") if several else [given]
        given = [tuple(_whole(part, "neighbours")) for part in parts] if several else _whole(given, "neighbours")
    if given is None and not names:
        given = [tuple(int(a == b) for b in range(len(domain.shape))) for a in range(len(domain.shape))]
    try:
        return domain.neighbours(given)
    except MechanismError as error:
        raise ParameterError(str(error)) from None


def _unconnected(domain: Cycle, differences: tuple[Any, ...], reached: int) -> str:
    shown = ", ".join(map(str, differences[:6])) + (", ..." if len(differences) > 6 else "")
    return (
        f"the neighbours {shown} connect only {reached} of the {domain.size} values of {domain}: which class a value"
        " belongs to would be published as it is; add a difference (1 connects all), or give public_classes=True"
        " if the classes are public"
    )


def _single(domain: Cycle, differences: tuple[Any, ...]) -> bool:
    """Return True if neighbours differ by one difference, or by its negative."""
    return len(domain.shape) == 1 and len({min(d, domain.size - d) for d in differences}) == 1


def _signed(domain: Cycle) -> Floats:
    """Return the signed noise of every residue, one line for each dimension."""
    parts = np.indices(domain.shape).reshape(len(domain.shape), -1)
    sides = np.array(domain.shape)[:, None]
    return np.where(2 * parts == sides, 0, parts - sides * (2 * parts > sides)).astype(np.float64)


def _classes(domain: Cycle, equal: Any) -> Integers | None:
    """Return the number of every residue's label, in the order of their first occurrence."""
    if equal is None:
        return None
    try:
        labels = [label.strip() for label in equal.split(",")] if isinstance(equal, str) else np.ravel(equal).tolist()
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    except (TypeError, ValueError):
        raise ParameterError(f"equal is {equal!r:.60}; give {domain.size} labels: numbers or texts") from None
    if len(labels) != domain.size:
        raise ParameterError(f"equal has {len(labels)} labels; give {domain.size}, one for each noise value, 0 first")
    return np.array([numbers[label] for label in labels])


# Programs for other costs


def _problem(
    domain: Cycle,
    differences: tuple[Any, ...],
    costs: Floats,
    strength: Epsilon,
    target: Fraction,
    allowed: Fraction | None,
    time_limit: float,
) -> Problem:
    return Problem(
        costs=costs,
        moved=np.array(list(shifts(domain, [_negative(domain, d) for d in differences]))),
        mirror=np.array(mirror(domain)),
        alpha=float(strength.alpha),
        delta=float(target) if allowed is None else None,
        limit=math.inf if allowed is None else float(allowed),
        time_limit=parameters.seconds(time_limit),
    )


def _negative(domain: Cycle, difference: Any) -> Any:
    if isinstance(difference, int):
        return -difference % domain.size
    return tuple(-d % side for d, side in zip(difference, domain.shape, strict=True))


def _programmed(problem: Problem, strength: Epsilon, privacy: str, target: Fraction) -> tuple[Row, Fraction]:
    choices = privacy == "pdp" and problem.delta != 0
    largest = LARGEST_CHOICE if choices else LARGEST_PROGRAM
    if problem.moved.size > largest:
        raise ParameterError(
            f"{len(problem.mirror)} values with {len(problem.moved)} differences are too many for this objective;"
            f" at most {largest} pairs: use objective='error_rate'" + (", or privacy='dp'" if choices else "")
        )
    if problem.delta is None and (least := float(problem.costs.min(axis=1).max())) > problem.limit:
        raise ParameterError(f"distortion is {problem.limit:g}; no noise costs less than {least:g}: allow more")
    best = _program.probabilistic if choices else _program.private
    if problem.delta == 0:
        return _pure(problem, strength), target
    if problem.delta is not None:
        return Row.from_logs(0, best(problem)), target
    pure = _pure(problem, strength)
    if problem.cost(pure.values) <= problem.limit:
        return pure, Fraction(0)
    logs = best(problem)
    reached = problem.excess(np.exp(logs), whole=choices)
    if reached >= 1:
        raise ParameterError(f"distortion is {problem.limit:g}; only the truth itself costs so little: allow more")
    return Row.from_logs(0, logs), exact(reached, "delta")


def _pure(problem: Problem, strength: Epsilon) -> Row:
    """The program's law; exactly, where it consists of steps of E as it mostly does."""
    logs = _program.private(replace(problem, delta=0.0))
    found = levels.find(logs.tolist(), float(strength), 0)
    return (
        Row.from_logs(0, logs)
        if found is None
        else _closed_forms.least_error_rate(np.array(found), strength, Fraction(0), None)[0]
    )

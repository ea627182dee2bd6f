"""Maximum-entropy tables as statistical offices make them: small counts apart, and zeros left alone.

This is the program of the R package ptable (Giessing 2016). Every count i >= 1 has a row of its own, over the changes v
that lead to an allowed output. An output is allowed if it is 0 or above js, and within the support. The row is

    maximise  -sum p log p   subject to   sum p = 1,  sum v p = 0,  sum v^2 p <= V,  p >= 1e-8,

with p(0) at least pstay, and p rising in v up to 0 (`mono`, if the count itself is an allowed output). If pstay leaves
the variance short of V, pstay is lowered in steps of .05, in at most twenty tries. Counts from `support` on (from
support + js + 1 on, if js is above 0) share one row. A count of 0 is never changed. With `fixed` the variance is
exactly V (footnote 1 of Sadeghi 2023).

What this costs. An output other than 0 proves that the count was not 0. So delta is at least the chance that a count of
1 is not published as 0, at every epsilon. Blocked outputs cost delta for the same reason.

The program is solved by its dual. With multipliers a, b and c >= 0, the minimiser of the Lagrangian has log p =
-(a + b v + c v^2). Where log p would fall before 0, it is pooled to means of blocks (isotonic regression, by the pool
adjacent violators algorithm). Then p is raised to its lower bounds. The dual is concave, and its gradient is the
residuals of the three conditions: Newton's method in three unknowns.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.design import parameters
from discreet.errors import ParameterError, SolverError
from discreet.exact import Number, text
from discreet.linear_program import Program
from discreet.mechanism import Row

LARGEST_SUPPORT = 200
LEAST = 1e-8
"""The least probability of an allowed output."""

STEP, TRIES, DIGITS = 0.05, 20, 5
"""By how much pstay is lowered, how often, and to how many digits the variance must be V."""

TOLERANCE = 1e-12
_ITERATIONS, _SECONDS, _LARGEST_LOG = 500, 60.0, 600.0


@dataclass(frozen=True)
class PtableOptions:
    """The parameters js, pstay, mono and fixed of `maxent`, as given."""

    js: int
    pstay: Number | Sequence[Number] | None
    mono: bool | Sequence[bool]
    fixed: bool

    def given(self) -> bool:
        """Return True if an option differs from its default."""
        return bool(self.js or self.pstay is not None or np.atleast_1d(self.mono).tolist() != [True] or self.fixed)


@dataclass(frozen=True)
class _RowProblem:
    """The program of one count.

    Attributes
    ----------
    changes
        The allowed changes of the count, rising.
    variance
        V.
    rising
        True if probabilities rise up to the change 0.
    fixed
        True if the variance is exactly V.
    """

    count: int
    changes: Integers
    variance: float
    rising: bool
    fixed: bool

    @property
    def chain(self) -> int:
        """How many probabilities must rise: those of all changes up to 0, or none."""
        return int(np.flatnonzero(self.changes == 0)[0]) + 1 if self.rising and 0 in self.changes else 0

    def variance_of(self, probabilities: Floats) -> float:
        """Return sum v^2 p."""
        return float(self.changes**2 @ probabilities)


def table(support: int, variance: Fraction, options: PtableOptions) -> tuple[tuple[Row, ...], Row, dict[str, Any]]:
    """Return the rows of the small counts, the noise of all other counts, and the options as entries of a design.

    Raises
    ------
    ParameterError
        An option is outside its range, or a row with the variance does not exist.
    """
    width = parameters.integer(
        support, "support", 1, LARGEST_SUPPORT, "with small='sdc' each count has a row of its own"
    )
    blocked = parameters.integer(options.js, "js", 0, width - 1, "js must be below support, or a count cannot fall")
    last = width if blocked == 0 else width + blocked + 1
    stays = [
        None if chance is None else parameters.probability(chance, "pstay")
        for chance in _one_for_each_row(options.pstay, "pstay", last)
    ]
    rising = _one_for_each_row(options.mono, "mono", last)
    if not all(isinstance(rise, (bool, np.bool_)) for rise in rising):
        raise ParameterError(
            f"mono is {options.mono!r}; give True or False, or one of them for each of the {last} rows from count 1 on"
        )
    rows = [Row.of(0, [1])]
    for count, stay, rise in zip(range(1, last + 1), stays, rising, strict=True):
        first = max(0, count - width)
        outputs = np.arange(first, count + width + 1)
        allowed = (outputs == 0) | (outputs > blocked)
        problem = _RowProblem(count, outputs[allowed] - count, float(variance), bool(rise), bool(options.fixed))
        probabilities = np.zeros(len(outputs))
        probabilities[allowed] = _with_stay(problem, 0.0 if stay is None else float(stay))
        rows.append(Row(first, probabilities))
    noise = rows.pop().values
    entries: dict[str, Any] = {"js": blocked, **({"fixed": True} if options.fixed else {})}
    if options.pstay is not None:
        entries["pstay"] = [text(stay) for stay in stays if stay is not None]
    if not all(rising):
        entries["mono"] = [bool(rise) for rise in rising]
    return tuple(rows), Row(-width, (noise + noise[::-1]) / 2), entries


def _one_for_each_row(given: Any, name: str, rows: int) -> list[Any]:
    """Return one value for each row from count 1 on. Raise ParameterError if there are neither one nor `rows`."""
    if isinstance(given, (list, tuple, np.ndarray)):
        if len(given) not in (1, rows):
            raise ParameterError(
                f"{name} has {len(given)} values; give one, or {rows}: one for each row from count 1 on"
            )
        return list(given) * (rows // len(given))
    return [given] * rows


def _with_stay(problem: _RowProblem, stay: float) -> Floats:
    """Return the probabilities of a row. Lower `stay`, the chance of the truth, until the variance is used up."""
    lower = np.full(len(problem.changes), LEAST)
    truth = np.flatnonzero(problem.changes == 0)
    for attempt in range(TRIES):
        lower[truth] = max(stay - STEP * attempt, LEAST)
        probabilities = _largest_entropy(problem, lower)
        reached = round(problem.variance_of(probabilities), DIGITS) == round(problem.variance, DIGITS)
        if not stay or not len(truth) or reached:
            break
    return probabilities


def _largest_entropy(problem: _RowProblem, lower: Floats) -> Floats:
    """Return the probabilities of largest entropy. The variance is a condition only if it would be too large."""
    scale = float(np.abs(problem.changes).max())
    v = problem.changes / scale
    powers = np.stack([np.ones_like(v), v, v * v])
    try:
        probabilities = _dual(powers[:2], np.array([1.0, 0.0]), lower, problem.chain)
        if problem.fixed or problem.variance_of(probabilities) > problem.variance:
            moments = np.array([1.0, 0.0, problem.variance / scale**2])
            probabilities = _dual(powers, moments, lower, problem.chain)
    except SolverError:
        least = _extreme_variance(problem, lower, 1)
        most = f" and at most {_extreme_variance(problem, lower, -1):.6g}" if problem.fixed else ""
        raise ParameterError(
            f"variance is {problem.variance:g}; a count of {problem.count} must have more than {least:.6g}{most}:"
            " give another variance, a smaller js, or mono=False"
        ) from None
    return np.asarray(probabilities / probabilities.sum())


def _dual(powers: Floats, moments: Floats, lower: Floats, chain: int) -> Floats:
    """Return the probabilities with the given moments, by Newton's method with halved steps on the multipliers.

    Raises
    ------
    SolverError
        The conditions contradict each other.
    """
    multipliers = np.zeros(len(powers))
    multipliers[0] = math.log(powers.shape[1])
    point = _minimise(-multipliers @ powers, lower, chain)
    for _ in range(_ITERATIONS):
        residual = powers @ point.probabilities - moments
        if np.abs(residual).max() <= TOLERANCE:
            return point.probabilities
        curvature = point.curvature(powers)
        step = np.linalg.solve(curvature + (1e-14 + 1e-9 * np.abs(residual).max()) * np.eye(len(powers)), residual)
        value = _dual_value(point.probabilities, multipliers, powers, moments)
        slope, size = float(residual @ step), 1.0
        while True:
            attempt = multipliers + size * step
            point = _minimise(np.minimum(-attempt @ powers, _LARGEST_LOG), lower, chain)
            risen = _dual_value(point.probabilities, attempt, powers, moments)
            if risen >= value + 1e-4 * size * slope - 1e-13 or size < 1e-12:
                break
            size /= 2
        multipliers = attempt
    raise SolverError("the conditions contradict each other")


def _dual_value(probabilities: Floats, multipliers: Floats, powers: Floats, moments: Floats) -> float:
    """Return the dual function: the Lagrangian at its minimiser."""
    return float(probabilities @ (np.log(probabilities) - 1) + multipliers @ (powers @ probabilities - moments))


@dataclass(frozen=True, eq=False)
class _Minimiser:
    """The minimiser of the Lagrangian.

    Attributes
    ----------
    starts
        Where each block of equal probabilities starts.
    free
        True for each block that is not at a bound.
    """

    probabilities: Floats
    starts: Integers
    free: Booleans

    def curvature(self, powers: Floats) -> Floats:
        """Return minus the second derivative of the dual by the multipliers."""
        sizes = np.diff(self.starts, append=len(self.probabilities))
        means = np.add.reduceat(powers, self.starts, axis=1) / sizes
        return np.asarray((means * (self.probabilities[self.starts] * sizes * self.free)) @ means.T)


def _minimise(logs: Floats, lower: Floats, chain: int) -> _Minimiser:
    """Return the minimiser of the Lagrangian, from the logarithms that it has without bounds and without a chain.

    The first `chain` probabilities must rise. If the last of them falls short of its bound, it is the bound, and the
    others are at most the bound.
    """
    rising, sizes, most = *_pooled(logs[:chain].tolist()), math.inf
    if chain and rising[-1] < math.log(lower[chain - 1]):
        most = math.log(lower[chain - 1])
        rising, sizes = _pooled(logs[: chain - 1].tolist())
        rising, sizes = [*(min(value, most) for value in rising), most], [*sizes, 1]
    lengths = np.array(sizes + [1] * (len(logs) - chain), dtype=np.int64)
    ends = np.cumsum(lengths) - 1
    values = np.concatenate([rising, logs[chain:]])
    probabilities = np.maximum(np.exp(values), lower)
    free = (probabilities > lower) & ((values < most) | (np.arange(len(logs)) >= chain))
    return _Minimiser(probabilities, ends + 1 - lengths, free[ends])


def _pooled(values: list[float]) -> tuple[list[float], list[int]]:
    """Return the nearest values that rise, each block that would fall at its mean, and the sizes of the blocks."""
    blocks: list[tuple[float, int]] = []
    for value in values:
        total, size = value, 1
        while blocks and blocks[-1][0] * size >= total * blocks[-1][1]:
            before = blocks.pop()
            total, size = total + before[0], size + before[1]
        blocks.append((total, size))
    return [total / size for total, size in blocks for _ in range(size)], [size for _, size in blocks]


def _extreme_variance(problem: _RowProblem, lower: Floats, sign: int) -> float:
    """Return the least sum of v^2 p, or with sign -1 the greatest, by a linear program over p - lower."""
    changes = problem.changes
    program, every = Program(len(changes)), np.arange(len(changes))[None, :]
    program.cost[:] = sign * changes**2
    rest, balance = 1 - float(lower.sum()), -float(changes @ lower)
    program.rows(every, 1.0, rest, rest)
    program.rows(every, changes, balance, balance)
    for index in range(problem.chain - 1):
        gap = float(lower[index] - lower[index + 1])
        program.rows(np.array([[index + 1, index]]), [1.0, -1.0], gap, math.inf)
    return problem.variance_of(program.solve(_SECONDS) + lower)

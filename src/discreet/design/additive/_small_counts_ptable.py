"""Maximum-entropy tables as statistical offices make them: small counts apart, zeros left alone.

This is the program of the R package ptable (Giessing 2016). For every count i >= 1, over the changes v that lead
to an allowed output (0, or above js; within support; not negative),

    maximise  -sum p log p   subject to   sum p = 1,  sum v p = 0,  sum v^2 p <= V,  p >= 1e-8,

p(0) at least pstay, and p rising in v up to 0 (`mono`, where the count itself is an allowed output). Where pstay
leaves the variance short of V it is lowered in steps of .05, twenty tries in all. Counts from `support` on
(support + js + 1 with js) share one row, and a count of 0 is never changed. With `fixed` the variance is V
exactly (footnote 1 of Sadeghi 2023).

That last rule, and the blocked outputs, are what the guarantee suffers from: an output other than 0 proves that
the count was not 0, so delta is at least the chance that a count of 1 is not published as 0, whatever epsilon.

The program is solved by its dual. With multipliers a, b and c >= 0 the minimiser of the Lagrangian has log p =
-(a + b v + c v^2), pooled to block means where that would fall (isotonic regression: the pool adjacent violators
algorithm), and cut at the lower bounds. The dual is concave with the residuals of the three conditions as its
gradient: three unknowns, Newton's method.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.design import parameters
from discreet.errors import ParameterError, SolverError
from discreet.exact import Number, text
from discreet.linear_program import Program
from discreet.mechanism import Row

LARGEST_SUPPORT = 200
LEAST = 1e-8
"""The least probability of an allowed output."""

STEP, TRIES, DIGITS = 0.05, 20, 5
"""How pstay is lowered, how often, and the digits to which the variance must be V."""

TOLERANCE = 1e-12
_ITERATIONS, _SECONDS, _LARGEST_LOG = 500, 60.0, 600.0


@dataclass(frozen=True)
class _Asked:
    """What is asked of the law of one count: over which changes, with which variance, rising up to 0 or not."""

    count: int
    change: npt.NDArray[np.int64]
    variance: float
    rise: bool
    fixed: bool


def table(
    support: int,
    variance: Fraction,
    js: int,
    pstay: Number | Sequence[Number] | None,
    mono: bool | Sequence[bool],
    fixed: bool,
) -> tuple[tuple[Row, ...], Row, dict[str, Any]]:
    """Rows of the small counts, the noise of all others, and the options as a design's parameters."""
    width = parameters.integer(
        support, "support", 1, LARGEST_SUPPORT, "with small='sdc' each count has a row of its own"
    )
    blocked = parameters.integer(js, "js", 0, width - 1, "it must be below support, or a count cannot fall")
    last = width if blocked == 0 else width + blocked + 1
    stays = [
        None if chance is None else parameters.probability(chance, "pstay") for chance in _each(pstay, "pstay", last)
    ]
    rising = _each(mono, "mono", last)
    if not all(isinstance(rise, (bool, np.bool_)) for rise in rising):
        raise ParameterError(
            f"mono is {mono!r}; give True or False, or one of them for each of the {last} rows from count 1 on"
        )
    rows = [Row.of(0, [1])]
    for count, stay, rise in zip(range(1, last + 1), stays, rising, strict=True):
        first = max(0, count - width)
        outputs = np.arange(first, count + width + 1)
        allowed = (outputs == 0) | (outputs > blocked)
        law = np.zeros(len(outputs))
        row = _Asked(count, outputs[allowed] - count, float(variance), bool(rise), bool(fixed))
        law[allowed] = _staying(row, 0.0 if stay is None else float(stay))
        rows.append(Row(first, law))
    noise = rows.pop().values
    options: dict[str, Any] = {"js": blocked, **({"fixed": True} if fixed else {})}
    if pstay is not None:
        options["pstay"] = [text(stay) for stay in stays if stay is not None]
    if not all(rising):
        options["mono"] = [bool(rise) for rise in rising]
    return tuple(rows), Row(-width, (noise + noise[::-1]) / 2), options


def _each(given: Any, name: str, rows: int) -> list[Any]:
    """One value for each row from count 1 on."""
    if isinstance(given, (list, tuple, np.ndarray)):
        if len(given) not in (1, rows):
            raise ParameterError(
                f"{name} has {len(given)} values; give one, or {rows}: one for each row from count 1 on"
            )
        return list(given) * (rows // len(given))
    return [given] * rows


def _staying(row: _Asked, stay: float) -> Floats:
    """The law of one row, its chance of the truth lowered until the variance is used up."""
    lower = np.full(len(row.change), LEAST)
    truth = np.flatnonzero(row.change == 0)
    for tried in range(TRIES):
        lower[truth] = max(stay - STEP * tried, LEAST)
        law = _law(row, lower)
        if not stay or not len(truth) or round(float(row.change**2 @ law), DIGITS) == round(row.variance, DIGITS):
            break
    return law


def _law(row: _Asked, lower: Floats) -> Floats:
    """The law of largest entropy: first without regard to the variance, then, where that is too large, with it."""
    chain = int(np.flatnonzero(row.change == 0)[0]) + 1 if row.rise and 0 in row.change else 0
    scale = float(np.abs(row.change).max())
    v = row.change / scale
    powers = np.stack([np.ones_like(v), v, v * v])
    try:
        law = _dual(powers[:2], np.array([1.0, 0.0]), lower, chain)
        if row.fixed or float(row.change**2 @ law) > row.variance:
            law = _dual(powers, np.array([1.0, 0.0, row.variance / scale**2]), lower, chain)
    except SolverError:
        least = _extreme_variance(row.change, lower, chain, 1)
        most = f" and at most {_extreme_variance(row.change, lower, chain, -1):.6g}" if row.fixed else ""
        raise ParameterError(
            f"variance is {row.variance:g}; a count of {row.count} must have more than {least:.6g}{most}:"
            " give another variance, a smaller js, or mono=False"
        ) from None
    return np.asarray(law / law.sum())


def _dual(powers: Floats, wanted: Floats, lower: Floats, chain: int) -> Floats:
    """The law with those moments: Newton's method with halved steps, on the multipliers."""
    multipliers = np.zeros(len(powers))
    multipliers[0] = math.log(powers.shape[1])
    law, starts, free = _lagrangian(-multipliers @ powers, lower, chain)
    for _ in range(_ITERATIONS):
        residual = powers @ law - wanted
        if np.abs(residual).max() <= TOLERANCE:
            return law
        sizes = np.diff(starts, append=len(law))
        means = np.add.reduceat(powers, starts, axis=1) / sizes
        curvature = (means * (law[starts] * sizes * free)) @ means.T
        step = np.linalg.solve(curvature + (1e-14 + 1e-9 * np.abs(residual).max()) * np.eye(len(powers)), residual)
        value, slope, size = _value(law, multipliers, powers, wanted), float(residual @ step), 1.0
        while True:
            tried = multipliers + size * step
            law, starts, free = _lagrangian(np.minimum(-tried @ powers, _LARGEST_LOG), lower, chain)
            if _value(law, tried, powers, wanted) >= value + 1e-4 * size * slope - 1e-13 or size < 1e-12:
                break
            size /= 2
        multipliers = tried
    raise SolverError("the conditions contradict each other")


def _value(law: Floats, multipliers: Floats, powers: Floats, wanted: Floats) -> float:
    """The dual function: the Lagrangian at its minimiser."""
    return float(law @ (np.log(law) - 1) + multipliers @ (powers @ law - wanted))


def _lagrangian(logs: Floats, lower: Floats, chain: int) -> tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """The minimiser of the Lagrangian, where its blocks of equal probability start, and which are free to move.

    The first `chain` probabilities must rise. Where the last of them falls short of its bound it is the bound, and the
    others are at most that.
    """
    rising, sizes, most = *_pooled(logs[:chain].tolist()), math.inf
    if chain and rising[-1] < math.log(lower[chain - 1]):
        most = math.log(lower[chain - 1])
        rising, sizes = _pooled(logs[: chain - 1].tolist())
        rising, sizes = [*(min(value, most) for value in rising), most], [*sizes, 1]
    lengths = np.array(sizes + [1] * (len(logs) - chain), dtype=np.int64)
    ends = np.cumsum(lengths) - 1
    values = np.concatenate([rising, logs[chain:]])
    law = np.maximum(np.exp(values), lower)
    free = (law > lower) & ((values < most) | (np.arange(len(logs)) >= chain))
    return law, ends + 1 - lengths, free[ends]


def _pooled(values: list[float]) -> tuple[list[float], list[int]]:
    """The nearest values that rise, each block that would fall at its mean; and the sizes of the blocks."""
    blocks: list[tuple[float, int]] = []
    for value in values:
        total, size = value, 1
        while blocks and blocks[-1][0] * size >= total * blocks[-1][1]:
            before = blocks.pop()
            total, size = total + before[0], size + before[1]
        blocks.append((total, size))
    return [total / size for total, size in blocks for _ in range(size)], [size for _, size in blocks]


def _extreme_variance(change: npt.NDArray[np.int64], lower: Floats, chain: int, sign: int) -> float:
    """The least sum of v^2 p, or with sign -1 the greatest, by a linear program over p - lower."""
    program, every = Program(len(change)), np.arange(len(change))[None, :]
    program.cost[:] = sign * change**2
    rest, balance = 1 - float(lower.sum()), -float(change @ lower)
    program.rows(every, 1.0, rest, rest)
    program.rows(every, change, balance, balance)
    for place in range(chain - 1):
        gap = float(lower[place] - lower[place + 1])
        program.rows(np.array([[place + 1, place]]), [1.0, -1.0], gap, math.inf)
    return float(change**2 @ (program.solve(_SECONDS) + lower))

"""Choose how a mechanism becomes integers, and say how far the integers are from the mechanism.

    levels   noise whose steps are exactly E, on counts or on a cycle
    centre   noise whose steps are exactly E but for the probability of no noise at all
    cycle    any other noise on a cycle
    tails    other symmetric noise on counts that falls from 0
    matrix   a square matrix on lower..upper
    rows     anything else: every row by largest remainder, symmetric noise by pairs

Whatever is chosen, the delta of the integers decides: a purely private design must come out with delta 0, any other
design with at most its own delta plus a few units (`allowance`). Otherwise the table is refused.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.certify import _cycle, _matrix, _tails, levels
from discreet.certify.rounding import GUARD, largest_remainders, scale
from discreet.certify.table import IntegerRow, Table, delta, mirror
from discreet.domain import Counts, Cycle
from discreet.errors import ParameterError
from discreet.exact import Epsilon, exact

if TYPE_CHECKING:
    from discreet.mechanism import Mechanism, Row

FLOAT_BITS = 1000
"""A float times 2**1000 is an integer, unless the float is below 1e-301."""

PURE = 1e-8
"""A matrix whose delta at E is at most this is meant to be pure: the delta is a solver's tolerance, and is repaired."""


@dataclass(frozen=True)
class Quantised:
    """A table, and how it differs from the design.

    Attributes
    ----------
    method
        How the table was made: "levels", "centre", "cycle", "tails", "matrix" or "rows".
    delta
        Exact delta of the integers.
    design_delta
        Delta of the design at the same epsilon, in floats.
    distance
        Largest total variation distance between a row of integers and the design's row.
    """

    table: Table
    method: str
    delta: Fraction
    design_delta: float
    distance: float


def quantise(mechanism: "Mechanism", epsilon: Epsilon, bits: int) -> Quantised | None:
    """Return the mechanism in integers; None if the mechanism does not fit into so many bits."""
    design_delta = mechanism.delta(epsilon)
    pure = design_delta == 0 or (design_delta <= PURE and not mechanism.interior)
    weights = _weights(mechanism, epsilon, bits, pure)
    if weights is None:
        return None
    table = Table(bits, mechanism.domain, mechanism.neighbours, weights.rows, weights.interior)
    table_delta, _ = delta(table, epsilon.exp)
    most = Fraction(0)
    if not pure:
        design_most = Fraction(design_delta) + allowance(table, weights.method, epsilon)
        most = max(design_most, requested_delta(mechanism, epsilon))
    if table_delta > most:
        return None
    return Quantised(table, weights.method, table_delta, design_delta, _distance(mechanism, table))


def allowance(table: Table, method: str, epsilon: Epsilon) -> Fraction:
    """Return how much delta may grow by rounding: a few units, and the resolution of floats.

    tails        each of the two tails in T(z) - E T(z + 1) is off by a unit, or by two if the noise was cut
    levels       the chain cannot end below E/(E - 1), and as many ends are lost as neighbours are apart
    centre       the chain beside the centre starts up to a unit lower for every level
    rows, cycle  every output may be off by a unit on both sides
    """
    ends = 8 + 2 * math.ceil(epsilon.exp) + math.ceil(epsilon.exp / (epsilon.exp - 1))
    widest = max(len(row.weights) for row in table.rows + table.interior)
    apart = len(table.neighbours) if isinstance(table.domain, Counts) else 1
    units = {
        "rows": widest * math.ceil(1 + epsilon.exp),
        "centre": ends + widest * math.ceil(epsilon.exp),
        "cycle": widest * math.ceil(1 + epsilon.exp),
    }.get(method, apart * ends)
    return Fraction(units, table.total) + Fraction(1, 1 << 48)


class _Weights(NamedTuple):
    """How weights were made, and the weights as the rows of a `Table`."""

    method: str
    rows: tuple[IntegerRow, ...]
    interior: tuple[IntegerRow, ...]


def _weights(mechanism: "Mechanism", epsilon: Epsilon, bits: int, pure: bool) -> _Weights | None:
    if mechanism.rows and not mechanism.interior and _square(mechanism):
        return _matrix_weights(mechanism, epsilon, bits, pure)
    if not mechanism.rows and len(mechanism.interior) == 1:
        noise = mechanism.interior[0]
        if isinstance(mechanism.domain, Counts) and _symmetric(noise):
            return _symmetric_noise(mechanism, noise, epsilon, bits)
        if isinstance(mechanism.domain, Cycle):
            return _on_cycle(mechanism, mechanism.domain, epsilon, bits)
    return _Weights("rows", *_every_row(mechanism, bits))


def _on_cycle(mechanism: "Mechanism", domain: Cycle, epsilon: Epsilon, bits: int) -> _Weights | None:
    noise, reflected, total = mechanism.interior[0], mirror(domain), 1 << bits
    target = _target_delta(mechanism, epsilon)
    for method, extra in (("levels", 0), ("centre", math.floor(target * total))):
        level_of = _levels(noise, float(epsilon), extra_at_zero=method == "centre")
        if level_of is not None and _one_level_apart(level_of, mechanism):
            weights = _cycle.chained(level_of, reflected, epsilon.exp, total, extra)
            return _Weights(method, (), (IntegerRow(0, tuple(weights)),)) if weights else None

    def exact_delta(weights: list[int]) -> Fraction:
        return delta(Table(bits, domain, mechanism.neighbours, (), (IntegerRow(0, tuple(weights)),)), epsilon.exp)[0]

    weights = _cycle.mixed(_scaled(noise, bits), reflected, epsilon.exp, bits, target, exact_delta)
    return _Weights("cycle", (), (IntegerRow(0, tuple(weights)),))


def requested_delta(mechanism: "Mechanism", epsilon: Epsilon) -> Fraction:
    """Return the delta in the design's parameters if `epsilon` is the design's own; 0 if there is no such delta."""
    design = mechanism.design
    own = {name: design[name] for name in ("epsilon", "alpha") if design.get(name) is not None}
    try:
        requested = exact(design["delta"], "delta")
        return requested if 0 < requested < 1 and Epsilon.of(**own).exp == epsilon.exp else Fraction(0)
    except (KeyError, TypeError, ParameterError):
        return Fraction(0)


def _target_delta(mechanism: "Mechanism", epsilon: Epsilon) -> Fraction:
    """Return the delta that integers should not exceed: the requested delta, else the design's own delta."""
    own = Fraction(mechanism.delta(epsilon))
    return min(requested_delta(mechanism, epsilon) or own, own * (1 + Fraction(1, 1 << 40)))


def _levels(noise: "Row", epsilon: float, extra_at_zero: bool) -> list[int | None] | None:
    """Return the level of every residue, None for probability 0; None instead of a list if there are no levels.

    extra_at_zero
        If True, 0 is one level above all others, whatever its probability.
    """
    logs = noise.logs.tolist()
    possible = [x for x, log in enumerate(logs) if log > -math.inf and (x or not extra_at_zero)]
    possible_levels = levels.find([logs[x] for x in possible], epsilon, 0) if possible else None
    if possible_levels is None:
        return None
    level_of: list[int | None] = [None] * len(logs)
    for x, level in zip(possible, possible_levels, strict=True):
        level_of[x] = level + extra_at_zero
    return [0, *level_of[1:]] if extra_at_zero else level_of


def _one_level_apart(level_of: list[int | None], mechanism: "Mechanism") -> bool:
    """Return True if no two neighbours on the cycle are more than one level apart."""
    grid = np.array([-2 if level is None else level for level in level_of]).reshape(mechanism.domain.shape)  # type: ignore[union-attr]
    axes = tuple(range(grid.ndim))
    return all(int(np.abs(grid - np.roll(grid, d, axis=axes)).max()) <= 1 for d in mechanism.neighbours)


def _every_row(mechanism: "Mechanism", bits: int) -> tuple[tuple[IntegerRow, ...], tuple[IntegerRow, ...]]:
    """Round each row by largest remainder. A fair mechanism keeps one weight for the truth in all rows."""
    total, truth = 1 << bits, None
    every_row = mechanism.rows + mechanism.interior
    centres = [0]  # the index of the true value in each row
    if isinstance(mechanism.domain, Counts):
        centres = [mechanism.domain.lower + index - row.first for index, row in enumerate(mechanism.rows)]
        centres += [-row.first for row in mechanism.interior]
        inside = all(0 <= centre < len(row.values) for row, centre in zip(every_row, centres, strict=True))
        if inside and "F" in mechanism.properties():
            truth = round(Fraction(_scaled(every_row[0], bits)[centres[0]], 1 << GUARD))
    rows = []
    for row, centre in zip(every_row, centres, strict=True):
        scaled = _scaled(row, bits)
        if truth is None or len(scaled) == 1:
            weights = largest_remainders(scaled, total, centre)
        else:
            others = scaled[:centre] + scaled[centre + 1 :]
            weights = largest_remainders(_rescaled(others, total - truth), total - truth, centre)
            weights.insert(centre, truth)
        rows.append(IntegerRow(row.first, tuple(weights)))
    return tuple(rows[: len(mechanism.rows)]), tuple(rows[len(mechanism.rows) :])


def _matrix_weights(mechanism: "Mechanism", epsilon: Epsilon, bits: int, pure: bool) -> _Weights | None:
    scaled = np.array([_scaled(row, bits) for row in mechanism.rows], dtype=object).T
    bound = epsilon.exp if pure else None
    properties = mechanism.properties() | frozenset(mechanism.design.get("properties", ()))
    matrix = _matrix.quantise(scaled, bits, bound, len(mechanism.neighbours), properties)
    if matrix is None:
        return None
    lower = mechanism.domain.lower  # type: ignore[union-attr]
    return _Weights("matrix", tuple(IntegerRow(lower, tuple(column)) for column in matrix.T), ())


def _symmetric_noise(mechanism: "Mechanism", noise: "Row", epsilon: Epsilon, bits: int) -> _Weights | None:
    half = _scaled(noise, bits)[-noise.first :]
    logs = noise.logs[-noise.first :].tolist()
    cut, apart = "tail" in mechanism.design, len(mechanism.neighbours)
    method, weights = _half_weights(half, logs, epsilon, 1 << bits, apart, cut)
    if not weights:
        return None
    return _Weights(method, (), (IntegerRow(1 - len(weights), (*reversed(weights[1:]), *weights)),))


def _half_weights(
    half: list[int], logs: list[float], epsilon: Epsilon, total: int, apart: int, cut: bool
) -> tuple[str, list[int]]:
    """Return how symmetric noise is quantised, and the weights of z = 0..support; no weights if the noise does not fit.

    half
        The probabilities of z = 0..support times 2**(bits + GUARD); `logs` are their logarithms.
    cut
        If True, the design was cut at a tail mass and may be cut shorter.
    """
    size, exp = float(epsilon), epsilon.exp
    even = 2 * round(Fraction(half[0], 2 << GUARD))
    if len(half) > 1 and (steps := levels.find(logs, size, apart)) is not None:
        if cut:
            return "levels", levels.shortened(steps, exp, total, half[0] >> GUARD)
        return "levels", levels.symmetric(steps, exp, total)
    if len(half) > 2 and (steps := levels.find(logs[1:], size, apart)) is not None:
        return "centre", levels.symmetric([0, *steps], exp, total, even)
    if len(half) > 1 and half[-1] * exp < half[-2] and (len(half) == 2 or levels.find(logs[:-1], size, apart)):
        return "centre", levels.falling(even, exp, total, len(half) + 1)
    if apart == 1 and len(half) > 1 and half == sorted(half, reverse=True):
        return "tails", (_tails.shortened if cut else _tails.symmetric)(half, exp, total)
    side = (total - even) // 2
    return "rows", [even, *largest_remainders(_rescaled(half[1:], side), side, 0)]


def _scaled(row: "Row", bits: int) -> list[int]:
    """Return the probabilities times 2**(bits + GUARD), floored: the exact numbers, or the floats over their sum."""
    if row.numerators is not None:
        return scale(row.numerators, row.denominator, bits)
    numerators = [int(math.ldexp(value, FLOAT_BITS)) for value in row.values.tolist()]
    return scale(numerators, sum(numerators), bits)


def _rescaled(scaled: Sequence[int], total: int) -> list[int]:
    """Return numbers in the same proportions that sum to `total` units."""
    whole = max(sum(scaled), 1)
    return [(value * total << GUARD) // whole for value in scaled]


def _symmetric(row: "Row") -> bool:
    values: Sequence[float | int] = row.values.tolist() if row.numerators is None else row.numerators
    return 2 * row.first == 1 - len(values) and values == values[::-1]


def _square(mechanism: "Mechanism") -> bool:
    lower, size = mechanism.domain.lower, len(mechanism.rows)  # type: ignore[union-attr]
    return size > 1 and all(row.first == lower and len(row.values) == size for row in mechanism.rows)


def _distance(mechanism: "Mechanism", table: Table) -> float:
    """Return the largest total variation distance between a row of integers and the design's row."""
    largest = 0.0
    for row, integers in zip(mechanism.rows + mechanism.interior, table.rows + table.interior, strict=True):
        weights = np.zeros(len(row.values))
        weights[integers.first - row.first :][: len(integers.weights)] = (
            np.array(integers.weights, dtype=np.float64) / table.total
        )
        largest = max(largest, float(np.abs(weights - row.values).sum()) / 2)
    return largest

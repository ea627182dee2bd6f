"""Choose how a mechanism becomes integers, and say how far the integers are from it.

    levels   noise whose steps are exactly E, on counts or on a cycle
    centre   the same with a probability of its own for no noise at all
    cycle    any other noise on a cycle
    tails    other symmetric noise on counts that falls from 0
    matrix   a square matrix on lower..upper
    rows     anything else: every row by largest remainder, symmetric noise by pairs

Whatever is chosen, the integers' own delta decides: a purely private design must come out with delta 0, any
other with at most its own delta plus a few units (`allowance`), else the table is refused.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.certify import cycle, levels, matrix, tails
from discreet.certify.rounding import GUARD, largest_remainders, scale
from discreet.certify.table import IntegerRow, Table, delta, mirror
from discreet.domain import Counts, Cycle
from discreet.errors import ParameterError
from discreet.exact import Epsilon, exact

if TYPE_CHECKING:
    from discreet.mechanism import Mechanism, Row

FLOAT_BITS = 1000
"""A float times 2**1000 is an integer, but for what is below 1e-301."""

PURE = 1e-8
"""A matrix whose delta at E is at most this is meant to be pure: the rest is a solver's tolerance, and is repaired."""


@dataclass(frozen=True)
class Quantised:
    """A table, and how it differs from the design.

    Attributes
    ----------
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
    """The mechanism in integers, or None where it does not fit into so many bits."""
    design_delta = mechanism.delta(epsilon)
    pure = design_delta == 0 or (design_delta <= PURE and not mechanism.interior)
    found = _weights(mechanism, epsilon, bits, pure)
    if found is None:
        return None
    method, rows, interior = found
    table = Table(bits, mechanism.domain, mechanism.neighbours, rows, interior)
    achieved, _ = delta(table, epsilon.exp)
    most = (
        Fraction(0)
        if pure
        else max(Fraction(design_delta) + allowance(table, method, epsilon), asked(mechanism, epsilon))
    )
    if achieved > most:
        return None
    return Quantised(table, method, achieved, design_delta, _distance(mechanism, table))


def allowance(table: Table, method: str, epsilon: Epsilon) -> Fraction:
    """How much delta may grow by rounding: a few units, and what floats cannot resolve.

    Tails: each of the two in T(z) - E T(z + 1) is off by a unit, or two where they were cut. Levels: the chain
    cannot end below E/(E - 1), and so many ends are lost as neighbours are apart. Centre: the chain beside it
    starts up to a unit lower for every level. Rows rounded one by one: every output may be off by a unit on
    both sides.
    """
    each = 8 + 2 * math.ceil(epsilon.exp) + math.ceil(epsilon.exp / (epsilon.exp - 1))
    widest = max(len(row.weights) for row in table.rows + table.interior)
    apart = len(table.neighbours) if isinstance(table.domain, Counts) else 1
    units = {
        "rows": widest * math.ceil(1 + epsilon.exp),
        "centre": each + widest * math.ceil(epsilon.exp),
        "cycle": widest * math.ceil(1 + epsilon.exp),
    }.get(method, apart * each)
    return Fraction(units, table.total) + Fraction(1, 1 << 48)


_Found = tuple[str, tuple[IntegerRow, ...], tuple[IntegerRow, ...]]


def _weights(mechanism: "Mechanism", epsilon: Epsilon, bits: int, pure: bool) -> _Found | None:
    if mechanism.rows and not mechanism.interior and _square(mechanism):
        return _matrix(mechanism, epsilon, bits, pure)
    if not mechanism.rows and len(mechanism.interior) == 1:
        noise = mechanism.interior[0]
        if isinstance(mechanism.domain, Counts) and _symmetric(noise):
            return _symmetric_noise(mechanism, noise, epsilon, bits)
        if isinstance(mechanism.domain, Cycle):
            return _on_cycle(mechanism, mechanism.domain, epsilon, bits)
    return "rows", *_every_row(mechanism, bits)


def _on_cycle(mechanism: "Mechanism", domain: Cycle, epsilon: Epsilon, bits: int) -> _Found | None:
    noise, reflected, total = mechanism.interior[0], mirror(domain), 1 << bits
    target = _target(mechanism, epsilon)
    for method, extra in (("levels", 0), ("centre", math.floor(target * total))):
        found = _levels(noise, float(epsilon), apart=method == "centre")
        if found is not None and _one_level_apart(found, mechanism):
            weights = cycle.chained(found, reflected, epsilon.exp, total, extra)
            return (method, (), (IntegerRow(0, tuple(weights)),)) if weights else None

    def exactly(weights: list[int]) -> Fraction:
        return delta(Table(bits, domain, mechanism.neighbours, (), (IntegerRow(0, tuple(weights)),)), epsilon.exp)[0]

    weights = cycle.mixed(_scaled(noise, bits), reflected, epsilon.exp, bits, target, exactly)
    return "cycle", (), (IntegerRow(0, tuple(weights)),)


def asked(mechanism: "Mechanism", epsilon: Epsilon) -> Fraction:
    """The delta that the design was asked for, at its own epsilon; 0 where it was asked for none."""
    design = mechanism.design
    own = {name: design[name] for name in ("epsilon", "alpha") if design.get(name) is not None}
    try:
        named = exact(design["delta"], "delta")
        return named if 0 < named < 1 and Epsilon.of(**own).exp == epsilon.exp else Fraction(0)
    except (KeyError, TypeError, ParameterError):
        return Fraction(0)


def _target(mechanism: "Mechanism", epsilon: Epsilon) -> Fraction:
    """The delta that integers should not exceed: what was asked for, else what the design has there."""
    has = Fraction(mechanism.delta(epsilon))
    return min(asked(mechanism, epsilon) or has, has * (1 + Fraction(1, 1 << 40)))


def _levels(noise: "Row", epsilon: float, apart: bool) -> list[int | None] | None:
    """The level of every residue, None where its probability is 0; with `apart`, 0 is one above the others."""
    logs = noise.logs.tolist()
    there = [x for x, log in enumerate(logs) if log > -math.inf and (x or not apart)]
    found = levels.find([logs[x] for x in there], epsilon, 0) if there else None
    if found is None:
        return None
    every: list[int | None] = [None] * len(logs)
    for x, level in zip(there, found, strict=True):
        every[x] = level + apart
    return [0, *every[1:]] if apart else every


def _one_level_apart(found: list[int | None], mechanism: "Mechanism") -> bool:
    """Whether no difference between neighbours on the cycle passes more than one level."""
    grid = np.array([-2 if level is None else level for level in found]).reshape(mechanism.domain.shape)  # type: ignore[union-attr]
    axes = tuple(range(grid.ndim))
    return all(int(np.abs(grid - np.roll(grid, d, axis=axes)).max()) <= 1 for d in mechanism.neighbours)


def _every_row(mechanism: "Mechanism", bits: int) -> tuple[tuple[IntegerRow, ...], tuple[IntegerRow, ...]]:
    """Each row by largest remainder; a fair mechanism keeps one weight for the truth."""
    total, truth = 1 << bits, None
    every = mechanism.rows + mechanism.interior
    places = [0]
    if isinstance(mechanism.domain, Counts):
        places = [mechanism.domain.lower + place - row.first for place, row in enumerate(mechanism.rows)]
        places += [-row.first for row in mechanism.interior]
        inside = all(0 <= place < len(row.values) for row, place in zip(every, places, strict=True))
        if inside and "F" in mechanism.properties():
            truth = round(Fraction(_scaled(every[0], bits)[places[0]], 1 << GUARD))
    rows = []
    for row, place in zip(every, places, strict=True):
        scaled = _scaled(row, bits)
        if truth is None or len(scaled) == 1:
            weights = largest_remainders(scaled, total, place)
        else:
            others = scaled[:place] + scaled[place + 1 :]
            weights = largest_remainders(_rescaled(others, total - truth), total - truth, place)
            weights.insert(place, truth)
        rows.append(IntegerRow(row.first, tuple(weights)))
    return tuple(rows[: len(mechanism.rows)]), tuple(rows[len(mechanism.rows) :])


def _matrix(mechanism: "Mechanism", epsilon: Epsilon, bits: int, pure: bool) -> _Found | None:
    scaled = np.array([_scaled(row, bits) for row in mechanism.rows], dtype=object).T
    bound = epsilon.exp if pure else None
    properties = mechanism.properties() | frozenset(mechanism.design.get("properties", ()))
    found = matrix.quantise(scaled, bits, bound, len(mechanism.neighbours), properties)
    if found is None:
        return None
    return "matrix", tuple(IntegerRow(mechanism.domain.lower, tuple(column)) for column in found.T), ()  # type: ignore[union-attr]


def _symmetric_noise(mechanism: "Mechanism", noise: "Row", epsilon: Epsilon, bits: int) -> _Found | None:
    """Half the noise, z = 0..support, to weights; a design that was cut at a tail mass may be cut shorter."""
    half = _scaled(noise, bits)[-noise.first :]
    logs = noise.logs[-noise.first :].tolist()
    cut, size = "tail" in mechanism.design, float(epsilon)
    total, even = 1 << bits, 2 * round(Fraction(half[0], 2 << GUARD))
    apart = len(mechanism.neighbours)
    if len(half) > 1 and (found := levels.find(logs, size, apart)) is not None:
        method = "levels"
        if cut:
            weights = levels.shortened(found, epsilon.exp, total, half[0] >> GUARD)
        else:
            weights = levels.symmetric(found, epsilon.exp, total)
    elif len(half) > 2 and (found := levels.find(logs[1:], size, apart)) is not None:
        method, weights = "centre", levels.symmetric([0, *found], epsilon.exp, total, even)
    elif (
        len(half) > 1 and (len(half) == 2 or levels.find(logs[:-1], size, apart)) and half[-1] * epsilon.exp < half[-2]
    ):
        method, weights = "centre", levels.spent(even, epsilon.exp, total, len(half) + 1)
    elif len(mechanism.neighbours) == 1 and len(half) > 1 and half == sorted(half, reverse=True):
        method, weights = "tails", (tails.shortened if cut else tails.symmetric)(half, epsilon.exp, total)
    else:
        method, weights = (
            "rows",
            [even, *largest_remainders(_rescaled(half[1:], (total - even) // 2), (total - even) // 2, 0)],
        )
    if not weights:
        return None
    return method, (), (IntegerRow(1 - len(weights), (*reversed(weights[1:]), *weights)),)


def _scaled(row: "Row", bits: int) -> list[int]:
    """Probabilities times 2**(bits + GUARD), floored: the exact ones, or the floats over their sum."""
    if row.numerators is not None:
        return scale(row.numerators, row.denominator, bits)
    numerators = [int(math.ldexp(value, FLOAT_BITS)) for value in row.values.tolist()]
    return scale(numerators, sum(numerators), bits)


def _rescaled(scaled: Sequence[int], total: int) -> list[int]:
    """The same proportions, summing to `total` units."""
    whole = max(sum(scaled), 1)
    return [(value * total << GUARD) // whole for value in scaled]


def _symmetric(row: "Row") -> bool:
    values: Sequence[float | int] = row.values.tolist() if row.numerators is None else row.numerators
    return 2 * row.first == 1 - len(values) and all(a == b for a, b in zip(values, reversed(values), strict=True))


def _square(mechanism: "Mechanism") -> bool:
    lower, size = mechanism.domain.lower, len(mechanism.rows)  # type: ignore[union-attr]
    return size > 1 and all(row.first == lower and len(row.values) == size for row in mechanism.rows)


def _distance(mechanism: "Mechanism", table: Table) -> float:
    """Total variation between integers and design, the largest over the rows."""
    largest = 0.0
    for row, integers in zip(mechanism.rows + mechanism.interior, table.rows + table.interior, strict=True):
        weights = np.zeros(len(row.values))
        weights[integers.first - row.first :][: len(integers.weights)] = (
            np.array(integers.weights, dtype=np.float64) / table.total
        )
        largest = max(largest, float(np.abs(weights - row.values).sum()) / 2)
    return largest

"""What one person may lose in cells of several integer tables: bounds of delta without floating point.

As in `losses`, table by table, distributions of losses on one lattice are multiplied. People are in
different numbers of cells of each table, so the largest loss over all of these numbers counts. With several rows of one
person, a family of disjoint cells holds cells of one table only.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from .cells import Numbers
from .group_lines import group_profile
from .lattice import MOST_KNOTS, Lattice, Masses, UndecidedError
from .losses import (
    EXACT_POWERS,
    MOST_POINTS,
    Exposure,
    Judged,
    any_of,
    family_masses,
    pair_masses,
    upper_floor,
)
from .weights import ONE, DirectedPair, Table, exp_bounds


class Exposures(NamedTuple):
    """How many cells of each table one person is in.

    Attributes
    ----------
    worst
        Everyone is in as many cells, or families of cells, of each table as one of these says, at most.
    rows
        Most rows of one person.
    certain
        Numbers of cells that hold one combination of leaves that a person can have.
    """

    worst: list[Numbers]
    rows: int
    certain: list[Numbers]


def upper_floor_of(tables: Sequence[Table], exposures: Exposures) -> Fraction:
    """Return an upper bound of the delta that remains at any epsilon."""
    return max(_upper_floor(tables, numbers, exposures.rows) for numbers in exposures.worst)


def lower_floor_of(tables: Sequence[Table], exposures: Exposures) -> Fraction:
    """Return the delta that remains at any epsilon in cells that hold one combination of leaves."""
    floors = (_lower_floor(_parts(tables, numbers, exposures.rows)) for numbers in exposures.certain)
    return max(floors, default=Fraction(0))


def judge_several(tables: Sequence[Table], stated: Fraction, epsilon: Fraction, exposures: Exposures) -> Judged:
    """Judge the claim that delta at epsilon is at most `stated`, by bounds that are refined until they decide."""
    uppers = [_upper(tables, stated, epsilon, numbers, exposures.rows) for numbers in exposures.worst]
    upper, lower = max(uppers), Fraction(0)
    if stated < upper:
        lowers = [_lower(tables, stated, epsilon, numbers, exposures.rows) for numbers in exposures.certain]
        lower = max(lowers, default=Fraction(0))
    verdict = "proved" if stated >= upper else "fails" if stated < lower else "not shown"
    return Judged(verdict, lower, upper)


def _parts(tables: Sequence[Table], numbers: Numbers, rows: int) -> list[tuple[Table, Exposure]]:
    """Return the tables that one person meets, each with its number of cells."""
    return [(table, Exposure(number, rows, number)) for table, number in zip(tables, numbers, strict=True) if number]


def _upper_floor(tables: Sequence[Table], numbers: Numbers, rows: int) -> Fraction:
    return any_of([upper_floor(table, part) for table, part in _parts(tables, numbers, rows)])


def _upper(tables: Sequence[Table], stated: Fraction, epsilon: Fraction, numbers: Numbers, rows: int) -> Fraction:
    """Return an upper bound of delta for one number of cells of each table; refined until it is at most `stated`."""
    parts = _parts(tables, numbers, rows)
    upper = Fraction(1)
    if sum(numbers) <= EXACT_POWERS:
        farthest = math.prod((_farthest(table, part) ** part.touches for table, part in parts), start=Fraction(1))
        if farthest <= Fraction(exp_bounds(epsilon)[0], ONE):
            return _upper_floor(tables, numbers, rows)
    for h in _steps(parts):
        if stated >= upper:
            break
        try:
            upper = min(upper, _composed(parts, epsilon, _lattice(stated, h, up=True)))
        except UndecidedError:
            break
    return upper


def _farthest(table: Table, part: Exposure) -> Fraction:
    """Return the largest finite ratio of two chances in one family."""
    if part.many:
        return group_profile(table, part.rows).largest
    return Fraction(max(math.prod(table.largest(distance) for distance in split) for split in part.splits))


def _composed(parts: Sequence[tuple[Table, Exposure]], epsilon: Fraction, lattice: Lattice) -> Fraction:
    product: Masses | None = None
    beyond = []
    for table, part in parts:
        family, outside = family_masses(table, part, lattice)
        power = lattice.power(family, part.touches)
        product = power if product is None else lattice.times(product, power)
        beyond.append(any_of([outside], part.touches))
    assert product is not None
    return any_of(beyond) + lattice.delta(product, epsilon)


Change = list[tuple[Table, int, list[DirectedPair]]]
"""For every table its number of cells, and the pairs of counts that one change of one person's rows can cause."""


def _sides(parts: Sequence[tuple[Table, Exposure]]) -> Iterator[Change]:
    """Yield the changes of all cells of one combination of leaves: so many rows added, or so many removed."""
    for distance in parts[0][1].distances:
        for added in (True, False):
            yield [(table, part.touches, table.pairs_in(distance, added=added)) for table, part in parts]


def _lower_floor(parts: Sequence[tuple[Table, Exposure]]) -> Fraction:
    if any(part.touches > EXACT_POWERS for _, part in parts):
        return Fraction(0)
    return max(
        any_of(
            [
                any_of([Fraction(max((pair.infinite for pair in pairs), default=0), 1 << table.bits)], cells)
                for table, cells, pairs in side
            ]
        )
        for side in _sides(parts)
    )


def _lower(tables: Sequence[Table], stated: Fraction, epsilon: Fraction, numbers: Numbers, rows: int) -> Fraction:
    """Return a lower bound of delta: one pair of counts in all cells of each table, refined until it decides."""
    parts = _parts(tables, numbers, rows)
    high = Fraction(exp_bounds(epsilon)[1], ONE)
    alone = [table.delta(high, distance) for table, part in parts for distance in part.distances]
    lower = max(_lower_floor(parts), *alone)
    for h in _steps(parts):
        if stated < lower:
            break
        try:
            lattice = _lattice(stated, h, up=False)
            lower = max(lower, *(_composed_pairs(side, epsilon, lattice) for side in _sides(parts)))
        except UndecidedError:
            break
    return lower


def _composed_pairs(side: Change, epsilon: Fraction, lattice: Lattice) -> Fraction:
    product: Masses | None = None
    shifts, never = Fraction(0), []
    share = exp_bounds(epsilon / sum(cells for _, cells, _ in side))[0]
    for table, cells, pairs in side:
        if not pairs:
            continue
        pair = max(pairs, key=lambda pair: pair.at(share))
        masses, shift = pair_masses(pair, table.bits, lattice)
        power = lattice.power(masses, cells)
        product = power if product is None else lattice.times(product, power)
        shifts += cells * shift
        never.append(any_of([Fraction(pair.infinite, 1 << table.bits)], cells))
    if product is None:
        return Fraction(0)
    return any_of(never) + lattice.delta(product, epsilon + shifts)


def _lattice(stated: Fraction, h: Fraction, *, up: bool) -> Lattice:
    digits = 30 + max(0, -math.floor(math.log10(stated))) if stated else 60
    return Lattice(h, digits, int(stated * 10**digits) // 10**13, up)


def _steps(parts: Sequence[tuple[Table, Exposure]]) -> Iterator[Fraction]:
    """Yield ever finer steps of the lattice. Any step gives a sound bound."""
    square, largest = 0.0, 0.0
    for table, part in parts:
        losses = [
            (math.log(p / q), p)
            for distance in (part.distances[-1:] if part.many else part.distances)
            for pair in table.pairs(distance)
            for p, q in zip(pair.p, pair.q, strict=True)
            if q and p > q
        ]
        if losses:
            rows = part.touches * (1 if part.many else part.rows)
            square += rows * sum(2 * p * x * x for x, p in losses) / sum(p for _, p in losses)
            largest = max(largest, *(x for x, _ in losses))
    if not square:
        return
    deviation = math.sqrt(square)
    step = max(24 * deviation / 4096, largest / MOST_KNOTS * 64)
    while 24 * deviation / step <= MOST_POINTS:
        yield Fraction(round(step * 2**60), 2**60)
        step /= 4

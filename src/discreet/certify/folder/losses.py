"""What one person may lose in many cells of one integer table: bounds of delta without floating point.

Upper bound. H_d (see `weights`) is convex in a. The function G that equals H_d at the knots e**(j h) and is a straight
line in a between the knots lies above H_d, so the pair of distributions with profile G may be composed in place of the
table (Zhu, Dong and Wang 2022). The pair has its mass on the losses j h, so composing is multiplying polynomials.
Masses are integers, each rounded up, and delta grows with every mass. A person with several rows costs, in every family
of disjoint cells, the largest G over the ways to split the rows (the partitions of the number of rows). Above
`MOST_PARTITIONED` rows, G is a bound by group privacy (`group_lines`).

Lower bound. One pair of counts at one distance in all cells that hold one combination of leaves is a pair of data sets
that exists. Its losses are rounded down to the lattice, and its masses are rounded down.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from .group_lines import group_profile
from .lattice import MOST_KNOTS, Lattice, Masses, UndecidedError
from .weights import ONE, SCALE, DirectedPair, Table, exp_bounds

MOST_POINTS = 400_000
"""Points of the finest lattice over 24 standard deviations of the loss."""

MOST_WORK = 3_000_000
"""Evaluations of a pair of counts at a knot."""

EXACT_POWERS = 4096
"""Factors up to which a product of chances is computed exactly."""


MOST_PARTITIONED = 10
"""Rows of one person up to which all ways to split the rows are composed."""

FARTHEST = 1 << 16
"""Distance of two counts above which no pair is tried. A person with many rows can have fewer rows in a cell."""


class Exposure(NamedTuple):
    """How many cells one person is in.

    Attributes
    ----------
    touches
        Families of disjoint cells that hold one person's rows, at most; with one row a person, the cells that hold it.
    rows
        Most rows of one person.
    certain
        Cells that all hold one combination of leaves that a person can have.
    """

    touches: int
    rows: int
    certain: int

    @property
    def many(self) -> bool:
        """True if there are too many ways to split the rows."""
        return self.rows > MOST_PARTITIONED

    @property
    def distances(self) -> Sequence[int]:
        """By how much one person can change one cell; with many rows, two of these distances."""
        return (1, min(self.rows, FARTHEST)) if self.many else range(1, self.rows + 1)

    @property
    def splits(self) -> list[tuple[int, ...]]:
        """The ways in which one person's rows can fall into the cells of a family."""
        return list(partitions(self.rows, self.rows))


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write the total as a sum of falling parts.

    `account.composition` has the same six lines. This checker shares no code with the code that made the folder.
    """
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in partitions(total - part, part):
            yield (part, *rest)


def any_of(chances: Sequence[Fraction], times: int = 1) -> Fraction:
    """Return 1 - prod (1 - chance)**times; for very many factors the sum of the chances, which is no smaller."""
    if times * len(chances) > EXACT_POWERS:
        return min(Fraction(1), times * sum(chances, Fraction(0)))
    return Fraction(1 - math.prod((1 - chance for chance in chances), start=Fraction(1)) ** times)


def upper_floor(table: Table, exposure: Exposure) -> Fraction:
    """Return an upper bound of the delta that remains at any epsilon."""
    if exposure.many:
        one_family = group_profile(table, exposure.rows).floor
    else:
        one_family = max(any_of([table.infinite(part) for part in split]) for split in exposure.splits)
    return any_of([one_family], exposure.touches)


def lower_floor(table: Table, exposure: Exposure) -> Fraction:
    """Return the delta that remains at any epsilon for one distance in all cells of one combination of leaves."""
    return max(any_of([table.infinite(distance)], exposure.certain) for distance in exposure.distances)


def upper_bound(table: Table, epsilon: Fraction, exposure: Exposure, lattice: Lattice) -> Fraction:
    """Return an upper bound of delta at epsilon of everything that one person is in."""
    family, beyond = family_masses(table, exposure, lattice)
    composed = lattice.delta(lattice.power(family, exposure.touches), epsilon)
    return any_of([beyond], exposure.touches) + composed


def family_masses(table: Table, exposure: Exposure, lattice: Lattice) -> tuple[Masses, Fraction]:
    """Return masses that dominate one person's rows in a family of disjoint cells, and the chance beyond the knots."""
    if exposure.many:
        return _group(table, exposure, lattice)
    if exposure.rows == 1:
        return _dominating(table, 1, lattice), table.infinite(1)
    one_cell = {distance: _dominating(table, distance, lattice) for distance in exposure.distances}
    return _worst_split(table, exposure, lattice, one_cell)


def _dominating(table: Table, distance: int, lattice: Lattice) -> Masses:
    """Return the masses of a pair that dominates all pairs of counts at one distance."""
    low, high = lattice.knots(table.largest(distance))
    pairs = table.pairs(distance)
    if len(low) * len(pairs) > MOST_WORK:
        raise UndecidedError
    values = [max((pair.at(a) for pair in pairs), default=0) for a in low]
    return lattice.dominating(values, 1 << (SCALE + table.bits), low, high)


def _group(table: Table, exposure: Exposure, lattice: Lattice) -> tuple[Masses, Fraction]:
    """Return masses that dominate all rows of a person in a family, and the chance beyond the last knot."""
    profile = group_profile(table, exposure.rows)
    low, high = lattice.knots(profile.largest)
    values = [profile.at(a) for a in low]
    return lattice.dominating(values, ONE, low, high), Fraction(values[-1], ONE)


def _worst_split(
    table: Table, exposure: Exposure, lattice: Lattice, one_cell: dict[int, Masses]
) -> tuple[Masses, Fraction]:
    """Return masses that dominate every split of a person's rows over a family, and the chance beyond the last knot."""
    composed: dict[tuple[int, ...], Masses] = {(distance,): masses for distance, masses in one_cell.items()}
    splits = exposure.splits
    for split in splits:
        for size in range(2, len(split) + 1):
            if split[:size] not in composed:
                composed[split[:size]] = lattice.times(composed[split[: size - 1]], one_cell[split[size - 1]])
    count = 2 + max(composed[split].first + len(composed[split].masses) for split in splits)
    low, high = lattice.knots(Fraction(exp_bounds(count * lattice.h)[1], ONE))
    unit = ONE * lattice.unit
    profiles = []
    for split in splits:
        infinite = math.ceil(any_of([table.infinite(part) for part in split]) * unit)
        profiles.append([value + infinite for value in lattice.values(composed[split], len(low))])
    worst = [max(values) for values in zip(*profiles, strict=True)]
    return lattice.dominating(worst, unit, low, high), min(Fraction(worst[-1], unit), Fraction(1))


def lower_bound(pair: DirectedPair, bits: int, epsilon: Fraction, cells: int, lattice: Lattice) -> Fraction:
    """Return a lower bound of delta at epsilon of `cells` cells that all have one pair of counts."""
    masses, shift = pair_masses(pair, bits, lattice)
    composed = lattice.power(masses, cells)
    never = any_of([Fraction(pair.infinite, 1 << bits)], cells) if cells <= EXACT_POWERS else Fraction(0)
    return never + lattice.delta(composed, epsilon + cells * shift)


def pair_masses(pair: DirectedPair, bits: int, lattice: Lattice) -> tuple[Masses, Fraction]:
    """Return the losses of a pair of counts on the lattice, each plus a shift and rounded down, and the shift."""
    finite = [(p, q) for p, q in zip(pair.p, pair.q, strict=True) if q]
    reach = max((max(Fraction(p, q), Fraction(q, p)) for p, q in finite), default=Fraction(1))
    low, high = lattice.knots(reach * 2)

    def rounded_losses(shift: Fraction) -> list[int]:
        """Return every loss plus the shift, in steps, rounded down."""
        raised = exp_bounds(shift)[0]
        return [
            bisect_right(high, p * raised // q) - 1
            if p * raised >= q * ONE
            else -bisect_right(low, -(-q * ONE * ONE // (p * raised)) - 1)
            for p, q in finite
        ]

    def mean_error(shift: Fraction) -> float:
        """Return by how much the shift and the rounding together lower the mean loss, but for a constant."""
        losses = zip(finite, rounded_losses(shift), strict=True)
        return float(shift) - sum(p * float(lattice.h) * j for (p, _), j in losses) / (1 << bits)

    shift = min((lattice.h / part for part in (1, 4, 16, 256, 4096)), key=mean_error)
    losses = rounded_losses(shift)
    masses = [0] * (max(losses, default=0) - min(losses, default=0) + 1)
    for (p, _), j in zip(finite, losses, strict=True):
        masses[j - min(losses)] += p * lattice.unit >> bits
    return Masses(min(losses, default=0), masses, 0), shift


class Judged(NamedTuple):
    """The verdict ("proved", "fails" or "not shown"), and bounds of the true delta."""

    verdict: str
    lower: Fraction
    upper: Fraction


def judge(table: Table, stated: Fraction, epsilon: Fraction, exposure: Exposure) -> Judged:
    """Judge the claim that delta at epsilon is at most `stated`, by bounds that are refined until they decide."""
    lower, upper = _simple_lower(table, epsilon, exposure), _simple_upper(table, epsilon, exposure)
    for h in _steps(table, exposure):
        if stated >= upper or stated < lower:
            break
        digits = 30 + max(0, -math.floor(math.log10(stated))) if stated else 60
        cut = int(stated * 10**digits) // 10**13
        try:
            upper = min(upper, upper_bound(table, epsilon, exposure, Lattice(h, digits, cut, True)))
            if stated < upper:
                below = Lattice(h, digits, cut, False)
                for pair in _worst_pairs(table, epsilon, exposure):
                    lower = max(lower, lower_bound(pair, table.bits, epsilon, exposure.certain, below))
        except UndecidedError:
            break
    verdict = "proved" if stated >= upper else "fails" if stated < lower else "not shown"
    return Judged(verdict, lower, upper)


def _simple_lower(table: Table, epsilon: Fraction, exposure: Exposure) -> Fraction:
    """Return the larger of delta of one cell, and the chance that all cells reveal the truth."""
    high = Fraction(exp_bounds(epsilon)[1], ONE)
    lower = max(table.delta(high, distance) for distance in exposure.distances)
    return max(lower, lower_floor(table, exposure)) if exposure.certain <= EXACT_POWERS else lower


def _simple_upper(table: Table, epsilon: Fraction, exposure: Exposure) -> Fraction:
    """Return an upper bound of delta without a lattice: the floor beyond the largest loss, or basic composition."""
    upper = Fraction(1)
    if exposure.touches <= EXACT_POWERS:
        if exposure.many:
            farthest = group_profile(table, exposure.rows).largest
        else:
            farthest = Fraction(max(math.prod(table.largest(part) for part in split) for split in exposure.splits))
        if farthest**exposure.touches <= Fraction(exp_bounds(epsilon)[0], ONE):
            upper = upper_floor(table, exposure)
    if exposure.rows == 1:
        shared = Fraction(exp_bounds(epsilon / exposure.touches)[0], ONE)
        upper = min(upper, any_of([table.delta(shared, 1)], exposure.touches))
    return upper


def _worst_pairs(table: Table, epsilon: Fraction, exposure: Exposure) -> set[DirectedPair]:
    """Return pairs of counts that may have the largest delta when they are composed."""
    pairs = [pair for distance in exposure.distances for pair in table.pairs(distance)]
    cells = exposure.certain
    shares = [exp_bounds(epsilon / cells)[0], exp_bounds(epsilon / (math.isqrt(cells) + 1))[0]]
    return {max(pairs, key=lambda pair: pair.at(a)) for a in shares} if pairs else set()


def _steps(table: Table, exposure: Exposure) -> Iterator[Fraction]:
    """Yield ever finer steps of the lattice. Any step gives a sound bound.

    If one step holds all losses, all steps are parts of that step.
    """
    losses = [
        (math.log(p / q), p)
        for distance in (exposure.distances[-1:] if exposure.many else exposure.distances)
        for pair in table.pairs(distance)
        for p, q in zip(pair.p, pair.q, strict=True)
        if q and p > q
    ]
    if not losses:
        return
    heaviest = max(mass for _, mass in losses)
    rows = exposure.touches * (1 if exposure.many else exposure.rows)
    deviation = math.sqrt(rows * sum(2 * p * x * x for x, p in losses) / sum(p for _, p in losses))
    step = min(x for x, mass in losses if mass > 1e-6 * heaviest)
    counts = [max(1, round(x / step)) for x, _ in losses]
    step = sum(p * c * x for (x, p), c in zip(losses, counts, strict=True)) / sum(
        p * c * c for (_, p), c in zip(losses, counts, strict=True)
    )
    excess = sum(p * abs(x / step - round(x / step)) for x, p in losses) * step * step
    too_fine = 24 * deviation / step > MOST_POINTS
    if too_fine or excess > 1e-3 * sum(p * x * x for x, p in losses):
        step = max(24 * deviation / 4096, max(x for x, _ in losses) / MOST_KNOTS * 64)
    finest = 24 * deviation / MOST_POINTS
    parts = 1
    while step >= finest * parts:
        step /= parts
        yield Fraction(round(step * 2**60), 2**60)
        parts = min(4, max(2, int(step / finest)))

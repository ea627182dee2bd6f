"""What one person may lose in many cells of one integer table: bounds of delta without floating point.

Upper bound. H_d (see `weights`) is convex in a. The function G that equals it at the knots e**(j h) and is a straight
line in a between them lies above it, so the pair of distributions with profile G may be composed in place of the table
(Zhu, Dong and Wang 2022). The pair has its mass on the losses j h, so composing is multiplying polynomials. Masses are
integers, each rounded up, and delta grows with every mass. A person with several rows costs, in every family of
disjoint cells, the largest G over the ways to split the rows (the partitions of their number).

Lower bound. One pair of counts at one distance in all cells that hold one combination of leaves is a pair of data sets
that exists. Its losses are rounded down to the lattice, its masses as well.

Polynomials are multiplied exactly, as decimal numbers with the coefficients as groups of digits.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from .weights import ONE, SCALE, Line, Table, exp_bounds

FINE = 256
MOST_POINTS = 400_000
MOST_KNOTS = 60_000
MOST_WORK = 3_000_000
EXACT_POWERS = 4096


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Every way to write the total as a sum of falling parts."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in partitions(total - part, part):
            yield (part, *rest)


def any_of(chances: Sequence[Fraction], times: int = 1) -> Fraction:
    """1 - prod (1 - chance), `times` over; for very many factors the sum, which is no smaller."""
    if times * len(chances) > EXACT_POWERS:
        return min(Fraction(1), times * sum(chances, Fraction(0)))
    return Fraction(1 - math.prod((1 - chance for chance in chances), start=Fraction(1)) ** times)


class UndecidedError(Exception):
    """A lattice on which no bound was found."""


class Masses(NamedTuple):
    """Masses in units of 10**-digits at the losses first, first + 1, ... (times h), and those moved to infinity."""

    first: int
    masses: list[int]
    lost: int


@dataclass(frozen=True)
class Lattice:
    """Losses j h; masses are rounded up if `up`, else down."""

    h: Fraction
    digits: int
    cut: int
    up: bool

    @cached_property
    def unit(self) -> int:
        """A mass of 1."""
        return int(10**self.digits)

    @cached_property
    def step(self) -> tuple[int, int]:
        """Bounds of e**h."""
        return exp_bounds(self.h)

    def rounded(self, number: int, divisor: int) -> int:
        """A quotient, rounded to the safe side."""
        return -(-number // divisor) if self.up else number // divisor

    def knots(self, largest: Fraction) -> tuple[list[int], list[int]]:
        """Bounds of e**(j h) for j = 0, 1, ... up to the first that reaches `largest`."""
        low, high, end = [ONE], [ONE], math.ceil(largest * ONE)
        while low[-1] < end:
            low.append(low[-1] * self.step[0] >> SCALE)
            high.append(-(-high[-1] * self.step[1] >> SCALE))
            if len(low) > MOST_KNOTS:
                raise UndecidedError
        return low, high

    def dominating(self, values: Sequence[int], unit: int, low: Sequence[int], high: Sequence[int]) -> Masses:
        """The pair of the function that is values[j] / unit at knot j, linear in a between, constant after the last.

        Below a = 1 it is its own mirror image, and what is left of 1 lies at loss 0. Rounding may leave less than
        nothing: masses that sum to 1 + x, with 0 at loss 0, dominate the table with a further output of chance x for
        every count, which tells nothing.
        """
        slope, slopes = 0, [0]
        for j in range(len(values) - 2, -1, -1):
            fall, gap = max(values[j] - values[j + 1], 0), low[j + 1] - high[j]
            slope = max(slope, -(-(fall << (SCALE + FINE)) // (gap * unit)))
            slopes.append(slope)
        slopes.reverse()
        q = [before - after for before, after in pairwise(slopes)]
        p = [-(-high[j] * mass >> SCALE) for j, mass in enumerate(q, 1)]
        least = sum(low[j] * mass >> SCALE for j, mass in enumerate(q, 1))
        rest = max(0, (1 << FINE) - (values[-1] << FINE) // unit - least - sum(q))
        return Masses(-len(q), [-(-mass * self.unit >> FINE) for mass in (*q[::-1], rest, *p)], 0)

    def times(self, one: Masses, other: Masses) -> Masses:
        """The sum of two independent losses."""
        size = len(one.masses) + len(other.masses) - 1
        most = max(one.masses) * max(other.masses) * min(len(one.masses), len(other.masses))
        width = len(str(most)) + 1
        factors = [Decimal("".join(str(mass).zfill(width) for mass in each.masses)) for each in (one, other)]
        with localcontext(prec=min(MAX_PREC, 2 * width * size + 10), Emax=MAX_EMAX):
            product = format(factors[0] * factors[1], "f").zfill(width * size)
        found = [self.rounded(int(product[at : at + width]), self.unit) for at in range(0, width * size, width)]
        lost = one.lost * (sum(other.masses) + other.lost) + other.lost * sum(one.masses)
        return self._trimmed(Masses(one.first + other.first, found, self.rounded(lost, self.unit)))

    def _trimmed(self, given: Masses) -> Masses:
        """Without the ends: the low one moves up and the high one to infinity, or both are left out."""
        low, high, below, above = 0, len(given.masses), 0, 0
        while low < high - 1 and below + given.masses[low] <= self.cut:
            below, low = below + given.masses[low], low + 1
        while high > low + 1 and above + given.masses[high - 1] <= self.cut:
            above, high = above + given.masses[high - 1], high - 1
        kept = given.masses[low:high]
        if self.up:
            kept[0] += below
        return Masses(given.first + low, kept, given.lost + above if self.up else 0)

    def power(self, given: Masses, exponent: int) -> Masses:
        """The sum of so many independent losses."""
        found = None
        while True:
            if exponent & 1:
                found = given if found is None else self.times(found, given)
            exponent >>= 1
            if not exponent:
                assert found is not None
                return found
            given = self.times(given, given)

    def delta(self, given: Masses, epsilon: Fraction) -> Fraction:
        """The sum of mass * max(0, 1 - e**(epsilon - loss)), and what was moved to infinity."""
        start = max(math.floor(epsilon / self.h) + 1, given.first)
        low, high = exp_bounds(start * self.h - epsilon)
        factor = ONE * ONE // high if self.up else -(-ONE * ONE // low)
        decay = ONE * ONE // self.step[1] if self.up else -(-ONE * ONE // self.step[0])
        total = 0
        for mass in given.masses[start - given.first :]:
            total += mass * (ONE - factor)
            factor = factor * decay >> SCALE if self.up else -(-factor * decay >> SCALE)
        return Fraction(max(total, 0), ONE * self.unit) + Fraction(given.lost, self.unit)

    def values(self, given: Masses, count: int) -> list[int]:
        """The same at the knots 0, 1, ..., count - 1, times ONE and the unit."""
        decay = ONE * ONE // self.step[1]
        end = given.first + len(given.masses)
        above, discounted, found = 0, 0, [given.lost * ONE] * count
        for j in range(end - 1, -1, -1):
            if j < count:
                found[j] += above * ONE - discounted
            mass = given.masses[j - given.first] if j >= given.first else 0
            above, discounted = above + mass, (discounted + mass * ONE) * decay >> SCALE
        return found


def upper_bound(table: Table, epsilon: Fraction, touches: int, rows: int, lattice: Lattice) -> Fraction:
    """An upper bound of delta of `touches` families of disjoint cells that hold up to `rows` rows of one person."""
    pairs = {}
    for distance in range(1, rows + 1):
        low, high = lattice.knots(table.largest(distance))
        lines = table.lines(distance)
        if len(low) * len(lines) > MOST_WORK:
            raise UndecidedError
        values = [max((line.at(a) for line in lines), default=0) for a in low]
        pairs[distance] = lattice.dominating(values, 1 << (SCALE + table.bits), low, high)
    chances = {distance: table.infinite(distance) for distance in pairs}
    if rows == 1:
        return any_of([chances[1]], touches) + lattice.delta(lattice.power(pairs[1], touches), epsilon)
    made: dict[tuple[int, ...], Masses] = {(distance,): pair for distance, pair in pairs.items()}
    for split in partitions(rows, rows):
        for size in range(2, len(split) + 1):
            if split[:size] not in made:
                made[split[:size]] = lattice.times(made[split[: size - 1]], pairs[split[size - 1]])
    splits = list(partitions(rows, rows))
    count = 2 + max(made[split].first + len(made[split].masses) for split in splits)
    low, high = lattice.knots(Fraction(exp_bounds(count * lattice.h)[1], ONE))
    unit = ONE * lattice.unit
    every = []
    for split in splits:
        infinite = math.ceil(any_of([chances[part] for part in split]) * unit)
        every.append([value + infinite for value in lattice.values(made[split], len(low))])
    worst = [max(column) for column in zip(*every, strict=True)]
    family = lattice.dominating(worst, unit, low, high)
    beyond = min(Fraction(worst[-1], unit), Fraction(1))
    return any_of([beyond], touches) + lattice.delta(lattice.power(family, touches), epsilon)


def lower_bound(line: Line, bits: int, epsilon: Fraction, cells: int, lattice: Lattice) -> Fraction:
    """A lower bound of delta of so many cells that all have one pair of counts."""
    finite = [(p, q) for p, q in zip(line.p, line.q, strict=True) if q]
    reach = max((max(Fraction(p, q), Fraction(q, p)) for p, q in finite), default=Fraction(1))
    low, high = lattice.knots(reach * 2)

    def places(shift: Fraction) -> list[int]:
        raised = exp_bounds(shift)[0]
        found = []
        for p, q in finite:
            if p * raised >= q * ONE:
                found.append(bisect_right(high, p * raised // q) - 1)
            else:
                found.append(-bisect_right(low, -(-q * ONE * ONE // (p * raised)) - 1))
        return found

    best = min(
        (lattice.h / part for part in (1, 4, 16, 256, 4096)),
        key=lambda shift: (
            float(shift)
            - sum(p * float(lattice.h) * j for (p, _), j in zip(finite, places(shift), strict=True)) / (1 << bits)
        ),
    )
    at = places(best)
    masses = [0] * (max(at, default=0) - min(at, default=0) + 1)
    for (p, _), j in zip(finite, at, strict=True):
        masses[j - min(at)] += p * lattice.unit >> bits
    composed = lattice.power(Masses(min(at, default=0), masses, 0), cells)
    never = any_of([Fraction(line.infinite, 1 << bits)], cells) if cells <= EXACT_POWERS else Fraction(0)
    return never + lattice.delta(composed, epsilon + cells * best)


class Judged(NamedTuple):
    """proved, fails or not shown, and bounds of the true delta."""

    word: str
    lower: Fraction
    upper: Fraction


def judge(
    table: Table, stated: Fraction, epsilon: Fraction, *, touches: int, rows: int = 1, alone: int | None = None
) -> Judged:
    """Whether delta at epsilon is at most `stated`, by bounds that are refined until they tell.

    Parameters
    ----------
    touches
        Families of disjoint cells that hold one person's rows; with one row a person, the cells that hold it.
    rows
        Most rows of one person.
    alone
        Cells that hold one combination of leaves; `touches` unless given.
    """
    cells = touches if alone is None else alone
    low, high = (Fraction(bound, ONE) for bound in exp_bounds(epsilon))
    distances = range(1, rows + 1)
    lower = max(table.delta(high, distance) for distance in distances)
    if cells <= EXACT_POWERS:
        lower = max(lower, *(any_of([table.infinite(distance)], cells) for distance in distances))
    upper = Fraction(1)
    splits = list(partitions(rows, rows))
    if touches <= EXACT_POWERS:
        farthest = max(math.prod(table.largest(part) for part in split) for split in splits)
        if farthest**touches <= low:
            upper = any_of([max(any_of([table.infinite(part) for part in split]) for split in splits)], touches)
    if rows == 1:
        shared = Fraction(exp_bounds(epsilon / touches)[0], ONE)
        upper = min(upper, any_of([table.delta(shared, 1)], touches))
    for h in _steps(table, touches, rows):
        if stated >= upper or stated < lower:
            break
        digits = 30 + max(0, -math.floor(math.log10(stated))) if stated else 60
        cut = int(stated * 10**digits) // 10**13
        try:
            upper = min(upper, upper_bound(table, epsilon, touches, rows, Lattice(h, digits, cut, True)))
            if stated < upper:
                for line in _worst(table, epsilon, cells, rows):
                    lower = max(lower, lower_bound(line, table.bits, epsilon, cells, Lattice(h, digits, cut, False)))
        except UndecidedError:
            break
    return Judged("proved" if stated >= upper else "fails" if stated < lower else "not shown", lower, upper)


def _worst(table: Table, epsilon: Fraction, cells: int, rows: int) -> set[Line]:
    """Pairs of counts that may be the worst to be composed."""
    lines = [line for distance in range(1, rows + 1) for line in table.lines(distance)]
    shares = [exp_bounds(epsilon / cells)[0], exp_bounds(epsilon / (math.isqrt(cells) + 1))[0]]
    return {max(lines, key=lambda line: line.at(a)) for a in shares} if lines else set()


def _steps(table: Table, touches: int, rows: int) -> Iterator[Fraction]:
    """Ever finer steps of the lattice: parts of one that holds the losses where there is one. Any step is sound."""
    found = [
        (math.log(p / q), p)
        for distance in range(1, rows + 1)
        for line in table.lines(distance)
        for p, q in zip(line.p, line.q, strict=True)
        if q and p > q
    ]
    if not found:
        return
    most = max(mass for _, mass in found)
    deviation = math.sqrt(touches * rows * sum(2 * p * x * x for x, p in found) / sum(p for _, p in found))
    step = min(x for x, mass in found if mass > 1e-6 * most)
    counts = [max(1, round(x / step)) for x, _ in found]
    step = sum(p * c * x for (x, p), c in zip(found, counts, strict=True)) / sum(
        p * c * c for (_, p), c in zip(found, counts, strict=True)
    )
    off = sum(p * abs(x / step - round(x / step)) for x, p in found) * step * step
    if off > 1e-3 * sum(p * x * x for x, p in found):
        step = max(24 * deviation / 4096, max(x for x, _ in found) / MOST_KNOTS * 64)
    while 24 * deviation / step <= MOST_POINTS:
        yield Fraction(round(step * 2**60), 2**60)
        step /= 4

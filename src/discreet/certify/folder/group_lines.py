"""What many rows of one person reveal in a family of disjoint cells: an upper bound by group privacy, in integers.

One row more or less changes one cell by 1. So for the distributions P and Q of all cells before and after one row,

    P(S) <= a Q(S) + H_1(a)      for every set S of outputs and every a (H_1: see `weights`).

Call this the line (a, H_1(a)). If P is within (a, v) of Q, then Q is within (1/a, 1 - (1 - v)/a) of P, by the
complement of S. If P is within (a, v) of Q, and O within (b, w) of P, then O is within (a b, b v + w) of Q. So a line
for every row gives a line for all rows, whatever lines are taken and whichever cells the rows are in. Lines are chosen
where they are lowest for the chance of some event, from many starts, which decides how good the bound is, and not
whether it holds. Ratios and values are rounded up, and a line with a larger ratio or value holds as well. A line whose
ratio or value becomes too large is left out: with a smaller ratio it would be no line.

Between two lines the bound is linear in a, because the profile of any two distributions is convex in a.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from .weights import ONE, SCALE, Table

MOST_RATIOS = 1 << 13
"""Ratios of two chances at which lines of one row are taken."""

MOST_WORK = 1 << 22
"""Evaluations of a pair of counts at a ratio. Tables with many pairs get fewer lines."""

LONGEST_ORBIT = 1 << 12

LARGEST = 1 << (SCALE + 1000)
"""Lines with a ratio or a value of this size are left out."""


@dataclass(frozen=True)
class Profile:
    """Bounds `values` of delta at rising `ratios`, both times ONE. After the last ratio, delta is at most the last."""

    ratios: list[int]
    values: list[int]

    @property
    def largest(self) -> Fraction:
        """The last ratio."""
        return Fraction(self.ratios[-1], ONE)

    @property
    def floor(self) -> Fraction:
        """A bound of delta at any epsilon."""
        return Fraction(self.values[-1], ONE)

    def at(self, a: int) -> int:
        """Return a bound of delta at the ratio a / ONE, times ONE."""
        right = bisect_right(self.ratios, a)
        if right == len(self.ratios):
            return self.values[-1]
        low, high = self.ratios[right - 1], self.ratios[right]
        fall = self.values[right - 1] - self.values[right]
        return self.values[right - 1] - fall * (a - low) // (high - low)


@dataclass(frozen=True)
class _Lines:
    """Lines (ratio, value), both times ONE, each taken at a start, which is a chance times ONE. Starts rise."""

    starts: list[int]
    ratios: list[int]
    values: list[int]

    def lowest(self, chance: int) -> int:
        """Return the index of a line that is low at a chance: of the two with starts beside it, the lower one."""
        right = min(max(bisect_left(self.starts, chance), 1), len(self.starts) - 1)
        left = right - 1
        heights = [(self.ratios[i] * chance >> SCALE) + self.values[i] for i in (left, right)]
        return left if heights[0] < heights[1] else right

    def then(self, other: "_Lines") -> "_Lines":
        """Return lines of the rows of both."""
        starts, ratios, values = [], [], []
        for start, a, v in zip(self.starts, self.ratios, self.values, strict=True):
            index = other.lowest(min((a * start >> SCALE) + v, ONE))
            b, w = other.ratios[index], other.values[index]
            ratio, value = -(-a * b >> SCALE), -(-b * v >> SCALE) + w
            if ratio < LARGEST and value < LARGEST:
                starts.append(start)
                ratios.append(ratio)
                values.append(value)
        return _Lines(starts, ratios, values) if starts else _Lines([0], [0], [ONE])  # no chance is above 1


@lru_cache(maxsize=4)
def group_profile(table: Table, rows: int) -> Profile:
    """Return bounds of delta for up to `rows` rows of one person in a family of disjoint cells."""
    lines = _one_row(table, min(rows, LONGEST_ORBIT))
    result = None
    while True:
        if rows & 1:
            result = lines if result is None else result.then(lines)
        rows >>= 1
        if not rows:
            break
        lines = lines.then(lines)
    assert result is not None
    ratios, values = [0], [ONE]  # no event has a chance above 1
    for ratio, value in sorted(zip(result.ratios, result.values, strict=True)):
        if ratio > ratios[-1]:
            ratios.append(ratio)
            values.append(min(value, values[-1]))
    return Profile(ratios, values)


def _one_row(table: Table, rows: int) -> _Lines:
    pairs = table.pairs(1)
    exact_ratios = {-(-(p << SCALE) // q) for pair in pairs for p, q in zip(pair.p, pair.q, strict=True) if p > q > 0}
    ratios = _thinned(
        sorted(exact_ratios | {ONE}, reverse=True), max(2, min(MOST_RATIOS, MOST_WORK // (len(pairs) + 1)))
    )
    values = [-(-max((pair.at(a) for pair in pairs), default=0) >> table.bits) for a in ratios]
    for a, v in [*zip(ratios, values, strict=True)][-2::-1]:
        ratios.append(-(-ONE * ONE // a))
        values.append(-(-(v + a - ONE) * ONE // a))
    crossings = _crossings(ratios, values)
    middle = max(ratios.index(ONE) - 1, 0)
    corner = [*crossings, ONE][middle]
    chance = min((corner + (ratios[middle] * corner >> SCALE) + values[middle]) // 2, ONE)
    orbit = {chance, ONE - chance}
    for _ in range(rows):
        index = min(bisect_right(crossings, chance), len(ratios) - 1)
        chance = min((ratios[index] * chance >> SCALE) + values[index], ONE)
        orbit |= {chance, ONE - chance}
    starts = sorted(_starts(crossings) | orbit)
    chosen = [min(bisect_right(crossings, start), len(ratios) - 1) for start in starts]
    return _Lines(starts, [ratios[index] for index in chosen], [values[index] for index in chosen])


def _thinned(ratios: list[int], most: int) -> list[int]:
    """Return at most so many of the ratios, the first and the last among them."""
    if len(ratios) <= most:
        return ratios
    return [ratios[index * (len(ratios) - 1) // (most - 1)] for index in range(most)]


def _crossings(ratios: Sequence[int], values: Sequence[int]) -> list[int]:
    """Return the chance at which each line meets the next, made to rise."""
    crossings, last = [], 0
    for index in range(len(ratios) - 1):
        gap = ratios[index] - ratios[index + 1]
        if gap:
            last = min(max(last, (values[index + 1] - values[index]) * ONE // gap), ONE)
        crossings.append(last)
    return crossings


def _starts(crossings: Sequence[int]) -> set[int]:
    """Return chances at which lines are taken: 0, 1, one where each line is lowest, and a grid."""
    starts = {(low + high) // 2 for low, high in zip([0, *crossings], [*crossings, ONE], strict=True)}
    chance = ONE // 2
    while chance > ONE >> 100:
        starts |= {chance, ONE - chance}
        chance -= chance >> 5
    return starts | {0, ONE}

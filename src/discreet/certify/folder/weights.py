"""What a table of integers reveals about one count, exactly.

For true counts that differ by d, with weights p and q over 2**bits,

    H_d(a) = max over such pairs, in both directions, of sum_y max(0, p(y) - a q(y)) / 2**bits,      a = e**epsilon,

is exact for rational a. Counts are clamped at the upper end of the table after the d rows are added.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

SCALE = 192
ONE = 1 << SCALE
"""The unit of numbers with a fixed point."""


class Row(NamedTuple):
    """Weights of the outputs first, first + 1, ...; in the interior, of the noise."""

    first: int
    weights: tuple[int, ...]


@dataclass(frozen=True)
class DirectedPair:
    """The weights p and q of two counts, in one direction: outputs with p > 0, sorted by falling p/q."""

    p: tuple[int, ...]
    q: tuple[int, ...]

    @cached_property
    def heights(self) -> list[int]:
        """-floor(p/q * ONE), rising; below -ONE**2 if q is 0."""
        return [-(ONE * ONE << 64) if q == 0 else -((p << SCALE) // q) for p, q in zip(self.p, self.q, strict=True)]

    @cached_property
    def sums(self) -> list[tuple[int, int]]:
        """Sums of p and of q over the first 0, 1, 2, ... outputs."""
        sums = [(0, 0)]
        for p, q in zip(self.p, self.q, strict=True):
            sums.append((sums[-1][0] + p, sums[-1][1] + q))
        return sums

    def at(self, a: int) -> int:
        """Return the sum of max(0, p - q a / ONE), times ONE, exactly."""
        p, q = self.sums[bisect_right(self.heights, -a)]
        return (p << SCALE) - a * q

    def exactly(self, a: Fraction) -> Fraction:
        """Return the sum of max(0, p - a q) for a rational a."""
        k = bisect_right(self.heights, -(a.numerator * ONE // a.denominator + 1))
        while k < len(self.p) and self.p[k] * a.denominator >= a.numerator * self.q[k]:
            k += 1
        return self.sums[k][0] - a * self.sums[k][1]

    @property
    def infinite(self) -> int:
        """The weight of p on outputs that q never has."""
        return sum(p for p, q in zip(self.p, self.q, strict=True) if q == 0)

    @property
    def largest(self) -> Fraction:
        """The largest finite p/q."""
        return max((Fraction(p, q) for p, q in zip(self.p, self.q, strict=True) if q), default=Fraction(1))


@dataclass(frozen=True)
class Table:
    """The rows of counts 0, 1, ..., then the interior, repeated. `upper` is the last count; None: no end."""

    bits: int
    upper: int | None
    neighbours: int
    rows: tuple[Row, ...]
    interior: tuple[Row, ...]

    def row(self, count: int) -> Row:
        """Return the row of one count, as outputs."""
        if count < len(self.rows):
            return self.rows[count]
        noise = self.interior[(count - len(self.rows)) % len(self.interior)]
        return Row(count + noise.first, noise.weights)

    @lru_cache(maxsize=32)  # noqa: B019 - a checker has one table
    def pairs(self, distance: int) -> tuple[DirectedPair, ...]:
        """Return all pairs of counts that differ by `distance` before clamping, in both directions, each once."""
        pairs = {}
        for p, q in self._weights(distance):
            for direction in ((p, q), (q, p)):
                pair = _directed(*direction)
                pairs[pair.p, pair.q] = pair
        return tuple(pairs.values())

    def pairs_in(self, distance: int, *, added: bool) -> list[DirectedPair]:
        """Return the pairs of one direction: rows were added to the count, or removed from it."""
        return [_directed(q, p) if added else _directed(p, q) for p, q in self._weights(distance)]

    def _weights(self, distance: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Yield the weights of counts and of the counts that are larger by `distance`, before clamping."""
        counts = set(range(len(self.rows) + len(self.interior)))
        if self.upper is not None:
            counts = {c for c in counts | set(range(self.upper - distance, self.upper)) if 0 <= c < self.upper}
        for count in sorted(counts):
            neighbour = count + distance if self.upper is None else min(count + distance, self.upper)
            yield _on_the_same_outputs(self.row(count), self.row(neighbour))

    def delta(self, a: Fraction, distance: int) -> Fraction:
        """Return H_d(a) for d = distance."""
        return max((pair.exactly(a) for pair in self.pairs(distance)), default=Fraction(0)) / (1 << self.bits)

    def infinite(self, distance: int) -> Fraction:
        """Return the limit of H_d for large a: the chance of an output that only one of two counts can have."""
        return Fraction(max((pair.infinite for pair in self.pairs(distance)), default=0), 1 << self.bits)

    def largest(self, distance: int) -> Fraction:
        """Return the largest finite ratio of two chances."""
        return max((pair.largest for pair in self.pairs(distance)), default=Fraction(1))


def _directed(p: tuple[int, ...], q: tuple[int, ...]) -> DirectedPair:
    kept = [(a, b) for a, b in zip(p, q, strict=True) if a]
    kept.sort(key=lambda ab: -(ab[0] << SCALE) // ab[1] if ab[1] else -(ONE * ONE))
    return DirectedPair(tuple(a for a, _ in kept), tuple(b for _, b in kept))


def _on_the_same_outputs(row: Row, other: Row) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the weights of both rows on all outputs that either has."""
    first = min(row.first, other.first)
    end = max(row.first + len(row.weights), other.first + len(other.weights))
    p, q = (
        (0,) * (side.first - first) + side.weights + (0,) * (end - side.first - len(side.weights))
        for side in (row, other)
    )
    return p, q


def exp_bounds(x: Fraction, scale: int = SCALE) -> tuple[int, int]:
    """Return integers below and above e**x * 2**scale, for x >= 0, by partial sums of the Taylor series.

    The slack of the upper bound covers the terms that are left out and the rounding of every term.
    """
    working = scale + 64 + math.ceil(3 * x)
    term = total = 1 << working
    k = 0
    while term or k <= 2 * x:
        k += 1
        term = term * x.numerator // (x.denominator * k)
        total += term
    slack = (k + 4) << (math.ceil(1.5 * x) + 2)
    drop = working - scale
    return total >> drop, -(-(total + slack) >> drop)

"""Distributions of privacy losses on a lattice, composed in integers.

A distribution has its mass on the losses j h. The sum of two independent losses is a product of polynomials, which are
multiplied exactly: as decimal numbers with the coefficients as groups of digits.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from .weights import ONE, SCALE, exp_bounds

FINE = 256
"""Bits of a slope or a mass before it is rounded to the unit of the lattice."""

MOST_KNOTS = 60_000


class UndecidedError(Exception):
    """A lattice is too fine to compute a bound on it."""


class Masses(NamedTuple):
    """Masses in units of 10**-digits at the losses first, first + 1, ... (times h), and the mass moved to infinity."""

    first: int
    masses: list[int]
    lost: int


@dataclass(frozen=True)
class Lattice:
    """Losses j h and masses on them.

    Attributes
    ----------
    h
        The step between losses.
    digits
        Decimal digits of a mass.
    cut
        Mass at each end, in units, that a product may move or leave out.
    up
        If True, masses are rounded up and bounds are upper bounds; else masses are rounded down.
    """

    h: Fraction
    digits: int
    cut: int
    up: bool

    @cached_property
    def unit(self) -> int:
        """The integer that stands for a mass of 1."""
        return int(10**self.digits)

    @cached_property
    def step(self) -> tuple[int, int]:
        """Lower and upper bound of e**h."""
        return exp_bounds(self.h)

    def rounded(self, number: int, divisor: int) -> int:
        """Return a quotient, rounded to the safe side."""
        return -(-number // divisor) if self.up else number // divisor

    def knots(self, largest: Fraction) -> tuple[list[int], list[int]]:
        """Return lower and upper bounds of e**(j h) for j = 0, 1, ... up to the first that reaches `largest`."""
        low, high, end = [ONE], [ONE], math.ceil(largest * ONE)
        while low[-1] < end:
            low.append(low[-1] * self.step[0] >> SCALE)
            high.append(-(-high[-1] * self.step[1] >> SCALE))
            if len(low) > MOST_KNOTS:
                raise UndecidedError
        return low, high

    def dominating(self, values: Sequence[int], unit: int, low: Sequence[int], high: Sequence[int]) -> Masses:
        """Return the masses of the pair whose profile is values[j] / unit at knot j, linear in a between the knots.

        After the last knot the profile is constant. Below a = 1 the profile is its own mirror image, and the rest of a
        mass of 1 lies at loss 0. Rounding may leave a negative rest. Then loss 0 gets no mass, and the masses sum to
        1 + x: they dominate the table with a further output of chance x for every count, which reveals nothing.
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

    def times(self, left: Masses, right: Masses) -> Masses:
        """Return the masses of the sum of two independent losses."""
        size = len(left.masses) + len(right.masses) - 1
        most = max(left.masses) * max(right.masses) * min(len(left.masses), len(right.masses))
        width = len(str(most)) + 1
        factors = [Decimal("".join(str(mass).zfill(width) for mass in factor.masses)) for factor in (left, right)]
        with localcontext(prec=min(MAX_PREC, 2 * width * size + 10), Emax=MAX_EMAX):
            product = format(factors[0] * factors[1], "f").zfill(width * size)
        digits = (product[start : start + width] for start in range(0, width * size, width))
        masses = [self.rounded(int(mass), self.unit) for mass in digits]
        lost = left.lost * (sum(right.masses) + right.lost) + right.lost * sum(left.masses)
        return self._trimmed(Masses(left.first + right.first, masses, self.rounded(lost, self.unit)))

    def _trimmed(self, distribution: Masses) -> Masses:
        """Cut the ends: an upper bound moves the low end up and the high end to infinity, a lower bound drops both."""
        masses = distribution.masses
        low, high, below, above = 0, len(masses), 0, 0
        while low < high - 1 and below + masses[low] <= self.cut:
            below, low = below + masses[low], low + 1
        while high > low + 1 and above + masses[high - 1] <= self.cut:
            above, high = above + masses[high - 1], high - 1
        kept = masses[low:high]
        if self.up:
            kept[0] += below
        return Masses(distribution.first + low, kept, distribution.lost + above if self.up else 0)

    def power(self, distribution: Masses, exponent: int) -> Masses:
        """Return the masses of the sum of `exponent` independent losses."""
        result = None
        while True:
            if exponent & 1:
                result = distribution if result is None else self.times(result, distribution)
            exponent >>= 1
            if not exponent:
                assert result is not None
                return result
            distribution = self.times(distribution, distribution)

    def delta(self, distribution: Masses, epsilon: Fraction) -> Fraction:
        """Return the sum of mass * max(0, 1 - e**(epsilon - loss)), plus the mass that was moved to infinity."""
        start = max(math.floor(epsilon / self.h) + 1, distribution.first)
        low, high = exp_bounds(start * self.h - epsilon)
        factor = ONE * ONE // high if self.up else -(-ONE * ONE // low)
        decay = ONE * ONE // self.step[1] if self.up else -(-ONE * ONE // self.step[0])
        total = 0
        for mass in distribution.masses[start - distribution.first :]:
            total += mass * (ONE - factor)
            factor = factor * decay >> SCALE if self.up else -(-factor * decay >> SCALE)
        return Fraction(max(total, 0), ONE * self.unit) + Fraction(distribution.lost, self.unit)

    def values(self, distribution: Masses, count: int) -> list[int]:
        """Return delta at the knots 0, 1, ..., count - 1, times ONE and the unit."""
        decay = ONE * ONE // self.step[1]
        end = distribution.first + len(distribution.masses)
        above, discounted, values = 0, 0, [distribution.lost * ONE] * count
        for j in range(end - 1, -1, -1):
            if j < count:
                values[j] += above * ONE - discounted
            mass = distribution.masses[j - distribution.first] if j >= distribution.first else 0
            above, discounted = above + mass, (discounted + mass * ONE) * decay >> SCALE
        return values

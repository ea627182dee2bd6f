"""The probability of a measurement for every true count: the certified integers, read the other way.

The table is one matrix of weights W[row, z], where z is measurement minus count. The matrix has one row for each small
count, and one for each position in the period of the interior. The counts that can give the measurement y are y - z, so

    Pr[y | count] = W[row of the count, y - count] / 2**bits.

A count outside the domain is measured like the nearest count inside, so both have the same likelihood.
"""

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Indices, Integers
from discreet.certify.table import Table
from discreet.domain import LARGEST, Counts


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The weights of a table of counts, by row and by noise.

    Attributes
    ----------
    table
        The certified table.
    lower, upper
        The ends of the domain; `upper` is LARGEST if the domain has no end.
    least
        The smallest noise. Column z of `weights` belongs to the noise `least` + z.
    weights
        Integer weights, one row for each small count and for each position in the interior's period.
    """

    table: Table
    lower: int
    upper: int
    least: int
    weights: Integers

    @classmethod
    def of(cls, table: Table) -> "Likelihood":
        """Return the likelihood of a certified table of counts."""
        domain = table.domain
        assert isinstance(domain, Counts)
        small_firsts = [row.first - count for count, row in enumerate(table.rows, domain.lower)]
        firsts = small_firsts + [row.first for row in table.interior]
        rows = [row.weights for row in table.rows + table.interior]
        least = min(firsts)
        width = max(first + len(row) for first, row in zip(firsts, rows, strict=True)) - least
        weights = np.zeros((len(rows), width), dtype=np.int64)
        for index, (first, row) in enumerate(zip(firsts, rows, strict=True)):
            weights[index, first - least : first - least + len(row)] = row
        return cls(table, domain.lower, LARGEST if domain.upper is None else domain.upper, least, weights)

    @property
    def width(self) -> int:
        """Number of values that the noise may have, from the smallest to the largest."""
        return int(self.weights.shape[1])

    @property
    def most(self) -> int:
        """The largest noise."""
        return self.least + self.width - 1

    def at(self, observed: Integers, counts: Integers) -> Integers:
        """Return the weight of measurements under counts, both broadcast. The weight is 0 for counts below 0."""
        clamped = np.clip(counts, self.lower, self.upper)
        column = observed - clamped - self.least
        possible = (column >= 0) & (column < self.width) & (counts >= 0)
        weights = self.weights[self.rows(clamped), np.where(possible, column, 0)]
        return np.where(possible, weights, 0)

    def rows(self, counts: Integers) -> Indices:
        """Return the row of each count of the domain."""
        small, period = len(self.table.rows), len(self.table.interior)
        offset = counts - self.lower
        if period == 0:
            return offset
        return np.where(offset < small, offset, small + (offset - small) % period)

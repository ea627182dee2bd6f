"""How likely a measurement is from every true count: the certified integers, read the other way.

A table is one matrix of weights W[row, z], z being measurement minus count, with a row for each small count and for
each place in the interior's period. The counts that can have given the measurement y are y - z, so

    Pr[y | count] = W[row of the count, y - count] / 2**bits.

A count outside the domain is measured as the nearest count in it, and is as likely as that one.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.certify.table import Table
from discreet.domain import LARGEST, Counts


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The weights of a table of counts by row and by noise, from the noise `least` on."""

    table: Table
    lower: int
    upper: int
    least: int
    weights: Integers

    @classmethod
    def of(cls, table: Table) -> "Likelihood":
        """That of a certified table of counts."""
        domain = table.domain
        assert isinstance(domain, Counts)
        own = [row.first - (domain.lower + place) for place, row in enumerate(table.rows)]
        firsts = own + [row.first for row in table.interior]
        rows = [row.weights for row in table.rows + table.interior]
        least = min(firsts)
        width = max(first + len(row) for first, row in zip(firsts, rows, strict=True)) - least
        weights = np.zeros((len(rows), width), dtype=np.int64)
        for place, (first, row) in enumerate(zip(firsts, rows, strict=True)):
            weights[place, first - least : first - least + len(row)] = row
        return cls(table, domain.lower, LARGEST if domain.upper is None else domain.upper, least, weights)

    @property
    def width(self) -> int:
        """How many differences between measurement and count there are."""
        return int(self.weights.shape[1])

    @property
    def most(self) -> int:
        """The largest difference between measurement and count."""
        return self.least + self.width - 1

    def at(self, observed: Integers, counts: Integers) -> Integers:
        """The weight of measurements under counts of 0 or more, in the shape that both have together."""
        inside = np.clip(counts, self.lower, self.upper)
        noise = observed - inside - self.least
        there = (noise >= 0) & (noise < self.width) & (counts >= 0)
        found = self.weights[self.rows(inside), np.where(there, noise, 0)]
        return np.where(there, found, 0)

    def rows(self, inside: Integers) -> npt.NDArray[np.intp]:
        """The row of every count of the domain."""
        small, period = len(self.table.rows), len(self.table.interior)
        place = inside - self.lower
        if period == 0:
            return place
        return np.where(place < small, place, small + (place - small) % period)

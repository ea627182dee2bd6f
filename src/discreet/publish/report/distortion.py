"""What noise does to a count of a given size, from the integers of a perturbation table.

Of a true count n, with M its measurement and max(M, 0) what is published:

    truth       Pr[max(M, 0) = n]
    deviation   the standard deviation of M
    within      the least w with Pr[|M - n| <= w] >= 95%
    lean        the mean of max(M, 0) - n, which is above 0 for small counts, as nothing below 0 is published

All but the square root of `deviation` are sums of integers.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.certify.table import Table
from discreet.domain import Counts

SIZES = (0, 5, 10, 50, 100, 1000)

LEVEL = Fraction(95, 100)


@dataclass(frozen=True)
class Distortion:
    """The error of one true count."""

    count: int
    truth: Fraction
    deviation: float
    within: int
    coverage: Fraction
    lean: Fraction


def sizes(table: Table) -> list[int]:
    """The counts that are shown: those of SIZES in the domain, and its upper end where that is near."""
    assert isinstance(table.domain, Counts)
    upper = table.domain.upper
    if upper is None or upper >= SIZES[-1]:
        return list(SIZES)
    return sorted({size for size in SIZES if size <= upper} | {upper})


def noise(table: Table, count: int) -> list[tuple[int, int]]:
    """What is added to one count and its weight, without zeros."""
    row = table.row(count)
    return [(output - count, weight) for output, weight in enumerate(row.weights, row.first) if weight]


def distortion(table: Table, count: int) -> Distortion:
    """The error of one true count of the domain."""
    law, total = noise(table, count), table.total
    mean = Fraction(sum(z * w for z, w in law), total)
    square = Fraction(sum(z * z * w for z, w in law), total)
    within = covered = 0
    by_size: dict[int, int] = {}
    for z, w in law:
        by_size[abs(z)] = by_size.get(abs(z), 0) + w
    for size in sorted(by_size):
        within, covered = size, covered + by_size[size]
        if covered >= LEVEL * total:
            break
    return Distortion(
        count,
        Fraction(sum(w for z, w in law if max(count + z, 0) == count), total),
        math.sqrt(square - mean * mean),
        within,
        Fraction(covered, total),
        Fraction(sum((max(count + z, 0) - count) * w for z, w in law), total),
    )

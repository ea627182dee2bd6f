"""The error of a count of a given size, computed from the integers of a perturbation table.

Let n be a true count, M its measurement, and max(M, 0) the published count:

    truth       Pr[max(M, 0) = n]
    deviation   the standard deviation of M
    within      the least w with Pr[|M - n| <= w] >= 95%
    coverage    Pr[|M - n| <= within]
    lean        the mean of max(M, 0) - n, which is above 0 for small counts, because no published count is below 0

All of these are sums of integers, except for the square root in `deviation`.
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
    """The error of one true count. The docstring of the module defines the attributes."""

    count: int
    truth: Fraction
    deviation: float
    within: int
    coverage: Fraction
    lean: Fraction


def sizes(table: Table) -> list[int]:
    """Return the counts whose errors are shown: SIZES within the domain, and the upper end of a small domain."""
    assert isinstance(table.domain, Counts)
    upper = table.domain.upper
    if upper is None or upper >= SIZES[-1]:
        return list(SIZES)
    return sorted({size for size in SIZES if size <= upper} | {upper})


def noise(table: Table, count: int) -> list[tuple[int, int]]:
    """Return the noise of a count: pairs of a difference and its weight, without weights of 0."""
    row = table.row(count)
    return [(output - count, weight) for output, weight in enumerate(row.weights, row.first) if weight]


def distortion(table: Table, count: int) -> Distortion:
    """Return the error of one true count of the domain."""
    weights, total = noise(table, count), table.total
    mean = Fraction(sum(z * w for z, w in weights), total)
    square = Fraction(sum(z * z * w for z, w in weights), total)
    within = covered = 0
    by_size: dict[int, int] = {}
    for z, w in weights:
        by_size[abs(z)] = by_size.get(abs(z), 0) + w
    for size in sorted(by_size):
        within, covered = size, covered + by_size[size]
        if covered >= LEVEL * total:
            break
    return Distortion(
        count,
        Fraction(sum(w for z, w in weights if max(count + z, 0) == count), total),
        math.sqrt(square - mean * mean),
        within,
        Fraction(covered, total),
        Fraction(sum((max(count + z, 0) - count) * w for z, w in weights), total),
    )

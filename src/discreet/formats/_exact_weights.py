"""A mechanism as integers over one denominator, whatever it is: what formats compare, measure and write.

Tools write probabilities as numbers of keys or as decimals, certificates as integers over 2**bits. Here all rows
share the least common denominator, so that nothing rounds.
"""

import math

from discreet.certify.ptable import PTable
from discreet.certify.table import IntegerRow, Table
from discreet.certify.verify import BITS
from discreet.domain import Counts
from discreet.errors import FormatError
from discreet.mechanism import Mechanism, Row


def integers(given: Mechanism | PTable) -> tuple[Table, int]:
    """A table whose weights are over the second value, not over 2**bits.

    Raises
    ------
    FormatError
        The mechanism holds floats.
    """
    if not isinstance(given, (Mechanism, PTable)):
        raise FormatError(f"the table is {given!r:.60}; give a mechanism or a perturbation table")
    mechanism = Mechanism.from_table(given.table) if isinstance(given, PTable) else given
    every = mechanism.rows + mechanism.interior
    if any(row.numerators is None for row in every):
        raise FormatError(
            "the mechanism's probabilities are floats; certify it first, and write the perturbation table"
        )
    denominator = math.lcm(*(row.denominator for row in every))
    whole = [_row(row, denominator) for row in every]
    small = len(mechanism.rows)
    return (
        Table(0, mechanism.domain, mechanism.neighbours, tuple(whole[:small]), tuple(whole[small:])),
        denominator,
    )


def same(one: Mechanism | PTable, other: Mechanism | PTable) -> bool:
    """Whether every count has exactly the same probabilities in both."""
    (a, over), (b, under) = integers(one), integers(other)
    if a.domain != b.domain:
        return False
    if not isinstance(a.domain, Counts):
        return _over(a.interior[0], under) == _over(b.interior[0], over)
    last = max(a.start, b.start) + math.lcm(*(len(part) for part in (a.interior, b.interior) if part))
    counts = range(a.domain.lower, last if a.domain.upper is None else min(last, a.domain.upper + 1))
    return all(_over(a.row(count), under) == _over(b.row(count), over) for count in counts)


def exact_bits(given: Mechanism | PTable, otherwise: int = 32) -> int:
    """The bits of a certificate that holds the law exactly, where there are such; else `otherwise`."""
    _, denominator = integers(given)
    bits = max(denominator.bit_length() - 1, BITS[0])
    return bits if bits in BITS and (1 << bits) % denominator == 0 else otherwise


def trimmed(row: IntegerRow) -> IntegerRow:
    """The row without zeros at its ends."""
    there = [place for place, weight in enumerate(row.weights) if weight]
    return IntegerRow(row.first + there[0], row.weights[there[0] : there[-1] + 1])


def gathered(weights: dict[int, int], total: int) -> Row:
    """A row from the weights of its outputs."""
    first, last = min(weights), max(weights)
    return Row.exact(first, [weights.get(output, 0) for output in range(first, last + 1)], total)


def _over(row: IntegerRow, factor: int) -> IntegerRow:
    return trimmed(IntegerRow(row.first, tuple(weight * factor for weight in row.weights)))


def _row(row: Row, denominator: int) -> IntegerRow:
    factor = denominator // row.denominator
    return IntegerRow(row.first, tuple(numerator * factor for numerator in row.numerators or ()))

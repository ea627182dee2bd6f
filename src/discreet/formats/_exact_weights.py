"""A mechanism as integer weights over one denominator, for exact comparison, measurement and writing.

Tools write probabilities as numbers of keys or as decimals, certificates as integers over 2**bits. Here all rows share
the least common denominator, so nothing is rounded.
"""

import math

from discreet.certify.ptable import PTable
from discreet.certify.table import IntegerRow, Table
from discreet.certify.verify import BITS
from discreet.domain import Counts
from discreet.errors import FormatError
from discreet.mechanism import Mechanism, Row


def exact_weights(table: Mechanism | PTable) -> tuple[Table, int]:
    """Return a table of integer weights, and the denominator of all weights, which need not be a power of two.

    Raises
    ------
    FormatError
        `table` is neither a mechanism nor a perturbation table, or its probabilities are floats.
    """
    if not isinstance(table, (Mechanism, PTable)):
        raise FormatError(f"the table is {table!r:.60}; give a mechanism or a perturbation table")
    mechanism = Mechanism.from_table(table.table) if isinstance(table, PTable) else table
    rows = mechanism.rows + mechanism.interior
    if any(row.numerators is None for row in rows):
        raise FormatError(
            "the mechanism's probabilities are floats; certify the mechanism first, and give the perturbation table"
        )
    denominator = math.lcm(*(row.denominator for row in rows))
    weights = [_integer_row(row, denominator) for row in rows]
    small = len(mechanism.rows)
    return (
        Table(0, mechanism.domain, mechanism.neighbours, tuple(weights[:small]), tuple(weights[small:])),
        denominator,
    )


def same(first: Mechanism | PTable, second: Mechanism | PTable) -> bool:
    """Return True if every count has exactly the same probabilities in both tables.

    Parameters
    ----------
    first, second : Mechanism or PTable
        Tables with exact probabilities.

    Returns
    -------
    bool
        True if the domains and all probabilities are equal.

    Raises
    ------
    FormatError
        A table is neither a mechanism nor a perturbation table, or its probabilities are floats.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> dc.formats.same(table, table), dc.formats.same(table, dc.design.geometric(epsilon=2).certify())
    (True, False)
    """
    (a, denominator_a), (b, denominator_b) = exact_weights(first), exact_weights(second)
    if a.domain != b.domain:
        return False
    if not isinstance(a.domain, Counts):
        return _scaled(a.interior[0], denominator_b) == _scaled(b.interior[0], denominator_a)
    last = max(a.start, b.start) + math.lcm(*(len(interior) for interior in (a.interior, b.interior) if interior))
    counts = range(a.domain.lower, last if a.domain.upper is None else min(last, a.domain.upper + 1))
    return all(_scaled(a.row(count), denominator_b) == _scaled(b.row(count), denominator_a) for count in counts)


def exact_bits(table: Mechanism | PTable, otherwise: int = 32) -> int:
    """Return the bits of a certificate that holds the probabilities exactly, or `otherwise` if there is none.

    Parameters
    ----------
    table : Mechanism or PTable
        A table with exact probabilities.
    otherwise
        The result if no number of bits holds the probabilities.

    Returns
    -------
    int
        The smallest number of bits that holds the probabilities, or `otherwise`.

    Raises
    ------
    FormatError
        `table` is neither a mechanism nor a perturbation table, or its probabilities are floats.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.formats.exact_bits(dc.design.geometric(epsilon=1).certify(bits=16))
    16
    """
    _, denominator = exact_weights(table)
    bits = max(denominator.bit_length() - 1, BITS[0])
    return bits if bits in BITS and (1 << bits) % denominator == 0 else otherwise


def trimmed(row: IntegerRow) -> IntegerRow:
    """Return the row without zeros at its ends."""
    positive = [index for index, weight in enumerate(row.weights) if weight]
    return IntegerRow(row.first + positive[0], row.weights[positive[0] : positive[-1] + 1])


def row_of(weight_by_output: dict[int, int], total: int) -> Row:
    """Return the row with these weights, whose sum is `total`."""
    first, last = min(weight_by_output), max(weight_by_output)
    return Row.exact(first, [weight_by_output.get(output, 0) for output in range(first, last + 1)], total)


def _scaled(row: IntegerRow, factor: int) -> IntegerRow:
    return trimmed(IntegerRow(row.first, tuple(weight * factor for weight in row.weights)))


def _integer_row(row: Row, denominator: int) -> IntegerRow:
    factor = denominator // row.denominator
    return IntegerRow(row.first, tuple(numerator * factor for numerator in row.numerators or ()))

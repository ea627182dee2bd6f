"""What a table promises, measured from its own numbers: never what its makers say of it.

delta is the hockey-stick sum over every pair of neighbouring counts in both directions, in integers, the pair (0, 1)
included: where empty cells are left alone, that pair usually decides. It is the delta of ONE count looked up by a
uniform key of its own. Tools that sum the keys of a cell's records give the same noise to the same people: there the
deltas of several cells do not compose (see docs/formats.md).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.certify import table as exactly
from discreet.certify.ptable import PTable
from discreet.certify.table import Table
from discreet.domain import Counts
from discreet.errors import FormatError
from discreet.exact import Epsilon, Number
from discreet.formats._exact_weights import integers
from discreet.mechanism import Mechanism

EPSILONS = ("0.1", "0.5", "1", "2", "5")


@dataclass(frozen=True)
class Delta:
    """delta at one epsilon, exactly, and the pair of counts that has it."""

    epsilon: Epsilon
    delta: Fraction
    where: str


@dataclass(frozen=True)
class Measurement:
    """What a table costs and gives.

    Attributes
    ----------
    deltas
        One for each epsilon.
    floor
        delta that no epsilon removes: the chance of an output that a neighbouring count never has.
    truth, bias, variance
        Least and greatest over the true counts.
    change
        The largest difference between an output and its count.
    """

    deltas: tuple[Delta, ...]
    floor: Fraction
    where: str
    truth: tuple[Fraction, Fraction]
    bias: tuple[Fraction, Fraction]
    variance: tuple[Fraction, Fraction]
    change: int


def measure(given: Mechanism | PTable, epsilons: Sequence[Number] = EPSILONS) -> Measurement:
    """The exact privacy and utility of a mechanism on counts whose probabilities are exact."""
    table, denominator = integers(given)
    if not isinstance(table.domain, Counts):
        raise FormatError(f"the table is on {table.domain}; give one on counts")
    if isinstance(epsilons, str) or not isinstance(epsilons, Iterable):
        raise FormatError(f"epsilons are {epsilons!r:.60}; give a list of numbers")
    deltas = []
    for epsilon in map(Epsilon.of, epsilons):
        excess, where = exactly.delta(table, epsilon.exp)
        deltas.append(Delta(epsilon, excess / denominator, where))
    lost, where = exactly.delta(table, Fraction(denominator + 1))  # above every ratio of two weights
    rows = [_row(table, count, denominator) for count in table.counts(0)]
    truth, bias, variance = (_ends([row[place] for row in rows]) for place in range(3))
    change = max(max(abs(z) for z, _ in _noise(table, count)) for count in table.counts(0))
    return Measurement(tuple(deltas), lost / denominator, where, truth, bias, variance, change)


def _ends(values: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    return min(values), max(values)


def _noise(table: Table, count: int) -> list[tuple[int, int]]:
    """Changes and weights of one count."""
    row = table.row(count)
    return [(y - count, w) for y, w in enumerate(row.weights, row.first) if w]


def _row(table: Table, count: int, denominator: int) -> tuple[Fraction, Fraction, Fraction]:
    """Chance of the truth, bias and variance of one count."""
    noise = _noise(table, count)
    truth, mean, square = (
        Fraction(sum(m * w for m, w in part), denominator)
        for part in ([(z == 0, w) for z, w in noise], noise, [(z * z, w) for z, w in noise])
    )
    return truth, mean, square - mean * mean

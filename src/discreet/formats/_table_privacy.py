"""The privacy of a table, computed from its own numbers, never from the claims of its makers.

delta is the hockey-stick sum over every pair of neighbouring counts in both directions, in integers. The pair (0, 1) is
included: it usually decides if empty cells are left alone. This is the delta of ONE count looked up by a uniform key of
its own. Tools that sum the keys of a cell's records give the same noise to the same people, and the deltas of several
cells then do not compose (see docs/formats.md).
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
from discreet.formats._exact_weights import exact_weights
from discreet.mechanism import Mechanism

EPSILONS = ("0.1", "0.5", "1", "2", "5")


@dataclass(frozen=True)
class Delta:
    """The exact delta at one epsilon, and the pair of counts that has it, in words."""

    epsilon: Epsilon
    delta: Fraction
    pair: str


@dataclass(frozen=True)
class TablePrivacy:
    """Privacy and utility of a table.

    Attributes
    ----------
    deltas
        One for each epsilon.
    floor, floor_pair
        The delta that remains at any epsilon, and its pair of counts: the chance of an output that a neighbouring count
        never has.
    truth, bias, variance
        The chance of the true count, the bias and the variance: least and greatest over the true counts.
    largest_change
        The largest difference between an output and its count.
    """

    deltas: tuple[Delta, ...]
    floor: Fraction
    floor_pair: str
    truth: tuple[Fraction, Fraction]
    bias: tuple[Fraction, Fraction]
    variance: tuple[Fraction, Fraction]
    largest_change: int


def table_privacy(table: Mechanism | PTable, epsilons: Sequence[Number] = EPSILONS) -> TablePrivacy:
    """Return the exact privacy and utility of a table on counts.

    Parameters
    ----------
    table : Mechanism or PTable
        A table with exact probabilities, as `read` returns it.
    epsilons
        The epsilons at which delta is computed.

    Returns
    -------
    TablePrivacy
        The deltas, the floor of delta, and the utility.

    Raises
    ------
    FormatError
        The table is not on counts or has floats for probabilities, or `epsilons` is not a list.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1, upper=20).certify()
    >>> privacy = dc.formats.table_privacy(table, epsilons=["0.5", "1"])
    >>> [(str(row.epsilon), f"{float(row.delta):.4f}", row.pair) for row in privacy.deltas]
    [('0.5', '0.2876', 'counts 0 and 1'), ('1', '0.0000', '')]
    """
    weights, denominator = exact_weights(table)
    if not isinstance(weights.domain, Counts):
        raise FormatError(f"the table is on {weights.domain}; give a table on counts")
    if isinstance(epsilons, str) or not isinstance(epsilons, Iterable):
        raise FormatError(f"epsilons are {epsilons!r:.60}; give a list of numbers")
    deltas = []
    for epsilon in map(Epsilon.of, epsilons):
        excess, pair = exactly.delta(weights, epsilon.exp)
        deltas.append(Delta(epsilon, excess / denominator, pair))
    floor, floor_pair = exactly.delta(weights, Fraction(denominator + 1))  # above every ratio of two weights
    changes = [_changes(weights, count) for count in weights.counts(0)]
    truth, bias, variance = zip(*(_moments(row, denominator) for row in changes), strict=True)
    return TablePrivacy(
        tuple(deltas),
        floor / denominator,
        floor_pair,
        (min(truth), max(truth)),
        (min(bias), max(bias)),
        (min(variance), max(variance)),
        max(abs(change) for row in changes for change, _ in row),
    )


def _changes(table: Table, count: int) -> list[tuple[int, int]]:
    """Return changes and weights of one count."""
    row = table.row(count)
    return [(output - count, weight) for output, weight in enumerate(row.weights, row.first) if weight]


def _moments(changes: list[tuple[int, int]], denominator: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return chance of the truth, bias and variance of one count."""
    truth = Fraction(sum(weight for change, weight in changes if change == 0), denominator)
    mean = Fraction(sum(change * weight for change, weight in changes), denominator)
    mean_square = Fraction(sum(change * change * weight for change, weight in changes), denominator)
    return truth, mean, mean_square - mean * mean

"""A mechanism as integers, and every promise that can be made of it, recomputed in integers.

Every row of a table holds weights that sum to 2**bits; weight / 2**bits is a probability. So

    delta(E) = max over neighbours p, q of sum_y max(0, p(y) - E q(y)),     E rational,

is a finite sum of rationals, a property is a comparison of integers, and nothing here can round.
Only the standard library is used.
"""

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from discreet.domain import Counts, Cycle, Domain

LONG = 10_000
"""Counts from which on the symmetry of a domain is decided by its rows alone."""

PROPERTIES = ("RH", "RM", "CH", "CM", "F", "WH", "S")
"""Cormode 2019: row and column honesty and monotonicity, fairness, weak honesty, symmetry."""


class IntegerRow(NamedTuple):
    """Weights of the consecutive outputs first, first + 1, ...; in the interior, of the noise first, first + 1, ..."""

    first: int
    weights: tuple[int, ...]

    def at(self, output: int) -> int:
        """Return the weight of one output; 0 outside the row."""
        index = output - self.first
        return self.weights[index] if 0 <= index < len(self.weights) else 0


@dataclass(frozen=True)
class Table:
    """Integer weights for every true count of a domain.

    Attributes
    ----------
    bits
        Every row sums to 2**bits.
    neighbours
        The distances 1..k between counts, or the differences on a cycle, that one person can make.
    rows
        The rows of the counts lower, lower + 1, ..., as outputs.
    interior
        The rows of all larger counts, repeated, as noise. A cycle has one interior row, the noise on the flattened
        residues, and no other row.
    """

    bits: int
    domain: Domain
    neighbours: tuple[int, ...] | tuple[tuple[int, ...], ...]
    rows: tuple[IntegerRow, ...]
    interior: tuple[IntegerRow, ...]

    @property
    def total(self) -> int:
        """The sum of every row, 2**bits."""
        return 1 << self.bits

    @property
    def start(self) -> int:
        """The first count whose row is in the interior."""
        assert isinstance(self.domain, Counts)
        return self.domain.lower + len(self.rows)

    def row(self, count: int) -> IntegerRow:
        """Return the row of one count, as outputs."""
        if count < self.start:
            return self.rows[count - self.start]
        noise = self.interior[(count - self.start) % len(self.interior)]
        return IntegerRow(count + noise.first, noise.weights)

    def counts(self, extra: int) -> range:
        """Return the counts of the rows, of one period of the interior, and `extra` more; all others repeat these."""
        assert isinstance(self.domain, Counts)
        end = self.start + len(self.interior) + extra
        return range(self.domain.lower, end if self.domain.upper is None else min(end, self.domain.upper + 1))


class Pair(NamedTuple):
    """Two neighbouring true values, in words, and the weights p and q of both on the same outputs."""

    name: str
    first_output: int
    p: Sequence[int]
    q: Sequence[int]


def pairs(table: Table) -> Iterator[Pair]:
    """Yield every pair of neighbours once, to be read in both directions; periods and shifts are not repeated."""
    if isinstance(table.domain, Cycle):
        noise = table.interior[0].weights
        for difference, source in zip(table.neighbours, shifts(table.domain, table.neighbours), strict=True):
            yield Pair(f"difference {difference}", 0, noise, [noise[y] for y in source])
        return
    largest = len(table.neighbours)
    counts = table.counts(largest)
    for count in table.counts(0):
        for neighbour in range(count + 1, min(count + largest, counts[-1]) + 1):
            p, q = table.row(count), table.row(neighbour)
            first = min(p.first, q.first)
            end = max(p.first + len(p.weights), q.first + len(q.weights))
            yield Pair(f"counts {count} and {neighbour}", first, _padded(p, first, end), _padded(q, first, end))


def shifts(domain: Cycle, differences: Sequence[int] | Sequence[tuple[int, ...]]) -> Iterator[list[int]]:
    """Yield for each difference the flattened index of y - difference, for every flattened residue y."""
    for difference in differences:
        vector = (difference,) if isinstance(difference, int) else difference
        index = [0]
        for side, step in zip(domain.shape, vector, strict=True):
            along = [(y - step) % side for y in range(side)]
            index = [base * side + y for base in index for y in along]
        yield index


def mirror(domain: Cycle) -> list[int]:
    """Return the flattened index of -y, for every flattened residue y."""
    index = [0]
    for side in domain.shape:
        index = [base * side + -y % side for base in index for y in range(side)]
    return index


def delta(table: Table, exp_epsilon: Fraction) -> tuple[Fraction, str]:
    """Return the exact delta at E over all neighbours in both directions, and the name of the pair that has it.

    Parameters
    ----------
    table
        The weights.
    exp_epsilon
        E, a rational that stands for e**epsilon.

    Returns
    -------
    tuple of Fraction and str
        Delta, and the first pair that attains it; an empty text if delta is 0.
    """
    up, down = exp_epsilon.numerator, exp_epsilon.denominator
    worst, worst_pair = 0, ""
    for pair in pairs(table):
        for p, q in ((pair.p, pair.q), (pair.q, pair.p)):
            excess = sum(gap for a, b in zip(p, q, strict=True) if (gap := down * a - up * b) > 0)
            if excess > worst:
                worst, worst_pair = excess, pair.name
    return Fraction(worst, down * table.total), worst_pair


def broken_step(table: Table, exp_epsilon: Fraction) -> str:
    """Describe the first output whose weights at two neighbours differ by more than a factor E; '' if there is none."""
    for pair in pairs(table):
        for y, (p, q) in enumerate(zip(pair.p, pair.q, strict=True), pair.first_output):
            if p > exp_epsilon * q or q > exp_epsilon * p:
                return f"output {y}, {pair.name}: weights {p} and {q}"
    return ""


def properties(table: Table) -> frozenset[str]:
    """Return the names of the properties, of seven, that hold exactly.

    RH  P[i,i] >= P[i,j]
    RM  rows fall away from the diagonal
    CH  P[j,j] >= P[i,j]
    CM  columns fall away from the diagonal
    F   the diagonal is constant
    WH  P[j,j] >= 1/(number of counts); without an upper end, P[j,j] > 0
    S   P[i,j] = P[n-i,n-j]; without an upper end, every row is symmetric about its own count

    On a cycle of one dimension "away" is along the cycle. In several dimensions RM and CM are not defined.
    """
    if isinstance(table.domain, Cycle):
        return _cycle_properties(table, table.domain)
    if not table.rows and len(table.interior) == 1:
        return _noise_properties(table, table.domain)
    counts = table.counts(1)
    rows = {count: table.row(count) for count in counts}
    truth = {count: rows[count].at(count) for count in counts}
    holds = {
        "RH": all(_honest_row(table, table.domain, table.row(count)) for count in [*counts, *far_counts(table)]),
        "RM": all(_rows_fall(rows[c], rows[c + 1], c) for c in counts[:-1]),
        "CH": all(truth[c] >= max(rows[c].weights) for c in counts),
        "CM": all(_falls_away(rows[c], c) for c in counts),
        "F": len(set(truth.values())) == 1,
        "WH": all(w * (table.domain.size or w + table.total) >= table.total for w in truth.values()),
        "S": _symmetric(table, table.domain, rows),
    }
    return frozenset(name for name, holding in holds.items() if holding)


def far_counts(table: Table) -> list[int]:
    """Return for each interior row a count at which all outputs are counts; all counts if the upper end is near."""
    assert isinstance(table.domain, Counts)
    period = len(table.interior)
    reach = max((max(0, -row.first) for row in table.interior), default=0)
    first = table.start + -(-reach // period) * period if period else 0
    if table.domain.upper is None or first + period <= table.domain.upper + 1:
        return list(range(first, first + period))
    return list(range(table.start, table.domain.upper + 1))


def utility(table: Table) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the least and the greatest figures over all true values.

    "truth" is the chance that the output is the true value. Counts also have "bias" and "variance" of the noise.
    """
    if isinstance(table.domain, Cycle):
        truth = Fraction(table.interior[0].weights[0], table.total)
        return {"truth": (truth, truth)}
    chances, biases, variances = [], [], []
    for count in table.counts(0):
        row = table.row(count)
        noise = range(row.first - count, row.first - count + len(row.weights))
        products = list(map(operator.mul, noise, row.weights))
        mean = Fraction(sum(products), table.total)
        square = Fraction(sum(map(operator.mul, noise, products)), table.total)
        chances.append(Fraction(row.at(count), table.total))
        biases.append(mean)
        variances.append(square - mean * mean)
    named = {"truth": chances, "bias": biases, "variance": variances}
    return {name: (min(values), max(values)) for name, values in named.items()}


def _padded(row: IntegerRow, first: int, end: int) -> Sequence[int]:
    """Return the weights of the outputs first..end - 1, zeros outside the row."""
    if row.first == first and len(row.weights) == end - first:
        return row.weights
    return [0] * (row.first - first) + list(row.weights) + [0] * (end - row.first - len(row.weights))


def _falls_away(row: IntegerRow, centre: int) -> bool:
    """Return True if weights fall from the centre on both sides, and to 0 beyond the ends of the row."""
    weights = (0, *row.weights, 0)
    before = min(max(centre - row.first + 1, 0), len(weights) - 1)
    rises = all(map(operator.le, weights[:before], weights[1 : before + 1]))
    return rises and all(map(operator.ge, weights[before:-1], weights[before + 1 :]))


def _rows_fall(row: IntegerRow, following: IntegerRow, count: int) -> bool:
    """Return True if outputs up to `count` are likelier from count, and outputs above `count` from count + 1."""
    outputs = range(
        min(row.first, following.first),
        max(row.first + len(row.weights), following.first + len(following.weights)),
    )
    return all(row.at(y) >= following.at(y) if y <= count else following.at(y) >= row.at(y) for y in outputs)


def _honest_row(table: Table, domain: Counts, row: IntegerRow) -> bool:
    """Return True if no output of the row is likelier from the row's count than from the count equal to the output."""
    last = row.first + len(row.weights) if domain.upper is None else domain.upper + 1
    inside = ((y, w) for y, w in enumerate(row.weights, row.first) if domain.lower <= y < last)
    return all(table.row(y).at(y) >= w for y, w in inside)


def _symmetric(table: Table, domain: Counts, rows: dict[int, IntegerRow]) -> bool:
    """Return True if P[i,j] = P[n-i,n-j] or, without an upper end, every row is symmetric about its own count.

    For a long domain the second condition decides: it implies the first if all noise is the same.
    """
    if domain.upper is not None and domain.upper - domain.lower < LONG:
        ends = domain.lower + domain.upper
        return all(_mirrored(table.row(c), table.row(ends - c), ends) for c in range(domain.lower, domain.upper + 1))
    own_symmetry = all(_mirrored(row, row, 2 * count) for count, row in rows.items())
    distributions = {tuple(_trimmed(row)[1]) for row in rows.values()}
    return own_symmetry and (domain.upper is None or len(distributions) == 1)


def _mirrored(row: IntegerRow, mirror: IntegerRow, ends: int) -> bool:
    """Return True if `mirror` is the row with every output y replaced by ends - y."""
    first, weights = _trimmed(row)
    mirror_first, mirror_weights = _trimmed(mirror)
    return weights == mirror_weights[::-1] and first + len(weights) - 1 == ends - mirror_first


def _trimmed(row: IntegerRow) -> tuple[int, tuple[int, ...]]:
    """Return the first output and the weights of the row without zeros at its ends."""
    positive = [index for index, weight in enumerate(row.weights) if weight]
    return row.first + positive[0], row.weights[positive[0] : positive[-1] + 1]


def _noise_properties(table: Table, domain: Counts) -> frozenset[str]:
    """Return the properties of additive noise, where a row and a column of the matrix are the same numbers."""
    row = table.interior[0]
    names = {"F"}
    if row.at(0) == max(row.weights):
        names |= {"RH", "CH"}
    if _falls_away(row, 0):
        names |= {"RM", "CM"}
    if row.at(0) * (domain.size or row.at(0) + table.total) >= table.total:
        names.add("WH")
    if _mirrored(row, row, 0):
        names.add("S")
    return frozenset(names)


def _cycle_properties(table: Table, domain: Cycle) -> frozenset[str]:
    noise = table.interior[0].weights
    names = {"F"}
    if noise[0] == max(noise):
        names |= {"RH", "CH"}
    if noise[0] * domain.size >= table.total:
        names.add("WH")
    if all(w == noise[y] for w, y in zip(noise, mirror(domain), strict=True)):
        names.add("S")
    if len(domain.shape) == 1:
        size = domain.size
        up = all(noise[y] >= noise[y + 1] for y in range(size // 2))
        down = all(noise[-y % size] >= noise[-y - 1] for y in range(size // 2))
        if up and down:
            names |= {"RM", "CM"}
    return frozenset(names)

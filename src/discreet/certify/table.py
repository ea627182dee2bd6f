"""A mechanism as integers, and everything that can be promised of it, recomputed in integers.

Every row of a table holds weights that sum to 2**bits; weight / 2**bits is a probability. So

    delta(E) = max over neighbours p, q of sum_y max(0, p(y) - E q(y)),     E rational,

is a finite sum of rationals, a property is a comparison of integers, and nothing here can round.
Only the standard library is used.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from discreet.domain import Counts, Cycle, Domain

LONG = 10_000

PROPERTIES = ("RH", "RM", "CH", "CM", "F", "WH", "S")
"""Cormode 2019: row and column honesty and monotonicity, fairness, weak honesty, symmetry."""


class IntegerRow(NamedTuple):
    """Weights of the consecutive outputs first, first + 1, ... (of the noise, in the interior)."""

    first: int
    weights: tuple[int, ...]

    def at(self, output: int) -> int:
        """The weight of one output; 0 outside the row."""
        place = output - self.first
        return self.weights[place] if 0 <= place < len(self.weights) else 0


@dataclass(frozen=True)
class Table:
    """Integer weights for every true count of a domain.

    `rows` belong to the counts lower, lower + 1, ...; `interior` repeats for all larger ones, written as
    noise. On a cycle there is one interior row, the noise on the flattened residues, and no other.
    """

    bits: int
    domain: Domain
    neighbours: tuple[int, ...] | tuple[tuple[int, ...], ...]
    rows: tuple[IntegerRow, ...]
    interior: tuple[IntegerRow, ...]

    @property
    def total(self) -> int:
        """What every row sums to."""
        return 1 << self.bits

    @property
    def start(self) -> int:
        """The first count that the interior serves."""
        assert isinstance(self.domain, Counts)
        return self.domain.lower + len(self.rows)

    def row(self, count: int) -> IntegerRow:
        """The row of one count, its outputs absolute."""
        if count < self.start:
            return self.rows[count - self.start]
        noise = self.interior[(count - self.start) % len(self.interior)]
        return IntegerRow(count + noise.first, noise.weights)

    def counts(self, extra: int) -> range:
        """The counts of the rows, of one period of the interior, and `extra` more; the rest repeats them."""
        assert isinstance(self.domain, Counts)
        end = self.start + len(self.interior) + extra
        return range(self.domain.lower, end if self.domain.upper is None else min(end, self.domain.upper + 1))


class Pair(NamedTuple):
    """Two neighbouring true values, in words, and their weights on the same outputs."""

    name: str
    first_output: int
    one: Sequence[int]
    other: Sequence[int]


def pairs(table: Table) -> Iterator[Pair]:
    """Every pair of neighbours once (each to be read in both directions); periods and shifts not repeated."""
    if isinstance(table.domain, Cycle):
        noise = table.interior[0].weights
        for difference, source in zip(table.neighbours, shifts(table.domain, table.neighbours), strict=True):
            yield Pair(f"difference {difference}", 0, noise, [noise[y] for y in source])
        return
    largest = len(table.neighbours)
    counts = table.counts(largest)
    for count in table.counts(0):
        for neighbour in range(count + 1, min(count + largest, counts[-1]) + 1):
            one, other = table.row(count), table.row(neighbour)
            first = min(one.first, other.first)
            last = max(one.first + len(one.weights), other.first + len(other.weights))
            yield Pair(
                f"counts {count} and {neighbour}", first, _stretch(one, first, last), _stretch(other, first, last)
            )


def shifts(domain: Cycle, differences: Sequence[int] | Sequence[tuple[int, ...]]) -> Iterator[list[int]]:
    """For each difference the flattened index of y - difference, for every flattened residue y."""
    for difference in differences:
        vector = (difference,) if isinstance(difference, int) else difference
        index = [0]
        for side, step in zip(domain.shape, vector, strict=True):
            along = [(y - step) % side for y in range(side)]
            index = [base * side + y for base in index for y in along]
        yield index


def mirror(domain: Cycle) -> list[int]:
    """The flattened index of -y, for every flattened residue y."""
    index = [0]
    for side in domain.shape:
        index = [base * side + -y % side for base in index for y in range(side)]
    return index


def delta(table: Table, exp_epsilon: Fraction) -> tuple[Fraction, str]:
    """The exact delta at E over all neighbours in both directions, and the pair that has it."""
    up, down = exp_epsilon.numerator, exp_epsilon.denominator
    worst, where = 0, ""
    for pair in pairs(table):
        for one, other in ((pair.one, pair.other), (pair.other, pair.one)):
            excess = sum(gap for p, q in zip(one, other, strict=True) if (gap := down * p - up * q) > 0)
            if excess > worst:
                worst, where = excess, pair.name
    return Fraction(worst, down * table.total), where


def broken_step(table: Table, exp_epsilon: Fraction) -> str:
    """The first output whose weights at two neighbours differ by more than the factor E; '' where there is none."""
    for pair in pairs(table):
        for y, (p, q) in enumerate(zip(pair.one, pair.other, strict=True), pair.first_output):
            if p > exp_epsilon * q or q > exp_epsilon * p:
                return f"output {y}, {pair.name}: weights {p} and {q}"
    return ""


def properties(table: Table) -> frozenset[str]:
    """Which of the seven properties hold exactly.

    RH P[i,i] >= P[i,j]; RM rows fall away from the diagonal; CH P[j,j] >= P[i,j]; CM columns fall away from it;
    F equal diagonal; WH P[j,j] >= 1/(number of counts), above 0 where that number has no end; S P[i,j] = P[n-i,n-j],
    without an upper end every row symmetric about its own count.
    On a cycle "away" is along the cycle in one dimension, and RM and CM are not defined in several.
    """
    if isinstance(table.domain, Cycle):
        return _cycle_properties(table, table.domain)
    if not table.rows and len(table.interior) == 1:
        return _noise_properties(table, table.domain)
    counts = table.counts(1)
    rows = {count: table.row(count) for count in counts}
    truth = {count: rows[count].at(count) for count in counts}
    held = {
        "RH": all(_honest_row(table, table.domain, table.row(count)) for count in [*counts, *far_counts(table)]),
        "RM": all(_rows_fall(rows[c], rows[c + 1], c) for c in counts[:-1]),
        "CH": all(truth[c] >= max(rows[c].weights) for c in counts),
        "CM": all(_falls_away(rows[c], c) for c in counts),
        "F": len(set(truth.values())) == 1,
        "WH": all(w * (table.domain.size or w + table.total) >= table.total for w in truth.values()),
        "S": _symmetric(table, table.domain, rows),
    }
    return frozenset(name for name, holds in held.items() if holds)


def far_counts(table: Table) -> list[int]:
    """A count for each row of the interior at which all its outputs are counts; all counts if an upper end is near."""
    assert isinstance(table.domain, Counts)
    period = len(table.interior)
    reach = max((max(0, -row.first) for row in table.interior), default=0)
    first = table.start + -(-reach // period) * period if period else 0
    if table.domain.upper is None or first + period <= table.domain.upper + 1:
        return list(range(first, first + period))
    return list(range(table.start, table.domain.upper + 1))


def utility(table: Table) -> dict[str, tuple[Fraction, Fraction]]:
    """Least and greatest chance of the truth and, for counts, bias and variance, over the true counts."""
    if isinstance(table.domain, Cycle):
        truth = Fraction(table.interior[0].weights[0], table.total)
        return {"truth": (truth, truth)}
    chances, biases, variances = [], [], []
    for count in table.counts(0):
        row = table.row(count)
        noise = range(row.first - count, row.first - count + len(row.weights))
        mean = Fraction(sum(z * w for z, w in zip(noise, row.weights, strict=True)), table.total)
        square = Fraction(sum(z * z * w for z, w in zip(noise, row.weights, strict=True)), table.total)
        chances.append(Fraction(row.at(count), table.total))
        biases.append(mean)
        variances.append(square - mean * mean)
    named = {"truth": chances, "bias": biases, "variance": variances}
    return {name: (min(values), max(values)) for name, values in named.items()}


def _stretch(row: IntegerRow, first: int, last: int) -> Sequence[int]:
    if row.first == first and len(row.weights) == last - first:
        return row.weights
    return [0] * (row.first - first) + list(row.weights) + [0] * (last - row.first - len(row.weights))


def _falls_away(row: IntegerRow, centre: int) -> bool:
    """Weights fall from the centre on both sides, and to 0 beyond the row's ends."""
    outputs = range(row.first - 1, row.first + len(row.weights) + 1)
    return all(row.at(y) <= row.at(y + 1) if y < centre else row.at(y) >= row.at(y + 1) for y in outputs)


def _rows_fall(one: IntegerRow, other: IntegerRow, count: int) -> bool:
    """Outputs up to `count` are likelier from count, those above it from count + 1."""
    outputs = range(min(one.first, other.first), max(one.first + len(one.weights), other.first + len(other.weights)))
    return all(one.at(y) >= other.at(y) if y <= count else other.at(y) >= one.at(y) for y in outputs)


def _honest_row(table: Table, domain: Counts, row: IntegerRow) -> bool:
    """No output of this row is likelier from its count than from the count equal to it."""
    last = row.first + len(row.weights) if domain.upper is None else domain.upper + 1
    inside = ((y, w) for y, w in enumerate(row.weights, row.first) if domain.lower <= y < last)
    return all(table.row(y).at(y) >= w for y, w in inside)


def _symmetric(table: Table, domain: Counts, rows: dict[int, IntegerRow]) -> bool:
    """P[i,j] = P[n-i,n-j]; without an upper end, every row symmetric about its own count.

    A long domain with an interior is decided by the second, which implies the first where all noise is the same.
    """
    if domain.upper is not None and domain.upper - domain.lower < LONG:
        ends = domain.lower + domain.upper
        return all(_mirrored(table.row(c), table.row(ends - c), ends) for c in range(domain.lower, domain.upper + 1))
    about = all(_mirrored(row, row, 2 * count) for count, row in rows.items())
    laws = {tuple(_trimmed(row)[1]) for row in rows.values()}
    return about and (domain.upper is None or len(laws) == 1)


def _mirrored(row: IntegerRow, mirror: IntegerRow, ends: int) -> bool:
    first, weights = _trimmed(row)
    start, others = _trimmed(mirror)
    return weights == others[::-1] and first + len(weights) - 1 == ends - start


def _trimmed(row: IntegerRow) -> tuple[int, tuple[int, ...]]:
    """The row without zeros at its ends."""
    there = [place for place, weight in enumerate(row.weights) if weight]
    return row.first + there[0], row.weights[there[0] : there[-1] + 1]


def _noise_properties(table: Table, domain: Counts) -> frozenset[str]:
    """Additive noise: a row and a column of the matrix are the same numbers."""
    row = table.interior[0]
    held = {"F"}
    if row.at(0) == max(row.weights):
        held |= {"RH", "CH"}
    if _falls_away(row, 0):
        held |= {"RM", "CM"}
    if row.at(0) * (domain.size or row.at(0) + table.total) >= table.total:
        held.add("WH")
    if _mirrored(row, row, 0):
        held.add("S")
    return frozenset(held)


def _cycle_properties(table: Table, domain: Cycle) -> frozenset[str]:
    noise = table.interior[0].weights
    held = {"F"}
    if noise[0] == max(noise):
        held |= {"RH", "CH"}
    if noise[0] * domain.size >= table.total:
        held.add("WH")
    if all(w == noise[y] for w, y in zip(noise, mirror(domain), strict=True)):
        held.add("S")
    if len(domain.shape) == 1:
        size = domain.size
        up = all(noise[y] >= noise[y + 1] for y in range(size // 2))
        down = all(noise[-y % size] >= noise[-y - 1] for y in range(size // 2))
        if up and down:
            held |= {"RM", "CM"}
    return frozenset(held)

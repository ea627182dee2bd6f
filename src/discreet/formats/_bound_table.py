"""Tables of bounds, as R ptable and cellKey, SSBcellKey and tau-Argus have them.

For a count i every line has an output j, its probability p, the change v = j - i and the upper bound p_int_ub of an
interval of keys. A cell's key is the sum of its records' keys modulo 1. The output is count + v of the first line of
the count whose bound is above the key (SSBcellKey: not below the key). The last i serves all larger counts. Lines of
the types `even` and `odd` are for counts of that parity, which makes an interior of period 2.

The lookup uses the bounds. So a weight is the difference of two bounds, exactly as the decimals are written, and p is
only compared with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from discreet.certify.verify import MOST_WEIGHTS
from discreet.domain import Counts
from discreet.errors import InputError
from discreet.exact import Number, exact, is_integer, text
from discreet.formats._exact_weights import row_of
from discreet.formats._fit import MOST_COUNTS, FittedTable
from discreet.formats._text_file import TextFile, parse_decimal, parse_integer
from discreet.mechanism import Mechanism, Row

NAMES = ("i", "j", "p", "v", "p_int_ub")
OPTIONAL_NAMES = ("p_int_lb", "type")
TYPES = ("all", "even", "odd")

FEWEST_DECIMALS = 6
"""p and the bounds are compared to at least this many decimals, however few are written."""


@dataclass(frozen=True)
class Line:
    """One line of a file.

    Attributes
    ----------
    number
        The number of the line in the file.
    slack
        Half of the last digit of a p that was cut to a few digits, as in 6.13E-05; else 0.
    """

    number: int
    count: int
    output: int
    probability: Fraction
    slack: Fraction
    change: int
    lower: Fraction | None
    upper: Fraction
    type: str


class KeyInterval(NamedTuple):
    """The keys up to a bound, and the change that they select."""

    upper: Fraction
    change: int


@dataclass(frozen=True)
class BoundTable:
    """The key intervals of every count.

    Attributes
    ----------
    small
        The intervals of the counts 0, 1, 2, ...
    interior
        The intervals of all larger counts, periodic.
    closed
        True if a key equal to a bound selects the interval below the bound.
    design
        What is known about the table.

    Examples
    --------
    >>> import discreet as dc
    >>> noise = dc.design.geometric(epsilon=1).certify()
    >>> _ = dc.formats.write(noise, "ptable.csv", "ptable", round=True, clamp=True, leave_zeros=True)
    >>> table = dc.formats.table("ptable.csv")
    >>> table.value(24, "0.8967"), round(table.mechanism().variance(24), 2)
    (25, 1.84)
    """

    small: tuple[tuple[KeyInterval, ...], ...]
    interior: tuple[tuple[KeyInterval, ...], ...]
    closed: bool = False
    design: Mapping[str, Any] = field(default_factory=dict)

    def value(self, count: int, key: Number) -> int:
        """Return the tool's output for a count and a cell key in [0, 1).

        Parameters
        ----------
        count
            An integer of 0 or more.
        key
            The cell key, in [0, 1).

        Returns
        -------
        int
            The output.

        Raises
        ------
        InputError
            The count is not an integer of 0 or more, or the key is not in [0, 1).
        """
        exact_key = exact(key, "key")
        if not is_integer(count) or count < 0 or not 0 <= exact_key < 1:
            raise InputError(f"count {count}, key {key}; give a count of 0 or more and a key from 0 to below 1")
        start = len(self.small)
        intervals = self.small[count] if count < start else self.interior[(count - start) % len(self.interior)]
        return count + next(
            interval.change
            for interval in intervals
            if exact_key < interval.upper or (self.closed and exact_key == interval.upper)
        )

    def mechanism(self) -> Mechanism:
        """Return the distribution of the output for a uniform key in [0, 1)."""
        rows = [_row(intervals, count) for count, intervals in enumerate(self.small)]
        interior = [_row(intervals, 0) for intervals in self.interior]
        return Mechanism(Counts(), rows, interior, design=self.design)  # type: ignore[arg-type]


def read_named_columns(file: TextFile) -> list[Line]:
    """Return the lines of a file whose columns are named. Raise FormatError for the first wrong line."""
    columns = file.column_indices(NAMES)
    columns |= {name: file.header.index(name) for name in OPTIONAL_NAMES if name in file.header}
    return [
        parse_line(file, number, {name: fields[index] for name, index in columns.items()})
        for number, fields in file.records()
    ]


def parse_line(file: TextFile, number: int, fields: Mapping[str, str]) -> Line:
    """Return one line from its fields by name. p_int_lb and type may be absent.

    Raises
    ------
    FormatError
        A field is not a number of its kind, or is out of range.
    """
    count, output, change = (_parse_count(file, number, name, fields[name]) for name in ("i", "j", "v"))
    if not 0 <= count <= MOST_COUNTS:
        raise file.error(number, f"i is {count}; give a count from 0 to {MOST_COUNTS}")
    if output < 0:
        raise file.error(number, f"j is {output}; an output is a count, 0 or more")
    if abs(change) > MOST_WEIGHTS or output > MOST_WEIGHTS:
        raise file.error(number, f"j is {output} and v is {change}; no table changes a count that much")
    probability, upper = (_parse_probability(file, number, name, fields[name]) for name in ("p", "p_int_ub"))
    lower = _parse_probability(file, number, "p_int_lb", fields["p_int_lb"]) if "p_int_lb" in fields else None
    type_ = fields.get("type", "all").lower()
    if type_ not in TYPES:
        raise file.error(number, f"type is {type_[:40]!r}; for counts it is all, even or odd")
    return Line(number, count, output, probability, _slack(fields["p"]), change, lower, upper, type_)


def _parse_number(file: TextFile, number: int, name: str, written: str) -> Fraction:
    value = parse_decimal(written)
    if value is None:
        raise file.error(number, f"{name} is {written[:40]!r}; give a number")
    return value


def _parse_count(file: TextFile, number: int, name: str, written: str) -> int:
    _parse_number(file, number, name, written)
    value = parse_integer(written)
    if value is None:
        raise file.error(
            number, f"{name} is {written[:40]}; in a table for counts it is an integer (this is one for magnitudes)"
        )
    return value


def _parse_probability(file: TextFile, number: int, name: str, written: str) -> Fraction:
    value = _parse_number(file, number, name, written)
    if not 0 <= value <= 1:
        raise file.error(number, f"{name} is {written}; it must be between 0 and 1")
    return value


def _slack(written: str) -> Fraction:
    digits, mark, power = written.lower().replace(",", ".").partition("e")
    return Fraction(5, 10) * Fraction(10) ** (int(power) - len(digits.partition(".")[2])) if mark else Fraction(0)


def bound_table(file: TextFile, lines: Sequence[Line], closed: bool, design: Mapping[str, Any]) -> BoundTable:
    """Return the table of all lines, after they were checked together.

    Raises
    ------
    FormatError
        Lines are missing, contradict each other, or make the tool publish a count as it is.
    """
    if not lines:
        raise file.error(
            file.header_line, "the file has a header and nothing else; give one line for each count and output"
        )
    _check_signs(file, lines)
    groups: dict[tuple[str, int], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.type, line.count), []).append(line)
    types = sorted({type_ for type_, _ in groups})
    if types not in (["all"], ["even", "odd"]):
        raise file.error(lines[-1].number, f"the types are {', '.join(types)}; give all, or both even and odd")
    unit = _last_decimal(lines)
    intervals = {key: _intervals(file, group, unit, closed) for key, group in groups.items()}
    last = {type_: max(count for other, count in groups if other == type_) for type_ in types}
    start, period = max(last.values()), len(types)

    def row(count: int) -> tuple[KeyInterval, ...]:
        type_ = "all" if period == 1 else "odd" if count % 2 else "even"
        listed_count = min(count, last[type_])
        if (type_, listed_count) not in intervals:
            of_type = "" if type_ == "all" else f" of type {type_}"
            raise file.error(
                lines[-1].number,
                f"the table ends, and count {listed_count}{of_type} has no lines: the tool would publish such cells as"
                " they are",
            )
        return intervals[type_, listed_count]

    small = tuple(row(count) for count in range(start))
    interior = tuple(row(start + index) for index in range(period))
    if any(interval.change for interval in row(0)):
        raise file.error(
            next(line.number for line in lines if line.count == 0 and line.change),
            "the count 0 is perturbed; an empty cell has no records and no key, so the tool leaves it alone:"
            " write 0 with probability 1",
        )
    _check_size(file, lines[-1].number, small + interior)
    return BoundTable(small, interior, closed, design)


def _check_size(file: TextFile, last_line: int, rows: Sequence[Sequence[KeyInterval]]) -> None:
    widths = [max(interval.change for interval in row) - min(interval.change for interval in row) + 1 for row in rows]
    if max(widths) * len(rows) > MOST_WEIGHTS:
        raise file.error(
            last_line,
            f"the table is too large: {len(rows)} counts by {max(widths)} outputs; give at most {MOST_WEIGHTS} in all",
        )


def _check_signs(file: TextFile, lines: Sequence[Line]) -> None:
    """Raise FormatError if v is not j - i on a line."""
    wrong = next((line for line in lines if line.change != line.output - line.count), None)
    if wrong is None:
        return
    message = f"v is {wrong.change}, but j - i is {wrong.output - wrong.count}"
    if all(line.change == line.count - line.output for line in lines):
        message += (
            "; v is i - j on every line, so its sign is reversed (cellKey's column noise is original minus perturbed)"
        )
    raise file.error(wrong.number, f"{message}; v is the output minus the count")


def _last_decimal(lines: Sequence[Line]) -> Fraction:
    """Return the last decimal to which both bounds and probabilities are written, at least FEWEST_DECIMALS."""
    finest = min(max(line.upper.denominator for line in lines), max(line.probability.denominator for line in lines))
    decimals = FEWEST_DECIMALS
    while 10**decimals < finest:
        decimals += 1
    return Fraction(1, 10**decimals)


def _intervals(file: TextFile, group: Sequence[Line], unit: Fraction, closed: bool) -> tuple[KeyInterval, ...]:
    """Return the intervals of one count, in the order of the file. Raise FormatError if p and bounds do not agree."""
    count, end = group[0].count, group[-1].number
    total = sum((line.probability for line in group), Fraction(0))
    if abs(total - 1) > sum((2 * unit + line.slack for line in group), Fraction(0)):
        raise file.error(end, f"the p of count {count} sum to {float(total):.9g}, not to 1")
    below = Fraction(0)
    for line in group:
        _check_bounds(file, line, below, unit, closed)
        below = line.upper
    if below != 1:
        raise file.error(
            end, f"the bounds of count {count} end at {text(below)}, not at 1, so larger keys select nothing"
        )
    return tuple(KeyInterval(line.upper, line.change) for line in group)


def _check_bounds(file: TextFile, line: Line, below: Fraction, unit: Fraction, closed: bool) -> None:
    """Raise FormatError if a line does not continue at the bound `below`, or p is not the difference of its bounds."""
    if line.lower is not None and line.lower != below:
        problem = "leaves a gap" if line.lower > below else "overlaps"
        raise file.error(
            line.number,
            f"p_int_lb is {text(line.lower)}, but the bound before it is {text(below)}: the interval {problem}",
        )
    if line.upper < below:
        raise file.error(
            line.number, f"p_int_ub is {text(line.upper)}, below the bound before it, {text(below)}; bounds increase"
        )
    if abs(line.upper - below - line.probability) > 2 * unit + line.slack:
        raise file.error(
            line.number,
            f"p is {text(line.probability)}, but the bounds give {text(line.upper - below)}; the tool uses the bounds,"
            " so correct the one that is wrong",
        )
    if closed and line.upper == 0:
        raise file.error(line.number, "p_int_ub is 0, and a key of 0 would select this line; leave the line out")


def written_lines(table: FittedTable) -> list[tuple[str, ...]]:
    """Return i, j, p, v, p_int_lb, p_int_ub and type of every line, as text."""
    start, period = len(table.rows), len(table.interior)
    lines: list[tuple[str, ...]] = []
    for count in range(start + period):
        type_ = "all" if period == 1 else ("even", "odd")[count % 2]
        below = 0
        for output, weight in table.outputs(count):
            above = below + weight
            p, low, high = (text(Fraction(number, table.total)) for number in (weight, below, above))
            lines.append((str(count), str(output), p, str(output - count), low, high, type_))
            below = above
    return lines


def _row(intervals: Sequence[KeyInterval], centre: int) -> Row:
    """Return the row whose weights are the lengths of the intervals."""
    total = lcm(*(interval.upper.denominator for interval in intervals))
    weight_by_output: dict[int, int] = {}
    below = Fraction(0)
    for interval in intervals:
        output = centre + interval.change
        weight_by_output[output] = weight_by_output.get(output, 0) + int((interval.upper - below) * total)
        below = interval.upper
    return row_of(weight_by_output, total)

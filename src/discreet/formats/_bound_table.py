"""Tables of intervals: those of R ptable and cellKey, SSBcellKey and tau-Argus.

For a count i every line has an output j, its probability p, the change v = j - i and the upper bound p_int_ub of
an interval of keys. A cell's key is the sum of its records' keys modulo 1; the output is count + v of the first line
of its count whose bound is above the key (SSBcellKey: not below it). The last i serves all larger counts. With the
types `even` and `odd` the lines are those of counts of that parity, which makes an interior of period 2.

The lookup uses the bounds, so a weight is the difference of two bounds, exactly as the decimals are written; p is only
compared with it.
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
from discreet.formats._exact_weights import gathered
from discreet.formats._fit import MOST_COUNTS, Fitted
from discreet.formats._text_file import Source, integer, number
from discreet.mechanism import Mechanism, Row

TYPES = ("all", "even", "odd")
COARSEST = 6
"""Decimals to which p and the bounds must agree, however few are written."""

NAMES = ("i", "j", "p", "v", "p_int_ub")


class Line(NamedTuple):
    """One line of a file; `slack` is half the last digit of a p that was cut to a few digits, as in 6.13E-05."""

    line: int
    true: int
    output: int
    probability: Fraction
    slack: Fraction
    change: int
    lower: Fraction | None
    upper: Fraction
    type: str


class Interval(NamedTuple):
    """Keys up to a bound, and the change they make."""

    upper: Fraction
    change: int


@dataclass(frozen=True)
class BoundTable:
    """The intervals of every count up to the last, and whether a key equal to a bound belongs to the lower one."""

    small: tuple[tuple[Interval, ...], ...]
    interior: tuple[tuple[Interval, ...], ...]
    closed: bool = False
    design: Mapping[str, Any] = field(default_factory=dict)

    def value(self, count: int, key: Number) -> int:
        """The tool's output for a count and a cell key in [0, 1)."""
        at = exact(key, "key")
        if not is_integer(count) or count < 0 or not 0 <= at < 1:
            raise InputError(f"count {count}, key {key}; give a count of 0 or more and a key from 0 to below 1")
        start = len(self.small)
        row = self.small[count] if count < start else self.interior[(count - start) % len(self.interior)]
        return count + next(part.change for part in row if at < part.upper or (self.closed and at == part.upper))

    def mechanism(self) -> Mechanism:
        """The law of the output where the key is uniform on [0, 1)."""
        rows = [_row(row, count) for count, row in enumerate(self.small)]
        return Mechanism(Counts(), rows, [_row(row, 0) for row in self.interior], design=self.design)  # type: ignore[arg-type]


def read(source: Source, lines: Sequence[Line], closed: bool, design: Mapping[str, Any]) -> BoundTable:
    """The table, after every line was checked."""
    if not lines:
        raise source.refuse(source.line, "has a header and nothing else; give one line for each count and output")
    _check_signs(source, lines)
    groups: dict[tuple[str, int], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.type, line.true), []).append(line)
    types = sorted({kind for kind, _ in groups})
    if types not in (["all"], ["even", "odd"]):
        raise source.refuse(lines[-1].line, f"the types are {', '.join(types)}; give all, or both even and odd")
    unit = _unit(lines)
    intervals = {key: _intervals(source, group, unit, closed) for key, group in groups.items()}
    last = {kind: max(count for type_, count in groups if type_ == kind) for kind in types}
    start = max(last.values())
    period = len(types)

    def row(count: int) -> tuple[Interval, ...]:
        kind = "all" if period == 1 else "odd" if count % 2 else "even"
        place = min(count, last[kind])
        if (kind, place) not in intervals:
            what = f"count {place}" if kind == "all" else f"count {place} of type {kind}"
            raise source.refuse(
                lines[-1].line,
                f"the table ends, and {what} has no lines: the tool would publish such cells as they are",
            )
        return intervals[kind, place]

    small = tuple(row(count) for count in range(start))
    interior = tuple(row(start + place) for place in range(period))
    if any(part.change for part in row(0)):
        raise source.refuse(
            next(line.line for line in lines if line.true == 0 and line.change),
            "the count 0 is perturbed; an empty cell has no records and no key, so the tool leaves it alone:"
            " write 0 with probability 1",
        )
    widest = max(max(p.change for p in part) - min(p.change for p in part) + 1 for part in small + interior)
    if widest * (start + period) > MOST_WEIGHTS:
        raise source.refuse(lines[-1].line, f"the table is too wide: {start + period} counts by {widest} outputs")
    return BoundTable(small, interior, closed, design)


def parse(source: Source, line: int, fields: Mapping[str, str]) -> Line:
    """One line from its fields by name; p_int_lb and type may be absent."""
    numbers: dict[str, Fraction] = {}
    for name in ("i", "j", "p", "v", "p_int_ub", "p_int_lb"):
        if name in fields:
            value = number(fields[name])
            if value is None:
                raise source.refuse(line, f"{name} is {fields[name][:40]!r}; give a number")
            numbers[name] = value
    for name in ("i", "j", "v"):
        if integer(fields[name]) is None:
            raise source.refuse(
                line,
                f"{name} is {fields[name][:40]}; in a table for counts it is an integer (this is one for magnitudes)",
            )
    count, output, change = (int(numbers[name]) for name in ("i", "j", "v"))
    if not 0 <= count <= MOST_COUNTS:
        raise source.refuse(line, f"i is {count}; give a count from 0 to {MOST_COUNTS}")
    if output < 0:
        raise source.refuse(line, f"j is {output}; an output is a count, 0 or more")
    if abs(change) > MOST_WEIGHTS or output > MOST_WEIGHTS:
        raise source.refuse(line, f"j is {output} and v is {change}; no table changes a count so far")
    for name in ("p", "p_int_ub", "p_int_lb"):
        if name in numbers and not 0 <= numbers[name] <= 1:
            raise source.refuse(line, f"{name} is {fields[name]}; it lies between 0 and 1")
    kind = fields.get("type", "all").lower()
    if kind not in TYPES:
        raise source.refuse(line, f"type is {kind[:40]!r}; for counts it is all, even or odd")
    probability, slack = numbers["p"], _slack(fields["p"])
    return Line(line, count, output, probability, slack, change, numbers.get("p_int_lb"), numbers["p_int_ub"], kind)


def lines(table: Fitted) -> list[tuple[str, ...]]:
    """i, j, p, v, p_int_lb, p_int_ub, type of every line, as text."""
    start, period = len(table.rows), len(table.interior)
    found: list[tuple[str, ...]] = []
    for count in range(start + period):
        kind = "all" if period == 1 else ("even", "odd")[count % 2]
        below = 0
        for output, weight in table.outputs(count):
            above = below + weight
            p, low, high = (text(Fraction(part, table.total)) for part in (weight, below, above))
            found.append((str(count), str(output), p, str(output - count), low, high, kind))
            below = above
    return found


def _check_signs(source: Source, lines: Sequence[Line]) -> None:
    """v = j - i."""
    wrong = next((line for line in lines if line.change != line.output - line.true), None)
    if wrong is None:
        return
    said = f"v is {wrong.change}, but j - i is {wrong.output - wrong.true}"
    if all(line.change == line.true - line.output for line in lines):
        said += "; on every line it is i - j, so its sign is reversed (cellKey's noise is original minus perturbed)"
    raise source.refuse(wrong.line, f"{said}; v is the output minus the count")


def _unit(lines: Sequence[Line]) -> Fraction:
    """The last decimal to which both bounds and probabilities are written, the sixth at the most."""
    finest = min(max(line.upper.denominator for line in lines), max(line.probability.denominator for line in lines))
    places = COARSEST
    while 10**places < finest:
        places += 1
    return Fraction(1, 10**places)


def _slack(given: str) -> Fraction:
    digits, mark, power = given.lower().replace(",", ".").partition("e")
    return Fraction(5, 10) * Fraction(10) ** (int(power) - len(digits.partition(".")[2])) if mark else Fraction(0)


def _intervals(source: Source, group: Sequence[Line], unit: Fraction, closed: bool) -> tuple[Interval, ...]:
    """The intervals of one count, in the order of the file."""
    count, end = group[0].true, group[-1].line
    total = sum((line.probability for line in group), Fraction(0))
    if abs(total - 1) > sum((2 * unit + line.slack for line in group), Fraction(0)):
        raise source.refuse(end, f"the p of count {count} sum to {float(total):.9g}, not to 1")
    below = Fraction(0)
    for line in group:
        if line.lower is not None and line.lower != below:
            what = "leaves a gap" if line.lower > below else "overlaps"
            raise source.refuse(
                line.line,
                f"p_int_lb is {text(line.lower)}, but the bound before it is {text(below)}: the interval {what}",
            )
        if line.upper < below:
            raise source.refuse(
                line.line, f"the bound {text(line.upper)} is below the one before it, {text(below)}; bounds increase"
            )
        if abs(line.upper - below - line.probability) > 2 * unit + line.slack:
            raise source.refuse(
                line.line,
                f"p is {text(line.probability)}, but the bounds give {text(line.upper - below)}; the tool uses the"
                " bounds, so mend the one that is wrong",
            )
        if closed and line.upper == 0:
            raise source.refuse(line.line, "the bound is 0, and a key of 0 would select this line; leave it out")
        below = line.upper
    if below != 1:
        raise source.refuse(
            end, f"the bounds of count {count} end at {text(below)}, not at 1: larger keys select nothing"
        )
    return tuple(Interval(line.upper, line.change) for line in group)


def _row(intervals: Sequence[Interval], centre: int) -> Row:
    total = lcm(*(part.upper.denominator for part in intervals))
    weights: dict[int, int] = {}
    below = Fraction(0)
    for part in intervals:
        output = centre + part.change
        weights[output] = weights.get(output, 0) + int((part.upper - below) * total)
        below = part.upper
    return gathered(weights, total)


def by_name(source: Source, names: Sequence[str], optional: Sequence[str]) -> list[Line]:
    """The lines of a file whose columns are named."""
    for name in names:
        if source.header.count(name) != 1:
            raise source.refuse(
                source.line, f"the header is {', '.join(source.header)!r:.120}; it needs one column {name}"
            )
    where = {name: source.header.index(name) for name in (*names, *optional) if name in source.header}
    return [
        parse(source, line, {name: fields[place] for name, place in where.items()}) for line, fields in source.records()
    ]

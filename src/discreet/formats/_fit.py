"""What a format can hold, and how a table is made to fit where that is asked for.

Every tool here publishes count + change, so an output below 0 would be printed; all but Cantabular leave empty
cells alone, whatever the table says of the count 0, because a cell without records has no key; and probabilities
are a number of keys, or decimals. A table that has none of these troubles is written exactly. Any other is refused
with the reason, unless the caller allows the change:

    clamp        outputs below 0 become 0: post-processing, which costs no privacy
    leave_zeros  the count 0 stays 0: this costs privacy at the pair (0, 1)
    round        every row by largest remainder to the nearest weights the format has

What comes out is a mechanism again, to be measured again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from discreet.certify.rounding import GUARD, largest_remainders
from discreet.certify.table import IntegerRow, Table
from discreet.domain import Counts
from discreet.errors import FormatError
from discreet.formats._exact_weights import trimmed
from discreet.mechanism import Mechanism, Row

MOST_COUNTS = 5000
"""Counts that a table of intervals may list."""


@dataclass(frozen=True)
class Shape:
    """What a format holds.

    Attributes
    ----------
    totals
        What a row's weights may sum to, the first that will do being taken.
    unit
        The word for that.
    period
        The interior's period must divide this.
    start
        The count at which the interior starts; None: wherever it does.
    zeros
        Whether the count 0 may be perturbed.
    """

    name: str
    totals: tuple[int, ...]
    unit: str
    period: int
    start: int | None
    zeros: bool


@dataclass(frozen=True)
class Fitted:
    """A table that a format can hold: rows for the counts from 0, an interior as noise, and how it was changed."""

    total: int
    rows: tuple[IntegerRow, ...]
    interior: tuple[IntegerRow, ...]
    changes: tuple[str, ...]

    def outputs(self, count: int) -> Iterator[tuple[int, int]]:
        """Outputs and weights of a count, those without weight left out."""
        start = len(self.rows)
        row = self.rows[count] if count < start else self.interior[(count - start) % len(self.interior)]
        shift = 0 if count < start else count
        return ((y + shift, w) for y, w in enumerate(row.weights, row.first) if w)

    def mechanism(self, neighbours: object, design: dict[str, object]) -> Mechanism:
        """The law that is written."""
        rows, interior = (
            [Row.exact(row.first, row.weights, self.total) for row in part] for part in (self.rows, self.interior)
        )
        return Mechanism(Counts(), rows, interior, neighbours, design)  # type: ignore[arg-type]


def fit(
    table: Table,
    denominator: int,
    shape: Shape,
    *,
    round: bool = False,  # noqa: A002
    clamp: bool = False,
    leave_zeros: bool = False,
) -> Fitted:
    """The table as the format holds it.

    Raises
    ------
    FormatError
        The format cannot hold it and the change that would help was not allowed.
    """
    rows, interior = _laid_out(table, shape)
    changes = []
    if any(row.first < 0 for row in rows):
        if not clamp:
            count = next(count for count, row in enumerate(rows) if row.first < 0)
            raise _cannot(
                shape,
                f"count {count} may come out as {rows[count].first}, and the tool would publish that",
                "with clamp outputs below 0 are written as 0, which costs no privacy",
            )
        rows = [_clamped(row) for row in rows]
        changes.append("outputs below 0 are written as 0")
    alone = IntegerRow(0, (denominator,))
    if rows[0] != alone and not shape.zeros:
        if not leave_zeros:
            raise _cannot(
                shape,
                "its count 0 is perturbed, and the tool leaves empty cells alone, whatever the table says",
                "with leave-zeros the count 0 is written as 0, and the table then has the delta of that",
            )
        rows[0] = alone
        changes.append("the count 0 is left alone")
    total = _total(rows + interior, denominator, shape)
    if total is None:
        if not round:
            raise _cannot(
                shape,
                f"its probabilities are not whole numbers of {_units(shape)}",
                "with round every row is rounded to them, and the table is then measured again",
            )
        total = shape.totals[-1]
        changes.append(f"probabilities are rounded to {total} {shape.unit}")
    written = [
        _rounded(row, denominator, total, place if place < len(rows) else 0)
        for place, row in enumerate(rows + interior)
    ]
    return Fitted(total, tuple(written[: len(rows)]), tuple(written[len(rows) :]), tuple(changes))


def _cannot(shape: Shape, reason: str, remedy: str) -> FormatError:
    return FormatError(f"the format {shape.name!r} cannot hold this table: {reason}; {remedy}")


def _units(shape: Shape) -> str:
    return " or ".join(f"1/{total}" for total in shape.totals) + f" ({shape.unit})"


def _laid_out(table: Table, shape: Shape) -> tuple[list[IntegerRow], list[IntegerRow]]:
    """Rows for the counts from 0 and an interior none of whose outputs is below 0, where the format has them."""
    domain = table.domain
    if not isinstance(domain, Counts):
        raise _cannot(shape, f"it is on {domain}", "give a table on counts")
    if domain.upper is not None:
        raise _cannot(
            shape,
            f"its counts end at {domain.upper}, where larger ones are clamped, and the tool cannot clamp",
            "give a table without an upper end",
        )
    noise = _least_period([trimmed(row) for row in table.interior])
    period = len(noise)
    if shape.period % period:
        raise _cannot(
            shape,
            f"its interior has the period {period}, and the format's must divide {shape.period}",
            "give a table with another interior",
        )
    start = max(1, table.start, *(-row.first for row in noise))
    if shape.start is None:
        if start > MOST_COUNTS:
            raise _cannot(shape, f"it has {start} rows before its interior", f"give one with at most {MOST_COUNTS}")
    elif start > shape.start:
        raise _cannot(
            shape,
            f"the counts up to {start - 1} have rows of their own, and the format's end at {shape.start - 1}",
            "give a table with fewer",
        )
    first = start if shape.start is None else shape.start
    rows = [trimmed(table.row(max(count, domain.lower))) for count in range(first)]
    turned = [noise[(first - table.start + place) % period] for place in range(period)]
    return rows, turned


def _least_period(rows: list[IntegerRow]) -> list[IntegerRow]:
    size = len(rows)
    return next(
        rows[:period]
        for period in range(1, size + 1)
        if size % period == 0 and all(rows[place] == rows[place % period] for place in range(size))
    )


def _clamped(row: IntegerRow) -> IntegerRow:
    if row.first >= 0:
        return row
    below = sum(row.weights[: 1 - row.first])
    return IntegerRow(0, (below, *row.weights[1 - row.first :]))


def _total(rows: list[IntegerRow], denominator: int, shape: Shape) -> int | None:
    """The first of the format's totals in which every weight is whole."""
    for total in shape.totals:
        if all(weight * total % denominator == 0 for row in rows for weight in row.weights):
            return total
    return None


def _rounded(row: IntegerRow, denominator: int, total: int, truth: int) -> IntegerRow:
    scaled = [(weight * total << GUARD) // denominator for weight in row.weights]
    return trimmed(IntegerRow(row.first, tuple(largest_remainders(scaled, total, truth - row.first))))

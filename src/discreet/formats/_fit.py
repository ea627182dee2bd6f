"""Make a table fit into a format, if the caller allows the change that this needs.

Every tool here publishes count + change, so an output below 0 would be printed. All tools but Cantabular leave empty
cells alone, whatever the table has for the count 0, because a cell without records has no key. Probabilities are
numbers of keys, or decimals. A table that respects these limits is written exactly. Any other table is refused with the
reason, unless the caller allows the change:

    clamp        outputs below 0 become 0: post-processing, which costs no privacy
    leave_zeros  the count 0 stays 0: this costs privacy at the pair (0, 1)
    round        every row is rounded to weights that the format has, by largest remainder

The result is a mechanism again, and its privacy is computed again.
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
"""Largest number of counts that a table of bounds may list."""


@dataclass(frozen=True)
class FormatLimits:
    """What a format can hold.

    Attributes
    ----------
    name
        The name of the format, for messages.
    totals
        The sums that the weights of a row may have. The first one that is exact is used, or else the last.
    unit
        The word for these numbers, for messages.
    period
        The period of the interior must divide this number.
    start
        The count at which the interior starts. None: any count.
    perturbs_zero
        True if the count 0 may be perturbed.
    """

    name: str
    totals: tuple[int, ...]
    unit: str
    period: int
    start: int | None
    perturbs_zero: bool


@dataclass(frozen=True)
class FittedTable:
    """A table that a format can hold.

    Attributes
    ----------
    total
        The sum of the weights of a row.
    rows
        The rows of the counts 0, 1, 2, ... as outputs.
    interior
        The rows of all larger counts, as noise.
    changes
        How the table was changed, in words.
    """

    total: int
    rows: tuple[IntegerRow, ...]
    interior: tuple[IntegerRow, ...]
    changes: tuple[str, ...]

    def outputs(self, count: int) -> Iterator[tuple[int, int]]:
        """Yield outputs and weights of a count, without outputs of weight 0."""
        start = len(self.rows)
        row = self.rows[count] if count < start else self.interior[(count - start) % len(self.interior)]
        shift = 0 if count < start else count
        return ((output + shift, weight) for output, weight in enumerate(row.weights, row.first) if weight)

    def mechanism(self, neighbours: object, design: dict[str, object]) -> Mechanism:
        """Return the mechanism that is written."""
        rows, interior = (
            [Row.exact(row.first, row.weights, self.total) for row in part] for part in (self.rows, self.interior)
        )
        return Mechanism(Counts(), rows, interior, neighbours, design)  # type: ignore[arg-type]


def fit(
    table: Table,
    denominator: int,
    limits: FormatLimits,
    *,
    round: bool = False,  # noqa: A002
    clamp: bool = False,
    leave_zeros: bool = False,
) -> FittedTable:
    """Return the table as the format holds it.

    Parameters
    ----------
    table, denominator
        Integer weights and their denominator (`exact_weights`).
    limits
        What the format can hold.
    round, clamp, leave_zeros
        Changes that are allowed.

    Raises
    ------
    FormatError
        The format cannot hold the table, and the change that would help is not allowed.
    """
    rows, interior = _laid_out(table, limits)
    changes = []
    if any(row.first < 0 for row in rows):
        if not clamp:
            count = next(count for count, row in enumerate(rows) if row.first < 0)
            raise _cannot_hold(
                limits,
                f"the output of count {count} may be {rows[count].first}, and the tool would publish that",
                "with clamp, outputs below 0 are written as 0, which costs no privacy",
            )
        rows = [_clamped(row) for row in rows]
        changes.append("outputs below 0 are written as 0")
    unperturbed = IntegerRow(0, (denominator,))
    if rows[0] != unperturbed and not limits.perturbs_zero:
        if not leave_zeros:
            raise _cannot_hold(
                limits,
                "its count 0 is perturbed, and the tool leaves empty cells alone, whatever the table has",
                "with leave-zeros, the count 0 is written as 0, which changes the delta of the table",
            )
        rows[0] = unperturbed
        changes.append("the count 0 is left alone")
    total = _exact_total(rows + interior, denominator, limits)
    if total is None:
        if not round:
            raise _cannot_hold(
                limits,
                f"its probabilities are not multiples of {_units(limits)}",
                "with round, every row is rounded to such multiples, and the privacy of the table is computed again",
            )
        total = limits.totals[-1]
        changes.append(f"probabilities are rounded to {total} {limits.unit}")
    small = [_rounded(row, denominator, total, count) for count, row in enumerate(rows)]
    noise = [_rounded(row, denominator, total, 0) for row in interior]
    return FittedTable(total, tuple(small), tuple(noise), tuple(changes))


def _cannot_hold(limits: FormatLimits, reason: str, remedy: str) -> FormatError:
    return FormatError(f"the format {limits.name!r} cannot hold this table: {reason}; {remedy}")


def _units(limits: FormatLimits) -> str:
    return " or ".join(f"1/{total}" for total in limits.totals) + f" ({limits.unit})"


def _laid_out(table: Table, limits: FormatLimits) -> tuple[list[IntegerRow], list[IntegerRow]]:
    """Return rows for the counts from 0 on, and an interior without outputs below 0, that start where the format asks.

    Raise FormatError if domain, period or number of rows do not fit.
    """
    domain = table.domain
    if not isinstance(domain, Counts):
        raise _cannot_hold(limits, f"it is on {domain}", "give a table on counts")
    if domain.upper is not None:
        raise _cannot_hold(
            limits,
            f"its counts end at {domain.upper}, larger counts are clamped, and the tool cannot clamp",
            "give a table without an upper end",
        )
    noise = _least_period([trimmed(row) for row in table.interior])
    period = len(noise)
    if limits.period % period:
        raise _cannot_hold(
            limits,
            f"its interior has the period {period}, and in this format the period must divide {limits.period}",
            "give a table with another interior",
        )
    first = _interior_start(max(1, table.start, *(-row.first for row in noise)), limits)
    rows = [trimmed(table.row(max(count, domain.lower))) for count in range(first)]
    return rows, [noise[(first - table.start + index) % period] for index in range(period)]


def _interior_start(least: int, limits: FormatLimits) -> int:
    """Return the count at which the interior starts, `least` or more. Raise FormatError if there is none."""
    if limits.start is None and least > MOST_COUNTS:
        raise _cannot_hold(
            limits, f"it has {least} rows before its interior", f"give a table with at most {MOST_COUNTS}"
        )
    if limits.start is not None and least > limits.start:
        raise _cannot_hold(
            limits,
            f"the counts up to {least - 1} have rows of their own, and in this format such rows end at"
            f" {limits.start - 1}",
            "give a table with fewer rows",
        )
    return least if limits.start is None else limits.start


def _least_period(rows: list[IntegerRow]) -> list[IntegerRow]:
    size = len(rows)
    return next(
        rows[:period]
        for period in range(1, size + 1)
        if size % period == 0 and all(rows[index] == rows[index % period] for index in range(size))
    )


def _clamped(row: IntegerRow) -> IntegerRow:
    if row.first >= 0:
        return row
    up_to_zero = sum(row.weights[: 1 - row.first])
    return IntegerRow(0, (up_to_zero, *row.weights[1 - row.first :]))


def _exact_total(rows: list[IntegerRow], denominator: int, limits: FormatLimits) -> int | None:
    """Return the first total of the format for which every weight is an integer, or None."""
    for total in limits.totals:
        if all(weight * total % denominator == 0 for row in rows for weight in row.weights):
            return total
    return None


def _rounded(row: IntegerRow, denominator: int, total: int, truth: int) -> IntegerRow:
    scaled = [(weight * total << GUARD) // denominator for weight in row.weights]
    return trimmed(IntegerRow(row.first, tuple(largest_remainders(scaled, total, truth - row.first))))

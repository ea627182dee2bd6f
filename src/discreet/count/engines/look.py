"""Queries of a look at the data, for the steward: what values a column has, and which of them are not declared.

A release never runs these queries. Their results are private.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from discreet.count.engines import sql
from discreet.count.engines.sql import Column, Dialect
from discreet.plan.codebook import Recode

QUANTILES = (0.0, 0.02, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.98)
"""Quantiles of the numbers of a column."""

DATE_PATTERN = "^([0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4})$"
"""Text that looks like a date: 2024-05-31, 31.5.2024, 5/31/2024."""

ZERO_PATTERN = "^0[0-9]+$"
"""Text that looks like a code: digits after a zero."""

FIELDS = ("rows", "values", "distinct", "numbers", "whole", "dates", "zeros", "length")
"""The first columns of the query for one column; then come the quantiles."""


@dataclass(frozen=True, repr=False)
class ColumnLook:
    """What the values of a column are like. It holds the truth.

    Attributes
    ----------
    rows, values, distinct
        The number of rows, of values that are not missing, and of different values.
    numbers, whole
        The number of values that are numbers, and that are whole numbers.
    dates, zeros
        The number of texts that look like a date, and of texts of digits that start with 0.
    length
        The mean number of characters.
    quantiles
        The quantiles of the numbers; empty if there are none.
    """

    rows: int
    values: int
    distinct: int
    numbers: int
    whole: int
    dates: int
    zeros: int
    length: float
    quantiles: tuple[float, ...]

    @classmethod
    def of(cls, fields: Sequence[float | None]) -> "ColumnLook":
        """Return the look from the columns of the query, in order."""
        rows, values, distinct, numbers, whole, dates, zeros, length = (
            0 if field is None else int(field) for field in fields[: len(FIELDS)]
        )
        quantiles = tuple(field for field in fields[len(FIELDS) :] if field is not None)
        return cls(rows, values, distinct, numbers, whole, dates, zeros, length / max(values, 1), quantiles)


def look(column: Column, dialect: Dialect, source: str, *, dates: bool = False) -> str:
    """Return the query for the look at a column: one row of doubles, q0, q1, ...

    With `dates`, the numbers are dates as integers (`sql.date_of`).

    Rows are grouped by value first, so that patterns and quantiles need only the different values.
    """
    value = replace(column, sql="g.v") if column.type == "text" else Column("g.v", column.family)
    converted = sql.date_of(value, dialect) if dates else sql.number_of(value, dialect)
    text, number = f"CAST(g.v AS {dialect.text_type})", f"CAST({converted} AS {dialect.double_type})"
    grouped = (
        f"SELECT r.v AS v, COUNT(*) AS times FROM (SELECT {sql.value_of(column, dialect)} AS v FROM {source}) r"  # noqa: S608
        " GROUP BY r.v"
    )
    patterned = (
        f"SELECT g.v AS v, g.times AS times, {number} AS n, length({text}) AS size,"  # noqa: S608
        f" {dialect.matches(text, DATE_PATTERN)} AS is_date, {dialect.matches(text, ZERO_PATTERN)} AS is_code"
        f" FROM ({grouped}) g"
    )
    numbers = "SUM(CASE WHEN p.n IS NULL THEN 0 ELSE p.times END)"
    rows = f"SELECT p.*, {numbers} OVER (ORDER BY p.n) AS below, {numbers} OVER () AS all_numbers FROM ({patterned}) p"  # noqa: S608
    conditions = ("v IS NOT NULL", "n IS NOT NULL", "n = floor(n)", "is_date", "is_code")
    values, *others = (f"SUM(CASE WHEN {condition} THEN times END)" for condition in conditions)
    quantiles = (f"MIN(CASE WHEN n IS NOT NULL AND below >= {share} * all_numbers THEN n END)" for share in QUANTILES)
    fields = ["SUM(times)", values, "COUNT(v)", *others, "SUM(times * size)", *quantiles]
    outer = ", ".join(f"CAST({field} AS {dialect.double_type}) AS q{i}" for i, field in enumerate(fields))
    return f"SELECT {outer} FROM ({rows}) t"  # noqa: S608


def frequencies(value: str, source: str, most: int) -> str:
    """Return the query for the most frequent values of an expression and their numbers of rows, `most` at most."""
    return (
        f"SELECT value, CAST(COUNT(*) AS BIGINT) AS times FROM (SELECT {value} AS value FROM {source}) r"  # noqa: S608
        f" WHERE value IS NOT NULL GROUP BY value ORDER BY COUNT(*) DESC, value LIMIT {most}"
    )


def undeclared(recode: Recode, column: Column, unit: Column | None, dialect: Dialect, source: str, most: int) -> str:
    """Return the query for the values that count as `_other`, the most frequent first; the missing value before all.

    With a unit, rows without an id are left out.
    """
    coded = sql.column_codes(0, recode, column, dialect)
    inner = [f"{sql.value_of(column, dialect)} AS value"]
    inner += [] if coded.value is None else [f"{coded.value} AS v0"]
    inner += [] if unit is None else [f"{sql.value_of(unit, dialect)} AS id"]
    with_id = "" if unit is None else " WHERE r.id IS NOT NULL"
    rows = (
        f"SELECT r.value AS value, {coded.looked_up} AS t0 FROM (SELECT {', '.join(inner)} FROM {source}) r"  # noqa: S608
        f" {coded.join}{with_id}"
    )
    return (
        f"SELECT t.value AS value, CAST(COUNT(*) AS BIGINT) AS times FROM ({rows}) t WHERE {coded.code} ="  # noqa: S608
        f" {recode.leaves} GROUP BY t.value ORDER BY CASE WHEN t.value IS NULL THEN 0 ELSE 1 END, COUNT(*) DESC,"
        f" t.value LIMIT {most}"
    )

"""The queries of all engines, and the rules by which a raw value becomes a code.

    inner    the id, and the value v of every recoded column, in a form that all engines compare alike
             (`canonical_text.Family`)
    outer    the id, and t0, t1, ...: each value is looked up, or falls between two cuts. Rows without id are left out
    counted  grouped by t0, t1, ... and counted, or row by row. Each t becomes a code, if it is not a code already

A dialect says how an engine writes a cast, a test or a lookup. Only names and declared categories are in the text of a
query. Keys and secrets never are.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from discreet.count.engines.date_expression import DateOrder, date_expression
from discreet.count.recode import CountPlan, Kind
from discreet.errors import InputError
from discreet.plan.canonical_text import (
    INTEGER_PATTERN,
    LARGEST_INTEGER,
    LARGEST_NUMBER,
    LONGEST_NUMBER,
    LONGEST_TEXT,
    NUMBER_PATTERN,
    Family,
    typed,
)
from discreet.plan.codebook import Recode

ColumnType = Literal["int", "wide", "float", "decimal", "text", "bool", "date", "timestamp", "other"]
"""The types that queries tell apart. wide: integers beyond 64 bits."""

KINDS: Mapping[ColumnType, Kind] = {
    "int": "int", "wide": "int", "float": "float", "decimal": "float", "text": "text",
    "bool": "bool", "date": "date", "timestamp": "date", "other": "other",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column, as a query refers to it, its type, and the decimal mark and the order of dates in a text."""

    sql: str
    type: ColumnType
    decimal: str = "."
    dates: DateOrder = "ymd"

    @property
    def family(self) -> Family:
        """The form in which values of the column are compared."""
        return self.type if self.type in ("int", "float") else "text"


@dataclass(frozen=True)
class Lookup:
    """How the code of a value is found; NULL if the value has no code.

    Attributes
    ----------
    value
        The expression that reads the value from a row. Its name is r.v0 (r.v1, ...) in the other expressions.
    looked_up
        The code, from r.v0; or another expression with one value for each code. Its name is t.t0.
    join
        The join that `looked_up` needs, if any.
    code
        The code, from t.t0, if `looked_up` is not a code.
    """

    value: str
    looked_up: str
    join: str = ""
    code: str | None = None


class Dialect(Protocol):
    """How one engine writes casts, tests and lookups. `x` is an expression."""

    @property
    def text_type(self) -> str:
        """The name of the type of texts."""

    @property
    def double_type(self) -> str:
        """The name of the type of doubles."""

    @property
    def byte_length(self) -> str:
        """The name of the function for the bytes of a text."""

    def text(self, x: str) -> str:
        """Return x as a text."""

    def stripped(self, text: str) -> str:
        """Return a text without white space at its ends, compared byte by byte."""

    def is_finite(self, x: str) -> str:
        """Return a test that is true if the float x is neither NaN nor infinite."""

    def is_integral(self, x: str) -> str:
        """Return a test that is true if the float or decimal x is a 64-bit integer."""

    def decimal_text(self, x: str) -> str:
        """Return the canonical text of a decimal; NULL if it is NaN or infinite."""

    def timestamp(self, x: str) -> str:
        """Return a timestamp in UTC, without a zone; NULL if the engine does not know the time."""

    def matches(self, x: str, pattern: str) -> str:
        """Return a test that is true if the text x as a whole matches a regular expression."""

    def parsed_double(self, x: str) -> str:
        """Return a decimal, or a text that is a number, as a double; NULL beyond LARGEST_NUMBER."""

    def parsed_integer(self, x: str) -> str:
        """Return a number, or a text that is an integer, as a 64-bit integer; NULL or an error if x is no integer."""

    def lookup(self, column: Column, index: int, raw: Sequence[object], codes: Sequence[int]) -> Lookup:
        """Return the lookup of the codes of raw values. The name m0 (m1, ...), by the index, is free for it."""

    def repeated(self, ids: str, most: int) -> str:
        """Return the query for the ids that occur more than `most` times in the query `ids`."""


# The three functions below have the same form on purpose: each has one case for each type of column.


def value_of(column: Column, dialect: Dialect) -> str:
    """Return the value of a column in the form of its family; NULL if it is missing, blank, NaN or infinite."""
    x = column.sql
    match column.type:
        case "int":
            return f"CAST({x} AS BIGINT)"
        case "float":
            return f"CASE WHEN {dialect.is_finite(x)} THEN CAST({x} AS {dialect.double_type}) + 0 END"
        case "decimal":
            return dialect.decimal_text(x)
        case "wide" | "bool" | "date":
            return f"CAST({x} AS {dialect.text_type})"
        case "timestamp":
            return f"replace(CAST({dialect.timestamp(x)} AS {dialect.text_type}), ' ', 'T')"
        case _:
            return f"nullif({trimmed(x, dialect)}, '')"


def number_of(column: Column, dialect: Dialect) -> str:
    """Return the value of a column as a number: a 64-bit integer for an "int", else a double; NULL if it is none."""
    x = column.sql
    match column.type:
        case "int":
            return f"CAST({x} AS BIGINT)"
        case "float":
            return bounded(f"CAST({x} AS {dialect.double_type})", dialect)
        case "wide" | "decimal":
            return dialect.parsed_double(x)
        case "text":
            text = trimmed(x, dialect)
            pattern = NUMBER_PATTERN.replace("[.]", f"[{column.decimal}]")
            is_number = f"{dialect.matches(text, pattern)} AND length({text}) <= {LONGEST_NUMBER}"
            with_point = text if column.decimal == "." else f"replace({text}, '{column.decimal}', '.')"
            return f"CASE WHEN {is_number} THEN {dialect.parsed_double(with_point)} END"
        case _:
            return f"CAST(NULL AS {dialect.double_type})"


def date_of(column: Column, dialect: Dialect) -> str:
    """Return the value of a column as a date, the integer YYYYMMDD; NULL if it is none."""
    if column.type not in ("text", "date", "timestamp"):
        return "CAST(NULL AS BIGINT)"
    return date_expression(value_of(column, dialect), column.dates if column.type == "text" else "ymd", dialect)


def integer_of(column: Column, dialect: Dialect) -> str:
    """Return the value of a column as a 64-bit integer; NULL if it is none."""
    x = column.sql
    match column.type:
        case "int":
            return f"CAST({x} AS BIGINT)"
        case "wide":
            return dialect.parsed_integer(x)
        case "float" | "decimal":
            return f"CASE WHEN {dialect.is_integral(x)} THEN {dialect.parsed_integer(x)} END"
        case "text":
            text = trimmed(x, dialect)
            return f"CASE WHEN {dialect.matches(text, INTEGER_PATTERN)} THEN {dialect.parsed_integer(text)} END"
        case _:
            return "CAST(NULL AS BIGINT)"


def trimmed(x: str, dialect: Dialect) -> str:
    """Return x as a text without white space at its ends; NULL if the text is too long."""
    text = dialect.text(x)
    return f"CASE WHEN {dialect.byte_length}({text}) <= {LONGEST_TEXT} THEN {dialect.stripped(text)} END"


def bounded(x: str, dialect: Dialect) -> str:
    """Return a double; NULL if it is NaN or beyond LARGEST_NUMBER."""
    return f"CASE WHEN abs({x}) <= {double(LARGEST_NUMBER, dialect)} THEN {x} END"


def double(number: float, dialect: Dialect) -> str:
    """Return the literal of a double."""
    return f"CAST('{number!r}' AS {dialect.double_type})"


def joined(value: str, index: int, table: str) -> Lookup:
    """Return a lookup by a join with a table of the columns raw and code, which has the name m0 (m1, ...)."""
    return Lookup(value, f"m{index}.code", f"LEFT JOIN {table} ON m{index}.raw = r.v{index}")


@dataclass(frozen=True)
class Rows:
    """The rows that count.

    Attributes
    ----------
    query
        The query for id (if there is a unit), t0, t1, ..., k0, k1, ...
    codes
        The expression that makes a code of each t.
    """

    query: str
    codes: tuple[str, ...]


class CodedColumn(NamedTuple):
    """The parts of a query that turn one column into codes: the value v, if there is one, the lookup t, the code."""

    value: str | None
    looked_up: str
    join: str
    code: str


def rows(
    plan: CountPlan, columns: Mapping[str, Column], dialect: Dialect, source: str, keys: Sequence[str] = ()
) -> Rows:
    """Return the rows that count, with the expressions `keys` as further columns k0, k1, ..."""
    inner = [] if plan.unit is None else [f"{value_of(columns[plan.unit], dialect)} AS id"]
    outer = [] if plan.unit is None else ["r.id AS id"]
    coded_columns = [column_codes(i, recode, columns[recode.column], dialect) for i, recode in enumerate(plan.recodes)]
    for i, coded_column in enumerate(coded_columns):
        inner += [] if coded_column.value is None else [f"{coded_column.value} AS v{i}"]
        outer.append(f"{coded_column.looked_up} AS t{i}")
    for i, key in enumerate(keys):
        inner.append(f"{key} AS k{i}")
        outer.append(f"r.k{i} AS k{i}")
    joins = "".join(f" {coded_column.join}" for coded_column in coded_columns if coded_column.join)
    with_id = "" if plan.unit is None else " WHERE r.id IS NOT NULL"
    query = (
        f"SELECT {', '.join(outer or ['1 AS one'])} FROM (SELECT {', '.join(inner or ['1 AS one'])} FROM {source}) r"  # noqa: S608
        f"{joins}{with_id}"
    )
    return Rows(query, tuple(coded_column.code for coded_column in coded_columns))


def column_codes(index: int, recode: Recode, column: Column, dialect: Dialect) -> CodedColumn:
    """Return the parts of a query for one recode. A value without a code has the code `leaves`."""
    code = f"CAST(t.t{index} AS INTEGER)"
    if recode.values is None:
        whole = recode.dates or column.type == "int"
        tree = _ranges(f"r.v{index}", *recode.segments(), dialect, whole=whole)
        looked_up = f"CASE WHEN r.v{index} IS NULL THEN {recode.leaves} ELSE {tree} END"
        value = date_of(column, dialect) if recode.dates else number_of(column, dialect)
        return CodedColumn(value, looked_up, "", code)
    raw, codes = typed(recode.values, column.family)
    if not raw:
        return CodedColumn(None, str(recode.leaves), "", code)
    lookup = dialect.lookup(column, index, raw, codes)
    if lookup.code is None:
        return CodedColumn(lookup.value, f"COALESCE({lookup.looked_up}, {recode.leaves})", lookup.join, code)
    code = f"CAST(COALESCE({lookup.code}, {recode.leaves}) AS INTEGER)"
    return CodedColumn(lookup.value, lookup.looked_up, lookup.join, code)


def coded(plan: CountPlan, rows: Rows) -> str:
    """Return the query for id, c0, c1, ..., one line a row."""
    names = [] if plan.unit is None else ["t.id AS id"]
    return f"SELECT {', '.join([*names, *_named_codes(rows)] or ['1 AS one'])} FROM ({rows.query}) t"  # noqa: S608


def count(rows: Rows, sums: int = 0) -> str:
    """Return the query for c0, c1, ..., the count of their rows, and the sums of k0, k1, ... over these rows."""
    totals = ["CAST(COUNT(*) AS BIGINT) AS count", *(f"CAST(SUM(k{i}) AS BIGINT) AS s{i}" for i in range(sums))]
    group = ", ".join(f"t.t{i}" for i in range(len(rows.codes)))
    return (
        f"SELECT {', '.join([*_named_codes(rows), *totals])} FROM ({rows.query}) t"  # noqa: S608
        f"{f' GROUP BY {group}' if group else ''} HAVING COUNT(*) > 0"
    )


def _named_codes(rows: Rows) -> list[str]:
    return [f"{code} AS c{i}" for i, code in enumerate(rows.codes)]


def repeated(ids: str, most: int) -> str:
    """Return the query, in any dialect, for the ids that occur more than `most` times in the query `ids`."""
    return f"SELECT id FROM ({ids}) u GROUP BY id HAVING COUNT(*) > {most}"  # noqa: S608


def excess(plan: CountPlan, rows: str, repeated: str) -> str:
    """Return the query for id, c0, c1, ..., times of the ids that the query `repeated` names, by id."""
    codes = "".join(f", t.{code}" for code in plan.codes)
    return (
        f"SELECT t.id AS id{codes}, CAST(COUNT(*) AS BIGINT) AS times FROM ({rows}) t JOIN ({repeated}) m "  # noqa: S608
        f"ON t.id = m.id GROUP BY t.id{codes} ORDER BY t.id"
    )


def values(value: str, source: str, most: int) -> str:
    """Return the query for the different values of an expression that are not NULL, in any order, `most` at most."""
    return f"SELECT DISTINCT value FROM (SELECT {value} AS value FROM {source}) r WHERE value IS NOT NULL LIMIT {most}"  # noqa: S608


def reduced(key: str, modulus: int) -> str:
    """Return an integer record key that came with the data, modulo `modulus`; 0 if it is NULL."""
    return f"COALESCE(({key} % {modulus} + {modulus}) % {modulus}, 0)"


def scaled(key: str, modulus: int) -> str:
    """Return a record key from 0 to below 1 that came with the data, as an integer below `modulus`; 0 if it is none."""
    return f"COALESCE(CASE WHEN {key} >= 0 AND {key} < 1 THEN CAST(floor({key} * {modulus}) AS BIGINT) END, 0)"


def quoted(name: str, mark: str = '"') -> str:
    """Return a name in quotes. Raise InputError if the name has a NUL character."""
    if "\0" in name:
        raise InputError(f"the name {name!r} contains a NUL character; no database has such a name")
    return mark + name.replace(mark, mark * 2) + mark


def literal(text: str) -> str:
    """Return a text in quotes, for dialects where a backslash is a backslash."""
    return "'" + text.replace("'", "''") + "'"


def table_parts(name: str) -> list[str]:
    """Return the parts of table, schema.table or catalog.schema.table. A part with a dot stands in double quotes.

    Raises
    ------
    InputError
        The name has an empty part, or more than three parts.
    """
    parts = re.findall(r'"(?:[^"]|"")+"|[^."]+|(?<=\.)(?=\.|$)', name)
    if not parts or ".".join(parts) != name or len(parts) > 3 or "" in parts:
        raise InputError(
            f"the table is {name!r}; give table or schema.table, and put a name that has dots in double quotes"
        )
    return [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts]


def _ranges(value: str, cuts: list[float], codes: list[int], dialect: Dialect, *, whole: bool) -> str:
    """Return the code of a value by cuts and codes (`Recode.segments`). Integers are compared with integers."""
    if not whole:
        return _tree(value, [double(cut, dialect) for cut in cuts], codes)
    integer_cuts = [(math.ceil(cut), code) for cut, code in zip(cuts, codes[1:], strict=True)]
    below = [code for cut, code in integer_cuts if cut <= -LARGEST_INTEGER]
    first = below[-1] if below else codes[0]
    inside = [(cut, code) for cut, code in integer_cuts if -LARGEST_INTEGER < cut <= LARGEST_INTEGER]
    return _tree(value, [str(cut) for cut, _ in inside], [first, *(code for _, code in inside)])


def _tree(value: str, cuts: list[str], codes: list[int]) -> str:
    """Return a binary search as nested CASEs."""
    if not cuts:
        return str(codes[0])
    middle = len(cuts) // 2
    below = _tree(value, cuts[:middle], codes[: middle + 1])
    above = _tree(value, cuts[middle + 1 :], codes[middle + 1 :])
    return f"CASE WHEN {value} < {cuts[middle]} THEN {below} ELSE {above} END"

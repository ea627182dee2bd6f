"""The queries, written once for all engines; a dialect says how a column's value is taken and looked up.

    inner    id and the value v of every recoded column, in a form that engines compare alike (see `canonical.Family`)
    found    id, t0, t1, ...: a value is looked up, or falls between cuts; rows without id are gone
    outer    grouped by t0, t1, ... and counted, or row by row; a code is made of each t, where it is not one already

Only names and declared categories are in the text of a query. Keys and secrets never are.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from discreet.count.recode import CountPlan, Kind
from discreet.errors import InputError, ParameterError
from discreet.plan.canonical_text import LARGEST_INTEGER, Family, typed

Type = Literal["int", "wide", "float", "decimal", "text", "bool", "date", "timestamp", "other"]
"""As far as queries tell types apart; wide: integers beyond 64 bits."""

KINDS: Mapping[Type, Kind] = {
    "int": "int", "wide": "int", "float": "float", "decimal": "float", "text": "text",
    "bool": "bool", "date": "date", "timestamp": "date", "other": "other",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column as a query refers to it, and its type."""

    sql: str
    type: Type

    @property
    def family(self) -> Family:
        """The form in which its values are compared."""
        return self.type if self.type in ("int", "float") else "text"


@dataclass(frozen=True)
class Lookup:
    """How the code of a column's value is found; NULL where it has none.

    Attributes
    ----------
    value
        What is taken from a row, called r.v0 (r.v1, ...) from there on.
    found
        The code, made of r.v0; or something else that has one value for each code, called t.t0 from there on.
    join
        What `found` needs to be joined, if anything.
    code
        The code, made of t.t0, where `found` is not a code.
    """

    value: str
    found: str
    join: str = ""
    code: str | None = None


class Dialect(Protocol):
    """What differs between engines."""

    def value(self, column: Column) -> str:
        """The value in its family's form; NULL where it is missing, blank, NaN or infinite."""

    def number(self, column: Column) -> str:
        """The value as a number (64-bit integer for an "int", else double); NULL where it has none."""

    def whole(self, column: Column) -> str:
        """The value as a 64-bit integer; NULL where it is none."""

    def double(self, number: float) -> str:
        """A literal."""

    def lookup(self, column: Column, place: int, raw: Sequence[object], codes: Sequence[int]) -> Lookup:
        """How a value of the column's family has its code; the name m0 (m1, ...), by the place, is free for it."""

    def repeated(self, ids: str, most: int) -> str:
        """The query for the ids that occur more than `most` times in the query `ids`."""


@dataclass(frozen=True)
class Rows:
    """The query for id (where there is a unit), t0, t1, ..., k0, k1, ..., and how each t becomes a code."""

    query: str
    codes: tuple[str, ...]


def rows(
    plan: CountPlan, columns: Mapping[str, Column], dialect: Dialect, source: str, keys: Sequence[str] = ()
) -> Rows:
    """The rows that count, with further columns `keys` (expressions) as k0, k1, ..."""
    inner = [] if plan.unit is None else [f"{dialect.value(columns[plan.unit])} AS id"]
    outer = [] if plan.unit is None else ["r.id AS id"]
    joins, made = "", []
    for i, recode in enumerate(plan.recodes):
        column = columns[recode.column]
        code = None
        if recode.values is None:
            inner.append(f"{dialect.number(column)} AS v{i}")
            tree = _ranges(f"r.v{i}", column, *recode.segments(), dialect)
            found = f"CASE WHEN r.v{i} IS NULL THEN {recode.leaves} ELSE {tree} END"
        elif (declared := typed(recode.values, column.family))[0]:
            lookup = dialect.lookup(column, i, *declared)
            inner.append(f"{lookup.value} AS v{i}")
            joins, code = f"{joins} {lookup.join}", lookup.code
            found = lookup.found if code else f"COALESCE({lookup.found}, {recode.leaves})"
        else:
            found = str(recode.leaves)
        outer.append(f"{found} AS t{i}")
        made.append(f"CAST({f'COALESCE({code}, {recode.leaves})' if code else f't.t{i}'} AS INTEGER)")
    for i, key in enumerate(keys):
        inner.append(f"{key} AS k{i}")
        outer.append(f"r.k{i} AS k{i}")
    some = "" if plan.unit is None else " WHERE r.id IS NOT NULL"
    query = (
        f"SELECT {', '.join(outer or ['1 AS one'])} FROM (SELECT {', '.join(inner or ['1 AS one'])} FROM {source}) r"  # noqa: S608
        f"{joins}{some}"
    )
    return Rows(query, tuple(made))


def coded(plan: CountPlan, found: Rows) -> str:
    """Lines id, c0, c1, ..., one a row."""
    names = [] if plan.unit is None else ["t.id AS id"]
    return f"SELECT {', '.join([*names, *_named(found)] or ['1 AS one'])} FROM ({found.query}) t"  # noqa: S608


def count(found: Rows, sums: int = 0) -> str:
    """Lines c0, c1, ..., count and the sums of k0, k1, ... over the rows of each."""
    totals = ["CAST(COUNT(*) AS BIGINT) AS count", *(f"CAST(SUM(k{i}) AS BIGINT) AS s{i}" for i in range(sums))]
    group = ", ".join(f"t.t{i}" for i in range(len(found.codes)))
    return (
        f"SELECT {', '.join([*_named(found), *totals])} FROM ({found.query}) t"  # noqa: S608
        f"{f' GROUP BY {group}' if group else ''} HAVING COUNT(*) > 0"
    )


def _named(found: Rows) -> list[str]:
    return [f"{code} AS c{i}" for i, code in enumerate(found.codes)]


def repeated(ids: str, most: int) -> str:
    """The ids that occur more than `most` times in the query `ids`, in any dialect."""
    return f"SELECT id FROM ({ids}) u GROUP BY id HAVING COUNT(*) > {most}"  # noqa: S608


def excess(plan: CountPlan, rows: str, repeated: str) -> str:
    """Lines id, c0, c1, ..., times of the ids that the query `repeated` names, by id."""
    codes = "".join(f", t.{code}" for code in plan.codes)
    return (
        f"SELECT t.id AS id{codes}, CAST(COUNT(*) AS BIGINT) AS times FROM ({rows}) t JOIN ({repeated}) m "  # noqa: S608
        f"ON t.id = m.id GROUP BY t.id{codes} ORDER BY t.id"
    )


def values(value: str, source: str, most: int) -> str:
    """The different values, in any order, that an expression has in the rows; not NULL, and no more than `most`."""
    return f"SELECT DISTINCT value FROM (SELECT {value} AS value FROM {source}) r WHERE value IS NOT NULL LIMIT {most}"  # noqa: S608


def reduced(key: str, modulus: int) -> str:
    """A record key that came with the data, modulo `modulus`; 0 where it is none."""
    if not 2 <= modulus <= 2**32:
        raise ParameterError(f"the modulus of the record keys is {modulus}; give 2 to 2**32")
    return f"COALESCE(({key} % {modulus} + {modulus}) % {modulus}, 0)"


def scaled(key: str, modulus: int) -> str:
    """A record key from 0 to below 1 that came with the data, as a whole number below `modulus`; 0 where it is none."""
    return f"COALESCE(CASE WHEN {key} >= 0 AND {key} < 1 THEN CAST(floor({key} * {modulus}) AS BIGINT) END, 0)"


def quoted(name: str, mark: str = '"') -> str:
    """A name in quotes, whatever is in it."""
    if "\0" in name:
        raise InputError("a name contains a NUL character; no database has such a name")
    return mark + name.replace(mark, mark * 2) + mark


def literal(text: str) -> str:
    """A text in quotes, for dialects where a backslash is a backslash."""
    return "'" + text.replace("'", "''") + "'"


def parts(name: str) -> list[str]:
    """The parts of table, schema.table or catalog.schema.table; a part with a dot in it stands in double quotes."""
    found = re.findall(r'"(?:[^"]|"")+"|[^."]+|(?<=\.)(?=\.|$)', name)
    if not found or ".".join(found) != name or len(found) > 3 or "" in found:
        raise InputError(
            f"the table is {name!r}; give table or schema.table, with a name that has dots in double quotes"
        )
    return [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in found]


def _ranges(value: str, column: Column, cuts: list[float], codes: list[int], dialect: Dialect) -> str:
    if column.type != "int":
        return _tree(value, [dialect.double(cut) for cut in cuts], codes)
    whole = [(math.ceil(cut), code) for cut, code in zip(cuts, codes[1:], strict=True)]
    below = [code for cut, code in whole if cut <= -LARGEST_INTEGER]
    first = below[-1] if below else codes[0]
    inside = [(cut, code) for cut, code in whole if -LARGEST_INTEGER < cut <= LARGEST_INTEGER]
    return _tree(value, [str(cut) for cut, _ in inside], [first, *(code for _, code in inside)])


def _tree(value: str, cuts: list[str], codes: list[int]) -> str:
    """Binary search as nested CASEs."""
    if not cuts:
        return str(codes[0])
    middle = len(cuts) // 2
    below = _tree(value, cuts[:middle], codes[: middle + 1])
    above = _tree(value, cuts[middle + 1 :], codes[middle + 1 :])
    return f"CASE WHEN {value} < {cuts[middle]} THEN {below} ELSE {above} END"

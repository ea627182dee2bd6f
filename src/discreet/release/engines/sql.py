"""The queries, written once for all engines; a dialect says how a column's value is taken and looked up.

    inner    id and the value v of every recoded column, in a form that engines compare alike (see `canonical.Family`)
    coded    id, c0, c1, ...: a value is looked up, or falls between cuts; rows without id are gone
    outer    grouped, counted, summed

Only names and declared categories are in the text of a query. Keys and secrets never are.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from discreet.errors import InputError, ParameterError
from discreet.release.engines.canonical import LARGEST_INTEGER, Family, typed
from discreet.release.engines.plan import Kind, Plan

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

    def lookup(
        self, value: str, name: str, raw: Sequence[object], codes: Sequence[int], family: Family
    ) -> tuple[str, str]:
        """The code of a value, NULL where it has none, and the join that makes it, if any; `name` is free for it."""


def coded(plan: Plan, columns: Mapping[str, Column], dialect: Dialect, source: str, keys: Sequence[str] = ()) -> str:
    """The query for id (where there is a unit), c0, c1, ... and further columns `keys` (expressions) as k0, k1, ..."""
    inner = [] if plan.unit is None else [f"{dialect.value(columns[plan.unit])} AS id"]
    outer = [] if plan.unit is None else ["r.id AS id"]
    joins = ""
    for i, recode in enumerate(plan.recodes):
        column = columns[recode.column]
        if recode.values is None:
            inner.append(f"{dialect.number(column)} AS v{i}")
            tree = _ranges(f"r.v{i}", column, *recode.segments(), dialect)
            code = f"CASE WHEN r.v{i} IS NULL THEN {recode.leaves} ELSE {tree} END"
        else:
            inner.append(f"{dialect.value(column)} AS v{i}")
            raw, codes = typed(recode.values, column.family)
            code = str(recode.leaves)
            if raw:
                code, join = dialect.lookup(f"r.v{i}", f"m{i}", raw, codes, column.family)
                code, joins = f"COALESCE({code}, {recode.leaves})", f"{joins} {join}"
        outer.append(f"CAST({code} AS INTEGER) AS c{i}")
    for i, key in enumerate(keys):
        inner.append(f"{key} AS k{i}")
        outer.append(f"r.k{i} AS k{i}")
    some = "" if plan.unit is None else " WHERE r.id IS NOT NULL"
    return (
        f"SELECT {', '.join(outer or ['1 AS one'])} FROM (SELECT {', '.join(inner or ['1 AS one'])} FROM {source}) r"  # noqa: S608
        f"{joins}{some}"
    )


def count(plan: Plan, rows: str, sums: int = 0) -> str:
    """Lines c0, c1, ..., count and the sums of k0, k1, ... over the coded rows."""
    totals = ["CAST(COUNT(*) AS BIGINT) AS count", *(f"CAST(SUM(k{i}) AS BIGINT) AS s{i}" for i in range(sums))]
    group = f" GROUP BY {', '.join(plan.codes)}" if plan.codes else ""
    return f"SELECT {', '.join([*plan.codes, *totals])} FROM ({rows}) t{group} HAVING COUNT(*) > 0"  # noqa: S608


def excess(plan: Plan, rows: str, unit: str, most: int) -> str:
    """Lines id, c0, c1, ..., times of the ids (of which `unit` is the query) with more than `most` rows, by id."""
    codes = "".join(f", t.{code}" for code in plan.codes)
    return (
        f"SELECT t.id AS id{codes}, CAST(COUNT(*) AS BIGINT) AS times FROM ({rows}) t JOIN "  # noqa: S608
        f"(SELECT id FROM ({unit}) u GROUP BY id HAVING COUNT(*) > {most}) m ON t.id = m.id "
        f"GROUP BY t.id{codes} ORDER BY t.id"
    )


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

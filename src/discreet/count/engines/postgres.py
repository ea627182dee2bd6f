"""PostgreSQL: a table or view of a server, counted on the server.

One read-only transaction at repeatable read, so that everything asked of an engine is asked of the same rows; nothing
is written, not even a temporary table. Rows are streamed through a server-side cursor. The connection string may come
from the environment ("env:NAME"); its password is in no message, and messages of the server's own are not passed on
where they could quote a row. The database must be in UTF8: a byte that a server cannot translate would make a query
fail on one person's row.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pyarrow as pa
from psycopg import sql as composed
from psycopg.conninfo import conninfo_to_dict

from discreet.count import arrow_batches
from discreet.count.engines import sql
from discreet.count.engines.sql import Column, Lookup, Type, literal, quoted
from discreet.errors import InputError
from discreet.plan.canonical_text import (
    INTEGER_PATTERN,
    LARGEST_NUMBER,
    LONGEST_NUMBER,
    LONGEST_TEXT,
    NUMBER_PATTERN,
    WHITE_SPACE,
)

_TYPES: dict[str, Type] = {
    "int2": "int", "int4": "int", "int8": "int", "oid": "int", "float4": "float", "float8": "float",
    "numeric": "decimal", "text": "text", "varchar": "text", "bpchar": "text", "name": "text", "char": "text",
    "bool": "bool", "date": "date", "timestamp": "timestamp", "timestamptz": "timestamp",
}  # fmt: skip
_ARRAYS = {"int": "bigint[]", "float": "float8[]", "text": "text[]"}
_NOTHING = "2.470328229206232721e-324"
"""Half of the smallest double: what is nearer to 0 is 0, and a cast to double would fail on it."""


class Postgres:
    """Rows of a PostgreSQL server.

    Parameters
    ----------
    dsn
        A connection string or URI, or "env:NAME": the environment variable that holds it.
    table
        table or schema.table; also a view.
    """

    def __init__(self, dsn: str, *, table: str) -> None:
        self._table = table
        self.source = ".".join(map(quoted, sql.parts(table)))
        with contextlib.ExitStack() as stack, _refusals(table):
            self._base = _connect(dsn)
            stack.callback(self._base.close)
            self.columns = self._described()
            self.dialect = _Dialect(self._base)
            self.close = stack.pop_all().close

    def rows(self, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """What a query gives; see `Database`."""
        with _refusals(self._table), self._base.cursor("discreet", binary=True) as cursor:
            cursor.execute(_text(query))
            while rows := cursor.fetchmany(arrow_batches.BATCH // 4):
                columns = zip(*rows, strict=True)
                arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def mend(self) -> bool:
        """Nothing can be; see `Database`."""
        return False

    def _described(self) -> dict[str, Column]:
        with self._base.cursor() as cursor:
            cursor.execute(_text(f"SELECT * FROM {self.source} LIMIT 0"))  # noqa: S608
            described = [(column.name, column.type_code) for column in cursor.description or ()]
            cursor.execute(
                "SELECT oid, CASE typtype WHEN 'e' THEN 'text' ELSE typname END FROM pg_type WHERE oid = ANY(%s)",
                [[code for _, code in described]],
            )
            names = dict(cursor.fetchall())
        return {name: Column(quoted(name), _TYPES.get(names[code], "other")) for name, code in described}


class _Dialect:
    """How PostgreSQL takes and looks up a value. NaN is its largest number and equal to itself."""

    def __init__(self, base: psycopg.Connection[Any]) -> None:
        self._base = base

    def value(self, column: Column) -> str:
        x = column.sql
        match column.type:
            case "int":
                return f"{x}::bigint"
            case "float":
                return f"CASE WHEN abs({x}::float8) < 'Infinity'::float8 THEN {x}::float8 + 0 END"
            case "decimal":
                return f"CASE WHEN {x}::text NOT IN ('NaN', 'Infinity', '-Infinity') THEN trim_scale({x})::text END"
            case "bool" | "date":
                return f"{x}::text"
            case "timestamp":
                return f"replace({x}::timestamp::text, ' ', 'T')"
            case _:
                return f"nullif({_trimmed(x)}, '')"

    def number(self, column: Column) -> str:
        x = column.sql
        match column.type:
            case "int":
                return f"{x}::bigint"
            case "float":
                return f"CASE WHEN abs({x}::float8) <= {self.double(LARGEST_NUMBER)} THEN {x}::float8 END"
            case "decimal":
                return _double(x)
            case "text":
                x = _trimmed(x)
                return (
                    f"CASE WHEN {x} ~ {literal(NUMBER_PATTERN)} AND length({x}) <= {LONGEST_NUMBER} "
                    f"THEN {_double(f'{x}::numeric')} END"
                )
            case _:
                return "NULL::float8"

    def whole(self, column: Column) -> str:
        x = column.sql
        match column.type:
            case "int":
                return f"{x}::bigint"
            case "float" | "decimal":
                return f"CASE WHEN abs({x}) < 9e18 AND {x} = trunc({x}::numeric) THEN {x}::bigint END"
            case "text":
                return f"CASE WHEN {_trimmed(x)} ~ {literal(INTEGER_PATTERN)} THEN {_trimmed(x)}::bigint END"
            case _:
                return "NULL::bigint"

    def double(self, number: float) -> str:
        return f"'{number!r}'::float8"

    def lookup(self, column: Column, place: int, raw: Sequence[object], codes: Sequence[int]) -> Lookup:
        arrays = f"{self._array(raw)}::{_ARRAYS[column.family]}, {self._array(codes)}::int[]"
        join = f"LEFT JOIN unnest({arrays}) AS m{place}(raw, code) ON m{place}.raw = r.v{place}"
        return Lookup(self.value(column), f"m{place}.code", join)

    def repeated(self, ids: str, most: int) -> str:
        return sql.repeated(ids, most)

    def _array(self, values: Sequence[object]) -> str:
        return composed.Literal(list(values)).as_string(self._base)


def _trimmed(x: str) -> str:
    """Text without white space at its ends; NULL where the text is too long."""
    text = f"{x}::text"
    trimmed = f'btrim({text} COLLATE "C", {literal(WHITE_SPACE)})'
    return f"CASE WHEN octet_length({text}) <= {LONGEST_TEXT} THEN {trimmed} END"


def _double(x: str) -> str:
    inside = f"CASE WHEN abs({x}) < '{_NOTHING}'::numeric THEN 0 ELSE ({x})::float8 END"
    return f"CASE WHEN abs({x}) <= '{LARGEST_NUMBER!r}'::numeric THEN {inside} END"


def _text(query: str) -> composed.SQL:
    return composed.SQL(query)


def _connect(dsn: str) -> psycopg.Connection[Any]:
    if dsn.startswith("env:"):
        name = dsn.removeprefix("env:")
        if not os.environ.get(name):
            raise InputError(f"the environment variable {name} is not set; let it hold the connection string")
        dsn = os.environ[name]
    try:
        parts = conninfo_to_dict(dsn)
    except psycopg.Error:
        raise InputError(
            "the connection string cannot be read; give host=... dbname=... user=..., or postgresql://user@host/dbname"
        ) from None
    try:
        base = psycopg.connect(dsn, application_name="discreet", client_encoding="UTF8")
    except psycopg.Error as error:
        place = f"{parts.get('host', 'the local socket')}, port {parts.get('port', 5432)}"
        reason = _scrubbed(str(error), parts.get("password"))
        raise InputError(
            f"PostgreSQL at {place} does not let us in ({reason}); check that it runs, and the name and password"
        ) from None
    try:
        with base.cursor() as cursor:
            cursor.execute("SET datestyle = 'ISO'; SET timezone = 'UTC'; SET jit = off; SET extra_float_digits = 1")
            cursor.execute("SHOW server_encoding")
            encoding = (cursor.fetchone() or [""])[0]
        base.commit()
        base.read_only = True
        base.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    except psycopg.Error as error:
        base.close()
        raise InputError(f"PostgreSQL broke off ({type(error).__name__}); try again") from None
    if encoding != "UTF8":
        base.close()
        raise InputError(
            f"the database has the encoding {encoding}, in which one person's text could make the release fail, as not"
            " every byte of it has a translation; copy the database to one in UTF8 (createdb -E UTF8 -T template0, then"
            " pg_dump and psql), and give that one"
        )
    return base


def _scrubbed(message: str, password: object) -> str:
    lines = message.strip().splitlines() or ["no reason given"]
    last = lines[-1].rsplit("failed: ", 1)[-1].strip()
    return last.replace(str(password), "***") if password else last


@contextlib.contextmanager
def _refusals(table: str) -> Iterator[None]:
    """The server's errors as ours, without what they quote of the data."""
    try:
        yield
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName, psycopg.errors.FeatureNotSupported):
        raise InputError(
            f"the database has no table or view {table}; give schema.table as it is spelled there"
        ) from None
    except psycopg.errors.InsufficientPrivilege:
        raise InputError(f"this user may not read {table}; GRANT SELECT on it, or use another one") from None
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise InputError(f"PostgreSQL stopped answering ({type(error).__name__}); nothing was counted") from None
    except psycopg.Error as error:
        raise InputError(f"PostgreSQL cannot read {table} ({type(error).__name__}); check the table") from None

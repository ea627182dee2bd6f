"""PostgreSQL: a table or view of a server, counted on the server.

All queries run in one read-only transaction at repeatable read, so they see the same rows. Nothing is written, not even
a temporary table. Rows are streamed through a server-side cursor. The connection string may come from the environment
("env:NAME"). No message repeats its password, and messages of the server are not passed on if they could quote a row.
The database must be in UTF8: a byte that the server cannot translate would make a query fail on one person's row.
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
from discreet.count.engines.sql import Column, ColumnType, Lookup, literal, quoted
from discreet.errors import InputError
from discreet.plan.canonical_text import LARGEST_NUMBER, WHITE_SPACE

_TYPES: dict[str, ColumnType] = {
    "int2": "int", "int4": "int", "int8": "int", "oid": "int", "float4": "float", "float8": "float",
    "numeric": "decimal", "text": "text", "varchar": "text", "bpchar": "text", "name": "text", "char": "text",
    "bool": "bool", "date": "date", "timestamp": "timestamp", "timestamptz": "timestamp",
}  # fmt: skip
_ARRAYS = {"int": "bigint[]", "float": "float8[]", "text": "text[]"}
_ROUNDED_TO_0 = "2.470328229206232721e-324"
"""Half of the smallest double. A smaller number is 0 as a double, and PostgreSQL's cast would fail on it."""


class Postgres:
    """Rows of a PostgreSQL server.

    Parameters
    ----------
    dsn
        A connection string or URI, or "env:NAME" for an environment variable that holds one.
    table
        The name of a table or view: table or schema.table.

    Raises
    ------
    InputError
        The server or the table cannot be read, or the database is not in UTF8.
    """

    def __init__(self, dsn: str, *, table: str) -> None:
        self._table = table
        self.source = ".".join(map(quoted, sql.table_parts(table)))
        with contextlib.ExitStack() as stack, _refusals(table):
            self._connection = _connect(dsn)
            stack.callback(self._connection.close)
            self.columns = self._read_columns()
            self.dialect = _Dialect(self._connection)
            self.close = stack.pop_all().close

    def rows(self, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the result of a query; see `Database`."""
        with _refusals(self._table), self._connection.cursor("discreet", binary=True) as cursor:
            cursor.execute(_text(query))
            while rows := cursor.fetchmany(arrow_batches.BATCH // 4):
                columns = zip(*rows, strict=True)
                arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def repair(self) -> bool:
        """Return False: a table cannot be repaired; see `Database`."""
        return False

    def _read_columns(self) -> dict[str, Column]:
        with self._connection.cursor() as cursor:
            cursor.execute(_text(f"SELECT * FROM {self.source} LIMIT 0"))  # noqa: S608
            type_codes = {column.name: column.type_code for column in cursor.description or ()}
            cursor.execute(
                "SELECT oid, CASE typtype WHEN 'e' THEN 'text' ELSE typname END FROM pg_type WHERE oid = ANY(%s)",
                [list(type_codes.values())],
            )
            type_names = dict(cursor.fetchall())
        return {name: Column(quoted(name), _TYPES.get(type_names[code], "other")) for name, code in type_codes.items()}


class _Dialect:
    """How PostgreSQL writes casts, tests and lookups; see `sql.Dialect`. NaN is its largest number, equal to itself."""

    text_type, double_type, byte_length = "text", "float8", "octet_length"

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def text(self, x: str) -> str:
        return f"CAST({x} AS text)"

    def stripped(self, text: str) -> str:
        return f'btrim({text} COLLATE "C", {literal(WHITE_SPACE)})'

    def is_finite(self, x: str) -> str:
        return f"abs(CAST({x} AS float8)) < CAST('Infinity' AS float8)"

    def is_integral(self, x: str) -> str:
        return f"abs({x}) < 9e18 AND {x} = trunc(CAST({x} AS numeric))"

    def decimal_text(self, x: str) -> str:
        is_finite = f"CAST({x} AS text) NOT IN ('NaN', 'Infinity', '-Infinity')"
        return f"CASE WHEN {is_finite} THEN CAST(trim_scale({x}) AS text) END"

    def timestamp(self, x: str) -> str:
        return f"CAST({x} AS timestamp)"

    def matches(self, x: str, pattern: str) -> str:
        return f"{x} ~ {literal(pattern)}"

    def parsed_double(self, x: str) -> str:
        """Compare as numeric: a cast to float8 fails on numbers that are too large or too close to 0."""
        numeric = f"CAST({x} AS numeric)"
        double = (
            f"CASE WHEN abs({numeric}) < CAST('{_ROUNDED_TO_0}' AS numeric) THEN 0 ELSE CAST({numeric} AS float8) END"
        )
        return f"CASE WHEN abs({numeric}) <= CAST('{LARGEST_NUMBER!r}' AS numeric) THEN {double} END"

    def parsed_integer(self, x: str) -> str:
        return f"CAST({x} AS bigint)"

    def lookup(self, column: Column, index: int, raw: Sequence[object], codes: Sequence[int]) -> Lookup:
        arrays = f"CAST({self._array(raw)} AS {_ARRAYS[column.family]}), CAST({self._array(codes)} AS int[])"
        return sql.joined(sql.value_of(column, self), index, f"unnest({arrays}) AS m{index}(raw, code)")

    repeated = staticmethod(sql.repeated)

    def _array(self, values: Sequence[object]) -> str:
        return composed.Literal(list(values)).as_string(self._connection)


def _text(query: str) -> composed.SQL:
    return composed.SQL(query)


def _connect(dsn: str) -> psycopg.Connection[Any]:
    if dsn.startswith("env:"):
        name = dsn.removeprefix("env:")
        if not os.environ.get(name):
            raise InputError(f"the environment variable {name} is not set; set it to the connection string")
        dsn = os.environ[name]
    try:
        parts = conninfo_to_dict(dsn)
    except psycopg.Error:
        raise InputError(
            "the connection string cannot be read; give host=... dbname=... user=..., or postgresql://user@host/dbname"
        ) from None
    try:
        connection = psycopg.connect(dsn, application_name="discreet", client_encoding="UTF8")
    except psycopg.Error as error:
        server = f"{parts.get('host', 'the local socket')}, port {parts.get('port', 5432)}"
        reason = _without_password(str(error), parts.get("password"))
        raise InputError(
            f"PostgreSQL at {server} refuses the connection ({reason}); check that the server runs, and the name and"
            " password"
        ) from None
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET datestyle = 'ISO'; SET timezone = 'UTC'; SET jit = off; SET extra_float_digits = 1")
            cursor.execute("SHOW server_encoding")
            encoding = (cursor.fetchone() or [""])[0]
        connection.commit()
        connection.read_only = True
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    except psycopg.Error as error:
        connection.close()
        raise InputError(f"PostgreSQL ended the connection ({type(error).__name__}); try again") from None
    if encoding != "UTF8":
        connection.close()
        raise InputError(
            f"the database has the encoding {encoding}; one person's text could make the release fail, because not"
            " every byte has a translation. Copy the database to one in UTF8 (createdb -E UTF8 -T template0, then"
            " pg_dump and psql), and give the copy"
        )
    return connection


def _without_password(message: str, password: object) -> str:
    """Return the last line of a message of the server, without the password."""
    lines = message.strip().splitlines() or ["no reason given"]
    last = lines[-1].rsplit("failed: ", 1)[-1].strip()
    return last.replace(str(password), "***") if password else last


@contextlib.contextmanager
def _refusals(table: str) -> Iterator[None]:
    """Raise errors of the server as InputError, without messages that could quote the data."""
    try:
        yield
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName, psycopg.errors.FeatureNotSupported):
        raise InputError(
            f"the database has no table or view {table}; give schema.table with the spelling of the database"
        ) from None
    except psycopg.errors.InsufficientPrivilege:
        raise InputError(f"this user may not read {table}; GRANT SELECT on the table, or use another user") from None
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise InputError(f"PostgreSQL stopped answering ({type(error).__name__}); nothing was counted") from None
    except psycopg.Error as error:
        raise InputError(f"PostgreSQL cannot read {table} ({type(error).__name__}); check the table") from None

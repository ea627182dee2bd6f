"""Which source is meant, and the engine that reads it."""

import os
from collections.abc import Callable, Collection, Mapping
from importlib.util import find_spec
from typing import Any

from discreet.errors import InputError, ParameterError
from discreet.release.engines.engine import Engine

Source = Mapping[str, Any]
"""One of

    {"csv": path}, with "delimiter" and "header" (true or false) if they are not "," and true
    {"parquet": path}: a file, a folder or a pattern
    {"duckdb": path, "table": name}
    {"postgres": "env:NAME" or a connection string, "table": name}
    {"spark": path or table, "format": "table", "csv" or "parquet"}, with "delimiter" and "header" for csv
"""

FIELDS = {
    "csv": {"delimiter", "header"},
    "parquet": set(),
    "duckdb": {"table"},
    "postgres": {"table"},
    "spark": {"format", "delimiter", "header"},
}
"""The kinds of source, and what else each may say."""


def open_engine(
    source: Source,
    *,
    named: Collection[str] | None = None,
    memory: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Engine:
    """The engine of a source, ready to count; use it as a context manager.

    `named` are the columns that will be asked for, from which a CSV file without a header has its number of columns.
    `memory` (such as "600MB") bounds DuckDB, and `progress` is called with the fraction done where DuckDB knows it.
    """
    kind = kind_of(source)
    given: dict[str, Any] = {name: value for name, value in source.items() if name != kind}
    where = source[kind]
    if kind == "postgres":
        _need("psycopg", "postgres")
        from discreet.release.engines.postgres import Postgres

        return Engine(Postgres(str(where), **given))
    if kind == "spark":
        _need("pyspark", "spark")
        from discreet.release.engines.spark import Spark

        return Engine(Spark(str(where), **given, named=named))
    from discreet.release.engines.duckdb import MEMORY, DuckDB

    given["database" if kind == "duckdb" else kind] = where
    return Engine(DuckDB(**given, named=named, memory=memory or MEMORY, progress=progress))


def kind_of(source: Source) -> str:
    """Which kind of source it is; refused where it is none, or one of its fields is not what it should be."""
    kinds = [kind for kind in FIELDS if kind in source]
    if len(kinds) != 1:
        raise ParameterError(f"the source names {', '.join(kinds) or 'nothing'}; name one of {', '.join(FIELDS)}")
    kind = kinds[0]
    unknown = set(source) - FIELDS[kind] - {kind}
    if unknown:
        known = ", ".join(sorted(FIELDS[kind])) or "nothing else"
        raise ParameterError(f"the source has {', '.join(sorted(unknown))}, which {kind} has not; it takes {known}")
    where = source[kind]
    if not isinstance(where, (str, os.PathLike)) or not os.fspath(where):
        raise ParameterError(f"the source's {kind} is not a path or a name; give one")
    if kind in ("duckdb", "postgres") and not source.get("table"):
        raise ParameterError(f"the source {kind} has no table; give table, or schema.table")
    for name in FIELDS[kind] & set(source):
        expected, said = (bool, "true or false") if name == "header" else (str, "a text")
        if not isinstance(source[name], expected):
            raise ParameterError(f"the source's {name} is {source[name]!r:.80}; give {said}")
    return kind


def _need(module: str, extra: str) -> None:
    if find_spec(module) is None:
        raise InputError(f"the source needs {module}, which is not installed; run: pip install 'discreet[{extra}]'")

"""Open the engine that reads a source."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from discreet.count.engines.engine import Engine
from discreet.extras import require
from discreet.plan.source import Source


def open_engine(
    source: Source | Mapping[str, Any],
    *,
    named: Collection[str] | None = None,
    memory: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Engine:
    """The engine of a source, ready to count; use it as a context manager.

    `named` are the columns that will be asked for, from which a CSV file without a header has its number of columns.
    `memory` (such as "600MB") bounds DuckDB, and `progress` is called with the fraction done where DuckDB knows it.
    """
    source = Source.of(source)
    kind, where, given = source.kind, source.location, source.options
    if kind == "postgres":
        require("psycopg", "postgres", "the source")
        from discreet.count.engines.postgres import Postgres

        return Engine(Postgres(where, **given))
    if kind == "spark":
        require("pyspark", "spark", "the source")
        from discreet.count.engines.spark import Spark

        return Engine(Spark(where, **given, named=named))
    from discreet.count.engines.duckdb import MEMORY, DuckDB

    given["database" if kind == "duckdb" else kind] = where
    return Engine(DuckDB(**given, named=named, memory=memory or MEMORY, progress=progress))

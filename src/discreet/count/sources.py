"""Open the engine that reads a source."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from discreet.count.engines.engine import Engine
from discreet.extras import require
from discreet.plan.source import Source


def open_engine(
    source: Source | Mapping[str, Any],
    *,
    column_names: Collection[str] | None = None,
    memory: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Engine:
    """Return the engine of a source, ready to count. The engine is a context manager.

    Parameters
    ----------
    source
        The source section of a specification.
    column_names
        The columns that will be read. A CSV file without a header has as many columns as these names need.
    memory
        The memory that DuckDB may use, such as "600MB".
    progress
        Called with the fraction done while DuckDB counts.

    Raises
    ------
    ParameterError
        The mapping is not a source.
    InputError
        The source cannot be read, or an extra is not installed.
    """
    source = Source.of(source)
    kind, location, options = source.kind, source.location, source.options
    if kind == "postgres":
        require("psycopg", "postgres", "the source")
        from discreet.count.engines.postgres import Postgres

        return Engine(Postgres(location, **options))
    if kind == "spark":
        require("pyspark", "spark", "the source")
        from discreet.count.engines.spark import Spark

        return Engine(Spark(location, **options, column_names=column_names))
    if kind == "excel":
        require("python_calamine", "excel", "the source")
    from discreet.count.engines.duckdb import MEMORY, DuckDB

    options["database" if kind == "duckdb" else kind] = location
    return Engine(DuckDB(**options, column_names=column_names, memory=memory or MEMORY, progress=progress))

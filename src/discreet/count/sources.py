"""Open the engine that reads a source."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from discreet.count.csv_file import CsvFormat
from discreet.count.engines.engine import Engine
from discreet.errors import InputError
from discreet.extras import require
from discreet.plan.source import Source

if TYPE_CHECKING:
    from discreet.count.frame_rows import FrameRows


def open_engine(
    source: "Source | Mapping[str, Any] | FrameRows | None",
    *,
    column_names: Collection[str] | None = None,
    memory: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Engine:
    """Return the engine of a source, ready to count. The engine is a context manager.

    Parameters
    ----------
    source
        The source section of a specification, or the rows of a data frame.
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
        There is no source, the source cannot be read, or an extra is not installed.
    """
    if source is None:
        raise InputError(
            "the specification names no source; add source: {csv: people.csv}, or give a data frame to"
            " discreet.release.run(spec, data=frame)"
        )
    if not isinstance(source, (Source, Mapping)):
        from discreet.count.engines.duckdb import MEMORY, DuckDB

        return Engine(DuckDB("frame", source, memory=memory or MEMORY, progress=progress))
    source = Source.of(source)
    kind, location, options = source.kind, source.location, source.options
    csv_format = CsvFormat(**{name: options.pop(name) for name in CsvFormat._fields if name in options})
    if kind == "postgres":
        require("psycopg", "postgres", "the source")
        from discreet.count.engines.postgres import Postgres

        return Engine(Postgres(location, **options))
    if kind == "spark":
        require("pyspark", "spark", "the source")
        from discreet.count.engines.spark import Spark

        return Engine(Spark(location, **options, csv_format=csv_format, column_names=column_names))
    from discreet.count.engines.duckdb import MEMORY, DuckDB

    options |= {"csv_format": csv_format, "column_names": column_names}
    return Engine(DuckDB(kind, location, **options, memory=memory or MEMORY, progress=progress))

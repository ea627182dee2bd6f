"""Spark, for data that do not fit one machine: a table of its catalog, or CSV and Parquet files that Spark reads.

A running session is used. If there is none, a session starts on this machine and ends with the engine. Spark counts.
Rows with ids come to this process as Arrow, a share of the ids at a time.
"""

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from discreet.count import arrow_batches, csv_file, text_encoding
from discreet.count.engines import sql
from discreet.count.engines.sql import Column, ColumnType, Lookup, quoted
from discreet.count.recode import HeaderColumns, NumberedColumns
from discreet.errors import InputError, ParameterError
from discreet.files import temporary_folder
from discreet.plan.canonical_text import WHITE_SPACE, Family

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TYPES: dict[str, ColumnType] = {
    "tinyint": "int", "smallint": "int", "int": "int", "bigint": "int", "float": "float", "double": "float",
    "string": "text", "boolean": "bool", "date": "date", "timestamp": "timestamp", "timestamp_ntz": "timestamp",
}  # fmt: skip
_ARROW_TYPES = {"int": pa.int64(), "float": pa.float64(), "text": pa.string()}
_PATTERN_CHARACTERS = re.compile(r"[\[\]{}*?\\]")
_SHARE = 2**21
"""Rows that Spark hands over at a time, roughly."""
_ZONE = "spark.sql.session.timeZone"
_LOCAL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
}


class Spark:
    """Rows that Spark reads.

    Parameters
    ----------
    source
        The name of a table, or a path as Spark takes it.
    format
        "table", "parquet" or "csv". Default: as the ending of the source says, else a table.
    csv_format
        How CSV files are written.
    column_names
        The columns that will be read. A CSV file without a header has as many columns as these names need.
    session
        The session to use. Default: the active session, or a new one on this machine if there is none.

    Raises
    ------
    ParameterError
        The format is unknown.
    InputError
        The source cannot be read.
    """

    def __init__(
        self,
        source: str,
        *,
        format: str | None = None,  # noqa: A002
        csv_format: csv_file.CsvFormat = csv_file.RFC_4180,
        column_names: Iterable[str] | None = None,
        session: "SparkSession | None" = None,
    ) -> None:
        ending = source.lower().removesuffix(".gz").rsplit(".", 1)[-1]
        kind = format or (ending if ending in ("csv", "parquet") else "table")
        if kind not in ("table", "parquet", "csv"):
            raise ParameterError(f"the format is {format!r}; give table, parquet or csv")
        self._name = source
        self._views = f"discreet_{secrets.token_hex(4)}"
        with contextlib.ExitStack() as stack, _refusals(source):
            self._stack = stack
            self._session = session or stack.enter_context(running_session())
            zone = self._session.conf.get(_ZONE)
            self._session.conf.set(_ZONE, "UTC")
            stack.callback(self._session.conf.set, _ZONE, zone)
            if kind == "csv":
                frame, names, hint = self._csv(source, csv_format, column_names)
            else:
                table = ".".join(_quoted(part) for part in sql.table_parts(source)) if kind == "table" else ""
                frame = self._session.table(table) if table else self._session.read.parquet(_path(source))
                names = tuple(frame.columns)
            types = [_column_type(name) for _, name in frame.dtypes]
            self.source = self._view("source", frame.toDF(*(f"f{i}" for i in range(len(names)))))
            columns = {
                name: Column(f"f{i}", types[i], csv_format.decimal, csv_format.dates) for i, name in enumerate(names)
            }
            if kind == "csv":
                columns = HeaderColumns(columns, hint) if csv_format.header else NumberedColumns(columns)
            self.columns = columns
            self.dialect = _Dialect(self)
            self._stack = stack.pop_all()

    def rows(self, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the result of a query; see `Database`. Rows with ids come a share of the ids at a time."""
        with _refusals(self._name):
            frame = self._session.sql(query)
            if "id" not in schema.names:
                yield from frame.toArrow().cast(schema).to_batches()
                return
            frame = frame.persist()
            try:
                shares = 1 + frame.count() // _SHARE
                for share in range(shares):
                    part = frame.where(f"pmod(xxhash64(id), {shares}) = {share}").toArrow().cast(schema)
                    yield from part.sort_by("id").to_batches(max_chunksize=arrow_batches.BATCH)
            finally:
                frame.unpersist()

    def repair(self) -> bool:
        """Return False: a source of Spark cannot be repaired; see `Database`."""
        return False

    def close(self) -> None:
        """Drop the views, and end the session if this engine started it."""
        self._stack.close()

    def lookup_view(self, raw: Sequence[object], codes: Sequence[int], family: Family) -> str:
        """Make a view of raw values and codes, and return its name."""
        pairs = pa.table({"raw": pa.array(raw, _ARROW_TYPES[family]), "code": pa.array(codes, pa.int32())})
        return self._view(secrets.token_hex(4), self._session.createDataFrame(pairs))

    def _csv(
        self, source: str, csv_format: csv_file.CsvFormat, column_names: Iterable[str] | None
    ) -> tuple["DataFrame", tuple[str, ...], str]:
        """Return the rows of CSV files, the names of their columns, and a hint for messages about missing columns.

        A file of this machine is copied and read as DuckDB reads it. Files elsewhere are read by Spark.
        """
        delimiter, header, encoding, *_ = csv_format
        path = Path(source.removeprefix("file://"))
        if "://" not in source.removeprefix("file://") and not os.path.isdir(path):
            folder = self._stack.enter_context(temporary_folder("discreet-"))
            file = csv_file.prepare(path, folder, delimiter, header, column_names, encoding)
            return self._session.read.parquet(_path(str(file.parquet(folder)))), file.names, file.hint
        if text_encoding.encoding_name(encoding) != text_encoding.UTF_8:
            raise InputError(
                f"the encoding is {encoding}, and Spark reads {source} itself; save the files as UTF-8 or Parquet"
            )
        frame = self._session.read.options(
            header=header, sep=delimiter, quote='"', escape='"', mode="PERMISSIVE", encoding="UTF-8", nullValue="",
            emptyValue="", multiLine=True, maxCharsPerColumn=-1, enforceSchema=True, inferSchema=False,
        )  # fmt: skip
        source = _path(source)
        names = tuple(frame.csv(source).columns) if header or column_names is None else csv_file.numbered(column_names)
        return frame.schema(", ".join(f"f{i} string" for i in range(len(names)))).csv(source), names, ""

    def _view(self, name: str, frame: "DataFrame") -> str:
        view = f"{self._views}_{name}"
        frame.createOrReplaceTempView(view)
        self._stack.callback(self._session.catalog.dropTempView, view)
        return view


def _path(source: str) -> str:
    """Return a path for Spark. A file of this machine is not taken for a pattern, whatever characters its name has."""
    return _PATTERN_CHARACTERS.sub(r"\\\g<0>", source) if os.path.exists(source.removeprefix("file://")) else source


class _Dialect:
    """How Spark writes casts, tests and lookups; see `sql.Dialect`. NaN is its largest number, equal to itself."""

    text_type, double_type, byte_length = "STRING", "DOUBLE", "octet_length"

    def __init__(self, database: Spark) -> None:
        self._database = database

    def text(self, x: str) -> str:
        return f"CAST({x} AS STRING)"

    def stripped(self, text: str) -> str:
        return f"trim(BOTH '{WHITE_SPACE}' FROM {text} COLLATE UTF8_BINARY)"

    def is_finite(self, x: str) -> str:
        return f"abs({x}) < CAST('Infinity' AS DOUBLE)"

    def is_integral(self, x: str) -> str:
        return f"abs({x}) < 9e18 AND {x} % 1 = 0"

    def decimal_text(self, x: str) -> str:
        text = f"CAST({x} AS STRING)"
        short = f"trim(TRAILING '.' FROM trim(TRAILING '0' FROM {text}))"
        return f"CASE WHEN contains({text}, '.') THEN {short} ELSE {text} END"

    def timestamp(self, x: str) -> str:
        return x

    def matches(self, x: str, pattern: str) -> str:
        return f"{x} RLIKE '{pattern.removesuffix('$')}\\\\z'"

    def parsed_double(self, x: str) -> str:
        return sql.bounded(f"try_cast({x} AS DOUBLE)", self)

    def parsed_integer(self, x: str) -> str:
        return f"try_cast({x} AS BIGINT)"

    def lookup(self, column: Column, index: int, raw: Sequence[object], codes: Sequence[int]) -> Lookup:
        view = self._database.lookup_view(raw, codes, column.family)
        return sql.joined(sql.value_of(column, self), index, f"{view} AS m{index}")

    repeated = staticmethod(sql.repeated)


def _quoted(name: str) -> str:
    return quoted(name, "`")


def _column_type(name: str) -> ColumnType:
    return (
        "decimal" if name.startswith("decimal") else "text" if name.startswith("string") else _TYPES.get(name, "other")
    )


@contextlib.contextmanager
def running_session() -> Iterator["SparkSession"]:
    """Yield the active session, or a session that ends with the block."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and (Path(home) / "bin" / "java").exists()):
        raise InputError("Spark needs Java 17 or later, and there is no java; install Java, or set JAVA_HOME")
    builder: Any = SparkSession.builder
    for name, value in _LOCAL.items():
        builder = builder.config(name, value)
    session = builder.master("local[*]").appName("discreet").getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextlib.contextmanager
def _refusals(source: str) -> Iterator[None]:
    """Raise errors of Spark as InputError, without messages that could quote the data."""
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, PySparkException

    try:
        yield
    except AnalysisException as error:
        reason = error.getCondition() or "not found"
        raise InputError(f"Spark cannot find or read {source} ({reason}); check the name or the path") from None
    except (PySparkException, Py4JError) as error:
        name = error.getCondition() if isinstance(error, PySparkException) else None
        reason = "Spark needs Java 17 or later" if name == "JAVA_GATEWAY_EXITED" else name or type(error).__name__
        raise InputError(f"Spark stopped ({reason}); check that Spark runs, and that {source} is complete") from None

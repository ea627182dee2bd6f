"""Spark, for those who outgrow one machine: a table of its catalog, or CSV and Parquet files where it reads them.

A session that is running is used; otherwise one starts on this machine, and ends with the engine. Counting is done
by Spark; rows with ids are handed to this process as Arrow, a share of the ids at a time.
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

from discreet.count import arrow_batches, csv_file
from discreet.count.engines import sql
from discreet.count.engines.sql import Column, Lookup, Type, quoted
from discreet.count.recode import Numbered, Unlisted
from discreet.errors import InputError, ParameterError
from discreet.files import temporary_folder
from discreet.plan.canonical_text import (
    INTEGER_PATTERN,
    LARGEST_NUMBER,
    LONGEST_NUMBER,
    LONGEST_TEXT,
    NUMBER_PATTERN,
    WHITE_SPACE,
    Family,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TYPES: dict[str, Type] = {
    "tinyint": "int", "smallint": "int", "int": "int", "bigint": "int", "float": "float", "double": "float",
    "string": "text", "boolean": "bool", "date": "date", "timestamp": "timestamp", "timestamp_ntz": "timestamp",
}  # fmt: skip
_RAW = {"int": pa.int64(), "float": pa.float64(), "text": pa.string()}
_MAGIC = re.compile(r"[\[\]{}*?\\]")
_SHARE = 2**21
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
        "table", "parquet" or "csv"; by default what the ending says, and a table where it says nothing.
    delimiter, header
        Of CSV files. Without a header their columns are column1, column2, ...
    session
        The session to use; by default the active one, and a new one on this machine where there is none.
    """

    def __init__(
        self,
        source: str,
        *,
        format: str | None = None,  # noqa: A002
        delimiter: str = ",",
        header: bool = True,
        named: Iterable[str] | None = None,
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
            self._session = session or stack.enter_context(_running())
            zone = self._session.conf.get(_ZONE)
            self._session.conf.set(_ZONE, "UTC")
            stack.callback(self._session.conf.set, _ZONE, zone)
            if kind == "csv":
                frame, names = self._csv(source, delimiter, header, named)
            else:
                table = ".".join(_quoted(part) for part in sql.parts(source)) if kind == "table" else ""
                frame = self._session.table(table) if table else self._session.read.parquet(_path(source))
                names = tuple(frame.columns)
            types = [_type(name) for _, name in frame.dtypes]
            self.source = self._view("source", frame.toDF(*(f"f{i}" for i in range(len(names)))))
            columns = {name: Column(f"f{i}", types[i]) for i, name in enumerate(names)}
            if kind == "csv":
                columns = Unlisted(columns) if header else Numbered(columns)
            self.columns = columns
            self.dialect = _Dialect(self)
            self._stack = stack.pop_all()

    def rows(self, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """What a query gives; see `Database`. Of rows with ids, Spark hands over a share of the ids at a time."""
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

    def mend(self) -> bool:
        """Nothing can be; see `Database`."""
        return False

    def close(self) -> None:
        """Drop the views, and end the session if it was started here."""
        self._stack.close()

    def lookup(self, raw: Sequence[object], codes: Sequence[int], family: Family) -> str:
        """A view of raw values and codes."""
        pairs = pa.table({"raw": pa.array(raw, _RAW[family]), "code": pa.array(codes, pa.int32())})
        return self._view(secrets.token_hex(4), self._session.createDataFrame(pairs))

    def _csv(
        self, source: str, delimiter: str, header: bool, named: Iterable[str] | None
    ) -> tuple["DataFrame", tuple[str, ...]]:
        """A file of this machine is read as DuckDB reads it, by way of a copy; files elsewhere are read by Spark."""
        path = Path(source.removeprefix("file://"))
        if "://" not in source.removeprefix("file://") and not os.path.isdir(path):
            folder = self._stack.enter_context(temporary_folder("discreet-"))
            file = csv_file.prepare(path, folder, delimiter, header, named)
            return self._session.read.parquet(_path(str(file.parquet(folder)))), file.names
        read = self._session.read.options(
            header=header, sep=delimiter, quote='"', escape='"', mode="PERMISSIVE", encoding="UTF-8", nullValue="",
            emptyValue="", multiLine=True, maxCharsPerColumn=-1, enforceSchema=True, inferSchema=False,
        )  # fmt: skip
        source = _path(source)
        names = tuple(read.csv(source).columns) if header or named is None else csv_file.numbered(named)
        return read.schema(", ".join(f"f{i} string" for i in range(len(names)))).csv(source), names

    def _view(self, name: str, frame: "DataFrame") -> str:
        view = f"{self._views}_{name}"
        frame.createOrReplaceTempView(view)
        self._stack.callback(self._session.catalog.dropTempView, view)
        return view


def _path(source: str) -> str:
    """A path as Spark takes it: what is on this machine is itself, whatever others its name is a pattern of."""
    return _MAGIC.sub(r"\\\g<0>", source) if os.path.exists(source.removeprefix("file://")) else source


class _Dialect:
    """How Spark takes and looks up a value. NaN is its largest number and equal to itself."""

    def __init__(self, base: Spark) -> None:
        self._base = base

    def value(self, column: Column) -> str:
        x = column.sql
        match column.type:
            case "int":
                return f"CAST({x} AS BIGINT)"
            case "float":
                return f"CASE WHEN abs({x}) < CAST('Infinity' AS DOUBLE) THEN CAST({x} AS DOUBLE) + 0D END"
            case "decimal":
                text = f"CAST({x} AS STRING)"
                short = f"trim(TRAILING '.' FROM trim(TRAILING '0' FROM {text}))"
                return f"CASE WHEN contains({text}, '.') THEN {short} ELSE {text} END"
            case "bool" | "date":
                return f"CAST({x} AS STRING)"
            case "timestamp":
                return f"replace(CAST({x} AS STRING), ' ', 'T')"
            case _:
                return f"nullif({_trimmed(x)}, '')"

    def number(self, column: Column) -> str:
        x = column.sql
        match column.type:
            case "int":
                return f"CAST({x} AS BIGINT)"
            case "float" | "decimal":
                number = f"CAST({x} AS DOUBLE)"
            case "text":
                x = _trimmed(x)
                right = f"{x} RLIKE {_pattern(NUMBER_PATTERN)} AND length({x}) <= {LONGEST_NUMBER}"
                number = f"CASE WHEN {right} THEN try_cast({x} AS DOUBLE) END"
            case _:
                return "CAST(NULL AS DOUBLE)"
        return f"CASE WHEN abs({number}) <= {self.double(LARGEST_NUMBER)} THEN {number} END"

    def whole(self, column: Column) -> str:
        x = column.sql
        match column.type:
            case "int":
                return f"CAST({x} AS BIGINT)"
            case "float" | "decimal":
                return f"CASE WHEN abs({x}) < 9e18 AND {x} % 1 = 0 THEN try_cast({x} AS BIGINT) END"
            case "text":
                x = _trimmed(x)
                return f"CASE WHEN {x} RLIKE {_pattern(INTEGER_PATTERN)} THEN try_cast({x} AS BIGINT) END"
            case _:
                return "CAST(NULL AS BIGINT)"

    def double(self, number: float) -> str:
        return f"CAST('{number!r}' AS DOUBLE)"

    def lookup(self, column: Column, place: int, raw: Sequence[object], codes: Sequence[int]) -> Lookup:
        view = self._base.lookup(raw, codes, column.family)
        join = f"LEFT JOIN {view} AS m{place} ON m{place}.raw = r.v{place}"
        return Lookup(self.value(column), f"m{place}.code", join)

    def repeated(self, ids: str, most: int) -> str:
        return sql.repeated(ids, most)


def _trimmed(x: str) -> str:
    """Text without white space at its ends; NULL where the text is too long."""
    text = f"CAST({x} AS STRING)"
    trimmed = f"trim(BOTH '{WHITE_SPACE}' FROM {text} COLLATE UTF8_BINARY)"
    return f"CASE WHEN octet_length({text}) <= {LONGEST_TEXT} THEN {trimmed} END"


def _pattern(pattern: str) -> str:
    return "'" + pattern.removesuffix("$") + r"\\z'"


def _quoted(name: str) -> str:
    return quoted(name, "`")


def _type(name: str) -> Type:
    return (
        "decimal" if name.startswith("decimal") else "text" if name.startswith("string") else _TYPES.get(name, "other")
    )


@contextlib.contextmanager
def _running() -> Iterator["SparkSession"]:
    """The active session, or one for the time being."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and (Path(home) / "bin" / "java").exists()):
        raise InputError("Spark needs Java 17 or later, and there is no java; install it, or set JAVA_HOME")
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
    """Spark's errors as ours, without what they quote of the data."""
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
        raise InputError(f"Spark stopped ({reason}); check that it runs, and that {source} is whole") from None

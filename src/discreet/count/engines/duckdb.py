"""DuckDB, inside this process, for CSV and Parquet files, tables of DuckDB files, and data frames.

DuckDB works within `memory`. Data that do not fit go to a private temporary folder, which is removed at the end. A
DuckDB file is opened read-only. Messages of DuckDB are not passed on if they could quote a row.
"""

import contextlib
import glob
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from discreet.count import arrow_batches, csv_file
from discreet.count.engines import sql
from discreet.count.engines._duckdb_dialect import DuckDBDialect, refusals
from discreet.count.engines.sql import Column, ColumnType, literal, quoted
from discreet.count.file_kind import no_file, require_kind
from discreet.count.recode import HeaderColumns, NumberedColumns
from discreet.errors import InputError, ParameterError
from discreet.files import temporary_folder

if TYPE_CHECKING:
    from discreet.count.frame_rows import FrameRows

MEMORY = "600MB"
_UNTYPED = '"NULL"'
"""The type of a column of a Parquet file that has no values."""
_TYPES: dict[str, ColumnType] = {
    "TINYINT": "int", "SMALLINT": "int", "INTEGER": "int", "BIGINT": "int",
    "UTINYINT": "int", "USMALLINT": "int", "UINTEGER": "int",
    "UBIGINT": "wide", "HUGEINT": "wide", "UHUGEINT": "wide", "BIGNUM": "wide", "VARINT": "wide",
    "FLOAT": "float", "DOUBLE": "float", "VARCHAR": "text", "BOOLEAN": "bool", "DATE": "date",
    "TIMESTAMP": "timestamp", "TIMESTAMP_S": "timestamp", "TIMESTAMP_MS": "timestamp", "TIMESTAMP_NS": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
}  # fmt: skip


class DuckDB:
    """Rows that DuckDB reads.

    Parameters
    ----------
    kind
        "csv", "parquet", "excel", "duckdb" or "frame".
    location
        The path of a CSV file, a workbook or a DuckDB file; a Parquet file, folder or pattern; or a data frame.
    table
        The table or view of a DuckDB file: table or schema.table.
    sheet
        The sheet of a workbook. Default: the first one.
    csv_format
        How a CSV file is written.
    column_names
        The columns that will be read. A CSV file without a header has as many columns as these names need.
    memory
        The memory that DuckDB may use, such as "600MB".
    progress
        Called from another thread with the fraction done, 0 to 1, while a query runs.

    Raises
    ------
    ParameterError
        The kind is unknown.
    InputError
        The source cannot be read.
    """

    def __init__(
        self,
        kind: str,
        location: Any,
        *,
        table: str | None = None,
        sheet: str | None = None,
        csv_format: csv_file.CsvFormat = csv_file.RFC_4180,
        column_names: Iterable[str] | None = None,
        memory: str = MEMORY,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        self._progress = progress
        self._files: list[str] = []
        self._unite = False
        with contextlib.ExitStack() as stack:
            self._folder = stack.enter_context(temporary_folder("discreet-"))
            self._connection = _connect(Path(location) if kind == "duckdb" else None, self._folder, memory)
            stack.callback(self._connection.close)
            self.source: str
            self.columns: dict[str, Column]
            match kind:
                case "csv":
                    self.source, self.columns = self._csv(Path(location), csv_format, column_names)
                case "excel":
                    self.source, self.columns = self._workbook(Path(location), sheet, column_names)
                case "frame":
                    self.source, self.columns = self._frame(location)
                case "parquet":
                    self._files = _parquet_files(Path(location))
                    self._unite = self._files_differ(column_names)
                    self.source, self.columns = self._typed(_parquet(self._files, self._unite))
                case "duckdb":
                    self.source, self.columns = self._typed(_table(str(table)))
                case _:
                    raise ParameterError(f"the kind is {kind!r}; give csv, parquet, excel, duckdb or frame")
            self.dialect = DuckDBDialect(self._connection)
            self.close = stack.pop_all().close

    def _csv(
        self, path: Path, csv_format: csv_file.CsvFormat, column_names: Iterable[str] | None
    ) -> tuple[str, dict[str, Column]]:
        """Return the table and the columns of a CSV file."""
        delimiter, header, encoding, decimal, dates = csv_format
        file = csv_file.prepare(path, self._folder, delimiter, header, column_names, encoding)
        columns = {name: Column(f"f{i}", "text", decimal, dates) for i, name in enumerate(file.names)}
        return file.sql(), HeaderColumns(columns, file.hint) if header else NumberedColumns(columns)

    def _workbook(
        self, path: Path, sheet: str | None, column_names: Iterable[str] | None
    ) -> tuple[str, dict[str, Column]]:
        """Return the table and the columns of a sheet."""
        from discreet.count import excel_file  # few releases need it

        names, copy = excel_file.prepare(path, self._folder, sheet, column_names)
        texts = {name: Column(f"f{i}", "text") for i, name in enumerate(names)}
        return _parquet([str(copy)]), HeaderColumns(texts, excel_file.NAMED_COLUMNS)

    def _frame(self, frame: "FrameRows") -> tuple[str, dict[str, Column]]:
        """Return the table and the columns of a data frame."""
        self._connection.register("frame", frame.table)
        types = self._types("temp.frame")
        return "temp.frame", {name: Column(f"f{i}", _column_type(types[f"f{i}"])) for i, name in enumerate(frame.names)}

    def _typed(self, source: str) -> tuple[str, dict[str, Column]]:
        """Return a table of DuckDB, or of Parquet files, and its columns."""
        return source, {name: Column(quoted(name), _column_type(kind)) for name, kind in self._types(source).items()}

    def rows(self, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the result of a query; see `Database`."""
        with refusals(), self._watched():
            for batch in self._connection.sql(query).to_arrow_reader(arrow_batches.BATCH):
                yield batch if batch.schema.equals(schema) else batch.cast(schema)

    def repair(self) -> bool:
        """Copy Parquet files without the values that DuckDB refuses, and read the copies; see `Database`."""
        from discreet.count.parquet_repair import repaired_copies  # few files need it

        files, self._files = self._files, []
        if not files:
            return False
        try:
            copy = _parquet(repaired_copies(files, self._folder), self._unite)
        except OSError as error:
            if error.errno in csv_file.FULL:
                raise InputError(csv_file.no_room(files[0], self._folder)) from None
            return False
        except pa.ArrowException:
            return False
        types, copied_types = self._types(self.source), self._types(copy)
        changed = {name: kind for name, kind in types.items() if copied_types[name] != kind}
        if any("BLOB" in copied_types[name] for name in changed):  # an interval, which the copy does not hold
            return False
        casts = ", ".join(f"CAST({quoted(name)} AS {kind}) AS {quoted(name)}" for name, kind in changed.items())
        self.source = f"(SELECT * REPLACE ({casts}) FROM {copy})" if changed else copy  # noqa: S608
        return True

    def _files_differ(self, column_names: Iterable[str] | None) -> bool:
        """Return True if a column has values, and so a type, in only some of several Parquet files.

        Two different types are refused. DuckDB would cast values to the type of the first file: the result would
        depend on the order of files, and two ids could become one.
        """
        known: dict[str, tuple[str, str]] = {}
        differ = False
        used = None if column_names is None else set(column_names)
        for file in self._files if len(self._files) > 1 else ():
            types = self._types(_parquet([file]))
            used = set(types) if used is None else used
            for name in sorted(used):
                kind = types.get(name, "")
                known_kind, known_file = known.setdefault(name, (kind, file))
                if kind == known_kind:
                    continue
                differ = True
                if not (kind and known_kind and _UNTYPED in (kind, known_kind)):
                    shown, known_shown = (f"of type {t:.60}" if t else "missing" for t in (kind, known_kind))
                    raise InputError(
                        f"column {name!r} is {shown} in {file}, and {known_shown} in {known_file}; write all files with"
                        " the same types"
                    )
                if known_kind == _UNTYPED:
                    known[name] = kind, file
        return differ

    def _types(self, source: str) -> dict[str, str]:
        """Return DuckDB's name of the type of every column."""
        with refusals():
            rows = self._connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608
        return {str(name): str(kind) for name, kind, *_ in rows}

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Report progress while the block runs."""
        report = self._progress
        if report is None:
            yield
            return
        done = threading.Event()

        def watch() -> None:
            while not done.wait(0.1):
                percent = self._connection.query_progress()
                if percent >= 0:
                    report(min(percent / 100, 1.0))

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
            report(1.0)
        finally:
            done.set()
            thread.join()


def _column_type(name: str) -> ColumnType:
    if name.startswith("DECIMAL"):
        return "decimal"
    return "text" if name.startswith("ENUM") else _TYPES.get(name, "other")


def _table(name: str) -> str:
    return ".".join(map(quoted, sql.table_parts(name)))


def _parquet_files(path: Path) -> list[str]:
    """Return the Parquet files of a folder or a pattern, or the file itself."""
    if os.path.isdir(path):
        files = sorted(str(file) for file in path.rglob("*.parquet") if not file.name.startswith((".", "_")))
        missing = f"the folder {path} has no file that ends in .parquet"
    elif glob.has_magic(str(path)) and not os.path.exists(path):
        files = sorted(glob.glob(str(path), recursive=True))
        missing = f"no file is named like {path}"
    else:
        files = [str(path)] if os.path.exists(path) else []
        missing = no_file(path)
    for file in files:
        if not os.path.isfile(file):
            raise InputError(f"{file} is a pipe, a folder or a device; save the rows as a Parquet file first")
        require_kind(Path(file), "parquet")
    if not files:
        raise InputError(f"{missing}; give a Parquet file, a folder of them, or a pattern such as data/*.parquet")
    return files


def _parquet(files: Sequence[str], unite: bool = False) -> str:
    """Return the table of the rows of all files. With `unite`, columns without a type take the type of other files."""
    listed = ", ".join(literal(glob.escape(os.path.abspath(file))) for file in files)
    return f"read_parquet([{listed}], hive_partitioning=false, union_by_name={str(unite).lower()})"


def _connect(database: Path | None, folder: Path, memory: str) -> duckdb.DuckDBPyConnection:
    if database is not None:
        require_kind(database, "duckdb")
    with refusals():
        connection = duckdb.connect(
            ":memory:" if database is None else str(database),
            read_only=database is not None,
            config={
                "python_enable_replacements": False,
                "autoinstall_known_extensions": False,
                "preserve_insertion_order": False,
                "memory_limit": memory,
                "temp_directory": str(folder),
            },
        )
        connection.execute("SET TimeZone = 'UTC'")
        with contextlib.suppress(duckdb.InvalidInputException):  # a notebook without ipywidgets has no progress
            connection.execute("SET enable_progress_bar = true")
            connection.execute("SET enable_progress_bar_print = false")
    return connection

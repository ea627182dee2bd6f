"""DuckDB, inside this process: CSV and Parquet files, and tables of DuckDB files. The default.

Memory is bounded: DuckDB works within `memory`, and what exceeds it goes to a private temporary folder that is removed
at the end. A DuckDB file is opened read-only. Messages of DuckDB's own are not passed on where they could quote a row.
"""

import contextlib
import glob
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discreet.count import arrow_batches, csv_file
from discreet.count.engines import sql
from discreet.count.engines.sql import Column, Lookup, Type, literal, quoted
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
)

MEMORY = "600MB"
_FEW = 64
_UNTYPED = '"NULL"'
"""The type of a column of a Parquet file in which nobody has a value."""
_SHARE = 2**24
"""Hashes of ids that are sorted together: 4 bytes each, twice."""
_OFTEN = 2**20
"""Hashes that occur too often above which all ids are grouped."""
_TYPES: dict[str, Type] = {
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
    csv, parquet, database
        The source, one of them: a CSV file; a Parquet file, folder or pattern; a DuckDB file, with `table`.
    table
        The table or view of a DuckDB file: table or schema.table.
    delimiter, header
        Of a CSV file. Without a header its columns are column1, column2, ...
    named
        The columns that will be asked for; without a header there are as many as that takes.
    memory
        What DuckDB may use, such as "600MB".
    progress
        Called with the fraction done, 0 to 1, while a query runs; from another thread.
    """

    def __init__(
        self,
        *,
        csv: str | os.PathLike[str] | None = None,
        parquet: str | os.PathLike[str] | None = None,
        database: str | os.PathLike[str] | None = None,
        table: str | None = None,
        delimiter: str = ",",
        header: bool = True,
        named: Iterable[str] | None = None,
        memory: str = MEMORY,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        if [csv, parquet, database].count(None) != 2 or (table is None) != (database is None):
            raise ParameterError("give one source: csv, parquet, or database with table")
        self._progress = progress
        self._files: list[str] = []
        with contextlib.ExitStack() as stack:
            self._folder = stack.enter_context(temporary_folder("discreet-"))
            self._base = _connect(None if database is None else Path(database), self._folder, memory)
            stack.callback(self._base.close)
            if csv is not None:
                file = csv_file.prepare(Path(csv), self._folder, delimiter, header, named)
                self.source = file.sql()
                columns = {name: Column(f"f{i}", "text") for i, name in enumerate(file.names)}
                self.columns: dict[str, Column] = Unlisted(columns) if header else Numbered(columns)
            else:
                self._files = [] if parquet is None else _found(Path(parquet))
                self._unite = self._files_differ(named)
                self.source = _parquet(self._files, self._unite) if self._files else _table(str(table))
                self.columns = self._described()
            self.dialect = _Dialect(self._base)
            self.close = stack.pop_all().close

    def rows(self, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """What a query gives; see `Database`."""
        with _refusals(), self._watched():
            for batch in self._base.sql(query).to_arrow_reader(arrow_batches.BATCH):
                yield batch if batch.schema.equals(schema) else batch.cast(schema)

    def mend(self) -> bool:
        """Read Parquet files from copies without the values that DuckDB refuses; see `Database`."""
        from discreet.count.parquet_repair import mended  # few files need it

        files, self._files = self._files, []
        if not files:
            return False
        try:
            copy = _parquet(mended(files, self._folder), self._unite)
        except OSError as error:
            if error.errno in csv_file.FULL:
                raise InputError(csv_file.no_room(files[0], self._folder)) from None
            return False
        except pa.ArrowException:
            return False
        before, now = self._kinds(self.source), self._kinds(copy)
        changed = {name: kind for name, kind in before.items() if now[name] != kind}
        if any("BLOB" in now[name] for name in changed):  # an interval: the copy does not tell what it was
            return False
        casts = ", ".join(f"CAST({quoted(name)} AS {kind}) AS {quoted(name)}" for name, kind in changed.items())
        self.source = f"(SELECT * REPLACE ({casts}) FROM {copy})" if changed else copy  # noqa: S608
        return True

    def _files_differ(self, named: Iterable[str] | None) -> bool:
        """Whether some of several Parquet files have a column without values, so without a type, that others have.

        Other types are refused. DuckDB would cast them to those of the first file: whether a value can be cast, and
        what becomes of it, would depend on the order of files, and two ids could be one.
        """
        known: dict[str, tuple[str, str]] = {}
        differ = False
        used = None if named is None else set(named)
        for file in self._files if len(self._files) > 1 else ():
            kinds = self._kinds(_parquet([file]))
            used = set(kinds) if used is None else used
            for name in sorted(used):
                kind = kinds.get(name, "")
                there, where = known.setdefault(name, (kind, file))
                if kind == there:
                    continue
                differ = True
                if not (kind and there and _UNTYPED in (kind, there)):
                    said = [f"of type {each:.60}" if each else "missing" for each in (kind, there)]
                    raise InputError(
                        f"column {name!r} is {said[0]} in {file}, and {said[1]} in {where}; write all files alike"
                    )
                if there == _UNTYPED:
                    known[name] = kind, file
        return differ

    def _described(self) -> dict[str, Column]:
        return {name: Column(quoted(name), _type(kind)) for name, kind in self._kinds(self.source).items()}

    def _kinds(self, source: str) -> dict[str, str]:
        """The type of every column."""
        with _refusals():
            rows = self._base.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608
        return {str(name): str(kind) for name, kind, *_ in rows}

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Report progress while a query runs."""
        report = self._progress
        if report is None:
            yield
            return
        done = threading.Event()

        def watch() -> None:
            while not done.wait(0.1):
                percent = self._base.query_progress()
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


class _Dialect:
    """How DuckDB takes and looks up a value."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self._base = database

    def value(self, column: Column) -> str:
        x = column.sql
        match column.type:
            case "int":
                return f"CAST({x} AS BIGINT)"
            case "float":
                return f"CASE WHEN isfinite({x}) THEN CAST({x} AS DOUBLE) + 0 END"
            case "wide" | "bool" | "date":
                return f"CAST({x} AS VARCHAR)"
            case "decimal":
                text = f"CAST({x} AS VARCHAR)"
                return f"CASE WHEN contains({text}, '.') THEN rtrim(rtrim({text}, '0'), '.') ELSE {text} END"
            case "timestamp":
                return f"replace(CAST(TRY_CAST({x} AS TIMESTAMP) AS VARCHAR), ' ', 'T')"
            case _:
                return f"nullif({_trimmed(x)}, '')"

    def number(self, column: Column) -> str:
        x = column.sql
        match column.type:
            case "int":
                return f"CAST({x} AS BIGINT)"
            case "float":
                number = f"CAST({x} AS DOUBLE)"
            case "text":
                x = _trimmed(x)
                right = f"regexp_full_match({x}, {literal(NUMBER_PATTERN)}) AND length({x}) <= {LONGEST_NUMBER}"
                number = f"CASE WHEN {right} THEN TRY_CAST({x} AS DOUBLE) END"
            case "wide" | "decimal":
                number = f"TRY_CAST(CAST({x} AS VARCHAR) AS DOUBLE)"
            case _:
                return "CAST(NULL AS DOUBLE)"
        return f"CASE WHEN abs({number}) <= {self.double(LARGEST_NUMBER)} THEN {number} END"

    def whole(self, column: Column) -> str:
        x = column.sql
        match column.type:
            case "int" | "wide":
                return f"TRY_CAST({x} AS BIGINT)"
            case "float" | "decimal":
                return f"CASE WHEN {x} = trunc({x}) THEN TRY_CAST({x} AS BIGINT) END"
            case "text":
                x = _trimmed(x)
                return f"CASE WHEN regexp_full_match({x}, {literal(INTEGER_PATTERN)}) THEN TRY_CAST({x} AS BIGINT) END"
            case _:
                return "CAST(NULL AS BIGINT)"

    def double(self, number: float) -> str:
        return f"CAST('{number!r}' AS DOUBLE)"

    def lookup(self, column: Column, place: int, raw: Sequence[object], codes: Sequence[int]) -> Lookup:
        if len(raw) <= _FEW and column.family == "text":
            return self._enum(column, place, [str(value) for value in raw], codes)
        value, found = self.value(column), f"r.v{place}"
        if len(raw) <= _FEW:
            listed = ", ".join(self.double(number) if isinstance(number, float) else str(number) for number in raw)
            return Lookup(value, f"list_extract({list(codes)}, list_position([{listed}], {found}))")
        self._base.register("declared", pa.table({"raw": raw, "code": arrow_batches.column(np.array(codes, np.int32))}))
        self._base.execute(f"CREATE OR REPLACE TEMP TABLE m{place} AS SELECT raw, code FROM temp.declared")  # noqa: S608
        self._base.unregister("declared")
        return Lookup(value, f"m{place}.code", f"LEFT JOIN temp.m{place} AS m{place} ON m{place}.raw = {found}")

    def _enum(self, column: Column, place: int, raw: list[str], codes: Sequence[int]) -> Lookup:
        """Few texts as an enumeration, which DuckDB finds and groups by faster than by anything else.

        A text that is not in an enumeration takes DuckDB as long as all the texts that are, so many texts are joined.
        """
        raw = [text for _, text in sorted(zip(codes, raw, strict=True))]
        kind = f"m{place}"
        self._base.execute(f"CREATE OR REPLACE TEMP TYPE {kind} AS ENUM ({', '.join(map(literal, raw))})")
        value = f"TRY_CAST({self.value(column)} AS temp.{kind})"
        if column.type in ("text", "other"):  # only what is not declared as it stands needs trimming
            value = f"COALESCE(TRY_CAST({_text(column.sql)} AS temp.{kind}), {value})"
        if sorted(codes) == list(range(len(codes))):
            return Lookup(value, f"r.v{place}", code=f"enum_code(t.t{place})")
        return Lookup(value, f"list_extract({sorted(codes)}, enum_code(r.v{place}) + 1)")

    def repeated(self, ids: str, most: int) -> str:
        """Only ids whose hash occurs often enough are grouped: as a rule these are few, and hashes sort fast."""
        hashed = "CAST(hash(id) >> 32 AS UINTEGER)"
        with _refusals():
            total = self._base.execute(f"SELECT COUNT(*) FROM ({ids}) u").fetchall()[0][0]  # noqa: S608
            shares = 1 + total // _SHARE
            often = []
            for share in range(shares):
                part = f"SELECT {hashed} FROM ({ids}) u WHERE hash(id) % 65536 % {shares} = {share}"  # noqa: S608
                often.append(_often(self._base.sql(part).to_arrow_reader(arrow_batches.BATCH), most))
            if sum(map(len, often)) > _OFTEN:
                return sql.repeated(ids, most)
            listed = np.concatenate(often).tolist()
            self._base.execute("CREATE OR REPLACE TEMP TABLE often AS SELECT unnest($1::UINTEGER[]) AS h", [listed])
        return sql.repeated(f"SELECT id FROM ({ids}) u WHERE {hashed} IN (SELECT h FROM temp.often)", most)  # noqa: S608


def _often(batches: Iterable[pa.RecordBatch], most: int) -> npt.NDArray[np.uint32]:
    """The numbers that occur more than `most` times."""
    numbers = np.concatenate([np.zeros(0, np.uint32), *(arrow_batches.numbers(batch.column(0)) for batch in batches)])
    numbers.sort()
    found = numbers[most:][numbers[most:] == numbers[:-most]]
    first = np.ones(len(found), dtype=bool)
    first[1:] = found[1:] != found[:-1]
    return np.asarray(found[first])


def _trimmed(x: str) -> str:
    """Text without white space at its ends; the test of the first and last character is cheap, and trimming is not.

    NULL where the text is too long, before anything is made of the text.
    """
    x = _text(x)
    ends = f"CASE WHEN {x} < '!' OR {x}[-1] < '!' THEN trim({x}, {literal(WHITE_SPACE)}) ELSE {x} END"
    return f"CASE WHEN strlen({x}) <= {LONGEST_TEXT} THEN {ends} END"


def _text(x: str) -> str:
    return f'(CAST({x} AS VARCHAR) COLLATE "binary")'  # whatever case or accents a column's own collation ignores


def _type(name: str) -> Type:
    if name.startswith("DECIMAL"):
        return "decimal"
    return "text" if name.startswith("ENUM") else _TYPES.get(name, "other")


def _table(name: str) -> str:
    return ".".join(map(quoted, sql.parts(name)))


def _found(path: Path) -> list[str]:
    if os.path.isdir(path):
        files = sorted(str(file) for file in path.rglob("*.parquet") if not file.name.startswith((".", "_")))
        missing = f"the folder {path} has no file that ends in .parquet"
    elif glob.has_magic(str(path)) and not os.path.exists(path):
        files = sorted(glob.glob(str(path), recursive=True))
        missing = f"no file is named like {path}"
    else:
        files = [str(path)] if os.path.exists(path) else []
        missing = f"there is no file {path}"
    for file in files:
        if not os.path.isfile(file):
            raise InputError(f"{file} is a pipe, a folder or a device; save the rows as a Parquet file first")
    if not files:
        raise InputError(f"{missing}; give a Parquet file, a folder of them, or a pattern such as data/*.parquet")
    return files


def _parquet(files: Sequence[str], unite: bool = False) -> str:
    """The rows of all files; `unite` their types, where some have none."""
    listed = ", ".join(literal(glob.escape(os.path.abspath(file))) for file in files)
    return f"read_parquet([{listed}], hive_partitioning=false, union_by_name={str(unite).lower()})"


def _connect(database: Path | None, folder: Path, memory: str) -> duckdb.DuckDBPyConnection:
    if database is not None and not os.path.isfile(database):
        raise InputError(f"there is no DuckDB file {database}; check the path")
    with _refusals():
        base = duckdb.connect(
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
        base.execute("SET TimeZone = 'UTC'")
        base.execute("SET enable_progress_bar = true")
        base.execute("SET enable_progress_bar_print = false")
    return base


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    """DuckDB's errors as ours, without what they quote of the data."""
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise InputError(
            "DuckDB has not enough memory, or the temporary folder is full; make room there, or set TMPDIR to another"
        ) from None
    except (duckdb.IOException, duckdb.CatalogException, duckdb.PermissionException) as error:
        raise InputError(f"DuckDB cannot read the source: {str(error).splitlines()[0][:300]}") from None
    except duckdb.Error as error:
        raise InputError(f"DuckDB cannot read the source ({type(error).__name__}); check that it is whole") from None

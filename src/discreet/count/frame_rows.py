"""Rows of a data frame: pandas, Polars, an Arrow table or stream, or a relation of DuckDB.

Only the columns that the specification names are read. Whether a frame is refused depends on the types of these columns
alone, never on a value:

    text, integers, floats, decimals, booleans, dates, timestamps   as in a Parquet file
    dictionaries (categoricals, enumerations) of these              like their values
    object columns of pandas                                        each value on its own (`frame_values`)
    a column without a type (all values are missing)                text, all of it missing
    floats in the column of ids                                     refused: beyond 2**53 two ids may be one float
    lists, structures, binary data, durations, times of day, ...    refused

Columns of Arrow are not copied. A stream and a relation are read once, and their columns are kept in memory.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from discreet.count._pandas_columns import pandas_column, pandas_type
from discreet.count.recode import require_columns
from discreet.count.repaired_values import LARGEST_TIME, is_valid, repaired
from discreet.errors import InputError

KINDS = "a pandas or Polars DataFrame, a PyArrow table or record batch reader, or a DuckDB relation"
FLOAT_IDS = (
    "read the column as text (pandas.read_csv(..., dtype={'COLUMN': 'str'})) or as nullable integers (dtype 'Int64'),"
    " because one missing id makes floats of pandas' integers"
)


@dataclass(frozen=True, repr=False)
class _Opened:
    """A frame whose columns are known and not read yet.

    Attributes
    ----------
    types
        The type of each column that is needed, in the order of the names: an Arrow type, or None if it has none.
    shown_types
        The same types as the library of the frame calls them.
    read
        Returns the columns, and the number of rows.
    """

    types: Sequence[pa.DataType | None]
    shown_types: Sequence[str]
    read: Callable[[], tuple[list[pa.ChunkedArray], int]]


class FrameRows:
    """The rows of a data frame, as an engine reads them.

    Parameters
    ----------
    data
        The frame.
    column_names
        The columns that will be read.
    unit
        The column of ids; None if every row is a person.

    Raises
    ------
    InputError
        `data` is not a data frame, a column is missing, occurs twice or has a type that cannot be read, or ids are
        floats.
    """

    def __init__(self, data: Any, column_names: Collection[str], unit: str | None = None) -> None:
        self.names = tuple(sorted(column_names))
        self._opened = _open(data, self.names, unit)
        for name, kind, shown in zip(self.names, self._opened.types, self._opened.shown_types, strict=True):
            _require_readable(name, kind, shown)
            if name == unit and pa.types.is_floating(_value_type(kind)):
                raise InputError(
                    f"the ids in column {name!r} are floats ({shown}), and beyond 2**53 two people may have one float;"
                    f" {FLOAT_IDS}"
                )

    @cached_property
    def table(self) -> pa.Table:
        """The columns f0, f1, ... in the order of `names`. Values that DuckDB refuses are missing."""
        try:
            columns, rows = self._opened.read()
        except pa.ArrowException as error:
            raise InputError(
                f"the data cannot be read to their end ({type(error).__name__}); check what the stream is made from"
            ) from None
        if not columns:  # a table without columns has no rows
            return pa.table({"f0": pa.nulls(rows, pa.string())})
        return pa.table({f"f{i}": _readable(column) for i, column in enumerate(columns)})


def _open(data: Any, names: Sequence[str], unit: str | None) -> _Opened:
    if _is(data, "pandas", "DataFrame"):
        return _open_pandas(data, names, unit)
    if _is(data, "polars", "DataFrame"):
        return _open_polars(data, names)
    if any(_is(data, module, "DuckDBPyRelation") for module in ("duckdb", "_duckdb")):
        return _open_relation(data, names)
    if hasattr(data, "__arrow_c_stream__") and not _is(data, "pandas", "Series"):
        return _open_stream(data, names)
    raise _no_frame(data)


def _is(data: Any, library: str, name: str) -> bool:
    """Return True if an object is of a class of a library, which need not be installed."""
    classes = type(data).__mro__
    return any(base.__name__ == name and base.__module__.partition(".")[0] == library for base in classes)


def _no_frame(data: Any) -> InputError:
    kind = type(data).__name__
    if isinstance(data, (str, os.PathLike)):
        return InputError(
            f"data is the path {os.fspath(data)!r:.200}; name the file as the source of the specification, for example"
            " source: {csv: people.csv}, or read it into a data frame"
        )
    remedy = {"LazyFrame": "call data.collect() first", "Series": "call data.to_frame() first"}.get(kind)
    return InputError(f"data is of the type {kind}; {remedy or f'give {KINDS}'}")


def _open_pandas(frame: Any, names: Sequence[str], unit: str | None) -> _Opened:
    labels = [str(label) for label in frame.columns]
    indexed = [str(level) for level in frame.index.names if level is not None]
    for name in names:
        if name in indexed and name not in labels:
            raise InputError(f"the column {name!r} is the index of the frame; call data.reset_index() first")
    series = [frame.iloc[:, index] for index in _indices(names, labels)]
    types = [pandas_type(column) for column in series]
    shown = [str(column.dtype) for column in series]

    def read() -> tuple[list[pa.ChunkedArray], int]:
        named = zip(names, series, strict=True)
        return [_chunked(pandas_column(column, ids=name == unit)) for name, column in named], len(frame)

    return _Opened(types, shown, read)


def _open_polars(frame: Any, names: Sequence[str]) -> _Opened:
    """Open each column as a stream of its own: pyarrow cannot read a frame that has one column of an unknown type."""
    _indices(names, frame.columns)
    shown = [str(frame.schema[name]) for name in names]
    types: list[pa.DataType | None] = []
    for name in names:
        try:
            types.append(pa.RecordBatchReader.from_stream(frame.select(name)).schema.types[0])
        except pa.ArrowInvalid:  # for example integers of 128 bits
            types.append(None)

    def read() -> tuple[list[pa.ChunkedArray], int]:
        return [pa.table(frame.select(name)).column(0) for name in names], frame.height

    return _Opened(types, shown, read)


def _open_relation(relation: Any, names: Sequence[str]) -> _Opened:
    """Open a relation as a new one with the needed columns only. Errors of the query may quote rows."""
    import duckdb

    indices = _indices(names, relation.columns)
    if not names:
        counted = relation.count("*")
        return _Opened([], [], lambda: ([], counted.fetchall()[0][0]))
    projected = relation.select(*(duckdb.ColumnExpression(name) for name in names))
    try:
        opened = _open_stream(projected, names)
    except duckdb.Error as error:
        raise _failed_query(error) from None

    def read() -> tuple[list[pa.ChunkedArray], int]:
        try:
            return opened.read()
        except duckdb.Error as error:
            raise _failed_query(error) from None

    return _Opened(opened.types, [str(relation.types[index]) for index in indices], read)


def _failed_query(error: Exception) -> InputError:
    return InputError(
        f"the query of the DuckDB relation fails ({type(error).__name__}); check that it runs, for example with"
        " TRY_CAST instead of CAST"
    )


def _open_stream(data: Any, names: Sequence[str]) -> _Opened:
    try:
        reader = pa.RecordBatchReader.from_stream(data)
    except pa.ArrowInvalid:
        raise InputError(
            f"data is of the type {type(data).__name__}, a single column or of types that Arrow does not know; give"
            f" {KINDS}"
        ) from None
    indices = _indices(names, reader.schema.names)
    schema = pa.schema([reader.schema.field(index).with_name(f"f{i}") for i, index in enumerate(indices)])

    def read() -> tuple[list[pa.ChunkedArray], int]:
        rows, batches = 0, []
        for batch in reader:
            rows += batch.num_rows
            batches.append(pa.RecordBatch.from_arrays([batch.column(index) for index in indices], schema=schema))
        return (pa.Table.from_batches(batches, schema).columns if names else []), rows

    return _Opened(schema.types, [str(kind) for kind in schema.types], read)


def _indices(names: Sequence[str], labels: Sequence[str]) -> list[int]:
    """Return the index of each column. Raise InputError if a column is missing or occurs twice."""
    listed: Mapping[str, None] = dict.fromkeys(labels)
    require_columns(names, listed)
    for name in names:
        if labels.count(name) > 1:
            raise InputError(f"the data have {labels.count(name)} columns {name!r}; rename all but one")
    return [labels.index(name) for name in names]


def _require_readable(name: str, kind: pa.DataType | None, shown: str) -> None:
    value = _value_type(kind)
    tests = (
        pa.types.is_null, pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, _is_text, pa.types.is_date,
        pa.types.is_timestamp,
    )  # fmt: skip
    decimal = value is not None and pa.types.is_decimal(value) and value.bit_width <= 128
    if value is None or not (decimal or any(test(value) for test in tests)):
        raise InputError(
            f"the column {name!r} has the type {shown:.80}; convert it to text, numbers, booleans, dates or timestamps"
        )


def _value_type(kind: pa.DataType | None) -> pa.DataType | None:
    return kind.value_type if kind is not None and pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _chunked(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _readable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of a type that DuckDB knows, in which values that DuckDB refuses are missing."""
    kind = column.type
    if pa.types.is_null(kind):
        return pa.chunked_array([pa.nulls(len(column), pa.string())])
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_dictionary(kind):
        return _readable_dictionaries(column)
    if pa.types.is_timestamp(kind):
        return pa.chunked_array([_readable_times(chunk) for chunk in column.chunks], pa.timestamp(kind.unit))
    if _is_text(kind) and not all(is_valid(chunk) for chunk in column.chunks):
        chunks = [repaired(chunk) for chunk in column.cast(pa.large_string()).chunks]
        return pa.chunked_array(chunks, pa.large_string())
    return column


def _readable_dictionaries(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of dictionaries with readable values. Each chunk has its own dictionary."""
    values = [_readable(pa.chunked_array([chunk.dictionary])).combine_chunks() for chunk in column.chunks]
    if len({value.type for value in values}) > 1:  # a value of some chunk was not UTF-8
        values = [value.cast(pa.large_string()) for value in values]
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices, value) for chunk, value in zip(column.chunks, values, strict=True)
    ]
    return pa.chunked_array(chunks) if chunks else pa.chunked_array([], pa.string())


def _readable_times(array: pa.Array) -> pa.Array:
    """Return timestamps in UTC without a zone. Times before DuckDB's first time are missing; its -infinity is not."""
    times = array.view(pa.timestamp(array.type.unit))
    if array.type.unit != "us":
        return repaired(times)
    ticks = times.view(pa.int64())
    is_known = pc.or_(pc.greater_equal(ticks, -LARGEST_TIME), pc.equal(ticks, -(2**63) + 1))
    return times if pc.all(is_known).as_py() is not False else pc.if_else(is_known, times, pa.scalar(None, times.type))

"""The same rows as frames of every library, and as files."""

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

Row = dict[str, Any]

SCHEMA = pa.schema(
    [
        ("person", pa.int64()),
        ("name", pa.string()),
        ("region", pa.string()),
        ("age", pa.int32()),
        ("income", pa.float64()),
        ("member", pa.bool_()),
        ("born", pa.date32()),
        ("seen", pa.timestamp("us")),
    ]
)
"""The columns of the rows. `name` is an id that is text."""

DTYPES = {
    "person": "Int64",
    "name": "string",
    "region": "string",
    "age": "Int32",
    "income": "Float64",
    "member": "boolean",
}


def _pandas_objects(rows: list[Row]) -> Any:
    return pd.DataFrame({name: pd.Series([row[name] for row in rows], dtype=object) for name in SCHEMA.names})


def _pandas_nullable(rows: list[Row]) -> Any:
    frame = _pandas_objects(rows).astype(DTYPES)
    return frame.assign(seen=pd.Series([row["seen"] for row in rows], dtype="datetime64[us]"))


def _pandas_arrow(rows: list[Row]) -> Any:
    return arrow(rows).to_pandas(types_mapper=pd.ArrowDtype)


def _pandas_categories(rows: list[Row]) -> Any:
    frame = _pandas_objects(rows)
    return frame.assign(**{name: frame[name].astype("category") for name in ("region", "age", "born", "name")})


def _pandas_python_text(rows: list[Row]) -> Any:
    frame = _pandas_objects(rows)
    return frame.assign(**{name: frame[name].astype("string[python]") for name in ("region", "name")})


def _polars(rows: list[Row]) -> Any:
    frame = pl.from_arrow(arrow(rows))
    assert isinstance(frame, pl.DataFrame)
    return frame


def _polars_categories(rows: list[Row]) -> Any:
    regions = sorted({row["region"] for row in rows if row["region"] is not None})
    return _polars(rows).with_columns(pl.col("region").cast(pl.Enum(regions)), pl.col("name").cast(pl.Categorical))


def _arrow_dictionaries(rows: list[Row]) -> Any:
    table = arrow(rows)
    for name in ("region", "name", "age"):
        index = table.schema.get_field_index(name)
        table = table.set_column(index, name, table.column(name).dictionary_encode())
    return table


def _arrow_reader(rows: list[Row]) -> Any:
    return arrow(rows).to_reader(max_chunksize=7)


def _relation(rows: list[Row]) -> Any:
    connection = duckdb.connect()
    connection.register("people", arrow(rows))
    return connection.sql("SELECT * FROM people")


def arrow(rows: list[Row]) -> pa.Table:
    """Return the rows as an Arrow table."""
    return pa.Table.from_pylist(rows, SCHEMA)


LIBRARIES: dict[str, Callable[[list[Row]], Any]] = {
    "pandas objects": _pandas_objects,
    "pandas nullable": _pandas_nullable,
    "pandas arrow": _pandas_arrow,
    "pandas categories": _pandas_categories,
    "pandas python text": _pandas_python_text,
    "polars": _polars,
    "polars categories": _polars_categories,
    "arrow": arrow,
    "arrow dictionaries": _arrow_dictionaries,
    "arrow reader": _arrow_reader,
    "duckdb relation": _relation,
}
"""From rows to a frame, by the name of the library and of the kind of its columns."""


def write_parquet(rows: list[Row], path: Path) -> Path:
    """Write the rows to a Parquet file. Return its path."""
    pq.write_table(arrow(rows), path)
    return path


LATE = datetime.datetime(2024, 5, 31, 8, 30)

"""Copies of Parquet files without the values that DuckDB refuses to read.

Text that is not UTF-8, text of more than 16 MB, and times in seconds or milliseconds that microseconds cannot hold
become missing. All other values stay the same: one person's value must not change the values of others.
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from discreet.plan.canonical_text import LONGEST_TEXT

_ROWS = 2**15
"""Rows that are copied at a time."""
_LARGEST_TIME = 9_223_372_022_400_000_000
"""Microseconds before or after 1970 that DuckDB accepts, at most."""


def repaired_copies(files: list[str], folder: Path) -> list[str]:
    """Copy files to `folder`, which is private to the caller. Return the paths of the copies, in the same order."""
    copies = []
    for number, name in enumerate(files):
        target = folder / f"repaired{number}.parquet"
        with pq.ParquetFile(name, coerce_int96_timestamp_unit="us") as source:
            schema = pa.schema([pa.field(field.name, _decoded_type(field.type)) for field in source.schema_arrow])
            with pq.ParquetWriter(target, schema) as writer:
                for batch in source.iter_batches(_ROWS):
                    arrays = [_repaired(array) for array in batch.columns]
                    writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
        copies.append(str(target))
    return copies


def _decoded_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _repaired(array: pa.Array) -> pa.Array:
    """Return an array in which values that DuckDB refuses are missing."""
    if pa.types.is_dictionary(array.type):
        array = pa.DictionaryArray.from_arrays(array.indices, _without_long_texts(array.dictionary)).dictionary_decode()
    array = _without_long_texts(array)
    if pa.types.is_timestamp(array.type) and array.type.unit in ("s", "ms"):
        largest = _LARGEST_TIME // (1_000_000 if array.type.unit == "s" else 1000)
        ticks = array.cast(pa.int64())
        inside = pc.and_(pc.greater_equal(ticks, -largest), pc.less_equal(ticks, largest))
        return pc.if_else(inside, array, pa.scalar(None, array.type))
    if _is_valid(array):
        return array
    kept = [index if _is_valid(array.slice(index, 1)) else None for index in range(len(array))]
    return array.take(pa.array(kept, pa.int64()))


def _without_long_texts(array: pa.Array) -> pa.Array:
    """Return an array in which texts of more than 16 MB are missing."""
    kind = array.type
    if not any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
        return array
    is_long = pc.greater(pc.binary_length(array), LONGEST_TEXT)
    if not pc.any(is_long).as_py():
        return array
    return array.take(pa.array([None if long else i for i, long in enumerate(is_long.to_pylist())], pa.int64()))


def _is_valid(array: pa.Array) -> bool:
    """Return True if every value of an array is valid, for example every text is UTF-8."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True

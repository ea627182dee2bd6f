"""Parquet files with values that DuckDB refuses to read, copied without them.

Text that is not UTF-8, text of more than 16 MB and times in seconds or milliseconds that microseconds cannot hold
become missing. All other values read as they did: one person's must not change what is read of others.
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from discreet.plan.canonical_text import LONGEST_TEXT

_ROWS = 2**15
_LAST = 9_223_372_022_400_000_000
"""Microseconds before 1970 up to which DuckDB knows a time."""


def mended(files: list[str], folder: Path) -> list[str]:
    """Copies of the files, in the same order, in `folder`, which is private to the caller."""
    made = []
    for number, name in enumerate(files):
        target = folder / f"mended{number}.parquet"
        with pq.ParquetFile(name, coerce_int96_timestamp_unit="us") as source:
            schema = pa.schema([pa.field(field.name, _plain(field.type)) for field in source.schema_arrow])
            with pq.ParquetWriter(target, schema) as writer:
                for batch in source.iter_batches(_ROWS):
                    arrays = [_mended(array) for array in batch.columns]
                    writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
        made.append(str(target))
    return made


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _mended(array: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = pa.DictionaryArray.from_arrays(array.indices, _short(array.dictionary)).dictionary_decode()
    array = _short(array)
    if pa.types.is_timestamp(array.type) and array.type.unit in ("s", "ms"):
        most = _LAST // (1_000_000 if array.type.unit == "s" else 1000)
        whole = array.cast(pa.int64())
        inside = pc.and_(pc.greater_equal(whole, -most), pc.less_equal(whole, most))
        return pc.if_else(inside, array, pa.scalar(None, array.type))
    if _whole(array):
        return array
    kept = [i if _whole(array.slice(i, 1)) else None for i in range(len(array))]
    return array.take(pa.array(kept, pa.int64()))


def _short(array: pa.Array) -> pa.Array:
    """The same without texts that are too long."""
    kind = array.type
    if not any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
        return array
    long = pc.greater(pc.binary_length(array), LONGEST_TEXT)
    if not pc.any(long).as_py():
        return array
    return array.take(pa.array([None if too else i for i, too in enumerate(long.to_pylist())], pa.int64()))


def _whole(array: pa.Array) -> bool:
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True

"""Copies of Parquet files without the values that DuckDB refuses to read.

Text that is not UTF-8, text of more than 16 MB, and times in seconds or milliseconds that microseconds cannot hold
become missing. All other values stay the same: one person's value must not change the values of others.
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.count.repaired_values import repaired

_ROWS = 2**15
"""Rows that are copied at a time."""


def repaired_copies(files: list[str], folder: Path) -> list[str]:
    """Copy files to `folder`, which is private to the caller. Return the paths of the copies, in the same order."""
    copies = []
    for number, name in enumerate(files):
        target = folder / f"repaired{number}.parquet"
        with pq.ParquetFile(name, coerce_int96_timestamp_unit="us") as source:
            schema = pa.schema([pa.field(field.name, _decoded_type(field.type)) for field in source.schema_arrow])
            with pq.ParquetWriter(target, schema) as writer:
                for batch in source.iter_batches(_ROWS):
                    arrays = [repaired(array) for array in batch.columns]
                    writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
        copies.append(str(target))
    return copies


def _decoded_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind

"""A private copy of rows of texts: a Parquet file with the columns f0, f1, ..."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

_MOST_FIELDS = 2**19
"""Fields that are written at a time, roughly."""
_MOST_CHARACTERS = 2**25
"""Characters that are written at a time, roughly."""


def write_copy(rows: Iterable[Sequence[str | None]], columns: int, folder: Path) -> Path:
    """Write rows of texts, each with `columns` fields, to a new Parquet file in a folder. Return its path."""
    import pyarrow.parquet as pq  # few files need it

    schema = pa.schema([(f"f{i}", pa.string()) for i in range(columns)])
    target = folder / f"copy{len(os.listdir(folder))}.parquet"
    with pq.ParquetWriter(target, schema) as writer:
        batch: list[Sequence[str | None]] = []
        characters = 0
        for row in rows:
            batch.append(row)
            for field in row:
                characters += len(field) if field else 0
            if len(batch) * (columns + 16) > _MOST_FIELDS or characters > _MOST_CHARACTERS:
                writer.write_table(pa.table([*map(text_column, zip(*batch, strict=True))], schema=schema))
                batch.clear()
                characters = 0
        if batch:
            writer.write_table(pa.table([*map(text_column, zip(*batch, strict=True))], schema=schema))
    return target


def text_column(texts: Iterable[str | None]) -> pa.Array:
    """Return texts as a column. `pa.array` would load pandas if it is installed, which takes a second."""
    builder = pa.lib.StringBuilder()
    builder.append_values(texts)
    return builder.finish()

"""Check the tables of a folder that another version or build of Discreet, or another version of numpy, made.

Versions may differ in the last digits of a least-squares fit, and so in how a number is rounded. So the counts are read
from the files, and compared with the measurements as before publication (`distance`). Each file must be equal to the
file that a release writes for its counts.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.arrays import Integers
from discreet.plan.layout import Grouping
from discreet.publish import _parquet_bytes
from discreet.publish.folder import Published
from discreet.publish.manifest import VERSION, Manifest, SoftwareEntry
from discreet.publish.table_files import EXTENSIONS
from discreet.reconcile import distance
from discreet.reconcile.table_plan import Fitted

FORMATS = {extension: name for name, extension in EXTENSIONS.items()}
"""The format of a file, by the end of its name."""

WRITERS = re.compile(r"parquet-cpp-arrow version [0-9a-z.+-]{1,24}", re.IGNORECASE)
"""How pyarrow names itself in the files that it writes."""


def other_software(manifest: Manifest) -> str | None:
    """Return the versions that made a folder and the running versions, as text; None if they are the same."""
    here = SoftwareEntry.of_this_process()
    running, original = _versions(here), _versions(manifest.software)
    if running == original and not _is_same(here, manifest.software):
        running, original = f"build {here.build}", f"{original}, in build {manifest.software.build}"
    if manifest.version < VERSION:
        original += f" in version {manifest.version} of the format"
    return None if original == running else f"made by {original}; this is {running}"


def is_replayed_but_for_the_report(manifest: Manifest) -> bool:
    """Return True if this software made a folder in an older format whose tables have the same form, with intervals."""
    return _is_same(SoftwareEntry.of_this_process(), manifest.software) and 1 < manifest.version < VERSION


def _is_same(running: SoftwareEntry, original: SoftwareEntry) -> bool:
    """Return True if versions and, where the manifest states it, the build are the same."""
    return _versions(running) == _versions(original) and original.build in (None, running.build)


def _versions(software: SoftwareEntry) -> str:
    return f"Discreet {software.discreet} with numpy {software.numpy}"


def wrong_tables(
    published: Published, fitted: Sequence[Fitted], content: Mapping[str, bytes], names: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Check the files of tables that the running version makes otherwise.

    Parameters
    ----------
    published, fitted
        What the running version makes of the measurements.
    content
        The files of the folder.
    names
        The names of the files that differ. Names of other files than tables are ignored.

    Returns
    -------
    failures
        One line for each mistake.
    by_content
        The names of Parquet files of which only the content was compared.
    """
    failures: list[str] = []
    by_content: list[str] = []
    for table_index, (table, _) in enumerate(published.plan.layout.tables):
        for name in (name for name in names if name in [f"{table.name}.{extension}" for extension in FORMATS]):
            counts, exactly = _counts(published, table_index, name, content[name])
            if counts is None:
                failures.append(f"{name}: is not a table as a release writes it")
                continue
            if not exactly:
                by_content.append(name)
            failures.extend(f"{name}: {line}" for line in _too_far(published, fitted, table_index, counts))
    return failures, by_content


def _counts(published: Published, table_index: int, name: str, raw: bytes) -> tuple[list[Integers] | None, bool]:
    """Return the counts of a file, and False if the file was compared by content only.

    Return None for the counts if the file is not one that a release writes.
    """
    kind = name.partition(".")[2]
    try:
        counts = _read(published, table_index, kind, raw)
        tables = [*published.tables]
        tables[table_index] = counts
        written = published.table_files(tables, [FORMATS[kind]])[name]
    except (ValueError, LookupError, TypeError, OverflowError, csv.Error, pa.ArrowException):
        return None, False
    if written == raw:
        return counts, True
    return (counts if kind == "parquet" and same_parquet(raw, written) else None), False


def _too_far(
    published: Published, fitted: Sequence[Fitted], table_index: int, counts: Sequence[Integers]
) -> Iterator[str]:
    """Yield which of the counts of a table are further from the measurements than noise explains."""
    replaced = dict(zip(published.plan.layout.tables[table_index][1], counts, strict=True))
    with_counts = [
        replace(fit, counts={index: replaced.get(index, own) for index, own in fit.counts.items()})
        if table_index in part.tables
        else fit
        for (_, part), fit in zip(published.table_plan.parts, fitted, strict=True)
    ]
    return distance.too_far(published.table_plan, with_counts, published.measurements, published.noise)


def _read(published: Published, table_index: int, kind: str, raw: bytes) -> list[Integers]:
    """Return the counts of a table, one array for each of its groupings, from one of its files."""
    table, grouping_indices = published.plan.layout.tables[table_index]
    groupings = [published.plan.layout.groupings[index] for index in grouping_indices]
    if kind == "json":
        document = json.loads(raw)
        return [_from_cube(document, grouping) for grouping in groupings]
    if kind == "parquet":
        flat = pq.ParquetFile(io.BytesIO(raw), pre_buffer=False).read(use_threads=False)["count"].to_numpy()
    else:
        head, *rows = csv.reader(io.StringIO(raw.decode()))
        column = head.index("OBS_VALUE" if kind == "sdmx.csv" else "count")
        flat = np.array([int(row[column]) for row in rows], dtype=np.int64)
    ends = np.cumsum([grouping.size for grouping in groupings])
    if len(flat) != ends[-1]:
        raise ValueError(f"{table.name} has {len(flat)} counts, not {ends[-1]}")
    parts = np.split(np.asarray(flat, dtype=np.int64), ends[:-1])
    return [part.reshape(grouping.shape) for part, grouping in zip(parts, groupings, strict=True)]


def _from_cube(document: Mapping[str, Any], grouping: Grouping) -> Integers:
    """Return the counts of a grouping from a JSON-stat document, whose last category is the total.

    In version 2 the last dimension tells counts from the ends of intervals. Counts come first.
    """
    cube = np.array(document["value"], dtype=object).reshape(document["size"])
    sizes = dict(zip(document["id"], document["size"], strict=True))
    if "role" in document:
        cube, _ = cube[..., 0], sizes.popitem()
    lengths = {axis.book.name: len(axis.labels) for axis in grouping.axes}
    selection = tuple(slice(lengths[name]) if name in lengths else sizes[name] - 1 for name in sizes)
    return np.asarray(cube[selection]).astype(np.int64)


def same_parquet(raw: bytes, expected: bytes) -> bool:
    """Return True if two Parquet files are equal, or if another version of pyarrow wrote `raw` with the same content.

    If `raw` names this version of pyarrow, it must be equal to `expected`. Otherwise columns, rows and metadata are
    compared. Each byte must belong to a column or to the footer (`_parquet_bytes`), and no dictionary may have more
    values than its column. This is no proof: pages and footer can hold bytes that are not content.
    """
    if raw == expected:
        return True
    try:
        # One thread: an Arrow thread that frees bytes of Python while Python ends aborts the process.
        file, expected_file = (pq.ParquetFile(io.BytesIO(data), pre_buffer=False) for data in (raw, expected))
        writer = file.metadata.created_by
        if writer == expected_file.metadata.created_by or not WRITERS.fullmatch(writer or ""):
            return False
        if file.metadata.num_rows != expected_file.metadata.num_rows or not _dictionaries_fit(raw, file):
            return False
        return bool(file.read(use_threads=False).equals(expected_file.read(use_threads=False), check_metadata=True))
    except (ValueError, LookupError, TypeError, pa.ArrowException, OSError):
        return False


def _dictionaries_fit(raw: bytes, file: pq.ParquetFile) -> bool:
    """Return True if no dictionary of a column has more values than the column has different values."""
    dictionaries = iter(_parquet_bytes.columns(raw))
    for group in range(file.num_row_groups):
        for column in file.read_row_group(group, use_threads=False).itercolumns():
            if sum(next(dictionaries)) > len(column.unique()):
                return False
    return True

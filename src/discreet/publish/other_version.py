"""Tables of a folder that another version made: not what this version makes, but are they tables of the measurements?

Last digits of a least-squares fit, and with them how a number was rounded, may differ between versions of Discreet and
numpy. So counts are read from the files and compared with the measurements as before publication (`distance`). A file
must be the one that is written for its counts.
"""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.arrays import Integers
from discreet.publish import parquet_bytes, table_files
from discreet.publish.folder import Published
from discreet.publish.manifest import SoftwareEntry
from discreet.reconcile import distance
from discreet.reconcile.table_plan import Fitted

FORMATS = {"csv": "csv", "parquet": "parquet", "json": "json-stat"}

WRITERS = re.compile(r"parquet-cpp-arrow version [0-9a-z.+-]{1,24}", re.IGNORECASE)
"""How pyarrow names itself in the files that it writes."""


def other_software(made_by: SoftwareEntry) -> str | None:
    """Which versions made a folder and which these are, in words; None if they are the same."""
    here, then = _versions(SoftwareEntry.of_this_process()), _versions(made_by)
    return None if then == here else f"made by {then}; this is {here}"


def _versions(software: SoftwareEntry) -> str:
    return f"Discreet {software.discreet} with numpy {software.numpy}"


def wrong_tables(
    published: Published, fitted: Sequence[Fitted], content: Mapping[str, bytes], names: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Check the files of tables that this version makes otherwise.

    Return what is wrong with the files, and the names of Parquet files that were compared by their content.
    """
    failures, by_content = [], []
    for number, (table, places) in enumerate(published.plan.layout.tables):
        for name in (name for name in names if name.rpartition(".")[0] == table.name):
            kind = name.rpartition(".")[2]
            try:
                counts = _read(published, number, kind, content[name])
                tables = [counts if at == number else each for at, each in enumerate(published.tables)]
                written = table_files.files(published.plan.layout, tables, [FORMATS[kind]])[name]
                same = written == content[name]
                if not same and kind == "parquet" and same_parquet(content[name], written):
                    same = True
                    by_content.append(name)
            except (ValueError, LookupError, TypeError, OverflowError, csv.Error, pa.ArrowException):
                same = False
            if not same:
                failures.append(f"{name}: is not a table as a release writes it")
                continue
            found = dict(zip(places, counts, strict=True))
            put = [
                replace(each, counts={place: found.get(place, own) for place, own in each.counts.items()})
                if number in part.tables
                else each
                for (_, part), each in zip(published.table_plan.parts, fitted, strict=True)
            ]
            too_far = distance.too_far(published.table_plan, put, published.measurements, published.plan.ptable.table)
            failures.extend(f"{name}: {wrong}" for wrong in too_far)
    return failures, by_content


def _read(published: Published, number: int, kind: str, raw: bytes) -> list[Integers]:
    """The counts of a table, grouping by grouping, from one of its files."""
    table, places = published.plan.layout.tables[number]
    groupings = [published.plan.layout.groupings[place] for place in places]
    if kind == "json":
        document = json.loads(raw)
        cube = np.array(document["value"], dtype=object).reshape(document["size"])
        sizes = dict(zip(document["id"], document["size"], strict=True))
        found = []
        for grouping in groupings:
            kept = {side.book.name: len(side.labels) for side in grouping.axes}
            at = tuple(slice(kept[name]) if name in kept else sizes[name] - 1 for name in document["id"])
            found.append(np.asarray(cube[at]).astype(np.int64))
        return found
    if kind == "parquet":
        flat = pq.ParquetFile(io.BytesIO(raw), pre_buffer=False).read(use_threads=False)["count"].to_numpy()
    else:
        flat = np.array([int(row[-1]) for row in list(csv.reader(io.StringIO(raw.decode())))[1:]], dtype=np.int64)
    ends = np.cumsum([grouping.size for grouping in groupings])
    if len(flat) != ends[-1]:
        raise ValueError(f"{len(flat)} counts of {table.name}, and not {ends[-1]}")
    parts = np.split(np.asarray(flat, dtype=np.int64), ends[:-1])
    return [part.reshape(grouping.shape) for part, grouping in zip(parts, groupings, strict=True)]


def same_parquet(one: bytes, other: bytes) -> bool:
    """Return True if two Parquet files are the same bytes, or have the same content and `one` hides nothing simple.

    A file that names this version of pyarrow must be what this version writes. Of other files, columns, rows and
    metadata are compared. Every byte must belong to a column or to the footer (`parquet_bytes`), and no dictionary has
    more values than its column. That is no proof: a writer that means to can put bytes into pages and footer that are
    no content. Read in one thread: a thread of Arrow that gives back bytes of Python while Python ends aborts the
    process.
    """
    if one == other:
        return True
    try:
        given, expected = (pq.ParquetFile(io.BytesIO(data), pre_buffer=False) for data in (one, other))
        writer = given.metadata.created_by
        if writer == expected.metadata.created_by or not WRITERS.fullmatch(writer or ""):
            return False
        if given.metadata.num_rows != expected.metadata.num_rows or not _dictionaries_fit(one, given):
            return False
        return bool(given.read(use_threads=False).equals(expected.read(use_threads=False), check_metadata=True))
    except (ValueError, LookupError, TypeError, pa.ArrowException, OSError):
        return False


def _dictionaries_fit(raw: bytes, file: pq.ParquetFile) -> bool:
    """Return True if no dictionary of a column has more values than the column has different values."""
    dictionaries = iter(parquet_bytes.columns(raw))
    for group in range(file.num_row_groups):
        for column in file.read_row_group(group, use_threads=False).itercolumns():
            if sum(next(dictionaries)) > len(column.unique()):
                return False
    return True

"""Tables of a folder that another version made: not what this version makes, but are they tables of the measurements?

Last digits of a least-squares fit, and with them how a number was rounded, may differ between versions of Discreet and
numpy. So counts are read from the files and compared with the measurements as before publication (`distance`). A file
must be the one that is written for its counts.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.arrays import Integers
from discreet.publish import table_files
from discreet.publish.folder import Published
from discreet.publish.manifest import SoftwareEntry
from discreet.reconcile import distance
from discreet.reconcile.table_plan import Fitted

FORMATS = {"csv": "csv", "parquet": "parquet", "json": "json-stat"}


def other_software(made_by: SoftwareEntry) -> str | None:
    """Which versions made a folder and which these are, in words; None if they are the same."""
    here, then = _versions(SoftwareEntry.of_this_process()), _versions(made_by)
    return None if then == here else f"made by {then}; this is {here}"


def _versions(software: SoftwareEntry) -> str:
    return f"Discreet {software.discreet} with numpy {software.numpy}"


def wrong_tables(
    published: Published, fitted: Sequence[Fitted], content: Mapping[str, bytes], names: Sequence[str]
) -> Iterator[str]:
    """What is wrong with the files of tables that this version makes otherwise."""
    for number, (table, places) in enumerate(published.plan.layout.tables):
        for name in (name for name in names if name.rpartition(".")[0] == table.name):
            kind = name.rpartition(".")[2]
            try:
                counts = _read(published, number, kind, content[name])
                tables = [counts if at == number else each for at, each in enumerate(published.tables)]
                written = table_files.files(published.plan.layout, tables, [FORMATS[kind]])[name]
                same = same_parquet(content[name], written) if kind == "parquet" else written == content[name]
            except (ValueError, LookupError, TypeError, OverflowError, csv.Error, pa.ArrowException):
                same = False
            if not same:
                yield f"{name}: is not a table as a release writes it"
                continue
            found = dict(zip(places, counts, strict=True))
            put = [
                replace(each, counts={place: found.get(place, own) for place, own in each.counts.items()})
                if number in part.tables
                else each
                for (_, part), each in zip(published.table_plan.parts, fitted, strict=True)
            ]
            for wrong in distance.too_far(
                published.table_plan, put, published.measurements, published.plan.ptable.table
            ):
                yield f"{name}: {wrong}"


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
    """The same bytes; from another version of pyarrow the same content, and nothing beside it.

    A file that names this version must be what it writes. Of others, columns, rows and metadata are compared, and every
    byte before the footer belongs to a column. Read in one thread: a thread of Arrow that gives back bytes of Python
    while Python ends aborts the process.
    """
    if one == other:
        return True
    try:
        given, expected = (pq.ParquetFile(io.BytesIO(data), pre_buffer=False) for data in (one, other))
        if given.metadata.created_by == expected.metadata.created_by or not _filled(one, given.metadata):
            return False
        if given.metadata.num_rows != expected.metadata.num_rows:
            return False
        return bool(given.read(use_threads=False).equals(expected.read(use_threads=False), check_metadata=True))
    except (pa.ArrowException, OSError):
        return False


def _filled(raw: bytes, told: pq.FileMetaData) -> bool:
    """Whether the columns take every byte from the mark at the start to the footer."""
    at = 4
    for group in range(told.num_row_groups):
        for number in range(told.num_columns):
            column = told.row_group(group).column(number)
            first = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
            if first != at:
                return False
            at += column.total_compressed_size
    footer = int.from_bytes(raw[-8:-4], "little")
    return at == len(raw) - 8 - footer

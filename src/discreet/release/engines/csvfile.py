"""CSV files: read as text in every column, by rules that lose no row in silence.

The dialect is RFC 4180 with a header: commas (or another delimiter), double quotes, doubled to stand for themselves,
line ends of any kind, UTF-8 with or without a mark at its start. Nothing is sniffed: a type or a dialect guessed from
the rows would make a release fail, or change, with one person's answer. What does not fit is absorbed:

    a row with too few fields      the fields that it lacks are missing
    a row with too many            those beyond the header are not read
    an empty field, quoted or not  missing
    a blank line                   no row (in a file of one column: a row with a missing value)
    bytes that are not UTF-8       each becomes U+FFFD, the replacement character

Only quoting that is broken (a quote that nothing closes, or text after the quote that closes) is refused: nobody can
tell where such a row ends, so reading on would swallow other rows.
"""

import codecs
import csv
import gzip
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import duckdb
import pyarrow as pa

from discreet.errors import InputError
from discreet.release.engines.canonical import WHITE_SPACE
from discreet.release.engines.sql import literal

_CHUNK = 2**22
_ROWS = 2**15
_LONGEST_FIELD = 2**24


@dataclass(frozen=True)
class CSVFile:
    """A file that reads without surprises: the one given, or a tidy copy of it.

    Attributes
    ----------
    names
        The columns in order; the tables read from here call them f0, f1, ...
    path
        Where the rows are.
    tidy
        Whether that is a Parquet file with the columns f0, f1, ... instead of the CSV file.
    quotes
        Whether the CSV file has quotes.
    """

    names: tuple[str, ...]
    path: Path
    tidy: bool
    quotes: bool
    header: bool
    delimiter: str

    def sql(self) -> str:
        """The table for DuckDB."""
        if self.tidy:
            return f"read_parquet({literal(str(self.path))})"
        columns = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(self.names)))
        options = {
            "columns": f"{{{columns}}}",
            "auto_detect": "false",
            "header": str(self.header).lower(),
            "delim": literal(self.delimiter),
            "quote": "'\"'" if self.quotes else "''",
            "escape": "'\"'" if self.quotes else "''",
            "nullstr": "''",
            "null_padding": str(not self.quotes).lower(),
            "strict_mode": str(self.quotes).lower(),
        }
        given = ", ".join(f"{name}={value}" for name, value in options.items())
        return f"read_csv({literal(str(self.path))}, {given})"


def prepare(path: Path, folder: Path, delimiter: str = ",", header: bool = True) -> CSVFile:
    """Look at every byte of the file once; make a tidy copy in `folder` (private to the caller) if it needs one."""
    if len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii():
        raise InputError(f"the delimiter is {delimiter!r}; give one ASCII character such as ',' or ';'")
    try:
        utf8, quotes = _look(path)
        names = _names(path, delimiter, header)
        file = CSVFile(names, path, False, quotes > 0, header, delimiter)
        if utf8 and (quotes == 0 or (quotes % 2 == 0 and _readable(file))):
            return file
        return replace(file, path=_tidy(path, folder, names, delimiter, header), tidy=True)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or 'damaged'}); check the path") from None
    except EOFError:
        raise InputError(f"{path} ends before its compressed data do; fetch it again") from None
    except csv.Error as error:
        reason = (
            "a field of more than 16 MB" if "limit" in str(error) else "a quote that is not closed, or text after it"
        )
        raise InputError(f"{path} is not a CSV file: it has {reason}; write it anew with every quote doubled") from None


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    with path.open("rb") as file:
        if path.suffix == ".gz":
            with gzip.open(file) as inside:
                yield inside  # type: ignore[misc]
        else:
            yield file


def _look(path: Path) -> tuple[bool, int]:
    """Whether all is UTF-8, and how many quotes there are."""
    utf8, quotes, first = True, 0, True
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _open(path) as file:
        while chunk := file.read(_CHUNK):
            if first and chunk[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise InputError(f"{path} is in UTF-16; save it as UTF-8")
            first = False
            quotes += chunk.count(b'"')
            if utf8:
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    utf8 = False
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        utf8 = False
    return utf8, quotes


def _rows(path: Path, delimiter: str) -> Iterator[list[str]]:
    usual = csv.field_size_limit(_LONGEST_FIELD)  # the whole process has this limit
    try:
        with _open(path) as file, io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="") as text:
            yield from csv.reader(text, delimiter=delimiter, strict=True)
    finally:
        csv.field_size_limit(usual)


def _names(path: Path, delimiter: str, header: bool) -> tuple[str, ...]:
    first = next(_rows(path, delimiter), None)
    if first is None:
        raise InputError(f"{path} is empty; its first line must name the columns")
    names = [name.strip(WHITE_SPACE) for name in first] if header else [""] * len(first)
    names = [name or f"column{i + 1}" for i, name in enumerate(names)]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise InputError(f"{path} has two columns named {twice!r}; rename one of them")
    return tuple(names)


def _readable(file: CSVFile) -> bool:
    """Whether DuckDB's strict reader, which pads no row and closes no quote, accepts every row."""
    with duckdb.connect(config={"python_enable_replacements": False}) as database:
        try:
            database.execute(f"SELECT count(COLUMNS(*)) FROM {file.sql()}").fetchall()  # noqa: S608
        except duckdb.Error:
            return False
    return True


def _tidy(path: Path, folder: Path, names: tuple[str, ...], delimiter: str, header: bool) -> Path:
    """The rows as a Parquet file of text columns f0, f1, ..."""
    import pyarrow.parquet as pq  # few files need it

    schema = pa.schema([(f"f{i}", pa.string()) for i in range(len(names))])
    target = folder / f"tidy{len(os.listdir(folder))}.parquet"
    with pq.ParquetWriter(target, schema) as writer:
        rows: list[list[str | None]] = []

        def flush() -> None:
            columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
            writer.write_table(pa.table(columns, schema=schema))
            rows.clear()

        for number, row in enumerate(_rows(path, delimiter)):
            if (number == 0 and header) or (not row and len(names) > 1):
                continue
            rows.append([field or None for field in row[: len(names)]] + [None] * (len(names) - len(row)))
            if len(rows) == _ROWS:
                flush()
        if rows:
            flush()
    return target

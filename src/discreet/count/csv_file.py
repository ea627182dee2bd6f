"""CSV files: read as text in every column, by rules that lose no row in silence.

The dialect is RFC 4180 with a header: commas (or another delimiter), double quotes, doubled to stand for themselves,
CR, LF or both at the end of a line, UTF-8 with or without a mark at its start. Nothing is sniffed: a type or a dialect
guessed from the rows would make a release fail, or change, with one person's answer. What does not fit is absorbed:

    a row with too few fields      the fields that it lacks are missing
    a row with too many            those beyond the header are not read
    an empty field, quoted or not  missing
    spaces before a quoted field   dropped
    a blank line                   no row (in a file whose header has one column: a row with a missing value)
    bytes that are not UTF-8       each becomes U+FFFD and its number, as in <e9>: different bytes stay different people
    a field of more than 16 MB     missing

Only quoting that is broken (a quote that nothing closes, or text after the quote that closes) is refused: nobody can
tell where such a row ends, so reading on would swallow other rows. A field beyond 2**28 characters is taken for one.

U+FFFD with < after it becomes U+FFFD <<, in any file, so that no two texts become one, and what becomes of a text does
not depend on other rows.
"""

import codecs
import csv
import errno
import glob
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import duckdb
import pyarrow as pa

from discreet.count.engines.sql import literal
from discreet.count.recode import HEADER
from discreet.errors import InputError
from discreet.plan.canonical_text import LONGEST_TEXT, WHITE_SPACE

FULL = (errno.ENOSPC, errno.EDQUOT)
_CHUNK = 2**22
_FIELDS = 2**20
_MUCH = 2**26
_OPEN = 2**28
"""Characters in a field from which on it is taken for one that is never closed."""
_BLOCK = 2**18
_LONG_LINE = 2**20
"""Bytes in whole blocks without a line end that DuckDB, which reads lines of up to 2,000,000, is not trusted with."""
_START = "\ufffd<".encode()
_DOUBTFUL = (_START, b' "', b'" ')
"""What DuckDB is not trusted with: it drops a space before or after a quote, but not two."""
_NUMBERED = re.compile("column([1-9][0-9]{0,3})")
_ODD = re.compile("[\udc80-\udcff]|\ufffd<")


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
        where = literal(glob.escape(os.path.abspath(self.path)))  # this file, whatever others its name is a pattern of
        if self.tidy:
            return f"read_parquet({where})"
        columns = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(self.names)))
        options = {
            "columns": f"{{{columns}}}",
            "compression": "'gzip'" if self.path.suffix == ".gz" else "'none'",
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
        return f"read_csv({where}, {given})"

    def parquet(self, folder: Path) -> Path:
        """The rows as a Parquet file, in `folder` if it has to be made."""
        if self.tidy:
            return self.path
        target = folder / "copy.parquet"
        with duckdb.connect(config={"python_enable_replacements": False}) as database:
            try:
                database.execute(f"COPY (FROM {self.sql()}) TO {literal(str(target))} (FORMAT parquet)")
            except duckdb.Error:
                raise InputError(f"{self.path} cannot be copied to {folder}; make room there, or set TMPDIR") from None
        return target


def prepare(
    path: Path, folder: Path, delimiter: str = ",", header: bool = True, named: Iterable[str] | None = None
) -> CSVFile:
    """Look at every byte of the file once; make a tidy copy in `folder` (private to the caller) if it needs one.

    Without a header, `named` says which columns will be asked for, and the file has as many as that takes: a first row
    is a person's, and how many fields it has may not matter.
    """
    if len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii():
        raise InputError(f"the delimiter is {delimiter!r}; give one ASCII character such as ',' or ';'")
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise InputError(f"{path} is a pipe or a device, which can be read only once; save the rows as a file first")
    try:
        direct, quotes = _look(path, header)
        names = numbered(named) if named is not None and not header else _names(path, delimiter, header)
        file = CSVFile(names, path, False, quotes > 0, header, delimiter)
        if direct and (quotes == 0 or (quotes % 2 == 0 and _readable(file))):
            return file
        places = _places(names, named)
        copy = _tidy(path, folder, places, delimiter, header, alone=len(names) == 1)
        return replace(file, names=tuple(names[place] for place in places), path=copy, tidy=True)
    except OSError as error:
        if error.errno in FULL:
            raise InputError(no_room(path, folder)) from None
        raise InputError(f"{path} cannot be read ({error.strerror or 'damaged'}); check the path") from None
    except EOFError:
        raise InputError(f"{path} ends before its compressed data do; fetch it again") from None
    except zlib.error:
        raise InputError(f"{path} is damaged: it cannot be decompressed; fetch it again") from None
    except csv.Error:
        reason = "a quote that is not closed, or text after it"
        raise InputError(f"{path} is not a CSV file: it has {reason}; write it anew with every quote doubled") from None


def no_room(path: str | os.PathLike[str], folder: Path) -> str:
    """What to do where the copy of a file does not fit into the temporary folder."""
    return f"{path} cannot be copied to {folder} (No space left on device); make room there, or set TMPDIR to another"


def numbered(named: Iterable[str]) -> tuple[str, ...]:
    """The names of columns without a header, column1, column2, ..., as far as they are asked for.

    There are at least two, so that a blank line is no row whichever columns are asked for.
    """
    numbers = [int(found[1]) for name in named if (found := _NUMBERED.fullmatch(name))]
    return tuple(f"column{i + 1}" for i in range(max([2, *numbers])))


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    with path.open("rb") as file:
        if path.suffix == ".gz":
            with gzip.open(file) as inside:
                yield inside  # type: ignore[misc]
        else:
            yield file


def _look(path: Path, header: bool) -> tuple[bool, int]:
    """Whether DuckDB may read the file, and how many quotes it has.

    It may where all is UTF-8 that needs no mark, no line is very long, no space is next to a quote, and all line ends
    are alike, LF or CRLF: of CR alone and of both kinds DuckDB makes now one thing, now another.
    """
    direct, quotes, first, run, end = True, 0, True, 0, b""
    returns = feeds = pairs = 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _open(path) as file:
        while chunk := file.read(_CHUNK):
            if first and chunk[:2] in (b"\xff\xfe", b"\xfe\xff") and (header or chunk.count(0) > len(chunk) / 4):
                raise InputError(f"{path} is in UTF-16; save it as UTF-8")
            first = False
            quotes += chunk.count(b'"')
            if not direct:
                continue
            seen = end + chunk
            returns, feeds = returns + chunk.count(b"\r"), feeds + chunk.count(b"\n")
            pairs += seen.count(b"\r\n") - end.count(b"\r\n")
            for start in range(0, len(chunk), _BLOCK):
                stop = min(start + _BLOCK, len(chunk))
                run = 0 if chunk.find(b"\n", start, stop) >= 0 else run + stop - start
                direct = direct and run < _LONG_LINE
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                direct = False
            direct = direct and not any(bad in seen for bad in _DOUBTFUL)
            end = chunk[-len(_START) + 1 :]
    try:
        decoder.decode(b"", final=direct)
    except UnicodeDecodeError:
        direct = False
    return direct and pairs in (0, feeds) and returns == pairs, quotes


def _rows(path: Path, delimiter: str) -> Iterator[list[str]]:
    usual = csv.field_size_limit(_OPEN)  # the whole process has this limit
    try:
        with (
            _open(path) as file,
            io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
        ):
            for row in csv.reader(text, delimiter=delimiter, strict=True, skipinitialspace=delimiter != " "):
                yield [field if field.isascii() else _ODD.sub(_marked, field) for field in row]
    finally:
        csv.field_size_limit(usual)


def _marked(found: re.Match[str]) -> str:
    """A byte that is not UTF-8 by its number; and what looks like the start of such a mark, marked."""
    odd = found.group()
    return "\ufffd<<" if odd == "\ufffd<" else f"\ufffd<{ord(odd) - 0xDC00:02x}>"


def _names(path: Path, delimiter: str, header: bool) -> tuple[str, ...]:
    first = next(_rows(path, delimiter), None)
    if first is None:
        raise InputError(f"{path} is empty; its first line must name the columns")
    names = [name.strip(WHITE_SPACE) for name in first] if header else [""] * len(first)
    names = [name or f"column{i + 1}" for i, name in enumerate(names)]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError(
                f"columns {names.index(name) + 1} and {i + 1} of {path} have the same name; rename one of them. "
                f"{HEADER}"
            )
    return tuple(names)


def _readable(file: CSVFile) -> bool:
    """Whether DuckDB's strict reader, which pads no row and closes no quote, accepts every row."""
    with duckdb.connect(config={"python_enable_replacements": False}) as database:
        try:
            database.execute(f"SELECT count(COLUMNS(*)) FROM {file.sql()}").fetchall()  # noqa: S608
        except duckdb.Error:
            return False
    return True


def _places(names: tuple[str, ...], named: Iterable[str] | None) -> list[int]:
    """Which columns a copy needs: those asked for; all where one of them is not there, as messages are about all."""
    asked = set(names if named is None else named)
    every = not asked <= set(names)
    return [i for i, name in enumerate(names) if every or name in asked] or [0]


def _too_long(field: str) -> bool:
    """Whether a field counts as missing; few have to be encoded to tell."""
    return len(field) > LONGEST_TEXT // 4 and len(field.encode()) > LONGEST_TEXT


def _tidy(path: Path, folder: Path, places: list[int], delimiter: str, header: bool, alone: bool) -> Path:
    """Some columns as a Parquet file of text columns f0, f1, ...; `alone` says that the file has only one column."""
    import pyarrow.parquet as pq  # few files need it

    schema = pa.schema([(f"f{i}", pa.string()) for i in range(len(places))])
    target = folder / f"tidy{len(os.listdir(folder))}.parquet"
    with pq.ParquetWriter(target, schema) as writer:
        rows: list[list[str | None]] = []
        much = 0

        def flush() -> None:
            columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
            writer.write_table(pa.table(columns, schema=schema))
            rows.clear()

        for number, row in enumerate(_rows(path, delimiter)):
            if (number == 0 and header) or (not row and not alone):
                continue
            fields = [row[place] if place < len(row) else "" for place in places]
            much += sum(map(len, fields))
            rows.append([field if field and not _too_long(field) else None for field in fields])
            if len(rows) * (len(places) + 16) > _FIELDS or much > _MUCH:
                flush()
                much = 0
        if rows:
            flush()
    return target

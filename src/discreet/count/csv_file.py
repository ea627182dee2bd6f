"""CSV files: every column is read as text, by rules that never lose a row silently.

The dialect is RFC 4180 with a header: commas (or another delimiter), double quotes, which are doubled inside a field,
CR, LF or both at the end of a line, UTF-8 with or without a byte order mark, or a declared encoding with one byte for a
character (`text_encoding`). Nothing is guessed from the rows: one person's answer could change the guess, and make a
release fail or change. Rows that break the rules are read so:

    a row with too few fields      the other fields are missing
    a row with too many fields     fields beyond the header are not read
    an empty field, quoted or not  missing
    spaces before a quoted field   dropped
    a blank line                   no row (in a file whose header has one column: a row with a missing value)
    bytes that are not UTF-8       each becomes U+FFFD and its number, as in <e9>: different bytes stay different people
    a field of more than 16 MB     missing

Only broken quotes are refused: a quote that is never closed, or text after a closing quote. Nobody can tell where such
a row ends, so reading on would swallow other rows. A field of more than 2**28 characters counts as never closed.

U+FFFD before < becomes U+FFFD <<, in every file. So no two texts become one, and the result for one text does not
depend on other rows.
"""

import codecs
import csv
import errno
import glob
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

import duckdb

from discreet.count import text_encoding
from discreet.count._text_copy import write_copy
from discreet.count.engines.date_expression import DateOrder
from discreet.count.engines.sql import literal
from discreet.count.file_kind import require_csv
from discreet.count.recode import HEADER
from discreet.errors import InputError
from discreet.plan.canonical_text import LONGEST_TEXT, WHITE_SPACE

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Error numbers of a full disk."""
DELIMITERS = (";", "\t", "|", ",")
"""Separators of fields that a first line is searched for."""
_CHUNK = 2**22
"""Bytes that are read at a time."""
_LONGEST_FIELD = 2**28
"""Characters of a field. A longer field counts as never closed."""
_BLOCK = 2**18
_LONG_LINE = 2**20
"""Bytes in whole blocks without a line end. DuckDB, which reads lines of up to 2,000,000 bytes, is not given more."""
_MARK_START = "\ufffd<".encode()
_UNTRUSTED = (_MARK_START, b' "', b'" ')
"""Bytes that DuckDB is not given: for example, it drops one space next to a quote, but not two."""
_NUMBERED_NAME = re.compile("column([1-9][0-9]{0,3})")
_MARKED = re.compile("[\udc80-\udcff]|\ufffd<")


class CsvFormat(NamedTuple):
    """How a CSV file is written.

    Attributes
    ----------
    delimiter
        The separator of fields, one ASCII character.
    header
        True if the first line names the columns. Without a header the columns are column1, column2, ...
    encoding
        utf-8, or an encoding with one byte for a character.
    decimal
        The decimal mark of numbers, a point or a comma.
    dates
        The order of day, month and year.
    """

    delimiter: str = ","
    header: bool = True
    encoding: str = text_encoding.UTF_8
    decimal: str = "."
    dates: DateOrder = "ymd"


RFC_4180 = CsvFormat()
"""The format of a file that the specification says nothing about."""


@dataclass(frozen=True)
class CSVFile:
    """A CSV file that DuckDB reads by the rules above, or a copy of it as a Parquet file.

    Attributes
    ----------
    names
        The names of the columns. The table for DuckDB calls them f0, f1, ...
    path
        The path of the CSV file, or of the copy.
    copied
        True if the path is a copy: a Parquet file with the columns f0, f1, ...
    quotes
        True if the CSV file has quotes.
    header, delimiter
        Options of the CSV file.
    hint
        What the first line says about a wrong delimiter or encoding, for messages about missing columns.
    """

    names: tuple[str, ...]
    path: Path
    copied: bool
    quotes: bool
    header: bool
    delimiter: str
    hint: str = ""

    def sql(self) -> str:
        """Return the table for DuckDB."""
        path = literal(glob.escape(os.path.abspath(self.path)))  # DuckDB would take the path for a pattern
        if self.copied:
            return f"read_parquet({path})"
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
        return f"read_csv({path}, {', '.join(f'{name}={value}' for name, value in options.items())})"

    def parquet(self, folder: Path) -> Path:
        """Return the path of the rows as a Parquet file. If there is none yet, make it in `folder`."""
        if self.copied:
            return self.path
        target = folder / "copy.parquet"
        with duckdb.connect(config={"python_enable_replacements": False}) as database:
            try:
                database.execute(f"COPY (FROM {self.sql()}) TO {literal(str(target))} (FORMAT parquet)")
            except duckdb.Error:
                raise InputError(f"{self.path} cannot be copied to {folder}; make room there, or set TMPDIR") from None
        return target


def prepare(
    path: Path,
    folder: Path,
    delimiter: str = ",",
    header: bool = True,
    column_names: Iterable[str] | None = None,
    encoding: str = text_encoding.UTF_8,
) -> CSVFile:
    """Read every byte of a file once, and copy the file to a Parquet file if DuckDB would read it by other rules.

    Parameters
    ----------
    path
        The CSV file; .gz is decompressed.
    folder
        A folder for the copy, private to the caller.
    delimiter
        One ASCII character.
    header
        True if the first line names the columns.
    column_names
        The columns that will be read. Without a header the file has as many columns as these names need: the first row
        belongs to a person, and its number of fields must not matter.
    encoding
        utf-8, or an encoding with one byte for a character, which is first copied as UTF-8.

    Raises
    ------
    InputError
        The file cannot be read or copied, has broken quotes, or has two columns of one name.
    """
    if len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii():
        raise InputError(f"the delimiter is {delimiter!r}; give one ASCII character such as ',' or ';'")
    encoding = text_encoding.encoding_name(encoding)
    require_csv(path)
    try:
        if encoding == text_encoding.UTF_8:
            return _prepared(path, path, folder, delimiter, header, column_names)
        readable = _copied_as_utf8(path, folder, encoding, header)
        file = _prepared(path, readable, folder, delimiter, header, column_names)
        return replace(file, hint=file.hint or (_utf8_hint(file.names, encoding) if header else ""))
    except OSError as error:
        if error.errno in FULL:
            raise InputError(no_room(path, folder)) from None
        raise InputError(f"{path} cannot be read ({error.strerror or 'damaged'}); check the path") from None
    except EOFError:
        raise InputError(f"{path} ends before its compressed data end; copy or download the file again") from None
    except zlib.error:
        raise InputError(f"{path} cannot be decompressed; copy or download the file again") from None
    except csv.Error:
        reason = "a quote that is not closed, or text after a closing quote"
        raise InputError(f"{path} is not a CSV file: it has {reason}; double the quotes inside fields") from None


def _copied_as_utf8(path: Path, folder: Path, encoding: str, header: bool) -> Path:
    """Return a copy of a file in UTF-8. Refuse a file with a header that is marked as UTF-8 or UTF-16."""
    with opened(path) as file:
        start = file.read(3)
        if header and (start == codecs.BOM_UTF8 or start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            mark = "UTF-8" if start == codecs.BOM_UTF8 else "UTF-16"
            remedy = "leave encoding out" if mark == "UTF-8" else "save it as UTF-8, and leave encoding out"
            raise InputError(f"{path} begins with the mark of {mark}, and the encoding is {encoding}; {remedy}")
    target = folder / f"utf8-{len(os.listdir(folder))}.csv"
    with opened(path) as file:
        text_encoding.copy_as_utf8(file, target, encoding)
    return target


def _prepared(
    path: Path, readable: Path, folder: Path, delimiter: str, header: bool, column_names: Iterable[str] | None
) -> CSVFile:
    """Prepare a file in UTF-8: `readable`, which has the name `path` in messages."""
    trusted, quotes = _scan(path, readable, header)
    numbered_names = column_names is not None and not header
    names = numbered(column_names or ()) if numbered_names else _names(path, readable, delimiter, header)
    hint = _header_hint(names, delimiter) if header else ""
    file = CSVFile(names, readable, False, quotes > 0, header, delimiter, hint)
    if trusted and (quotes == 0 or (quotes % 2 == 0 and _is_readable(file))):
        return file
    if not names:
        raise InputError(
            f"{path} begins with a blank line; the first line has the names of columns: remove blank lines"
        )
    indices = _column_indices(names, column_names)
    copy = _copy(readable, folder, indices, delimiter, header, one_column=len(names) == 1)
    return replace(file, names=tuple(names[index] for index in indices), path=copy, copied=True)


def _header_hint(names: Sequence[str], delimiter: str) -> str:
    """Return what the names of columns, and nothing else, say about a wrong delimiter or encoding."""
    if any("\ufffd" in name for name in names):
        return "Its first line is not in UTF-8: give encoding: cp1252, or the encoding of the file"
    others = [other for other in DELIMITERS if other in names[0]] if len(names) == 1 else []
    if others:
        return f"Its first line has {others[0]!r} and no {delimiter!r}: give delimiter: {json.dumps(others[0])}"
    return ""


def _utf8_hint(names: Sequence[str], encoding: str) -> str:
    """Return what to do if the names of columns are UTF-8 that was read in another encoding."""
    try:
        as_utf8 = [name.encode(encoding).decode() for name in names]
    except UnicodeError:
        return ""
    return "" if all(name.isascii() for name in as_utf8) else "Its first line is in UTF-8: leave encoding out"


def no_room(path: str | os.PathLike[str], folder: Path) -> str:
    """Return the message for a file whose copy does not fit into the temporary folder."""
    return f"{path} cannot be copied to {folder} (No space left on device); make room there, or set TMPDIR"


def numbered(column_names: Iterable[str]) -> tuple[str, ...]:
    """Return the names column1, column2, ... of columns without a header, up to the last one that is read.

    There are at least two, so that a blank line is never a row, whichever columns are read.
    """
    numbers = [int(match[1]) for name in column_names if (match := _NUMBERED_NAME.fullmatch(name))]
    return tuple(f"column{i + 1}" for i in range(max([2, *numbers])))


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file to read bytes; .gz is decompressed."""
    with path.open("rb") as file:
        if path.suffix == ".gz":
            with gzip.open(file) as decompressed:
                yield decompressed  # type: ignore[misc]
        else:
            yield file


def _scan(path: Path, readable: Path, header: bool) -> tuple[bool, int]:
    """Return True if DuckDB reads the file by the rules above, and the number of quotes.

    DuckDB does so if all bytes are UTF-8 without marks, no line is very long, no space is next to a quote, and all line
    ends are LF or all are CRLF. What DuckDB makes of CR alone, and of mixed line ends, varies.
    """
    trusted, quotes, first, line_length, tail = True, 0, True, 0, b""
    returns = feeds = pairs = 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    with opened(readable) as file:
        while chunk := file.read(_CHUNK):
            if first and chunk[:2] in (b"\xff\xfe", b"\xfe\xff") and (header or chunk.count(0) > len(chunk) / 4):
                raise InputError(f"{path} is in UTF-16; save it as UTF-8")
            first = False
            quotes += chunk.count(b'"')
            if not trusted:
                continue
            joined = tail + chunk
            returns, feeds = returns + chunk.count(b"\r"), feeds + chunk.count(b"\n")
            pairs += joined.count(b"\r\n") - tail.count(b"\r\n")
            for start in range(0, len(chunk), _BLOCK):
                stop = min(start + _BLOCK, len(chunk))
                line_length = 0 if chunk.find(b"\n", start, stop) >= 0 else line_length + stop - start
                trusted = trusted and line_length < _LONG_LINE
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                trusted = False
            trusted = trusted and not any(untrusted in joined for untrusted in _UNTRUSTED)
            tail = chunk[-len(_MARK_START) + 1 :]
    try:
        decoder.decode(b"", final=trusted)
    except UnicodeDecodeError:
        trusted = False
    return trusted and pairs in (0, feeds) and returns == pairs, quotes


def _rows(path: Path, delimiter: str) -> Iterator[list[str]]:
    """Yield the fields of every row, the header included."""
    usual_limit = csv.field_size_limit(_LONGEST_FIELD)  # the limit of the whole process
    try:
        with (
            opened(path) as file,
            io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
        ):
            for row in csv.reader(text, delimiter=delimiter, strict=True, skipinitialspace=delimiter != " "):
                yield [field if field.isascii() else _MARKED.sub(_mark, field) for field in row]
    finally:
        csv.field_size_limit(usual_limit)


def _mark(match: re.Match[str]) -> str:
    """Return the mark of a byte that is not UTF-8, or of a text that looks like the start of a mark."""
    character = match.group()
    return "\ufffd<<" if character == "\ufffd<" else f"\ufffd<{ord(character) - 0xDC00:02x}>"


def _names(path: Path, readable: Path, delimiter: str, header: bool) -> tuple[str, ...]:
    first = next(_rows(readable, delimiter), None)
    if first is None:
        raise InputError(f"{path} is empty; the first line must name the columns")
    names = [name.strip(WHITE_SPACE) for name in first] if header else [""] * len(first)
    names = [name or f"column{i + 1}" for i, name in enumerate(names)]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError(
                f"columns {names.index(name) + 1} and {i + 1} of {path} have the same name; rename one of them. "
                f"{HEADER}"
            )
    return tuple(names)


def _is_readable(file: CSVFile) -> bool:
    """Return True if DuckDB's strict reader, which pads no row and closes no quote, accepts every row."""
    with duckdb.connect(config={"python_enable_replacements": False}) as database:
        try:
            database.execute(f"SELECT count(COLUMNS(*)) FROM {file.sql()}").fetchall()  # noqa: S608
        except duckdb.Error:
            return False
    return True


def _column_indices(names: tuple[str, ...], column_names: Iterable[str] | None) -> list[int]:
    """Return the columns that are read, for a copy. If a column is missing, return all, for the error message."""
    needed = set(names if column_names is None else column_names)
    copy_all = not needed <= set(names)
    return [index for index, name in enumerate(names) if copy_all or name in needed] or [0]


def _is_too_long(field: str) -> bool:
    """Return True if a field counts as missing. Only long fields have to be encoded to tell."""
    return len(field) > LONGEST_TEXT // 4 and len(field.encode()) > LONGEST_TEXT


def _copy(path: Path, folder: Path, indices: list[int], delimiter: str, header: bool, one_column: bool) -> Path:
    """Copy some columns to a Parquet file of texts f0, f1, ... In a file of one column, a blank line is a row."""

    def rows() -> Iterator[list[str | None]]:
        for number, row in enumerate(_rows(path, delimiter)):
            if (number == 0 and header) or (not row and not one_column):
                continue
            fields = [row[index] if index < len(row) else "" for index in indices]
            yield [field if field and not _is_too_long(field) else None for field in fields]

    return write_copy(rows(), len(indices), folder)

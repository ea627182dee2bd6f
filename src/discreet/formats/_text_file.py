"""A text file of fields, read so that every refusal can name the file and the line.

Byte order marks, line ends, quotes and spaces around fields differ between tools and never matter here. The
separator is the one the first line has: semicolon, tab or comma.
"""

import csv
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from discreet import files
from discreet.errors import FormatError
from discreet.exact import LONGEST_NUMBER

MOST_BYTES = 1 << 26
"""750 counts by 4096 keys take some 40 million bytes; nothing that is a perturbation table takes more than this."""

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True)
class Source:
    """A file's name, its text, its separator and the names in its first line, in lower case."""

    name: str
    text: str
    separator: str
    header: tuple[str, ...]
    line: int

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Line number and fields of every line after the header; empty lines are passed over."""
        for line, fields in _fields(self.name, self.text, self.separator):
            if line <= self.line:
                continue
            if len(fields) != len(self.header):
                raise self.refuse(
                    line,
                    f"has {len(fields)} fields where the header has {len(self.header)}; write one field a column"
                    " (in R: row.names = FALSE)",
                )
            yield line, fields

    def refuse(self, line: int | None, message: str) -> FormatError:
        """The error that names the file and the line."""
        return refusal(self.name, line, message)


def refusal(name: str, line: int | None, message: str) -> FormatError:
    """The error that names the file and, where there is one, the line."""
    return FormatError(f"{name}: {message}" if line is None else f"{name}, line {line}: {message}")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The file, if it is one and not too large."""
    try:
        with files.open_file(path) as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FormatError(f"{path!s:.200} cannot be read ({reason}); give the path of a perturbation table") from None
    if len(data) > MOST_BYTES:
        raise refusal(str(path), None, f"is larger than {MOST_BYTES} bytes, which no perturbation table is")
    return data


def opened(path: str | os.PathLike[str], data: bytes) -> Source:
    """The text of a file and its header."""
    name = str(path)
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refusal(name, line, "is not text; give a perturbation table saved as CSV in UTF-8") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise refusal(name, line, "is not text; give a perturbation table saved as CSV in UTF-8")
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = next((mark for mark in ";\t," if mark in first), ",")
    line, fields = next(_fields(name, text, separator), (1, []))
    if not fields:
        raise refusal(name, 1, "is empty; give a perturbation table")
    return Source(name, text, separator, tuple(field.lower() for field in fields), line)


def number(given: str) -> Fraction | None:
    """A decimal as it is written, with a point or a comma, and an exponent or none; None where it is not one."""
    if len(given) > LONGEST_NUMBER or not _NUMBER.fullmatch(given):
        return None
    return Fraction(given.replace(",", "."))


def integer(given: str) -> int | None:
    """An integer, also as 3.0 or 1e2; None where it is not one."""
    value = number(given)
    return int(value) if value is not None and value.denominator == 1 and abs(value) < 10**18 else None


def _fields(name: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        for record in reader:
            fields = [field.strip() for field in record]
            if any(fields):
                yield reader.line_num, fields
    except csv.Error as error:
        raise refusal(name, reader.line_num, f"cannot be read ({error}); check its quotes") from None

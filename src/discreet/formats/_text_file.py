"""A text file of fields. Every error about its content names the file and the line.

Byte order marks, line ends, quotes and spaces around fields differ between tools, and are ignored. The separator is the
one that the first line contains: semicolon, tab or comma.
"""

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet import files
from discreet.errors import FormatError
from discreet.exact import LONGEST_NUMBER

MOST_BYTES = 1 << 26
"""Largest size of a file. A table of 750 counts by 4096 keys takes about 40 million bytes."""

_DECIMAL = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True)
class TextFile:
    """A text file with a header.

    Attributes
    ----------
    name
        The path, for messages.
    text
        The content.
    separator
        The character between fields.
    header
        The fields of the first line, in lower case.
    header_line
        The number of the line with the header.
    """

    name: str
    text: str
    separator: str
    header: tuple[str, ...]
    header_line: int

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield line number and fields of every line after the header. Empty lines are skipped.

        Raises
        ------
        FormatError
            A line has more or fewer fields than the header.
        """
        for line, fields in _fields(self.name, self.text, self.separator):
            if line <= self.header_line:
                continue
            if len(fields) != len(self.header):
                raise self.error(
                    line,
                    f"has {len(fields)} fields, and the header has {len(self.header)}; write one field for each column"
                    " (in R: row.names = FALSE)",
                )
            yield line, fields

    def column_indices(self, names: Sequence[str]) -> dict[str, int]:
        """Return the index of each named column. Raise FormatError if a name is missing or occurs twice."""
        for name in names:
            if self.header.count(name) != 1:
                raise self.error(
                    self.header_line,
                    f"the header is {', '.join(self.header)!r:.120}; give exactly one column {name}"
                    f" (of {', '.join(names)})",
                )
        return {name: self.header.index(name) for name in names}

    def error(self, line: int | None, message: str) -> FormatError:
        """Return an error that names the file and the line."""
        return _error(self.name, line, message)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file. Raise FormatError if it cannot be read or is too large."""
    # `certify.verify` reads certificates in the same way, with errors of its own: it does not depend on this package.
    try:
        with files.open_file(path) as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FormatError(f"{path!s:.200} cannot be read ({reason}); give the path of a perturbation table") from None
    if len(data) > MOST_BYTES:
        raise _error(
            str(path), None, f"the file is larger than {MOST_BYTES} bytes; no perturbation table is that large"
        )
    return data


def decode(path: str | os.PathLike[str], data: bytes) -> TextFile:
    """Return the text of a file and its header. Raise FormatError if the bytes are not text, or empty."""
    name = str(path)
    is_utf_16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = data.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_text(name, data.count(b"\n", 0, error.start) + 1) from None
    if "\0" in text:
        raise _not_text(name, text.count("\n", 0, text.index("\0")) + 1)
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = next((mark for mark in ";\t," if mark in first), ",")
    line, fields = next(_fields(name, text, separator), (1, []))
    if not fields:
        raise _error(name, 1, "the file is empty; give a perturbation table")
    return TextFile(name, text, separator, tuple(field.lower() for field in fields), line)


def parse_decimal(text: str) -> Fraction | None:
    """Return the exact value of a decimal, with a point or a comma and perhaps an exponent. Return None for others."""
    if len(text) > LONGEST_NUMBER or not _DECIMAL.fullmatch(text):
        return None
    return Fraction(text.replace(",", "."))


def parse_integer(text: str) -> int | None:
    """Return the value of an integer, which may be written 3.0 or 1e2. Return None for others."""
    value = parse_decimal(text)
    return int(value) if value is not None and value.denominator == 1 and abs(value) < 10**18 else None


def _fields(name: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        for record in reader:
            fields = [field.strip() for field in record]
            if any(fields):
                yield reader.line_num, fields
    except csv.Error as error:
        raise _error(name, reader.line_num, f"the line cannot be read ({error}); check its quotes") from None


def _not_text(name: str, line: int) -> FormatError:
    return _error(name, line, "the line is not text; give a perturbation table saved as CSV in UTF-8")


def _error(name: str, line: int | None, message: str) -> FormatError:
    return FormatError(f"{name}: {message}" if line is None else f"{name}, line {line}: {message}")

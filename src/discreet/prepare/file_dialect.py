"""How a CSV file is written: its delimiter, encoding, header, decimal mark and order of dates, found in the file.

A release guesses nothing. Here the steward gets a proposal, which the specification then states. The encoding is chosen
by the majority of bytes outside ASCII, so one damaged byte does not decide.
"""

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.count.csv_file import opened
from discreet.count.file_kind import require_csv
from discreet.errors import InputError

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 2**20
"""Bytes in which delimiter, header and decimal mark are looked for."""
_MOST_BYTES = 2**26
"""Bytes in which the encoding is looked for."""
_MOST_ROWS = 2000
_COMMA = re.compile("[+-]?[0-9]+,[0-9]+")
_POINT = re.compile("[+-]?[0-9]+[.][0-9]+")
_DATE = re.compile(r"\s*([0-9]{1,2})([./-])([0-9]{1,2})[./-][0-9]{4}([T ].*|\s*)")
_OUTSIDE_ASCII = re.compile("[^\x00-\x7f]")
MAYBE_THOUSANDS = re.compile("[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
"""A number whose mark may be a decimal mark or a mark of thousands: 1,180."""
_NUMBER = re.compile(r"\s*[+-]?[0-9]+([.,][0-9]+)?\s*")


@dataclass(frozen=True)
class FileDialect:
    """How a CSV file is written.

    Attributes
    ----------
    delimiter, encoding, header, decimal, dates
        As in the source section of a specification.
    damaged
        Bytes that the encoding does not have.
    maybe_thousands
        A number such as 1,180, if its mark may be a mark of thousands in all numbers that have one. Else None.
    """

    delimiter: str
    encoding: str
    header: bool
    decimal: str
    dates: str = "ymd"
    damaged: int = 0
    maybe_thousands: str | None = None

    def options(self) -> dict[str, Any]:
        """Return the fields of a source that are not the default."""
        defaults = {"delimiter": ",", "encoding": "utf-8", "header": True, "decimal": ".", "dates": "ymd"}
        return {name: getattr(self, name) for name, default in defaults.items() if getattr(self, name) != default}


def file_dialect(path: Path) -> FileDialect:
    """Find out how a CSV file is written.

    Raises
    ------
    InputError
        The file does not exist, cannot be read, is of another kind, is in UTF-16, or is empty.
    """
    require_csv(path)
    try:
        with opened(path) as file:
            sample = file.read(_SAMPLE)
        encoding, damaged = _encoding(path)
    except (OSError, EOFError) as error:
        raise InputError(f"{path} cannot be read ({getattr(error, 'strerror', None) or 'damaged'})") from None
    if sample[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise InputError(f"{path} is in UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)")
    if not sample.strip():
        raise InputError(f"{path} is empty; the first line must name the columns")
    whole_lines = sample if len(sample) < _SAMPLE else sample[: sample.rfind(b"\n") + 1] or sample
    text = whole_lines.decode("utf-8-sig" if encoding == "utf-8" else encoding, errors="replace")
    tables = {delimiter: _rows(text, delimiter) for delimiter in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda candidate: _fit(tables[candidate]))
    rows = tables[delimiter]
    decimal, maybe_thousands = _decimal(rows)
    return FileDialect(delimiter, encoding, _has_header(rows), decimal, _date_order(rows), damaged, maybe_thousands)


def _encoding(path: Path) -> tuple[str, int]:
    """Return utf-8 or cp1252, whichever explains more of the bytes outside ASCII, and the bytes it does not have."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
    valid = invalid = done = 0
    with opened(path) as file:
        while done < _MOST_BYTES and (chunk := file.read(2**22)):
            done += len(chunk)
            text = decoder.decode(chunk)
            for character, times in Counter(_OUTSIDE_ASCII.findall(text)).items():
                if "\udc80" <= character <= "\udcff":
                    invalid += times
                elif character != "\ufeff":
                    valid += times
    return ("cp1252", 0) if invalid > valid else ("utf-8", invalid)


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """Return the first rows of a text; none if its quotes do not fit the delimiter."""
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True):
            if row:
                rows.append(row)
            if len(rows) == _MOST_ROWS:
                break
    except csv.Error:
        return rows[:1] if len(rows) < 2 else rows
    return rows


def _fit(rows: list[list[str]]) -> tuple[bool, float, int]:
    """Return how well a delimiter fits: several columns, rows as long as the first one, many columns."""
    width = len(rows[0]) if rows else 0
    same = sum(len(row) == width for row in rows) / max(len(rows), 1)
    return width > 1, round(same, 1), width


def _has_header(rows: list[list[str]]) -> bool:
    """Return True if the first row may name columns: no field is a number, and the fields are different.

    Fields that are not different still name columns, two of them alike, if none of them occurs in its column again.
    """
    first, *others = [[field.strip() for field in row] for row in rows] or [[]]
    named = [field for field in first if field]
    if not named or any(_NUMBER.fullmatch(field) for field in named):
        return False
    again = any(field and field == row[i] for row in others for i, field in enumerate(first) if i < len(row))
    return len(set(named)) == len(named) or (bool(others) and not again)


def _decimal(rows: list[list[str]]) -> tuple[str, str | None]:
    """Return the mark of most numbers that have one, and a number if this mark may mark thousands in all of them."""
    fields = [field.strip() for row in rows[1:] for field in row]
    commas = [field for field in fields if _COMMA.fullmatch(field)]
    points = [field for field in fields if _POINT.fullmatch(field)]
    mark, marked = (",", commas) if len(commas) > len(points) else (".", points)
    return mark, marked[0] if marked and all(map(MAYBE_THOUSANDS.fullmatch, marked)) else None


def _date_order(rows: list[list[str]]) -> str:
    """Return the order of day, month and year in dates such as 31.12.2026. A number above 12 is a day.

    If no number is above 12, dates with points have the day first, and dates with slashes the month.
    """
    dates = [match for row in rows[1:] for field in row if (match := _DATE.fullmatch(field))]
    day_first = sum(int(date[1]) > 12 for date in dates)
    month_first = sum(int(date[3]) > 12 for date in dates)
    if not dates:
        return "ymd"
    if day_first == month_first:
        return "mdy" if dates[0][2] == "/" else "dmy"
    return "dmy" if day_first > month_first else "mdy"

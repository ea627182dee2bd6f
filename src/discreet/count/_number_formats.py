"""Numbers of a workbook as canonical texts: a number is a date if the number format of its cell shows dates.

A date is the number of days since the end of 1899, or since 1904-01-01 in workbooks that say so. Excel counts a day
1900-02-29, which never was: day 60 keeps that name, so that no two days become one.

    an integral number of days       2024-05-31
    other numbers                    2024-05-31T08:30:00, rounded to milliseconds
    less than one day                08:30:00
    not a day from 1900 to 9999      the number
    a format of hours that go on     the number of days (such as [h]:mm, which shows 30:00)
"""

import datetime
import math
import re

from discreet.plan.canonical_text import canonical

LARGEST_WHOLE = 2**53
"""Beyond this, a double does not hold every whole number."""

_BUILT_IN = {*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)}
"""Numbers of built-in formats of dates and times. 46 is [h]:mm:ss."""

_NOT_SHOWN = re.compile(r'"[^"]*"|\\.|[_*].|\[(?![hms]+\])[^\]]*\]|general', re.IGNORECASE | re.DOTALL)
"""Parts of a format without a meaning for dates: literals, spaces, colours, languages, conditions."""
_ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_DATE_LETTER = re.compile("[dmyhs]", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_DAY = 86_400_000
_LAST_DAY = 2_958_465
_FROM_1904 = 1462


def is_date_format(number: int, code: str | None) -> bool:
    """Return True if a number format shows dates or times of day.

    Parameters
    ----------
    number
        The number of the format.
    code
        The format, such as "dd.mm.yyyy"; None for built-in formats.
    """
    if code is None:
        return number in _BUILT_IN
    shown = _NOT_SHOWN.sub("", code.split(";")[0])
    return not _ELAPSED.search(shown) and bool(_DATE_LETTER.search(shown))


def number_text(raw: str, *, is_date: bool = False, from_1904: bool = False) -> str | None:
    """Return the canonical text of a number in a cell, or None if it counts as missing."""
    if not _NUMBER.fullmatch(raw):
        return None
    value = float(raw)
    if not math.isfinite(value) or abs(value) > LARGEST_WHOLE:
        return None
    return (date_text(value, from_1904) if is_date else None) or canonical(value)


def date_text(serial: float, from_1904: bool) -> str | None:
    """Return a number of days as the text of a date or a time, or None if it is not a day from 1900 to 9999."""
    if not 0 <= serial <= _LAST_DAY + 1:
        return None
    day, milliseconds = divmod(round(serial * _DAY), _DAY)
    time = (datetime.datetime.min + datetime.timedelta(milliseconds=milliseconds)).time().isoformat()
    time = time.rstrip("0") if "." in time else time
    if day == 0 and not (from_1904 and milliseconds == 0):
        return time
    day += _FROM_1904 if from_1904 else 0
    if day > _LAST_DAY:
        return None
    days_before = datetime.date(1899, 12, 31) if day < 60 else datetime.date(1899, 12, 30)
    date = "1900-02-29" if day == 60 else (days_before + datetime.timedelta(days=day)).isoformat()
    return f"{date}T{time}" if milliseconds else date


def iso_date_text(raw: str) -> str | None:
    """Return the canonical text of a date that is written as text in ISO 8601."""
    try:
        moment = datetime.datetime.fromisoformat(raw)
    except ValueError:
        return canonical(raw)
    return canonical(moment.date() if moment.time() == datetime.time() and moment.tzinfo is None else moment)

"""Texts of Python values, one value at a time, for columns that may hold values of any type (pandas: object).

A library that guesses the type of such a column looks at all its values: one person's answer could change how others
are read, or make the guess fail. So each value is converted on its own, by the rules of `canonical_text`. A value that
has no such text counts as missing.
"""

import datetime
import uuid
from collections.abc import Iterable
from decimal import Decimal

import numpy as np
import pyarrow as pa

from discreet.plan.canonical_text import LONGEST_TEXT, canonical

LARGEST_WHOLE = 2**53
"""A float of this size or more is no id: two whole numbers may be one float, and two people one id."""
_BATCH = 2**18
"""Values that become one chunk of a column."""
_MOST_BITS = 2000
"""Bits of an integer. Python may refuse to write a larger integer as text."""
_MOST_PLACES = 400
"""Places of a decimal before or after the point. A decimal such as 1E+999999999 would fill the memory."""


def text_column(values: Iterable[object], *, ids: bool = False) -> pa.ChunkedArray:
    """Return the text of each value as a column. Of `ids`, floats from LARGEST_WHOLE on are missing."""
    texts = [value if type(value) is str else None if ids and _is_vague(value) else text_of(value) for value in values]
    chunks = [_array(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
    return pa.chunked_array(chunks, pa.large_string())


def _array(texts: list[str | None]) -> pa.Array:
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 cannot hold
        return pa.array([text if text is None or _is_unicode(text) else None for text in texts], pa.large_string())


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def text_of(value: object) -> str | None:
    """Return the canonical text of a value of any type; None if the value counts as missing.

    This function never raises: no person's value may stop a release.
    """
    try:
        known = _known(value)
        return None if known is None or known != known else canonical(known)
    except Exception:  # a value that cannot be converted is missing, by definition
        return None


def _known(value: object) -> object:
    """Return a value as one of the types that `canonical` knows; None if it has no such type.

    Methods of the base types are called, because a subclass may write itself otherwise: numpy's 7.25 is
    "np.float64(7.25)".
    """
    match value:
        case bool() | np.bool_():
            return bool(value)
        case int():
            return _short(int.__int__(value))
        case np.integer():
            return int(value)
        case float() | np.floating():
            return float(value)
        case str():
            return str.__str__(value)
        case bytes():
            return value.decode() if len(value) <= LONGEST_TEXT else None
        case Decimal():
            return value if not value or abs(value.adjusted()) <= _MOST_PLACES else None
        case datetime.datetime():
            return _plain(value) if value == value else None
        case datetime.date():
            return datetime.date(value.year, value.month, value.day)
        case np.datetime64():
            is_date = np.datetime_data(value.dtype)[0] == "D"
            return _time(value.item() if is_date else value.astype("datetime64[us]").item())
        case uuid.UUID():
            return str(value)
    return None


def _is_vague(value: object) -> bool:
    return isinstance(value, (float, np.floating)) and not abs(float(value)) < LARGEST_WHOLE


def _short(number: int) -> int | None:
    return number if number.bit_length() <= _MOST_BITS else None


def _plain(time: datetime.datetime) -> datetime.datetime:
    """Return a time without what a subclass adds, such as nanoseconds."""
    zone = time.tzinfo
    return datetime.datetime(
        time.year, time.month, time.day, time.hour, time.minute, time.second, time.microsecond, zone, fold=time.fold
    )


def _time(value: object) -> object:
    """Return a time of numpy that Python can hold; None for others, which numpy returns as integers."""
    return value if isinstance(value, datetime.date) else None

"""Canonical texts: one text for each raw value, whatever file or server the value comes from.

    missing, NaN, infinity, blank text        no text: the value counts as missing
    integer                                   7
    float                                     7 if it is integral, else the shortest text that reads back: 7.25
    decimal                                   7, 7.25 (no trailing zeros, no exponent)
    boolean                                   true, false
    date, timestamp                           2024-05-31, 2024-05-31T08:30:00 (in UTC if it has a zone); infinity
    text                                      as it is, without white space at the ends
    text of more than 16 MB (2**24 bytes)     no text: the value counts as missing

A codebook declares such texts. `typed` turns them into values of a column's own type: an engine compares integers with
integers, and never has to make a text for every row. Text stays text: "07" in a CSV file is not 7.
"""

import datetime
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

import pyarrow as pa

Family = Literal["int", "float", "text"]
"""The form in which an engine compares a column: 64-bit integers, doubles without NaN and infinities, or text."""

WHITE_SPACE = " \t\n\r\v\f"
LARGEST_INTEGER = 2**63 - 1

NUMBER_PATTERN = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$"
"""Text that ranges take for a number, after white space at its ends is removed."""

LONGEST_NUMBER = 300
"""Characters of a text that ranges take for a number, at most."""

LARGEST_NUMBER = 1e300
"""A number beyond this, in either direction, counts as infinite."""

LONGEST_TEXT = 2**24
"""Bytes of UTF-8 in a text. A longer text counts as missing, because one value must not fill the memory."""

INTEGER_PATTERN = r"^[+-]?[0-9]{1,18}$"
"""Text that is a record key."""


def canonical(value: object) -> str | None:
    """Return the canonical text of a value, or None if the value counts as missing."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float_text(value)
        case Decimal():
            return _decimal_text(value)
        case datetime.datetime():
            return _timestamp_text(value)
        case datetime.date():
            return value.isoformat()
        case _:
            return str(value).strip(WHITE_SPACE) or None


def _float_text(value: float) -> str | None:
    if not math.isfinite(value):
        return None
    return str(int(value)) if value.is_integer() else repr(value)


def _decimal_text(value: Decimal) -> str | None:
    if not value.is_finite():
        return None
    text = format(value, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) if value else "0"


def _timestamp_text(value: datetime.datetime) -> str:
    in_utc = value if value.tzinfo is None else value.astimezone(datetime.UTC).replace(tzinfo=None)
    return in_utc.isoformat().rstrip("0") if in_utc.microsecond else in_utc.isoformat()


def typed(values: Mapping[str, int], family: Family) -> tuple[list[int] | list[float] | list[str], list[int]]:
    """Return the declared texts as values of a family, and their codes. Texts that no such value has are left out."""
    if family == "text":
        return list(values), list(values.values())
    if family == "int":
        integers = {int(text): code for text, code in values.items() if _is_canonical_integer(text)}
        return list(integers), list(integers.values())
    floats: dict[float, int] = {}
    for text, code in values.items():
        try:
            number = float(text)
        except ValueError:
            continue
        if canonical(number) == text:
            floats[number] = code
    return list(floats), list(floats.values())


def _is_canonical_integer(text: str) -> bool:
    if not re.fullmatch("-?[0-9]{1,19}", text):
        return False
    return str(int(text)) == text and -LARGEST_INTEGER - 1 <= int(text) <= LARGEST_INTEGER


def texts(array: pa.Array) -> pa.Array:
    """Return values, in the form in which an engine compares them, as canonical texts."""
    if pa.types.is_integer(array.type):
        return array.cast(pa.string())
    if pa.types.is_floating(array.type):
        return pa.array([canonical(value) for value in array.to_pylist()], pa.string())
    return array.cast(pa.string())

"""What a raw value is called: one text for it, whatever file or server it came from.

    missing, NaN, blank text                  no text at all, as for a number that is infinite
    integer                                   7
    float                                     7 where it is integral, else the shortest text that reads back: 7.25
    decimal                                   7, 7.25 (no trailing zeros, no exponent)
    boolean                                   true, false
    date, timestamp                           2024-05-31, 2024-05-31T08:30:00 (in UTC where it has a zone); infinity
    text                                      as it is, without white space at the ends
    text of more than 16 MB (2**24 bytes)     no text at all

A codebook declares such texts. `typed` turns what is declared into the values of a column's own type, so that an
engine compares integers with integers and a text never has to be made for every row. Text stays text: "07" in a CSV
file is not 7.
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

NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$"
"""Text that is a number for a recode by ranges, white space at its ends aside. `LONGEST` characters at most."""
LONGEST = 300

LONGEST_TEXT = 2**24
"""Bytes of UTF-8 from which on a text counts as missing: one value may not take the memory that a count has."""

LARGEST = 1e300
"""A number beyond this, in either direction, is taken for an infinity."""

WHOLE = r"^[+-]?[0-9]{1,18}$"
"""Text that is a record key."""


def canonical(value: object) -> str | None:
    """The text of one value; None where it counts as missing."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            return None
        text = format(value, "f")
        return (text.rstrip("0").rstrip(".") if "." in text else text) if value else "0"
    if isinstance(value, datetime.datetime):
        value = value if value.tzinfo is None else value.astimezone(datetime.UTC).replace(tzinfo=None)
        return value.isoformat().rstrip("0") if value.microsecond else value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return str(value).strip(WHITE_SPACE) or None


def typed(values: Mapping[str, int], family: Family) -> tuple[list[int] | list[float] | list[str], list[int]]:
    """The declared texts as values of a family, with their codes; texts that no value of it has are left out."""
    if family == "text":
        return list(values), list(values.values())
    if family == "int":
        whole = {int(text): code for text, code in values.items() if re.fullmatch("-?[0-9]{1,19}", text) and _is(text)}
        return list(whole), list(whole.values())
    real: dict[float, int] = {}
    for text, code in values.items():
        try:
            number = float(text)
        except ValueError:
            continue
        if canonical(number) == text:
            real[number] = code
    return list(real), list(real.values())


def ids(array: pa.Array) -> pa.Array:
    """Ids in the form in which an engine compares them, as their canonical texts."""
    if pa.types.is_integer(array.type):
        return array.cast(pa.string())
    if pa.types.is_floating(array.type):
        return pa.array([canonical(value) for value in array.to_pylist()], pa.string())
    return array.cast(pa.string())


def _is(text: str) -> bool:
    return str(int(text)) == text and -LARGEST_INTEGER - 1 <= int(text) <= LARGEST_INTEGER

"""Bounds of ranges: a number, a date such as 2026-12-31, or None for no bound.

A date is compared as the number YYYYMMDD, in every engine.
"""

import datetime
import re
from typing import Annotated, Any

from pydantic import BeforeValidator

_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def date_number(date: str) -> int:
    """Return a date, such as 2024-05-31, as the number 20240531."""
    return int(date.replace("-", ""))


def number_date(number: float) -> datetime.date:
    """Return the date of a number, such as 20240531. Raise ValueError if there is no such date."""
    return datetime.date(int(number) // 10000, int(number) // 100 % 100, int(number) % 100)


def _read(bound: Any) -> float | str | None:
    """Return a bound as a float, or a date as text. Raise an error if it is neither."""
    if isinstance(bound, datetime.date) and not isinstance(bound, datetime.datetime):
        return bound.isoformat()
    if isinstance(bound, str) and _DATE.fullmatch(bound):
        return datetime.date.fromisoformat(bound).isoformat()
    if isinstance(bound, bool):
        raise TypeError
    return None if bound is None else float(bound)


def _read_or_refuse(bound: Any) -> float | str | None:
    try:
        return _read(bound)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"the bound {bound!r:.60} is no number and no date; give a number, a date such as 2026-12-31, or null for"
            " no bound"
        ) from None


Bound = Annotated[float | str | None, BeforeValidator(_read_or_refuse)]

"""Dates as numbers YYYYMMDD, which every engine compares alike.

A value is a date if its text is one, after white space at its ends is removed:

    2024-05-31                    in every source, also with a time after T or a space, which does not count
    31.5.2024, 31/05/2024         if the source has dates: dmy
    5/31/2024, 05-31-2024         if the source has dates: mdy

A date that no calendar has, such as 2023-02-29, a year of two digits and any other text are no date. Only texts are
taken apart: what an engine takes for a date decides nothing.
"""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from discreet.count.engines.sql import Dialect

DateOrder = Literal["ymd", "dmy", "mdy"]
"""The order of day, month and year in a text. ymd is 2024-05-31, which every order takes."""

_LEAP_YEAR = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
_DAYS = (
    "[0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])",
    "[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)",
    "[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])",
    f"{_LEAP_YEAR}-02-29",
)
DATE_PATTERN = f"^({'|'.join(_DAYS)})([T ][0-9][0-9:.,+ AaPpMmZz-]*)?$"
"""A date of the calendar in the order year, month, day, perhaps with a time."""

_OTHER_ORDER = "^[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}([T ][0-9][0-9:.,+ AaPpMmZz-]*)?$"


def date_expression(text: str, order: DateOrder, dialect: "Dialect") -> str:
    """Return the date that a text is, as an integer YYYYMMDD; NULL if it is none.

    Parameters
    ----------
    text
        An expression for a text without white space at its ends.
    order
        The order of day, month and year in the source.
    dialect
        How the engine writes tests and casts.
    """
    year_first = text if order == "ymd" else _year_first(text, order, dialect)
    digits = f"replace(substr({year_first}, 1, 10), '-', '')"
    return f"CASE WHEN {dialect.matches(year_first, DATE_PATTERN)} THEN {dialect.parsed_integer(digits)} END"


def _year_first(text: str, order: DateOrder, dialect: "Dialect") -> str:
    """Return a text with the year first, if it is a date in another order; else the text."""
    dotted = f"replace(replace(substr({text}, 1, 10), '/', '.'), '-', '.')"
    first, second = (f"lpad(split_part({dotted}, '.', {i}), 2, '0')" for i in (1, 2))
    day, month = (first, second) if order == "dmy" else (second, first)
    year = f"substr(split_part({dotted}, '.', 3), 1, 4)"
    is_other = dialect.matches(text, _OTHER_ORDER)
    return f"CASE WHEN {is_other} THEN {year} || '-' || {month} || '-' || {day} ELSE {text} END"

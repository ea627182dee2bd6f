"""Why a value counts as `_other`, and what the steward can do: for `preview`."""

import re
from dataclasses import dataclass

from discreet.count.engines.date_expression import DATE_PATTERN
from discreet.plan.canonical_text import NUMBER_PATTERN
from discreet.plan.codebook import Recode
from discreet.plan.source import FIELDS, Source
from discreet.spelling import nearest_spelling

_OTHER_DATE = re.compile("([0-9]{1,2})[./-]([0-9]{1,2})[./-][0-9]{4}([T ].*)?")
_YEAR_LAST = re.compile("[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2}")


@dataclass(frozen=True, repr=False)
class Undeclared:
    """A value that is not declared, its number of rows, and why it counts as `_other`.

    Attributes
    ----------
    nearest
        The declared value of the nearest spelling, if any. None for ranges.
    reason
        Why no category or range takes the value, and what to do, in words.
    """

    value: str
    rows: int
    nearest: str | None
    reason: str


def undeclared_value(value: str, rows: int, recode: Recode, source: Source | None) -> Undeclared:
    """Return a value that a recode puts into `_other`, with the reason.

    Parameters
    ----------
    value, rows
        The value and its number of rows.
    recode
        What is declared.
    source
        The source of the rows; None for a data frame.
    """
    if recode.values is not None:
        nearest = nearest_spelling(value, list(recode.values))
        reason = "it is not declared" if nearest is None else f"you declared {nearest!r}"
    else:
        nearest = None
        reason = _reason_of_date(value, source) if recode.dates else _reason_of_number(value, source)
    if "\ufffd" in value:
        reason += ". Some of its bytes are not in the encoding: check the encoding of the source"
    return Undeclared(value, rows, nearest, reason)


def _reason_of_number(value: str, source: Source | None) -> str:
    """Return why no range of numbers takes a value."""
    mark = (source and source.decimal) or "."
    other_mark = "," if mark == "." else "."
    if re.fullmatch(NUMBER_PATTERN, value.replace(",", ".")) and other_mark not in value:
        return "it is in no range"
    if re.fullmatch(DATE_PATTERN, value) or _OTHER_DATE.fullmatch(value):
        return "it is a date, and the ranges are of numbers; give dates as their bounds, such as 2026-12-31"
    if re.fullmatch(NUMBER_PATTERN, value.replace(",", ".")):
        can_be_given = source is not None and "decimal" in FIELDS[source.kind]
        remedy = f'give decimal: "{other_mark}" in the source' if can_be_given else "make numbers of the column"
        return f'it is not a number, because the decimal mark is "{mark}"; {remedy}'
    if re.fullmatch(r"[+-]?[0-9]{1,3}([., '\u2019\u00a0\u202f][0-9]{3})+([.,][0-9]+)?", value):
        return "it is not a number, because its digits are grouped; write numbers without marks of thousands"
    return "it is not a number"


def _reason_of_date(value: str, source: Source | None) -> str:
    """Return why no range of dates takes a value."""
    order = (source and source.dates) or "ymd"
    if re.fullmatch(DATE_PATTERN, value):
        return "it is in no range"
    date = _OTHER_DATE.fullmatch(value)
    if date is None:
        two_digits = "; its year has two digits, and needs four" if _YEAR_LAST.fullmatch(value) else ""
        return f"it is not a date{two_digits}"
    month = {"dmy": date[2], "mdy": date[1], "ymd": "0"}[order]
    if order == "ymd" or int(month) > 12:
        if source is None or "dates" not in FIELDS[source.kind]:
            return "it is not a date such as 2026-12-31; make dates of the column"
        remedy = {"ymd": "dmy (the day first) or mdy (the month first)", "dmy": "mdy", "mdy": "dmy"}[order]
        return f"it is not a date, because dates is {order}; give dates: {remedy} in the source, if all dates are so"
    return "it is in no range, or no calendar has this date"

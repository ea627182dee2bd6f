"""What init proposes for each column: an id, categories, ranges, or to leave it out, with the reason in words.

A proposal is made from the data, so it carries no promise. The specification marks it as found in the data, until the
steward has checked it against the questionnaire.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from discreet.count.engines.engine import Engine
from discreet.count.engines.look import QUANTILES, ColumnLook
from discreet.count.recode import Kind
from discreet.labels import OTHER, TOTAL
from discreet.plan.spec_section import LONGEST_LABEL

MOST_CATEGORIES = 200
"""Different values of a column that are proposed as categories."""

FEW_NUMBERS = 12
"""Different whole numbers of a column that are proposed as categories instead of ranges."""

FEW_DATES = 30
"""Different dates of a column that are proposed as categories."""

LEAST_NUMBERED = 0.1
"""Ids that rows share have more different values than this share of the rows: ten people in a household."""

EVEN, FILLED = 0.05, 0.5
"""Ids are nearer to even steps than this share of their range, or are this share of all whole numbers in it."""

_STEPS_OF_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240)
"""Lengths of ranges of dates: a month, a quarter, half a year, 1, 2, 5, 10 or 20 years."""

_MANY_ROWS = 1000
_RARE = 3
"""In a file of many rows, values of fewer rows are left out: they are often typing errors, and may point to people."""

_MISSING = {"", "na", "n/a", "nan", "null", "none", "?", "-", "--", ".", "#n/a", "missing", "k.a.", "nr", "n.a."}
"""Texts, in small letters, that often stand for a missing value."""

_UNPRINTED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_PERSON = re.compile(r"(?i)pers|resp|indiv|patient|student|client|pupil|worker|einwohner|habitant|people")
_ID = re.compile(
    r"(?i)(^|[^a-z])(id|uid|pid|uuid|guid|nr|no|num|key|ident\w*|matricule|pin|ssn)([^a-z]|$)|[a-z]id$|ID$"
)


@dataclass(frozen=True, repr=False)
class Proposed:
    """A dimension that is proposed for a column: categories (the raw values of each label) or ranges.

    Attributes
    ----------
    rare, missing
        Values that are left out because few rows have them, or because they stand for a missing value.
    """

    column: str
    categories: Mapping[str, Sequence[str]] | None = None
    ranges: Mapping[str, tuple[float | str | None, float | str | None]] | None = None
    rare: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def leaves(self) -> int:
        """The number of categories or ranges, `_other` not included."""
        return len(self.categories or self.ranges or ())


@dataclass(frozen=True, repr=False)
class Proposal:
    """What is proposed for a source.

    Attributes
    ----------
    id
        The column with the id of a person, or None if no column looks like one.
    rows_of_one_id
        The most rows of one id.
    dimensions
        The dimensions, in the order of the columns.
    left_out
        The reason for every column that is left out.
    """

    id: str | None
    rows_of_one_id: int
    dimensions: tuple[Proposed, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


def propose(engine: Engine) -> Proposal:
    """Look at every column of a source, and propose what to do with it."""
    kinds = engine.columns()
    looks = {column: engine.look(column) for column in kinds}
    id_column = _id_column(kinds, looks)
    rows_of_one_id = 1
    if id_column is not None and looks[id_column].distinct < looks[id_column].values:
        rows_of_one_id = engine.frequencies(id_column, 1)[0][1]
    dimensions, left_out = [], {}
    for column, kind in kinds.items():
        if column == id_column:
            continue
        dimension = _dimension(engine, column, kind, looks[column])
        if isinstance(dimension, str):
            left_out[column] = dimension
        else:
            dimensions.append(dimension)
    return Proposal(id_column, rows_of_one_id, tuple(dimensions), left_out)


def _id_column(kinds: Mapping[str, Kind], looks: Mapping[str, ColumnLook]) -> str | None:
    """Return the column that looks most like the id of a person.

    Its name says so, or every row has another value. Names that speak of people come first.
    """
    candidates = []
    for position, (name, look) in enumerate(looks.items()):
        if kinds[name] not in ("int", "text") or look.values < 20 or look.whole < look.numbers or look.dates:
            continue
        unique = look.distinct / look.values
        named = bool(_ID.search(name)) and unique >= 0.05
        if named or (look.distinct == look.rows and look.length <= 40):
            candidates.append((named and bool(_PERSON.search(name)), named, round(unique, 1), -position, name))
    return max(candidates)[-1] if candidates else None


def _dimension(engine: Engine, column: str, kind: Kind, look: ColumnLook) -> Proposed | str:
    """Return the dimension that is proposed for a column, or the reason why the column is left out."""
    if look.values == 0:
        return "it has no values"
    if look.distinct == 1:
        return "it has only one value"
    if kind == "other":
        return "values of this type cannot be counted by category; make a column of texts or numbers from it"
    if _ID.search(column) and look.whole == look.numbers and look.distinct > max(20, 0.05 * look.values):
        return "its name and its many values look like an id; ids are not published"
    if kind != "date" and not look.dates and _is_numbered(look):
        return (
            f"its {look.distinct:,} whole numbers in {look.values:,} rows are spread evenly, like the numbers of"
            " households or records; ids are not published. If this is a quantity, declare its ranges"
        )
    are_codes = look.zeros > 0.01 * look.values
    if kind == "date" or look.dates > 0.9 * look.values:
        if look.distinct > FEW_DATES:
            dates = date_ranges(engine.look(column, dates=True))
            return Proposed(column, ranges=dates) if dates else "these are dates, and ranges for them were not found"
    elif look.numbers > 0.9 * look.values and not are_codes:
        few = look.distinct <= FEW_NUMBERS and look.whole == look.numbers
        ranges = {} if few else number_ranges(look)
        if ranges:
            return Proposed(column, ranges=ranges)
    nearly_unique = look.distinct > max(20, 0.5 * look.values)
    if nearly_unique and look.length > 25:
        return "this looks like free text: nearly every row has another value; group it into categories first"
    if nearly_unique:
        return "nearly every row has another value, so it points to people; group it into categories first"
    if look.distinct > MOST_CATEGORIES:
        return (
            f"it has {look.distinct:,} different values; declare the categories of your classification, or coarser ones"
        )
    return _categories(engine, column, look)


def _is_numbered(look: ColumnLook) -> bool:
    """Return True if whole numbers look like ids that a few rows share, such as the numbers of households.

    They are many, a few rows have each, and they fill their range, or are spread evenly over it. Incomes and weights
    are many, too, but crowd at small numbers.
    """
    if look.whole < 0.9 * look.values or look.distinct <= max(MOST_CATEGORIES, LEAST_NUMBERED * look.values):
        return False
    low, *middle, high = (look.quantiles[QUANTILES.index(share)] for share in (0.02, 0.2, 0.4, 0.6, 0.8, 0.98))
    if not high > low:
        return False
    even = [low + (high - low) * (share - 0.02) / 0.96 for share in (0.2, 0.4, 0.6, 0.8)]
    is_even = all(abs(value - other) < EVEN * (high - low) for value, other in zip(middle, even, strict=True))
    return is_even or look.distinct >= FILLED * (look.quantiles[-1] - look.quantiles[0] + 1) > 0


def _categories(engine: Engine, column: str, look: ColumnLook) -> Proposed | str:
    """Return the values of a column as categories. Spellings that differ in case or spaces are one category."""
    frequencies = engine.frequencies(column, MOST_CATEGORIES)
    spellings: dict[str, list[tuple[str, int]]] = {}
    missing, rare = [], []
    for value, times in frequencies:
        if value.casefold() in _MISSING:
            missing.append(value)
        elif _UNPRINTED.search(value) or len(value) > LONGEST_LABEL or value in (OTHER, TOTAL):
            rare.append(value)
        else:
            spellings.setdefault(" ".join(value.casefold().split()), []).append((value, times))
    categories = {}
    for values in spellings.values():
        if look.rows >= _MANY_ROWS and sum(times for _, times in values) < _RARE:
            rare += [value for value, _ in values]
        else:
            categories[values[0][0]] = sorted(value for value, _ in values)
    if len(categories) < 2:
        return "fewer than two values occur often enough to be a category"
    ordered = dict(sorted(categories.items(), key=lambda item: _natural(item[0])))
    return Proposed(column, categories=ordered, rare=tuple(sorted(rare)), missing=tuple(sorted(missing)))


def _natural(text: str) -> tuple[tuple[int, float, str], ...]:
    """Return a key that sorts 2 before 10, and texts by their letters."""
    parts = re.findall(r"[0-9]{1,15}|[^0-9]+", text)
    return tuple((0, float(part), "") if part.isdecimal() else (1, 0.0, part.casefold()) for part in parts)


def number_ranges(look: ColumnLook) -> dict[str, tuple[float | None, float | None]]:
    """Return ranges between round numbers near the quantiles, open at both ends; none if the numbers do not spread."""
    least, low, *inner, high = look.quantiles
    whole = look.whole == look.numbers
    width = (high - low) / 5
    if not width > 0 or not math.isfinite(width):
        return {}
    step = 10.0 ** math.floor(math.log10(width))
    step *= max(factor for factor in (1, 2, 5) if factor * step <= width)
    step = max(step, 1.0) if whole else step
    middle, upper = inner[:4], inner[4:]
    cuts = sorted({_rounded(value, step) for value in middle if value > least} - {_rounded(least, step)})
    if len(cuts) < 2:
        cuts = sorted({*cuts, *(_rounded(value, step) for value in (*upper, high) if value > least)})
    cuts = [cut for cut in cuts if cut > least]
    if not cuts:
        return {}
    ranges: dict[str, tuple[float | None, float | None]] = {f"under {_shown(cuts[0])}": (None, cuts[0])}
    for lower, higher in pairwise(cuts):
        end = f"{_shown(higher - 1)}" if whole else f"under {_shown(higher)}"
        ranges[f"{_shown(lower)} to {end}"] = (lower, higher)
    return ranges | {f"{_shown(cuts[-1])} and over": (cuts[-1], None)}


def date_ranges(look: ColumnLook) -> dict[str, tuple[str | None, str | None]]:
    """Return ranges between first days of months near the quantiles, open at both ends; none if dates do not spread.

    Parameters
    ----------
    look
        A look at dates as numbers YYYYMMDD.
    """
    if look.numbers < 0.5 * look.values:
        return {}
    _, low, *inner, high = (number // 10000 * 12 + number // 100 % 100 - 1 for number in map(int, look.quantiles))
    step = max((months for months in _STEPS_OF_MONTHS if months <= (high - low) / 5), default=1)
    cuts = sorted({round(month / step) * step for month in inner[:4]} - {low})
    if not cuts:
        return {}
    days = [f"{month // 12:04}-{month % 12 + 1:02}-01" for month in cuts]
    years = step % 12 == 0
    first, last = (
        [str(month // 12) if years else f"{month // 12:04}-{month % 12 + 1:02}" for month in months]
        for months in (cuts, [cut - (12 if years else 1) for cut in cuts])
    )
    ranges: dict[str, tuple[str | None, str | None]] = {f"before {first[0]}": (None, days[0])}
    for i, (lower, upper) in enumerate(pairwise(days)):
        label = first[i] if first[i] == last[i + 1] else f"{first[i]} to {last[i + 1]}"
        ranges[label] = (lower, upper)
    return ranges | {f"{first[-1]} and later": (days[-1], None)}


def _rounded(value: float, step: float) -> float:
    """Return the multiple of a step that is nearest, without the digits that floats add."""
    return float(f"{round(value / step) * step:.12g}")


def _shown(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)

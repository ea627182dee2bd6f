"""Bounds of ranges: numbers or dates, never both, and never a date that no calendar has."""

import datetime
from typing import Any

import pytest

from discreet import release
from discreet.errors import SpecError
from discreet.plan import codebook, read_spec


def spec(ranges: dict[str, Any]) -> dict[str, Any]:
    return {
        "version": "1",
        "dimensions": {"born": {"column": "born", "ranges": ranges}},
        "tables": [{"name": "t", "dimensions": ["born"]}],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    }


def test_a_date_may_be_a_text_or_a_date_of_python() -> None:
    texts = read_spec.read(spec({"a": [None, "2000-01-01"], "b": ["2000-01-01", None]})).spec.dimensions["born"]
    day = datetime.date(2000, 1, 1)
    assert texts == read_spec.read(spec({"a": [None, day], "b": [day, None]})).spec.dimensions["born"]
    recode = codebook.resolve("born", texts).recode
    assert recode.dates
    assert recode.segments() == ([20000101.0], [0, 1])


def test_a_date_and_the_number_of_its_digits_are_different_codebooks() -> None:
    dates, numbers = (
        codebook.resolve("born", read_spec.read(spec({"a": [None, bound]})).spec.dimensions["born"])
        for bound in ("2000-01-01", 20000101)
    )
    assert dates.digest != numbers.digest


@pytest.mark.parametrize(
    ("ranges", "named"),
    [
        ({"a": ["2023-02-29", None]}, "2023-02-29"),
        ({"a": ["31.12.2026", None]}, "31.12.2026"),
        ({"a": ["2026-1-1", None]}, "2026-1-1"),
        ({"a": [None, "1980"], "b": ["1980-01-01", None]}, "dates"),
        ({"a": ["2000-01-01", "1990-01-01"]}, "2000-01-01"),
        ({"a": [None, "2000-01-01"], "b": ["1999-12-31", None]}, "1999-12-31"),
        ({"a": [True, None]}, "True"),
        ({"a": [datetime.datetime(2000, 1, 1, 8), None]}, "datetime"),
    ],
)
def test_a_wrong_bound_is_refused_and_named(ranges: dict[str, Any], named: str) -> None:
    with pytest.raises(SpecError) as refused:
        release.plan(spec(ranges))
    assert named in str(refused.value)
    assert "give" in str(refused.value)

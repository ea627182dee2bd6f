"""Names in messages that are nearest to a name that does not exist."""

import pytest

from discreet.spelling import did_you_mean, nearest_spelling


@pytest.mark.parametrize(
    ("name", "known", "nearest"),
    [
        ("budgett", ["version", "budget"], "budget"),
        ("delimeter", ["decimal", "delimiter"], "delimiter"),
        ("AGE_GROUP", ["age group", "age"], "age group"),
        ("Geneve", ["Bern", "Genève"], "Genève"),
        ("01", ["1", "10"], "1"),
        ("0", ["00", "1"], "00"),
        ("colour", ["height", "weight"], None),
        ("", ["a"], None),
        ("?", ["-", "a"], None),
    ],
)
def test_the_nearest_name_is_found(name: str, known: list[str], nearest: str | None) -> None:
    assert nearest_spelling(name, known) == nearest
    assert did_you_mean(name, known) == ("" if nearest is None else f"; did you mean {nearest!r}?")


def test_what_is_no_text_is_near_to_nothing() -> None:
    assert did_you_mean(3, ["3"]) == ""

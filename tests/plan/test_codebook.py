"""A label of a leaf or a group means one set of leaves."""

from typing import Any

import pytest

from discreet.errors import SpecError
from discreet.plan.codebook import resolve
from discreet.plan.sections import Dimension


@pytest.mark.parametrize(
    ("levels", "label", "leaves"),
    [
        ({}, "_other", {3}),
        ({"l": {"x": ["a", "b", "c"]}}, "_other", {3}),  # the group of the level is the leaf
        ({"l": {"a": ["a"], "x": ["b", "c"]}}, "a", {0}),
        ({"l": {"x": ["a", "b"]}, "m": {"x": ["b", "a"]}}, "x", {0, 1}),
        ({"l": {"x": ["a", "b"]}, "m": {"rest": ["_other"]}}, "rest", {3}),
        ({"l": {"x": ["a", "b"]}}, "_other", {3}),  # the leaf, not the group of the level
        ({"l": {"a": ["a", "b"]}}, "a", None),
        ({"l": {"x": ["a", "b"]}, "m": {"x": ["b", "c"]}}, "x", None),
    ],
)
def test_a_label_of_several_sets_of_leaves_is_refused(
    levels: dict[str, Any], label: str, leaves: set[int] | None
) -> None:
    book = resolve("d", Dimension(column="d", categories=["a", "b", "c"], levels=levels))
    if leaves is not None:
        assert book.select([label]) == leaves
        return
    with pytest.raises(SpecError, match=f"the filter on 'd' names '{label}'"):
        book.select([label])


@pytest.mark.parametrize(
    ("declared", "named"),
    [
        ({"ranges": {"young": [0, 30], "middle": [25, 60], "old": [60, None]}}, ["young", "middle", "30", "25"]),
        ({"ranges": {"old": [50, 60], "all": [None, None]}}, ["old", "all"]),
        ({"ranges": {"2020": ["2020-01-01", "2021-01-01"], "later": ["2020-06-01", None]}}, ["2020", "later"]),
        ({"categories": ["x", "y", "x"]}, ["'x'", "1 and 3"]),
        ({"categories": {"one": ["1", "2"], "two": ["2"]}}, ["'2'", "'one'", "'two'"]),
        ({"categories": {"one": ["1", "1"], "two": ["2"]}}, ["'1'", "'one'"]),
    ],
)
def test_ranges_that_overlap_and_values_declared_twice_are_both_named(
    declared: dict[str, Any], named: list[str]
) -> None:
    with pytest.raises(SpecError) as error:
        resolve("d", Dimension(column="d", **declared))
    assert [text for text in named if text not in str(error.value)] == []


def test_ranges_that_meet_in_a_bound_or_leave_a_gap_are_apart() -> None:
    dimension = Dimension(column="d", ranges={"old": (60, None), "young": (None, 30), "middle": (30, 50)})
    assert resolve("d", dimension).leaves == ("old", "young", "middle", "_other")

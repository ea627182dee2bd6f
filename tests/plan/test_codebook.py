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

"""A YAML text gets another content, and keeps its comments elsewhere."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SpecError
from discreet.plan.yaml_update import updated
from tests.plan.test_yaml_edit import SPEC, comments, read

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(alphabet='ab #:-"é', max_size=4))
KEYS = st.text(alphabet="abc", min_size=1, max_size=2)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)


@given(DOCUMENTS, DOCUMENTS)
def test_the_new_text_says_what_it_is_to_say(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert read(updated(updated("a: 1\n", before), after)) == after


def test_only_what_changes_is_written() -> None:
    document = copy.deepcopy(read(SPEC))
    document["dimensions"]["sex"]["categories"] += ["x"]
    document["dimensions"]["age"]["ranges"]["old"] = [45, None]
    document["tables"][1]["margins"] = "all"
    document["budget"] = {"epsilon": 2}
    text = updated(SPEC, document)
    assert read(text) == document
    assert comments(text) == comments(SPEC)


def test_items_that_are_removed_take_no_other_comments_with_them() -> None:
    document = copy.deepcopy(read(SPEC))
    del document["tables"][0]
    document["dimensions"]["sex"]["categories"] = ["m", "x"]
    text = updated(SPEC, document)
    assert read(text) == document
    assert comments(text) == comments(SPEC)


def test_a_text_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(SpecError):
        updated("[1]", {"a": 1})

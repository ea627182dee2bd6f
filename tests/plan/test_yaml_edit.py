"""A part of a YAML text is changed, and everything else stays: comments, order, layout."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SpecError
from discreet.plan import yaml_text
from discreet.plan.yaml_edit import REMOVED, changed
from discreet.plan.yaml_file import parsed

SPEC = """\
# A first specification.
title: people.csv
version: "1"                 # a label
source: {csv: people.csv, delimiter: ";"}

unit:
  found: data                # check it

# Values that are not declared count as _other.
dimensions:
  sex:
    column: sex
    found: data              # check it too
    categories:              # as in the file
      - f
      - m
    # taken for missing: 'NA'
  age:
    column: age
    ranges:                  # [lower, upper)
      young: [null, 40]
      old: [40, null]

# Each table counts every person once more.
tables:
  - {name: sex, dimensions: [sex], margins: all}
  - name: both
    dimensions: [sex, age]   # two of them
    margins: none
description: |
  Two lines
  of text.

key: fresh
"""


def read(text: str) -> Any:
    return parsed(text, "test")[0]


def comments(text: str) -> list[str]:
    return [line.partition("#")[2] for line in text.splitlines() if "#" in line]


@pytest.mark.parametrize(
    ("path", "value", "before", "after"),
    [
        (("version",), "2027", 'version: "1"                 # a label', 'version: "2027"                 # a label'),
        (("source", "decimal"), ",", '";"}', '";", decimal: ","}'),
        (("unit", "found"), REMOVED, "unit:\n  found: data   ", "unit: {}   "),
        (("unit", "id"), "person", "# check it\n", "# check it\n  id: person\n"),
        (
            ("dimensions", "sex", "categories"),
            {"f": ["f", "F"], "m": ["m"]},
            "    categories:              # as in the file\n      - f\n      - m\n",
            "    categories: {f: [f, F], m: [m]}\n",
        ),
        (("dimensions", "sex", "categories", 1), "male", "- m\n", "- male\n"),
        (("dimensions", "sex", "categories", 2), "x", "- m\n", "- m\n      - x\n"),
        (("dimensions", "sex", "categories", 0), REMOVED, "      - f\n", ""),
        (("dimensions", "age", "ranges", "old", 0), 50, "[40, null]", "[50, null]"),
        (("tables", 0, "margins"), "none", "margins: all}", "margins: none}"),
        (("tables", 1, "margins"), "all", "margins: none", "margins: all"),
        (("tables", 1, "filter"), {"sex": ["f"]}, "margins: none\n", "margins: none\n    filter: {sex: [f]}\n"),
        (("tables", 2), {"name": "t", "dimensions": []}, "none\ndes", "none\n  - {name: t, dimensions: []}\ndes"),
        (("tables", 0), REMOVED, "  - {name: sex, dimensions: [sex], margins: all}\n", ""),
        (("description",), "One line.", "|\n  Two lines\n  of text.\n", "One line.\n"),
        (("description",), REMOVED, "description: |\n  Two lines\n  of text.\n", ""),
        (("budget", "epsilon"), 1, "key: fresh\n", "key: fresh\nbudget: {epsilon: 1}\n"),
    ],
    ids=str,
)
def test_only_the_lines_of_the_part_change(path: tuple[int | str, ...], value: Any, before: str, after: str) -> None:
    assert before in SPEC
    assert changed(SPEC, path, value) == SPEC.replace(before, after, 1)


def test_a_long_part_is_written_on_several_lines_and_the_comment_beside_its_key_stays() -> None:
    values = [f"category {number}" for number in range(30)]
    text = changed(SPEC, ("dimensions", "sex", "categories"), values)
    assert read(text)["dimensions"]["sex"]["categories"] == values
    assert comments(text) == comments(SPEC)
    assert "      - category 29\n    # taken for missing" in text


def test_a_removed_dimension_takes_the_comments_inside_it_along() -> None:
    text = changed(SPEC, ("dimensions", "sex"), REMOVED)
    assert list(read(text)["dimensions"]) == ["age"]
    assert "taken for missing" not in text
    assert "# Values that are not declared" in text


def test_a_key_that_is_a_number_is_found_by_its_text() -> None:
    text = changed("levels:\n  1: [a]\n  2: [b]\n", ("levels", "2"), ["c"])
    assert text == "levels:\n  1: [a]\n  2: [c]\n"


def test_a_text_without_a_line_end_gets_one() -> None:
    assert changed("a: 1", ("b",), 2) == "a: 1\nb: 2\n"
    assert changed("a:", ("a",), "x") == "a: x"


def test_where_aliases_stand_for_the_part_the_document_is_written_anew() -> None:
    text = changed("a: &x [1, 2]   # both\nb: *x\n", ("b", 0), 3)
    assert read(text) == {"a": [1, 2], "b": [3, 2]}


def test_the_last_entry_of_a_mapping_leaves_an_empty_mapping() -> None:
    assert changed("a:   # x\n  b: 1\n", ("a", "b"), REMOVED) == "a: {}\n"
    assert changed("# x\na:\n  - b\nc: 1\n", ("a", 0), REMOVED) == "# x\na: []\nc: 1\n"
    assert changed("a: 1\n", ("a",), REMOVED) == "{}\n"


def test_the_first_entry_of_an_item_can_be_removed() -> None:
    assert read(changed("x:\n  - a: 1\n    b: 2\n", ("x", 0, "a"), REMOVED)) == {"x": [{"b": 2}]}


@pytest.mark.parametrize("text", ["", "[1, 2]", "a: [", "just text", "a: 1\na: 2"])
def test_what_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(SpecError):
        changed(text, ("a",), 1)


def test_a_tag_that_cannot_be_written_is_refused_unless_it_is_left_alone() -> None:
    assert changed("a: 1\nb: !!set {x}\n", ("a",), 2) == "a: 2\nb: !!set {x}\n"
    with pytest.raises(SpecError, match="!!"):
        changed("a: &x {c: 1}\nb: !!set {x}\nd: *x\n", ("d", "c"), 2)


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(TEXTS.filter(lambda key: key != "<<"), inner, max_size=4)
    ),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.sampled_from(["a", "no", "007", "ü", "x y", "<", "#"]), VALUES, min_size=1, max_size=5)


@given(VALUES)
def test_every_value_is_read_as_it_was_written(value: Any) -> None:
    assert repr(read(yaml_text.inline({"a": value}))) == repr({"a": value})
    assert repr(read("\n".join(yaml_text.lines({"a": value})))) == repr({"a": value})


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all parts, and of one new part in each mapping and list."""
    inner = list(part.items()) if isinstance(part, dict) else list(enumerate(part)) if isinstance(part, list) else []
    found = [place for key, value in inner for place in [(*path, key), *places(value, (*path, key))]]
    new = [(*path, "new")] if isinstance(part, dict) else [(*path, len(part))] if isinstance(part, list) else []
    return found + new


@given(st.data(), DOCUMENTS)
def test_any_change_of_any_document_is_read_as_that_change(data: st.DataObject, document: dict[str, Any]) -> None:
    path = data.draw(st.sampled_from(places(document)))
    value = data.draw(VALUES)
    wanted = copy.deepcopy(document)
    part: Any = wanted
    for step in path[:-1]:
        part = part[step]
    if isinstance(part, list) and path[-1] == len(part):
        part.append(value)
    else:
        part[path[-1]] = value
    text = "# first\n" + "\n".join(yaml_text.lines(document)) + "\n# last\n"
    new = changed(text, path, value)
    assert repr(read(new)) == repr(wanted)
    assert new.startswith("# first\n")
    assert new.endswith("# last\n")

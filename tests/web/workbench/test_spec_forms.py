"""The form changes the YAML and the YAML changes the form; comments and what a form does not know stay."""

import re
from pathlib import Path

import pytest

from discreet.plan.yaml_file import parsed
from tests.web.workbench.steward import Steward, opened, words

SPEC = """\
# Of the office.
title: People
version: "2026"     # the label
source: {csv: people.csv}
dimensions:
  sex:
    column: sex
    source: questionnaire
    categories:
      female: [f, F]   # both are in the file
      male: [m]
  age:
    column: age
    ranges:            # years
      young: [null, 40]
      old: [40, null]
    levels: {life: {all: [young, old]}}
tables:
  - {name: sex, dimensions: [sex], margins: all}   # the first
  - name: both
    dimensions: [sex, {dimension: age, level: life}]
    margins: [[sex]]
    filter: {age: [old]}   # only these
budget: {epsilon: 1, delta: 1e-6}
key: fresh
"""


def steward_with_spec(folder: Path) -> Steward:
    steward = opened(folder)
    (folder / "own.yaml").write_text(SPEC)
    assert steward.send("open", {"file": "own.yaml"}).status_code == 200
    assert steward.text == SPEC
    return steward


def comments(text: str) -> list[str]:
    return [line.partition("#")[2] for line in text.splitlines() if "#" in line]


def test_a_form_that_changes_nothing_changes_no_byte(tmp_path: Path) -> None:
    steward = steward_with_spec(tmp_path)
    steward.send("dimension", {"name": "sex", "kind": "categories", "label": ["female", "male", ""],
                 "values": ["f\r\nF", "m", ""], "source": "questionnaire"})  # fmt: skip
    steward.send("dimension", {"name": "age", "kind": "ranges", "label": ["young", "old"], "lower": ["", "40"],
                 "upper": ["40", ""], "source": ""})  # fmt: skip
    steward.send(
        "table", {"table": "1", "name": "both", "dimension": ["sex", "age"], "level age": "life", "margins": ""}
    )
    steward.send("budget", {"epsilon": "1", "delta": "1e-6"})
    settings = {"title": "People", "version": "2026", "key": "fresh", "language": "en", "id": "", "contributions": "1",
                "source": "", "outputs": ["csv"], "secret": "", "ledger": ""}  # fmt: skip
    steward.send("settings", settings)
    assert steward.text == SPEC
    untitled = SPEC.replace("title: People\n", "")
    steward.send("yaml", {"content": untitled})
    steward.send("settings", settings | {"title": "Release"})
    assert steward.text == untitled


def test_forms_change_their_part_and_keep_all_comments(tmp_path: Path) -> None:
    steward = steward_with_spec(tmp_path)
    steward.send("dimension", {"name": "sex", "kind": "categories", "label": ["female", "male", "other"],
                 "values": ["f\nF", "m\nM", ""], "source": "questionnaire 2026"})  # fmt: skip
    steward.send("budget", {"epsilon": "1/2", "delta": "1e-9"})
    steward.send("table", {"table": "2", "name": "", "dimension": ["age"], "margins": "none"})
    document = parsed(steward.text, "")[0]
    assert document["dimensions"]["sex"]["categories"] == {"female": ["f", "F"], "male": ["m", "M"], "other": ["other"]}
    assert document["budget"] == {"epsilon": "1/2", "delta": "1e-9"}
    assert document["tables"][1]["filter"] == {"age": ["old"]}
    assert document["tables"][2] == {"name": "age", "dimensions": ["age"], "margins": "none"}
    assert comments(steward.text) == comments(SPEC)


def test_a_change_of_the_yaml_is_seen_in_the_forms(tmp_path: Path) -> None:
    steward = steward_with_spec(tmp_path)
    text = SPEC.replace("epsilon: 1", "epsilon: 0.25").replace("old: [40, null]", "old: [40, 65]")
    assert steward.send("yaml", {"content": text.replace("\n", "\r\n")}).status_code == 200
    assert steward.text == text
    assert 'value="0.25"' in steward.get("tables").text
    assert 'value="65"' in steward.get("dimension", name="age").text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a: [", "line"),
        (SPEC + "title: again\n", "title"),
        (SPEC.replace("key: fresh", "kye: fresh"), "kye"),
        ("", "version"),
        ("[1, 2]", "version"),
        (SPEC.replace("People", "People\ud800"), ""),
        (SPEC.replace("People", "a\x00b"), ""),
        ("a: &a [*a]", "line"),
    ],
)
def test_a_text_with_a_mistake_is_shown_with_the_mistake_and_changes_nothing(
    tmp_path: Path, text: str, named: str
) -> None:
    steward = steward_with_spec(tmp_path)
    answer = steward.send("yaml", {"content": text.encode("utf-8", "replace").decode()})
    if steward.text == SPEC:
        assert answer.status_code == 422
        assert named in words(answer)
    assert steward.get("tables").status_code == 200


def test_a_text_that_another_page_has_changed_is_not_overwritten(tmp_path: Path) -> None:
    steward = steward_with_spec(tmp_path)
    number = str(steward.workspace.document.current.number)
    steward.send("budget", {"epsilon": "2", "delta": "1e-6"})
    changed = steward.text
    assert steward.send("yaml", {"content": SPEC, "number": number}).status_code == 422
    assert steward.text == changed


def test_changes_are_taken_back_one_by_one(tmp_path: Path) -> None:
    steward = steward_with_spec(tmp_path)
    steward.send("budget", {"epsilon": "2", "delta": "1e-6"})
    steward.send("remove-table", {"table": "0"})
    assert "# the first" not in steward.text
    steward.send("undo", {"page": "tables"})
    steward.send("undo", {"page": "tables"})
    assert steward.text == SPEC
    assert steward.send("undo").status_code == 200


def test_a_specification_with_a_mistake_is_opened_to_be_repaired(tmp_path: Path) -> None:
    steward = opened(tmp_path)
    (tmp_path / "bad.yaml").write_text(SPEC.replace("epsilon: 1", "epsilon: -1"))
    answer = steward.send("open", {"file": "bad.yaml"})
    assert "epsilon" in words(answer)
    assert steward.get("tables").status_code == 422
    assert "bad.yaml" in words(steward.get("tables"))
    assert steward.send("yaml", {"content": SPEC}).status_code == 200
    assert steward.text == SPEC


def test_what_another_program_wrote_is_not_overwritten(tmp_path: Path) -> None:
    steward = steward_with_spec(tmp_path)
    steward.send("budget", {"epsilon": "2", "delta": "1e-6"})
    (tmp_path / "own.yaml").write_text(SPEC.replace("People", "Others"))
    assert steward.send("save").status_code == 422
    assert steward.send("release", {"folder": "out"}).status_code == 422
    assert "Others" in (tmp_path / "own.yaml").read_text()
    assert steward.send("save", {"name": "mine.yaml"}).status_code == 200
    assert steward.send("save").status_code == 200


def test_a_dimension_of_many_categories_is_left_to_the_text(tmp_path: Path) -> None:
    steward = steward_with_spec(tmp_path)
    many = "[" + ", ".join(f"c{i}" for i in range(3000)) + "]"
    steward.send("yaml", {"content": re.sub(r"categories:.*?  age:", f"categories: {many}\n  age:", SPEC, flags=re.S)})
    page, preview = steward.get("dimension", name="sex"), steward.get("preview", name="sex")
    assert "3,000" in words(page)
    assert 'name="label"' not in page.text
    assert preview.text.count("<tr") < 500
    assert "_other" in words(preview)


def test_it_is_saved_on_request_for_its_owner_alone(tmp_path: Path) -> None:
    steward = opened(tmp_path)
    assert not (tmp_path / "people.yaml").exists()
    steward.send("save")
    assert (tmp_path / "people.yaml").read_text() == steward.text
    assert (tmp_path / "people.yaml").stat().st_mode & 0o777 == 0o600
    assert steward.send("save", {"name": "other.yaml"}).status_code == 200
    assert steward.workspace.document.file == tmp_path / "other.yaml"
    for name in ("people.yaml", "../out.yaml", "/etc/passwd", "a\x00b", "..", "a/b.yaml"):
        assert steward.send("save", {"name": name}).status_code == 422

"""`discreet plan` as a person uses it."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SPEC = """\
version: 1
source: {csv: people.csv}
unit: {id: person}
dimensions:
  sex: {column: sex, categories: [f, m]}
tables: [{name: people, dimensions: [sex], margins: all}]
budget: {epsilon: 1, delta: 1e-6}
key: fresh
"""


def test_a_plan_needs_no_data_and_states_the_guarantee_first(discreet: Run) -> None:
    Path("release.yaml").write_text(SPEC)
    planned = discreet("plan", "release.yaml")
    assert planned.code == 0, planned.err
    assert re.match(r"guarantee\s+epsilon = 1, delta = ", planned.out)
    for shown in ("the planner's choice", "geometric", "not measured", "95% error", "as published", "least squares"):
        assert shown in " ".join(planned.out.split())
    assert sorted(path.name for path in Path().iterdir()) == ["release.yaml"]


def test_a_plan_is_the_same_whatever_the_data(discreet: Run) -> None:
    Path("release.yaml").write_text(SPEC)
    without = discreet("plan", "release.yaml").out
    Path("people.csv").write_text("person,sex\n1,f\n2,x\n")
    assert discreet("plan", "release.yaml").out == without


def test_a_plan_says_by_which_method_rows_were_accounted_for(discreet: Run) -> None:
    for contributions, method in ((2, "all ways to split the rows"), (12, "group privacy")):
        Path("release.yaml").write_text(SPEC.replace("{id: person}", f"{{id: person, contributions: {contributions}}}"))
        assert method in " ".join(discreet("plan", "release.yaml").out.split())


def test_a_plan_for_machines(discreet: Run) -> None:
    Path("release.yaml").write_text(SPEC)
    document = json.loads(discreet("plan", "release.yaml", "--json").out)
    assert document["guarantee"]["epsilon"] == "1"
    assert document["touches"] == 1
    assert [grouping["measured"] for grouping in document["groupings"]] == [True, False]
    assert all(grouping["published_error_95"] > 0 for grouping in document["groupings"])
    assert [grouping["name"] for grouping in document["groupings"]] == ["sex", "total"]
    assert document["groupings"][0]["error_95"] > 0
    assert document["ledger"] is None


def test_the_release_prints_the_summary_of_the_plan(discreet: Run) -> None:
    Path("release.yaml").write_text(SPEC)
    Path("people.csv").write_text("person,sex\n" + "".join(f"{i},f\n" for i in range(50)))
    planned, released = discreet("plan", "release.yaml"), discreet("release", "release.yaml", "-o", "out")
    assert released.code == 0, released.err
    summary = [line.split() for line in planned.out.split("grouping ")[0].splitlines() if line.strip()]
    printed = [line.split() for line in released.out.splitlines()]
    assert all(line in printed for line in summary)
    assert released.out.index("guarantee") < released.out.index("One count, read alone")


def test_a_figure_is_written(discreet: Run) -> None:
    Path("release.yaml").write_text(SPEC)
    assert discreet("plan", "release.yaml", "--plot", "errors.png").code == 0
    assert Path("errors.png").read_bytes().startswith(b"\x89PNG")


def test_a_ledger_is_asked_and_nothing_is_reserved(discreet: Run) -> None:
    discreet("keys", "new", "secret.key")
    discreet("design", "geometric", "--epsilon", "0.5", "-o", "unit.json")
    opened = discreet(
        "ledger", "open", "town", "--unit", "unit.json", "--epsilon", "3", "--delta", "1e-6", "--secret", "secret.key"
    )
    assert opened.code == 0, opened.err
    text = SPEC.replace("key: fresh", "secret: {file: secret.key}\nledger: town\ndesign: {certificate: unit.json}")
    Path("release.yaml").write_text(text)
    for _ in range(2):
        planned = discreet("plan", "release.yaml")
        assert planned.code == 0, planned.err
        assert "2 units of 6; 4 would be left" in " ".join(planned.out.split())
    Path("people.csv").write_text("person,sex\n" + "".join(f"{i},f\n" for i in range(50)))
    released = discreet("release", "release.yaml", "-o", "out")
    assert "2 of 6 units charged; 4 are left" in " ".join(released.out.split())


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("budget", "bugdet", "line 7"),
        ("dimensions: [sex]", "dimensions: [sax]", "sax"),
        ("{id: person}", "{id: person, contributions: 0}", "contributions"),
        ("{id: person}", "{id: person, contributions: -3}", "contributions"),
        ("{id: person}", "{id: person, contributions: 1000000000}", "contributions"),
        ("key: fresh", "secret: {file: none.key}\nledger: none.ledger", "none.key"),
        ("categories: [f, m]", "from_data: true", "categories"),
    ],
)
def test_a_specification_that_cannot_be_planned_is_refused(discreet: Run, old: str, new: str, named: str) -> None:
    Path("release.yaml").write_text(SPEC.replace(old, new))
    refused = discreet("plan", "release.yaml")
    assert refused.code == 2
    assert named in refused.err


def test_a_ledger_that_cannot_be_opened_is_refused(discreet: Run) -> None:
    discreet("keys", "new", "secret.key")
    Path("release.yaml").write_text(SPEC.replace("key: fresh", "secret: {file: secret.key}\nledger: none.ledger"))
    refused = discreet("plan", "release.yaml")
    assert refused.code == 2
    assert "none.ledger" in refused.err


@pytest.mark.parametrize("figure", ["folder.png", "errors.txt", "no/such/folder/errors.png"])
def test_a_figure_that_cannot_be_written_is_refused(discreet: Run, figure: str) -> None:
    Path("release.yaml").write_text(SPEC)
    Path("folder.png").mkdir()
    refused = discreet("plan", "release.yaml", "--plot", figure)
    assert refused.code == 2
    assert figure.split("/")[-1].split(".")[0] in refused.err or "folder" in refused.err


def test_leaves_in_no_group_of_a_level_are_told(discreet: Run) -> None:
    dimension = "column: sex, categories: [f, m], levels: {all: {women: [f]}}"
    text = SPEC.replace("column: sex, categories: [f, m]", dimension)
    assert text != SPEC
    at_level = text.replace("dimensions: [sex]", "dimensions: [{dimension: sex, level: all}]")
    assert at_level != text
    Path("release.yaml").write_text(text)
    assert "levels" not in discreet("plan", "release.yaml").out, "no table is at the level"
    Path("release.yaml").write_text(at_level)
    assert "m of sex is in no group of level all, and counts as _other" in discreet("plan", "release.yaml").out
    document = json.loads(discreet("plan", "release.yaml", "--json").out)
    assert document["in_no_group"] == [{"dimension": "sex", "level": "all", "leaves": ["m"]}]


def test_a_table_with_other_points_to_filters_and_fixed_counts(discreet: Run) -> None:
    Path("release.yaml").write_text(SPEC)
    shown = discreet("plan", "release.yaml").out
    assert all(word in shown for word in ("_other", "filter", "fix"))
    filtered = SPEC.replace("dimensions: [sex]", "filter: {sex: [f, m]}, dimensions: [sex]")
    assert filtered != SPEC
    Path("release.yaml").write_text(filtered)
    assert "_other" not in discreet("plan", "release.yaml").out

"""The steward's log, and categories that are taken from the data."""

import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from discreet.cli import app
from discreet.errors import InputError, OutputError, SpecError
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.town import settle


@pytest.fixture
def spec(tmp_path: Path) -> dict[str, Any]:
    spec = settle(tmp_path)
    rows = "".join(f"{i},{'fm?'[i % 3]},{i % 50}\n" for i in range(300)) + ",f,3\n" + "7,m,9\n"
    (tmp_path / "people.csv").write_text("id,sex,age\n" + rows)
    return spec


def test_the_log_tells_the_steward_and_nobody_else(spec: dict[str, Any], tmp_path: Path) -> None:
    release = run(spec, tmp_path / "out", log=tmp_path / "private.json")
    log = json.loads((tmp_path / "private.json").read_text())
    assert stat.S_IMODE((tmp_path / "private.json").stat().st_mode) == 0o600
    assert log["warning"].startswith("PRIVATE")
    assert (log["rows_in_source"], log["rows_counted"]) == (302, 300)  # one without an id, one beyond the contributions
    assert log["dimensions"]["sex"] == {"rows_in_other": 100, "undeclared": ["?"], "undeclared_in_all": 1}
    assert log["dimensions"]["age"] == {"rows_in_other": 60}
    total = log["groupings"][-1]
    assert total["dimensions"] == []
    assert total["error_of_measurements"]["largest_error"] == abs(int(release.measurements[-1]) - 300)
    assert [table["table"] for table in log["tables"]] == ["t"]
    run(spec, tmp_path / "without")
    for name in ("measurements.csv", "t.csv", "report.html", "manifest.json", "certificate.json"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "without" / name).read_bytes()


def test_the_log_is_never_in_the_folder_or_in_place_of_a_file(spec: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "there.json").write_text("mine")
    for log, reason in [
        ("out/log.json", "inside"),
        ("out", "inside"),
        ("there.json", "exists"),
        ("out.unpublished.json", r"\.unpublished\.json"),
        ("nowhere/log.json", "not exist"),
    ]:
        with pytest.raises(OutputError, match=reason):
            run(spec, tmp_path / "out", log=tmp_path / log)
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "there.json").read_text() == "mine"


def test_the_log_says_if_a_column_has_too_many_values_and_hides_no_failure(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the source fails while it is read for the log, the release fails."""
    monkeypatch.setattr("discreet.publish.steward_log.MOST_VALUES", 2)
    run(spec, tmp_path / "many", log=tmp_path / "many.json")
    log = json.loads((tmp_path / "many.json").read_text())
    assert log["dimensions"]["sex"]["undeclared"] == "more than 2 different values"

    def broken(*_: Any) -> None:
        raise InputError("the source broke off")

    monkeypatch.setattr("discreet.count.engines.engine.Engine.values", broken)
    with pytest.raises(InputError, match="broke off"):
        run(spec, tmp_path / "broken", log=tmp_path / "broken.json")
    assert not (tmp_path / "broken").exists()


def test_the_command_writes_the_log_and_warns(spec: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(spec))
    arguments = [
        "release",
        str(tmp_path / "release.yaml"),
        "-o",
        str(tmp_path / "out"),
        "--log",
        str(tmp_path / "log.json"),
    ]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0
    assert "do not publish it" in done.output
    assert json.loads((tmp_path / "log.json").read_text())["rows_counted"] == 300
    assert not re.search(r"\b300\b", done.output.replace(str(tmp_path), ""))


def test_categories_from_the_data_are_published_without_a_promise(spec: dict[str, Any], tmp_path: Path) -> None:
    spec["dimensions"]["sex"] = {"column": "sex", "from_data": True}
    release = run(spec, tmp_path / "out")
    assert release.promise is None
    assert release.spec.dimensions["sex"].categories == ["?", "f", "m"]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["privacy"]["composed"] is None
    assert manifest["privacy"]["cell"] is None
    assert manifest["privacy"]["no_guarantee"] == "categories were taken from the data"
    report = (tmp_path / "out" / "report.html").read_text()
    assert "No guarantee is given." in report
    assert "ε =" not in report
    verify_folder(tmp_path / "out")
    shown = CliRunner().invoke(app, ["verify", str(tmp_path / "out")])
    assert "no promise for the release as a whole (categories were taken from the data)" in shown.output


def test_categories_from_the_data_need_values_and_allow_no_ledger_or_ranges(
    spec: dict[str, Any], tmp_path: Path
) -> None:
    spec["dimensions"]["sex"] = {"column": "sex", "from_data": True}
    with pytest.raises(SpecError, match="ledger"):
        run({**spec, "ledger": str(tmp_path / "x.ledger")}, tmp_path / "out")
    rows = (tmp_path / "people.csv").read_text()
    (tmp_path / "people.csv").write_text(rows.splitlines()[0] + "\n")
    with pytest.raises(SpecError, match="'sex'"):
        run(spec, tmp_path / "out")
    (tmp_path / "people.csv").write_text(rows)
    spec["dimensions"]["age"] |= {"from_data": True}
    with pytest.raises(SpecError, match="ranges"):
        run(spec, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_without_a_promise_a_budget_is_not_needed(spec: dict[str, Any], tmp_path: Path) -> None:
    del spec["budget"]
    with pytest.raises(SpecError, match="budget"):
        run(spec, tmp_path / "out")
    spec["dimensions"]["sex"] = {"column": "sex", "from_data": True}
    run(spec, tmp_path / "out")
    verify_folder(tmp_path / "out")

"""A steward goes from a CSV file to a published folder that verifies; mistakes on the way are told, never a failure."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from discreet import files
from discreet.errors import FixedCountWarning, OutputError
from discreet.publish.verify_folder import verify_folder
from tests.web.workbench.steward import Steward, opened, words

SETTINGS = {
    "title": "People", "version": "2026", "key": "fresh", "language": "de", "id": "", "contributions": "1",
    "source": "questionnaire 2026", "outputs": ["csv", "json-stat"], "secret": "", "ledger": "",
}  # fmt: skip
SEX = {"name": "sex", "kind": "categories", "label": ["f", "m"], "values": ["", ""], "source": "questionnaire 2026"}
AGE = {
    "name": "age", "kind": "ranges", "label": ["child", "adult"], "lower": ["", "18"], "upper": ["18", ""],
    "source": "questionnaire 2026",
}  # fmt: skip


def ready(folder: Path) -> Steward:
    """Return a steward whose specification promises something."""
    steward = opened(folder)
    for page, fields in (("dimension", SEX), ("dimension", AGE), ("settings", SETTINGS)):
        assert steward.send(page, fields).status_code == 200
    return steward


def publish(steward: Steward) -> None:
    """Publish the folder out, and wait until the release has ended."""
    steward.send("release", {"folder": "out"})
    steward.wait()


def test_from_a_csv_file_to_a_folder_that_verifies(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    assert "450" in words(steward.get("preview", name="sex"))
    assert "epsilon = 1" in words(steward.get("plan"))
    assert steward.send("release", {"folder": "out", "log": "1"}).status_code == 200
    steward.wait()
    assert "out" in words(steward.get("progress"))
    verified = verify_folder(tmp_path / "out")
    assert verified.manifest.document()["privacy"]["composed"]["epsilon"] == "1"
    assert verified.published.plan.spec.language == "de"
    assert (tmp_path / "people.yaml").read_text() == steward.text
    steward.send("verify", {"folder": "out"})
    steward.wait()
    assert "proved" in words(steward.get("check"))
    log = json.loads((tmp_path / "out.private.json").read_text())
    assert log["rows_in_source"] == 905
    assert "905" in words(steward.get("log", file="out.private.json"))


def test_the_report_and_the_files_are_shown_without_scripts(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    publish(steward)
    report = steward.get("published/out/report.html")
    policy = report.headers["content-security-policy"]
    assert report.status_code == 200
    assert "unsafe" not in policy
    assert "sandbox" in policy
    assert "sha256-" in policy
    assert "text/plain" in steward.get("published/out/sex_by_age.csv").headers["content-type"]


@pytest.mark.parametrize(
    "path", ["out/evil.html", "out/%2e%2e/people.csv", "out/%2e%2e/people.yaml", "out/people.csv", "people.csv", "out"]
)
def test_only_files_of_the_manifest_are_shown(tmp_path: Path, path: str) -> None:
    """Neither the data beside a published folder nor a link in it that leads to them."""
    steward = ready(tmp_path)
    publish(steward)
    (tmp_path / "out" / "evil.html").write_text("<script>1</script>")
    (tmp_path / "out" / "people.csv").symlink_to(tmp_path / "people.csv")
    answer = steward.get(f"published/{path}")
    assert answer.status_code == 422
    assert "<script>1" not in answer.text
    assert steward.get("published/out/manifest.json").status_code == 200


def test_a_save_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steward = ready(tmp_path)
    file = steward.workspace.document.file

    def full(*_: object, **__: object) -> None:
        raise OutputError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(files, "write", full)
        assert steward.send("save", {"name": "other.yaml"}).status_code == 422
    assert steward.workspace.document.file == file
    assert steward.get("release").status_code == 200
    assert steward.send("save").status_code == 200


def test_names_that_no_file_can_have_are_refused(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    name = "x" * 300
    for answer in (
        steward.get("log", file=f"{name}.private.json"),
        steward.get(f"published/{name}/report.html"),
        steward.send("verify", {"folder": name}),
        steward.send("open", {"file": f"{name}.yaml"}),
        steward.send("save", {"name": f"{name}.yaml"}),
    ):
        assert answer.status_code == 422
    assert steward.get("release").status_code == 200


def test_a_changed_folder_does_not_verify_and_says_why(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    publish(steward)
    with (tmp_path / "out" / "sex_by_age.csv").open("a") as file:
        file.write("\n")
    steward.send("verify", {"folder": "out"})
    steward.wait()
    assert "sex_by_age.csv" in words(steward.get("check"))


@pytest.mark.parametrize("name", ["../out", "/tmp/x", "", ".", "a\x00b", "people.csv", "no/such/folder", "x" * 300])
def test_a_folder_that_cannot_be_made_is_refused_or_fails_with_a_message(tmp_path: Path, name: str) -> None:
    steward = ready(tmp_path)
    answer = steward.send("release", {"folder": name})
    if answer.status_code == 200:
        steward.wait()
        assert steward.workspace.job is not None
        assert steward.workspace.job.error is not None
        assert steward.get("progress").status_code == 200
    assert not (tmp_path.parent / "out").exists()


def test_fixed_counts_that_noise_does_not_explain_are_told(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    steward.send("yaml", {"content": steward.text + "fixed: [{count: 5000, differs: a register}]\n"})
    steward.send("table", {"table": "0", "name": "sex", "dimension": "sex", "margins": "all"})
    with pytest.warns(FixedCountWarning):
        publish(steward)
    assert "a register" in words(steward.get("progress"))


def test_the_plan_shows_what_a_click_changed(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    steward.get("plan")
    steward.send("budget", {"epsilon": "2", "delta": "1e-6"})
    assert "smaller now" in words(steward.get("plan"))


def test_no_loss_is_shown_smaller_than_it_is(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    shown = re.search(r"delta = (\S+) for one row", words(steward.get("plan")))
    promise = steward.workspace.planned()[0].plan.promise
    assert shown is not None
    assert promise is not None
    assert promise.delta <= float(shown[1]) <= 1.01 * promise.delta


def test_the_promise_says_for_how_many_rows_and_for_which_releases(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    assert "For this release alone" in words(steward.get("plan"))
    steward.send("settings", SETTINGS | {"id": "sex", "contributions": "3"})
    shown = words(steward.get("plan"))
    assert "for one person with up to 3 rows" in shown
    assert "upper bound" in shown


def test_a_budget_that_does_not_suffice_is_told(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    steward.send("budget", {"epsilon": "1", "delta": "0"})
    plan = steward.get("plan")
    assert plan.status_code == 200
    assert "delta" in words(plan)
    assert steward.send("budget", {"epsilon": "-1", "delta": "x"}).status_code == 422


HOSTILE = [
    "../secret.csv",
    "/etc/passwd",
    "link.csv",
    "a\x00b",
    "",
    "no.csv",
    "x" * 5000,
    "\ud83d\ude00.csv",
    "inner/../../x",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_files_outside_the_folder_are_not_opened(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("sex\n" + 50 * "f\nm\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    steward = Steward(folder)
    name = name.encode("utf-16", "surrogatepass").decode("utf-16")
    assert steward.send("open", {"file": name}).status_code == 422
    assert not steward.workspace.is_open
    assert "link.csv" not in words(steward.get(""))
    assert steward.get("", folder="..").status_code == 422
    assert steward.get(f"published/{quote(name)}").status_code in (404, 422)
    assert steward.get("log", file=name).status_code == 422


def test_a_file_with_an_odd_name_and_odd_columns_is_opened(tmp_path: Path) -> None:
    name = 'ä"<b> &\u202e.csv'.replace("\u202e", "")
    (tmp_path / name).write_text('"<i>s\'x","count"\n' + '"<b>f","1"\n"ü & m","2"\n' * 50, encoding="utf-8")
    steward = Steward(tmp_path)
    assert steward.send("open", {"file": name}).status_code == 200
    for dimension in steward.workspace.document.current.spec.dimensions:
        assert steward.get("dimension", name=dimension).status_code == 200
        preview = steward.get("preview", name=dimension)
        assert preview.status_code == 200
        assert "<b>f" not in preview.text
    assert steward.get("plan").status_code == 200


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1" + bytes(40))
    (tmp_path / "bad.xlsx").write_bytes(b"PK\x03\x04" + bytes(40))
    (tmp_path / "bad.duckdb").write_bytes(bytes(40))
    steward = Steward(tmp_path)
    for name in ("empty.csv", "bad.parquet", "bad.xlsx", "bad.duckdb"):
        answer = steward.send("open", {"file": name})
        assert answer.status_code == 422, name
        assert steward.get("columns").status_code == 422


def test_without_a_file_every_page_says_what_to_do(tmp_path: Path) -> None:
    steward = Steward(tmp_path)
    for page in ("columns", "tables", "plan", "settings", "yaml", "release", "yaml-text", "preview", "left-out"):
        answer = steward.get(page)
        assert answer.status_code in (200, 422), page
        assert "open" in words(answer)
    assert steward.get("ledger").status_code == 200
    assert steward.get("nowhere").status_code == 404


def test_undo_and_another_language_lead_back_to_the_page_of_a_dimension(tmp_path: Path) -> None:
    steward = ready(tmp_path)
    page = steward.get("dimension", name="sex").text
    assert '<input type="hidden" name="name" value="sex">' in page
    assert "page=dimension&amp;name=sex" in page
    assert "sex" in words(steward.send("undo", {"page": "dimension", "name": "sex"}))
    assert steward.send("undo", {"page": "dimension", "name": "sex"}).status_code == 200
    assert steward.get("language", to="fr", page="dimension", name="sex").status_code == 200
    assert steward.get("language", to="fr", page="dimension", name="nothing").status_code == 200

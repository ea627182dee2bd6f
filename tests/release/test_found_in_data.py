"""What was found in the data carries no promise until somebody names another source."""

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.certify import folder as independent
from discreet.errors import CertificateError, SpecError
from discreet.publish.verify_folder import verify_folder
from discreet.release import plan, run
from tests import manifests, town


@pytest.fixture
def spec(tmp_path: Path) -> dict[str, Any]:
    return town.settle(tmp_path)


MARKED = {
    "dimension": ("dimensions", "sex"),
    "ranges": ("dimensions", "age"),
    "unit": ("unit",),
}


def mark(spec: dict[str, Any], where: tuple[str, ...], **field: str) -> None:
    part: Any = spec
    for name in where:
        part = part[name]
    part.update(field)


@pytest.mark.parametrize("where", MARKED)
def test_what_was_found_in_the_data_is_published_without_a_promise(
    where: str, spec: dict[str, Any], tmp_path: Path
) -> None:
    mark(spec, MARKED[where], found="data")
    assert plan(spec).promise is None
    release = run(spec, tmp_path / "out")
    assert release.promise is None
    assert release.manifest["privacy"]["cell"] is None
    assert "found in the data" in release.manifest["privacy"]["no_guarantee"]
    assert verify_folder(tmp_path / "out").manifest.privacy.composed is None
    assert independent.check(tmp_path / "out").failures == []
    report = (tmp_path / "out" / "report.html").read_text()
    assert "No guarantee is given" in report


@pytest.mark.parametrize("where", MARKED)
def test_a_ledger_refuses_what_was_found_in_the_data(where: str, spec: dict[str, Any], tmp_path: Path) -> None:
    mark(spec, MARKED[where], found="data")
    with pytest.raises(SpecError, match=r"ledger: .*found in the data"):
        run(spec | {"ledger": town.endow(tmp_path)}, tmp_path / "out")
    assert town.spent(tmp_path) == 0


def test_a_dimension_that_no_table_uses_takes_nothing_from_the_promise(spec: dict[str, Any]) -> None:
    spec["dimensions"]["side"] = {"column": "side", "categories": ["n", "s"], "found": "data"}
    assert plan(spec).promise is not None


@pytest.mark.parametrize("where", MARKED)
def test_a_source_restores_the_promise_and_is_published(where: str, spec: dict[str, Any], tmp_path: Path) -> None:
    before = run(spec, tmp_path / "before")
    mark(spec, MARKED[where], source="questionnaire <2026>")
    release = run(spec, tmp_path / "out")
    assert release.promise == before.promise
    assert release.promise is not None
    assert [list(counts.flat) for counts in release.measurements] == [list(m.flat) for m in before.measurements]
    part = release.manifest["spec"]
    for name in MARKED[where]:
        part = part[name]
    assert part["source"] == "questionnaire <2026>"
    assert "questionnaire &lt;2026&gt;" in (tmp_path / "out" / "report.html").read_text()
    verify_folder(tmp_path / "out")
    assert independent.check(tmp_path / "out").failures == []


@pytest.mark.parametrize("where", MARKED)
def test_both_checks_refuse_a_folder_whose_mark_was_removed(where: str, spec: dict[str, Any], tmp_path: Path) -> None:
    mark(spec, MARKED[where], found="data")
    run(spec, tmp_path / "out")

    path = tmp_path / "out" / "manifest.json"
    document = json.loads(path.read_bytes())
    part = document["spec"]
    for name in MARKED[where]:
        part = part[name]
    del part["found"]
    path.write_bytes(manifests.written(document))
    assert independent.check(tmp_path / "out").failures
    with pytest.raises(CertificateError):
        verify_folder(tmp_path / "out")


@pytest.mark.parametrize("where", MARKED)
def test_a_mark_and_a_source_contradict_each_other(where: str, spec: dict[str, Any]) -> None:
    mark(spec, MARKED[where], found="data", source="questionnaire 2026")
    with pytest.raises(SpecError, match=r"found.*questionnaire 2026"):
        plan(spec)


def test_categories_that_are_taken_from_the_data_have_no_other_source(spec: dict[str, Any]) -> None:
    spec["dimensions"]["sex"] = {"column": "sex", "from_data": True, "source": "register"}
    with pytest.raises(SpecError, match=r"dimensions\.sex\.source"):
        plan(spec)

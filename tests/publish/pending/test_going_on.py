"""A release draws once: if it fails after the draw, the next run continues from a private file."""

import json
import stat
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import yaml

from discreet.errors import DataChangedError, ReleaseError, SolverError
from discreet.measure import secrets
from discreet.publish import _pending_file
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests import town
from tests.publish.pending.kept import KEPT, nothing_is_drawn, published, refuse, refusing
from tests.town import folder, ledger, spent


def test_what_was_drawn_is_kept_after_a_failure_and_the_same_command_publishes_it(
    spec: dict[str, Any], tmp_path: Path
) -> None:
    paid = spec["ledger"] is not None
    kept = refuse(spec, tmp_path / "out")
    assert stat.S_IMODE((tmp_path / KEPT).stat().st_mode) == 0o600
    assert not (tmp_path / "out").exists()
    assert not paid or spent(tmp_path) == 2
    with nothing_is_drawn():
        release = run(spec, tmp_path / "out")
    assert release.resumed == tmp_path / KEPT
    assert published(tmp_path / "out") == kept["measurements"]
    numbers = np.concatenate([part.ravel() for part in release.measurements]).tolist()
    assert sorted(numbers) == sorted(kept["measurements"])
    verify_folder(tmp_path / "out")
    assert not (tmp_path / KEPT).exists()
    if paid:
        (record,) = ledger(tmp_path).verify().records
        assert (record.state, record.cost, record.release) == ("complete", 2, kept["release"])
        assert release.manifest["ledger"]["units"] == 2


def test_a_query_release_that_goes_on_is_the_release_without_an_accident(paid: dict[str, Any], tmp_path: Path) -> None:
    refuse(paid, tmp_path / "out")
    run(paid, tmp_path / "out")
    again = run(paid, tmp_path / "again")
    assert again.resumed is None
    assert folder(tmp_path / "out") == folder(tmp_path / "again")


def test_a_release_that_succeeds_leaves_no_file(spec: dict[str, Any], tmp_path: Path) -> None:
    assert run(spec, tmp_path / "out").resumed is None
    assert list(tmp_path.glob("*unpublished*")) == []


@pytest.mark.parametrize(
    "change",
    [
        {"reconcile": "none"},
        {"reconcile": "tree", "seed": 7},
        {"fixed": [{"where": {}, "count": 300}]},
        {"outputs": ["json-stat", "csv"], "title": "Another"},
        {"budget": {"epsilon": 2, "delta": "1e-5"}},
        {"tables": [{"name": "renamed", "dimensions": ["sex"], "margins": [[]]}]},
    ],
)
def test_how_tables_are_made_and_shown_may_change(spec: dict[str, Any], tmp_path: Path, change: dict[str, Any]) -> None:
    kept = refuse(spec, tmp_path / "out")
    with nothing_is_drawn():
        release = run({**spec, **change}, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]
    checked = verify_folder(tmp_path / "out").published.plan.spec
    assert checked.reconcile == change.get("reconcile", "auto") == release.spec.reconcile
    assert not (tmp_path / KEPT).exists()
    if spec["ledger"] is not None:
        assert [record.state for record in ledger(tmp_path).verify().records] == ["complete"]


def test_a_run_that_is_refused_again_keeps_the_same_measurements(spec: dict[str, Any], tmp_path: Path) -> None:
    refuse(spec, tmp_path / "out")
    first = (tmp_path / KEPT).read_bytes()
    refuse(spec, tmp_path / "out")
    assert (tmp_path / KEPT).read_bytes() == first


def test_another_name_in_the_same_folder_goes_on_too(spec: dict[str, Any], tmp_path: Path) -> None:
    """Otherwise another name would cause a second draw."""
    kept = refuse(spec, tmp_path / "out")
    with nothing_is_drawn():
        release = run(spec, tmp_path / "other")
    assert release.resumed == tmp_path / KEPT
    assert published(tmp_path / "other") == kept["measurements"]
    assert list(tmp_path.glob("*unpublished*")) == []


def test_other_releases_of_the_folder_are_drawn(spec: dict[str, Any], tmp_path: Path) -> None:
    refuse(spec, tmp_path / "out")
    before = (tmp_path / KEPT).read_bytes()
    assert run({**spec, "version": "v2"}, tmp_path / "other").resumed is None
    assert (tmp_path / KEPT).read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        {"version": "v2"},
        {"tables": [{"name": "t", "dimensions": ["sex"]}]},
        {"tables": [{"name": "t", "dimensions": ["side"], "margins": "all"}]},
        {"design": {"name": "geometric", "epsilon": "0.2"}},
        {"unit": {}},
        {"unit": {"id": "id", "name": "person"}},
        {"source": {"csv": "elsewhere.csv"}},
        {"dimensions": {"sex": {"column": "sex", "categories": {"f": ["f"], "m": ["m", "M"]}}}},
        {"secret": {"env": "OTHER", "memory": "none"}, "ledger": None},
    ],
)
def test_measurements_of_another_release_are_not_drawn_over(
    spec: dict[str, Any], tmp_path: Path, change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER", secrets.new_secret(tmp_path / "other.key").hex())
    refuse(spec, tmp_path / "out")
    before = (tmp_path / KEPT).read_bytes()
    with nothing_is_drawn(), pytest.raises(ReleaseError) as refused:
        run({**spec, **change}, tmp_path / "out")
    for named in (KEPT, "'v1'", "promise", "spent"):
        assert named in str(refused.value)
    assert not (tmp_path / "out").exists()
    assert (tmp_path / KEPT).read_bytes() == before
    run(spec, tmp_path / "out")


def test_another_kind_of_key_is_another_release(paid: dict[str, Any], tmp_path: Path) -> None:
    refuse({**paid, "key": "fresh"}, tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(ReleaseError, match="'v1'"):
        run(paid, tmp_path / "out")


def test_once_the_file_is_removed_a_release_is_drawn_and_paid_again(paid: dict[str, Any], tmp_path: Path) -> None:
    """All draws compose: with fresh keys the second costs as much as the first."""
    refuse({**paid, "key": "fresh"}, tmp_path / "out")
    (tmp_path / KEPT).unlink()
    assert run({**paid, "key": "fresh"}, tmp_path / "out").resumed is None
    assert spent(tmp_path) == 4


def test_changed_data_are_not_read_where_a_release_goes_on_and_refused_where_it_draws(
    paid: dict[str, Any], tmp_path: Path
) -> None:
    refuse(paid, tmp_path / "out")
    with (tmp_path / "people.csv").open("a") as file:
        file.write("999,f,n,9\n")
    run(paid, tmp_path / "out")
    verify_folder(tmp_path / "out")
    with pytest.raises(DataChangedError):
        run(paid, tmp_path / "again")


def test_a_release_goes_on_without_its_source(spec: dict[str, Any], tmp_path: Path) -> None:
    refuse(spec, tmp_path / "out")
    kept = json.loads((tmp_path / KEPT).read_text())["measurements"]
    (tmp_path / "people.csv").unlink()
    assert run(spec, tmp_path / "out").resumed == tmp_path / KEPT
    assert published(tmp_path / "out") == kept
    verify_folder(tmp_path / "out")


def test_the_folder_a_command_is_run_in_makes_no_difference(
    paid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid["source"] = {"csv": "people.csv"}
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(paid))
    monkeypatch.chdir(tmp_path)
    refuse("release.yaml", Path("out"))  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path.parent)
    with nothing_is_drawn():
        assert run(tmp_path / "release.yaml", tmp_path / "out").resumed == tmp_path / KEPT


def test_contributor_keys_and_categories_from_the_data_go_on_too(tmp_path: Path) -> None:
    spec = town.settle(tmp_path)
    del spec["budget"]
    spec["dimensions"]["sex"] = {"column": "sex", "from_data": True}
    spec |= {"key": "contributors", "bits": 32}
    kept = refuse(spec, tmp_path / "out")
    with mock.patch("discreet.measure.lookup.measure", side_effect=AssertionError("drew")):
        run(spec, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]
    verify_folder(tmp_path / "out")


def test_without_any_secret_a_release_goes_on(paid: dict[str, Any], tmp_path: Path) -> None:
    spec = {**paid, "key": "fresh", "ledger": None, "secret": None}
    kept = refuse(spec, tmp_path / "out")
    with nothing_is_drawn():
        run(spec, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]
    verify_folder(tmp_path / "out")


def test_the_file_holds_measurements_and_nothing_of_the_data_the_source_or_the_secret(
    paid: dict[str, Any], tmp_path: Path
) -> None:
    kept = refuse(paid, tmp_path / "out")
    assert kept.keys() == _pending_file.FIELDS
    assert len(kept["measurements"]) == 4
    raw = (tmp_path / KEPT).read_text()
    for private in ("people.csv", "secret.key", "town.ledger", (tmp_path / "secret.key").read_text().strip()):
        assert private not in raw


@pytest.mark.parametrize("kind", [SolverError, ReleaseError, MemoryError, OSError])
def test_the_error_is_the_cause_and_says_where_the_measurements_are(
    spec: dict[str, Any], tmp_path: Path, kind: type[Exception]
) -> None:
    error = kind("no answer")
    with refusing(error), pytest.raises(kind) as refused:
        run(spec, tmp_path / "out", log=tmp_path / "log.json")
    assert refused.value is error
    (note,) = error.__notes__
    assert str(tmp_path / KEPT) in note
    assert "without the log" in note


def test_a_log_cannot_be_had_when_a_release_goes_on(spec: dict[str, Any], tmp_path: Path) -> None:
    """A log needs the true counts, and the data may have changed."""
    refuse(spec, tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=r"log\.json"):
        run(spec, tmp_path / "out", log=tmp_path / "log.json")
    assert not (tmp_path / "log.json").exists()
    assert (tmp_path / KEPT).exists()

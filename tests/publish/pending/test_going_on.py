"""A release draws once: what is refused after the draw is kept in a private file, and the next run goes on from it."""

import csv
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import yaml

from discreet.errors import DataChangedError, LedgerError, OutputError, ReleaseError, SolverError
from discreet.measure import secrets
from discreet.publish import pending
from discreet.publish.verify_folder import verify_folder
from discreet.reconcile import table_plan
from discreet.release import run
from tests import town
from tests.town import folder, ledger, spent

KEPT = "out.unpublished.json"


@pytest.fixture(params=["fresh", "query"])
def key(request: pytest.FixtureRequest) -> str:
    """Both kinds of key that guarantees compose with."""
    return str(request.param)


@pytest.fixture(params=["ledger", "no ledger"])
def spec(request: pytest.FixtureRequest, paid: dict[str, Any], key: str) -> dict[str, Any]:
    """With and without a ledger."""
    return {**paid, "key": key, "ledger": paid["ledger"] if request.param == "ledger" else None}


@contextmanager
def refusing(error: Exception) -> Iterator[None]:
    """No tables can be made from measurements; of zeros, which are tried before the draw, they can."""
    real = table_plan.TablePlan.fitted

    def tables(self: table_plan.TablePlan, values: Any) -> Any:
        if any(np.any(part) for part in values):
            raise error
        return real(self, values)

    with mock.patch.object(table_plan.TablePlan, "fitted", tables):
        yield


def refuse(spec: dict[str, Any], output: Path) -> dict[str, Any]:
    """Run a release that is refused after the draw; the file it leaves."""
    with refusing(SolverError("no answer")), pytest.raises(SolverError, match="no answer"):
        run(spec, output)
    return dict(json.loads(Path(f"{output}.unpublished.json").read_text()))


@contextmanager
def nothing_is_drawn() -> Iterator[None]:
    """Neither a row is read, nor a number drawn, nor a unit reserved."""
    with (
        mock.patch("discreet.release.draw.open_engine", side_effect=AssertionError("read")),
        mock.patch("discreet.measure.lookup.measure", side_effect=AssertionError("drew")),
        mock.patch("discreet.account.ledger.ledger.Ledger.reserve", side_effect=AssertionError("reserved")),
    ):
        yield


def published(path: Path) -> list[int]:
    """The measurements of a folder; here every cell is in one grouping only."""
    with (path / "measurements.csv").open() as file:
        return [int(row["measurement"]) for row in csv.DictReader(file)]


def rewrite(path: Path, **changes: Any) -> None:
    """Change fields of a file, its mode kept."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_what_is_refused_after_the_draw_is_kept_and_the_same_command_publishes_it(
    spec: dict[str, Any], tmp_path: Path
) -> None:
    paid = spec["ledger"] is not None
    kept = refuse(spec, tmp_path / "out")
    assert stat.S_IMODE((tmp_path / KEPT).stat().st_mode) == 0o600
    assert not (tmp_path / "out").exists()
    assert not paid or spent(tmp_path) == 2
    with nothing_is_drawn():
        made = run(spec, tmp_path / "out")
    assert made.resumed == tmp_path / KEPT
    assert published(tmp_path / "out") == kept["measurements"]
    assert np.concatenate([part.ravel() for part in made.measurements]).tolist() == kept["measurements"]
    verify_folder(tmp_path / "out")
    assert not (tmp_path / KEPT).exists()
    if paid:
        (record,) = ledger(tmp_path).verify().records
        assert (record.state, record.cost, record.release) == ("complete", 2, kept["release"])
        assert made.manifest["ledger"]["units"] == 2


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
        made = run({**spec, **change}, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]
    checked = verify_folder(tmp_path / "out").published.plan.spec
    assert checked.reconcile == change.get("reconcile", "auto") == made.spec.reconcile
    assert not (tmp_path / KEPT).exists()
    if spec["ledger"] is not None:
        assert [record.state for record in ledger(tmp_path).verify().records] == ["complete"]


def test_a_run_that_is_refused_again_keeps_the_same_measurements(spec: dict[str, Any], tmp_path: Path) -> None:
    refuse(spec, tmp_path / "out")
    first = (tmp_path / KEPT).read_bytes()
    refuse(spec, tmp_path / "out")
    assert (tmp_path / KEPT).read_bytes() == first


def test_another_name_in_the_same_folder_goes_on_too(spec: dict[str, Any], tmp_path: Path) -> None:
    """Or a fresh draw would be one command away."""
    kept = refuse(spec, tmp_path / "out")
    with nothing_is_drawn():
        made = run(spec, tmp_path / "other")
    assert made.resumed == tmp_path / KEPT
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
    for said in (KEPT, "'v1'", "break the promise", "the specification it was made from", "stays spent"):
        assert said in str(refused.value)
    assert not (tmp_path / "out").exists()
    assert (tmp_path / KEPT).read_bytes() == before
    run(spec, tmp_path / "out")


def test_another_kind_of_key_is_another_release(paid: dict[str, Any], tmp_path: Path) -> None:
    refuse({**paid, "key": "fresh"}, tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(ReleaseError, match="other tables or other data"):
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
    asked = town.settle(tmp_path)
    del asked["budget"]
    asked["dimensions"]["sex"] = {"column": "sex", "from_data": True}
    asked |= {"key": "contributors", "bits": 32}
    kept = refuse(asked, tmp_path / "out")
    with mock.patch("discreet.measure.lookup.measure", side_effect=AssertionError("drew")):
        run(asked, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]
    verify_folder(tmp_path / "out")


def test_without_any_secret_a_release_goes_on(paid: dict[str, Any], tmp_path: Path) -> None:
    asked = {**paid, "key": "fresh", "ledger": None, "secret": None}
    kept = refuse(asked, tmp_path / "out")
    with nothing_is_drawn():
        run(asked, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]
    verify_folder(tmp_path / "out")


def test_the_file_holds_measurements_and_nothing_of_the_data_the_source_or_the_secret(
    paid: dict[str, Any], tmp_path: Path
) -> None:
    kept = refuse(paid, tmp_path / "out")
    assert kept.keys() == pending.FIELDS
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
    assert f"kept in {tmp_path / KEPT}: the same command without the log, or one with another reconcile" in note


def test_a_log_cannot_be_had_when_a_release_goes_on(spec: dict[str, Any], tmp_path: Path) -> None:
    """It needs the true counts, and the data may have changed."""
    refuse(spec, tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(ReleaseError, match="leave the log out"):
        run(spec, tmp_path / "out", log=tmp_path / "log.json")
    assert not (tmp_path / "log.json").exists()
    assert (tmp_path / KEPT).exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b"\xff\x00", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[1, 2]", "not what Discreet writes"),
        (b'{"format": "another"}', "not what Discreet writes"),
        (b'{"format": "discreet unpublished measurements", "version": 2}', "has version 2, and this Discreet reads 1"),
        (b'{"format": "discreet unpublished measurements", "version": 1}', "lacks a part"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_where_it_has_the_name_of_this_release_and_of_no_other(
    paid: dict[str, Any], tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / KEPT).write_bytes(content)
    (tmp_path / KEPT).chmod(0o600)
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=said) as refused:
        run(paid, tmp_path / "out")
    assert "remove the file" in str(refused.value)
    assert (tmp_path / KEPT).read_bytes() == content
    assert spent(tmp_path) == 0
    run(paid, tmp_path / "other")
    assert (tmp_path / KEPT).read_bytes() == content


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda raw: raw[: len(raw) // 2], "is not JSON"),
        (lambda raw: raw.replace(b'"version":1', b'"version":2'), "has version 2"),
        (lambda raw: raw.replace(b'"measurements":[', b'"measurements":[1,'), "not as it was written"),
        (lambda raw: raw.replace(b'"release"', b'"another"'), "lacks a part"),
    ],
)
def test_a_damaged_file_of_another_name_is_refused_where_it_has_this_label_and_only_there(
    paid: dict[str, Any], tmp_path: Path, change: Any, said: str
) -> None:
    """It may be the draw of this release."""
    refuse(paid, tmp_path / "out")
    (tmp_path / KEPT).write_bytes(change((tmp_path / KEPT).read_bytes()))
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=said):
        run(paid, tmp_path / "other")
    assert run({**paid, "version": "v2"}, tmp_path / "other").resumed is None


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "open to others"])
def test_what_others_left_in_the_folder_stops_no_release(paid: dict[str, Any], tmp_path: Path, kind: str) -> None:
    foreign = tmp_path / "another.unpublished.json"
    if kind == "folder":
        foreign.mkdir()
    elif kind == "pipe":
        os.mkfifo(foreign)
    elif kind == "link":
        foreign.symlink_to("/dev/zero")
    else:
        refuse({**paid, "version": "v2"}, tmp_path / "another")
        foreign.chmod(0o644)
    assert run(paid, tmp_path / "out").resumed is None
    assert os.path.lexists(foreign)
    verify_folder(tmp_path / "out")


@pytest.mark.parametrize(
    "change",
    [
        {"measurements": [1, 2, 3, 4]},
        {"measurements": []},
        {"measurements": "1 2 3 4"},
        {"measurements": [[1], [2, 3]]},
        {"release": "v1 0000000000000000"},
        {"label": "v2"},
        {"mac": "0" * 64},
        {"mac": "\ud800"},
        {"mac": None},
    ],
)
@pytest.mark.parametrize("secret", [True, False])
def test_a_file_that_was_changed_is_refused(
    paid: dict[str, Any], tmp_path: Path, change: dict[str, Any], secret: bool
) -> None:
    asked = paid if secret else {**paid, "key": "fresh", "ledger": None, "secret": None}
    refuse(asked, tmp_path / "out")
    rewrite(tmp_path / KEPT, **change)
    with nothing_is_drawn(), pytest.raises(ReleaseError, match="not as it was written"):
        run(asked, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("measurements", "said"),
    [
        ([1, 2, 3], "one integer for each of 4 cells"),
        ([1, 2, 3, 4.5], "one integer for each of 4 cells"),
        ([1, 2, 3, 2**63], "one integer for each of 4 cells"),
        ([[1, 2], [3, 4]], "one integer for each of 4 cells"),
        ([[1, 2, 3], [4]], "one integer for each of 4 cells"),
        (None, "one integer for each of 4 cells"),
        ([1, 2, 3, -(10**9)], "cannot give"),
    ],
)
def test_numbers_that_no_draw_gives_are_refused_even_with_the_right_mac(
    paid: dict[str, Any], tmp_path: Path, measurements: Any, said: str
) -> None:
    """Without a secret anyone can make the mac."""
    asked = {**paid, "key": "fresh", "ledger": None, "secret": None}
    document = refuse(asked, tmp_path / "out")
    del document["mac"]
    document["measurements"] = measurements
    identity = pending.Identity("v1", document["identity"], 4, b"")
    rewrite(tmp_path / KEPT, measurements=measurements, mac=pending._mac(identity, document))
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=said):
        run(asked, tmp_path / "out")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602, 0o601])
def test_a_file_that_is_open_to_others_is_refused(spec: dict[str, Any], tmp_path: Path, mode: int) -> None:
    refuse(spec, tmp_path / "out")
    (tmp_path / KEPT).chmod(mode)
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=rf"mode {mode:04o}.*chmod 600"):
        run(spec, tmp_path / "out")
    (tmp_path / KEPT).chmod(0o600)
    run(spec, tmp_path / "out")


@pytest.mark.parametrize("kind", ["link", "dangling link", "folder", "pipe"])
def test_what_is_not_a_file_is_refused(paid: dict[str, Any], tmp_path: Path, kind: str) -> None:
    refuse(paid, tmp_path / "out")
    moved = (tmp_path / KEPT).rename(tmp_path / "moved.json")
    if kind == "folder":
        (tmp_path / KEPT).mkdir()
    elif kind == "pipe":
        os.mkfifo(tmp_path / KEPT, 0o600)
    else:
        (tmp_path / KEPT).symlink_to(moved if kind == "link" else tmp_path / "nowhere")
    with nothing_is_drawn(), pytest.raises(ReleaseError, match="a link, a folder or a device"):
        run(paid, tmp_path / "out")


def test_a_file_that_the_system_does_not_let_read_is_refused(
    paid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it has another name: then it is another user's, and none of this release."""
    refuse(paid, tmp_path / "out")

    def closed(path: Path) -> bytes:  # the tests may be run by root, whom no mode stops
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", closed)
    with nothing_is_drawn(), pytest.raises(ReleaseError, match="cannot be read \\(Permission denied\\)"):
        run(paid, tmp_path / "out")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert run(paid, tmp_path / "other").resumed is None


def test_a_name_that_leaves_no_room_for_the_file_costs_nothing(paid: dict[str, Any], tmp_path: Path) -> None:
    with nothing_is_drawn(), pytest.raises(OutputError, match="too long"):
        run(paid, tmp_path / ("x" * 250))
    assert spent(tmp_path) == 0


def test_measurements_that_cannot_be_kept_are_lost_and_stay_paid_for(paid: dict[str, Any], tmp_path: Path) -> None:
    """Nobody saw them, so another draw is another release, and with fresh keys costs as much."""
    asked = {**paid, "key": "fresh"}
    with (
        mock.patch("discreet.publish.pending.files.write", side_effect=OutputError("the disk is full")),
        pytest.raises(OutputError, match="full") as failed,
    ):
        run(asked, tmp_path / "out")
    assert "stays spent" in failed.value.__notes__[0]
    assert spent(tmp_path) == 2
    run(asked, tmp_path / "out")
    assert spent(tmp_path) == 4


def test_of_two_runs_at_once_the_first_draw_is_kept(paid: dict[str, Any], tmp_path: Path) -> None:
    """Where no claim keeps them apart, the other is dropped, whatever it was, and goes on from the first."""
    asked = {**paid, "key": "fresh"}
    real = pending.keep

    def meanwhile(*arguments: Any) -> pending.Kept:
        with mock.patch("discreet.publish.pending.keep", real):
            refuse(asked, tmp_path / "out")
        return real(*arguments)

    with (
        mock.patch.object(import_module("discreet.release.run"), "claimed", nullcontext),
        mock.patch("discreet.publish.pending.keep", meanwhile),
        pytest.raises(ReleaseError, match="another run for this folder was faster"),
    ):
        run(asked, tmp_path / "out")
    kept = json.loads((tmp_path / KEPT).read_text())
    run(asked, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]


def test_an_older_copy_of_the_ledger_is_refused(paid: dict[str, Any], tmp_path: Path) -> None:
    """It says nothing of what the measurements cost."""
    asked = {**paid, "key": "fresh"}
    before = (tmp_path / "town.ledger").read_bytes()
    refuse(asked, tmp_path / "out")
    after = (tmp_path / "town.ledger").read_bytes()
    (tmp_path / "town.ledger").write_bytes(before)
    with nothing_is_drawn(), pytest.raises(LedgerError, match="this is an older copy"):
        run(asked, tmp_path / "out")
    assert (tmp_path / KEPT).exists()
    (tmp_path / "town.ledger").write_bytes(after)
    run(asked, tmp_path / "out")
    assert spent(tmp_path) == 2


def test_a_file_that_cannot_be_removed_is_told_and_the_folder_stays(paid: dict[str, Any], tmp_path: Path) -> None:
    with (
        mock.patch("discreet.publish.pending.Path.unlink", side_effect=PermissionError(13, "Permission denied")),
        mock.patch("discreet.files.write", lambda path, data, **_: Path(path).write_bytes(data)),
        pytest.raises(OutputError, match=r"the folder is published.*Permission denied"),
    ):
        run(paid, tmp_path / "out")
    verify_folder(tmp_path / "out")


def die_at(stage: str, spec: dict[str, Any], output: Path) -> None:
    """A release in a process that is killed at a stage."""
    script = f"""
import os, signal
from unittest import mock
from discreet.release import run
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
with mock.patch({stage!r}, die):
    run({spec!r}, {str(output)!r})
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("stage", ["discreet.publish.table_files.files", "discreet.files.write_folder"])
def test_a_process_that_is_killed_after_the_draw_is_completed(spec: dict[str, Any], tmp_path: Path, stage: str) -> None:
    die_at(stage, spec, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert stat.S_IMODE((tmp_path / KEPT).stat().st_mode) == 0o600
    kept = json.loads((tmp_path / KEPT).read_text())
    with nothing_is_drawn():
        run(spec, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]
    verify_folder(tmp_path / "out")
    assert not (tmp_path / KEPT).exists()
    assert spec["ledger"] is None or spent(tmp_path) == 2


@pytest.mark.parametrize(
    "stage", ["discreet.account.ledger.grant.Grant.complete", "discreet.publish.pending.Kept.remove"]
)
def test_a_process_that_is_killed_at_its_very_end_is_completed(
    paid: dict[str, Any], tmp_path: Path, stage: str
) -> None:
    """The folder is there, and whether the ledger knows is not known: the same command tells it."""
    asked = {**paid, "key": "fresh"}
    die_at(stage, asked, tmp_path / "out")
    before = folder(tmp_path / "out")
    with nothing_is_drawn():
        run(asked, tmp_path / "out")
    assert folder(tmp_path / "out") == before
    assert [record.state for record in ledger(tmp_path).verify().records] == ["complete"]
    assert list(tmp_path.glob("*unpublished*")) == []


def test_a_folder_that_is_another_release_is_named_and_never_to_be_removed(
    paid: dict[str, Any], tmp_path: Path
) -> None:
    asked = {**paid, "key": "fresh"}
    run({**asked, "version": "v0", "reconcile": "none"}, tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(OutputError) as refused:
        run(asked, tmp_path / "out")
    named = "out exists already, a published release with the version label 'v0' and the tables t"
    assert named in str(refused.value)
    assert "remove" not in str(refused.value)
    (tmp_path / "out").rename(tmp_path / "aside")
    refuse(asked, tmp_path / "out")
    (tmp_path / "aside").rename(tmp_path / "out")
    before = folder(tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(OutputError) as refused:
        run(asked, tmp_path / "out")
    assert named in str(refused.value)
    assert f"remove {tmp_path / KEPT}" in str(refused.value)
    assert "discreet verify" in str(refused.value)
    with nothing_is_drawn():
        assert run(asked, tmp_path / "other").resumed == tmp_path / KEPT
    assert folder(tmp_path / "out") == before


@pytest.mark.parametrize("change", [{"reconcile": "none"}, {"title": "Another"}])
def test_a_folder_in_place_is_not_made_again_in_another_way(
    paid: dict[str, Any], tmp_path: Path, change: dict[str, Any]
) -> None:
    die_at("discreet.publish.pending.Kept.remove", paid, tmp_path / "out")
    before = folder(tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(OutputError, match="is not what this specification makes"):
        run({**paid, **change}, tmp_path / "out")
    assert folder(tmp_path / "out") == before
    run(paid, tmp_path / "out")

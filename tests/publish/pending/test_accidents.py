"""A release that is killed, overtaken or stopped after its draw is completed by the same command."""

import json
import signal
import stat
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from discreet import files
from discreet.errors import LedgerError, OutputError, ReleaseError
from discreet.publish import pending
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.publish.pending.kept import KEPT, nothing_is_drawn, published, refuse
from tests.town import folder, ledger, spent


def test_measurements_that_cannot_be_kept_are_lost_and_stay_paid_for(paid: dict[str, Any], tmp_path: Path) -> None:
    """Nobody saw them. So another draw is another release, and with fresh keys costs as much again."""
    spec = {**paid, "key": "fresh"}
    write = files.write

    def full(path: Path, data: bytes, **how: bool) -> None:
        """Fail for the file of measurements only."""
        if path.name.endswith(pending.SUFFIX):
            raise OutputError("the disk is full")
        write(path, data, **how)

    with (
        mock.patch("discreet.publish.pending.files.write", full),
        pytest.raises(OutputError, match="full") as failed,
    ):
        run(spec, tmp_path / "out")
    assert "stays spent" in failed.value.__notes__[0]
    assert spent(tmp_path) == 2
    run(spec, tmp_path / "out")
    assert spent(tmp_path) == 4


def test_of_two_runs_at_once_the_first_draw_is_kept(paid: dict[str, Any], tmp_path: Path) -> None:
    """Without a claim on the folder, the second draw is dropped, and the next run continues from the first."""
    spec = {**paid, "key": "fresh"}
    real = pending.Keeper.keep

    def meanwhile(*arguments: Any) -> pending.Kept:
        with mock.patch.object(pending.Keeper, "keep", real):
            refuse(spec, tmp_path / "out")
        return real(*arguments)

    with (
        mock.patch("discreet.publish.folder_claim.claimed", nullcontext),
        mock.patch.object(pending.Keeper, "keep", meanwhile),
        pytest.raises(ReleaseError, match=KEPT),
    ):
        run(spec, tmp_path / "out")
    kept = json.loads((tmp_path / KEPT).read_text())
    run(spec, tmp_path / "out")
    assert published(tmp_path / "out") == kept["measurements"]


def test_an_older_copy_of_the_ledger_is_refused(paid: dict[str, Any], tmp_path: Path) -> None:
    """The older copy does not record what the measurements cost."""
    spec = {**paid, "key": "fresh"}
    before = (tmp_path / "town.ledger").read_bytes()
    refuse(spec, tmp_path / "out")
    after = (tmp_path / "town.ledger").read_bytes()
    (tmp_path / "town.ledger").write_bytes(before)
    with nothing_is_drawn(), pytest.raises(LedgerError, match="older"):
        run(spec, tmp_path / "out")
    assert (tmp_path / KEPT).exists()
    (tmp_path / "town.ledger").write_bytes(after)
    run(spec, tmp_path / "out")
    assert spent(tmp_path) == 2


def test_a_file_that_cannot_be_removed_is_named_and_the_folder_stays(paid: dict[str, Any], tmp_path: Path) -> None:
    def write(path: Path, data: bytes, **_: bool) -> None:
        Path(path).write_bytes(data)
        Path(path).chmod(0o600)

    with (
        mock.patch("discreet.publish.pending.Path.unlink", side_effect=PermissionError(13, "Permission denied")),
        mock.patch("discreet.files.write", write),
        pytest.raises(OutputError, match=rf"{KEPT}.*Permission denied"),
    ):
        run(paid, tmp_path / "out")
    verify_folder(tmp_path / "out")


def die_at(stage: str, spec: dict[str, Any], output: Path) -> None:
    """Run a release in a process that is killed when it calls `stage`."""
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


@pytest.mark.parametrize("stage", ["discreet.publish.table_files.tables_as_files", "discreet.files.write_folder"])
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
    """The folder is complete. The same command records that in the ledger, if the ledger does not know yet."""
    spec = {**paid, "key": "fresh"}
    die_at(stage, spec, tmp_path / "out")
    before = folder(tmp_path / "out")
    with nothing_is_drawn():
        run(spec, tmp_path / "out")
    assert folder(tmp_path / "out") == before
    assert [record.state for record in ledger(tmp_path).verify().records] == ["complete"]
    assert list(tmp_path.glob("*unpublished*")) == []


def test_a_folder_that_is_another_release_is_named_and_never_to_be_removed(
    paid: dict[str, Any], tmp_path: Path
) -> None:
    spec = {**paid, "key": "fresh"}
    run({**spec, "version": "v0", "reconcile": "none"}, tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(OutputError) as refused:
        run(spec, tmp_path / "out")
    named = "out exists already, a published release with the version label 'v0' and the tables t"
    assert named in str(refused.value)
    assert "remove" not in str(refused.value)
    (tmp_path / "out").rename(tmp_path / "aside")
    refuse(spec, tmp_path / "out")
    (tmp_path / "aside").rename(tmp_path / "out")
    before = folder(tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(OutputError) as refused:
        run(spec, tmp_path / "out")
    assert named in str(refused.value)
    assert f"remove {tmp_path / KEPT}" in str(refused.value)
    assert "discreet verify" in str(refused.value)
    with nothing_is_drawn():
        assert run(spec, tmp_path / "other").resumed == tmp_path / KEPT
    assert folder(tmp_path / "out") == before


@pytest.mark.parametrize("change", [{"reconcile": "none"}, {"title": "Another"}])
def test_a_folder_in_place_is_not_made_again_in_another_way(
    paid: dict[str, Any], tmp_path: Path, change: dict[str, Any]
) -> None:
    die_at("discreet.publish.pending.Kept.remove", paid, tmp_path / "out")
    before = folder(tmp_path / "out")
    with nothing_is_drawn(), pytest.raises(OutputError, match=KEPT):
        run({**paid, **change}, tmp_path / "out")
    assert folder(tmp_path / "out") == before
    run(paid, tmp_path / "out")

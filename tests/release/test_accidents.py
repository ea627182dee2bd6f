"""A release that fails leaves no folder, no log and no copy of rows, and pays for nothing that was not kept.

Measurements that were drawn before the failure stay in a private file: see tests/publish/pending.
"""

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from discreet import files
from discreet.errors import InputError, LedgerError, OutputError
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.town import folder, ledger, spent

BEFORE_MEASUREMENTS_ARE_KEPT = (
    "discreet.release.count_and_draw.open_engine",
    "discreet.release.count_and_draw.cell_counts",
    "discreet.measure.lookup.measure",
    "discreet.files.os.fsync",
)
AFTER_MEASUREMENTS_ARE_KEPT = (
    "discreet.reconcile.table_plan.TablePlan.fitted",
    "discreet.publish.table_files.tables_as_files",
    "discreet.files.write_folder",
)
ACCIDENTS = (OSError(errno.EIO, "broken"), MemoryError(), KeyboardInterrupt(), SystemExit(1))


def files_left(tmp_path: Path) -> set[str]:
    """Return the names of the files that a release left beside its sources."""
    sources = {
        "people.csv",
        "secret.key",
        "secret.key.memory",
        "release.yaml",
        "town.ledger",
        "town.ledger-wal",
        "town.ledger-shm",
    }
    return {path.name for path in tmp_path.iterdir()} - sources


@pytest.mark.parametrize(
    ("output", "log", "named"),
    [
        ("nowhere/out", None, "nowhere"),
        ("people.csv/out", None, r"people\.csv"),
        ("x" * 300, None, "xxx"),
        ("closed/out", None, "closed/out"),
        ("out", "nowhere/log.json", r"nowhere/log\.json"),
        ("out", "x" * 300, "xxx"),
        ("out", "closed/log.json", r"closed/log\.json"),
    ],
)
def test_a_path_that_cannot_be_written_costs_nothing(
    paid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, log: str | None, named: str
) -> None:
    (tmp_path / "closed").mkdir()
    real = os.mkdir

    def closed(path: Any, *rest: Any, **options: Any) -> None:  # no mode of a folder stops root, who may run the tests
        if Path(path).parent.name == "closed":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        real(path, *rest, **options)

    monkeypatch.setattr(os, "mkdir", closed)
    with pytest.raises(OutputError, match=named):
        run({**paid, "key": "fresh"}, tmp_path / output, log=None if log is None else tmp_path / log)
    assert spent(tmp_path) == 0
    assert files_left(tmp_path) == {"closed"}


def test_a_path_with_a_null_byte_is_refused_and_other_characters_are_not(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="null byte"):
        files.writable_path(f"{tmp_path}/a\x00b")
    assert files.writable_path(tmp_path / ("\N{SNOWMAN}" * 80)).parent == tmp_path
    assert list(tmp_path.iterdir()) == []
    files.write_folder(tmp_path / ("\N{SNOWMAN}" * 80), {"a": b"1"})
    files.write(tmp_path / ("\N{SNOWMAN}" * 70), b"1")


@pytest.mark.parametrize("stage", BEFORE_MEASUREMENTS_ARE_KEPT)
@pytest.mark.parametrize("accident", ACCIDENTS)
def test_an_accident_leaves_neither_folder_nor_log(
    paid: dict[str, Any], tmp_path: Path, stage: str, accident: BaseException
) -> None:
    spec = {**paid, "ledger": None} if stage.endswith("fsync") else paid
    run({**spec, "version": "earlier"}, tmp_path / "earlier")  # makes the memory of the secret
    shutil.rmtree(tmp_path / "earlier")
    with mock.patch(stage, side_effect=accident), pytest.raises((type(accident), OutputError)):
        run(spec, tmp_path / "out", log=tmp_path / "log.json")
    assert files_left(tmp_path) == set()
    run(spec, tmp_path / "out", log=tmp_path / "log.json")
    assert files_left(tmp_path) == {"out", "log.json"}
    assert stat.S_IMODE((tmp_path / "log.json").stat().st_mode) == 0o600
    verify_folder(tmp_path / "out")


@pytest.mark.parametrize("stage", AFTER_MEASUREMENTS_ARE_KEPT)
@pytest.mark.parametrize("accident", ACCIDENTS)
def test_an_accident_after_the_draw_leaves_the_measurements_and_nothing_else(
    paid: dict[str, Any], tmp_path: Path, stage: str, accident: BaseException
) -> None:
    with mock.patch(stage, side_effect=accident), pytest.raises(type(accident)):
        run(paid, tmp_path / "out", log=tmp_path / "log.json")
    assert files_left(tmp_path) == {"out.unpublished.json"}
    run(paid, tmp_path / "out")
    assert files_left(tmp_path) == {"out"}
    assert spent(tmp_path) == 2
    verify_folder(tmp_path / "out")


@pytest.mark.parametrize("accident", [*ACCIDENTS, LedgerError("gone")])
def test_a_folder_stays_after_an_accident_and_the_next_run_completes_the_release(
    paid: dict[str, Any], tmp_path: Path, accident: BaseException
) -> None:
    """The units of the folder are spent, and others may have read the folder: it is never removed."""
    accident.__notes__ = []
    with (
        mock.patch("discreet.account.ledger.grant.Grant.complete", side_effect=accident),
        pytest.raises(type(accident)) as failed,
    ):
        run({**paid, "key": "fresh"}, tmp_path / "out", log=tmp_path / "log.json")
    (note,) = failed.value.__notes__
    assert f"The folder {tmp_path / 'out'} is in place" in note
    assert "the same command without the log completes the release" in note
    assert files_left(tmp_path) == {"out", "log.json", "out.unpublished.json"}
    before = folder(tmp_path / "out")
    release = run({**paid, "key": "fresh"}, tmp_path / "out")
    assert release.resumed == tmp_path / "out.unpublished.json"
    assert folder(tmp_path / "out") == before
    assert files_left(tmp_path) == {"out", "log.json"}
    assert [record.state for record in ledger(tmp_path).verify().records] == ["complete"]
    assert spent(tmp_path) == 2


def test_the_parent_folder_is_synced_after_the_rename(tmp_path: Path) -> None:
    """Then a power failure does not undo a release that a ledger calls complete."""
    real, synced = os.fsync, []

    def sync(descriptor: int) -> None:
        synced.append((os.readlink(f"/proc/self/fd/{descriptor}"), (tmp_path / "out").exists()))
        real(descriptor)

    with mock.patch("discreet.files.os.fsync", sync):
        files.write_folder(tmp_path / "out", {"a": b"1"})
    assert synced[-1] == (str(tmp_path), True)
    assert not any(folder_exists for _, folder_exists in synced[:-1])


def test_units_that_cannot_be_given_back_are_told(paid: dict[str, Any], tmp_path: Path) -> None:
    """The first error is raised, with a note."""
    (tmp_path / "people.csv").unlink()
    with (
        mock.patch("discreet.account.ledger.grant.Grant.refund", side_effect=LedgerError("the disk is gone")),
        pytest.raises(InputError, match=r"people\.csv") as failed,
    ):
        run(paid, tmp_path / "out")
    (note,) = failed.value.__notes__
    assert "2 units stay reserved for 'v1 " in note
    assert "the disk is gone" in note
    assert "discreet ledger refund" in note
    assert ledger(tmp_path).verify().reserved == 2


ENDED = """
import glob, signal, sys, time
from unittest import mock
from discreet.cli import main
from discreet.count.engines.engine import Engine
specification, output, aside, counting, ignored, instead = sys.argv[1:]
for number in (signal.SIGTERM, signal.SIGHUP):  # the tests may be started with other answers to signals
    signal.signal(number, signal.SIG_IGN if ignored == number.name else signal.SIG_DFL)
def slow(self, plan):
    (folder,) = glob.glob(aside + "/discreet-*")
    open(folder + "/rows", "w").write("id,sex")
    open(counting, "w").close()
    try:
        time.sleep(240)
    except SystemExit as end:
        raise {"RuntimeError": RuntimeError, "SystemExit": SystemExit}[instead](end.code)
sys.argv = ["discreet", "release", specification, "-o", output]
with mock.patch.object(Engine, "count", slow):
    main()
"""


@pytest.mark.parametrize(
    ("sent", "ignored", "instead"),
    [
        ([signal.SIGTERM], "none", "RuntimeError"),
        ([signal.SIGHUP], "none", "SystemExit"),
        ([signal.SIGHUP, signal.SIGTERM], "SIGHUP", "SystemExit"),
    ],
)
def test_a_command_that_is_told_to_end_leaves_no_copy_of_rows(
    paid: dict[str, Any], tmp_path: Path, sent: list[signal.Signals], ignored: str, instead: str
) -> None:
    """The command ends while rows are counted. Copies of rows are removed and units are given back, whatever is raised.

    A command that was started with a signal ignored, as nohup does, ignores the signal.
    """
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(paid))
    aside = tmp_path / "aside"
    aside.mkdir()
    paths = [str(tmp_path / "release.yaml"), str(tmp_path / "out"), str(aside), str(tmp_path / "counting")]
    environment = {**os.environ, "TMPDIR": str(aside)}
    command = [sys.executable, "-c", ENDED, *paths, ignored, instead]
    running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    try:
        while not (tmp_path / "counting").exists():
            assert running.poll() is None, running.communicate()
            time.sleep(0.05)
        assert list(aside.glob("discreet-*/rows"))
        for number in sent:
            running.send_signal(number)
        assert running.wait(120) == 128 + sent[-1]
    finally:
        running.kill()
        running.communicate()
    assert list(aside.iterdir()) == []
    assert files_left(tmp_path) == {"aside", "counting"}
    assert spent(tmp_path) == 0

"""Whatever goes wrong in a release: no folder, no log, no copy of rows, and no budget for what could not be written.

What was drawn before it went wrong stays in a private file: see test_pending.
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

BEFORE_THE_DRAW_IS_KEPT = (
    "discreet.release.draw.open_engine",
    "discreet.release.draw.cell_counts",
    "discreet.measure.lookup.measure",
    "discreet.files.os.fsync",
)
AFTER_IT = (
    "discreet.reconcile.table_plan.TablePlan.fitted",
    "discreet.publish.table_files.tables_as_files",
    "discreet.files.write_folder",
)
ACCIDENTS = (OSError(errno.EIO, "broken"), MemoryError(), KeyboardInterrupt(), SystemExit(1))


def left(tmp_path: Path) -> set[str]:
    """What a release left beside its sources."""
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
    ("output", "log", "said"),
    [
        ("nowhere/out", None, "which is no folder; make it first"),
        ("people.csv/out", None, "which is no folder; make it first"),
        ("x" * 300, None, "cannot be written"),
        ("closed/out", None, "cannot be written"),
        ("out", "nowhere/log.json", "does not exist"),
        ("out", "x" * 300, "cannot be written"),
        ("out", "closed/log.json", "cannot be written"),
    ],
)
def test_a_place_that_cannot_be_written_costs_nothing(
    paid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, log: str | None, said: str
) -> None:
    (tmp_path / "closed").mkdir()
    real = os.mkdir

    def closed(path: Any, *rest: Any, **more: Any) -> None:  # the tests may be run by root, whom no mode stops
        if Path(path).parent.name == "closed":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        real(path, *rest, **more)

    monkeypatch.setattr(os, "mkdir", closed)
    with pytest.raises(OutputError, match=said):
        run({**paid, "key": "fresh"}, tmp_path / output, log=None if log is None else tmp_path / log)
    assert spent(tmp_path) == 0
    assert left(tmp_path) == {"closed"}


def test_a_path_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="null byte"):
        files.writable_path(f"{tmp_path}/a\x00b")
    assert files.writable_path(tmp_path / ("\N{SNOWMAN}" * 80)).parent == tmp_path
    assert list(tmp_path.iterdir()) == []
    files.write_folder(tmp_path / ("\N{SNOWMAN}" * 80), {"a": b"1"})
    files.write(tmp_path / ("\N{SNOWMAN}" * 70), b"1")


@pytest.mark.parametrize("stage", BEFORE_THE_DRAW_IS_KEPT)
@pytest.mark.parametrize("accident", ACCIDENTS)
def test_an_accident_leaves_neither_folder_nor_log(
    paid: dict[str, Any], tmp_path: Path, stage: str, accident: BaseException
) -> None:
    given = {**paid, "ledger": None} if stage.endswith("fsync") else paid
    run({**given, "version": "earlier"}, tmp_path / "earlier")  # the secret has a memory by then
    shutil.rmtree(tmp_path / "earlier")
    with mock.patch(stage, side_effect=accident), pytest.raises((type(accident), OutputError)):
        run(given, tmp_path / "out", log=tmp_path / "log.json")
    assert left(tmp_path) == set()
    run(given, tmp_path / "out", log=tmp_path / "log.json")
    assert left(tmp_path) == {"out", "log.json"}
    assert stat.S_IMODE((tmp_path / "log.json").stat().st_mode) == 0o600
    verify_folder(tmp_path / "out")


@pytest.mark.parametrize("stage", AFTER_IT)
@pytest.mark.parametrize("accident", ACCIDENTS)
def test_an_accident_after_the_draw_leaves_the_measurements_and_nothing_else(
    paid: dict[str, Any], tmp_path: Path, stage: str, accident: BaseException
) -> None:
    with mock.patch(stage, side_effect=accident), pytest.raises(type(accident)):
        run(paid, tmp_path / "out", log=tmp_path / "log.json")
    assert left(tmp_path) == {"out.unpublished.json"}
    run(paid, tmp_path / "out")
    assert left(tmp_path) == {"out"}
    assert spent(tmp_path) == 2
    verify_folder(tmp_path / "out")


@pytest.mark.parametrize("accident", [*ACCIDENTS, LedgerError("gone")])
def test_an_accident_after_the_folder_is_in_place_leaves_it_and_the_next_run_completes_it(
    paid: dict[str, Any], tmp_path: Path, accident: BaseException
) -> None:
    """Its units are spent, and others may have read it: it is never removed."""
    accident.__notes__ = []
    with (
        mock.patch("discreet.account.ledger.grant.Grant.complete", side_effect=accident),
        pytest.raises(type(accident)) as failed,
    ):
        run({**paid, "key": "fresh"}, tmp_path / "out", log=tmp_path / "log.json")
    (note,) = failed.value.__notes__
    assert f"The folder {tmp_path / 'out'} is in place" in note
    assert "the same command without the log completes the release" in note
    assert left(tmp_path) == {"out", "log.json", "out.unpublished.json"}
    before = folder(tmp_path / "out")
    made = run({**paid, "key": "fresh"}, tmp_path / "out")
    assert made.resumed == tmp_path / "out.unpublished.json"
    assert folder(tmp_path / "out") == before
    assert left(tmp_path) == {"out", "log.json"}
    assert [record.state for record in ledger(tmp_path).verify().records] == ["complete"]
    assert spent(tmp_path) == 2


def test_the_folder_that_a_release_is_renamed_in_is_synced_after_it(tmp_path: Path) -> None:
    """So that a power failure does not undo what a ledger calls complete."""
    real, seen = os.fsync, []

    def sync(descriptor: int) -> None:
        seen.append((os.readlink(f"/proc/self/fd/{descriptor}"), (tmp_path / "out").exists()))
        real(descriptor)

    with mock.patch("discreet.files.os.fsync", sync):
        files.write_folder(tmp_path / "out", {"a": b"1"})
    assert seen[-1] == (str(tmp_path), True)
    assert not any(there for _, there in seen[:-1])


def test_units_that_cannot_be_given_back_are_told(paid: dict[str, Any], tmp_path: Path) -> None:
    """The first error is the one that is told, with a note."""
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
for number in (signal.SIGTERM, signal.SIGHUP):  # whatever the tests were started with
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
    """Ended while rows are counted: what was put aside is removed, units are given back, whatever a library raises.

    A command that was started to ignore a signal, as by nohup, ignores it.
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
    assert left(tmp_path) == {"aside", "counting"}
    assert spent(tmp_path) == 0

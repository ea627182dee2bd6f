"""A release that gets a signal to end pays for nothing that it did not keep, and never removes a published folder."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from discreet import interrupts
from discreet.errors import ReleaseError
from discreet.measure import lookup
from discreet.publish import folder_claim
from discreet.publish.folder_claim import claimed
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.town import ledger, spent

KEPT = "out.unpublished.json"
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]

HEEDED = """
import signal
signal.signal({number}, signal.default_int_handler if {number} == signal.SIGINT else signal.SIG_DFL)
"""
"""The tests may be started with signals ignored, as nohup does, and commands inherit that."""

SCRIPT = (
    HEEDED
    + """
import os, sys
from unittest import mock
from discreet.cli import main
import {module}
real = {stage}
def signalled(*arguments, **options):
    result = real(*arguments, **options)
    os.kill(os.getpid(), {number})
    return result
sys.argv = ["discreet", "release", {spec!r}, "-o", {output!r}, *{options!r}]
with mock.patch({name!r}, signalled):
    main()
"""
)


@pytest.fixture(params=SIGNALS, ids=lambda number: str(number.name))
def number(request: pytest.FixtureRequest) -> signal.Signals:
    """Return each of the signals that a process can answer."""
    return signal.Signals(request.param)


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Answer SIGINT as at a terminal, however the tests were started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def signalled_after(
    stage: str, number: int, spec: dict[str, Any], tmp_path: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Run a command that gets a signal just after a function returned. Its temporary files are in `aside`."""
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(spec))
    (tmp_path / "aside").mkdir(exist_ok=True)
    script = SCRIPT.format(
        module=".".join(part for part in stage.split(".")[:-1] if part.islower()),
        stage=stage, name=stage, number=int(number), options=options,
        spec=str(tmp_path / "release.yaml"), output=str(tmp_path / "out"),
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(tmp_path / "aside")},
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "aside").iterdir()) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    return done


@pytest.mark.parametrize(
    "stage",
    [
        "discreet.account.ledger.ledger.Ledger.reserve",
        "discreet.count.engines.duckdb._connect",
        "discreet.release.count_and_draw.cell_counts",
    ],
)
def test_a_signal_before_the_draw_leaves_nothing_reserved(
    paid: dict[str, Any], tmp_path: Path, stage: str, number: signal.Signals
) -> None:
    done = signalled_after(stage, number, paid, tmp_path)
    assert (done.returncode, done.stderr.strip()) == (128 + number, f"ended by {number.name}")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / KEPT).exists()
    assert spent(tmp_path) == 0


@pytest.mark.parametrize(
    "stage",
    [
        "discreet.account.ledger.grant.Grant.spend",
        "discreet.measure.lookup.measure",
        "discreet.publish.pending.Keeper.keep",
        "discreet.publish.table_files.tables_as_files",
    ],
)
def test_after_the_draw_the_measurements_are_kept_and_one_sentence_says_so(
    paid: dict[str, Any], tmp_path: Path, stage: str, number: signal.Signals
) -> None:
    """This holds for fresh keys too, whose draw could not be repeated."""
    spec = {**paid, "key": "fresh"}
    done = signalled_after(stage, number, spec, tmp_path)
    assert done.returncode == 128 + number
    first, second = done.stderr.strip().splitlines()
    assert first == f"ended by {number.name}"
    assert second == (
        f"The measurements are kept in {tmp_path / KEPT}: the same command, or one with another reconcile, goes on from"
        " them without drawing again."
    )
    assert spent(tmp_path) == 2
    assert run(spec, tmp_path / "out").resumed == tmp_path / KEPT
    assert spent(tmp_path) == 2


@pytest.mark.parametrize("stage", ["pathlib.Path.rename", "discreet.account.ledger.grant.Grant.complete"])
def test_a_folder_that_is_in_place_stays_and_is_completed_before_the_signal_is_answered(
    paid: dict[str, Any], tmp_path: Path, stage: str, number: signal.Signals
) -> None:
    done = signalled_after(stage, number, paid, tmp_path, "--log", str(tmp_path / "log.json"))
    assert done.returncode == 0
    assert f"The folder {tmp_path / 'out'} is published and complete: nothing is left to do." in done.stderr
    verify_folder(tmp_path / "out")
    assert (tmp_path / "log.json").exists()
    assert [record.state for record in ledger(tmp_path).verify().records] == ["complete"]
    assert not (tmp_path / KEPT).exists()


def test_no_traceback_while_modules_are_imported(number: signal.Signals) -> None:
    """The command line is loaded by a module that loads nothing, and answers signals first."""
    script = f"""{HEEDED.format(number=int(number))}
import os, sys
from discreet.cli import main
assert not {{"numpy", "typer", "rich", "yaml"}} & set(sys.modules)
class Signal:
    def find_spec(self, name, *_):
        if name == "numpy":
            os.kill(os.getpid(), {int(number)})
sys.meta_path.insert(0, Signal())
sys.argv = ["discreet", "release", "release.yaml", "-o", "out"]
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (128 + number, f"ended by {number.name}\n")


def test_signals_that_a_command_was_started_to_ignore_stay_ignored(paid: dict[str, Any], tmp_path: Path) -> None:
    """nohup starts commands so."""
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(paid))
    script = f"""
import os, signal, sys
from unittest import mock
signal.signal(signal.SIGHUP, signal.SIG_IGN)
import discreet.measure.lookup
from discreet.cli import main
real = discreet.measure.lookup.measure
def signalled(*arguments):
    os.kill(os.getpid(), signal.SIGHUP)
    print("signalled", file=sys.stderr)
    return real(*arguments)
sys.argv = ["discreet", "release", {str(tmp_path / "release.yaml")!r}, "-o", {str(tmp_path / "out")!r}]
with mock.patch("discreet.measure.lookup.measure", signalled):
    main()
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert (done.returncode, set(done.stderr.splitlines())) == (0, {"signalled"})
    verify_folder(tmp_path / "out")


def test_two_runs_for_one_folder_pay_once(paid: dict[str, Any], tmp_path: Path) -> None:
    """The second run is refused before it reserves, whatever the first run is doing."""
    spec = {**paid, "key": "fresh"}
    real, refusals = lookup.measure, []

    def run_meanwhile(*arguments: Any) -> Any:
        with pytest.raises(ReleaseError, match=r"another run is making .*out") as refused:
            run(spec, tmp_path / "out")
        refusals.append(refused.value)
        return real(*arguments)

    with mock.patch("discreet.measure.lookup.measure", run_meanwhile):
        run(spec, tmp_path / "out")
    assert len(refusals) == 1
    assert spent(tmp_path) == 2
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_claim_ends_with_its_process(tmp_path: Path) -> None:
    """This holds however the process ends. The empty file is taken over."""
    script = f"""
import os, signal
from discreet.publish.folder_claim import claimed
with claimed({str(tmp_path / "out")!r}):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", script], check=False)
    assert [path.name for path in tmp_path.iterdir()] == [".out.claim"]
    with claimed(tmp_path / "out"), pytest.raises(ReleaseError, match="another run"), claimed(tmp_path / "out"):
        raise AssertionError("two runs have the claim")
    assert list(tmp_path.iterdir()) == []


def test_a_claim_on_a_removed_file_is_not_valid(tmp_path: Path) -> None:
    """Another run may have made a file of the same name."""
    real = folder_claim._has_name
    answers: list[bool] = []

    def removed(descriptor: int, file: Path) -> bool:
        if not answers:
            file.unlink()
        answers.append(real(descriptor, file))
        return answers[-1]

    with mock.patch("discreet.publish.folder_claim._has_name", removed), claimed(tmp_path / "out"):
        assert (tmp_path / ".out.claim").exists()
    assert answers == [False, True]


def test_a_signal_is_answered_after_the_block_and_handlers_are_restored() -> None:
    before = signal.getsignal(signal.SIGINT)
    done = []

    def block(error: Exception | None) -> None:
        with interrupts.deferred():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(1)
            if error is not None:
                raise error

    with pytest.raises(KeyboardInterrupt):
        block(None)
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(ValueError, match="first") as failed:
        block(ValueError("first"))
    assert failed.value.__notes__ == ["The process was told to end meanwhile (SIGINT)."]


def test_other_threads_have_nothing_to_defer() -> None:
    done = []

    def block() -> None:
        with interrupts.deferred():
            done.append(1)

    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    assert done == [1]


def test_a_release_in_a_thread_is_made(paid: dict[str, Any], tmp_path: Path) -> None:
    thread = threading.Thread(target=run, args=(paid, tmp_path / "out"))
    thread.start()
    thread.join()
    assert json.loads((tmp_path / "out" / "manifest.json").read_bytes())["ledger"]["units"] == 2

"""Commands without room for output, without a standard output, or without enough memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.measure import secrets
from discreet.publish.verify_folder import verify_folder

from .test_release import SPEC

COMMAND = f"{sys.executable} -c 'from discreet.cli import main; main()'"


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """Make a folder with a specification, its people and a secret."""
    (tmp_path / "people.csv").write_text("sex\n" + "f\nm\n" * 200)
    (tmp_path / "release.yaml").write_text(SPEC)
    secrets.new_secret(tmp_path / "secret.key")
    return tmp_path


def shell(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell, in which `discreet` is the command. Assert that it prints no traceback."""
    process = subprocess.run(
        ["bash", "-c", f"set -o pipefail; discreet() {{ {COMMAND} \"$@\"; }}; {line}"],
        cwd=folder, capture_output=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    assert b"Traceback" not in process.stderr
    assert b"Exception ignored" not in process.stderr
    return process


@pytest.mark.parametrize(
    ("redirection", "warned"), [(">/dev/full", True), (">&-", False), (">&- 2>&-", False), ("| true", False)]
)
def test_a_published_folder_is_a_success_even_if_output_is_lost(town: Path, redirection: str, warned: bool) -> None:
    process = shell(town, f"discreet release release.yaml -o out {redirection}")
    assert process.returncode == 0, process.stderr
    assert (b"the folder out is published" in process.stderr) == warned
    verify_folder(town / "out")
    assert not (town / "out.unpublished.json").exists()


@pytest.mark.parametrize("command", ["--help", "release --schema", "design geometric --epsilon 1 --upper 5"])
def test_lost_output_is_a_failure_if_the_command_leaves_nothing_else(tmp_path: Path, command: str) -> None:
    process = shell(tmp_path, f"discreet {command} >/dev/full")
    assert process.returncode == 2
    assert b"No space left on device" in process.stderr


def test_an_error_that_cannot_be_printed_keeps_its_exit_code(tmp_path: Path) -> None:
    assert shell(tmp_path, "discreet release nothing.yaml -o out >/dev/full 2>/dev/full").returncode == 2


@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict"])
def test_a_path_that_is_not_utf_8_is_written_and_printed(town: Path, encoding: str) -> None:
    for environment in ({"PYTHONIOENCODING": encoding}, {"LC_ALL": "C", "PYTHONUTF8": "0"}):
        process = shell(
            town, "discreet release release.yaml -o $'a\\xe9b' && discreet verify $'a\\xe9b'", **environment
        )
        assert process.returncode == 0, process.stderr
        verify_folder(os.fsdecode(bytes(town) + b"/a\xe9b"))
        process = shell(town, "discreet release $'\\xe9.yaml' -o out; rm -r $'a\\xe9b'; exit 2", **environment)
        assert b"No such file or directory" in process.stderr


@pytest.mark.parametrize("kilobytes", [150_000, 300_000])
def test_a_lack_of_memory_is_one_message(town: Path, kilobytes: int) -> None:
    process = shell(town, f"ulimit -v {kilobytes}; discreet release release.yaml -o out")
    assert process.returncode == 2
    assert b"memory" in process.stderr
    assert b"ulimit -v" in process.stderr
    assert not (town / "out").exists()

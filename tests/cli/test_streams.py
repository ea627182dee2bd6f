"""Standard output that is full, closed or cannot write a character, and memory that does not suffice."""

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
    """A folder with a specification, its people and a secret."""
    (tmp_path / "people.csv").write_text("sex\n" + "f\nm\n" * 200)
    (tmp_path / "release.yaml").write_text(SPEC)
    secrets.new_secret(tmp_path / "secret.key")
    return tmp_path


def shell(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell, in which `discreet` is the command; no traceback, whatever it is."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; discreet() {{ {COMMAND} \"$@\"; }}; {line}"],
        cwd=folder, capture_output=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    return done


@pytest.mark.parametrize(
    ("to", "warned"), [(">/dev/full", True), (">&-", False), (">&- 2>&-", False), ("| true", False)]
)
def test_a_folder_that_is_published_is_a_success_whatever_becomes_of_the_output(
    town: Path, to: str, warned: bool
) -> None:
    done = shell(town, f"discreet release release.yaml -o out {to}")
    assert done.returncode == 0, done.stderr
    assert (b"the folder out is published" in done.stderr) == warned
    verify_folder(town / "out")
    assert not (town / "out.unpublished.json").exists()


@pytest.mark.parametrize("command", ["--help", "release --schema", "design geometric --epsilon 1 --upper 5"])
def test_output_that_is_lost_is_a_failure_where_it_is_all_there_is(tmp_path: Path, command: str) -> None:
    done = shell(tmp_path, f"discreet {command} >/dev/full")
    assert done.returncode == 2
    assert b"standard output cannot be written (No space left on device); make room" in done.stderr


def test_an_error_that_cannot_be_told_keeps_its_exit_code(tmp_path: Path) -> None:
    assert shell(tmp_path, "discreet release nothing.yaml -o out >/dev/full 2>/dev/full").returncode == 2


@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:strict"])
def test_a_path_that_is_not_utf_8_is_written_and_told(town: Path, encoding: str) -> None:
    for environment in ({"PYTHONIOENCODING": encoding}, {"LC_ALL": "C", "PYTHONUTF8": "0"}):
        done = shell(town, "discreet release release.yaml -o $'a\\xe9b' && discreet verify $'a\\xe9b'", **environment)
        assert done.returncode == 0, done.stderr
        verify_folder(os.fsdecode(bytes(town) + b"/a\xe9b"))
        done = shell(town, "discreet release $'\\xe9.yaml' -o out; rm -r $'a\\xe9b'; exit 2", **environment)
        assert b"cannot be read (No such file or directory)" in done.stderr


@pytest.mark.parametrize("kilobytes", [150_000, 300_000])
def test_memory_that_does_not_suffice_is_told(town: Path, kilobytes: int) -> None:
    done = shell(town, f"ulimit -v {kilobytes}; discreet release release.yaml -o out")
    assert done.returncode == 2
    assert b"there is not enough memory; raise the limit" in done.stderr
    assert not (town / "out").exists()

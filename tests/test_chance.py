"""Tests draw the same numbers in every run and in any selection of tests, unless --fresh is given."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

ROOT = Path(__file__).parent.parent

DRAWING = """
import secrets
from pathlib import Path
from hypothesis import given, strategies as st

DRAWN = []

@given(st.integers(), st.floats())
def test_hypothesis(number, size):
    DRAWN.append((number, size))

def test_bytes():
    Path(__file__).with_suffix(".bytes").write_text(secrets.token_hex(16))

def test_what_was_drawn():
    test_hypothesis()
    Path(__file__).with_suffix(".drawn").write_text(repr(DRAWN[-50:]))
"""


def drawn(folder: Path, *options: str) -> tuple[str, str, str]:
    """Run the tests. Return their output, the examples of Hypothesis, and the random bytes."""
    folder.mkdir(exist_ok=True)
    (folder / "test_drawing.py").write_text(DRAWING)
    command = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(folder), "-p", "tests.conftest"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", *options, str(folder / "test_drawing.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, (folder / "test_drawing.drawn").read_text(), (folder / "test_drawing.bytes").read_text()


def test_every_run_draws_the_same(tmp_path: Path) -> None:
    output, *first = drawn(tmp_path)
    assert drawn(tmp_path, "-n", "2")[1:] == tuple(first)
    assert "repeat with --fresh" not in output


def test_a_fresh_run_draws_something_else_and_can_be_repeated(tmp_path: Path) -> None:
    output, *first = drawn(tmp_path, "-q", "--fresh", "-n", "2")
    (seed,) = re.findall(r"repeat with --fresh=(\d+)", output)
    assert drawn(tmp_path, f"--fresh={seed}")[1:] == tuple(first)
    _, *other = drawn(tmp_path, f"--fresh={int(seed) + 1}")
    assert other[0] != first[0]
    assert other[1] != first[1]


def test_a_path_is_not_taken_for_a_seed() -> None:
    command = [sys.executable, "-m", "pytest", "--fresh", "tests/account"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "write --fresh last" in done.stderr


def test_what_hypothesis_tries_does_not_depend_on_loaded_modules(request: pytest.FixtureRequest) -> None:
    assert len(providers._get_local_constants()) == 0
    assert settings.default is not None
    assert settings.default.derandomize == (request.config.option.fresh is None)
    assert settings.default.database is None

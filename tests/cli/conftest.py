"""The command line, run as a person runs it."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from discreet import cli


@dataclass(frozen=True)
class Result:
    """What a command printed to standard output and error, and its exit code."""

    out: str
    err: str
    code: int


Run = Callable[..., Result]
"""Runs the command with these arguments."""


@pytest.fixture
def discreet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs the command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: str) -> Result:
        monkeypatch.setattr(sys, "argv", ["discreet", *arguments])
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return Result(printed.out, printed.err, code)

    return run

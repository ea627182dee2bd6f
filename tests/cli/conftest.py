"""The command line, run as a person runs it."""

import sys
from pathlib import Path

import pytest

from discreet import cli


class Result:
    """What a command printed, and how it ended."""

    def __init__(self, out: str, err: str, code: int) -> None:
        self.out, self.err, self.code = out, err, code


@pytest.fixture
def discreet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Run the command in an empty folder."""
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

"""`discreet serve` and `discreet site` say what is wrong before anything is served or written."""

import socket
from pathlib import Path

import pytest

from discreet import cli
from tests.infer.any_table.releases import publish


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Return the exit code of a command."""
    monkeypatch.setattr("sys.argv", ["discreet", *arguments])
    try:
        cli.main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_a_site_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder, site = publish(tmp_path), tmp_path / "site"
    assert run(monkeypatch, "site", str(folder), "-o", str(site)) == 0
    assert "1 release" in capsys.readouterr().out
    assert (site / folder.name / "people.json").exists()
    assert run(monkeypatch, "site", str(folder), "-o", str(site)) == 2
    assert "exists" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["site", "-o", "site"]])
def test_a_folder_that_is_no_release_is_named(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd \u202e folder").mkdir()
    assert run(monkeypatch, command[0], "odd \u202e folder", *command[1:]) == 2
    assert "manifest.json" in capsys.readouterr().err
    assert run(monkeypatch, command[0], "nowhere", *command[1:]) == 2
    assert "nowhere" in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


def test_a_port_in_use_is_named_before_folders_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(monkeypatch, "serve", "nowhere", "--port", port) == 2
    assert port in capsys.readouterr().err

"""`discreet workbench`: what is refused before anything is served, and the address that is printed."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from discreet.cli import app
from discreet.errors import DiscreetError, InputError, OutputError, ParameterError, SpecError
from discreet.publish.verify_folder import verify_folder
from discreet.web.shared import server
from tests.web.workbench.steward import PEOPLE


def failed(*arguments: str) -> BaseException | None:
    return CliRunner().invoke(app, ["workbench", *arguments]).exception


def test_what_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("tables: 1\n")
    assert isinstance(failed(str(tmp_path / "nowhere.csv")), InputError)
    assert isinstance(failed("--folder", str(tmp_path / "nowhere")), InputError)
    assert isinstance(failed(str(tmp_path / "bad.yaml")), SpecError)
    assert isinstance(failed("--folder", str(tmp_path), "--port", "70000"), ParameterError)


def test_a_release_that_is_running_is_finished_before_the_process_ends(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    command = [sys.executable, "-c", "from discreet.cli import main; main()", "workbench", "people.csv"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        printed = re.search(r"http://\S+", process.stdout.readline())
        assert printed is not None
        with httpx.Client(follow_redirects=True, timeout=120) as client:
            root = str(client.get(printed.group()).url)
            token = re.search('name="form_token" value="([^"]+)"', client.get(f"{root}release").text)
            assert token is not None
            client.post(f"{root}release", data={"form_token": token[1], "folder": "out"})
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert verify_folder(tmp_path / "out").manifest.document()["version"] > 0


def test_a_file_outside_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "people.csv").write_text(PEOPLE)
    error = failed(str(tmp_path / "people.csv"), "--folder", str(tmp_path / "inner"))
    assert isinstance(error, DiscreetError)
    assert "people.csv" in str(error)


def test_a_port_that_is_in_use_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert isinstance(failed("--folder", str(tmp_path), "--port", port), OutputError)


def test_it_listens_on_this_machine_and_prints_an_address_with_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    addresses = []

    def serve(_: object, listener: socket.socket, started: object) -> None:
        addresses.append(listener.getsockname()[0])
        started(server.address_of(listener))  # type: ignore[operator]

    monkeypatch.setattr(server, "serve", serve)
    done = CliRunner().invoke(app, ["workbench", str(tmp_path / "people.csv")])
    assert done.exit_code == 0
    assert addresses == ["127.0.0.1"]
    assert re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{40,}\s", done.output)
    assert list(tmp_path.iterdir()) == [tmp_path / "people.csv"]

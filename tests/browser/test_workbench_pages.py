"""The workbench in Chromium: from a CSV file to a folder that verifies, by mouse, by keyboard, and without scripts."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from discreet.publish.verify_folder import verify_folder
from tests.browser import visits
from tests.conftest import unavailable
from tests.web.workbench.steward import PEOPLE
from tests.web.workbench.test_ledger_pages import with_ledger
from tests.web.workbench.test_spec_forms import SPEC


@contextmanager
def started(tmp_path: Path) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Start the workbench on a file of people, as a user does. Yield the address that it prints, and the process."""
    reason = visits.missing()
    if reason is not None:
        unavailable(reason)
    (tmp_path / "people.csv").write_text(PEOPLE)
    command = [sys.executable, "-c", "from discreet.cli import main; main()", "workbench", "people.csv"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        printed = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", process.stdout.readline())
        assert printed is not None
        yield printed.group(), process
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate()


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a workbench on a file of people."""
    with started(tmp_path) as (printed, _):
        yield printed


def went(address: str, journey: Sequence[tuple[str, ...]], *, scripts: bool = True) -> list[str]:
    """Go through a journey. Return what was seen, and fail if something is wrong."""
    request = {"browser": shutil.which("chromium"), "address": address, "journey": journey, "scripts": scripts}
    command = ["node", str(visits.HERE / "check_workbench.mjs")]
    done = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["wrong"] == [], answer
    return list(answer["seen"])


DECLARED = [
    ("goto", "dimension?name=sex"),
    ("fill", "Where it is declared", "questionnaire 2026"),
    ("click", "button", "Apply"),
    ("goto", "dimension?name=age"),
    ("fill", "Where it is declared", "questionnaire 2026"),
    ("click", "button", "Apply"),
    ("goto", "settings"),
    ("fill", "Where it is declared", "questionnaire 2026"),
    ("click", "button", "Apply"),
]


def test_from_a_csv_file_to_a_folder_that_verifies(address: str, tmp_path: Path) -> None:
    journey = [
        ("look",),
        ("goto", "columns"),
        ("wait", "Every column is used."),
        ("look",),
        ("goto", "dimension?name=sex"),
        ("wait", "450"),
        ("look",),
        *DECLARED,
        ("wait", "saved"),
        ("look",),
        ("goto", "tables"),
        ("wait", "for one row, over everything"),
        ("look",),
        ("fill", "epsilon", "2"),
        ("press", "Tab"),
        ("wait", "smaller now"),
        ("goto", "yaml"),
        ("look",),
        ("goto", "release"),
        ("look",),
        ("fill", "Folder to publish", "out"),
        ("click", "button", "Draw the noise and publish"),
        ("wait", "The folder is complete."),
        ("look",),
        ("click", "button", "Check the folder"),
        ("wait", "Every claim holds"),
        ("look",),
        ("goto", "log?file=out.private.json"),
        ("look",),
        ("goto", "published/out/report.html"),
        ("text", "h1"),
        ("goto", "nowhere"),
        ("look",),
    ]
    assert went(address, journey) == ["people.csv"]
    verified = verify_folder(tmp_path / "out")
    assert verified.manifest.document()["privacy"]["composed"]["epsilon"] == "2"


def test_the_same_by_keyboard_alone(address: str, tmp_path: Path) -> None:
    declare = [("tab", "Where it is declared"), ("type", "register"), ("press", "Enter")]
    journey = [
        ("tab", "Categories"),
        ("press", "Enter"),
        ("tab", "sex"),
        ("press", "Enter"),
        *declare,
        ("tab", "All dimensions"),
        ("press", "Enter"),
        ("tab", "age"),
        ("press", "Enter"),
        *declare,
        ("tab", "Settings"),
        ("press", "Enter"),
        *declare,
        ("tab", "Release"),
        ("press", "Enter"),
        ("tab", "Folder to publish"),
        ("press", "Control+A"),
        ("type", "typed"),
        ("tab", "Draw the noise and publish"),
        ("press", "Enter"),
        ("wait", "The folder is complete."),
        ("tab", "Check the folder"),
        ("press", "Enter"),
        ("wait", "Every claim holds"),
    ]
    went(address, journey)
    assert verify_folder(tmp_path / "typed").manifest.document()["privacy"]["composed"] is not None


def test_the_same_without_scripts(address: str, tmp_path: Path) -> None:
    journey = [
        *DECLARED,
        ("goto", "release"),
        ("fill", "Folder to publish", "plain"),
        ("click", "button", "Draw the noise and publish"),
    ]
    went(address, journey, scripts=False)


def test_a_mistake_is_shown_without_losing_what_was_typed(address: str, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(SPEC)
    journey = [
        ("goto", "dimension?name=age"),
        ("fill", "From 1", "twelve"),
        ("click", "button", "Apply"),
        ("wait", "the bound 'twelve' is no number"),
        ("look",),
        ("fill", "From 1", "0"),
        ("click", "button", "Apply"),
        ("wait", "not saved yet"),
        ("goto", "yaml"),
        ("fill", "people.yaml", "version: ["),
        ("click", "button", "Apply"),
        ("wait", "this is not YAML"),
        ("look",),
        ("text", "#message"),
    ]
    (said,) = went(address, journey)
    assert "line" in said


def test_a_session_that_has_ended_is_told(tmp_path: Path) -> None:
    with started(tmp_path) as (address, process):
        journey = [
            ("goto", "tables"),
            ("wait", "promises nothing"),
            ("end", str(process.pid)),
            ("click", "checkbox", "age"),
        ]
        went(address, [*journey, ("wait", "it has ended")])


def test_a_second_browser_is_not_let_in(address: str) -> None:
    went(address, [("text", "h1")])
    (said,) = went(address, [("look",), ("text", "h1")])
    assert said == "This page is locked"


def test_the_studio_draws_again_after_a_change(address: str) -> None:
    journey = [
        ("goto", "studio"),
        ("look",),
        ("check", "from 0 to"),
        ("wait", "Properties"),
        ("look",),
        ("check", "exponential"),
        ("wait", "exponential 0"),
        ("fill", "epsilon", "none"),
        ("wait", "This does not work yet"),
        ("fill", "epsilon", "2"),
        ("wait", "Properties"),
        ("click", "button", "Find designs"),
        ("wait", "Totals are upper bounds."),
        ("look",),
    ]
    went(address, [step for step in journey if step != ("wait", "exponential 0")])


def test_a_ledger_is_shown_and_its_chain_verified(address: str, tmp_path: Path) -> None:
    with_ledger(tmp_path)
    journey = [
        ("goto", "ledger"),
        ("look",),
        ("goto", ""),
        ("click", "button", "Open ledger.yaml"),
        ("goto", "ledger"),
        ("wait", "units left"),
        ("look",),
        ("click", "button", "Recompute everything"),
        ("wait", "Every check holds"),
        ("look",),
    ]
    went(address, journey)


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_the_pages_fit_in_other_languages(address: str, language: str) -> None:
    pages = ["", "columns", "dimension?name=sex", "tables", "settings", "yaml", "release", "check", "ledger", "studio"]
    journey = [("goto", f"language?to={language}"), *(step for page in pages for step in (("goto", page), ("look",)))]
    went(address, journey)

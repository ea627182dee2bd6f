"""The page that checks folders, in Chromium: from a file, without a network."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from discreet.cli import app
from tests.browser import visits
from tests.certify.released import forged, released
from tests.conftest import unavailable


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Return the page, written by the command. Skip the test if no page can be opened."""
    reason = visits.missing()
    if reason is not None:
        unavailable(reason)
    written = CliRunner().invoke(app, ["verify", "--page", str(tmp_path / "verify.html")])
    assert written.exit_code == 0, written.output
    return tmp_path / "verify.html"


def said(page: Path, *folders: Path) -> list[dict[str, Any]]:
    """Return what the page says of each folder."""
    request = {"browser": shutil.which("chromium"), "page": str(page), "folders": list(map(str, folders))}
    command = ["node", str(visits.HERE / "check_verifier.mjs")]
    done = subprocess.run(command, input=json.dumps(request), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def test_a_folder_holds_and_a_changed_one_does_not(page: Path, tmp_path: Path) -> None:
    changed = forged(tmp_path, tmp_path / "copies", "plain", lambda forger: forger.counts("t.csv", (1, 1)))
    right, wrong = said(page, released(tmp_path, "plain"), changed)
    assert right["wrong"] == wrong["wrong"] == []
    assert right["fails"] == []
    assert any("epsilon = 2" in text for text in right["proved"])
    assert "does not hold" in wrong["verdict"]
    assert any("adding up" in text for text in wrong["fails"])
    assert wrong["focused"].startswith("verdict")  # a screen reader says the verdict first


def test_the_result_is_said_again_in_another_language(page: Path, tmp_path: Path) -> None:
    [result] = said(page, released(tmp_path, "plain"))
    languages = result["languages"]
    assert {code: shown["lang"] for code, shown in languages.items()} == {code: code for code in languages}
    assert len({shown["verdict"] for shown in languages.values()}) == 4
    assert len({shown["title"] for shown in languages.values()}) == 4
    assert len({shown["items"] for shown in languages.values()}) == 1
    assert languages["en"]["verdict"] == result["verdict"]


def test_the_page_is_accessible_and_fits_a_phone(page: Path) -> None:
    assert visits.findings(page.parent, ["verify.html"]) == {}

"""What the verifier of the browser says of folders: the same as the second checker, whose code it does not share."""

import json
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from discreet.certify import folder
from discreet.web.shared.language import LANGUAGES
from tests.certify.released import KINDS, forged, released
from tests.certify.test_tampered import TAMPERED
from tests.manifests import written

CHECK = Path(__file__).with_name("check_folders.mjs")
GOLDEN = Path(__file__).parents[1] / "system" / "golden"


def checked(folders: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """Return the findings of the verifier, run by Node.js, for every folder."""
    listed = "\n".join(map(str, folders))
    run = subprocess.run(["node", str(CHECK)], input=listed, capture_output=True, text=True, check=True, timeout=280)
    return dict(json.loads(run.stdout))


def test_every_language_has_the_same_texts_with_the_same_values() -> None:
    script = CHECK.with_name("check_texts.mjs")
    run = subprocess.run(["node", str(script)], capture_output=True, text=True, check=True, timeout=280)
    wanted = json.loads(run.stdout)
    assert set(wanted) == set(LANGUAGES)
    assert len(wanted["en"]) > 40
    for language in LANGUAGES:
        assert wanted[language] == wanted["en"], language


def failures(result: dict[str, Any]) -> list[str]:
    return [f"{finding['claim']}: {finding['text']}" for finding in result["list"] if finding["state"] == "fails"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("released")


@pytest.mark.parametrize("part", range(4))
def test_right_folders_of_every_kind_hold(part: int, directory: Path) -> None:
    folders = [released(directory, kind) for kind in sorted(KINDS)[part::4]]
    for path, result in checked(folders).items():
        assert failures(result) == [], path
        proved = {finding.claim for finding in folder.check(path).findings if finding.verdict == "proved"}
        composed = json.loads((Path(path) / "manifest.json").read_text())["privacy"]["composed"]
        if "promise" in proved and composed is not None:
            assert any(f["claim"] == "promise" and f["state"] == "proved" for f in result["list"]), path


def test_a_promise_for_many_rows_is_proved_as_far_as_it_holds(directory: Path, tmp_path: Path) -> None:
    """The noise is log-concave, so the exact cost is that of all rows in one cell: 1.754e-5."""
    right = released(directory, "contributions 20")
    wrong = tmp_path / "wrong"
    shutil.copytree(right, wrong)
    manifest = json.loads((wrong / "manifest.json").read_text())
    assert manifest["privacy"]["composed"]["delta"] == "1.76e-05"
    manifest["privacy"]["composed"]["delta"] = "1.75e-05"
    (wrong / "manifest.json").write_bytes(written(manifest))
    results = checked([right, wrong])
    states = [{f["state"] for f in results[str(path)]["list"] if f["claim"] == "promise"} for path in (right, wrong)]
    assert states == [{"proved"}, {"not shown"}]


@pytest.mark.parametrize("part", range(4))
def test_tampered_folders_fail_where_the_second_checker_says_so(part: int, directory: Path, tmp_path: Path) -> None:
    expected = {}
    for number, name in enumerate(sorted(TAMPERED)[part::4]):
        kind, change, _, named = TAMPERED[name]
        (tmp_path / str(number)).mkdir()
        expected[str(forged(directory, tmp_path / str(number), kind, change))] = (name, named is not None)
    for path, result in checked(map(Path, expected)).items():
        name, fails = expected[path]
        assert bool(failures(result)) == fails, (name, failures(result))

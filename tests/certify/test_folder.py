"""Two checkers that share no code, on released folders of many kinds."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discreet.certify import folder
from discreet.publish.verify_folder import verify_folder
from discreet.release import demo_town, run
from tests import manifests

from .released import KINDS, forged, released, several

OTHERS: list[Any] = [None, [], {}, 3, "x"]
"""A value of every kind."""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("released")


@pytest.mark.parametrize("kind", KINDS)
def test_a_released_folder_is_proved_by_both(kind: str, directory: Path) -> None:
    path = released(directory, kind)
    verify_folder(path)
    report = folder.check(path)
    assert [finding for finding in report.findings if finding.verdict != "proved"] == []
    assert {"files", "touches", "promise", "measurements.csv", "tables"} <= {
        finding.claim for finding in report.findings
    }
    assert any("software: discreet" in line for line in report.stated)


def test_the_demo_is_proved_by_both(tmp_path: Path) -> None:
    """Noise whose losses lie on a lattice but for rounding: the bounds of both agree to eight digits."""
    run(demo_town.unpack(tmp_path), tmp_path / "out")
    verify_folder(tmp_path / "out")
    assert {finding.verdict for finding in folder.check(tmp_path / "out").findings} == {"proved"}


def test_statements_that_the_second_check_cannot_check_are_listed(directory: Path, tmp_path: Path) -> None:
    path = forged(directory, tmp_path, "plain", several(
        ("spec.title", "Nothing"), ("spec.dimensions.place.column", "street"), ("software.python", "2.7"),
        ("engine", "spark"), ("spec.unit.name", "anyone"),
    ))  # fmt: skip
    stated = "\n".join(folder.check(path).stated)
    for text in ("'Nothing'", "'street'", "python 2.7", "spark", "anyone", "report.html", "geometric", "ledger: none"):
        assert text in stated


def test_a_promise_that_no_bound_decides_is_not_shown(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a lattice the bounds are loose: the promise is neither proved nor refuted."""
    monkeypatch.setattr(folder.losses, "MOST_POINTS", 1)
    report = folder.check(released(directory, "bell"))
    assert report.failures == []
    assert [finding.claim for finding in report.findings if finding.verdict == "not shown"] == ["promise"]


def test_the_second_checker_runs_without_discreet(directory: Path, tmp_path: Path) -> None:
    """Copy its directory, and run it in a Python without any installed package."""
    shutil.copytree(Path(folder.__file__).parent, tmp_path / "folder", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-S", "-m", "folder"]
    good = subprocess.run([*command, str(released(directory, "plain"))], cwd=tmp_path, capture_output=True, text=True)
    assert (good.returncode, good.stderr) == (0, "")
    assert "proved     promise: epsilon 2" in good.stdout
    path = forged(directory, tmp_path, "plain", several(("privacy.touches", 1)))
    bad = subprocess.run([*command, str(path)], cwd=tmp_path, capture_output=True, text=True)
    assert (bad.returncode, bad.stderr) == (2, "")
    assert "fails      touches: 1 " in bad.stdout


def paths(document: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a document."""
    for key, value in document.items() if isinstance(document, dict) else enumerate(document):
        yield (*above, key)
        if isinstance(value, (dict, list)):
            yield from paths(value, (*above, key))


def test_no_manifest_makes_the_second_checker_raise(directory: Path, tmp_path: Path) -> None:
    """Replace every value of the manifest in turn by a value of every kind."""
    forged_path = forged(directory, tmp_path, "noise with an end", lambda _: None)
    original = (forged_path / "manifest.json").read_bytes()
    accepted = set()
    for path in paths(json.loads(original)):
        for value in OTHERS:
            document = inner = json.loads(original)
            for key in path[:-1]:
                inner = inner[key]
            if inner[path[-1]] != value:
                inner[path[-1]] = value
                (forged_path / "manifest.json").write_bytes(manifests.written(document))
                if not folder.check(forged_path).failures:
                    accepted.add(".".join(map(str, path)))
    columns = {f"spec.dimensions.{name}.column" for name in ("place", "age")}
    ranges = {f"spec.dimensions.age.ranges.{name}.{end}" for name in ("child", "adult", "old") for end in (0, 1)}
    unused = {f"spec.dimensions.place.levels{level}" for level in ("", ".side", ".over")}
    design = {"spec.design", "spec.design.name", "spec.design.epsilon", "spec.design.upper"}
    software = {"software", "software.discreet", "software.python", "software.numpy", "software.build"}
    labels = {f"spec.{name}" for name in ("title", "version", "unit.name", "seed", "record_keys_are")}
    names = ("title", "description", "contact", "licence", "agency", "notes", "tables", "dimensions")
    words = {f"spec.metadata.{name}" for name in names}
    assert accepted == columns | ranges | unused | design | software | labels | words | {
        "engine",
        "key.fingerprint",
    }


class Leaf(str):
    """A category that counts how often its hash is used."""

    looked_up = 0

    def __hash__(self) -> int:
        Leaf.looked_up += 1
        return str.__hash__(self)


def test_the_second_check_looks_every_category_up_a_few_times() -> None:
    names = [Leaf(f"category {number}") for number in range(500)]
    book: dict[str, Any] = {"column": "a", "categories": names, "ranges": None, "from_data": False, "levels": {}}
    table = {"name": "t", "dimensions": [{"dimension": "a", "level": None}], "margins": "all", "filter": {}}
    Leaf.looked_up = 0
    layout = folder.cells.layout_of({"dimensions": {"a": book}, "tables": [table]})
    assert folder.cells.touches(layout) == (2, 2)
    assert folder.cells.families(layout) == 2
    assert [folder.cells.multiplicity(grouping) for grouping in layout.groupings] == [1, 1]
    assert Leaf.looked_up < 50 * len(names)

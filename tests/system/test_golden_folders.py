"""Certificates and folders stay the same when code is rearranged."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.certify.ptable import PTable
from tests.system.golden_folders import GOLDEN, publish, specifications

CERTIFICATES = json.loads(GOLDEN.joinpath("certificates.json").read_text("utf-8"))


def stated(path: Path) -> dict[str, Any]:
    """Return a manifest without versions, and with 10 digits of the composed guarantee: machines differ there."""
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    document.pop("software")
    composed = document["privacy"]["composed"]
    if composed is not None:
        document["privacy"]["composed"] = {
            name: text if name == "epsilon" else f"{float(text):.9e}" for name, text in composed.items()
        }
    return document


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", specifications())
def test_a_release_is_equal_to_its_golden_folder(name: str, tmp_path: Path) -> None:
    folder, golden = publish(name, tmp_path), GOLDEN / name
    names = files_of(golden)
    assert files_of(folder) == names
    for name_of_file in names - {"manifest.json"}:
        assert (folder / name_of_file).read_bytes() == (golden / name_of_file).read_bytes(), name_of_file
    assert stated(folder / "manifest.json") == stated(golden / "manifest.json")


@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_certificate_is_equal_to_its_golden_certificate(name: str, tmp_path: Path) -> None:
    kept = CERTIFICATES[name]
    mechanism = getattr(dc.design, kept["design"])(**kept["parameters"])
    table: PTable = mechanism.certify(kept["epsilon"])
    table.save(tmp_path / "made.json")
    assert hashlib.sha256((tmp_path / "made.json").read_bytes()).hexdigest() == kept["sha256"]

"""Releases that are refused or fail leave nothing behind."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError, OutputError, ReleaseError, SecretError, SpecError
from discreet.measure import secrets
from discreet.publish.verify_folder import verify_folder
from discreet.release import run


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"budget": None}, "give a budget"),
        ({"budgt": {}}, "budgt"),
        ({"secret": None}, "needs a secret"),
        ({"version": ""}, "version"),
        ({"tables": []}, "tables"),
        ({"tables": [{"name": "t", "dimensions": ["nope"]}]}, "not declared"),
        ({"tables": [{"name": "t", "dimensions": ["sex", "sex"]}]}, "twice"),
        ({"tables": [{"name": "../t", "dimensions": ["sex"]}]}, "name"),
        ({"tables": [{"name": "manifest", "dimensions": ["sex"]}]}, "file of every folder"),
        ({"tables": [{"name": "t", "dimensions": ["sex"]}] * 2}, "same name"),
        ({"tables": [{"name": "t", "dimensions": [{"dimension": "district", "level": "no"}]}]}, "no level"),
        ({"tables": [{"name": "t", "dimensions": ["sex"], "margins": [["age"]]}]}, "none of its dimensions"),
        ({"tables": [{"name": "t", "dimensions": ["sex"], "filter": {"age": ["nobody"]}}]}, "no leaf or group"),
        ({"tables": [{"name": "t", "dimensions": ["sex"], "filter": {"nope": ["x"]}}]}, "no dimension"),
        ({"dimensions": {"sex": {"column": "sex", "categories": ["_other"]}}}, "uses itself"),
        ({"dimensions": {"sex": {"column": "sex", "categories": {"a": ["x"], "b": ["x"]}}}}, "two categories"),
        ({"dimensions": {"sex": {"column": "sex"}}}, "categories or ranges"),
        ({"dimensions": {"sex": {"column": "sex", "ranges": {"a": [0, 9], "b": [5, 12]}}}}, "overlap"),
        ({"design": {"name": "nope"}}, "name of a design"),
        ({"design": {"name": "geometric", "colour": 1}}, "does not take"),
        ({"design": {"name": "cyclic", "size": 4, "epsilon": 1}}, "not one for counts"),
        ({"budget": {"epsilon": "x"}}, "finite number"),
        ({"budget": {"epsilon": 1, "delta": "1e-9"}}, "fewer margins"),
        ({"source": {"csv": "nowhere.csv"}}, "nowhere.csv"),
        ({"source": {}}, "name one of"),
        ({"unit": {"id": "nobody"}}, "no column 'nobody'"),
        ({"key": "contributors"}, "do not compose"),
        ({"record_keys": ["k"]}, "contributors"),
        ({"design": None, "budget": {"epsilon": 1}}, "give delta, for example 1e-9"),
    ],
)
def test_bad_specifications(spec: dict[str, Any], tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(DiscreetError, match=said):
        run({**spec, **change}, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "secret.key"]


def test_errors_point_at_the_line(spec: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "release.yaml"
    path.write_text("version: 1\nsource: {csv: people.csv}\ndimensions:\n  sex:\n    column: sex\n    colour: red\n")
    with pytest.raises(SpecError, match=r"line 6: dimensions.sex.colour"):
        run(path, tmp_path / "out")
    path.write_text("version: [1\n")
    with pytest.raises(SpecError, match="not YAML"):
        run(path, tmp_path / "out")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match="UTF-8"):
        run(path, tmp_path / "out")
    with pytest.raises(SpecError, match="cannot be read"):
        run(tmp_path / "none.yaml", tmp_path / "out")


def test_a_folder_that_exists_is_left_alone(spec: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="exists"):
        run(spec, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_secret_that_others_can_read_is_refused(spec: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "secret.key").chmod(0o644)
    with pytest.raises(SecretError, match="chmod 600"):
        run(spec, tmp_path / "out")
    (tmp_path / "secret.key").chmod(0o600)
    with pytest.raises(SecretError, match="exists"):
        secrets.new_secret(tmp_path / "secret.key")


def test_a_failure_while_counting_leaves_nothing(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ReleaseError("the disk is full")

    run({**spec, "version": "earlier"}, tmp_path / "earlier")  # the secret has a memory by then
    monkeypatch.setattr("discreet.files.os.fsync", fail)
    with pytest.raises(ReleaseError):
        run(spec, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"earlier", "people.csv", "secret.key", "secret.key.memory"}


@pytest.mark.parametrize("known", [True, False])
def test_a_full_disk_leaves_nothing_and_the_release_is_completed_later(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """It is met by the file of measurements, or, for a secret that was never used, by the memory of the secret."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if known:
        run({**spec, "version": "earlier"}, tmp_path / "earlier")
    before = {path.name for path in tmp_path.iterdir()}
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OutputError if known else SecretError, match="No space left"):
            run(spec, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == before
    run(spec, tmp_path / "out")
    verify_folder(tmp_path / "out")

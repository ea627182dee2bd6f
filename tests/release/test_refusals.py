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
    ("change", "named"),
    [
        ({"budget": None}, "budget"),
        ({"budgt": {}}, "budgt"),
        ({"secret": None}, "key is query"),
        ({"version": ""}, "version"),
        ({"tables": []}, "tables"),
        ({"tables": [{"name": "t", "dimensions": ["nope"]}]}, "'nope'"),
        ({"tables": [{"name": "t", "dimensions": ["sex", "sex"]}]}, r"tables\.t: "),
        ({"tables": [{"name": "../t", "dimensions": ["sex"]}]}, "'../t'"),
        ({"tables": [{"name": "manifest", "dimensions": ["sex"]}]}, r"tables\.manifest\.name: "),
        ({"tables": [{"name": "t", "dimensions": ["sex"]}] * 2}, r"tables\.t\.name: "),
        ({"tables": [{"name": "t", "dimensions": [{"dimension": "district", "level": "no"}]}]}, "level 'no'"),
        ({"tables": [{"name": "t", "dimensions": ["sex"], "margins": [["age"]]}]}, r"tables\.t\.margins\..*'age'"),
        ({"tables": [{"name": "t", "dimensions": ["sex"], "filter": {"age": ["nobody"]}}]}, "'age' names 'nobody'"),
        ({"tables": [{"name": "t", "dimensions": ["sex"], "filter": {"nope": ["x"]}}]}, "'nope'"),
        ({"dimensions": {"sex": {"column": "sex", "categories": ["_other"]}}}, "'_other'"),
        ({"dimensions": {"sex": {"column": "sex", "categories": {"a": ["x"], "b": ["x"]}}}}, "'sex' gives .* 'x'"),
        ({"dimensions": {"sex": {"column": "sex"}}}, r"dimensions\.sex: "),
        ({"dimensions": {"sex": {"column": "sex", "ranges": {"a": [0, 9], "b": [5, 12]}}}}, "'a' .*'b'"),
        ({"design": {"name": "nope"}}, "'nope'"),
        ({"design": {"name": "geometric", "colour": 1}}, "'colour'"),
        ({"design": {"name": "cyclic", "size": 4, "epsilon": 1}}, "design: "),
        ({"budget": {"epsilon": "x"}}, "epsilon is 'x'"),
        ({"budget": {"epsilon": 1, "delta": "1e-9"}}, "epsilon 1 and delta 1e-9"),
        ({"source": {"csv": "nowhere.csv"}}, "nowhere.csv"),
        ({"source": {}}, "source: "),
        ({"unit": {"id": "nobody"}}, "no column 'nobody'"),
        ({"key": "contributors"}, "key is contributors"),
        ({"record_keys": ["k"]}, "record_keys: "),
        ({"design": None, "budget": {"epsilon": 1}}, "delta is 0"),
    ],
)
def test_a_specification_with_a_mistake_is_refused(
    spec: dict[str, Any], tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    with pytest.raises(DiscreetError, match=named):
        run({**spec, **change}, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "secret.key"]


def test_errors_name_the_file_and_the_line(spec: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "release.yaml"
    path.write_text("version: 1\nsource: {csv: people.csv}\ndimensions:\n  sex:\n    column: sex\n    colour: red\n")
    with pytest.raises(SpecError, match=r"line 6: dimensions.sex.colour"):
        run(path, tmp_path / "out")
    path.write_text("version: [1\n")
    with pytest.raises(SpecError, match=r"release\.yaml, line 2: "):
        run(path, tmp_path / "out")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match=r"release\.yaml .*UTF-8"):
        run(path, tmp_path / "out")
    with pytest.raises(SpecError, match=r"none\.yaml cannot be read"):
        run(tmp_path / "none.yaml", tmp_path / "out")


def test_a_folder_that_exists_is_left_alone(spec: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="out exists"):
        run(spec, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_secret_that_others_can_read_is_refused(spec: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "secret.key").chmod(0o644)
    with pytest.raises(SecretError, match=r"secret\.key.*0644"):
        run(spec, tmp_path / "out")
    (tmp_path / "secret.key").chmod(0o600)
    with pytest.raises(SecretError, match=r"secret\.key"):
        secrets.new_secret(tmp_path / "secret.key")


def test_a_failure_while_counting_leaves_nothing(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ReleaseError("the disk is full")

    run({**spec, "version": "earlier"}, tmp_path / "earlier")  # makes the memory of the secret
    monkeypatch.setattr("discreet.files.os.fsync", fail)
    with pytest.raises(ReleaseError):
        run(spec, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"earlier", "people.csv", "secret.key", "secret.key.memory"}


@pytest.mark.parametrize("secret_was_used", [True, False])
def test_a_full_disk_leaves_nothing_and_the_release_is_completed_later(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret_was_used: bool
) -> None:
    """The file of measurements fails first, or, for a secret that was never used, the memory of the secret."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if secret_was_used:
        run({**spec, "version": "earlier"}, tmp_path / "earlier")
    before = {path.name for path in tmp_path.iterdir()}
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OutputError if secret_was_used else SecretError, match=os.strerror(errno.ENOSPC)):
            run(spec, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == before
    run(spec, tmp_path / "out")
    verify_folder(tmp_path / "out")

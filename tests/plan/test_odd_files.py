"""Pipes and devices, and YAML that is larger or other than it looks, are refused at once."""

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from discreet.errors import DiscreetError, InputError, SecretError, SpecError
from discreet.measure import secrets
from discreet.plan import yaml_file
from discreet.release import run
from tests import town

PATHS = [
    lambda path: {"secret": {"file": path}},
    lambda path: {"design": {"certificate": path}},
    lambda path: {"source": {"csv": path}},
    lambda path: {"source": {"parquet": path}},
    lambda path: {"source": {"duckdb": path, "table": "t"}},
    lambda path: {"ledger": path},
]
"""Every field of a specification that names a file."""


@pytest.fixture(params=["/dev/zero", "/dev/urandom", "pipe"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the path of a device or a pipe, which no program can read to its end."""
    if request.param != "pipe":
        return str(request.param)
    os.mkfifo(tmp_path / "pipe", 0o600)
    return str(tmp_path / "pipe")


@pytest.mark.parametrize("change", PATHS)
def test_a_pipe_or_a_device_is_refused(change: Any, endless: str, tmp_path: Path) -> None:
    spec = {**town.settle(tmp_path), **change(endless)}
    with pytest.raises(DiscreetError, match=Path(endless).name):
        run(spec, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_specification_that_is_a_pipe_or_a_device_is_refused(endless: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=endless):
        run(endless, tmp_path / "out")
    with pytest.raises(SecretError, match=endless):
        secrets.read_secret(endless)


def test_a_pipe_in_a_folder_of_parquet_files_is_refused(tmp_path: Path) -> None:
    spec = town.settle(tmp_path)
    os.mkfifo(tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"x\.parquet"):
        run({**spec, "source": {"parquet": str(tmp_path)}}, tmp_path / "out")


def bomb(depth: int, inner: str, outer: str) -> str:
    """Return YAML with lists of ten aliases of lists of ten aliases, and so on."""
    lines = [f"a0: &a0 {inner}"]
    return "\n".join(
        [*lines, *(f"a{i}: &a{i} {outer.format(', '.join([f'*a{i - 1}'] * 10))}" for i in range(1, depth))]
    )


@pytest.mark.parametrize(("inner", "outer"), [("[x]", "[{}]"), ("{k: 1}", "{{<<: [{}]}}")])
def test_aliases_that_stand_for_millions_of_parts_are_refused(inner: str, outer: str, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(bomb(9, inner, outer))
    with pytest.raises(SpecError, match=r"x\.yaml has aliases"):
        yaml_file.read(tmp_path / "x.yaml")
    (tmp_path / "x.yaml").write_text(bomb(3, inner, outer))
    assert yaml_file.read(tmp_path / "x.yaml")[0] == yaml.safe_load(bomb(3, inner, outer))


def test_an_alias_that_stands_for_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("a: 1\nb: &b [*b]\n")
    with pytest.raises(SpecError, match=r"x\.yaml, line 2: an alias"):
        yaml_file.read(tmp_path / "x.yaml")


@pytest.mark.parametrize("key", [False, True])
@pytest.mark.parametrize(
    "value",
    ['!!int ""', '!!float ""', '!!bool ""', "!!bool x", "!!timestamp x", '!!int "-"', '!!int "_"', "!!int abc",
     '!!float "."', "!!timestamp 2026-13-45", "!!binary x", "!!int 1:x"],
)  # fmt: skip
def test_a_value_that_does_not_fit_its_tag_is_told_with_its_line(value: str, key: bool, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(f"a: 1\n{value}: 2\n" if key else f"a: 1\nb: {value}\n")
    with pytest.raises(SpecError, match=r"x\.yaml, line 2: "):
        yaml_file.read(tmp_path / "x.yaml")


@pytest.mark.parametrize("value", ["!!map x", "!!seq x", "!!pairs 5"])
def test_a_key_that_is_tagged_as_a_list_is_refused(value: str, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(f"a: 1\n{value}: 2\n")
    with pytest.raises(SpecError, match=r"x\.yaml, line 2: "):
        yaml_file.read(tmp_path / "x.yaml")


@pytest.mark.parametrize("change", PATHS)
@pytest.mark.parametrize("name", ["x" * 300, "x" * 5000])
def test_a_path_that_is_too_long_is_refused(change: Any, name: str, tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="xxx"):
        run({**town.settle(tmp_path), **change(str(tmp_path / name))}, tmp_path / "out")

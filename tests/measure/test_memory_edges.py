"""Changes of a secret and its memory by other software are noticed: links, removed rows, damage."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DataChangedError, SecretError
from discreet.measure import secrets
from discreet.measure.secret_memory import Memory
from discreet.release import run

KEY = b"k" * 32


@pytest.fixture
def spec(tmp_path: Path) -> dict[str, Any]:
    """Return the specification of a release with query keys and without a ledger."""
    rows = "".join(f"{'fm'[number % 2]}\n" for number in range(100))
    (tmp_path / "people.csv").write_text("sex\n" + rows)
    secrets.new_secret(tmp_path / "secret.key")
    return {
        "version": "v1",
        "source": {"csv": str(tmp_path / "people.csv")},
        "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
        "tables": [{"name": "t", "dimensions": ["sex"], "margins": "all"}],
        "design": {"name": "geometric", "epsilon": "0.25"},
        "budget": {"epsilon": 3, "delta": "1e-6"},
        "secret": {"file": str(tmp_path / "secret.key")},
        "outputs": ["csv"],
    }


@pytest.fixture
def memory(spec: dict[str, Any], tmp_path: Path) -> Path:
    """Return the memory of a secret, after one release and a change of the data."""
    run(spec, tmp_path / "first")
    change(tmp_path)
    return tmp_path / "secret.key.memory"


def change(folder: Path) -> None:
    """Add a person."""
    with (folder / "people.csv").open("a") as file:
        file.write("f\n")


def sql(file: Path, *statements: str) -> None:
    """Change a memory by hand."""
    with closing(sqlite3.connect(file)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_link_to_a_secret_has_the_memory_of_the_secret(spec: dict[str, Any], memory: Path, tmp_path: Path) -> None:
    (tmp_path / "link.key").symlink_to("secret.key")
    with pytest.raises(DataChangedError):
        run({**spec, "secret": {"file": str(tmp_path / "link.key")}}, tmp_path / "second")
    assert not (tmp_path / "link.key.memory").exists()


def test_a_memory_beside_a_link_is_not_forgotten(spec: dict[str, Any], tmp_path: Path) -> None:
    """Earlier versions kept a memory beside the link."""
    (tmp_path / "link.key").symlink_to("secret.key")
    run(spec, tmp_path / "first")
    os.replace(tmp_path / "secret.key.memory", tmp_path / "link.key.memory")
    linked = {**spec, "secret": {"file": str(tmp_path / "link.key")}}
    with pytest.raises(SecretError, match=r"link\.key\.memory.*secret\.key\.memory"):
        run(linked, tmp_path / "second")
    os.replace(tmp_path / "link.key.memory", tmp_path / "secret.key.memory")
    run(linked, tmp_path / "second")


def test_a_secret_with_several_names_is_refused(spec: dict[str, Any], tmp_path: Path) -> None:
    os.link(tmp_path / "secret.key", tmp_path / "hard.key")
    for name in ("hard.key", "secret.key"):
        with pytest.raises(SecretError, match=f"{name}.* 2 names"):
            run({**spec, "secret": {"file": str(tmp_path / name)}}, tmp_path / "out")
    (tmp_path / "hard.key").unlink()
    run(spec, tmp_path / "out")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM cells",
        "DELETE FROM seals",
        "DELETE FROM seals WHERE part = 'cells'",
        "UPDATE seals SET mac = 'text'",
        "UPDATE cells SET names = zeroblob(length(names))",
        "UPDATE cells SET hashes = x'00'",
        "UPDATE cells SET names = '', hashes = ''",
        "INSERT INTO cells SELECT * FROM cells",
        "INSERT INTO cells VALUES (1, 2)",
        "DROP TABLE cells",
    ],
)
def test_a_changed_memory_stops_the_release(spec: dict[str, Any], memory: Path, tmp_path: Path, statement: str) -> None:
    sql(memory, statement)
    with pytest.raises(SecretError, match=r"secret\.key\.memory"):
        run(spec, tmp_path / "second")
    assert not (tmp_path / "second").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes()[:5000]),
        lambda file: file.write_bytes(b"\xff" * 9000),
    ],
)
def test_a_damaged_memory_stops_the_release(
    spec: dict[str, Any], memory: Path, tmp_path: Path, damage: Callable[[Path], Any]
) -> None:
    damage(memory)
    with pytest.raises(SecretError, match=r"secret\.key\.memory"):
        run(spec, tmp_path / "second")


@pytest.mark.parametrize("statement", ["DELETE FROM heads", "UPDATE heads SET seq = 1", "UPDATE heads SET seq = 'x'"])
def test_the_last_entry_of_a_ledger_is_sealed_too(tmp_path: Path, statement: str) -> None:
    memory = Memory(tmp_path / "memory", KEY)
    memory.record_head("a", (5, "5"))
    assert memory.head("a") == (5, "5")
    sql(memory.file, statement)
    with pytest.raises(SecretError, match="/memory"):
        memory.head("a")


def test_the_path_of_kept_measurements_is_sealed_too(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory", KEY)
    memory.record_pending("a", tmp_path / "kept")
    assert memory.pending_file("a") == tmp_path / "kept"
    sql(memory.file, "DELETE FROM unpublished")
    with pytest.raises(SecretError, match="/memory"):
        memory.pending_file("a")


def test_a_path_that_is_not_text_is_remembered(tmp_path: Path) -> None:
    memory, file = Memory(tmp_path / "memory", KEY), tmp_path / os.fsdecode(b"a\xe9b")
    memory.record_pending("a", file)
    assert memory.pending_file("a") == file
    sql(memory.file, "DROP TABLE seals", f"UPDATE unpublished SET file = '{tmp_path}/earlier'")
    assert memory.pending_file("a") == tmp_path / "earlier"


def test_the_memory_of_another_secret_is_refused(tmp_path: Path) -> None:
    Memory(tmp_path / "memory", KEY).record_head("a", (5, "5"))
    with pytest.raises(SecretError, match="/memory"):
        Memory(tmp_path / "memory", b"o" * 32).head("a")


def test_a_memory_without_seals_is_read_and_sealed(spec: dict[str, Any], memory: Path, tmp_path: Path) -> None:
    """Earlier versions made no seals."""
    sql(memory, "DROP TABLE seals")
    with pytest.raises(DataChangedError):
        run(spec, tmp_path / "second")
    run({**spec, "version": "v2"}, tmp_path / "second")
    sql(memory, "DELETE FROM cells")
    with pytest.raises(SecretError, match=r"secret\.key\.memory"):
        run({**spec, "version": "v3"}, tmp_path / "third")


def test_a_damaged_memory_without_seals_stops_the_release(spec: dict[str, Any], memory: Path, tmp_path: Path) -> None:
    sql(memory, "DROP TABLE seals", "UPDATE cells SET hashes = x'0011'")
    with pytest.raises(SecretError, match=r"secret\.key\.memory"):
        run(spec, tmp_path / "second")

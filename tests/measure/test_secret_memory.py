"""One label is for one file of data: changed data are refused, with a ledger or without one."""

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import discreet
from discreet.errors import DataChangedError, LedgerError, SecretError, SpecError
from discreet.measure import keys
from discreet.measure.secret_memory import Memory
from discreet.release import run
from tests.town import folder, ledger


@pytest.fixture
def alone(paid: dict[str, Any]) -> dict[str, Any]:
    """A release with query keys and without a ledger."""
    return {**paid, "ledger": None, "unit": {}}


def changed(tmp_path: Path) -> None:
    with (tmp_path / "people.csv").open("a") as file:
        file.write("999,f,n,9\n")


def test_changed_data_under_one_label_are_refused(alone: dict[str, Any], tmp_path: Path) -> None:
    run(alone, tmp_path / "one")
    run(alone, tmp_path / "again")
    assert folder(tmp_path / "one") == folder(tmp_path / "again")
    changed(tmp_path)
    for number, asked in enumerate(
        [alone, {**alone, "tables": [{"name": "o", "dimensions": ["side"], "margins": "all"}]}]
    ):
        with pytest.raises(DataChangedError, match="'v1'"):  # the total is in both
            run(asked, tmp_path / f"two{number}")
        assert not (tmp_path / f"two{number}").exists()
    run({**alone, "version": "v2"}, tmp_path / "two")
    run({**alone, "key": "fresh"}, tmp_path / "fresh")


def test_what_is_refused_leaves_the_right_data_as_they_were(alone: dict[str, Any], tmp_path: Path) -> None:
    right = (tmp_path / "people.csv").read_text()
    run(alone, tmp_path / "one")
    changed(tmp_path)
    with pytest.raises(DataChangedError):
        run({**alone, "tables": [{"name": "o", "dimensions": ["side"], "margins": "all"}]}, tmp_path / "two")
    (tmp_path / "people.csv").write_text(right)
    run({**alone, "tables": [{"name": "o", "dimensions": ["side"], "margins": "all"}]}, tmp_path / "two")


def test_the_file_is_private_and_holds_no_count_in_clear(alone: dict[str, Any], tmp_path: Path) -> None:
    run(alone, tmp_path / "one")
    file = tmp_path / "secret.key.memory"
    assert file.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(file)) as base:
        ((names, hashes),) = base.execute("SELECT names, hashes FROM cells")
    assert len(names) == len(hashes) == 16 * 4  # three categories and the total
    assert len({hashes[at : at + 16] for at in range(0, 64, 16)}) == 4
    os.chmod(file, 0o644)
    with pytest.raises(SecretError, match="chmod 600"):
        run(alone, tmp_path / "two")


def test_a_secret_from_the_environment_says_where_its_memory_is(
    alone: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOWN", (tmp_path / "secret.key").read_text().strip())
    with pytest.raises(SpecError, match="memory: FILE"):
        run({**alone, "secret": {"env": "TOWN"}}, tmp_path / "one")
    asked = {**alone, "secret": {"env": "TOWN", "memory": str(tmp_path / "memory")}}
    run(asked, tmp_path / "one")
    changed(tmp_path)
    with pytest.raises(DataChangedError):
        run(asked, tmp_path / "two")
    run({**alone, "key": "fresh", "secret": {"env": "TOWN"}}, tmp_path / "three")


@pytest.mark.parametrize("damage", ["folder", "text", "no place"])
def test_a_memory_that_cannot_be_used_stops_the_release(alone: dict[str, Any], tmp_path: Path, damage: str) -> None:
    file = tmp_path / "secret.key.memory"
    if damage == "folder":
        file.mkdir()
    elif damage == "text":
        file.write_text("not a database, and long enough to be read as one" * 30)
        file.chmod(0o600)
    else:
        alone["secret"]["memory"] = str(tmp_path / "none" / "memory")
    with pytest.raises(SecretError, match="nothing was drawn"):
        run(alone, tmp_path / "one")
    assert not (tmp_path / "one").exists()


def test_a_ledger_from_an_older_copy_is_noticed(paid: dict[str, Any], tmp_path: Path) -> None:
    paid["unit"] = {}
    run(paid, tmp_path / "one")
    older = (tmp_path / "town.ledger").read_bytes()
    run({**paid, "version": "v2"}, tmp_path / "two")
    (tmp_path / "town.ledger").write_bytes(older)
    with pytest.raises(LedgerError, match="older copy"):
        run({**paid, "version": "v3"}, tmp_path / "three")
    (tmp_path / "secret.key.memory").unlink()
    run({**paid, "version": "v3"}, tmp_path / "three")  # nobody can tell, and that is documented


def test_the_last_entry_that_was_seen_does_not_go_back(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory", bytes(32))
    assert memory.head("a") is None
    for seq in (3, 5, 4):
        memory.saw("a", (seq, str(seq)))
    assert memory.head("a") == (5, "5")
    assert memory.head("b") is None


def test_the_same_integers_have_the_same_noise_however_they_are_described(
    alone: dict[str, Any], tmp_path: Path
) -> None:
    """A certificate that says more about where its table came from draws nothing anew."""
    table = discreet.design.geometric(epsilon="0.1").certify()
    other = discreet.design.geometric(epsilon="0.1", support=400).certify()
    assert keys.weights(table) == keys.weights(table)
    assert keys.weights(table) != keys.weights(discreet.design.geometric(epsilon="0.2").certify())
    made = []
    for number, chosen in enumerate((table, other)):
        chosen.save(tmp_path / f"{number}.json")
        asked = {**alone, "design": {"certificate": str(tmp_path / f"{number}.json")}}
        made.append((keys.weights(chosen), run(asked, tmp_path / f"out{number}").measurements))
    same = made[0][0] == made[1][0]
    assert table.digest != other.digest
    assert all((a == b).all() for a, b in zip(made[0][1], made[1][1], strict=True)) == same


def test_labels_of_earlier_releases_keep_their_noise(paid: dict[str, Any], tmp_path: Path) -> None:
    """Their ledger entries name no scheme."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "SCHEME", 1)
        first = run(paid, tmp_path / "one")
    assert first.manifest["key"]["scheme"] == 1
    again = run(paid, tmp_path / "two")
    assert folder(tmp_path / "one") == folder(tmp_path / "two")
    assert again.manifest["key"]["scheme"] == 1
    assert run({**paid, "version": "v2"}, tmp_path / "three").manifest["key"]["scheme"] == 2
    assert ledger(tmp_path).verify().spent == 4


def test_names_of_cells_take_the_header_once(monkeypatch: pytest.MonkeyPatch) -> None:
    start, cells = b"h" * 10_000, [str(cell).encode() for cell in range(1000)]
    expected = [hashlib.sha256(start + cell).digest()[:16] for cell in cells]
    hashed = []

    def counting(data: bytes = b"") -> Any:
        hashed.append(len(data))
        return hashlib.sha256(data)

    monkeypatch.setattr(keys, "hashlib", SimpleNamespace(sha256=counting))
    assert keys.identities(start, cells) == expected
    assert sum(hashed) == len(start)

"""One version label is for one file of data: changed data are refused, with a ledger or without one."""

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import discreet
from discreet.certify import verify
from discreet.certify.ptable import PTable
from discreet.errors import DataChangedError, LedgerError, ReleaseError, SecretError, SpecError
from discreet.measure import keys
from discreet.measure.secret_memory import Memory
from discreet.release import run
from tests.town import folder, ledger


@pytest.fixture
def unpaid(paid: dict[str, Any]) -> dict[str, Any]:
    """The specification of a release with query keys and without a ledger."""
    return {**paid, "ledger": None, "unit": {}}


def add_person(tmp_path: Path) -> None:
    with (tmp_path / "people.csv").open("a") as file:
        file.write("999,f,n,9\n")


def test_changed_data_under_one_label_are_refused(unpaid: dict[str, Any], tmp_path: Path) -> None:
    run(unpaid, tmp_path / "one")
    run(unpaid, tmp_path / "again")
    assert folder(tmp_path / "one") == folder(tmp_path / "again")
    add_person(tmp_path)
    other_table = {**unpaid, "tables": [{"name": "o", "dimensions": ["side"], "margins": "all"}]}
    for number, spec in enumerate([unpaid, other_table]):  # both have the total
        with pytest.raises(DataChangedError, match="'v1'"):
            run(spec, tmp_path / f"two{number}")
        assert not (tmp_path / f"two{number}").exists()
    run({**unpaid, "version": "v2"}, tmp_path / "two")
    run({**unpaid, "key": "fresh", "version": "v3"}, tmp_path / "fresh")


def test_a_refused_release_keeps_nothing_that_would_refuse_the_right_data(
    unpaid: dict[str, Any], tmp_path: Path
) -> None:
    right_data = (tmp_path / "people.csv").read_text()
    run(unpaid, tmp_path / "one")
    add_person(tmp_path)
    with pytest.raises(DataChangedError):
        run({**unpaid, "tables": [{"name": "o", "dimensions": ["side"], "margins": "all"}]}, tmp_path / "two")
    (tmp_path / "people.csv").write_text(right_data)
    run({**unpaid, "tables": [{"name": "o", "dimensions": ["side"], "margins": "all"}]}, tmp_path / "two")


def test_the_file_is_private_and_holds_no_count_in_clear(unpaid: dict[str, Any], tmp_path: Path) -> None:
    run(unpaid, tmp_path / "one")
    file = tmp_path / "secret.key.memory"
    assert file.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(file)) as connection:
        ((names, hashes),) = connection.execute("SELECT names, hashes FROM cells")
    assert len(names) == len(hashes) == 16 * 4  # three categories and the total
    assert len({hashes[start : start + 16] for start in range(0, 64, 16)}) == 4
    os.chmod(file, 0o644)
    with pytest.raises(SecretError, match=r"secret\.key\.memory"):
        run(unpaid, tmp_path / "two")


def test_a_secret_from_the_environment_needs_a_path_for_its_memory(
    unpaid: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOWN", (tmp_path / "secret.key").read_text().strip())
    with pytest.raises(SpecError, match="memory"):
        run({**unpaid, "secret": {"env": "TOWN"}}, tmp_path / "one")
    spec = {**unpaid, "secret": {"env": "TOWN", "memory": str(tmp_path / "memory")}}
    run(spec, tmp_path / "one")
    add_person(tmp_path)
    with pytest.raises(DataChangedError):
        run(spec, tmp_path / "two")
    run({**unpaid, "key": "fresh", "secret": {"env": "TOWN"}}, tmp_path / "three")


@pytest.mark.parametrize("damage", ["folder", "text", "no folder"])
def test_a_memory_that_cannot_be_used_stops_the_release(unpaid: dict[str, Any], tmp_path: Path, damage: str) -> None:
    file = tmp_path / "secret.key.memory"
    if damage == "folder":
        file.mkdir()
    elif damage == "text":
        file.write_text("not a database, and long enough to be read as one" * 30)
        file.chmod(0o600)
    else:
        unpaid["secret"]["memory"] = str(tmp_path / "none" / "memory")
    with pytest.raises(SecretError, match="memory"):
        run(unpaid, tmp_path / "one")
    assert not (tmp_path / "one").exists()


def test_a_ledger_from_an_older_copy_is_noticed(paid: dict[str, Any], tmp_path: Path) -> None:
    paid["unit"] = {}
    run(paid, tmp_path / "one")
    older = (tmp_path / "town.ledger").read_bytes()
    run({**paid, "version": "v2"}, tmp_path / "two")
    (tmp_path / "town.ledger").write_bytes(older)
    with pytest.raises(LedgerError, match="mac"):
        run({**paid, "version": "v3"}, tmp_path / "three")
    (tmp_path / "secret.key.memory").unlink()
    run({**paid, "version": "v3"}, tmp_path / "three")  # without the memory nothing shows it, as docs/keys.md says


def test_an_earlier_entry_of_a_ledger_does_not_replace_a_later_one(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory", bytes(32))
    assert memory.head("a") is None
    for seq in (3, 5, 4):
        memory.record_head("a", (seq, str(seq)))
    assert memory.head("a") == (5, "5")
    assert memory.head("b") is None


def test_the_same_integers_have_the_same_noise_however_they_are_described(
    unpaid: dict[str, Any], tmp_path: Path
) -> None:
    """The digest of a table depends on its integers, not on the description of its design."""
    table = discreet.design.geometric(epsilon="0.1").certify()
    document = {**table.certificate.document, "design": {"name": "geometric", "epsilon": "1/10"}}
    same = PTable(verify.check({**document, "digest": verify.digest(document)}))
    other = discreet.design.geometric(epsilon="0.1", support=400).certify()
    assert (table.table_digest, table.digest != same.digest) == (same.table_digest, True)
    assert table.table_digest != other.table_digest
    specs = []
    for number, ptable in enumerate((table, same, other)):
        ptable.save(tmp_path / f"{number}.json")
        specs.append({**unpaid, "design": {"certificate": str(tmp_path / f"{number}.json")}})
    measurements = [run(spec, tmp_path / f"out{number}").measurements for number, spec in enumerate(specs[:2])]
    assert all((a == b).all() for a, b in zip(*measurements, strict=True))
    with pytest.raises(ReleaseError, match="other noise"):
        run(specs[2], tmp_path / "other")
    third = run({**specs[2], "version": "v2"}, tmp_path / "other").measurements
    assert not all((a == b).all() for a, b in zip(measurements[0], third, strict=True))


def test_labels_of_earlier_releases_keep_their_noise(paid: dict[str, Any], tmp_path: Path) -> None:
    """The ledger entries of earlier versions name no scheme."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "SCHEME", 1)
        first = run(paid, tmp_path / "one")
    assert first.manifest["key"]["scheme"] == 1
    again = run(paid, tmp_path / "two")
    assert folder(tmp_path / "one") == folder(tmp_path / "two")
    assert again.manifest["key"]["scheme"] == 1
    assert run({**paid, "version": "v2"}, tmp_path / "three").manifest["key"]["scheme"] == 2
    assert ledger(tmp_path).verify().spent == 4


def test_the_header_is_hashed_once_for_all_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    start, cells = b"h" * 10_000, [str(cell).encode() for cell in range(1000)]
    expected = [hashlib.sha256(start + cell).digest()[:16] for cell in cells]
    sizes = []

    def counting(data: bytes = b"") -> Any:
        sizes.append(len(data))
        return hashlib.sha256(data)

    monkeypatch.setattr(keys, "hashlib", SimpleNamespace(sha256=counting))
    assert keys.cell_identities(start, cells) == expected
    assert sum(sizes) == len(start)

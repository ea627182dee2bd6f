"""Without the secret every change of a ledger is noticed; a cut off end is noticed by the head."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from discreet.account.ledger.chain import Head
from discreet.account.ledger.ledger import Ledger
from discreet.errors import LedgerError
from tests.account.ledger.town import SECRET, cells, new

COLUMNS = ("time", "kind", "subject", "fields", "previous", "mac")
ENTRIES = 7


@pytest.fixture
def full(location: str) -> Ledger:
    """A ledger with three releases: one without cost, one complete, one refunded."""
    return fill(new(location))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of such a ledger."""
    fill(new(tmp_path / "l"))
    return tmp_path / "l"


def fill(ledger: Ledger) -> Ledger:
    ledger.reserve("nothing", 0, [], {})
    first = ledger.reserve("first", 3, cells("a", "b"), {"by": "me"})
    first.spend()
    first.complete()
    ledger.reserve("second", 2, cells("c"), {}).refund()
    assert ledger.head.seq == ENTRIES - 1
    return ledger


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def failures(path: object, head: Head | None = None) -> tuple[str, ...]:
    """Return the failures that verify lists; the message if the ledger cannot even be opened."""
    with pytest.raises(LedgerError) as refused:
        Ledger.at(path, SECRET).verify(head)  # type: ignore[arg-type]
    return refused.value.failures or (str(refused.value),)


def test_an_untouched_ledger_holds(full: Ledger) -> None:
    assert full.verify(full.head).left == 297


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("seq", range(ENTRIES))
def test_every_field_of_every_entry_is_bound(file: Path, seq: int, column: str) -> None:
    change(file, f"UPDATE discreet_entries SET {column} = {column} || ' ' WHERE seq = {seq}")
    assert failures(file)


@pytest.mark.parametrize("value", ["x'00ff'", "7", "''"])
def test_values_of_another_type_are_noticed(file: Path, value: str) -> None:
    change(file, f"UPDATE discreet_entries SET time = {value} WHERE seq = 3")
    assert any("entry 3" in line for line in failures(file))


@pytest.mark.parametrize("seq", range(ENTRIES - 1))
def test_a_removed_entry_is_noticed(file: Path, seq: int) -> None:
    change(file, f"DELETE FROM discreet_entries WHERE seq = {seq}")
    assert failures(file)
    change(
        file,
        *(f"UPDATE discreet_entries SET seq = {later - 1} WHERE seq = {later}" for later in range(seq + 1, ENTRIES)),
    )
    assert failures(file)


@pytest.mark.parametrize("seq", range(ENTRIES - 1))
def test_two_entries_in_another_order_are_noticed(file: Path, seq: int) -> None:
    change(
        file,
        f"UPDATE discreet_entries SET seq = -1 WHERE seq = {seq}",
        f"UPDATE discreet_entries SET seq = {seq} WHERE seq = {seq + 1}",
        f"UPDATE discreet_entries SET seq = {seq + 1} WHERE seq = -1",
    )
    assert failures(file)


@pytest.mark.parametrize("seq", [-1, ENTRIES, 100])
@pytest.mark.parametrize("source", range(ENTRIES))
def test_an_inserted_entry_is_noticed(file: Path, source: int, seq: int) -> None:
    columns = ", ".join(COLUMNS)
    change(file, f"INSERT INTO discreet_entries SELECT {seq}, {columns} FROM discreet_entries WHERE seq = {source}")
    assert failures(file)
    if seq > 0:
        with pytest.raises(LedgerError, match=f"entry {seq} "):
            Ledger.at(file, SECRET).reserve("third", 1, [], {})


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE discreet_cells SET digests = substr(digests, 1, 16)",
        "UPDATE discreet_cells SET digests = digests || zeroblob(16)",
        "DELETE FROM discreet_cells",
        "INSERT INTO discreet_cells VALUES (3, 1, zeroblob(16))",
        "INSERT INTO discreet_cells VALUES (4, 0, zeroblob(16))",
        "UPDATE discreet_cells SET seq = 2",
        "UPDATE discreet_unit SET pair = zeroblob(64)",
        "UPDATE discreet_unit SET pair = substr(pair, 1, length(pair) - 8)",
        """UPDATE discreet_unit SET certificate = replace(certificate, '"epsilon": "0.01"', '"epsilon": "0.001"')""",
        "UPDATE discreet_unit SET certificate = 'x'",
        "DELETE FROM discreet_unit",
    ],
)
def test_the_other_tables_are_bound_too(file: Path, statement: str) -> None:
    change(file, statement)
    assert failures(file)


def test_another_valid_certificate_is_noticed(file: Path, tmp_path: Path) -> None:
    from discreet.certify.verify import canonical
    from tests.account.ledger.town import table

    other = canonical(table("0.02").certificate.document).decode()
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("UPDATE discreet_unit SET certificate = ?", [other])
    assert any("unit" in line and "opening" in line for line in failures(file))


def test_an_older_copy_is_noticed_by_its_head(full: Ledger, location: str) -> None:
    head = full.head
    full.reserve("third", 1, [], {})
    assert full.verify(head).left == 296
    with full._store.write() as connection:
        connection.execute(sa.text(f"DELETE FROM discreet_entries WHERE seq > {head.seq - 2}"))
    assert full.verify().head.seq == head.seq - 2
    assert f"{head.seq} and the mac {head.mac[:16]}" in failures(location, head)[0]
    assert f"0 and the mac {'0' * 16}" in failures(location, Head(0, "0" * 64))[0]


def test_a_server_s_rows_are_bound_as_well(location: str, full: Ledger) -> None:
    change = sa.text("UPDATE discreet_entries SET fields = replace(fields, :old, :new)")
    with full._store.write() as connection:
        connection.execute(change, {"old": '"cost":3', "new": '"cost":1'})
    assert any("entry 2" in line for line in failures(location))


def test_a_spent_release_cannot_be_given_back_by_hiding_that_it_was_spent(file: Path) -> None:
    change(file, "DELETE FROM discreet_entries WHERE subject = 'first' AND kind <> 'reserve'")
    grant = Ledger.at(file, SECRET).find("first")
    assert grant is not None
    with pytest.raises(LedgerError, match="entry 5 ") as refused:
        grant.refund()
    assert refused.value.failures


def test_removed_entries_do_not_free_their_units(file: Path) -> None:
    """The last entry says what is used."""
    change(file, "DELETE FROM discreet_entries WHERE subject = 'first'")
    ledger = Ledger.at(file, SECRET)
    with pytest.raises(LedgerError, match="297 of 300"):
        ledger.reserve("third", 298, [], {})


def forged(file: Path, write: Callable[[Ledger, sa.Connection], object]) -> tuple[str, ...]:
    """Return the failures of a ledger with entries that have the right macs and should not be there."""
    ledger = Ledger.at(file, SECRET)
    with ledger._store.write() as connection:
        write(ledger, connection)
    return failures(file)


def steps() -> Iterator[object]:
    def append(
        kind: str, subject: str, fields: dict[str, object], by: int
    ) -> Callable[[Ledger, sa.Connection], object]:
        def write(ledger: Ledger, connection: sa.Connection) -> object:
            last = ledger._chain.last(connection)
            return ledger._chain.append(connection, last, kind, subject, fields, by)

        return write

    reserve = {"cost": 5, "cells": "", "note": {}}
    yield pytest.param(append("refund", "first", {}, -3), "refund of 'first'", id="refund what was spent")
    yield pytest.param(append("spend", "second", {"cells": ""}, 0), "spend of 'second'", id="spend a refund")
    yield pytest.param(append("spend", "new", {"cells": ""}, 0), "spend of 'new'", id="spend without a reservation")
    yield pytest.param(append("complete", "new", {}, 0), "complete of 'new'", id="complete without a reservation")
    yield pytest.param(append("reserve", "first", reserve, 5), "reserve of 'first'", id="reserve twice")
    yield pytest.param(append("reserve", "new", reserve, 4), "says that 7 units", id="a wrong sum")
    yield pytest.param(append("note", "x", {}, -1), "says that 2 units", id="a sum that changes by itself")
    yield pytest.param(
        append("reserve", "new", {**reserve, "cost": 298}, 298), "301 units are used of 300", id="beyond the capacity"
    )


@pytest.mark.parametrize(("write", "named"), list(steps()))
def test_steps_out_of_order_and_wrong_sums_are_noticed(
    file: Path, write: Callable[[Ledger, sa.Connection], object], named: str
) -> None:
    assert any(named in line for line in forged(file, write))


@pytest.mark.parametrize(
    ("statement", "seq"),
    [
        ("DELETE FROM discreet_cells", 3),
        ("UPDATE discreet_cells SET digests = zeroblob(32)", 3),
        (f"INSERT INTO discreet_cells VALUES (6, 0, X'{cells('c')[0].hex()}')", 6),
    ],
)
def test_nothing_is_spent_by_rows_that_no_entry_signed(file: Path, statement: str, seq: int) -> None:
    """The cells that were spent decide which cells are free, and whether the data changed."""
    age, true, other = cells("age", "1", "other")
    ledger = Ledger.at(file, SECRET)
    ledger.reserve("truths", 1, [age], {}).spend(([age], [true]))
    again = ledger.reserve("again", 0, [age], {})
    change(file, statement)
    with pytest.raises(LedgerError, match=f"entry {seq}\\b"):
        again.spend(([age], [other]))
    with pytest.raises(LedgerError, match=f"entry {seq}\\b"):
        ledger.known([age])
    assert ledger.find("again").state == "reserved"  # type: ignore[union-attr]


def test_the_head_of_a_manifest_tells_nothing_of_releases_that_were_refused(tmp_path: Path) -> None:
    for refusals in (0, 2):
        ledger = new(tmp_path / f"{refusals}.ledger")
        for _ in range(refusals):
            ledger.reserve("refused", 1, cells("b"), {}).refund()
        grant = ledger.reserve("first", 1, cells("a"), {})
        grant.spend()
        head = grant.head()
        assert head.seq == 1
        ledger.verify(head)
        assert [record.release for record in ledger.releases(head) if record.state == "spent"] == ["first"]
        with pytest.raises(LedgerError, match=f"9 and the mac {head.mac[:16]}"):
            ledger.releases(Head(9, head.mac))

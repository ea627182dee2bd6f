"""The chain of one ledger in its database: what was written last, and the next entry. Every row read is checked."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from discreet.account.ledger import chain, spent_cells
from discreet.account.ledger.chain import Entry, Head, History, Record
from discreet.account.ledger.store import Store, entries
from discreet.errors import LedgerError


class Book:
    """A place and the key of its chain. Its methods run within a transaction of `store`."""

    def __init__(self, store: Store, key: bytes) -> None:
        self.store, self._key = store, key

    def __repr__(self) -> str:
        return f"Book({self.store.name})"

    def append(
        self, base: Connection, last: Entry | None, kind: str, subject: str, fields: dict[str, Any], change: int = 0
    ) -> Entry:
        """The next entry; `change` is added to the units in use."""
        seq, previous, used = (0, chain.START, 0) if last is None else (last.seq + 1, last.mac, last.used)
        time = datetime.now(UTC).isoformat(timespec="microseconds")
        text = chain.canonical({**fields, "used": used + change})
        entry = chain.sign(self._key, Entry(seq, time, kind, subject, text, previous, ""))
        base.execute(insert(entries), entry._asdict())
        return entry

    def last(self, base: Connection) -> Entry:
        """The last entry."""
        found = base.execute(select(entries).order_by(entries.c.seq.desc()).limit(1)).first()
        if found is None:
            raise LedgerError(f"{self.store.name} has no entries; {chain.TAMPERED}")
        return self._genuine(found)

    def latest(self, base: Connection, kinds: Iterable[str], subject: str) -> Entry | None:
        """The last entry of those kinds on one subject."""
        chosen = select(entries).where(entries.c.kind.in_(list(kinds)), entries.c.subject == subject)
        found = base.execute(chosen.order_by(entries.c.seq.desc()).limit(1)).first()
        return None if found is None else self._genuine(found)

    def spends(self, base: Connection, last: int) -> int:
        """How many entries up to that one spent something."""
        chosen = select(func.count()).select_from(entries).where(entries.c.kind == "spend", entries.c.seq <= last)
        return int(base.execute(chosen).scalar_one())

    def record(self, base: Connection, release: str) -> Record | None:
        """A release as it stands; None where it was never reserved."""
        start = self.latest(base, ("reserve",), release)
        now = self.latest(base, chain.STATES, release)
        if start is None or now is None:
            return None
        return chain.reserved(start)._replace(state=chain.STATES[now.kind], changed=now.time)

    def protecting(self, base: Connection, release: str, protects: str | None) -> None:
        """Refuse a release that protects others than those that were spent: their losses do not add up."""
        spends = base.execute(select(entries).where(entries.c.kind == "spend").order_by(entries.c.seq))
        said = (self._genuine(row).data.get("protects") for row in spends)
        before = next((protected for protected in said if protected is not None), None)
        if before is not None and before != protects:
            raise LedgerError(
                f"{release!r} protects {protects or 'nobody named'}, and what was spent from this ledger protects"
                f" {before}: what they cost does not add up for one of these. Give the same unit, say that it is the"
                " same (unit: {name: ...}), or open another ledger"
            )

    def intact(self, base: Connection) -> History:
        """The whole chain and the cells that its entries spent, checked: what decides what is free and what changed.

        Raises
        ------
        LedgerError
            An entry, or a row of cells, is not as it was written.
        """
        history = self.replay(base).check()
        wrong = list(spent_cells.failures(base, history.cells))
        if wrong:
            raise chain.failed(wrong)
        return history

    def replay(self, base: Connection, head: Head | None = None) -> History:
        """The whole chain; `head` must be in it: an entry by its number, or what was spent by how many were before."""
        history = History(self._key)
        met, spends = head is None, 0
        for row in base.execute(select(entries).order_by(entries.c.seq)):
            entry = read(row)
            history.add(entry)
            spends += entry.kind == "spend"
            met = met or entry.head == head or (entry.kind == "spend" and Head(spends, entry.mac) == head)
        if not met and head is not None:
            history.failures.append(
                f"nothing in it has the number {head.seq} and the mac {head.mac[:16]}...: this is an older copy of the"
                " ledger, or another ledger"
            )
        return history

    def _genuine(self, row: Row[Any]) -> Entry:
        entry = read(row)
        if not chain.genuine(self._key, entry):
            raise LedgerError(f"entry {entry.seq} of {self.store.name} is not as it was written; {chain.TAMPERED}")
        return entry


def read(row: Row[Any]) -> Entry:
    """A row of the database, whatever someone put there."""
    return Entry(int(row.seq), *(str(row._mapping[name]) for name in Entry._fields[1:]))

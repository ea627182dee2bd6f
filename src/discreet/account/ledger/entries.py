"""Read and append the entries of one ledger in its database. The mac of every entry that is read is checked."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from discreet.account.ledger import chain, spent_cells
from discreet.account.ledger.chain import Entry, Head, History, Record
from discreet.account.ledger.store import Store, entries
from discreet.errors import LedgerError, ParameterError

MOST_NOTE = 1 << 16
LONGEST_NAME = 200


class ChainStore:
    """A store and the key of its chain. All methods run within a transaction of the store."""

    def __init__(self, store: Store, key: bytes) -> None:
        self.store, self._key = store, key

    def __repr__(self) -> str:
        return f"ChainStore({self.store.name})"

    def append(
        self,
        connection: Connection,
        last: Entry | None,
        kind: str,
        subject: str,
        fields: dict[str, Any],
        change: int = 0,
    ) -> Entry:
        """Append the entry after `last` and return it. `change` is added to the units in use."""
        seq, previous, used = (0, chain.START, 0) if last is None else (last.seq + 1, last.mac, last.used)
        time = datetime.now(UTC).isoformat(timespec="microseconds")
        text = chain.canonical({**fields, "used": used + change})
        entry = chain.sign(self._key, Entry(seq, time, kind, subject, text, previous, ""))
        connection.execute(insert(entries), entry._asdict())
        return entry

    def last(self, connection: Connection) -> Entry:
        """Return the last entry. Raise LedgerError if there is none."""
        row = connection.execute(select(entries).order_by(entries.c.seq.desc()).limit(1)).first()
        if row is None:
            raise LedgerError(f"{self.store.name} has no entries; {chain.TAMPERED}")
        return self._genuine(row)

    def latest(self, connection: Connection, kinds: Iterable[str], subject: str) -> Entry | None:
        """Return the last entry of these kinds on one subject; None if there is none."""
        query = select(entries).where(entries.c.kind.in_(list(kinds)), entries.c.subject == subject)
        row = connection.execute(query.order_by(entries.c.seq.desc()).limit(1)).first()
        return None if row is None else self._genuine(row)

    def spends(self, connection: Connection, last: int) -> int:
        """Return how many entries up to the number `last` are spends."""
        query = select(func.count()).select_from(entries).where(entries.c.kind == "spend", entries.c.seq <= last)
        return int(connection.execute(query).scalar_one())

    def record(self, connection: Connection, release: str) -> Record | None:
        """Return the record of a release in its present state; None if the release was never reserved."""
        reservation = self.latest(connection, ("reserve",), release)
        latest = self.latest(connection, chain.STATES, release)
        if reservation is None or latest is None:
            return None
        record = chain.reserved_record(reservation)
        return record._replace(state=chain.STATES[latest.kind], changed=latest.time)

    def check_protects(self, connection: Connection, release: str, protects: str | None) -> None:
        """Raise LedgerError if a release protects others than the releases that were spent: costs would not add up."""
        spends = connection.execute(select(entries).where(entries.c.kind == "spend").order_by(entries.c.seq))
        earlier = (self._genuine(row).data.get("protects") for row in spends)
        first = next((protected for protected in earlier if protected is not None), None)
        if first is not None and first != protects:
            raise LedgerError(
                f"{release!r} protects {protects or 'nobody named'}, and what this ledger has paid for protects"
                f" {first}: their costs do not add up. Use the same unit, state that both units are the same people"
                " (unit: {name: ...}), or open another ledger"
            )

    def intact(self, connection: Connection) -> History:
        """Check the whole chain and all cells that its entries spent, and return the history.

        Raises
        ------
        LedgerError
            An entry, or a row of cells, is not as it was written.
        """
        history = self.replay(connection).check()
        failures = list(spent_cells.failures(connection, history.cells))
        if failures:
            raise chain.failed(failures)
        return history

    def replay(self, connection: Connection, head: Head | None = None) -> History:
        """Return the history of the whole chain, with a failure if `head` is given and not in the chain.

        Parameters
        ----------
        head
            The mac of an entry, with the number of the entry or, for a spend, the number of spends up to it.
        """
        history = History(self._key)
        head_seen, spends = head is None, 0
        for row in connection.execute(select(entries).order_by(entries.c.seq)):
            entry = read(row)
            history.add(entry)
            spends += entry.kind == "spend"
            head_seen |= entry.head == head or (entry.kind == "spend" and Head(spends, entry.mac) == head)
        if not head_seen and head is not None:
            history.failures.append(
                f"no entry has the number {head.seq} and the mac {head.mac[:16]}...: this is an older copy of the"
                " ledger, or another ledger"
            )
        return history

    def _genuine(self, row: Row[Any]) -> Entry:
        """Return the entry of a row. Raise LedgerError if the entry was not written with the secret."""
        entry = read(row)
        if not chain.is_genuine(self._key, entry):
            raise LedgerError(f"entry {entry.seq} of {self.store.name} is not as Discreet wrote it; {chain.TAMPERED}")
        return entry


def read(row: Row[Any]) -> Entry:
    """Return the entry of a row of the database, whatever the types of its values."""
    return Entry(int(row.seq), *(str(row._mapping[name]) for name in Entry._fields[1:]))


def checked_note(note: Mapping[str, Any]) -> dict[str, Any]:
    """Return a note. Raise ParameterError if it cannot be written as JSON, or is too long."""
    try:
        written = chain.canonical(dict(note))
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(f"the note cannot be written as JSON ({error}); give names, texts and numbers") from None
    if len(written) > MOST_NOTE:
        raise ParameterError(f"the note takes {len(written)} bytes; keep it below {MOST_NOTE}")
    return dict(note)


def check_name(value: object, field: str) -> None:
    """Raise ParameterError unless a value is a printable text that is not too long."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME or not value.isprintable():
        raise ParameterError(f"{field} is {value!r:.60}; give a text of 1 to {LONGEST_NAME} printable characters")

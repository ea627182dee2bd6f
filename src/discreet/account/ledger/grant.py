"""A grant: units held for one release, from the moment it is reserved."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from sqlalchemy import Connection

from discreet.account.ledger import spent_cells
from discreet.account.ledger.chain import Entry, Head, Record
from discreet.account.ledger.entries import ChainStore
from discreet.account.ledger.spent_cells import Digests
from discreet.errors import DataChangedError, LedgerError


class Grant:
    """Units held for one release. Made by `Ledger.reserve` and `Ledger.find`.

    Attributes
    ----------
    state
        "reserved", "spent", "complete" or "refunded", as of the last call. The release of a grant that is found spent
        may have been drawn before. With query keys it may be drawn again, and gets the same noise. With fresh keys it
        must not be drawn again.
    release
        The name of the release.
    cost
        Units that the release holds.
    """

    def __init__(self, chain: ChainStore, record: Record, digests: Digests | None) -> None:
        self._chain, self._record, self._digests = chain, record, digests
        self.release, self.cost, self.state = record.release, record.cost, record.state

    def __repr__(self) -> str:
        return f"Grant({self.release!r}, {self.cost} units, {self.state})"

    def spend(self, truths: tuple[Sequence[bytes], Sequence[bytes]] | None = None) -> None:
        """Spend the units, right before the first draw. Spent units cannot be given back.

        A second call does nothing.

        Parameters
        ----------
        truths
            Digests of cells, and for each cell a keyed hash of 16 bytes of the cell and its true count. The hashes are
            kept with the entry. A cell that was spent before must come with a hash that was kept.

        Raises
        ------
        DataChangedError
            A cell that was spent before has another true count now. Nothing was spent or recorded. Tell only the
            steward, because this error depends on the data.
        LedgerError
            The grant was refunded, the ledger is not as it was written, or the cells of the release are not known.
        """
        with self._step() as (connection, last, state):
            if state == "refunded":
                raise LedgerError(f"{self.release!r} was refunded; nothing may be drawn: reserve it again")
            self._chain.intact(connection)
            hashes = None if truths is None else self._unchanged(connection, *truths)
            if state == "reserved":
                if self._digests is None:
                    raise LedgerError(f"to spend {self.release!r}, reserve it again with its cells")
                new = self._digests[~spent_cells.spent(connection, self._digests, self._record.seq)]
                if hashes is not None:
                    new = np.union1d(new, hashes[~spent_cells.spent(connection, hashes)])
                self._chain.check_protects(connection, self.release, self._record.protects)
                fields = {"cells": spent_cells.fingerprint(new), "protects": self._record.protects}
                entry = self._chain.append(connection, last, "spend", self.release, fields)
                spent_cells.record(connection, entry.seq, new)
        self.state = "spent" if state == "reserved" else state

    def _unchanged(self, connection: Connection, cells: Sequence[bytes], hashes: Sequence[bytes]) -> Digests:
        """Return the hashes, sorted. Raise DataChangedError if a cell was spent before with another hash."""
        digests, truths = spent_cells.unpacked(b"".join(cells)), spent_cells.unpacked(b"".join(hashes))
        order = np.argsort(digests)
        spent_truths = truths[order][spent_cells.spent(connection, digests[order])]
        if not spent_cells.spent(connection, np.sort(spent_truths)).all():
            raise DataChangedError(
                f"the data changed since cells of {self.release!r} were first released under this version label;"
                " nothing was drawn. Give changed data a new label (its cells are then paid for again), or restore the"
                " data that was first released under it"
            )
        return np.unique(truths)

    def head(self) -> Head:
        """Return the head that a manifest states: the number of spends up to this release, and the mac of its entry.

        The head is the same whenever the release is run again. It does not have the number of the entry, which would
        tell of releases that were refused in between; these refusals may depend on the data.

        Raises
        ------
        LedgerError
            The grant is not spent.
        """
        with self._chain.store.read() as connection:
            entry = self._chain.latest(connection, ("spend",), self.release)
            spends = 0 if entry is None else self._chain.spends(connection, entry.seq)
        if entry is None:
            raise LedgerError(f"{self.release!r} is {self.state}, not spent: call spend before the first draw")
        return Head(spends, entry.mac)

    def refund(self) -> None:
        """Give the units back, before they are spent. A second call does nothing.

        Raises
        ------
        LedgerError
            The units are spent, or the ledger is not as it was written.
        """
        with self._step() as (connection, last, state):
            if state == "complete":
                raise LedgerError(
                    f"{self.release!r} is complete: it is published, so its {self.cost} units cannot be given back;"
                    " nothing is left to do"
                )
            if state == "spent":
                raise LedgerError(
                    f"{self.release!r} is spent: numbers may have been drawn, so its {self.cost} units cannot be"
                    " given back; run the release again to complete it"
                )
            if state == "reserved":
                self._chain.replay(connection).check()  # only the whole chain shows that the release was not spent
                self._chain.append(connection, last, "refund", self.release, {}, -self.cost)
        self.state = "refunded"

    def complete(self) -> None:
        """Record that the release is published. A second call does nothing.

        Raises
        ------
        LedgerError
            The units are not spent.
        """
        with self._step() as (connection, last, state):
            if state not in ("spent", "complete"):
                raise LedgerError(f"{self.release!r} is {state}, not spent: call spend before the first draw")
            if state == "spent":
                self._chain.append(connection, last, "complete", self.release, {})
        self.state = "complete"

    @contextmanager
    def _step(self) -> Iterator[tuple[Connection, Entry, str]]:
        """Open a transaction that writes. Give the last entry of the chain, and the present state of the grant."""
        with self._chain.store.write() as connection:
            last, record = self._chain.last(connection), self._chain.record(connection, self.release)
            if record is None or record.seq != self._record.seq:
                raise LedgerError(f"this grant of {self.release!r} was refunded; reserve it again")
            yield connection, last, record.state

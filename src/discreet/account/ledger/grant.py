"""A grant: units held for one release, from the moment it is reserved."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from sqlalchemy import Connection

from discreet.account.ledger import spent_cells
from discreet.account.ledger.chain import Entry, Head, Record
from discreet.account.ledger.entries import Book
from discreet.account.ledger.spent_cells import Digests
from discreet.errors import DataChangedError, LedgerError


class Grant:
    """Units held for one release. Made by `Ledger.reserve` and `Ledger.find`.

    Attributes
    ----------
    state
        "reserved", "spent", "complete" or "refunded", as of the last call. A release whose grant comes back spent may
        have been drawn before: with query keys it may be drawn again, and comes out the same; with fresh keys not.
    """

    def __init__(self, book: Book, record: Record, digests: Digests | None) -> None:
        self._book, self._record, self._digests = book, record, digests
        self.release, self.cost, self.state = record.release, record.cost, record.state

    def __repr__(self) -> str:
        return f"Grant({self.release!r}, {self.cost} units, {self.state})"

    def spend(self, truths: tuple[Sequence[bytes], Sequence[bytes]] | None = None) -> None:
        """The first draw is next: from here on nothing can be given back. Again: nothing happens.

        Parameters
        ----------
        truths
            Cells, and for each of them a keyed hash of 16 bytes of itself and its true count. They are kept with what
            was spent. A cell that was spent before must come with a hash that was kept.

        Raises
        ------
        DataChangedError
            A cell that was spent before has another true count now. For the steward only: that it was raised depends
            on the data. Nothing was spent, or recorded.
        """
        with self._step() as (base, last, state):
            if state == "refunded":
                raise LedgerError(f"{self.release!r} was refunded; nothing may be drawn: reserve it again")
            self._book.intact(base)
            hashes = None if truths is None else self._unchanged(base, *truths)
            if state == "reserved":
                if self._digests is None:
                    raise LedgerError(f"to spend {self.release!r}, reserve it again with its cells")
                new = self._digests[~spent_cells.spent(base, self._digests, self._record.seq)]
                if hashes is not None:
                    new = np.union1d(new, hashes[~spent_cells.spent(base, hashes)])
                self._book.protecting(base, self.release, self._record.protects)
                fields = {"cells": spent_cells.fingerprint(new), "protects": self._record.protects}
                entry = self._book.append(base, last, "spend", self.release, fields)
                spent_cells.record(base, entry.seq, new)
        self.state = "spent" if state == "reserved" else state

    def _unchanged(self, base: Connection, given: Sequence[bytes], hashes: Sequence[bytes]) -> Digests:
        """The hashes, sorted, if every cell that was spent before comes with one that was kept."""
        names, truths = spent_cells.unpacked(b"".join(given)), spent_cells.unpacked(b"".join(hashes))
        order = np.argsort(names)
        before = truths[order][spent_cells.spent(base, names[order])]
        if not spent_cells.spent(base, np.sort(before)).all():
            raise DataChangedError(
                f"the data changed since cells of {self.release!r} were first released under this version label;"
                " nothing was drawn. Give changed data a new label (its cells are then paid for again), or restore the"
                " data that was first released under it"
            )
        return np.unique(truths)

    def head(self) -> Head:
        """What a manifest states: which of all that was spent it is, and the mac of that entry.

        It is the same whenever the release is run again. The number of the entry would tell of releases that were
        refused in between, which may depend on the data.
        """
        with self._book.store.read() as base:
            entry = self._book.latest(base, ("spend",), self.release)
            spends = 0 if entry is None else self._book.spends(base, entry.seq)
        if entry is None:
            raise LedgerError(f"{self.release!r} is {self.state}, not spent: call spend before the first draw")
        return Head(spends, entry.mac)

    def refund(self) -> None:
        """Give the units back; only before they are spent. Again: nothing happens."""
        with self._step() as (base, last, state):
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
                self._book.replay(base).check()  # that it was not spent is only known from the whole chain
                self._book.append(base, last, "refund", self.release, {}, -self.cost)
        self.state = "refunded"

    def complete(self) -> None:
        """It is published. Again: nothing happens."""
        with self._step() as (base, last, state):
            if state not in ("spent", "complete"):
                raise LedgerError(f"{self.release!r} is {state}, not spent: call spend before the first draw")
            if state == "spent":
                self._book.append(base, last, "complete", self.release, {})
        self.state = "complete"

    @contextmanager
    def _step(self) -> Iterator[tuple[Connection, Entry, str]]:
        """A write: the last entry of the chain, and the state the grant is in now."""
        with self._book.store.write() as base:
            last, now = self._book.last(base), self._book.record(base, self.release)
            if now is None or now.seq != self._record.seq:
                raise LedgerError(f"this grant of {self.release!r} was refunded; reserve it again")
            yield base, last, now.state

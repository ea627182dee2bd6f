"""A release and its ledger: what is paid before anything is drawn.

Cells that were released before, under the same definition, version, unit and table, cost nothing and come out the
same; only the others count towards the touches that are paid for. Units are held before the data are read, spent at the
first draw, and given back if anything fails before it. A release that was cut off after that goes on from the
measurements it kept (`pending`), under the name that the ledger knows it by, and pays nothing more. If it kept none, it
is run again: with query keys it has the same name in the ledger and comes out the same, with fresh keys it pays again.

The ledger also keeps, for every cell, a keyed hash of its true count. If the data changed and the version label did
not, the same keys would show the exact differences, so nothing is drawn or recorded, and the steward is told. That
holds for a cell, in whatever table it is asked for again.
"""

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.certify.ptable import PTable
from discreet.errors import LedgerError
from discreet.release import keys, secrets
from discreet.release.cells import Layout
from discreet.release.pending import Kept
from discreet.release.promise import unpromised
from discreet.release.spec import ReleaseSpec

if TYPE_CHECKING:
    from discreet.account.grant import Grant
    from discreet.account.ledger import Ledger


@dataclass(frozen=True)
class Account:
    """What a release holds in a ledger; nothing where it has none.

    Attributes
    ----------
    start
        What all its keys depend on.
    """

    start: bytes
    ledger: "Ledger | None" = None
    grant: "Grant | None" = None

    @classmethod
    def of(cls, asked: ReleaseSpec, layout: Layout, ptable: PTable, secret: bytes) -> "Account":
        """Open the ledger, and reserve nothing yet."""
        ledger = None if asked.ledger is None else _ledger(asked.ledger, secret)
        start = keys.header(
            "cell", "" if ledger is None else ledger.id, asked.version, _rule(asked, layout), ptable.digest
        )
        return cls(start, ledger)

    def reserved(self, asked: ReleaseSpec, layout: Layout, ptable: PTable) -> "Account":
        """Reserve what the release costs."""
        if self.ledger is None:
            return self
        definitions = layout.cells[0]
        once = secrets.fresh(16) if asked.key == "fresh" else b""
        digests = keys.identities(once + self.start, definitions)
        public = asked.model_dump_json(exclude={"source", "secret", "ledger", "design"})
        name = f"{asked.version} {hashlib.sha256(once + self.start + public.encode()).hexdigest()[:16]}"
        known = self.ledger.known(digests, name)
        touches = layout.touches(asked.unit.contributions, [digest in known for digest in digests])
        cost = self.ledger.cost([(ptable, touches)], asked.unit.contributions) if touches else 0
        note = {"title": asked.title, "cells": len(digests), "new": len(digests) - len(known), "touches": touches}
        composable, protects = unpromised(asked) is None, asked.unit.protects
        grant = self.ledger.reserve(name, cost, digests, note, protects=protects, composable=composable)
        return replace(self, grant=grant)

    def resumed(self, kept: Kept) -> "Account":
        """Find what kept measurements cost when they were drawn; nothing is reserved."""
        if self.ledger is None:
            return self
        grant = None if kept.release is None else self.ledger.find(kept.release)
        if grant is None or grant.state not in ("spent", "complete"):
            raise LedgerError(
                f"the measurements in {kept.file} were paid for under the name {kept.release!r:.220}, and the ledger"
                " says nothing of that: it is an older copy. Restore the ledger as it was when they were drawn (see"
                " `discreet ledger verify`)"
            )
        return replace(self, grant=grant)

    @property
    def release(self) -> str | None:
        """The name under which the ledger knows the release."""
        return None if self.grant is None else self.grant.release

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Give back what was reserved if something fails before it is spent."""
        try:
            yield
        except BaseException as error:
            self._refund(error)
            raise

    def _refund(self, error: BaseException) -> None:
        """Give back what was reserved; where that fails, say so in the error that is the reason for it."""
        if self.grant is None or self.grant.state != "reserved":
            return
        try:
            self.grant.refund()
        except LedgerError as failed:
            error.add_note(
                f"{self.grant.cost} units stay reserved for {self.grant.release!r}, as they could not be given back"
                f" ({failed}). Nothing was drawn with them: give them back with `discreet ledger refund`."
            )

    def spend(self, asked: ReleaseSpec, layout: Layout, counts: npt.NDArray[np.int64], secret: bytes) -> None:
        """The first draw is next: spend, and refuse data that changed under an unchanged version label."""
        if self.grant is None:
            return
        if asked.key != "query":
            self.grant.spend()
            return
        key = keys.derived(secret, "truth")
        names = keys.identities(self.start, layout.cells[0])
        hashes = [
            hmac.digest(key, name + count.to_bytes(8, "big", signed=True), "sha256")[:16]
            for name, count in zip(names, counts.tolist(), strict=True)
        ]
        self.grant.spend((names, hashes))

    def complete(self) -> None:
        """It is published."""
        if self.grant is not None:
            self.grant.complete()

    def head(self) -> dict[str, Any] | None:
        """What the manifest says: which ledger, and its state when the release was spent."""
        if self.ledger is None or self.grant is None:
            return None
        seq, mac = self.grant.head()
        return {"id": self.ledger.id, "seq": seq, "mac": mac, "units": self.grant.cost}


def _ledger(where: str, secret: bytes) -> "Ledger":
    from discreet.account.ledger import Ledger  # only those who have one load its database

    return Ledger.at(where, secret)


def _rule(asked: ReleaseSpec, layout: Layout) -> list[object]:
    """Whose rows count, and which of them.

    Where a person may have more rows than count, those that are kept depend on the codes of all dimensions in use. Two
    releases with other dimensions may keep others, and then a cell has two true counts, so it must not have one key.
    """
    kept = [[book.digest.hex(), *book.leaves] for book in layout.books] if asked.unit.id is not None else []
    return [asked.unit.id, asked.unit.contributions, kept]

"""A release and its ledger: what is paid before anything is drawn.

Cells that were released before, under the same definition, version, unit and table, cost nothing and come out the
same; only the others count towards the touches that are paid for. Units are held before the data are read, spent at the
first draw, and given back if anything fails before it. A release that was cut off after that goes on from the
measurements it kept (`pending`), under the name that the ledger knows it by, and pays nothing more. If it kept none, it
is run again: with query keys it has the same name in the ledger and comes out the same, with fresh keys it pays again.

The ledger also keeps, for every cell, a keyed hash of its true count. If the data changed and the version label did
not, the same keys would show the exact differences, so nothing is drawn or recorded, and the steward is told. That
holds for a cell, in whatever table it is spec for again. Without a ledger, the memory of the secret keeps them
(`memory`). It also keeps the last entry of a ledger that was seen, so that an older copy is refused.
"""

import hashlib
import hmac
import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet import interrupts
from discreet.errors import LedgerError, LostLedgerError
from discreet.measure import keys, secrets
from discreet.measure.secret_memory import Memory
from discreet.plan.guarantee import why_no_promise
from discreet.plan.layout import Layout
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.spec import ReleaseSpec

if TYPE_CHECKING:
    from discreet.account.ledger.chain import Record
    from discreet.account.ledger.grant import Grant
    from discreet.account.ledger.ledger import Ledger


@dataclass(frozen=True)
class LedgerUse:
    """What a release holds in a ledger; nothing where it has none.

    Attributes
    ----------
    start
        What all its keys depend on.
    scheme
        How keys are made from it.
    memory
        Of the secret; None where it has no place.
    """

    start: bytes
    scheme: int = keys.SCHEME
    memory: Memory | None = None
    ledger: "Ledger | None" = None
    grant: "Grant | None" = None

    @classmethod
    def of(cls, plan: ReleasePlan, secret: bytes) -> "LedgerUse":
        """Open the ledger, and reserve nothing yet."""
        spec = plan.spec
        ledger = None if spec.ledger is None else _ledger(spec.ledger, secret)
        memory = Memory.of(spec.secret, secret)
        scheme, number = keys.SCHEME, ""
        if ledger is not None:
            number = ledger.id
            scheme = _scheme(ledger.releases(None if memory is None else memory.head(number)), spec.version)
        start = keys.header(scheme, number, spec.version, _rule(spec, plan.layout), plan.ptable)
        return cls(start, scheme, memory, ledger)

    @contextmanager
    def reserved(self, plan: ReleasePlan) -> Iterator["LedgerUse"]:
        """Reserve what the release costs; give it back if something fails before it is spent."""
        held = self
        try:
            with interrupts.deferred():
                held = self._reserved(plan)
            yield held
        except BaseException as error:
            with interrupts.deferred():
                held._refund(error)
            raise

    def _reserved(self, plan: ReleasePlan) -> "LedgerUse":
        spec, layout = plan.spec, plan.layout
        if self.ledger is None:
            return self
        definitions = layout.cells.definitions
        once = secrets.fresh(16) if spec.key == "fresh" else b""
        digests = keys.identities(once + self.start, definitions)
        public = spec.model_dump_json(exclude={"source", "secret", "ledger", "design"})
        name = f"{spec.version} {hashlib.sha256(once + self.start + public.encode()).hexdigest()[:16]}"
        known = self.ledger.known(digests, name)
        touches = layout.touches(spec.unit.contributions, [digest in known for digest in digests])
        cost = self.ledger.cost([(plan.ptable, touches)], spec.unit.contributions) if touches else 0
        new = len(digests) - len(known)
        note = {"title": spec.title, "cells": len(digests), "new": new, "touches": touches, "scheme": self.scheme}
        composable, protects = why_no_promise(spec) is None, spec.unit.protects
        try:
            grant = self.ledger.reserve(name, cost, digests, note, protects=protects, composable=composable)
        except LostLedgerError as error:
            error.add_note(
                f"{cost} units may be held for {name!r}, if the server was lost just after it reserved them. Nothing"
                f" was drawn with them: if `discreet ledger show` lists them as reserved, {_give_back(name)}."
            )
            raise
        return replace(self, grant=grant)

    def resumed(self, release: str | None, file: Path) -> "LedgerUse":
        """Find what kept measurements cost when they were drawn; nothing is reserved."""
        if self.ledger is None:
            return self
        grant = None if release is None else self.ledger.find(release)
        if grant is None or grant.state not in ("spent", "complete"):
            raise LedgerError(
                f"the measurements in {file} were paid for under the name {release!r:.220}, and the ledger"
                " says nothing of that: it is an older copy. Restore the ledger as it was when they were drawn (see"
                " `discreet ledger verify`)"
            )
        return replace(self, grant=grant)

    @property
    def id(self) -> str | None:
        """The id of the ledger."""
        return None if self.ledger is None else self.ledger.id

    @property
    def release(self) -> str | None:
        """The name under which the ledger knows the release."""
        return None if self.grant is None else self.grant.release

    def _refund(self, error: BaseException) -> None:
        """Give back what was reserved; where that fails, say so in the error that is the reason for it."""
        if self.grant is None or self.grant.state != "reserved":
            return
        try:
            self.grant.refund()
        except LedgerError as failed:
            error.add_note(
                f"{self.grant.cost} units stay reserved for {self.grant.release!r}, as they could not be given back"
                f" ({failed}). Nothing was drawn with them: {_give_back(self.grant.release)}."
            )

    def spend(self, plan: ReleasePlan, counts: npt.NDArray[np.int64], secret: bytes) -> None:
        """The first draw is next: spend, and refuse data that changed under an unchanged version label."""
        truths = self._truths(plan.layout, counts, secret) if plan.spec.key == "query" else None
        if self.grant is not None and self.ledger is not None:
            self.grant.spend(truths)
            if self.memory is not None:
                self.memory.saw(self.ledger.id, self.ledger.head)
        elif truths is not None:
            assert self.memory is not None, "a specification without a place for it is refused"
            self.memory.remember(plan.spec.version, *truths)

    def _truths(self, layout: Layout, counts: npt.NDArray[np.int64], secret: bytes) -> tuple[list[bytes], list[bytes]]:
        """The name of every cell, and a keyed hash of it and of its true count."""
        key = keys.derived(secret, "truth")
        names = keys.identities(self.start, layout.cells.definitions)
        hashes = [
            hmac.digest(key, name + count.to_bytes(8, "big", signed=True), "sha256")[:16]
            for name, count in zip(names, counts.tolist(), strict=True)
        ]
        return names, hashes

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


def _give_back(release: str) -> str:
    return f"give them back with `discreet ledger refund LEDGER {shlex.quote(release)}`"


def _ledger(where: str, secret: bytes) -> "Ledger":
    from discreet.account.ledger.ledger import Ledger  # only those who have one load its database

    return Ledger.at(where, secret)


def _scheme(releases: Iterable["Record"], version: str) -> int:
    """The scheme of a label: that of its releases, which for earlier Discreets, which did not say, is 1."""
    held = (each for each in releases if each.release[:-17] == version and each.state != "refunded")
    return next((int(each.note.get("scheme", 1)) for each in held), keys.SCHEME)


def _rule(spec: ReleaseSpec, layout: Layout) -> list[object]:
    """Whose rows count, and which of them.

    Where a person may have more rows than count, those that are kept depend on the codes of all dimensions in use. Two
    releases with other dimensions may keep others, and then a cell has two true counts, so it must not have one key.
    """
    kept = [[book.digest.hex(), *book.leaves] for book in layout.books] if spec.unit.id is not None else []
    return [spec.unit.id, spec.unit.contributions, kept]

"""A release and its ledger: pay before anything is drawn.

Cells that were released before, under the same definition, version, unit and table of noise, cost nothing and get the
same noise. Only the other cells count towards the touches that are paid for; with another table a cell is a new
measurement. With several tables of noise, the units cover each person's cells of all tables, composed. Units are held
before the data are read, spent at the first draw, and given back if anything fails before the first draw. A release
that was cut off after that goes on from the measurements it kept (`pending`), under its name in the ledger, and pays
nothing more. If it kept none, it is run again: with query keys it has the same name in the ledger and the same noise,
with fresh keys it pays again.

The ledger also keeps, for every cell, a keyed hash of its true count. If the data changed and the version label did
not, the same keys would show the exact differences. So nothing is drawn or recorded, and the steward is told. This
holds for a cell in whatever table it is released again. Without a ledger, the memory of the secret keeps the hashes
(`secret_memory`), and refuses a second draw of a cell (`drawn_cells`).

What a release measures, with which noise, is kept before it draws: with the reservation in the ledger, or in the
memory. A plan under the same version label reuses it (`measure.kept_plans`).

The memory also keeps under which labels a ledger charges draws, so that no label is drawn from two ledgers, or from one
and without one. And the memory keeps the last entry of a ledger that was seen, so that an older copy is refused.
"""

import hashlib
import hmac
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet import interrupts
from discreet.arrays import Integers
from discreet.errors import LedgerError, LostLedgerError
from discreet.measure import kept_plans, keys, secrets
from discreet.measure.drawn_cells import Draw
from discreet.measure.secret_memory import Memory
from discreet.plan.frozen_plan import unit_rule
from discreet.plan.guarantee import why_no_promise
from discreet.plan.measured_cells import MeasuredCells
from discreet.plan.release_plan import ReleasePlan

if TYPE_CHECKING:
    from discreet.account.ledger.chain import Record
    from discreet.account.ledger.grant import Grant
    from discreet.account.ledger.ledger import Ledger


class Charge(NamedTuple):
    """Units of a ledger: what a release is charged, what is left without this charge, and what the ledger holds."""

    units: int
    left: int
    capacity: int


class _Priced(NamedTuple):
    """A release as a ledger sees it: name, digests of measured cells, cells known before, new touches, units."""

    name: str
    digests: list[bytes]
    known: int
    touches: int
    cost: int

    @property
    def is_new(self) -> bool:
        """True if cells are drawn that were not drawn before."""
        return self.known < len(self.digests)


@dataclass(frozen=True)
class LedgerUse:
    """What a release holds in a ledger.

    Attributes
    ----------
    starts
        For every table of noise, the header of the keys of its cells.
    scheme
        The scheme of the keys.
    memory
        The memory of the secret; None if the secret has none.
    ledger
        The ledger; None for a release without a ledger.
    grant
        The units of the release; None before they are reserved, and without a ledger.
    draw
        What the memory keeps of the draw; None with a ledger, without a memory, or if nothing composes.
    is_new
        True if units are reserved for cells that were not drawn before.
    """

    starts: tuple[bytes, ...]
    scheme: int = keys.SCHEME
    memory: Memory | None = None
    ledger: "Ledger | None" = None
    grant: "Grant | None" = None
    draw: Draw | None = None
    is_new: bool = False

    @classmethod
    def of(cls, plan: ReleasePlan, secret: bytes) -> "LedgerUse":
        """Open the ledger and the memory of a release. Nothing is reserved yet.

        Parameters
        ----------
        plan
            The plan of the release.
        secret
            The secret that the ledger was opened with.

        Raises
        ------
        LedgerError
            The ledger cannot be read, was changed, or is older than one that was seen.
        SecretError
            The memory of the secret cannot be used.
        """
        spec = plan.spec
        ledger = None if spec.ledger is None else _ledger(spec.ledger, secret)
        memory = Memory.of(spec.secret, secret)
        scheme, ledger_id = keys.SCHEME, ""
        if ledger is not None:
            ledger_id = ledger.id
            scheme = _scheme(ledger.releases(None if memory is None else memory.head(ledger_id)), spec.version)
        unit = unit_rule(spec, plan.layout)
        starts = tuple(keys.header(scheme, ledger_id, spec.version, unit, ptable) for ptable in plan.ptables)
        return cls(starts, scheme, memory, ledger)

    @contextmanager
    def reserved(self, plan: ReleasePlan) -> Iterator["LedgerUse"]:
        """Reserve the units of the release. Give them back if anything fails before they are spent.

        Refuse a release if nobody would add its draws to earlier draws under its label: without a ledger, draws of the
        same cells with other noise; with a ledger, draws that this ledger did not charge.

        Parameters
        ----------
        plan
            The plan of the release.

        Raises
        ------
        ReleaseError
            Nobody would add the draws to earlier ones.
        BudgetError
            The release costs more units than are left.
        LedgerError
            The ledger cannot be written, was changed, or refuses the release.
        """
        use = self
        try:
            use = self._checked_draw(plan)
            priced = None if self.ledger is None else self._priced(plan, self.ledger)
            if priced is not None and self.ledger is not None and self.memory is not None and priced.is_new:
                self.memory.require_counted_by(plan.spec, self.ledger.id)
            with interrupts.deferred():
                use = use._reserve(plan, priced)
            yield use
        except BaseException as error:
            with interrupts.deferred():
                use._refund(error)
            raise

    def charge(self, plan: ReleasePlan) -> "Charge | None":
        """Return what the release would be charged now. Nothing is reserved. None without a ledger.

        Raises
        ------
        BudgetError
            The release costs more units than the whole ledger has.
        LedgerError
            The ledger cannot be read, or was changed.
        """
        if self.ledger is None:
            return None
        priced = self._priced(plan, self.ledger)
        grant = self.ledger.find(priced.name)
        is_paid = grant is not None and grant.state != "refunded"
        return Charge(0 if is_paid else priced.cost, self.ledger.show().left, self.ledger.capacity)

    def _priced(self, plan: ReleasePlan, ledger: "Ledger") -> "_Priced":
        spec, measured = plan.spec, plan.measured
        nonce = secrets.random_bytes(16) if spec.key == "fresh" else b""
        digests = self._identities(measured, nonce)
        public = spec.model_dump_json(exclude={"source", "secret", "ledger", "design", "measure", "accuracy"})
        which = b"" if _all_alike(measured) else b"".join(sorted(digests))
        name_digest = hashlib.sha256(nonce + b"".join(self.starts) + public.encode() + which).hexdigest()
        name = f"{spec.version} {name_digest[:16]}"
        known = ledger.known(digests, name)
        touches = measured.touches(spec.unit.contributions, [digest in known for digest in digests])
        cost = max(_cost(ledger, plan, numbers) for numbers in touches.by_table)
        return _Priced(name, digests, len(known), touches.most, cost)

    def _identities(self, measured: MeasuredCells, nonce: bytes = b"") -> list[bytes]:
        """Return the identity of every measured cell: 16 bytes that depend on everything its key depends on."""
        identities = [b""] * measured.size
        for table, start in enumerate(self.starts):
            cells = measured.of_table(table).tolist()
            own = keys.cell_identities(nonce + start, (measured.definitions[cell] for cell in cells))
            for cell, identity in zip(cells, own, strict=True):
                identities[cell] = identity
        return identities

    def _reserve(self, plan: ReleasePlan, priced: "_Priced | None") -> "LedgerUse":
        spec = plan.spec
        if self.ledger is None or priced is None:
            return self
        name, digests, known, touches, cost = priced
        new = len(digests) - known
        note = {"title": spec.title, "cells": len(digests), "new": new, "touches": touches, "scheme": self.scheme}
        composable, protects = why_no_promise(spec) is None, spec.unit.protects
        try:
            grant = self.ledger.reserve(
                name, cost, digests, note, protects=protects, composable=composable, plan=kept_plans.label_plan(plan)
            )
        except LostLedgerError as error:
            error.add_note(
                f"{cost} units may be held for {name!r}, if the server was lost just after it reserved them. Nothing"
                f" was drawn with them: if `discreet ledger show` lists them as reserved, {_give_back(name)}."
            )
            raise
        return replace(self, grant=grant, is_new=priced.is_new)

    def resumed(self, release: str | None, file: Path) -> "LedgerUse":
        """Return the use with the grant that paid for kept measurements. Nothing is reserved.

        Parameters
        ----------
        release
            The name of the release in the ledger.
        file
            The file of the measurements, for messages.

        Raises
        ------
        LedgerError
            The ledger does not know the release as spent: it is an older copy.
        """
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
        """The id of the ledger; None without a ledger."""
        return None if self.ledger is None else self.ledger.id

    @property
    def release(self) -> str | None:
        """The name of the release in the ledger; None before it is reserved."""
        return None if self.grant is None else self.grant.release

    def _refund(self, error: BaseException) -> None:
        """Give back reserved units. If that fails, add a note to the error that is the reason for the refund."""
        if self.grant is None or self.grant.state != "reserved":
            return
        try:
            self.grant.refund()
        except LedgerError as failed:
            error.add_note(
                f"{self.grant.cost} units stay reserved for {self.grant.release!r}, as they could not be given back"
                f" ({failed}). Nothing was drawn with them: {_give_back(self.grant.release)}."
            )

    def spend(self, plan: ReleasePlan, counts: Integers, secret: bytes) -> None:
        """Spend the units, right before the first draw.

        Parameters
        ----------
        plan
            The plan of the release.
        counts
            The true count of every distinct cell of the layout.
        secret
            The secret of the release.

        Raises
        ------
        DataChangedError
            The data changed under an unchanged version label. Nothing was spent. Tell only the steward.
        LedgerError
            The ledger cannot be written, or was changed.
        SecretError
            The memory of the secret cannot be used.
        ReleaseError
            Nobody would add the draws to earlier ones.
        """
        truths = self._truths(plan.measured, counts, secret) if plan.spec.key == "query" else None
        if self.grant is not None and self.ledger is not None:
            with self._charged(plan, self.ledger):
                self.grant.spend(truths)
            if self.memory is not None:
                self.memory.record_head(self.ledger.id, self.ledger.head)
        elif self.memory is not None and self.draw is not None:
            self.memory.remember(plan.spec.version, *(truths or ([], [])), self.draw)
        else:
            assert truths is None, "a specification without a place for hashes of counts is refused"

    def _charged(self, plan: ReleasePlan, ledger: "Ledger") -> AbstractContextManager[None]:
        """Return the context in which the ledger is charged: the memory then keeps that it was."""
        if self.memory is None or not self.is_new:
            return nullcontext()
        return self.memory.charged(plan.spec, ledger.id)

    def _names(self, plan: ReleasePlan) -> list[bytes]:
        """Return the names of measured cells as the memory keeps them with true counts; none with fresh keys."""
        return self._identities(plan.measured) if plan.spec.key == "query" else []

    def _checked_draw(self, plan: ReleasePlan) -> "LedgerUse":
        """Return the use with what the memory keeps of the draw. Raise ReleaseError if it draws a cell again."""
        if self.ledger is not None or self.memory is None or plan.spec.key == "contributors":
            return self
        draw = kept_plans.draw_of(plan)
        self.memory.require_one_draw(draw, self._names(plan))
        return replace(self, draw=draw)

    def _truths(self, measured: MeasuredCells, counts: Integers, secret: bytes) -> tuple[list[bytes], list[bytes]]:
        """Return the name of every measured cell, and a keyed hash of its name and true count."""
        key = keys.derive_key(secret, "truth")
        names = self._identities(measured)
        hashes = [
            hmac.digest(key, name + count.to_bytes(8, "big", signed=True), "sha256")[:16]
            for name, count in zip(names, counts[measured.cells].tolist(), strict=True)
        ]
        return names, hashes

    def complete(self) -> None:
        """Record that the release is published."""
        if self.grant is not None:
            self.grant.complete()

    def charged(self) -> "Charge | None":
        """Return what the release was charged, and what was left before; None without a ledger."""
        if self.ledger is None or self.grant is None:
            return None
        return Charge(self.grant.cost, self.ledger.show().left + self.grant.cost, self.ledger.capacity)

    def head(self) -> dict[str, Any] | None:
        """Return what the manifest states of the ledger and its head at the spend; None without a ledger."""
        if self.ledger is None or self.grant is None:
            return None
        seq, mac = self.grant.head()
        return {"id": self.ledger.id, "seq": seq, "mac": mac, "units": self.grant.cost}


def _all_alike(measured: MeasuredCells) -> bool:
    """Return True if every grouping is measured, with one table of noise."""
    return set(measured.noise_of) == {0}


def _cost(ledger: "Ledger", plan: ReleasePlan, numbers: Sequence[int]) -> int:
    """Return the units that cover one person who is in so many new cells of each table of noise."""
    parts = [(ptable, number) for ptable, number in zip(plan.ptables, numbers, strict=True) if number]
    return ledger.cost(parts, plan.spec.unit.contributions) if parts else 0


def _give_back(release: str) -> str:
    return f"give them back with `discreet ledger refund LEDGER {shlex.quote(release)}`"


def _ledger(location: str, secret: bytes) -> "Ledger":
    from discreet.account.ledger.ledger import Ledger  # a release without a ledger does not load its database

    return Ledger.at(location, secret)


def _scheme(releases: Iterable["Record"], version: str) -> int:
    """Return the scheme of the releases of a label; 1 if they do not name it, as in earlier versions of Discreet."""
    records = (record for record in releases if record.release[:-17] == version and record.state != "refunded")
    return next((int(record.note.get("scheme", 1)) for record in records), keys.SCHEME)

"""The ledger: what privacy was granted from one budget, and to whom. Append-only; see `units`, `chain`, `store`.

    ledger = Ledger.open("town.ledger", unit=table, epsilon=5, delta="1e-6", secret=secret)
    cost = ledger.cost([(table, 8)])
    grant = ledger.reserve("2026-census", cost, cells, {"by": "steward"})
    grant.spend()           # before the first draw
    grant.complete()        # after the folder is published

Units are held from `reserve` on. They can be given back until `spend`, never after. A release that crashed is reserved
again under the same name and comes back in the state it was left in: with query keys its noise is the same.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import insert, select

from discreet import files
from discreet.account.ledger import chain, store
from discreet.account.ledger import currency as units
from discreet.account.ledger import spent_cells as digested
from discreet.account.ledger.chain import Head, History, Record
from discreet.account.ledger.currency import Budget, Parts, Unit
from discreet.account.ledger.entries import Book, read
from discreet.account.ledger.grant import Grant
from discreet.account.ledger.store import Store
from discreet.certify import verify as certificates
from discreet.certify.ptable import PTable
from discreet.errors import BudgetError, CertificateError, LedgerError, ParameterError
from discreet.exact import Number, is_integer, text

MOST_NOTE = 1 << 16
LONGEST_NAME = 200


@dataclass(frozen=True)
class Statement:
    """What a ledger says of itself.

    `epsilon` is an upper bound for all units held, at the budget's delta; `delta` is one at the budget's epsilon.
    """

    ledger: str
    name: str | None
    unit: str
    contributions: int
    budget: Budget
    capacity: int
    spent: int
    reserved: int
    epsilon: float
    delta: float
    protects: str | None
    records: tuple[Record, ...]
    head: Head

    @property
    def left(self) -> int:
        """Units that can still be granted."""
        return self.capacity - self.spent - self.reserved


class Ledger:
    """A budget in whole units of one certificate. Made by `open` and `at`; it does not keep the secret."""

    def __init__(self, book: Book, opening: Mapping[str, Any]) -> None:
        self._book, self._store = book, book.store
        self.id = str(opening["ledger"])
        self.name: str | None = opening["name"]
        self.capacity = int(opening["capacity"])
        self.contributions = int(opening["contributions"])
        self.budget = Budget.of(opening["epsilon"], opening["delta"])
        self._opening = dict(opening)

    def __repr__(self) -> str:
        return f"Ledger({self.id}, {self.capacity} units, {self.budget}, at {self._store.name})"

    @classmethod
    def open(
        cls,
        place: str | os.PathLike[str],
        *,
        unit: PTable,
        epsilon: Number,
        delta: Number,
        secret: bytes,
        contributions: int = 1,
        name: str | None = None,
    ) -> "Ledger":
        """Make a new ledger.

        Parameters
        ----------
        place
            A file (SQLite), or postgresql://user@host/database.
        unit
            The certificate that the budget is counted in.
        epsilon, delta
            What all releases together may cost one person.
        contributions
            Most rows that one person has in a grouping.

        Raises
        ------
        BudgetError
            The budget does not hold one unit.
        LedgerError
            There is something at that place already, or it cannot be written.
        """
        if name is not None:
            _name(name, "name")
        identity = secrets.token_hex(16)
        chain_key = chain.key(secret, identity)
        budget = Budget.of(epsilon, delta)
        currency, capacity = units.unit(unit, budget, contributions)
        pair, certificate = units.pack(currency.pair), certificates.canonical(unit.certificate.document).decode()
        opening = {
            "schema": chain.SCHEMA,
            "ledger": identity,
            "name": name,
            "unit": unit.digest,
            "rule": currency.rule,
            "pair": hashlib.sha256(pair).hexdigest(),
            "contributions": contributions,
            "epsilon": text(budget.epsilon),
            "delta": text(budget.delta),
            "capacity": capacity,
        }
        made = cls(Book(Store(place), chain_key), opening)
        with made._store.creation() as base:
            base.execute(insert(store.unit), {"id": 1, "certificate": certificate, "pair": pair})
            made._book.append(base, None, "open", "", opening)
        return made

    @classmethod
    def at(cls, place: str | os.PathLike[str], secret: bytes) -> "Ledger":
        """An existing ledger.

        Raises
        ------
        LedgerError
            There is none, it cannot be read, or it was opened with another secret.
        """
        where = Store(place)
        if where.path is not None and not os.path.exists(where.path):
            raise LedgerError(f"there is no ledger at {where.name}; make one with `discreet ledger open`")
        with where.read() as base:
            row = base.execute(select(store.entries).order_by(store.entries.c.seq).limit(1)).first()
        first = None if row is None else read(row)
        try:
            opening = {} if first is None else first.data
        except (ValueError, TypeError):
            opening = {}
        if first is None or first.kind != "open" or "ledger" not in opening:
            raise LedgerError(f"{where.name} has no opening entry; {chain.TAMPERED}")
        chain_key = chain.key(secret, str(opening["ledger"]))
        if not chain.genuine(chain_key, first):
            raise LedgerError(
                f"{where.name} was opened with another secret, or its first entry was changed: give the secret it was"
                " opened with (see `discreet keys fingerprint`)"
            )
        if opening["schema"] != chain.SCHEMA:
            raise LedgerError(
                f"{where.name} has schema {opening['schema']!r}, and this Discreet reads {chain.SCHEMA}: upgrade it"
            )
        return cls(Book(where, chain_key), opening)

    # What a release costs

    @cached_property
    def unit(self) -> Unit:
        """The currency: the certificate, checked, and its pair."""
        with self._store.read() as base:
            row = base.execute(select(store.unit)).first()
        if row is None or hashlib.sha256(row.pair).hexdigest() != self._opening["pair"]:
            raise LedgerError(f"the unit of {self._store.name} is not that of its opening; {chain.TAMPERED}")
        try:
            ptable = PTable(certificates.check(json.loads(row.certificate)))
        except (CertificateError, ValueError) as error:
            raise LedgerError(f"the unit of {self._store.name} does not hold ({error}); {chain.TAMPERED}") from None
        if ptable.digest != self._opening["unit"]:
            raise LedgerError(f"the unit of {self._store.name} is not that of its opening; {chain.TAMPERED}")
        return Unit(ptable, self.contributions, self._opening["rule"], units.unpack(row.pair))

    def cost(self, parts: Parts, contributions: int | None = None) -> int:
        """The least number of units that a release is dominated by.

        Parameters
        ----------
        parts
            (table, touches): for each table how many of the cells drawn from it contain one person. Leave out cells
            that were spent before (`known`).
        contributions
            Most rows of one person in a grouping of this release; the ledger's unless given.

        Raises
        ------
        BudgetError
            It takes more units than the whole ledger has.
        """
        rows = self.contributions if contributions is None else contributions
        found = self.unit.cost(parts, rows, self.capacity)
        if found is None:
            raise BudgetError(
                self.unit.why_refused(parts, rows, self.capacity),
                asked=self.capacity + 1,
                left=self.capacity,
            )
        return found

    def known(self, cells: Iterable[bytes], release: str | None = None) -> set[bytes]:
        """Those of the cells that were spent before: they cost nothing more, and with query keys come out the same.

        With `release`, the name of a release that was reserved and crashed: as it was when that was reserved.
        """
        asked = digested.digests(cells)
        with self._store.read() as base:
            self._book.intact(base)
            record = None if release is None else self._book.record(base, release)
            before = None if record is None or record.state == "refunded" else record.seq
            return digested.texts(asked[digested.spent(base, asked, before)])

    # Grants

    def reserve(
        self,
        release: str,
        cost: int,
        cells: Iterable[bytes],
        note: Mapping[str, Any],
        *,
        protects: str | None = None,
        composable: bool = True,
    ) -> "Grant":
        """Hold units for a release, before anything is drawn.

        The same release again, with the same cost and cells, gives the same grant in the state it is in.

        Parameters
        ----------
        release
            A name that no other release of the ledger has.
        cells
            The digests, 16 bytes each, of all cells that will be drawn.
        note
            What `show` says of it; it holds nothing that depends on the data.
        protects
            Whose privacy the units are of: what identifies one of them in the data. All releases that are spent from
            one ledger must protect the same; None leaves that to the caller.
        composable
            False for what has no composed guarantee: keys made from contributors, codebooks read from the data.

        Raises
        ------
        BudgetError
            More was asked for than is left.
        """
        _name(release, "release")
        if not is_integer(cost) or cost < 0:
            raise ParameterError(f"cost is {cost!r:.60}; give what `cost` returned, an integer of 0 or more")
        if not composable:
            raise LedgerError(
                f"{release!r} has no composed guarantee (keys made from contributors, or categories read from the"
                " data), and no ledger can grant it: use query keys and declared categories, or publish it without one"
            )
        digests, note = digested.digests(cells), _note(note)
        asked = {"cost": cost, "cells": digested.fingerprint(digests), "protects": protects}
        with self._store.write() as base:
            last, record = self._book.last(base), self._book.record(base, release)
            if record is None or record.state == "refunded":
                self._book.protecting(base, release, protects)
                left = self.capacity - last.used
                if cost > left:
                    raise BudgetError(
                        f"{release!r} asks for {cost} units and {left} of {self.capacity} are left; nothing was"
                        " reserved: publish fewer cells, use more noise, or refund what was reserved and never drawn",
                        asked=cost,
                        left=left,
                    )
                fields = {**asked, "count": len(digests), "note": note}
                record = chain.reserved(self._book.append(base, last, "reserve", release, fields, cost))
            elif {"cost": record.cost, "cells": record.cells, "protects": record.protects} != asked:
                remedy = "refund it first, or" if record.state == "reserved" else "it is spent:"
                raise LedgerError(
                    f"{release!r} was reserved before, for {record.cost} units, with another cost, other cells or"
                    " another unit;"
                    f" {remedy} use another name for what is another release"
                )
        return Grant(self._book, record, digests)

    def find(self, release: str) -> "Grant | None":
        """The grant of a release, to refund or to complete it; None where it was never reserved."""
        with self._store.read() as base:
            record = self._book.record(base, release)
        return None if record is None else Grant(self._book, record, None)

    # The chain

    @property
    def head(self) -> Head:
        """The last entry: it goes into the manifest, so that an older copy of the ledger is noticed."""
        with self._store.read() as base:
            return self._book.last(base).head

    def releases(self, head: Head | tuple[int, str] | None = None) -> tuple[Record, ...]:
        """Every release that was reserved, as it stands.

        Parameters
        ----------
        head
            From a manifest, or seen earlier: the chain must contain it.

        Raises
        ------
        LedgerError
            It is an older copy, another ledger, or an entry is not as it was written.
        """
        with self._store.read() as base:
            return tuple(self._book.replay(base, None if head is None else Head(*head)).check().records.values())

    def verify(self, head: Head | tuple[int, str] | None = None) -> Statement:
        """Recompute everything: the chain, the sums, the order of steps, the cells, the certificate, the capacity.

        Parameters
        ----------
        head
            From a manifest: the chain must contain it.

        Raises
        ------
        LedgerError
            `failures` lists every check that failed.
        """
        with self._store.read() as base:
            history = self._book.replay(base, None if head is None else Head(*head))
            failures = history.failures + list(digested.failures(base, history.cells))
        try:
            if not units.holds(self.unit, self.budget, self.capacity):
                failures.append("the capacity is not that of the unit and the budget")
        except LedgerError as error:
            failures.append(str(error))
        if failures:
            raise chain.failed(failures)
        return self._statement(history.check())

    def show(self) -> Statement:
        """What was granted, to whom, when, and what is left."""
        with self._store.read() as base:
            return self._statement(self._book.replay(base).check())

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the chain as JSON lines, the unit's certificate first; without cells and hashes of true counts.

        Nothing is overwritten: it could be the ledger itself, or the secret.
        """
        target = files.new_path(path)
        with self._store.read() as base:
            rows = [read(row) for row in base.execute(select(store.entries).order_by(store.entries.c.seq))]
        lines: list[dict[str, Any]] = [{"format": "discreet-ledger", "unit": self.unit.ptable.certificate.document}]
        for entry in rows:
            fields = {name: value for name, value in entry.data.items() if name != "mac"}
            lines.append({**entry._asdict(), "fields": fields})
        files.write(target, "".join(chain.canonical(line) + "\n" for line in lines).encode())

    def _statement(self, history: History) -> Statement:
        assert history.last is not None
        held = [record for record in history.records.values() if record.state != "refunded"]
        reserved = sum(record.cost for record in held if record.state == "reserved")
        epsilon, delta = self.unit.composed(history.used, self.budget)
        return Statement(
            self.id, self.name, self._opening["unit"], self.contributions, self.budget, self.capacity,
            history.used - reserved, reserved, epsilon, delta, history.protects, tuple(history.records.values()),
            history.last.head,
        )  # fmt: skip


def _note(note: Mapping[str, Any]) -> dict[str, Any]:
    try:
        written = chain.canonical(dict(note))
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(f"the note cannot be written as JSON ({error}); give names, texts and numbers") from None
    if len(written) > MOST_NOTE:
        raise ParameterError(f"the note takes {len(written)} bytes; keep it below {MOST_NOTE}")
    return dict(note)


def _name(value: object, what: str) -> None:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME or not value.isprintable():
        raise ParameterError(f"{what} is {value!r:.60}; give a text of 1 to {LONGEST_NAME} printable characters")

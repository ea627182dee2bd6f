"""The ledger: an append-only record of the privacy that was granted from one budget, and to whom.

    ledger = Ledger.open("town.ledger", unit=table, epsilon=5, delta="1e-6", secret=secret)
    cost = ledger.cost([(table, 8)])
    grant = ledger.reserve("2026-census", cost, cells, {"by": "steward"})
    grant.spend()           # before the first draw
    grant.complete()        # after the folder is published

Units are held from `reserve` on. They can be given back until `spend`, never after. A release that crashed is reserved
again under the same name, and its grant has the state it was left in. With query keys its noise is the same.

    currency      units of one certificate: how many a budget holds, what a release costs
    chain         entries that are bound to each other
    entries       the chain in the database
    opening       the first entry, and the unit
    spent_cells   the cells that were spent
    label_plans   what releases measured, by version label
    store         the database
"""

import os
import secrets
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from sqlalchemy import insert, select

from discreet import files
from discreet.account.ledger import chain, currency, label_plans, spent_cells, store
from discreet.account.ledger.chain import Head, History, Record
from discreet.account.ledger.currency import Budget, Parts, Unit
from discreet.account.ledger.entries import ChainStore, check_name, checked_note, read
from discreet.account.ledger.grant import Grant
from discreet.account.ledger.label_plans import LabelPlan
from discreet.account.ledger.opening import new_opening, read_opening, read_unit
from discreet.account.ledger.statement import Statement
from discreet.account.ledger.store import Store
from discreet.certify.ptable import PTable
from discreet.errors import BudgetError, LedgerError, ParameterError
from discreet.exact import Number, is_integer


class Ledger:
    """A budget in whole units of one certificate. Made by `open` and `at`; it does not keep the secret.

    Attributes
    ----------
    id, name
        The id of the ledger, and its name if it has one.
    capacity
        Units of the whole ledger.
    contributions
        Most rows that one person has in a grouping.
    budget
        The epsilon and the delta that all releases together may cost one person.

    Examples
    --------
    >>> import secrets, tempfile
    >>> import discreet as dc
    >>> folder, secret = tempfile.TemporaryDirectory(), secrets.token_bytes(32)
    >>> unit = dc.design.geometric(epsilon="0.1", upper=100).certify()
    >>> ledger = dc.account.Ledger.open(f"{folder.name}/town", unit=unit, epsilon=1, delta=0, secret=secret)
    >>> cells = [b"population by ag", b"population by se"]
    >>> grant = ledger.reserve("2026-census", ledger.cost([(unit, 2)]), cells, {"by": "steward"})
    >>> grant.spend()
    >>> ledger.capacity, ledger.show().left
    (10, 8)
    >>> folder.cleanup()
    """

    def __init__(self, chain_store: ChainStore, opening: Mapping[str, Any]) -> None:
        self._chain, self._store = chain_store, chain_store.store
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
        location: str | os.PathLike[str],
        *,
        unit: PTable,
        epsilon: Number,
        delta: Number,
        secret: bytes,
        contributions: int = 1,
        name: str | None = None,
    ) -> "Ledger":
        """Make a new ledger, and return it.

        Parameters
        ----------
        location
            The path of a file (SQLite), or postgresql://user@host/database.
        unit
            The certified table that the budget is counted in.
        epsilon, delta
            What all releases together may cost one person.
        secret
            32 random bytes. The same secret opens the ledger again.
        contributions
            Most rows that one person has in a grouping.
        name
            A name for people; the ledger also has an id.

        Raises
        ------
        BudgetError
            The budget does not hold one unit.
        LedgerError
            There is something at the location already, or it cannot be written.
        SecretError
            The secret is not 32 bytes.
        """
        if name is not None:
            check_name(name, "name")
        identity = secrets.token_hex(16)
        chain_key = chain.derive_key(secret, identity)
        opening = new_opening(identity, name, unit, Budget.of(epsilon, delta), contributions)
        ledger = cls(ChainStore(Store(location), chain_key), opening.fields)
        with ledger._store.creation() as connection:
            connection.execute(insert(store.unit), opening.unit_row)
            ledger._chain.append(connection, None, "open", "", opening.fields)
        return ledger

    @classmethod
    def at(cls, location: str | os.PathLike[str], secret: bytes) -> "Ledger":
        """Return an existing ledger.

        Parameters
        ----------
        location
            The path of a file (SQLite), or postgresql://user@host/database.
        secret
            The secret that the ledger was opened with.

        Raises
        ------
        LedgerError
            There is no ledger at the location, it cannot be read, or it was opened with another secret.
        """
        database = Store(location)
        if database.path is not None and not os.path.exists(database.path):
            raise LedgerError(f"there is no ledger at {database.name}; make one with `discreet ledger open`")
        chain_key, opening = read_opening(database, secret)
        return cls(ChainStore(database, chain_key), opening)

    @cached_property
    def unit(self) -> Unit:
        """The unit of the budget: the certificate, checked, and its pair."""
        return read_unit(self._store, self._opening)

    def cost(self, parts: Parts, contributions: int | None = None) -> int:
        """Return what a release costs: the least number of units that dominate it.

        Parameters
        ----------
        parts
            (table, touches): for each table how many of the cells drawn from it contain one person. Leave out cells
            that were spent before (`known`).
        contributions
            Most rows of one person in a grouping of this release. None: as many as the ledger was opened with.

        Raises
        ------
        BudgetError
            The release costs more units than the whole ledger has.
        ParameterError
            A number is not an integer in its range, or a table is on a cycle and the unit is not, or the reverse.
        """
        rows = self.contributions if contributions is None else contributions
        units = self.unit.cost(parts, rows, self.capacity)
        if units is None:
            reason = self.unit.why_refused(parts, rows, self.capacity)
            raise BudgetError(reason, requested=self.capacity + 1, left=self.capacity)
        return units

    def known(self, cells: Iterable[bytes], release: str | None = None) -> set[bytes]:
        """Return the cells that were spent before. They cost nothing more, and with query keys get the same noise.

        Parameters
        ----------
        cells
            Digests of 16 bytes.
        release
            The name of a release that was reserved and crashed. Only cells that were spent before that reservation
            count, so that the cost of the release comes out the same.

        Raises
        ------
        LedgerError
            An entry, or a row of cells, is not as it was written.
        """
        digests = spent_cells.digests(cells)
        with self._store.read() as connection:
            self._chain.intact(connection)
            record = None if release is None else self._chain.record(connection, release)
            before = None if record is None or record.state == "refunded" else record.seq
            return spent_cells.as_bytes(digests[spent_cells.spent(connection, digests, before)])

    def reserve(
        self,
        release: str,
        cost: int,
        cells: Iterable[bytes],
        note: Mapping[str, Any],
        *,
        protects: str | None = None,
        composable: bool = True,
        plan: LabelPlan | None = None,
    ) -> "Grant":
        """Hold units for a release, before anything is drawn.

        To reserve a release again, with the same cost and cells, gives the same grant in its present state.

        Parameters
        ----------
        release
            A name that no other release of the ledger has.
        cost
            Units, as `cost` returned them.
        cells
            The digests, 16 bytes each, of all cells that will be drawn.
        note
            Names, texts and numbers that `show` prints. They must not depend on the data.
        protects
            Whose privacy the units are of: what identifies one person in the data. All releases that are spent from
            one ledger must protect the same. None leaves that to the caller.
        composable
            False for a release without a composed guarantee: keys made from contributors, codebooks read from the data.
        plan
            What the release measures, to be kept under its version label; None: nothing is kept.

        Returns
        -------
        Grant
            The units, to be spent, refunded and completed.

        Raises
        ------
        BudgetError
            The cost is above the units that are left.
        LedgerError
            The release is not composable, protects others than earlier releases, was reserved before with another
            cost or other cells, or was planned before another release of its label was reserved.
        ParameterError
            The name, the cost, a digest or the note is not valid.
        """
        check_name(release, "release")
        if not is_integer(cost) or cost < 0:
            raise ParameterError(f"cost is {cost!r:.60}; give what `cost` returned, an integer of 0 or more")
        if not composable:
            raise LedgerError(
                f"{release!r} has no composed guarantee (keys made from contributors, or categories read from the"
                " data), and no ledger can grant it: use query keys and declared categories, or publish it without one"
            )
        digests, note = spent_cells.digests(cells), checked_note(note)
        terms = {"cost": cost, "cells": spent_cells.fingerprint(digests), "protects": protects}
        with self._store.write() as connection:
            last, record = self._chain.last(connection), self._chain.record(connection, release)
            kept = [] if plan is None else label_plans.kept(self._chain, connection, release, plan)
            if record is None or record.state == "refunded":
                self._chain.check_protects(connection, release, protects)
                left = self.capacity - last.used
                if cost > left:
                    raise BudgetError(
                        f"{release!r} asks for {cost} units and {left} of {self.capacity} are left; nothing was"
                        " reserved: publish fewer cells, use more noise, or refund a release that was never drawn",
                        requested=cost,
                        left=left,
                    )
                fields = {**terms, "count": len(digests), "note": note}
                record = chain.reserved_record(self._chain.append(connection, last, "reserve", release, fields, cost))
            elif {"cost": record.cost, "cells": record.cells, "protects": record.protects} != terms:
                remedy = "refund it first, or" if record.state == "reserved" else "it is spent:"
                raise LedgerError(
                    f"{release!r} was reserved before, for {record.cost} units, with another cost, other cells or"
                    f" another unit; {remedy} use another name for another release"
                )
            if plan is not None and plan.text not in kept:
                label_plans.keep(self._chain, connection, release, plan)
        return Grant(self._chain, record, digests)

    def plans(self, label: str) -> list[str]:
        """Return what releases under a version label measured, as they were kept by `reserve`, in order.

        Plans of releases that were refunded are left out.

        Raises
        ------
        LedgerError
            An entry is not as it was written.
        """
        with self._store.read() as connection:
            return self._chain.replay(connection).check().plans_of(label)

    def find(self, release: str) -> "Grant | None":
        """Return the grant of a release, to refund or complete it; None if the release was never reserved."""
        with self._store.read() as connection:
            record = self._chain.record(connection, release)
        return None if record is None else Grant(self._chain, record, None)

    @property
    def head(self) -> Head:
        """The last entry. An older copy of the ledger does not have it."""
        with self._store.read() as connection:
            return self._chain.last(connection).head

    def releases(self, head: Head | tuple[int, str] | None = None) -> tuple[Record, ...]:
        """Return every release that was reserved, in its present state.

        Parameters
        ----------
        head
            A head from a manifest, or one seen earlier. The chain must contain it.

        Raises
        ------
        LedgerError
            The chain lacks the head (an older copy, or another ledger), or an entry is not as it was written.
        """
        with self._store.read() as connection:
            return tuple(self._chain.replay(connection, None if head is None else Head(*head)).check().records.values())

    def verify(self, head: Head | tuple[int, str] | None = None) -> Statement:
        """Recompute everything: the chain, the sums, the order of steps, the cells, the certificate, the capacity.

        Parameters
        ----------
        head
            A head from a manifest. The chain must contain it.

        Returns
        -------
        Statement
            The state of the ledger, if every check holds.

        Raises
        ------
        LedgerError
            A check fails; `failures` lists every one.
        """
        with self._store.read() as connection:
            history = self._chain.replay(connection, None if head is None else Head(*head))
            failures = history.failures + list(spent_cells.failures(connection, history.cells))
        try:
            if not currency.unit_holds(self.unit, self.budget, self.capacity):
                failures.append("the capacity does not follow from the unit and the budget")
        except LedgerError as error:
            failures.append(str(error))
        if failures:
            raise chain.failed(failures)
        return self._statement(history.check())

    def show(self) -> Statement:
        """Return what was granted, to whom, when, and what is left. Raise LedgerError if the chain was changed."""
        with self._store.read() as connection:
            return self._statement(self._chain.replay(connection).check())

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the chain as JSON lines, the unit's certificate first, without cells and hashes of true counts.

        Parameters
        ----------
        path
            A new file. No file is overwritten: it could be the ledger itself, or the secret.

        Raises
        ------
        OutputError
            The file exists or cannot be written.
        """
        target = files.new_path(path)
        with self._store.read() as connection:
            rows = [read(row) for row in connection.execute(select(store.entries).order_by(store.entries.c.seq))]
        lines: list[dict[str, Any]] = [{"format": "discreet-ledger", "unit": self.unit.ptable.certificate.document}]
        for entry in rows:
            fields = {name: value for name, value in entry.data.items() if name != "mac"}
            lines.append({**entry._asdict(), "fields": fields})
        files.write(target, "".join(chain.canonical(line) + "\n" for line in lines).encode())

    def _statement(self, history: History) -> Statement:
        assert history.last is not None
        reserved = sum(record.cost for record in history.records.values() if record.state == "reserved")
        epsilon, delta = self.unit.composed(history.used, self.budget)
        return Statement(
            self.id, self.name, self._opening["unit"], self.contributions, self.budget, self.capacity,
            history.used - reserved, reserved, epsilon, delta, history.protects, tuple(history.records.values()),
            history.last.head,
        )  # fmt: skip

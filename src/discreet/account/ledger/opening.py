"""The first entry of a ledger: its budget, its unit and its capacity; and the unit as it is stored."""

import hashlib
import json
from typing import Any, NamedTuple

from sqlalchemy import select

from discreet.account.ledger import chain, currency, store
from discreet.account.ledger.currency import Budget, Unit
from discreet.account.ledger.entries import read
from discreet.account.ledger.store import Store
from discreet.certify import verify as certificates
from discreet.certify.ptable import PTable
from discreet.errors import CertificateError, LedgerError
from discreet.exact import text


class Opening(NamedTuple):
    """The fields of the first entry, and the row of the table that stores the unit."""

    fields: dict[str, Any]
    unit_row: dict[str, Any]


def new_opening(identity: str, name: str | None, ptable: PTable, budget: Budget, contributions: int) -> Opening:
    """Return the opening of a new ledger. Raise BudgetError if the budget does not hold one unit."""
    unit, capacity = currency.choose_unit(ptable, budget, contributions)
    pair = currency.pack(unit.pair)
    fields = {
        "schema": chain.SCHEMA,
        "ledger": identity,
        "name": name,
        "unit": ptable.digest,
        "rule": unit.rule,
        "pair": hashlib.sha256(pair).hexdigest(),
        "contributions": contributions,
        "epsilon": text(budget.epsilon),
        "delta": text(budget.delta),
        "capacity": capacity,
    }
    certificate = certificates.canonical(ptable.certificate.document).decode()
    return Opening(fields, {"id": 1, "certificate": certificate, "pair": pair})


def read_opening(database: Store, secret: bytes) -> tuple[bytes, dict[str, Any]]:
    """Return the key of the chain and the fields of the first entry.

    Raise LedgerError if the first entry does not open a ledger, was not written with the secret, or has another schema.
    """
    with database.read() as connection:
        row = connection.execute(select(store.entries).order_by(store.entries.c.seq).limit(1)).first()
    entry = None if row is None else read(row)
    try:
        opening = {} if entry is None else entry.data
    except (ValueError, TypeError):
        opening = {}
    if entry is None or entry.kind != "open" or "ledger" not in opening:
        raise LedgerError(f"{database.name} has no opening entry; {chain.TAMPERED}")
    chain_key = chain.derive_key(secret, str(opening["ledger"]))
    if not chain.is_genuine(chain_key, entry):
        raise LedgerError(
            f"{database.name} was opened with another secret, or its first entry was changed: give the secret it was"
            " opened with (see `discreet keys fingerprint`)"
        )
    if opening["schema"] != chain.SCHEMA:
        raise LedgerError(
            f"{database.name} has schema {opening['schema']!r}, and this Discreet reads {chain.SCHEMA}: upgrade it"
        )
    return chain_key, opening


def read_unit(database: Store, opening: dict[str, Any]) -> Unit:
    """Return the unit of a ledger. Raise LedgerError unless its certificate holds and the opening binds it."""
    with database.read() as connection:
        row = connection.execute(select(store.unit)).first()
    if row is None or hashlib.sha256(row.pair).hexdigest() != opening["pair"]:
        raise LedgerError(f"the unit of {database.name} differs from the unit in its opening entry; {chain.TAMPERED}")
    try:
        ptable = PTable(certificates.check(json.loads(row.certificate)))
    except (CertificateError, ValueError) as error:
        raise LedgerError(
            f"the certificate of the unit of {database.name} does not hold ({error}); {chain.TAMPERED}"
        ) from None
    if ptable.digest != opening["unit"]:
        raise LedgerError(f"the unit of {database.name} differs from the unit in its opening entry; {chain.TAMPERED}")
    return Unit(ptable, int(opening["contributions"]), opening["rule"], currency.unpack(row.pair))

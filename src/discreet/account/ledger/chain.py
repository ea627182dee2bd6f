"""The chain of a ledger: entries, each bound to the entry before it by a keyed hash, and the history they tell.

    mac = HMAC-SHA256(key, [seq, time, kind, subject, fields, previous mac]),      written as canonical JSON,

with a key derived from the secret and the ledger's id. Without the secret nobody can edit, remove, insert or reorder
entries unnoticed. Anybody can cut off the end: an older copy of a ledger is a valid ledger. So the head (the number and
the mac of an entry) goes into every manifest, and `Ledger.verify` compares it.

A release goes through these steps, and no others:

    reserve -> spend -> complete        units are held from reserve on; at the first draw they are spent
    reserve -> refund                   only before the first draw; after it the release may be reserved again

The entry `plan` keeps what a release measures, with which noise, after the release was reserved. It changes no state.

`used` in every entry is the sum of units held after the entry. The entry of a spend binds the cells that it spent, and
says whose privacy was spent, which is the same in all entries of one ledger.
"""

import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from discreet.errors import LedgerError, SecretError

START = "0" * 64
SCHEMA = 1
STATES = {"reserve": "reserved", "spend": "spent", "complete": "complete", "refund": "refunded"}
NEXT: dict[str | None, tuple[str, ...]] = {
    None: ("reserve",),
    "refunded": ("reserve",),
    "reserved": ("spend", "refund"),
    "spent": ("complete",),
    "complete": (),
}
TAMPERED = "other software changed it; see `discreet ledger verify`"


class Head(NamedTuple):
    """The number and the mac of an entry. A manifest states a head; an older copy of the ledger does not have it."""

    seq: int
    mac: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.mac}"


class Entry(NamedTuple):
    """One row of the chain, as stored; `fields` is canonical JSON."""

    seq: int
    time: str
    kind: str
    subject: str
    fields: str
    previous: str
    mac: str

    @property
    def data(self) -> dict[str, Any]:
        """The fields, parsed."""
        return dict(json.loads(self.fields))

    @property
    def used(self) -> int:
        """Units held after the entry."""
        return int(self.data["used"])

    @property
    def head(self) -> Head:
        """The number and the mac of the entry."""
        return Head(self.seq, self.mac)


class Record(NamedTuple):
    """What a ledger knows of one release.

    Attributes
    ----------
    release
        The name of the release.
    cost
        Units that the release holds.
    state
        "reserved", "spent", "complete" or "refunded".
    reserved, changed
        When the release was reserved, and when its state last changed.
    note
        The note of the reservation.
    cells
        The fingerprint of the release's cells.
    seq
        The number of the entry that reserved the release.
    protects
        Whose privacy the units are of; None if the release did not say.
    """

    release: str
    cost: int
    state: str
    reserved: str
    changed: str
    note: dict[str, Any]
    cells: str
    seq: int
    protects: str | None = None


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value: sorted keys, ASCII, no spaces."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def derive_key(secret: bytes, ledger: str) -> bytes:
    """Return the key of the chain of the ledger with this id. Raise SecretError if the secret is not 32 bytes."""
    if not isinstance(secret, bytes) or len(secret) != 32:
        raise SecretError("a ledger's secret is 32 random bytes; make one with `discreet keys new FILE`")
    return hmac.digest(secret, f"discreet ledger chain {ledger}".encode(), "sha256")


def sign(chain_key: bytes, entry: Entry) -> Entry:
    """Return the entry with its mac."""
    text = canonical([entry.seq, entry.time, entry.kind, entry.subject, entry.fields, entry.previous])
    return entry._replace(mac=hmac.new(chain_key, text.encode(), hashlib.sha256).hexdigest())


def is_genuine(chain_key: bytes, entry: Entry) -> bool:
    """Return True if the entry was written with the secret."""
    return hmac.compare_digest(sign(chain_key, entry).mac.encode(), str(entry.mac).encode())


def reserved_record(entry: Entry) -> Record:
    """Return the record of the release that an entry reserved."""
    data = entry.data
    return Record(
        entry.subject, data["cost"], "reserved", entry.time, entry.time, data["note"], data["cells"], entry.seq,
        data.get("protects"),
    )  # fmt: skip


@dataclass
class History:
    """A chain, replayed entry by entry.

    Attributes
    ----------
    opening
        The fields of the first entry.
    records
        Every release that was reserved, by name.
    cells
        For every entry that spent, by its number, the fingerprint of the cells.
    last
        The last entry.
    used
        Units held.
    protects
        Whose privacy was spent; None if no release said so.
    plans
        For every entry `plan`, the name of its release, the version label, and the plan.
    failures
        A line for every entry that is not as it was written. Empty if and only if the whole chain is.
    """

    chain_key: bytes
    opening: dict[str, Any] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    cells: dict[int, str] = field(default_factory=dict)
    last: Entry | None = None
    used: int = 0
    protects: str | None = None
    plans: list[tuple[str, str, str]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """Replay the next entry."""
        seq, previous = (0, START) if self.last is None else (self.last.seq + 1, self.last.mac)
        if entry.seq != seq:
            self.failures.append(f"entry {entry.seq} comes where entry {seq} belongs: an entry was removed or inserted")
        elif entry.previous != previous:
            self.failures.append(f"entry {seq} does not follow the entry before it")
        self.last = entry
        if not is_genuine(self.chain_key, entry):
            self.failures.append(f"entry {entry.seq} ({entry.kind!s:.20}) was changed after it was written")
        else:
            self.failures.extend(f"entry {entry.seq}: {failure}" for failure in self._step(entry))

    def _step(self, entry: Entry) -> Iterator[str]:
        """Take the step of an entry, and yield a line for everything that is wrong with the step."""
        if entry.seq == 0:
            self.opening = entry.data
        elif entry.kind in STATES:
            yield from self._change_state(entry)
            if entry.kind == "spend":
                yield from self._spend(entry)
        elif entry.kind == "plan":
            self.plans.append((entry.subject, str(entry.data["label"]), str(entry.data["plan"])))
            if entry.subject not in self.records:
                yield f"it is the plan of {entry.subject!r}, which is not reserved"
        if entry.used != self.used:
            yield f"it says that {entry.used} units are used; the entries up to it add up to {self.used}"
        if self.used > self.opening.get("capacity", 0):
            yield f"{self.used} units are used of {self.opening.get('capacity', 0)}"

    def _change_state(self, entry: Entry) -> Iterator[str]:
        record = self.records.get(entry.subject)
        state = None if record is None else record.state
        if entry.kind not in NEXT[state]:
            yield f"{entry.kind} of {entry.subject!r}, which is {state or 'not reserved'}"
        elif entry.kind == "reserve":
            self.records[entry.subject] = reserved_record(entry)
            self.used += self.records[entry.subject].cost
        elif record is not None:
            self.used -= record.cost if entry.kind == "refund" else 0
            self.records[entry.subject] = record._replace(state=STATES[entry.kind], changed=entry.time)

    def _spend(self, entry: Entry) -> Iterator[str]:
        self.cells[entry.seq] = entry.data["cells"]
        protects = entry.data.get("protects")
        if self.protects is not None and protects != self.protects:
            yield f"it protects {protects}; entries before it protect {self.protects}"
        self.protects = self.protects or protects

    def plans_of(self, label: str) -> list[str]:
        """Return the plans of a version label, each once, in order, except those of releases that were refunded."""
        kept = [plan for release, of, plan in self.plans if of == label and self._holds_units(release)]
        return list(dict.fromkeys(kept))

    def _holds_units(self, release: str) -> bool:
        return release in self.records and self.records[release].state != "refunded"

    def check(self) -> "History":
        """Return the history. Raise LedgerError if an entry is not as it was written, or if there is none."""
        if self.last is None:
            self.failures.append("there is no entry at all")
        if self.failures:
            raise failed(self.failures)
        return self


def failed(failures: list[str]) -> LedgerError:
    """Return an error that has all failures, the first ten of them in its message."""
    count = "1 check fails" if len(failures) == 1 else f"{len(failures)} checks fail"
    lines = failures[:10] + (["..."] if len(failures) > 10 else [])
    return LedgerError(
        f"the ledger was changed after it was written, {count}:\n- "
        + "\n- ".join(lines)
        + "\nGrant nothing from this ledger; restore a copy that contains the head of the last manifest",
        tuple(failures),
    )

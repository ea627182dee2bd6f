"""The chain of a ledger: entries, each bound to the one before it by a keyed hash, and what they say together.

    mac = HMAC-SHA256(key, [seq, time, kind, subject, fields, previous mac]),      written as canonical JSON,

with a key derived from the secret and the ledger's id. Whoever lacks the secret can neither edit, remove, insert nor
reorder entries unnoticed. They can cut off the end: an older copy of a ledger is a valid ledger. So the head (the last
entry's number and mac) goes into every manifest, and `verify` takes it.

What can happen to a release, and nothing else:

    reserve -> spend -> complete        units are held from reserve on; at the first draw they are spent
    reserve -> refund                   only before the first draw; after it the release may be reserved again

`used` in every entry is the sum of units held after it. The entry of a spend binds the cells that it spent, and says
whose privacy was spent; in one ledger that is the same for all.
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
TAMPERED = "it was changed by another hand than Discreet's; see `discreet ledger verify`"


class Head(NamedTuple):
    """The last entry of a chain: what a manifest states, and what an older copy does not have."""

    seq: int
    mac: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.mac}"


class Entry(NamedTuple):
    """One row of the chain, as it is stored; `fields` is canonical JSON."""

    seq: int
    time: str
    kind: str
    subject: str
    fields: str
    previous: str
    mac: str

    @property
    def data(self) -> dict[str, Any]:
        """The fields."""
        return dict(json.loads(self.fields))

    @property
    def used(self) -> int:
        """Units held after it."""
        return int(self.data["used"])

    @property
    def head(self) -> Head:
        """Its number and mac."""
        return Head(self.seq, self.mac)


class Record(NamedTuple):
    """What a ledger knows of one release."""

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
    """The one way to write a value down."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def key(secret: bytes, ledger: str) -> bytes:
    """The key of one ledger's chain."""
    if not isinstance(secret, bytes) or len(secret) != 32:
        raise SecretError("a ledger's secret is 32 random bytes; make one with `discreet keys new FILE`")
    return hmac.digest(secret, f"discreet ledger chain {ledger}".encode(), "sha256")


def sign(chain_key: bytes, entry: Entry) -> Entry:
    """The entry with its mac."""
    text = canonical([entry.seq, entry.time, entry.kind, entry.subject, entry.fields, entry.previous])
    return entry._replace(mac=hmac.new(chain_key, text.encode(), hashlib.sha256).hexdigest())


def genuine(chain_key: bytes, entry: Entry) -> bool:
    """Whether the entry was written with the secret."""
    return hmac.compare_digest(sign(chain_key, entry).mac.encode(), str(entry.mac).encode())


def reserved(entry: Entry) -> Record:
    """The release that an entry reserved."""
    data = entry.data
    return Record(
        entry.subject, data["cost"], "reserved", entry.time, entry.time, data["note"], data["cells"], entry.seq,
        data.get("protects"),
    )  # fmt: skip


@dataclass
class History:
    """A chain, replayed entry by entry. `failures` is empty if and only if all of it is as it was written."""

    chain_key: bytes
    opening: dict[str, Any] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    cells: dict[int, str] = field(default_factory=dict)
    last: Entry | None = None
    used: int = 0
    protects: str | None = None
    failures: list[str] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """The next entry."""
        seq, previous = (0, START) if self.last is None else (self.last.seq + 1, self.last.mac)
        if entry.seq != seq:
            self.failures.append(f"entry {entry.seq} comes where entry {seq} belongs: an entry was removed or inserted")
        elif entry.previous != previous:
            self.failures.append(f"entry {seq} does not follow the one before it")
        self.last = entry
        if not genuine(self.chain_key, entry):
            self.failures.append(f"entry {entry.seq} ({entry.kind!s:.20}) is not as it was written")
        else:
            self.failures.extend(f"entry {entry.seq}: {wrong}" for wrong in self._step(entry))

    def _step(self, entry: Entry) -> Iterator[str]:
        if entry.seq == 0:
            self.opening = entry.data
        elif entry.kind in STATES:
            before = self.records.get(entry.subject)
            state = None if before is None else before.state
            if entry.kind not in NEXT[state]:
                yield f"{entry.kind} of {entry.subject!r}, which is {state or 'not reserved'}"
            elif entry.kind == "reserve":
                self.records[entry.subject] = reserved(entry)
                self.used += self.records[entry.subject].cost
            elif before is not None:
                self.used -= before.cost if entry.kind == "refund" else 0
                self.records[entry.subject] = before._replace(state=STATES[entry.kind], changed=entry.time)
            if entry.kind == "spend":
                self.cells[entry.seq] = entry.data["cells"]
                protects = entry.data.get("protects")
                if self.protects is not None and protects != self.protects:
                    yield f"it protects {protects}, and entries before it {self.protects}"
                self.protects = self.protects or protects
        if entry.used != self.used:
            yield f"it says that {entry.used} units are used, and the entries up to it make {self.used}"
        if self.used > self.opening.get("capacity", 0):
            yield f"{self.used} units are used of {self.opening.get('capacity', 0)}"

    def check(self) -> "History":
        """Itself, where nothing is wrong."""
        if self.last is None:
            self.failures.append("there is no entry at all")
        if self.failures:
            raise failed(self.failures)
        return self


def failed(failures: list[str]) -> LedgerError:
    """All that is wrong, the first few in the message."""
    count = "1 check fails" if len(failures) == 1 else f"{len(failures)} checks fail"
    shown = failures[:10] + (["..."] if len(failures) > 10 else [])
    return LedgerError(
        f"the ledger is not as it was written, {count}:\n- "
        + "\n- ".join(shown)
        + "\nGrant nothing from it; restore it from a copy whose head is that of the last manifest",
        tuple(failures),
    )

"""Which cells were spent: digests of 16 bytes, sorted and packed, a row of the database for each 65,536.

A packed row is looked up by bisection, so a release of 400,000 cells is recorded and compared in about a second, and
the entry that spent it binds the bytes by their hash.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, insert, select

from discreet.account.ledger.store import cells as table
from discreet.errors import ParameterError

SIZE = 16
CHUNK = 1 << 16

Digests = npt.NDArray[np.bytes_]


def digests(cells: Iterable[bytes]) -> Digests:
    """Every cell once, sorted."""
    listed = list(cells)
    if {type(cell) for cell in listed} - {bytes} or set(map(len, listed)) - {SIZE}:
        raise ParameterError(f"a cell's digest is {SIZE} bytes; give each cell as the first {SIZE} bytes of its hash")
    return np.unique(unpacked(b"".join(listed)))


def unpacked(data: bytes) -> Digests:
    """Digests one after another; as numbers of fixed width, so zeros at the end count."""
    return np.frombuffer(data, dtype=f"S{SIZE}")


def texts(chosen: Digests) -> set[bytes]:
    """The digests as bytes."""
    data = chosen.tobytes()
    return {data[place : place + SIZE] for place in range(0, len(data), SIZE)}


def fingerprint(chosen: Digests) -> str:
    """What an entry says of them."""
    return hashlib.sha256(chosen.tobytes()).hexdigest()


def spent(base: Connection, asked: Digests, before: int | None = None) -> npt.NDArray[np.bool_]:
    """Which of the cells, sorted, were spent in entries before that one, or in any."""
    found = np.zeros(len(asked), dtype=np.bool_)
    if not len(asked):
        return found
    query = select(table.c.digests)
    if before is not None:
        query = query.where(table.c.seq < before)
    for (packed,) in base.execute(query):
        stored = unpacked(packed)
        place = np.minimum(np.searchsorted(asked, stored), len(asked) - 1)
        found[place[asked[place] == stored]] = True
    return found


def record(base: Connection, seq: int, chosen: Digests) -> None:
    """Write down what an entry spent."""
    rows: list[dict[str, Any]] = [
        {"seq": seq, "part": part, "digests": chosen[start : start + CHUNK].tobytes()}
        for part, start in enumerate(range(0, len(chosen), CHUNK))
    ]
    if rows:
        base.execute(insert(table), rows)


def failures(base: Connection, expected: dict[int, str]) -> Iterator[str]:
    """Rows that are not what the entries say; `expected` has the fingerprint of every entry that spent cells."""
    hashes = {seq: hashlib.sha256() for seq in expected}
    query = select(table.c.seq, table.c.digests).order_by(table.c.seq, table.c.part)
    for seq, packed in base.execute(query):
        if seq in hashes:
            hashes[seq].update(packed)
        else:
            yield f"cells are recorded for entry {seq}, which spent none"
    for seq, found in hashes.items():
        if found.hexdigest() != expected[seq]:
            yield f"the cells of entry {seq} are not those that it spent"

"""The cells that were spent: digests of 16 bytes, sorted and packed, up to 65,536 in a row of the database.

A packed row is searched by bisection, so a release of 400,000 cells is recorded and compared in about a second. The
entry that spent the cells binds the bytes by their hash.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, insert, select

from discreet.account.ledger.store import cells as table
from discreet.arrays import Booleans
from discreet.errors import ParameterError

SIZE = 16
CHUNK = 1 << 16

Digests = npt.NDArray[np.bytes_]


def digests(cells: Iterable[bytes]) -> Digests:
    """Return the digests, each once, sorted. Raise ParameterError if a digest is not 16 bytes."""
    listed = list(cells)
    if {type(cell) for cell in listed} - {bytes} or set(map(len, listed)) - {SIZE}:
        raise ParameterError(f"a cell's digest is {SIZE} bytes; give each cell as the first {SIZE} bytes of its hash")
    return np.unique(unpacked(b"".join(listed)))


def unpacked(data: bytes) -> Digests:
    """Return the digests in packed bytes. Their width is fixed, so zeros at the end count."""
    return np.frombuffer(data, dtype=f"S{SIZE}")


def as_bytes(packed: Digests) -> set[bytes]:
    """Return the digests as a set of bytes."""
    data = packed.tobytes()
    return {data[start : start + SIZE] for start in range(0, len(data), SIZE)}


def fingerprint(packed: Digests) -> str:
    """Return the hash that binds the digests to an entry."""
    return hashlib.sha256(packed.tobytes()).hexdigest()


def spent(connection: Connection, cells: Digests, before: int | None = None) -> Booleans:
    """Return for every cell whether it was spent.

    Parameters
    ----------
    cells
        Sorted digests.
    before
        Only entries with smaller numbers count. None: all entries count.
    """
    is_spent = np.zeros(len(cells), dtype=np.bool_)
    if not len(cells):
        return is_spent
    query = select(table.c.digests)
    if before is not None:
        query = query.where(table.c.seq < before)
    for (packed,) in connection.execute(query):
        stored = unpacked(packed)
        index = np.minimum(np.searchsorted(cells, stored), len(cells) - 1)
        is_spent[index[cells[index] == stored]] = True
    return is_spent


def record(connection: Connection, seq: int, cells: Digests) -> None:
    """Write the cells that the entry with number `seq` spent."""
    rows: list[dict[str, Any]] = [
        {"seq": seq, "part": part, "digests": cells[start : start + CHUNK].tobytes()}
        for part, start in enumerate(range(0, len(cells), CHUNK))
    ]
    if rows:
        connection.execute(insert(table), rows)


def failures(connection: Connection, expected: dict[int, str]) -> Iterator[str]:
    """Yield a line for every entry whose rows of cells are not as it spent them.

    Parameters
    ----------
    expected
        The fingerprint of the cells of every entry that spent, by the number of the entry.
    """
    hashes = {seq: hashlib.sha256() for seq in expected}
    query = select(table.c.seq, table.c.digests).order_by(table.c.seq, table.c.part)
    for seq, packed in connection.execute(query):
        if seq in hashes:
            hashes[seq].update(packed)
        else:
            yield f"cells are recorded for entry {seq}, which spent none"
    for seq, digest in hashes.items():
        if digest.hexdigest() != expected[seq]:
            yield f"the cells of entry {seq} differ from the cells that it spent"

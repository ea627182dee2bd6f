"""Keys: the integers that choose the noise of cells.

query          the top bits of HMAC-SHA256(secret, header, definition of the cell). The header names the scheme, the
               ledger, the version label of the data, the unit and its contributions, and the perturbation table, so
               that a key is used for one population, one version of the data and one table only. The same question
               gets the same answer, empty cells have noise, and guarantees compose.
               Scheme 2 puts the table's integers into the header. Scheme 1 put the whole certificate there, so that
               another description of the same design drew other noise. A label that was released under scheme 1, by
               the record of its ledger, stays with scheme 1.
fresh          the system's generator, once for each distinct cell.
contributors   the cell key of the Australian Bureau of Statistics: every person has four random components, the sums
               over a cell are reduced by the largest prime below 2**bits and joined by XOR. The same people get the
               same noise. So two cells that differ by one person reveal whether that person exists, and no guarantee
               composes. The key of an empty cell would always be 0; an empty cell uses its query key instead.

The components of a person are AES-256 of the id, under a key derived from the secret: one block is four numbers of 32
bits. An id of up to 15 bytes is the block itself; a longer id is hashed first, under the secret.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from discreet.arrays import Integers, Keys
from discreet.certify.ptable import PTable

SCHEME = 2
"""The scheme of keys for new labels."""

SHORT = 15
"""Bytes of the longest id that fits into a block."""

_WITHIN = (
    np.array([[255 * (0 < index <= size) for index in range(16)] for size in range(16)], np.uint8).view("V16").ravel()
)
"""For every length of an id, a mask of the bytes of the block that the id takes."""


def header(scheme: int, ledger: str, version: str, unit: Sequence[object], ptable: PTable) -> bytes:
    """Return everything that a key depends on except its cell, written in one way only.

    Parameters
    ----------
    scheme
        1 or 2, the scheme of keys.
    ledger
        The id of the ledger; an empty text without a ledger.
    version
        The version label of the data.
    unit
        Whose rows count, and which of them.
    ptable
        The certified table of the noise.
    """
    purpose, table = ("cell", ptable.digest) if scheme == 1 else (f"cell {scheme}", ptable.table_digest)
    text = json.dumps([purpose, ledger, version, list(unit), table], ensure_ascii=False)
    encoded = text.encode()
    return len(encoded).to_bytes(4, "big") + encoded


def derive_key(secret: bytes, purpose: str) -> bytes:
    """Return the key of one purpose. Keys of different purposes are independent."""
    return hmac.digest(secret, b"discreet " + purpose.encode(), "sha256")


def query_keys(secret: bytes, start: bytes, definitions: Iterable[bytes], bits: int) -> Keys:
    """Return the query key of every cell.

    Parameters
    ----------
    secret
        The secret of the release.
    start
        The header of the keys, as `header` returns it.
    definitions
        The definition of every cell.
    bits
        Keys are below 2**bits.
    """
    begun = hmac.new(derive_key(secret, "query"), start, "sha256")

    def top(definition: bytes) -> bytes:
        mac = begun.copy()
        mac.update(definition)
        return mac.digest()[:8]

    tops = b"".join(map(top, definitions))
    return np.frombuffer(tops, dtype=">u8").astype(np.uint64) >> np.uint64(64 - bits)


def cell_identities(start: bytes, definitions: Iterable[bytes]) -> list[bytes]:
    """Return the identity of every cell in a ledger: 16 bytes that depend on everything its key depends on."""
    begun = hashlib.sha256(start)  # the header may hold all categories, so it is hashed once

    def identity(definition: bytes) -> bytes:
        digest = begun.copy()
        digest.update(definition)
        return digest.digest()[:16]

    return list(map(identity, definitions))


def record_keys(secret: bytes) -> Callable[[pa.Array], tuple[npt.NDArray[np.uint32], ...]]:
    """Return a function from ids, as text, to the four components of each person."""
    longer = derive_key(secret, "long ids")
    cipher = Cipher(algorithms.AES256(derive_key(secret, "record keys")), modes.ECB())  # noqa: S305 - every block is another id

    def components(ids: pa.Array) -> tuple[npt.NDArray[np.uint32], ...]:
        blocks = _blocks(ids, longer)
        numbers = np.frombuffer(cipher.encryptor().update(blocks.ravel().data), dtype=">u4").reshape(-1, 4)
        return tuple(numbers[:, part].astype(np.uint32) for part in range(4))

    return components


def _blocks(ids: pa.Array, longer: bytes) -> npt.NDArray[np.uint8]:
    """Return one block of 16 bytes for each id: the length and the bytes of the id, or 255 and a keyed hash."""
    texts = ids.cast(pa.large_binary()) if not pa.types.is_large_binary(ids.type) else ids
    _, offsets_buffer, data_buffer = texts.buffers()
    size = len(texts)
    offsets = np.frombuffer(offsets_buffer, dtype=np.int64)[texts.offset : texts.offset + size + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    data = np.zeros(last - first + 1 + SHORT + 1, dtype=np.uint8)
    if last > first:
        data[1 : last - first + 1] = np.frombuffer(data_buffer, dtype=np.uint8)[first:last]
    lengths = np.diff(offsets)
    # Take 16 bytes from the byte before each text on. The first byte, and the bytes after the text, become 0.
    windows = np.ndarray(len(data) - SHORT, dtype="V16", buffer=data, strides=(1,))
    blocks = windows[offsets[:-1] - first].view(np.uint8).reshape(-1, 16)
    blocks.view(np.uint64)[:] &= _WITHIN[np.minimum(lengths, SHORT)].view(np.uint64).reshape(-1, 2)
    blocks[:, 0] = np.minimum(lengths, 254)
    for index in np.flatnonzero(lengths > SHORT):
        text = data[offsets[index] - first + 1 : offsets[index + 1] - first + 1].tobytes()
        blocks[index] = np.frombuffer(b"\xff" + hmac.digest(longer, text, "sha256")[:15], dtype=np.uint8)
    return blocks


def contributor_keys(sums: Sequence[npt.NDArray[np.uint64]], counts: Integers, modulus: int, empty: Keys) -> Keys:
    """Return the cell key of every cell from the sums of its people's components.

    Parameters
    ----------
    sums
        The sums of each of the four components over every cell.
    counts
        The true count of every cell.
    modulus
        The largest prime below 2**bits.
    empty
        The query key of every cell, for cells without people.
    """
    joined = np.zeros(len(counts), dtype=np.uint64)
    for component in sums:
        joined ^= component % np.uint64(modulus)
    return np.where(counts == 0, empty, joined)


def row_order(secret: bytes) -> Callable[[bytes, bytes], bytes]:
    """Return a function from an id and the codes of a row to the sort key by which rows of a person are kept."""
    key = derive_key(secret, "rows of a person")

    def order(person: bytes, codes: bytes) -> bytes:
        return hmac.digest(key, len(person).to_bytes(4, "big") + person + codes, "sha256")

    return order

"""Keys: what chooses the noise of a cell.

query          the top bits of HMAC-SHA256(secret, header, definition of the cell). The header names the scheme, the
               ledger, the version label of the data, the unit and its contributions, and the perturbation table, so
               that a key is used for one population, one version of the data and one table only. The same question
               gets the same answer, empty cells have noise, and guarantees compose.
               Scheme 2 takes the table's integers. Scheme 1 took its whole certificate, so that another description of
               the same design drew other noise; labels that a ledger knows by it go on with it.
fresh          the system's generator, once for each distinct cell.
contributors   the cell key of the Australian Bureau of Statistics: every person has four random components, the sums
               over a cell are reduced by the largest prime below 2**bits and joined by XOR. Same people, same noise:
               two cells that differ by one person tell whether that person exists, so no guarantee composes. An empty
               cell, whose key would always be 0, uses its query key.

The components of a person are AES-256 of the id, under a key derived from the secret: one block is four numbers of 32
bits. An id of up to 15 bytes is the block itself; a longer one is hashed first, under the secret.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from discreet.arrays import Keys
from discreet.certify.ptable import PTable
from discreet.certify.verify import canonical

SCHEME = 2
"""How keys of new labels are made."""

SHORT = 15

_WITHIN = np.array([[255 * (0 < at <= size) for at in range(16)] for size in range(16)], np.uint8).view("V16").ravel()
"""For every length of an id the bytes of its block that it takes."""


def header(scheme: int, ledger: str, version: str, unit: Sequence[object], ptable: PTable) -> bytes:
    """What a key depends on beside its cell, written in one way only."""
    purpose, table = ("cell", ptable.digest) if scheme == 1 else (f"cell {scheme}", weights(ptable))
    text = json.dumps([purpose, ledger, version, list(unit), table], ensure_ascii=False)
    encoded = text.encode()
    return len(encoded).to_bytes(4, "big") + encoded


def weights(ptable: PTable) -> str:
    """A digest of what decides which number a key gives, and of nothing else in the certificate."""
    document = ptable.certificate.document
    chosen = {name: document[name] for name in ("bits", "domain", "rows", "interior")}
    return hashlib.sha256(canonical(chosen)).hexdigest()


def derived(secret: bytes, purpose: str) -> bytes:
    """A key of its own for each purpose."""
    return hmac.digest(secret, b"discreet " + purpose.encode(), "sha256")


def query(secret: bytes, start: bytes, definitions: Iterable[bytes], bits: int) -> Keys:
    """The key of every cell."""
    begun = hmac.new(derived(secret, "query"), start, "sha256")

    def top(definition: bytes) -> bytes:
        here = begun.copy()
        here.update(definition)
        return here.digest()[:8]

    tops = b"".join(map(top, definitions))
    return np.frombuffer(tops, dtype=">u8").astype(np.uint64) >> np.uint64(64 - bits)


def identities(start: bytes, definitions: Iterable[bytes]) -> list[bytes]:
    """What a ledger knows a cell by: 16 bytes that depend on everything its key depends on."""
    begun = hashlib.sha256(start)  # it may hold all categories, so it is hashed once

    def name(definition: bytes) -> bytes:
        here = begun.copy()
        here.update(definition)
        return here.digest()[:16]

    return list(map(name, definitions))


def record_keys(secret: bytes) -> Callable[[pa.Array], tuple[npt.NDArray[np.uint32], ...]]:
    """From ids, as text, to the four components of each person."""
    longer = derived(secret, "long ids")
    cipher = Cipher(algorithms.AES256(derived(secret, "record keys")), modes.ECB())  # noqa: S305 - every block is another id

    def components(ids: pa.Array) -> tuple[npt.NDArray[np.uint32], ...]:
        blocks = _blocks(ids, longer)
        numbers = np.frombuffer(cipher.encryptor().update(blocks.ravel().data), dtype=">u4").reshape(-1, 4)
        return tuple(numbers[:, part].astype(np.uint32) for part in range(4))

    return components


def _blocks(ids: pa.Array, longer: bytes) -> npt.NDArray[np.uint8]:
    """One block of 16 bytes for each id: its length and its bytes, or 255 and a keyed hash."""
    texts = ids.cast(pa.large_binary()) if not pa.types.is_large_binary(ids.type) else ids
    _, offsets_buffer, data_buffer = texts.buffers()
    size = len(texts)
    offsets = np.frombuffer(offsets_buffer, dtype=np.int64)[texts.offset : texts.offset + size + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    data = np.zeros(last - first + 1 + SHORT + 1, dtype=np.uint8)
    if last > first:
        data[1 : last - first + 1] = np.frombuffer(data_buffer, dtype=np.uint8)[first:last]
    lengths = np.diff(offsets)
    # sixteen bytes from the one before each text on, of which those beyond its end, and the first, become 0
    windows = np.ndarray(len(data) - SHORT, dtype="V16", buffer=data, strides=(1,))
    blocks = windows[offsets[:-1] - first].view(np.uint8).reshape(-1, 16)
    blocks.view(np.uint64)[:] &= _WITHIN[np.minimum(lengths, SHORT)].view(np.uint64).reshape(-1, 2)
    blocks[:, 0] = np.minimum(lengths, 254)
    for line in np.flatnonzero(lengths > SHORT):
        text = data[offsets[line] - first + 1 : offsets[line + 1] - first + 1].tobytes()
        blocks[line] = np.frombuffer(b"\xff" + hmac.digest(longer, text, "sha256")[:15], dtype=np.uint8)
    return blocks


def contributors(
    sums: Sequence[npt.NDArray[np.uint64]], counts: npt.NDArray[np.int64], modulus: int, empty: Keys
) -> Keys:
    """The cell key from the sums of the components; an empty cell has its query key."""
    joined = np.zeros(len(counts), dtype=np.uint64)
    for part in sums:
        joined ^= part % np.uint64(modulus)
    return np.where(counts == 0, empty, joined)


def keyed_order(secret: bytes) -> Callable[[bytes, bytes], bytes]:
    """The order in which the rows of a person are kept, from the id and the codes of a row."""
    key = derived(secret, "rows of a person")

    def order(person: bytes, codes: bytes) -> bytes:
        return hmac.digest(key, len(person).to_bytes(4, "big") + person + codes, "sha256")

    return order

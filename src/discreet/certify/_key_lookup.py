"""Keys, and the way from a row and a key to a displacement: the inverse of the integer cumulative weights.

Output k of a row is chosen by the keys in [c_(k-1), c_k), where c are the cumulated weights. The last c is 2**bits, so
every key chooses one output and no key is rejected. The displacement is the number to add to the true count (on a
cycle, the flattened residue).

Bulk draws use a guide table: the top bits of a key decide at once unless a threshold lies within their bucket. Only
then are the remaining bits drawn and the exact thresholds searched. Both ways give the output of the whole key. The
time depends on the draws, though very little; so a single answer to a live question compares its key with every
threshold instead.

Keys are drawn from an AES-256-CTR keystream under a key that the operating system gives. Every call that draws takes a
new key and throws the key away, so there is no state that a forked process, a thread or a copied virtual machine could
share between two calls.
"""

import os
from functools import cached_property

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from discreet.arrays import Indices, Integers, Keys
from discreet.certify.table import Table
from discreet.domain import Counts
from discreet.errors import EntropyError

GUIDE_BITS = 16
GUIDE_SIZE = 1 << 20
"""Entries of the guide table. A larger table misses the processor's cache, a smaller one decides fewer draws."""

KEY_BYTES = 32


class Keystream:
    """A stream of uniform integers that never repeats: AES-256-CTR under a new key.

    Raises
    ------
    EntropyError
        The operating system gave no random bytes, or too few.
    """

    def __init__(self) -> None:
        try:
            key = os.urandom(KEY_BYTES)
        except (OSError, NotImplementedError) as error:
            raise EntropyError(f"the operating system gave no random bytes ({error}); nothing was drawn") from error
        if len(key) != KEY_BYTES:
            raise EntropyError(f"the operating system gave {len(key)} random bytes of {KEY_BYTES}; nothing was drawn")
        self._stream = Cipher(AES(key), CTR(bytes(16))).encryptor()

    def words(self, size: int) -> npt.NDArray[np.uint16]:
        """Return `size` uniform 16-bit integers."""
        return np.frombuffer(self._stream.update(bytes(2 * size)), dtype="<u2")

    def keys(self, size: int, bits: int) -> npt.NDArray[np.uint64]:
        """Return `size` uniform integers in [0, 2**bits): the top bits of 64."""
        wide = np.frombuffer(self._stream.update(bytes(8 * size)), dtype="<u8").astype(np.uint64)
        return wide >> np.uint64(64 - bits) if bits else np.zeros(size, np.uint64)


class Lookup:
    """The cumulated weights of all rows of a table, and the guide into these weights."""

    def __init__(self, table: Table) -> None:
        rows = table.rows + table.interior
        width = max(len(row.weights) for row in rows)
        self.bits = table.bits
        self.thresholds: Keys = np.full((len(rows), width), table.total, dtype=np.uint64)
        for index, row in enumerate(rows):
            self.thresholds[index, : len(row.weights)] = np.cumsum(np.array(row.weights, dtype=np.uint64))
        lower = table.domain.lower if isinstance(table.domain, Counts) else 0
        firsts = [row.first - (lower + index) for index, row in enumerate(table.rows)]
        firsts += [row.first for row in table.interior]
        self.firsts: Integers = np.array(firsts, dtype=np.int64)
        self._guide_bits = _guide_bits(self.bits, len(rows))

    def displacement(self, row: int, key: int) -> int:
        """Return the displacement for one key, in a time that does not depend on the key."""
        return int(self.firsts[row]) + int(np.count_nonzero(self.thresholds[row] <= np.uint64(key)))

    def displacements(self, rows: Indices | None, keys: Keys) -> Integers:
        """Return the displacement for every key; rows=None: the table has one row."""
        buckets = (keys >> np.uint64(self.bits - self._guide_bits)).astype(np.intp)
        result = self._guided(rows, buckets)
        undecided = np.flatnonzero(result == self._undecided)
        result[undecided] = self._search(None if rows is None else rows[undecided], keys[undecided])
        return result.astype(np.int64)

    def draw(self, rows: Indices | None, size: int, stream: Keystream) -> npt.NDArray[np.signedinteger]:
        """Return `size` displacements for new uniform keys, most of whose bits are never drawn."""
        guide, rest = self._guide_bits, self.bits - self._guide_bits
        words = stream.words(size)
        buckets = words if guide == GUIDE_BITS else words >> np.uint16(GUIDE_BITS - guide)
        result = self._guided(rows, buckets)
        undecided = np.flatnonzero(result == self._undecided)
        if undecided.size:
            keys = buckets[undecided].astype(np.uint64) << np.uint64(rest) | stream.keys(undecided.size, rest)
            result[undecided] = self._search(None if rows is None else rows[undecided], keys)
        return result

    def _guided(self, rows: Indices | None, buckets: npt.NDArray[np.integer]) -> npt.NDArray[np.signedinteger]:
        index = buckets if rows is None else (rows << self._guide_bits) | buckets
        return np.take(self._guide, index, mode="clip")

    def _search(self, rows: Indices | None, keys: Keys) -> Integers:
        """Return displacements by an exact binary search, in all rows at once."""
        if rows is None:
            return np.asarray(self.firsts[0] + np.searchsorted(self.thresholds[0], keys, side="right"))
        flat, width = self.thresholds.ravel(), self.thresholds.shape[1]
        low, high = rows * width, rows * width + width - 1
        while (low < high).any():
            middle = (low + high) >> 1
            above = flat[middle] <= keys
            low, high = np.where(above, middle + 1, low), np.where(above, high, middle)
        return np.asarray(self.firsts[rows] + low - rows * width)

    @cached_property
    def _undecided(self) -> int:
        return int(np.iinfo(self._guide.dtype).min)

    @cached_property
    def _guide(self) -> npt.NDArray[np.signedinteger]:
        """The displacement for every row and every value of the top bits; the least integer if they do not decide."""
        buckets, rest = 1 << self._guide_bits, np.uint64(self.bits - self._guide_bits)
        lowest = np.arange(buckets, dtype=np.uint64) << rest
        highest = lowest | np.uint64((1 << int(rest)) - 1)
        reach = int(np.abs(self.firsts).max()) + self.thresholds.shape[1]
        dtype = np.int16 if reach < 2**15 - 1 else np.int32 if reach < 2**31 - 1 else np.int64
        guide = np.empty((len(self.thresholds), buckets), dtype=dtype)
        for row, thresholds in enumerate(self.thresholds):
            least, most = (np.searchsorted(thresholds, keys, side="right") for keys in (lowest, highest))
            guide[row] = np.where(least == most, least + self.firsts[row], np.iinfo(dtype).min)
        return guide.ravel()


def _guide_bits(bits: int, rows: int) -> int:
    """Return how many top bits of a key index the guide: as many as fit, at least 4."""
    room = max(GUIDE_SIZE // rows, 1).bit_length() - 1
    return min(bits, max(room, 4), GUIDE_BITS)

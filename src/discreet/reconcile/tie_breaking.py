"""Numbers that decide ties: a keyed hash of an index, the same on every platform and in every version of numpy.

`mix` is the finaliser of splitmix64: a bijection of 64-bit integers whose every output bit depends on every input bit.
`mix` has no cryptographic strength and needs none: seeds are public, and ties are decided after the noise is drawn.

    priority of index i = mix(i * 0x9E3779B97F4A7C15 + mix(key + stream * 0x632BE59BD9B4E019))    modulo 2**64

`mix` and the multiplication by an odd number are one to one, so the priorities of different indices differ.
"""

import hashlib
import secrets
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import ParameterError
from discreet.exact import is_integer

Words = npt.NDArray[np.uint64]


def mix(words: Words) -> Words:
    """Return 64-bit integers scrambled one to one."""
    with np.errstate(over="ignore"):
        mixed = words >> np.uint64(30)
        mixed ^= words
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(27)
        mixed *= np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
        return np.asarray(mixed)


def words(values: npt.NDArray[Any]) -> Words:
    """Return the bits of 64-bit numbers, scrambled."""
    bits = np.ascontiguousarray(values).view(np.uint64).reshape(np.shape(values))
    with np.errstate(over="ignore"):
        return mix(np.asarray(bits + np.uint64(0x9E3779B97F4A7C15)))


def key(seed: int | None) -> int:
    """Return a 64-bit key for a seed; fresh bits from the operating system for None.

    Raises
    ------
    ParameterError
        The seed is not an integer from 0.
    """
    if seed is None:
        return secrets.randbits(64)
    if not is_integer(seed) or int(seed) < 0:
        raise ParameterError(f"seed is {seed!r:.60}; give an integer from 0, or None for a fresh one")
    data = int(seed).to_bytes(int(seed).bit_length() // 8 + 1, "little")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def priorities(seed_key: int, size: int, stream: int = 0) -> Words:
    """Return a pseudo-random 64-bit integer for each index below `size`; all are different.

    Parameters
    ----------
    seed_key
        A number made by `key`.
    size
        The number of indices.
    stream
        Different streams have different priorities.
    """
    start = mix(np.array([(seed_key + stream * 0x632BE59BD9B4E019) % 2**64], dtype=np.uint64))[0]
    return mix(np.arange(size, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + start)

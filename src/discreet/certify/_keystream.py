"""Random bits for drawing: an AES-256-CTR keystream under a key that the operating system gives.

Every call that draws takes a new key and throws the key away, so there is no state that a forked process, a thread or
a copied virtual machine could share between two calls.
"""

import os

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from discreet.errors import EntropyError

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

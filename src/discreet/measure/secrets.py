"""The secret: 32 random bytes that query keys and a ledger's chain are derived from.

The secret is random, not a passphrase: its fingerprint is published, and a passphrase could be guessed from the
fingerprint. Anybody who has the secret can remove the noise from everything that was ever published with it. The secret
is read from a file that nobody else can read, or from an environment variable, and is never printed, logged or put into
an error.
"""

import base64
import binascii
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from discreet import files
from discreet.errors import EntropyError, SecretError
from discreet.plan.sections import Secret
from discreet.redact import quoted

SIZE = 32
ENVIRONMENT = "env:"
LEAST_VALUES = 10
"""Distinct bytes among 32. Random bytes have fewer with a chance below 1e-15."""

EXPECTED = f"expected {SIZE} random bytes, raw, in hexadecimal or in base64: make them with `discreet keys new FILE`"


def read_secret(source: str | os.PathLike[str]) -> bytes:
    """Return the 32 bytes of a secret.

    Parameters
    ----------
    source
        The path of a file, or "env:NAME" for an environment variable.

    Raises
    ------
    SecretError
        There is no secret, it is not 32 random bytes, or others can read the file.
    """
    location = os.fspath(source)
    if isinstance(location, str) and location.startswith(ENVIRONMENT):
        name = location.removeprefix(ENVIRONMENT)
        value = os.environ.get(name)
        if not value:
            raise SecretError(
                f"the environment variable {quoted(name)} is not set; {EXPECTED}, and give the file or set the variable"
            )
        return _decoded(value.encode(errors="replace"), f"the environment variable {quoted(name)}")
    return _decoded(_read(location), quoted(location))


def of_spec(secret: Secret | None) -> bytes:
    """Return the secret that a specification names; random bytes if it names none.

    Raises
    ------
    SecretError
        There is no secret, it is not 32 random bytes, or others can read the file.
    """
    return random_bytes() if secret is None else read_secret(secret.file or f"{ENVIRONMENT}{secret.env}")


def random_bytes(size: int = SIZE) -> bytes:
    """Return random bytes of the operating system. Raise EntropyError if it gives none."""
    try:
        return secrets.token_bytes(size)
    except (OSError, NotImplementedError) as error:
        raise EntropyError(f"the operating system gave no random bytes ({error}); nothing was written") from None


def new_secret(path: str | os.PathLike[str]) -> bytes:
    """Make a secret, write it in hexadecimal to a new file that only its owner can read, and return it.

    Raises
    ------
    SecretError
        The file exists or cannot be written.
    EntropyError
        The operating system gave no random bytes.
    """
    secret = random_bytes()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SecretError(
            f"the file {quoted(path)} exists, and a secret is never overwritten: releases that were made with it could"
            " not be repeated; choose another name"
        ) from None
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SecretError(f"the file {quoted(path)} cannot be written ({reason}); choose another path") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secret.hex().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        Path(path).unlink(missing_ok=True)
        raise SecretError(
            f"the file {quoted(path)} cannot be written ({error.strerror}); choose another path"
        ) from None
    return secret


def fingerprint(secret: bytes) -> str:
    """Return 16 hexadecimal digits that differ between secrets and reveal nothing of the secret, for a manifest.

    Raises
    ------
    SecretError
        The secret is not 32 random bytes.
    """
    return hashlib.sha256(hmac.digest(_checked(secret), b"fingerprint", "sha256")).hexdigest()[:16]


def _checked(secret: bytes, source: str = "the secret") -> bytes:
    """Return the bytes. Raise SecretError if they are not 32 random bytes."""
    if not isinstance(secret, bytes) or len(secret) != SIZE:
        raise SecretError(f"{source} is not {SIZE} bytes; {EXPECTED}")
    if len(set(secret)) < LEAST_VALUES or (secret.isascii() and secret.decode().isprintable()):
        raise SecretError(f"{source} is not random (typed text, or the same bytes again and again); {EXPECTED}")
    return secret


def _read(path: str | bytes) -> bytes:
    try:
        with files.open_file(path) as file:
            status = os.fstat(file.fileno())
            if os.name == "posix" and status.st_mode & 0o077:
                mode = stat.S_IMODE(status.st_mode)
                raise SecretError(
                    f"the file {quoted(path)} can be read by others (mode {mode:04o}); run chmod 600, and if others may"
                    " have read the secret, make a new one"
                )
            if status.st_nlink > 1:
                raise SecretError(
                    f"the file {quoted(path)} has {status.st_nlink} names (hard links), and the memory of the secret"
                    " lies beside one of them; remove the other names, which `find -samefile` lists"
                )
            return file.read(1024)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise SecretError(
            f"the file {quoted(path)} cannot be read ({reason}); give the file of a secret, or env:NAME"
        ) from None


def _decoded(data: bytes, source: str) -> bytes:
    """Return the secret in raw, hexadecimal or base64 bytes. `source` is for messages."""
    if len(data) == SIZE:
        return _checked(data, source)
    text = data.strip()
    for decode in (binascii.unhexlify, _base64):
        try:
            secret = decode(text)
        except (binascii.Error, ValueError):
            continue
        if len(secret) == SIZE:
            return _checked(secret, source)
    raise SecretError(f"{source} does not hold a secret; {EXPECTED}")


def _base64(text: bytes) -> bytes:
    standard = text.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    return base64.b64decode(standard + b"=" * (-len(standard) % 4), validate=True)

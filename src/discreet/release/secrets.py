"""The secret of a publisher: 32 random bytes, in a file that only its owner can read or in an environment variable.

Whoever has it can remove all noise that was made with it. It never reaches an output, a log, an error or SQL text; a
manifest holds its fingerprint.
"""

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from discreet.errors import SecretError

SIZE = 32


def read(file: str | os.PathLike[str] | None = None, env: str | None = None) -> bytes:
    """The secret from a file (64 hexadecimal digits) or from an environment variable."""
    if file is not None:
        path = Path(file)
        try:
            mode = path.stat().st_mode
            text = path.read_text(encoding="ascii").strip()
        except OSError as error:
            raise SecretError(
                f"{path} cannot be read ({error.strerror}); make it with: discreet keys new {path}"
            ) from None
        except UnicodeDecodeError:
            text = ""
        if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
            raise SecretError(f"{path} can be read by others; run: chmod 600 {path}, and consider a new secret")
        return _bytes(text, str(path))
    given = os.environ.get(env or "")
    if given is None:
        raise SecretError(f"the environment variable {env} is not set; put the secret there, or use a file")
    return _bytes(given.strip(), f"the environment variable {env}")


def new(file: str | os.PathLike[str]) -> str:
    """Make a secret, in a file that did not exist; its fingerprint."""
    path = Path(file)
    secret = secrets.token_bytes(SIZE)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as out:
            out.write(secret.hex() + "\n")
    except FileExistsError:
        raise SecretError(f"{path} exists, and a secret is never overwritten; choose another name") from None
    except OSError as error:
        raise SecretError(f"{path} cannot be written ({error.strerror}); choose another place") from None
    return fingerprint(secret)


def fingerprint(secret: bytes) -> str:
    """What may be known of a secret."""
    return hashlib.sha256(hmac.digest(secret, b"fingerprint", "sha256")).hexdigest()[:16]


def _bytes(text: str, where: str) -> bytes:
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) != SIZE:
        raise SecretError(
            f"{where} does not hold a secret of 64 hexadecimal digits; make one with: discreet keys new FILE"
        )
    return secret

"""Write a file so that it is complete or not there."""

import os
import secrets
from pathlib import Path

from discreet.errors import OutputError


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Put the bytes beside their place under another name, then rename."""
    target = Path(path)
    if target.is_dir():
        raise OutputError(f"{target} is a folder; give the name of a file")
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        try:
            with beside.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{target} cannot be written ({reason}); choose another place") from None

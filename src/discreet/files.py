"""Write a file so that it is complete or not there."""

import os
import secrets
from pathlib import Path

from discreet.errors import OutputError


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Put the bytes beside their place under another name, then rename."""
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            raise OutputError(f"{target} is a folder or a device; give the name of a file")
        beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}")
        try:
            with beside.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{path!s:.200} cannot be written ({reason}); choose another place") from None

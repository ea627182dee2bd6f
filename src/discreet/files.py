"""Write a file or a folder so that it is complete or not there."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from discreet.errors import OutputError


def write(path: str | os.PathLike[str], data: bytes, *, private: bool = False, new: bool = False) -> None:
    """Put the bytes beside their place under another name, then rename.

    `private`: only the owner can read them. `new`: raise FileExistsError if there is such a file by then.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            raise OutputError(f"{target} is a folder or a device; give the name of a file")
        beside = target.with_name(f".{target.name[:50]}.{secrets.token_hex(4)}")
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if new:
                os.link(beside, target)  # unlike a rename, never in place of another file
            else:
                beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except FileExistsError:
        raise
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{path!s:.200} cannot be written ({reason}); choose another place") from None


def free(place: str | os.PathLike[str]) -> Path:
    """The path of a file or folder to be, refused where something is there already."""
    target = Path(place)
    if os.path.lexists(target):
        raise OutputError(f"{target} exists already; choose another name, or remove it")
    return target


def ready(place: str | os.PathLike[str]) -> Path:
    """The path of a file or folder to be, refused where it could not be made; for those who pay before they write."""
    target = free(place)
    if not target.parent.is_dir():
        raise OutputError(f"{target} would be in {target.parent}, which is no folder; make it first")
    with _beside(target) as beside:
        (beside / target.name).mkdir()
    return target


def write_folder(folder: str | os.PathLike[str], content: Mapping[str, bytes]) -> None:
    """Put the files into a hidden folder beside their place, then rename it."""
    target = free(folder)
    with _beside(target) as beside:
        for name, data in content.items():
            with (beside / name).open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        beside.chmod(0o755)
        beside.rename(target)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A hidden folder beside the target, which goes away unless it was renamed."""
    try:
        beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name[:50]}."))
        try:
            yield beside
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{target!s:.200} cannot be written ({reason}); choose another place") from None

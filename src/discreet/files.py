"""Read a file that is one, and write a file or a folder so that it is complete or not there."""

import errno
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from discreet.errors import OutputError
from discreet.interrupts import deferred


def opened(path: str | os.PathLike[str] | bytes) -> BufferedReader:
    """A file, open for reading bytes; a pipe or a device, which may never end or never begin, is refused at once.

    Raises
    ------
    OSError
        The file cannot be opened, or is none; `strerror` says why.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


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
            _sync(target.parent)
        finally:
            with deferred():
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
        raise OutputError(f"{target} exists already; choose another name")
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
    """Put the files into a hidden folder beside their place, then rename it; a power failure undoes neither."""
    target = free(folder)
    with _beside(target) as beside:
        for name, data in content.items():
            with (beside / name).open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        beside.chmod(0o755)
        _sync(beside)
        beside.rename(target)
        _sync(target.parent)


@contextmanager
def temporary_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A private folder that goes away with all that is in it, also where the process is told to end.

    Raises
    ------
    OutputError
        The folder cannot be made.
    """
    folder: Path | None = None
    try:
        try:
            with deferred():
                folder = Path(tempfile.mkdtemp(dir=parent, prefix=prefix))
        except OSError as error:
            if parent is not None:
                raise
            raise OutputError(
                f"no temporary folder can be made ({error.strerror or error}); make room, or set TMPDIR to a folder"
                " that can be written"
            ) from None
        yield folder
    finally:
        if folder is not None:
            with deferred():
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A hidden folder beside the target, which goes away unless it was renamed."""
    try:
        with temporary_folder(f".{target.name[:50]}.", target.parent) as beside:
            yield beside
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{target!s:.200} cannot be written ({reason}); choose another place") from None


def _sync(folder: Path) -> None:
    """Have the names in a folder survive a power failure, where the file system can do that for folders."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)

"""Open regular files, and write a file or a folder whole or not at all."""

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


def open_file(path: str | os.PathLike[str] | bytes) -> BufferedReader:
    """Open a regular file to read bytes.

    Pipes and devices are refused at once, because reading one may never begin or never end.

    Parameters
    ----------
    path
        The file; links are followed.

    Returns
    -------
    io.BufferedReader
        The open file. The caller closes it.

    Raises
    ------
    OSError
        The path cannot be opened, or is not a regular file; `strerror` says why.
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
    """Write a file under a temporary name in the same folder, then rename it to `path`.

    Parameters
    ----------
    path
        The file to write. A link is followed.
    private
        If True, only the owner can read the file.
    new
        If True, an existing file is refused. If False, an existing file is replaced.

    Raises
    ------
    FileExistsError
        `new` is True and the file exists.
    OutputError
        The file cannot be written, or the path is a folder or a device.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            raise OutputError(f"{target} is a folder or a device; give the name of a file")
        temporary = target.with_name(f".{target.name[:50]}.{secrets.token_hex(4)}")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if new:
                os.link(temporary, target)  # unlike a rename, a link never replaces a file
            else:
                temporary.replace(target)
            _sync(target.parent)
        finally:
            with deferred():
                temporary.unlink(missing_ok=True)
    except FileExistsError:
        raise
    except (OSError, TypeError, ValueError) as error:
        raise _unwritable(path, error) from None


def new_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file or folder that does not exist yet.

    Raises
    ------
    OutputError
        Something exists at the path.
    """
    target = Path(path)
    if os.path.lexists(target):
        raise OutputError(f"{target} exists already; choose another name")
    return target


def writable_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file or folder that does not exist yet and can be made.

    A release calls this function before it spends budget, so that nothing is spent on a folder that cannot be written.

    Raises
    ------
    OutputError
        Something exists at the path, or nothing can be made there.
    """
    target = new_path(path)
    if not target.parent.is_dir():
        raise OutputError(f"{target} would be in {target.parent}, which is no folder; make it first")
    with _hidden_folder(target) as folder:
        (folder / target.name).mkdir()
    return target


def write_folder(path: str | os.PathLike[str], content: Mapping[str, bytes]) -> None:
    """Write a folder of files whole or not at all: fill a hidden folder beside `path`, then rename that folder.

    After the return, the folder survives a power failure.

    Parameters
    ----------
    path
        The folder to make.
    content
        The bytes of every file, by its name. A file in a folder of the folder has the name FOLDER/FILE.

    Raises
    ------
    OutputError
        Something exists at the path, or the folder cannot be written.
    """
    target = new_path(path)
    with _hidden_folder(target) as folder:
        inner = [folder / name for name in sorted({name.rpartition("/")[0] for name in content} - {""})]
        for own in inner:
            own.mkdir()
        for name, data in content.items():
            with (folder / name).open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for own in (*inner, folder):
            own.chmod(0o755)
            _sync(own)
        folder.rename(target)
        _sync(target.parent)


def names_in(folder: Path) -> list[str]:
    """Return the names of everything in a folder: NAME, or FOLDER/NAME for what is in a folder of the folder.

    A folder counts by what is in it, and by its own name if it is empty or a link.
    """
    names = []
    for entry in folder.iterdir():
        is_folder = entry.is_dir() and not entry.is_symlink()
        names += [f"{entry.name}/{own.name}" for own in (entry.iterdir() if is_folder else ())] or [entry.name]
    return names


@contextmanager
def temporary_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """Make a private folder, and remove the folder with its content at the end, also after a signal.

    Parameters
    ----------
    prefix
        How the name of the folder starts.
    parent
        The folder to make it in. None: the system's folder for temporary files.

    Raises
    ------
    OutputError
        The system's folder for temporary files cannot be written.
    OSError
        `parent` cannot be written.
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
def _hidden_folder(target: Path) -> Iterator[Path]:
    """Make a hidden folder beside the target. Remove it at the end unless the caller renamed it."""
    try:
        with temporary_folder(f".{target.name[:50]}.", target.parent) as folder:
            yield folder
    except (OSError, ValueError) as error:
        raise _unwritable(target, error) from None


def _unwritable(path: object, error: Exception) -> OutputError:
    reason = getattr(error, "strerror", None) or error
    return OutputError(f"{path!s:.200} cannot be written ({reason}); choose another path")


def _sync(folder: Path) -> None:
    """Make the names in a folder survive a power failure, if the file system can do that for folders."""
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

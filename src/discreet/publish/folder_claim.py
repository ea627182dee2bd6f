"""One run at a time for a folder: a run claims the name of its folder before it pays or draws.

The claim is a lock on the hidden file .NAME.claim beside the folder. The operating system drops the lock when the
process ends, also if the process is killed. The empty file may then remain, and the next run removes it. Windows has no
such locks: there the private file of measurements (`pending`), which only one run can create, is the only guard.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import OutputError, ReleaseError
from discreet.interrupts import deferred
from discreet.publish import pending, steward_log
from discreet.publish.draw_identity import Identity

if sys.platform != "win32":
    import fcntl


@dataclass(frozen=True)
class ReleasePaths:
    """The paths that a run writes to.

    Attributes
    ----------
    folder
        The folder to publish. None: the release stays in memory.
    log
        The steward's private log, or None.
    """

    folder: Path | None
    log: Path | None

    def unpublished(self, identity: Identity) -> Path:
        """Return the path of the private file for measurements that are not published yet."""
        return pending.file_without_folder(identity) if self.folder is None else pending.file_for(self.folder)


@contextmanager
def claimed_paths(output: str | os.PathLike[str] | None, log: str | os.PathLike[str] | None) -> Iterator[ReleasePaths]:
    """Check the paths of a run, and hold the name of its folder during the block.

    Without a folder nothing is held: the private file of measurements, which only one run can create, is the guard.

    Raises
    ------
    ReleaseError
        Another run holds the name.
    OutputError
        One of the paths cannot be written.
    """
    if output is None:
        yield ReleasePaths(None, None if log is None else steward_log.log_path(log))
        return
    pending.file_for(output)
    with claimed(output):
        pending.file_for(output)  # again: another run may have ended in between
        private_log = None if log is None else steward_log.log_path(log, output)
        yield ReleasePaths(Path(output), private_log)


@contextmanager
def claimed(output: str | os.PathLike[str]) -> Iterator[None]:
    """Claim the name of a folder while the context is open.

    Parameters
    ----------
    output
        The folder that the run will leave.

    Raises
    ------
    ReleaseError
        If another run has claimed the folder.
    OutputError
        If the file of the lock cannot be made, or the file system has no locks.
    """
    if sys.platform == "win32":
        yield
        return
    target = Path(output)
    file = target.with_name(f".{target.name}.claim")
    descriptor: int | None = None
    try:
        with deferred():
            descriptor = _locked(file, output)
        yield
    finally:
        if descriptor is not None:
            with deferred():
                with suppress(OSError):  # the next run takes over an empty file that remains
                    os.unlink(file)  # before the lock is dropped: a run that waits for the lock checks the name
                os.close(descriptor)


def _locked(file: Path, output: str | os.PathLike[str]) -> int:
    """Return the descriptor of the locked file, which still has its name."""
    while True:
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise OutputError(f"{output!s:.200} cannot be claimed ({error.strerror}); choose another place") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _has_name(descriptor, file):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise ReleaseError(
                f"another run is making {output!s:.200} now; nothing was reserved or drawn by this one: wait for the"
                " other run to end, or give another folder"
            ) from None
        except OSError as error:
            os.close(descriptor)
            raise OutputError(
                f"{output!s:.200} cannot be claimed, so that two runs could pay for it ({error.strerror}); choose a"
                " place on a file system that has locks"
            ) from None
        os.close(descriptor)


def _has_name(descriptor: int, file: Path) -> bool:
    """Return True if an open file still has its name: another run may have removed the file in the meantime."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(file))
    except FileNotFoundError:
        return False

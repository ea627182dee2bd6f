"""Measurements that were drawn and are not published yet, in a private file beside their folder.

To publish only the draws that pass a check is rejection sampling, and may double epsilon. So a release draws once.
Before any table is made, its measurements are written to

    NAME.unpublished.json       beside the folder NAME, readable by its owner only.

The file is removed when the folder is complete and the ledger has recorded it. If a release fails in between, its next
run continues from the file: it reads no rows, draws nothing and pays nothing.

The file holds measurements, which the promise covers, and never true counts, keys or the secret (`_pending_file`).

**No folder.** The file of a release that stays in memory lies in a private folder of this user, in the system's folder
for temporary files, under a digest of the release. It is removed when the release is complete.

**Other folders.** The memory of the secret records the path of the file. So a run that writes to another folder finds
the file. Without a memory (no secret, or a secret from the environment without `memory`), and with contributor keys,
only the parent of the release's own folder is searched.
"""

import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from discreet import files
from discreet.arrays import Integers
from discreet.errors import OutputError, ReleaseError
from discreet.measure.secret_memory import Memory
from discreet.plan.release_plan import ReleasePlan
from discreet.publish import _pending_file
from discreet.publish._pending_file import GIVE_UP, may_belong_to, measurements_of, read_document
from discreet.publish.draw_identity import Identity
from discreet.publish.folder import MANIFEST

SUFFIX = ".unpublished.json"


@dataclass(frozen=True, repr=False)
class Kept:
    """Measurements of all measured cells, in the order of the plan, and the private file that holds them.

    Attributes
    ----------
    file
        The path of the private file.
    release
        The name of the release in the ledger; None without a ledger.
    measurements
        One measurement for each measured cell.
    """

    file: Path
    release: str | None
    measurements: Integers

    @contextmanager
    def explaining_errors(self, output: str | os.PathLike[str] | None, log: bool) -> Iterator[None]:
        """Add a note to every error: where the measurements are, and how to continue.

        With `log`, the note says to leave the log out, because a continued release has no true counts.
        """
        try:
            yield
        except BaseException as error:
            command = f"the same command{' without the log' if log else ''}"
            if output is None:
                if os.path.lexists(self.file):
                    error.add_note(
                        f"The measurements are kept in {self.file}: the same call{' without the log' if log else ''},"
                        " also with another reconcile or with an output, goes on from them without drawing again."
                    )
            elif not os.path.lexists(self.file):
                error.add_note(f"The folder {output} is published and complete: nothing is left to do.")
            elif os.path.lexists(output):
                error.add_note(
                    f"The folder {output} is in place, and its measurements are still kept in {self.file}: {command}"
                    " completes the release without drawing again."
                )
            else:
                error.add_note(
                    f"The measurements are kept in {self.file}: {command}, or one with another reconcile, goes on from"
                    " them without drawing again."
                )
            raise

    def remove(self) -> None:
        """Remove the file, after the measurements were published. Raise OutputError if the file cannot be removed."""
        try:
            self.file.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(
                f"the folder is published, and {self.file} cannot be removed ({error.strerror}); remove it, it is of no"
                " more use"
            ) from None


def file_for(output: str | os.PathLike[str]) -> Path:
    """Return the path of the private file for the measurements of a folder.

    Parameters
    ----------
    output
        The folder that the release will leave.

    Raises
    ------
    OutputError
        If the folder or the file cannot be made, or if the folder exists and the file does not. If both exist, an
        earlier run was cut off after it published, and this run completes it (`is_published`).
    """
    file = Path(f"{Path(output)}{SUFFIX}")
    file_exists = os.path.lexists(file)
    if not os.path.lexists(output):
        files.writable_path(output)
    elif not file_exists:
        raise OutputError(f"{output} exists already{_description(output)}; nothing was changed: choose another name")
    return file if file_exists else files.writable_path(file)


def file_without_folder(identity: Identity) -> Path:
    """Return the path of the private file for the measurements of a release that stays in memory.

    Raises
    ------
    OutputError
        If the private folder cannot be made, or is not a folder that only this user can open.
    """
    user = os.getuid() if hasattr(os, "getuid") else None
    folder = Path(tempfile.gettempdir(), f"discreet-unpublished{'' if user is None else f'-{user}'}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError as error:
        raise OutputError(f"{folder} cannot be made ({error.strerror}); set TMPDIR to a folder of your own") from None
    is_private = user is None or (status.st_uid == user and not status.st_mode & 0o077)
    if not stat.S_ISDIR(status.st_mode) or not is_private:
        raise OutputError(f"{folder} is not a folder that only you can open; set TMPDIR to a folder of your own")
    return folder / f"{identity.digest}{SUFFIX}"


def is_published(output: str | os.PathLike[str], content: Mapping[str, bytes], file: Path) -> bool:
    """Return True if the folder exists and holds exactly this content, False if it does not exist.

    Parameters
    ----------
    output
        The folder.
    content
        The content of each file, by file name.
    file
        The private file of the measurements, for messages.

    Raises
    ------
    OutputError
        If the folder exists and holds something else.
    """
    if not os.path.lexists(output):
        return False
    if _holds(Path(output), content):
        return True
    raise OutputError(
        f"{output} exists already{_description(output)}, and it is not what this specification makes, with this version"
        f" of Discreet, from the measurements in {file}; nothing was changed. To go on from these measurements, give"
        " another name in the same place. If the folder that is there is the release that you want (see `discreet"
        f" verify {output}`), remove {file}"
    )


def _holds(folder: Path, content: Mapping[str, bytes]) -> bool:
    """Return True if a folder holds exactly these files."""
    try:
        return set(files.names_in(folder)) == content.keys() and all(
            stat.S_ISREG((folder / name).lstat().st_mode) and (folder / name).read_bytes() == data
            for name, data in content.items()
        )
    except OSError:
        return False


def _description(output: str | os.PathLike[str]) -> str:
    """Return which release a folder holds, for a message; an empty text if it holds none."""
    try:
        with files.open_file(Path(output) / MANIFEST) as file:
            manifest = json.loads(file.read())
        spec = manifest["spec"]
        tables = ", ".join(str(table["name"]) for table in spec["tables"])
        return f", a published release with the version label {spec['version']!r:.120} and the tables {tables:.200}"
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ""


def find(file: Path, identity: Identity, plan: ReleasePlan, memory: Memory | None = None) -> Kept | None:
    """Return the measurements that a release has drawn already; None if it has drawn none.

    Searched are `file`, other files with the same suffix in its folder, and the path in the memory of the secret. Other
    files count only if they have this identity, or this version label and are damaged or readable by others.

    Parameters
    ----------
    file
        The private file of this release.
    identity
        The identity of this release.
    plan
        The plan of this release: its measured cells and tables of noise.
    memory
        The memory of the secret; None if there is none.

    Raises
    ------
    ReleaseError
        If `file` belongs to another release, if a file that counts is damaged or readable by others, or if the
        measurements were drawn with the keys of another order of the specification.
    """
    if os.path.lexists(file):
        document = read_document(file)
        if document["identity"] != identity.digest:
            raise ReleaseError(
                f"{file} holds measurements drawn earlier, from data with the version label {document['label']!r:.120},"
                " for other tables or other data than those of this specification. Nothing was drawn: to draw again"
                " and choose which draw to publish would break the promise. Finish that release with the specification"
                f" it was made from; or, {GIVE_UP}"
            )
        return Kept(file, document["release"], measurements_of(file, document, identity, plan))
    remembered = None if memory is None else memory.pending_file(identity.digest)
    for path in [*sorted(file.parent.glob(f"*{SUFFIX}")), *([] if remembered is None else [remembered])]:
        if may_belong_to(path, identity):
            document = read_document(path)
            if document["identity"] == identity.digest:
                return Kept(path, document["release"], measurements_of(path, document, identity, plan))
    return None


@dataclass(frozen=True)
class Keeper:
    """Writes the private file of a release.

    Attributes
    ----------
    file
        The path of the private file.
    identity
        The identity of the release.
    memory
        The memory of the secret, which records the path; None if there is none.
    on_kept
        Called with the measurements after they were written.
    """

    file: Path
    identity: Identity
    memory: Memory | None
    on_kept: Callable[[Kept], None]

    def announce(self) -> None:
        """Record the path of the file in the memory of the secret, before anything is paid or drawn."""
        if self.memory is not None:
            self.memory.record_pending(self.identity.digest, self.file)

    def keep(self, release: str | None, measurements: Integers) -> Kept:
        """Write the private file, right after the draw.

        Parameters
        ----------
        release
            The name of the release in the ledger; None without a ledger.
        measurements
            One measurement for each measured cell, in the order of the plan.

        Raises
        ------
        ReleaseError
            If another run has written the file in the meantime.
        OutputError
            If the file cannot be written.
        """
        file = self.file
        try:
            files.write(file, _pending_file.content(self.identity, release, measurements), private=True, new=True)
        except FileExistsError:
            raise ReleaseError(
                f"another run for this folder was faster and keeps its measurements in {file}; those of this run are"
                " dropped unseen, and what a ledger was charged for them stays spent. Wait for the other run to end;"
                " then give another folder, or, if the other run failed, run this again"
            ) from None
        except OutputError as error:
            error.add_note("What was drawn is lost, and nobody saw it; what a ledger was charged for it stays spent.")
            raise
        kept = Kept(file, release, measurements)
        self.on_kept(kept)
        return kept

"""Measurements that were drawn and are not published yet: a private file beside the folder that they are for.

Publishing only the draws that pass a check is rejection sampling, and may double epsilon. So a release draws once. What
it drew is written to

    NAME.unpublished.json       beside the folder NAME, readable by its owner only,

before any table is made. The file is removed when the folder is in place and the ledger says so. Whatever fails in
between, the next run of the release goes on from the file: it counts nothing, draws nothing and pays nothing.

The file holds measurements, which the promise covers, and never true counts, keys or the secret. With them it has

    identity    a digest of what was measured: the source, version label, unit, ledger, perturbation table, kind of
                key, and the set of cells, in no order (`identity`). How tables are made and shown has no part in it.
    keys        a digest of what keys were made from; null for fresh keys
    release     the name under which the ledger knows what they cost
    mac         HMAC-SHA256 of everything else in the file
    sha256      of everything else in the file, the mac included

Identity, keys and mac are keyed with the secret. Without a secret the key is empty, and the mac shows no forgery.
The checksum shows damage to whoever has another secret, too: a damaged file is not taken for one of another release.

**Other folders.** The memory of the secret notes where the file is, so that a release into another place finds it. A
release without a memory (no secret, or one from the environment without `memory`) looks beside its own folder only.
Contributor keys are not noted.
"""

import hashlib
import hmac
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet import files
from discreet.arrays import Integers
from discreet.certify.ptable import PTable
from discreet.errors import OutputError, ReleaseError
from discreet.measure.secret_memory import Memory
from discreet.publish.draw_identity import Identity, written
from discreet.publish.folder import MANIFEST
from discreet.publish.reachable import possible

SUFFIX = ".unpublished.json"
FORMAT, VERSION = "discreet unpublished measurements", 2
NOTE = "PRIVATE. Measurements of a release that is not published yet: run the release again to go on from them."
FIELDS = {"format", "version", "note", "label", "identity", "keys", "release", "measurements", "mac", "sha256"}

GIVE_UP = "to give these measurements up for good, remove the file: what they cost stays spent"


@dataclass(frozen=True, repr=False)
class Kept:
    """Measurements of all distinct cells, in the order of the layout, and the private file that holds them."""

    file: Path
    release: str | None
    measurements: Integers

    @contextmanager
    def noting(self, output: str | os.PathLike[str], log: bool) -> Iterator[None]:
        """Say in every error where the measurements are, and how to go on; a log cannot be had then."""
        try:
            yield
        except BaseException as error:
            same = f"the same command{' without the log' if log else ''}"
            if not os.path.lexists(self.file):
                error.add_note(f"The folder {output} is published and complete: nothing is left to do.")
            elif os.path.lexists(output):
                error.add_note(
                    f"The folder {output} is in place, and its measurements are still kept in {self.file}: {same}"
                    " completes the release without drawing again."
                )
            else:
                error.add_note(
                    f"The measurements are kept in {self.file}: {same}, or one with another reconcile, goes on from"
                    " them without drawing again."
                )
            raise

    def remove(self) -> None:
        """Remove the file: the measurements are published."""
        try:
            self.file.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(
                f"the folder is published, and {self.file} cannot be removed ({error.strerror}); remove it, it is of no"
                " more use"
            ) from None


def place(output: str | os.PathLike[str]) -> Path:
    """The file for the measurements of a folder; refused where the folder or the file could not be made.

    Where both are there, the release was cut off at its very end, and is completed (`completes`).
    """
    file = Path(f"{Path(output)}{SUFFIX}")
    there = os.path.lexists(file)
    if not os.path.lexists(output):
        files.ready(output)
    elif not there:
        raise OutputError(f"{output} exists already{_told(output)}; nothing was changed: choose another name")
    return file if there else files.ready(file)


def completes(output: str | os.PathLike[str], content: Mapping[str, bytes], file: Path) -> bool:
    """Whether the folder is there already, the same to the last byte: then only the ledger has to be told.

    Raises
    ------
    OutputError
        Something else is there.
    """
    if not os.path.lexists(output):
        return False
    if _holds(Path(output), content):
        return True
    raise OutputError(
        f"{output} exists already{_told(output)}, and it is not what this specification makes, with this version of"
        f" Discreet, from the measurements in {file}; nothing was changed. To go on from these measurements, give"
        f" another name in the same place. If the folder that is there is the release that you want (see `discreet"
        f" verify {output}`), remove {file}"
    )


def _holds(folder: Path, content: Mapping[str, bytes]) -> bool:
    try:
        return {each.name for each in folder.iterdir()} == content.keys() and all(
            stat.S_ISREG((folder / name).lstat().st_mode) and (folder / name).read_bytes() == data
            for name, data in content.items()
        )
    except OSError:
        return False


def _told(output: str | os.PathLike[str]) -> str:
    """What a folder is, for a message: the release that its manifest states."""
    try:
        with files.opened(Path(output) / MANIFEST) as file:
            manifest = json.loads(file.read())
        spec = manifest["spec"]
        tables = ", ".join(str(table["name"]) for table in spec["tables"])
        return f", a published release with the version label {spec['version']!r:.120} and the tables {tables:.200}"
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ""


def find(file: Path, identity: Identity, ptable: PTable, memory: Memory | None = None) -> Kept | None:
    """The measurements that a release goes on from; None where it has drawn none.

    They are in its own file, in one of the same folder that has another name, or where the memory of the secret says.
    What others left there, under other names, decides nothing: only a file that has this identity, or this version
    label and is damaged or open to others.

    Raises
    ------
    ReleaseError
        The file of this name is of another release, or is damaged or open to others, or one of this label is; or the
        measurements were drawn with keys that another order of the specification makes.
    """
    if os.path.lexists(file):
        document = _document(file)
        if document["identity"] != identity.digest:
            raise ReleaseError(
                f"{file} holds measurements drawn earlier, from data with the version label {document['label']!r:.120},"
                " for other tables or other data than those of this specification. Nothing was drawn: to draw again"
                " and choose which draw to publish would break the promise. Finish that release with the specification"
                f" it was made from; or, {GIVE_UP}"
            )
        return _kept(file, document, identity, ptable)
    noted = None if memory is None else memory.unpublished(identity.digest)
    for other in [*sorted(file.parent.glob(f"*{SUFFIX}")), *([] if noted is None else [noted])]:
        if _concerns(other, identity):
            document = _document(other)
            if document["identity"] == identity.digest:
                return _kept(other, document, identity, ptable)
    return None


def _concerns(file: Path, identity: Identity) -> bool:
    """Whether a file of another name may be of this release: it has its label or its identity, whole or not."""
    if not (os.access(file, os.R_OK) and stat.S_ISREG(file.lstat().st_mode)):
        return False  # what this user cannot read, this user did not write
    raw = file.read_bytes()
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        label = written({"label": identity.label})[1:-1]
        return label in raw or identity.digest.encode() in raw
    return isinstance(document, dict) and (
        document.get("label") == identity.label or document.get("identity") == identity.digest
    )


@dataclass(frozen=True)
class Keeper:
    """Keeps what a release draws.

    Attributes
    ----------
    file, identity
        Where measurements are kept, and of which release.
    memory
        Notes where the file is, so that a release into another place finds it.
    on_kept
        Called with what was kept.
    """

    file: Path
    identity: Identity
    memory: Memory | None
    on_kept: Callable[[Kept], None]

    def announce(self) -> None:
        """Note where the file will be, before anything is paid or drawn."""
        if self.memory is not None:
            self.memory.will_keep(self.identity.digest, self.file)

    def keep(self, release: str | None, measurements: Integers) -> Kept:
        """Write the file, right after the draw. `release` is the name in the ledger."""
        file, identity = self.file, self.identity
        document: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "note": NOTE,
            "label": identity.label,
            "identity": identity.digest,
            "keys": identity.keys,
            "release": release,
            "measurements": measurements[identity.order].tolist(),
        }
        document["mac"] = _mac(identity, document)
        document["sha256"] = _checksum(document)
        try:
            files.write(file, written(document) + b"\n", private=True, new=True)
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


def _kept(file: Path, document: dict[str, Any], identity: Identity, ptable: PTable) -> Kept:
    """The content of a file of this release, every part of it checked."""
    content = {name: value for name, value in document.items() if name not in ("mac", "sha256")}
    if not hmac.compare_digest(_mac(identity, content).encode(), str(document["mac"]).encode(errors="replace")):
        raise _damaged(file, "it is not as it was written")
    if document["keys"] != identity.keys:
        raise ReleaseError(
            f"{file} holds measurements of the same cells, drawn earlier with dimensions, categories or ranges in"
            " another order, or with another dimension in use. This order makes other keys. Nothing was drawn: to draw"
            " again and choose which draw to publish would break the promise. Go back to the order of that"
            f" specification; or, {GIVE_UP}"
        )
    stored, cells = _integers(document["measurements"]), len(identity.order)
    if stored is None or stored.shape != (cells,):
        raise _damaged(file, f"it does not hold one integer for each of {cells} cells")
    measurements = np.empty_like(stored)
    measurements[identity.order] = stored
    if not possible(ptable.table, measurements).all():
        raise _damaged(file, "it holds a number that the perturbation table cannot give")
    return Kept(file, document["release"], measurements)


def _integers(given: Any) -> Integers | None:
    """A list of integers as an array; None where it is anything else."""
    try:
        found = np.array(given)
    except ValueError:
        return None
    return found.astype(np.int64) if found.dtype.kind == "i" else None


def _document(file: Path) -> dict[str, Any]:
    """The fields of a file, whatever release it is of."""
    raw = _read(file)
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        raise _damaged(file, "it is not JSON") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _damaged(file, "it is not what Discreet writes")
    if document.get("version") != VERSION:
        raise ReleaseError(
            f"{file} has version {document.get('version')!r:.20}, and this Discreet reads {VERSION}; finish the release"
            f" with the Discreet that began it; or, {GIVE_UP}"
        )
    if document.keys() != FIELDS:
        raise _damaged(file, "it lacks a part, or has one too many")
    if document["sha256"] != _checksum({name: value for name, value in document.items() if name != "sha256"}):
        raise _damaged(file, "it is not as it was written")
    return document


def _read(file: Path) -> bytes:
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise ReleaseError(
                f"{file} is a link, a folder or a device, and not the file of measurements that its name says; nothing"
                " was drawn: remove it, or put the file in its place"
            )
        if os.name == "posix" and status.st_mode & 0o077:
            raise ReleaseError(
                f"{file} is open to others (mode {stat.S_IMODE(status.st_mode):04o}), and holds measurements that are"
                " not published; nothing was drawn: take the right away with chmod 600"
            )
        return file.read_bytes()
    except OSError as error:
        raise ReleaseError(
            f"{file} cannot be read ({error.strerror}), and may hold measurements of this release; nothing was drawn:"
            f" make it readable; or, {GIVE_UP}"
        ) from None


def _damaged(file: Path, what: str) -> ReleaseError:
    return ReleaseError(
        f"{file} should hold measurements drawn earlier, and {what}. Nothing was drawn: restore it from a copy; or,"
        f" {GIVE_UP}"
    )


def _checksum(document: dict[str, Any]) -> str:
    return hashlib.sha256(written(document)).hexdigest()


def _mac(identity: Identity, content: dict[str, Any]) -> str:
    return hmac.digest(identity.key, written(content), "sha256").hex()

"""The content of the private file of measurements: its fields, and how they are checked.

The file holds measurements, which the promise covers, and never true counts, keys or the secret. Its other fields are

    identity    a digest of what was measured: source, version label, unit, ledger, tables of noise, kind of key, and
                the set of measured cells in any order (`draw_identity`). It does not depend on how tables are made
                and shown.
    keys        a digest of what the keys were made from; null for fresh keys
    release     the name of the release in the ledger
    mac         HMAC-SHA256 of all other fields except sha256
    sha256      the SHA-256 digest of all other fields

Identity, keys and mac are keyed with the secret. Without a secret the key is empty, and the mac detects no forgery. The
checksum detects damage without the secret, so that a damaged file is not taken for a file of another release.
"""

import hashlib
import hmac
import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import Integers
from discreet.errors import ReleaseError
from discreet.plan.release_plan import ReleasePlan
from discreet.publish.draw_identity import Identity, canonical_json
from discreet.publish.reachable import is_reachable

FORMAT, VERSION = "discreet unpublished measurements", 2
NOTE = "PRIVATE. Measurements of a release that is not published yet: run the release again to go on from them."
FIELDS = {"format", "version", "note", "label", "identity", "keys", "release", "measurements", "mac", "sha256"}

GIVE_UP = "to give these measurements up for good, remove the file: what they cost stays spent"


def content(identity: Identity, release: str | None, measurements: Integers) -> bytes:
    """Return the content of the private file.

    Parameters
    ----------
    identity
        The identity of the draw.
    release
        The name of the release in the ledger; None without a ledger.
    measurements
        One measurement for each measured cell, in the order of the plan.
    """
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
    document["mac"] = mac(identity, document)
    document["sha256"] = checksum(document)
    return canonical_json(document) + b"\n"


def measurements_of(file: Path, document: dict[str, Any], identity: Identity, plan: ReleasePlan) -> Integers:
    """Return the measurements of a file of this release, in the order of the plan.

    Raises
    ------
    ReleaseError
        If a field was changed, if the measurements were drawn with other keys, or if the table cannot give them.
    """
    signed = {name: value for name, value in document.items() if name not in ("mac", "sha256")}
    if not hmac.compare_digest(mac(identity, signed).encode(), str(document["mac"]).encode(errors="replace")):
        raise _damaged(file, "its mac does not fit its content")
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
    for table, ptable in enumerate(plan.ptables):
        if not is_reachable(ptable.table, measurements[plan.measured.of_table(table)]).all():
            raise _damaged(file, "it holds a number that the perturbation table cannot give")
    return measurements


def _integers(values: Any) -> Integers | None:
    """Return a list of integers as an array; None for anything else."""
    try:
        array = np.array(values)
    except ValueError:
        return None
    return array.astype(np.int64) if array.dtype.kind == "i" else None


def read_document(file: Path) -> dict[str, Any]:
    """Return the fields of a file of any release. Raise ReleaseError if the file is damaged or readable by others."""
    raw = _read(file)
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        raise _damaged(file, "it is not JSON") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _damaged(file, f"its format is not {FORMAT!r}")
    if document.get("version") != VERSION:
        raise ReleaseError(
            f"{file} has version {document.get('version')!r:.20}, and this Discreet reads {VERSION}; finish the release"
            f" with the Discreet that began it; or, {GIVE_UP}"
        )
    if document.keys() != FIELDS:
        wrong = ", ".join(sorted(document.keys() ^ FIELDS))
        raise _damaged(file, f"it lacks fields, or has unknown fields ({wrong:.200})")
    if document["sha256"] != checksum({name: value for name, value in document.items() if name != "sha256"}):
        raise _damaged(file, "its sha256 does not fit its content")
    return document


def may_belong_to(file: Path, identity: Identity) -> bool:
    """Return True if a file, damaged or not, has the version label or the identity of a release."""
    if not (os.access(file, os.R_OK) and stat.S_ISREG(file.lstat().st_mode)):
        return False  # what this user cannot read, this user did not write
    raw = file.read_bytes()
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        label = canonical_json({"label": identity.label})[1:-1]
        return label in raw or identity.digest.encode() in raw
    return isinstance(document, dict) and (
        document.get("label") == identity.label or document.get("identity") == identity.digest
    )


def _read(file: Path) -> bytes:
    """Return the content of a private file. Raise ReleaseError if it is no regular file or readable by others."""
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


def _damaged(file: Path, damage: str) -> ReleaseError:
    return ReleaseError(
        f"{file} should hold measurements drawn earlier, and {damage}. Nothing was drawn: restore it from a copy; or,"
        f" {GIVE_UP}"
    )


def checksum(document: dict[str, Any]) -> str:
    """Return the SHA-256 digest of all fields except sha256."""
    return hashlib.sha256(canonical_json(document)).hexdigest()


def mac(identity: Identity, document: dict[str, Any]) -> str:
    """Return the HMAC-SHA256 of all fields except mac and sha256."""
    return hmac.digest(identity.key, canonical_json(document), "sha256").hex()

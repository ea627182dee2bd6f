"""Open a release folder: read its manifest, its files, its certificate and its measurements."""

import csv
import errno
import hashlib
import io
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from discreet import files
from discreet.certify.ptable import PTable, load
from discreet.errors import CertificateError
from discreet.measure import lookup
from discreet.plan.noise_table import require_fit
from discreet.plan.release_plan import Resolved, resolve
from discreet.plan.spec import ReleaseSpec
from discreet.publish import table_files
from discreet.publish.folder import CERTIFICATE, MANIFEST, REPORT
from discreet.publish.manifest import Manifest
from discreet.publish.reachable import is_reachable

LARGEST_MANIFEST = 64_000_000

Measurements = tuple[npt.NDArray[np.int64], ...]


@dataclass(frozen=True)
class OpenedFolder:
    """A folder whose manifest, files and certificate were read, and whose specification was resolved."""

    manifest: Manifest
    content: dict[str, bytes]
    ptable: PTable
    resolved: Resolved


def open_folder(path: Path) -> OpenedFolder:
    """Read the manifest and the files that it names, and resolve the specification."""
    manifest = _manifest(path)
    failures: list[str] = []
    content = _content(path, manifest, failures)
    if failures:
        raise refused(path, failures)
    spec = _spec(manifest)
    ptable = load(path / CERTIFICATE)
    require_fit(spec, ptable)
    return OpenedFolder(manifest, content, ptable, resolve(spec))


def refused(path: Path, failures: list[str]) -> CertificateError:
    """Return the error that lists the failures."""
    listed = "".join(f"\n  {line}" for line in failures)
    return CertificateError(f"{path} does not hold what it claims:{listed}", tuple(failures))


def _manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder."""
    path = folder / MANIFEST
    try:
        with _open_file(path) as file:
            raw = file.read(LARGEST_MANIFEST + 1)
    except OSError as error:
        raise CertificateError(f"{path} cannot be read ({error.strerror}); give the folder of a release") from None
    if len(raw) > LARGEST_MANIFEST:
        raise CertificateError(f"{path} is larger than any manifest; get the folder again")
    manifest = Manifest.from_bytes(raw, path)
    if not {table_files.MEASUREMENTS, CERTIFICATE, REPORT} <= manifest.files.keys():
        raise CertificateError(f"{path} does not list its files; get the folder again")
    return manifest


def _open_file(path: Path) -> BufferedReader:
    """Open a file of a folder. Raise OSError if the path is a link, because links may leave the folder."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link, not a file of the folder", str(path))
    return files.open_file(path)


def _content(folder: Path, manifest: Manifest, failures: list[str]) -> dict[str, bytes]:
    """Read all files that the manifest names. Add a failure for each wrong digest, missing file and other file."""
    content = {}
    for name, stated in manifest.files.items():
        if Path(name).name != name:
            failures.append(f"manifest: the file name {name!r} leaves the folder")
            continue
        try:
            with _open_file(folder / name) as file:
                if f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}" != stated:
                    failures.append(f"{name}: its digest is not the one in the manifest")
                    continue
                file.seek(0)
                content[name] = file.read()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            failures.append(f"{name}: is missing or cannot be read ({reason})")
    others = {entry.name for entry in folder.iterdir()} - manifest.files.keys() - {MANIFEST}
    failures.extend(f"{name}: is not in the manifest" for name in sorted(others))
    return content


def _spec(manifest: Manifest) -> ReleaseSpec:
    """Return the public specification. Fields that are not published get values that do not matter here."""
    public, key = manifest.spec, manifest.key
    filled = {
        **public,
        "source": None,
        "secret": None if key.fingerprint is None else {"env": "NONE", "memory": "NONE"},
        "ledger": None if manifest.ledger is None else "NONE",
        "record_keys": ["key"] if key.came_with_the_data else None,
    }
    if public.get("budget") is None:
        filled["design"] = public.get("design") or {"certificate": ""}
    try:
        return ReleaseSpec.model_validate(filled, context={"version": manifest.version})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise CertificateError(f"manifest: the specification in it is not one ({field}: {first['msg']:.200})") from None
    except (TypeError, AttributeError):
        raise CertificateError("manifest: the specification in it is not one") from None


def read_measurements(opened: OpenedFolder, failures: list[str]) -> Measurements:
    """Return the measurements of each grouping. Add a failure if the file is not one that a release writes."""
    raw, layout, ptable = opened.content[table_files.MEASUREMENTS], opened.resolved.layout, opened.ptable
    definitions, cell_indices = layout.cells
    size = sum(grouping.size for grouping in layout.groupings)
    try:
        rows = csv.reader(io.StringIO(raw.decode()))
        next(rows, None)
        flat = np.fromiter((int(row[-1]) for row in rows), dtype=np.int64)
    except (ValueError, IndexError, OverflowError, csv.Error):
        failures.append(f"{table_files.MEASUREMENTS}: cannot be read")
        return ()
    if len(flat) != size:
        failures.append(f"{table_files.MEASUREMENTS}: has {len(flat)} measurements for {size} cells")
        return ()
    parts = np.split(flat, np.cumsum([grouping.size for grouping in layout.groupings])[:-1])
    distinct = np.zeros(len(definitions), dtype=np.int64)
    for indices, part in zip(cell_indices, parts, strict=True):
        distinct[indices] = part
    if any((distinct[indices] != part).any() for indices, part in zip(cell_indices, parts, strict=True)):
        failures.append(f"{table_files.MEASUREMENTS}: one cell has two measurements")
    unreachable = distinct[~is_reachable(ptable.table, distinct)]
    if unreachable.size:
        failures.append(
            f"{table_files.MEASUREMENTS}: {unreachable[0]} is no measurement that the certificate's table can give"
        )
    measurements = tuple(lookup.by_grouping(layout, distinct))
    if not failures and table_files.measurements_file(layout, measurements, opened.manifest.version) != raw:
        failures.append(f"{table_files.MEASUREMENTS}: its cells are not those of the specification, in order")
    return measurements

"""Open a release folder: read its manifest, its files, its certificates and its measurements."""

import csv
import errno
import hashlib
import io
import re
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from discreet import files
from discreet.arrays import Integers
from discreet.certify.ptable import load
from discreet.errors import CertificateError
from discreet.plan.noise_table import ReleaseNoise, listed_groupings, require_fit, with_same_cells
from discreet.plan.release_plan import Resolved, resolve
from discreet.plan.spec import ReleaseSpec
from discreet.publish import table_files
from discreet.publish.folder import MANIFEST, REPORT, written_version
from discreet.publish.manifest import (
    CERTIFICATE,
    CERTIFICATES,
    LISTS,
    Manifest,
    certificate_names,
)
from discreet.publish.reachable import is_reachable

LARGEST_MANIFEST = 64_000_000

Measurements = tuple[Integers | None, ...]


@dataclass(frozen=True)
class OpenedFolder:
    """A folder whose manifest, files and certificates were read, and whose specification was resolved."""

    manifest: Manifest
    content: dict[str, bytes]
    noise: ReleaseNoise
    resolved: Resolved


def open_folder(path: Path) -> OpenedFolder:
    """Read the manifest and the files that it names, and resolve the specification."""
    manifest = _manifest(path)
    failures: list[str] = []
    content = _content(path, manifest, failures)
    if failures:
        raise refused(path, failures)
    spec = _spec(manifest)
    if (written_version(spec) in LISTS) != (manifest.version in LISTS):
        raise CertificateError(f"{path / MANIFEST} has a version that is not for its measure; get the folder again")
    resolved = resolve(spec)
    noise = _noise(path, manifest, resolved)
    require_fit(spec, noise)
    return OpenedFolder(manifest, content, noise, resolved)


def _noise(path: Path, manifest: Manifest, resolved: Resolved) -> ReleaseNoise:
    """Read the certificates. Return them with the groupings that are measured with each."""
    layout = resolved.layout
    if manifest.certificates is None:
        return ReleaseNoise.of_one_table(layout, load(path / CERTIFICATE))
    names = certificate_names(len(manifest.certificates))
    if [entry.file for entry in manifest.certificates] != names or not names:
        raise refused(path, [f"manifest: its certificates are not {', '.join(names) or 'listed'}"])
    ptables = [load(path / name) for name in names]
    digests = [ptable.digest for ptable in ptables]
    stated = [entry.ptable for entry in manifest.groupings]
    if len(stated) != len(layout.groupings) or not {digest for digest in stated if digest is not None} <= set(digests):
        raise refused(path, ["manifest: its groupings are not those of its specification and certificates"])
    numbers = [None if digest is None else digests.index(digest) for digest in stated]
    if not isinstance(resolved.spec.measure, list):
        raise refused(path, ["manifest: its specification does not list the measured groupings"])
    listed = listed_groupings(resolved.spec, layout)
    expected = with_same_cells(layout, {index: numbers[index] for index in listed})
    failures = []
    if tuple(numbers) != expected or None in [numbers[index] for index in listed]:
        failures.append("manifest: its groupings are not measured as the specification says")
    noise = ReleaseNoise.in_order(layout, ptables, numbers)
    if [ptable.digest for ptable in noise.ptables] != digests:
        failures.append("manifest: its certificates are not in the order in which groupings use them")
    if len({ptable.table_digest for ptable in ptables}) < len(ptables):
        failures.append("manifest: two certificates have the same integers")
    if failures:
        raise refused(path, failures)
    return noise


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
    names = certificate_names(1 if manifest.certificates is None else len(manifest.certificates))
    if (manifest.certificates is None) == (manifest.version in LISTS):
        raise CertificateError(f"{path} lists certificates in a version without them, or none; get the folder again")
    if not {table_files.MEASUREMENTS, *names, REPORT} <= manifest.files.keys():
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
        if Path(name).name != name and not _is_certificate(name):
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
    others = set(files.names_in(folder)) - manifest.files.keys() - {MANIFEST}
    failures.extend(f"{name}: is not in the manifest" for name in sorted(others))
    return content


def _is_certificate(name: str) -> bool:
    """Return True if a name is that of one of several certificates."""
    return re.fullmatch(rf"{CERTIFICATES}/[1-9][0-9]{{0,5}}\.json", name) is not None


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
    raw, layout, measured = opened.content[table_files.MEASUREMENTS], opened.resolved.layout, opened.noise.measured
    own = [indices for indices in measured.indices if indices is not None]
    size = sum(map(len, own))
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
    parts = np.split(flat, np.cumsum([len(indices) for indices in own])[:-1])
    distinct = np.zeros(measured.size, dtype=np.int64)
    for indices, part in zip(own, parts, strict=True):
        distinct[indices] = part
    if any((distinct[indices] != part).any() for indices, part in zip(own, parts, strict=True)):
        failures.append(f"{table_files.MEASUREMENTS}: one cell has two measurements")
    for table, ptable in enumerate(opened.noise.ptables):
        numbers = distinct[measured.of_table(table)]
        unreachable = numbers[~is_reachable(ptable.table, numbers)]
        if unreachable.size:
            failures.append(
                f"{table_files.MEASUREMENTS}: {unreachable[0]} is no measurement that the certificate's table can give"
            )
    measurements = measured.by_grouping(distinct)
    if not failures and table_files.measurements_file(layout, measurements, opened.manifest.version) != raw:
        failures.append(f"{table_files.MEASUREMENTS}: its cells are not those of the specification, in order")
    return measurements

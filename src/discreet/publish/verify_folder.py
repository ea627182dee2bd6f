"""Check a release folder as a third party would: with nothing but the folder.

- the certificate: every claim, recomputed in integers, and the specification says nothing else of it;
- the measurements: one for every cell of every grouping, the same for the same cell, and one that the table can give;
- the tables: near the measurements and least squares, as far as noise explains (`distance`);
- the files: these and no others, made again from the measurements, byte for byte (a Parquet file that another version
  of pyarrow wrote by its content; what else its bytes may hold is not checked);
- the manifest: made again as a whole, but for the last digits of the composed guarantee, in which machines differ.

A folder that another version of Discreet or numpy made may have tables and a report that come out otherwise here. Then
the counts are compared with the measurements (`other_version`), and the report is not checked.

What it cannot tell: whether the publisher used the certificate's table, or the secret well, or counted the columns that
the specification names. The kind of source, the fingerprint of the secret, the ledger and the software are stated, and
only their form is checked.
"""

import csv
import errno
import hashlib
import io
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from discreet import files
from discreet.certify.ptable import PTable, load
from discreet.errors import CertificateError, DiscreetError, ExceededBudgetError, ParameterError, SolverError
from discreet.measure import lookup
from discreet.plan.guarantee import Promise, composed_promise
from discreet.plan.layout import Layout
from discreet.plan.noise_table import contradictions, require_fit
from discreet.plan.release_plan import ReleasePlan, Resolved, plan_with, resolve
from discreet.plan.spec import ReleaseSpec
from discreet.publish import table_files
from discreet.publish.folder import CERTIFICATE, MANIFEST, REPORT, Published
from discreet.publish.manifest import ComposedGuarantee, Manifest
from discreet.publish.other_version import other_software, same_parquet, wrong_tables
from discreet.publish.reachable import possible
from discreet.reconcile import distance
from discreet.reconcile.table_plan import Fitted, TablePlan, make_table_plan

LARGEST_MANIFEST = 64_000_000

ROUNDED_DOWN, ROUNDED_UP = 1e-9, 1e-5
"""How far a stated guarantee may lie below and above the recomputed one, as a share of the recomputed one.

Machines differ after 9 digits, and rounding up to 6 digits adds 1e-5 at most.
"""

Measurements = tuple[npt.NDArray[np.int64], ...]


@dataclass(frozen=True)
class MeasuredFolder:
    """What a release folder measured: its plan, and a measurement for each cell."""

    path: Path
    plan: ReleasePlan
    measurements: Measurements


@dataclass(frozen=True)
class VerifiedFolder:
    """A release folder in which no claim fails. Every claim was checked if the last three attributes are empty.

    Attributes
    ----------
    other_software
        Which versions made the folder, and which these are, if files came out otherwise; else None.
    not_replayed
        The files that came out otherwise.
    by_content
        Parquet files that another version of pyarrow wrote. Their content was compared; bytes outside the content were
        not checked.
    """

    folder: Path
    published: Published
    manifest: Manifest
    other_software: str | None = None
    not_replayed: tuple[str, ...] = ()
    by_content: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Opened:
    """The files of a folder, read and resolved."""

    manifest: Manifest
    content: dict[str, bytes]
    ptable: PTable
    resolved: Resolved


def verify_folder(folder: str | os.PathLike[str]) -> VerifiedFolder:
    """Recompute every claim of a release folder.

    Raises
    ------
    CertificateError
        A file is missing or a claim does not hold; `failures` has one line for each.
    """
    path = Path(folder)
    opened = _opened(path)
    manifest, content, ptable, resolved = opened.manifest, opened.content, opened.ptable, opened.resolved
    failures = [f"manifest: {wrong}" for wrong in contradictions(resolved.spec, ptable)]
    measurements = _measurements(content[table_files.MEASUREMENTS], resolved.layout, ptable, failures)
    if failures:
        raise _refused(path, failures)
    plan = plan_with(resolved, ptable, _promise(manifest, resolved, ptable, failures))
    table_plan = make_table_plan(plan)
    fitted = _fitted(path, table_plan, measurements)
    failures.extend(f"tables: {wrong}" for wrong in distance.too_far(table_plan, fitted, measurements, ptable.table))
    published = Published(plan, table_plan, measurements, fitted)
    if not failures:
        _claims(manifest, content, published, failures)
    if failures:
        raise _refused(path, failures)
    differing, by_content = _replayed(content, published, failures)
    other = other_software(manifest.software)
    if other is None:
        failures.extend(f"{name}: is not what the measurements make" for name in differing)
    else:
        wrong, also = wrong_tables(published, fitted, content, differing)
        failures.extend(f"{line} ({other})" for line in wrong)
        by_content += also
    if failures:
        raise _refused(path, failures)
    return VerifiedFolder(path, published, manifest, other if differing else None, tuple(differing), tuple(by_content))


def _fitted(path: Path, table_plan: TablePlan, measurements: Measurements) -> list[Fitted]:
    try:
        return table_plan.fitted(measurements)
    except (SolverError, ParameterError) as error:
        raise _refused(path, [f"tables: they cannot be made from the measurements: {error}"]) from error


def read_folder(folder: str | os.PathLike[str]) -> MeasuredFolder:
    """Read the measurements of a folder.

    Every file has the digest that the manifest states, the certificate holds, is that of every grouping and keeps the
    specification's design and budget, and there is one measurement for each cell. That the tables are made from the
    measurements, and the rest of what the folder claims, is for `verify_folder`.

    Raises
    ------
    CertificateError
        One of these does not hold; `failures` has one line for each.
    """
    path = Path(folder)
    opened = _opened(path)
    spec, ptable, layout = opened.resolved.spec, opened.ptable, opened.resolved.layout
    failures = [f"manifest: {wrong}" for wrong in contradictions(spec, ptable)]
    if opened.manifest.groupings != table_files.groupings(layout, ptable.digest, spec.unit.contributions):
        failures.append("manifest: its groupings are not those of its specification and certificate")
    promise = None if failures else _promise(opened.manifest, opened.resolved, ptable, failures)
    if failures:
        raise _refused(path, failures)
    measurements = _measurements(opened.content[table_files.MEASUREMENTS], layout, ptable, failures)
    if failures:
        raise _refused(path, failures)
    return MeasuredFolder(path, plan_with(opened.resolved, ptable, promise), measurements)


def _opened(path: Path) -> _Opened:
    """Read the manifest and the files that it names, and resolve the specification."""
    manifest = _manifest(path)
    failures: list[str] = []
    content = _content(path, manifest, failures)
    if failures:
        raise _refused(path, failures)
    spec = _spec(manifest)
    ptable = load(path / CERTIFICATE)
    require_fit(spec, ptable)
    return _Opened(manifest, content, ptable, resolve(spec))


def _refused(path: Path, failures: list[str]) -> CertificateError:
    listed = "".join(f"\n  {line}" for line in failures)
    return CertificateError(f"{path} does not hold what it claims:{listed}", tuple(failures))


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        with _file(path) as file:
            raw = file.read(LARGEST_MANIFEST + 1)
    except OSError as error:
        raise CertificateError(f"{path} cannot be read ({error.strerror}); give the folder of a release") from None
    if len(raw) > LARGEST_MANIFEST:
        raise CertificateError(f"{path} is larger than any manifest; get the folder again")
    manifest = Manifest.from_bytes(raw, path)
    if not {table_files.MEASUREMENTS, CERTIFICATE, REPORT} <= manifest.files.keys():
        raise CertificateError(f"{path} does not list its files; get the folder again")
    return manifest


def _file(path: Path) -> BufferedReader:
    """Open a file of a folder. Raise OSError if the path is a link, which may lead out of the folder."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link, not a file of the folder", str(path))
    return files.opened(path)


def _content(folder: Path, manifest: Manifest, failures: list[str]) -> dict[str, bytes]:
    """Read every file that the manifest names. Each has the digest that is stated there, and there is no other."""
    content = {}
    for name, stated in manifest.files.items():
        if Path(name).name != name:
            failures.append(f"manifest: the file name {name!r} leaves the folder")
            continue
        try:
            with _file(folder / name) as file:
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
    """Return the public specification. What was left out of it is filled in by what changes nothing here."""
    public, key = manifest.spec, manifest.key
    filled = {
        **public,
        "source": {"csv": "not published"},
        "secret": None if key.fingerprint is None else {"env": "NONE", "memory": "NONE"},
        "ledger": None if manifest.ledger is None else "NONE",
        "record_keys": ["key"] if key.came_with_the_data else None,
    }
    if public.get("budget") is None:
        filled["design"] = public.get("design") or {"certificate": ""}
    try:
        return ReleaseSpec.model_validate(filled)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CertificateError(f"manifest: the specification in it is not one ({place}: {first['msg']:.200})") from None
    except (TypeError, AttributeError):
        raise CertificateError("manifest: the specification in it is not one") from None


def _claims(manifest: Manifest, content: dict[str, bytes], published: Published, failures: list[str]) -> None:
    """Compare the manifest with the one that its specification, its certificate and its files make."""
    key = manifest.key.model_copy(update={"kind": published.plan.spec.key})
    expected = published.manifest(content, manifest.engine, key, manifest.ledger, manifest.software)
    failures.extend(f"manifest: {wrong}" for wrong in _differences(manifest.document(), expected.document()))
    if not failures and json.dumps(manifest.document()) != json.dumps(expected.document()):
        failures.append("manifest: its fields are not in the order in which a release writes them")


def _differences(stated: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Yield where two documents differ, in words."""
    if isinstance(stated, dict) and isinstance(expected, dict):
        for name in (*expected, *(name for name in stated if name not in expected)):
            inner = f"{place}.{name}" if place else str(name)
            if name not in stated:
                yield f"{inner:.200} is missing"
            elif name not in expected:
                yield f"{inner:.200} is nothing that a release states"
            else:
                yield from _differences(stated[name], expected[name], inner)
    elif json.dumps(stated) != json.dumps(expected):
        yield f"{place:.200} is {stated!r:.80}, and comes out as {expected!r:.80}"


def _promise(manifest: Manifest, resolved: Resolved, ptable: PTable, failures: list[str]) -> Promise | None:
    try:
        promise = composed_promise(resolved.spec, ptable, resolved.touches)
    except ExceededBudgetError as error:
        failures.append(
            f"manifest: {error.finding}: the release exceeds the budget that it states. Do not rely on its promise; ask"
            " the publisher"
        )
        return None
    except DiscreetError as error:
        failures.append(f"manifest: {error}")
        return None
    stated = manifest.privacy.composed
    if (stated is None) != (promise is None):
        failures.append("manifest: a composed guarantee is stated where there is none, or missing where there is one")
    elif promise is not None and stated is not None:
        return _composed(stated, promise, failures)
    return promise


def _composed(stated: ComposedGuarantee, promise: Promise, failures: list[str]) -> Promise:
    """Return the guarantee as stated. Add a failure if a number is not the recomputed one, but for rounding."""
    if stated.epsilon != promise.epsilon:
        failures.append(f"manifest: the composed epsilon is {stated.epsilon}, not the budget's")
    numbers = {}
    for name in ("delta", "floor"):
        recomputed = float(getattr(promise, name))
        try:
            numbers[name] = float(getattr(stated, name))
        except ValueError:
            numbers[name] = math.nan
        most = min(recomputed * (1 + ROUNDED_UP), 1.0)
        if not recomputed * (1 - ROUNDED_DOWN) <= numbers[name] <= most:
            failures.append(
                f"manifest: the composed {name} is {getattr(stated, name)}, and comes out as {recomputed!r}"
            )
    return Promise(promise.epsilon, numbers["delta"], numbers["floor"])


def _measurements(raw: bytes, layout: Layout, ptable: PTable, failures: list[str]) -> Measurements:
    """The measurements of every grouping, all of which the table can give; the file is the one written for them."""
    definitions, where = layout.cells
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
    distinct = np.zeros(len(definitions), dtype=np.int64)
    start, parts = 0, []
    for grouping, here in zip(layout.groupings, where, strict=True):
        part = flat[start : start + grouping.size]
        distinct[here] = part
        parts.append((here, part))
        start += grouping.size
    if any((distinct[here] != part).any() for here, part in parts):
        failures.append(f"{table_files.MEASUREMENTS}: one cell has two measurements")
    outside = distinct[~possible(ptable.table, distinct)]
    if outside.size:
        failures.append(
            f"{table_files.MEASUREMENTS}: {outside[0]} is no measurement that the certificate's table can give"
        )
    values = tuple(lookup.by_grouping(layout, distinct))
    if not failures and table_files.measurements(layout, values) != raw:
        failures.append(f"{table_files.MEASUREMENTS}: its cells are not those of the specification, in order")
    return values


def _replayed(content: dict[str, bytes], published: Published, failures: list[str]) -> tuple[list[str], list[str]]:
    """These files and no others; those that are not what the measurements make here, and those that are by content."""
    expected = published.files()
    failures.extend(f"{name}: is no file of this release" for name in content if name not in expected)
    differing, by_content = [], []
    for name, data in expected.items():
        if name not in content:
            failures.append(f"{name}: is missing")
        elif content[name] == data:
            continue
        elif name.endswith(".parquet") and same_parquet(content[name], data):
            by_content.append(name)
        else:
            differing.append(name)
    return differing, by_content

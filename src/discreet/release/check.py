"""Check a release folder as a third party would: with nothing but the folder.

- the certificate: every claim, recomputed in integers;
- the manifest: the digests of all files, the groupings that its specification has, the touches, and the composed
  guarantee, recomputed from the certificate;
- the measurements: one for every cell of every grouping, the same for the same cell;
- the tables and the report: made again from the measurements, byte for byte (a Parquet file by its content, as its
  bytes depend on the version of a library).

What it cannot tell: whether the publisher used the certificate's table, or the secret well.
"""

import csv
import io
import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

import discreet
from discreet.certify.ptable import PTable, load
from discreet.errors import CertificateError, DiscreetError
from discreet.release import additive, cells, measure, output
from discreet.release.folder import FORMAT, VERSION, Published
from discreet.release.promise import Promise, layout_of, promise_of
from discreet.release.spec import ReleaseSpec

LARGEST_MANIFEST = 64_000_000


@dataclass(frozen=True)
class Folder:
    """What a release folder measured: the certificate, the cells, and a measurement for each."""

    path: Path
    spec: ReleaseSpec
    ptable: PTable
    layout: cells.Layout
    measurements: tuple[npt.NDArray[np.int64], ...]


@dataclass(frozen=True)
class Checked:
    """A release folder, every claim of which holds."""

    folder: Path
    made: Published
    manifest: dict[str, Any]


def check(folder: str | os.PathLike[str]) -> Checked:
    """Recompute every claim of a release folder.

    Raises
    ------
    CertificateError
        A file is missing or a claim does not hold; `failures` has one line for each.
    """
    where = Path(folder)
    document, content, ptable, spec, layout = _opened(where)
    failures: list[str] = []
    plan = additive.plan(spec, layout, ptable)
    touches = layout.touches(spec.unit.contributions)
    values = _measurements(content[output.MEASUREMENTS], layout, failures)
    if failures:
        raise _refused(where, failures)
    promise = _promise(document, spec, ptable, touches, failures)
    made = Published(spec, layout, ptable, touches, promise, plan, values, plan.tables(values))
    _claims(document, made, failures)
    if failures:
        raise _refused(where, failures)
    _replayed(content, made, document, failures)
    if failures:
        raise _refused(where, failures)
    return Checked(where, made, document)


def read(folder: str | os.PathLike[str]) -> Folder:
    """The measurements of a folder, for those who use them.

    Every file has the digest that the manifest states, the certificate holds and is that of every grouping, and there
    is one measurement for each cell of the specification. What the folder promises about privacy is for `check`.
    """
    where = Path(folder)
    document, content, ptable, spec, layout = _opened(where)
    failures: list[str] = []
    _groupings(document, spec, layout, ptable, failures)
    if failures:
        raise _refused(where, failures)
    values = _measurements(content[output.MEASUREMENTS], layout, failures)
    if failures:
        raise _refused(where, failures)
    return Folder(where, spec, ptable, layout, values)


def _opened(where: Path) -> tuple[dict[str, Any], dict[str, bytes], PTable, ReleaseSpec, cells.Layout]:
    """The manifest, the files that it names, the certificate, the specification and its cells."""
    document = _manifest(where)
    failures: list[str] = []
    content = _content(where, document, failures)
    if failures:
        raise _refused(where, failures)
    ptable = load(where / output.CERTIFICATE)
    spec = _spec(document.get("spec"), document)
    return document, content, ptable, spec, layout_of(spec)


def _refused(where: Path, failures: list[str]) -> CertificateError:
    listed = "".join(f"\n  {line}" for line in failures)
    return CertificateError(f"{where} does not hold what it claims:{listed}", tuple(failures))


def _manifest(where: Path) -> dict[str, Any]:
    path = where / output.MANIFEST
    try:
        if path.stat().st_size > LARGEST_MANIFEST:
            raise CertificateError(f"{path} is larger than any manifest; get the folder again")
        raw = path.read_bytes()
        document = json.loads(raw)
    except OSError as error:
        raise CertificateError(f"{path} cannot be read ({error.strerror}); give the folder of a release") from None
    except (ValueError, RecursionError):
        raise CertificateError(f"{path} is not JSON; get the folder again") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT or document.get("version") != VERSION:
        raise CertificateError(f"{path} is not a manifest of this version; get a newer Discreet")
    if output.manifest(document) != raw:
        raise CertificateError(f"{path} is not in the form in which manifests are written; get the folder again")
    named = document.get("files")
    if not isinstance(named, dict) or not {output.MEASUREMENTS, output.CERTIFICATE, output.REPORT} <= set(named):
        raise CertificateError(f"{path} does not list its files; get the folder again")
    return document


def _content(where: Path, document: dict[str, Any], failures: list[str]) -> dict[str, bytes]:
    """Every file that the manifest names, with the digest it has there; and no other."""
    found = {}
    for name, stated in document["files"].items():
        if Path(name).name != name:
            failures.append(f"manifest: the file name {name!r} leaves the folder")
            continue
        try:
            found[name] = (where / name).read_bytes()
        except OSError:
            failures.append(f"{name}: is missing or cannot be read")
            continue
        if output.digest(found[name]) != stated:
            failures.append(f"{name}: its digest is not the one in the manifest")
    others = {entry.name for entry in where.iterdir()} - set(document["files"]) - {output.MANIFEST}
    failures.extend(f"{name}: is not in the manifest" for name in sorted(others))
    return found


def _spec(public: Any, document: dict[str, Any]) -> ReleaseSpec:
    """The public specification, with what was left out of it filled in by what changes nothing here."""
    if not isinstance(public, dict):
        raise CertificateError("manifest: there is no specification in it; get the folder again")
    kind = document.get("key", {}).get("kind")
    filled = {**public, "source": {"csv": ""}, "secret": {"env": "NONE"} if kind != "fresh" else None}
    if kind == "contributors":
        filled["record_keys"] = ["key"] if document["key"].get("came_with_the_data") else None
    if public.get("budget") is None:
        filled["design"] = public.get("design") or {"certificate": ""}
    try:
        return ReleaseSpec.model_validate(filled)
    except ValueError:
        raise CertificateError("manifest: the specification in it is not one") from None


def _claims(document: dict[str, Any], made: Published, failures: list[str]) -> None:
    """What the manifest says, but for files and the promise, is what its specification and certificate make."""
    stated = document.get("privacy")
    if not isinstance(stated, dict):
        stated = {}
    for name, value in made.privacy().items():
        if name != "composed" and stated.get(name) != value:
            failures.append(f"manifest: {name} is {stated.get(name)!r:.80}, and comes out as {value!r:.80}")
    _groupings(document, made.spec, made.layout, made.ptable, failures)
    if document.get("reconciled") != made.plan.methods:
        failures.append("manifest: it tells another way of reconciliation than its specification")


def _promise(
    document: dict[str, Any], spec: ReleaseSpec, ptable: PTable, touches: int, failures: list[str]
) -> Promise | None:
    try:
        promise = promise_of(spec, ptable, touches)
    except DiscreetError as error:
        failures.append(f"manifest: {error}")
        return None
    stated = document["privacy"].get("composed") if isinstance(document.get("privacy"), dict) else None
    if (stated is None) != (promise is None):
        failures.append("manifest: a composed guarantee is stated where there is none, or missing where there is one")
    elif promise is not None:
        return _stated(stated if isinstance(stated, dict) else {}, promise, failures)
    return promise


def _groupings(
    document: dict[str, Any], spec: ReleaseSpec, layout: cells.Layout, ptable: PTable, failures: list[str]
) -> None:
    if document.get("groupings") != output.groupings(layout, ptable.digest, spec.unit.contributions):
        failures.append("manifest: its groupings are not those of its specification and certificate")


def _stated(stated: dict[str, Any], promise: Promise, failures: list[str]) -> Promise:
    """The guarantee as it is stated: no better than the one recomputed, but for last digits that machines differ in."""
    if stated.get("epsilon") != promise.epsilon:
        failures.append(f"manifest: the composed epsilon is {stated.get('epsilon')}, not the budget's")
    found = {}
    for name in ("delta", "floor"):
        here = float(getattr(promise, name))
        try:
            found[name] = float(stated[name])
        except (KeyError, TypeError, ValueError):
            found[name] = math.nan
        if not here * (1 - 1e-9) <= found[name] <= 1:
            failures.append(f"manifest: the composed {name} is {stated.get(name)}, and comes out as {here!r}")
    return Promise(promise.epsilon, found["delta"], found["floor"])


def _measurements(raw: bytes, layout: cells.Layout, failures: list[str]) -> tuple[npt.NDArray[np.int64], ...]:
    """The measurements of every grouping; the file is the one that would be written for them."""
    definitions, where = layout.cells
    size = sum(grouping.size for grouping in layout.groupings)
    try:
        rows = list(csv.reader(io.StringIO(raw.decode())))[1:]
        flat = np.array([int(row[-1]) for row in rows], dtype=np.int64)
    except (ValueError, IndexError, OverflowError, csv.Error):
        failures.append(f"{output.MEASUREMENTS}: cannot be read")
        return ()
    if len(flat) != size:
        failures.append(f"{output.MEASUREMENTS}: has {len(flat)} measurements for {size} cells")
        return ()
    distinct = np.zeros(len(definitions), dtype=np.int64)
    start, parts = 0, []
    for grouping, here in zip(layout.groupings, where, strict=True):
        part = flat[start : start + grouping.size]
        distinct[here] = part
        parts.append((here, part))
        start += grouping.size
    if any((distinct[here] != part).any() for here, part in parts):
        failures.append(f"{output.MEASUREMENTS}: one cell has two measurements")
    values = tuple(measure.by_grouping(layout, distinct))
    if not failures and output.measurements(layout, values) != raw:
        failures.append(f"{output.MEASUREMENTS}: its cells are not those of the specification, in order")
    return values


def _replayed(content: dict[str, bytes], made: Published, document: dict[str, Any], failures: list[str]) -> None:
    """Tables and report, made again."""
    for name, data in made.files().items():
        if name not in content:
            failures.append(f"{name}: is missing")
        elif name.endswith(".parquet"):
            if not _same_parquet(content[name], data):
                failures.append(f"{name}: is not what the measurements make")
        elif content[name] != data:
            failures.append(f"{name}: is not what the measurements make{_other_software(document)}")


def _same_parquet(one: bytes, other: bytes) -> bool:
    try:
        return bool(pq.read_table(io.BytesIO(one)).equals(pq.read_table(io.BytesIO(other))))
    except pa.ArrowException:
        return False


def _other_software(document: dict[str, Any]) -> str:
    """A hint where the folder was made by other versions, whose pages or last digits may differ."""
    stated = document.get("software")
    here = {"discreet": discreet.__version__, "numpy": np.__version__}
    then = {name: stated.get(name) for name in here} if isinstance(stated, dict) else {}
    if then == here:
        return ""
    return f" (made with {_versions(then)}; this is {_versions(here)}: check it with those)"


def _versions(of: dict[str, Any]) -> str:
    return ", ".join(f"{name} {version}" for name, version in of.items()) or "unknown software"

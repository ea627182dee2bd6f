"""Check a release folder as a third party would: with nothing but the folder.

- the certificate: every claim, recomputed in integers, and the specification says nothing else of it;
- the measurements: one for every cell of every grouping, the same for the same cell, and one that the table can give;
- the tables: near the measurements and least squares, as far as noise explains (`distance`);
- the files: these and no others, made again from the measurements, byte for byte (a Parquet file that another version
  of pyarrow wrote by its content, which fills it);
- the manifest: made again as a whole, but for the last digits of the composed guarantee, in which machines differ.

A folder that another version of Discreet or numpy made may have tables and a report that come out otherwise here. Then
the counts are compared with the measurements (`other_version`), and the report is not checked.

What it cannot tell: whether the publisher used the certificate's table, or the secret well, or counted the columns that
the specification names. The kind of source, the fingerprint of the secret, the ledger and the software are stated, and
only their form is checked.
"""

import csv
import hashlib
import io
import json
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from discreet import files
from discreet.certify.ptable import PTable
from discreet.errors import CertificateError, DiscreetError, ParameterError, SolverError
from discreet.release import additive, cells, distance, measure, output
from discreet.release.engines.source import FIELDS
from discreet.release.folder import FORMAT, VERSION, Published, contradictions
from discreet.release.other_version import other_software, same_parquet, wrong_tables
from discreet.release.possible import possible
from discreet.release.promise import Promise, layout_of, promise_of, table_of
from discreet.release.spec import ReleaseSpec

LARGEST_MANIFEST = 64_000_000

_HEX = re.compile(r"[0-9a-f]{1,128}")
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_WORD = re.compile(r"[0-9A-Za-z.+_-]{1,60}")


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
    """A release folder, every claim of which holds.

    Attributes
    ----------
    other_software
        Which versions made the folder, and which these are, where files came out otherwise; else None.
    not_replayed
        The files that came out otherwise.
    by_content
        Parquet files that another version of pyarrow wrote, which were compared by their content.
    """

    folder: Path
    made: Published
    manifest: dict[str, Any]
    other_software: str | None = None
    not_replayed: tuple[str, ...] = ()
    by_content: tuple[str, ...] = ()


def check(folder: str | os.PathLike[str]) -> Checked:
    """Recompute every claim of a release folder.

    Raises
    ------
    CertificateError
        A file is missing or a claim does not hold; `failures` has one line for each.
    """
    where = Path(folder)
    document, content, ptable, spec, layout = _opened(where)
    failures = [f"manifest: {wrong}" for wrong in contradictions(spec, ptable)]
    plan = additive.plan(spec, layout, ptable)
    touches = layout.touches(spec.unit.contributions)
    values = _measurements(content[output.MEASUREMENTS], layout, ptable, failures)
    if failures:
        raise _refused(where, failures)
    promise = _promise(document, spec, ptable, touches, failures)
    fitted = _fitted(where, plan, values)
    failures.extend(f"tables: {wrong}" for wrong in distance.too_far(plan, fitted, values, ptable.table))
    made = Published(spec, layout, ptable, touches, promise, plan, values, fitted)
    if not failures:
        _claims(document, content, made, failures)
    if failures:
        raise _refused(where, failures)
    differing, by_content = _replayed(content, made, failures)
    other = other_software(document)
    if other is None:
        failures.extend(f"{name}: is not what the measurements make" for name in differing)
    else:
        failures.extend(f"{wrong} ({other})" for wrong in wrong_tables(made, fitted, content, differing))
    if failures:
        raise _refused(where, failures)
    return Checked(where, made, document, other if differing else None, tuple(differing), tuple(by_content))


def _fitted(where: Path, plan: additive.Plan, values: Sequence[npt.NDArray[np.int64]]) -> list[additive.Fitted]:
    try:
        return plan.fitted(values)
    except (SolverError, ParameterError) as error:
        raise _refused(where, [f"tables: they cannot be made from the measurements: {error}"]) from error


def read(folder: str | os.PathLike[str]) -> Folder:
    """The measurements of a folder, for those who use them.

    Every file has the digest that the manifest states, the certificate holds, is that of every grouping and keeps the
    specification's design and budget, and there is one measurement for each cell. That the tables are made from the
    measurements, and the rest of what the folder claims, is for `check`.
    """
    where = Path(folder)
    document, content, ptable, spec, layout = _opened(where)
    failures = [f"manifest: {wrong}" for wrong in contradictions(spec, ptable)]
    if document.get("groupings") != output.groupings(layout, ptable.digest, spec.unit.contributions):
        failures.append("manifest: its groupings are not those of its specification and certificate")
    if not failures:
        _promise(document, spec, ptable, layout.touches(spec.unit.contributions), failures)
    if failures:
        raise _refused(where, failures)
    values = _measurements(content[output.MEASUREMENTS], layout, ptable, failures)
    if failures:
        raise _refused(where, failures)
    return Folder(where, spec, ptable, layout, values)


def _opened(where: Path) -> tuple[dict[str, Any], dict[str, bytes], PTable, ReleaseSpec, cells.Layout]:
    """The manifest, the files that it names, the certificate, the specification and its cells."""
    document = _manifest(where)
    failures: list[str] = []
    _stated(document, failures)
    content = _content(where, document, failures)
    if failures:
        raise _refused(where, failures)
    spec = _spec(document)
    certified = spec.model_copy(update={"design": {"certificate": str(where / output.CERTIFICATE)}})
    return document, content, table_of(certified, 1), spec, layout_of(spec)


def _refused(where: Path, failures: list[str]) -> CertificateError:
    listed = "".join(f"\n  {line}" for line in failures)
    return CertificateError(f"{where} does not hold what it claims:{listed}", tuple(failures))


def _manifest(where: Path) -> dict[str, Any]:
    path = where / output.MANIFEST
    try:
        with files.opened(path) as file:
            raw = file.read(LARGEST_MANIFEST + 1)
        if len(raw) > LARGEST_MANIFEST:
            raise CertificateError(f"{path} is larger than any manifest; get the folder again")
        document = json.loads(raw)
        written = output.manifest(document) == raw
    except OSError as error:
        raise CertificateError(f"{path} cannot be read ({error.strerror}); give the folder of a release") from None
    except (ValueError, RecursionError):
        raise CertificateError(f"{path} is not JSON; get the folder again") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT or document.get("version") != VERSION:
        raise CertificateError(f"{path} is not a manifest of this version; get a newer Discreet")
    if not written:
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
            with files.opened(where / name) as file:
                if f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}" != stated:
                    failures.append(f"{name}: its digest is not the one in the manifest")
                    continue
                file.seek(0)
                found[name] = file.read()
        except (OSError, ValueError):
            failures.append(f"{name}: is missing or cannot be read")
    others = {entry.name for entry in where.iterdir()} - set(document["files"]) - {output.MANIFEST}
    failures.extend(f"{name}: is not in the manifest" for name in sorted(others))
    return found


def _stated(document: dict[str, Any], failures: list[str]) -> None:
    """What nothing in the folder can show to be true has the form that a release gives it."""
    lacking = [name for name in ("spec", "key", "privacy", "ledger", "software") if name not in document]
    failures.extend(f"manifest: {name} is missing" for name in lacking)
    key, ledger, software = (document.get(name) for name in ("key", "ledger", "software"))
    if document.get("engine") not in tuple(FIELDS):
        failures.append(f"manifest: the engine is none of {', '.join(FIELDS)}")
    form: dict[str, Any] = {"kind": _WORD, "fingerprint": _FINGERPRINT, "came_with_the_data": bool}
    if not (_fields(key, **form) or _fields(key, scheme=int, **form)):  # scheme 1 was not named
        failures.append(
            "manifest: the key is not a kind, a scheme, the fingerprint of a secret and whether keys came with data"
        )
    if ledger is not None and not (
        _fields(ledger, id=_HEX, seq=int, mac=_HEX, units=int)
        and all(0 <= ledger[name] < 2**63 for name in ("seq", "units"))
    ):
        failures.append("manifest: the ledger is not its id, and the number, code and units of an entry")
    if not _fields(software, discreet=_WORD, python=_WORD, numpy=_WORD):
        failures.append("manifest: the software is not the versions of discreet, python and numpy")


def _fields(given: Any, **expected: type | re.Pattern[str]) -> bool:
    """Whether it has these fields, each of its type or written in its way (the fingerprint of no secret is null)."""
    if not isinstance(given, dict) or given.keys() != expected.keys():
        return False
    return all(
        type(value) is expected[name]
        or (expected[name] is _FINGERPRINT and value is None)
        or (isinstance(value, str) and isinstance(way := expected[name], re.Pattern) and way.fullmatch(value))
        for name, value in given.items()
    )


def _spec(document: dict[str, Any]) -> ReleaseSpec:
    """The public specification, with what was left out of it filled in by what changes nothing here."""
    public, key = document.get("spec"), document["key"]
    if not isinstance(public, dict):
        raise CertificateError("manifest: there is no specification in it; get the folder again")
    filled = {
        **public,
        "source": {document["engine"]: ""},
        "secret": None if key["fingerprint"] is None else {"env": "NONE", "memory": "NONE"},
        "ledger": None if document["ledger"] is None else "NONE",
        "record_keys": ["key"] if key["came_with_the_data"] else None,
    }
    if public.get("budget") is None:
        filled["design"] = public.get("design") or {"certificate": ""}
    try:
        return ReleaseSpec.model_validate(filled)
    except ValidationError as error:
        told = error.errors()[0]
        place = ".".join(str(part) for part in told["loc"])
        raise CertificateError(f"manifest: the specification in it is not one ({place}: {told['msg']:.200})") from None
    except (TypeError, AttributeError):
        raise CertificateError("manifest: the specification in it is not one") from None


def _claims(document: dict[str, Any], content: dict[str, bytes], made: Published, failures: list[str]) -> None:
    """The manifest is the one that its specification, its certificate and its files make."""
    key = document["key"] | {"kind": made.spec.key}
    expected = made.manifest(content, document["engine"], key, document["ledger"]) | {"software": document["software"]}
    failures.extend(f"manifest: {wrong}" for wrong in _differences(document, expected))
    if not failures and output.manifest(document) != output.manifest(expected):
        failures.append("manifest: its fields are not in the order in which a release writes them")


def _differences(stated: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Where two documents differ, in words."""
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
        return _composed(stated if isinstance(stated, dict) else {}, promise, failures)
    return promise


def _composed(stated: dict[str, Any], promise: Promise, failures: list[str]) -> Promise:
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


def _measurements(
    raw: bytes, layout: cells.Layout, ptable: PTable, failures: list[str]
) -> tuple[npt.NDArray[np.int64], ...]:
    """The measurements of every grouping, all of which the table can give; the file is the one written for them."""
    definitions, where = layout.cells
    size = sum(grouping.size for grouping in layout.groupings)
    try:
        rows = csv.reader(io.StringIO(raw.decode()))
        next(rows, None)
        flat = np.fromiter((int(row[-1]) for row in rows), dtype=np.int64)
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
    outside = distinct[~possible(ptable.table, distinct)]
    if outside.size:
        failures.append(f"{output.MEASUREMENTS}: {outside[0]} is no measurement that the certificate's table can give")
    values = tuple(measure.by_grouping(layout, distinct))
    if not failures and output.measurements(layout, values) != raw:
        failures.append(f"{output.MEASUREMENTS}: its cells are not those of the specification, in order")
    return values


def _replayed(content: dict[str, bytes], made: Published, failures: list[str]) -> tuple[list[str], list[str]]:
    """These files and no others; those that are not what the measurements make here, and those that are by content."""
    expected = made.files()
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

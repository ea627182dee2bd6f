"""The manifest of a release: one JSON document, written and read by the same classes (docs/folder.md)."""

import hashlib
import json
import platform
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from discreet import __version__
from discreet.errors import CertificateError

FORMAT: Literal["discreet release"] = "discreet release"
VERSION: Literal[6] = 6
"""The version of the format in which folders are written that measure every grouping with one noise."""

VERSION_OF_LISTS: Literal[7] = 7
"""The version of the format in which folders are written whose specification lists the groupings to measure."""

Version = Literal[1, 2, 3, 4, 5, 6, 7]
"""The versions of the format that are read.

Folders of version 1 have no intervals, no README and no metadata. In versions 2 and 3, which are otherwise like 4 and
5, the interval of a measured cell is that of its own measurement. Versions 4 and 5, which are otherwise like 6 and 7,
name filters in the report only, and a cell of two populations may have two intervals."""

LISTS = (3, 5, 7)
"""The versions whose specification lists the groupings to measure."""

JOINT_SINCE = 4
"""From this version on, intervals are computed from all measurements together."""

FILTERS_SINCE = 6
"""From this version on, every file names the filter of its table, and one cell has one interval."""

CERTIFICATE = "certificate.json"
"""The file of the certificate of a release with one table of noise."""

CERTIFICATES = "certificates"
"""The folder of the certificates of a release with several tables of noise."""

Count = Annotated[int, Field(ge=0, lt=2**63)]
Hexadecimal = Annotated[str, Field(pattern=r"^[0-9a-f]{1,128}$")]
Fingerprint = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
Word = Annotated[str, Field(pattern=r"^[0-9A-Za-z.+_-]{1,60}$")]


class Document(BaseModel):
    """A part of the manifest. Unknown fields and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class KeyEntry(Document):
    """How the keys of measurements were made. Folders of scheme 1 do not state their scheme."""

    kind: Literal["query", "fresh", "contributors"]
    scheme: Annotated[int, Field(ge=1, le=2)] = 1
    fingerprint: Fingerprint | None
    came_with_the_data: bool


class AxisEntry(Document):
    """A dimension of a grouping, at one of its levels."""

    dimension: str
    level: str | None


class GroupingEntry(Document):
    """A grouping, and the digest of its table of noise; null if the grouping is not measured."""

    dimensions: list[AxisEntry]
    within: dict[str, list[str]]
    cells: int
    ptable: str | None
    distance: int
    multiplicity: int


class CertificateEntry(Document):
    """A table of noise: its file, its digest, and how many of its cells hold one person, at most."""

    file: str
    ptable: str
    touches: int


class MethodEntry(Document):
    """Tables that were made to add up together, and the method."""

    tables: list[str]
    method: str


class CellGuarantee(Document):
    """The guarantee of one count, if no other count is published."""

    epsilon: str
    delta: str


class ComposedGuarantee(Document):
    """The guarantee of the whole release. Delta never falls below `floor`, however large epsilon is."""

    epsilon: str
    delta: str
    floor: str


class PrivacyEntry(Document):
    """What the release promises, and to whom. If it promises nothing, `no_guarantee` has the reason."""

    unit: str
    contributions: int
    touches: int
    cell: CellGuarantee | None
    composed: ComposedGuarantee | None
    no_guarantee: str | None


class LedgerEntry(Document):
    """The ledger that was charged, its last entry after the charge, and the units that were charged."""

    id: Hexadecimal
    seq: Count
    mac: Hexadecimal
    units: Count


class SoftwareEntry(Document):
    """The versions of the software that made the folder, and since version 6 the build of Discreet."""

    discreet: Word
    python: Word
    numpy: Word
    build: Fingerprint | None = None

    @classmethod
    def of_this_process(cls) -> "SoftwareEntry":
        """Return the versions of the running software."""
        return cls(discreet=__version__, python=platform.python_version(), numpy=np.__version__, build=_build())


@cache
def _build() -> str:
    """Return 16 hexadecimal digits of a digest of all modules of Discreet. Builds of one version may differ."""
    root, known = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        known.update(f"{path.relative_to(root).as_posix()}\n{digest(path.read_bytes())}\n".encode())
    return known.hexdigest()[:16]


class Manifest(Document):
    """The manifest: what a folder holds and promises. Only versions with lists have `certificates`."""

    format: Literal["discreet release"]
    version: Version
    spec: dict[str, Any]
    engine: Literal["csv", "parquet", "excel", "duckdb", "postgres", "spark", "frame"]
    key: KeyEntry
    groupings: list[GroupingEntry]
    certificates: list[CertificateEntry] | None = None
    reconciled: list[MethodEntry]
    privacy: PrivacyEntry
    ledger: LedgerEntry | None
    files: dict[str, str]
    software: SoftwareEntry

    def document(self) -> dict[str, Any]:
        """Return the manifest as a JSON document. Fields that were not stated are left out."""
        return self.model_dump(mode="json", exclude_unset=True)

    def to_bytes(self) -> bytes:
        """Return the content of manifest.json."""
        return (json.dumps(self.document(), ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode()

    @classmethod
    def from_bytes(cls, raw: bytes, path: object) -> "Manifest":
        """Read a manifest.

        Parameters
        ----------
        raw
            The content of manifest.json.
        path
            The path of the file, for messages.

        Raises
        ------
        CertificateError
            If `raw` is not what `to_bytes` writes. `failures` has one line for each mistake.
        """
        try:
            document = json.loads(raw)
        except (ValueError, RecursionError):
            raise CertificateError(f"{path} is not JSON; get the folder again") from None
        if (
            not isinstance(document, dict)
            or document.get("format") != FORMAT
            or document.get("version") not in get_args(Version)
        ):
            raise CertificateError(f"{path} is not a manifest of this version; get a newer Discreet")
        try:
            manifest = cls.model_validate(document)
            written = manifest.to_bytes() == raw
        except ValidationError as error:
            failures = [_failure(mistake["loc"], mistake["msg"]) for mistake in error.errors()]
            listed = "".join(f"\n  {line}" for line in failures)
            raise CertificateError(f"{path} is not a manifest:{listed}", tuple(failures)) from None
        except (ValueError, RecursionError):
            written = False
        if not written:
            raise CertificateError(f"{path} is not in the form in which manifests are written; get the folder again")
        return manifest


def _failure(location: tuple[int | str, ...], message: str) -> str:
    name = ".".join(str(part) for part in location)
    return f"manifest: {name:.200}: {message:.200}"


def digest(content: bytes) -> str:
    """Return "sha256:" and the digest of the content of a file."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def certificate_names(number: int) -> list[str]:
    """Return the names of the files of certificates: one in the folder itself, or several in a folder of their own."""
    return [CERTIFICATE] if number == 1 else [f"{CERTIFICATES}/{index}.json" for index in range(1, number + 1)]

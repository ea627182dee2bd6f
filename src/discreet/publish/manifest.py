"""The manifest of a release: one document, written and read by the same classes. docs/folder.md describes it."""

import hashlib
import json
import platform
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from discreet import __version__
from discreet.errors import CertificateError

FORMAT: Literal["discreet release"] = "discreet release"
VERSION: Literal[1] = 1

Count = Annotated[int, Field(ge=0, lt=2**63)]
Hexadecimal = Annotated[str, Field(pattern=r"^[0-9a-f]{1,128}$")]
Fingerprint = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
Word = Annotated[str, Field(pattern=r"^[0-9A-Za-z.+_-]{1,60}$")]


class Document(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class KeyEntry(Document):
    """How noise was chosen. Folders of scheme 1 do not name their scheme."""

    kind: Literal["query", "fresh", "contributors"]
    scheme: Annotated[int, Field(ge=1, le=2)] = 1
    fingerprint: Fingerprint | None
    came_with_the_data: bool


class AxisEntry(Document):
    """A dimension of a grouping, at one of its levels."""

    dimension: str
    level: str | None


class GroupingEntry(Document):
    """A grouping that was measured: what composition can be recomputed from."""

    dimensions: list[AxisEntry]
    within: dict[str, list[str]]
    cells: int
    ptable: str
    distance: int
    multiplicity: int


class MethodEntry(Document):
    """Tables that were made to add up together, and how."""

    tables: list[str]
    method: str


class CellGuarantee(Document):
    """The guarantee of one count, read alone."""

    epsilon: str
    delta: str


class ComposedGuarantee(Document):
    """The guarantee of the release. Delta never falls below `floor`, however large epsilon is."""

    epsilon: str
    delta: str
    floor: str


class PrivacyEntry(Document):
    """What the release promises to whom; `no_guarantee` says why it promises nothing."""

    unit: str
    contributions: int
    touches: int
    cell: CellGuarantee | None
    composed: ComposedGuarantee | None
    no_guarantee: str | None


class LedgerEntry(Document):
    """Which ledger was charged, the entry that was last when it was, and how many units."""

    id: Hexadecimal
    seq: Count
    mac: Hexadecimal
    units: Count


class SoftwareEntry(Document):
    """The versions that made the folder."""

    discreet: Word
    python: Word
    numpy: Word

    @classmethod
    def of_this_process(cls) -> "SoftwareEntry":
        """Return the versions that run now."""
        return cls(discreet=__version__, python=platform.python_version(), numpy=np.__version__)


class Manifest(Document):
    """What a folder holds and promises."""

    format: Literal["discreet release"]
    version: Literal[1]
    spec: dict[str, Any]
    engine: Literal["csv", "parquet", "duckdb", "postgres", "spark"]
    key: KeyEntry
    groupings: list[GroupingEntry]
    reconciled: list[MethodEntry]
    privacy: PrivacyEntry
    ledger: LedgerEntry | None
    files: dict[str, str]
    software: SoftwareEntry

    def document(self) -> dict[str, Any]:
        """Return the manifest as it is in JSON. What was not stated is left out."""
        return self.model_dump(mode="json", exclude_unset=True)

    def to_bytes(self) -> bytes:
        """Return the manifest as it is written."""
        return (json.dumps(self.document(), ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode()

    @classmethod
    def from_bytes(cls, raw: bytes, path: object) -> "Manifest":
        """Read a manifest. `path` is for messages.

        Raises
        ------
        CertificateError
            The bytes are not what `to_bytes` writes; `failures` has one line for each mistake.
        """
        try:
            document = json.loads(raw)
        except (ValueError, RecursionError):
            raise CertificateError(f"{path} is not JSON; get the folder again") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT or document.get("version") != VERSION:
            raise CertificateError(f"{path} is not a manifest of this version; get a newer Discreet")
        try:
            manifest = cls.model_validate(document)
            written = manifest.to_bytes() == raw
        except ValidationError as error:
            failures = [_failure(each["loc"], each["msg"]) for each in error.errors()]
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
    """Return sha256:... of a file."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"

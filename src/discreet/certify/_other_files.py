"""Files that are given in place of a certificate: what each one is, and what to do. By its first bytes and its name."""

import os
import re
from pathlib import Path

from discreet.errors import CertificateError

_MANIFEST = re.compile(rb'\s*\{\s*"format": "discreet release"')
_SPECIFICATION = re.compile(rb"^(version|source|dimensions|tables|budget):", re.MULTILINE)
_BEGINNING = 1 << 16
_SIGNATURES = {
    b"PK\x03\x04": "a workbook or a zip archive",
    b"PAR1": "a Parquet file",
    b"\xd0\xcf\x11\xe0": "a workbook",
}


def refuse_other_files(path: str | os.PathLike[str], data: bytes) -> None:
    """Raise CertificateError if a file is known to be something else than a certificate.

    Parameters
    ----------
    path
        The path of the file.
    data
        What the file holds.
    """
    file, start = Path(path), data[:_BEGINNING]
    is_manifest = bool(_MANIFEST.match(start))
    is_text = not start.lstrip().startswith(b"{")
    if is_manifest or (is_text and (file.parent / "manifest.json").is_file()):
        what = "the manifest" if is_manifest else "a file"
        raise CertificateError(f"is {what} of a release folder; give the folder: discreet verify {file.parent}")
    if not is_text:
        return
    if file.suffix.lower() in (".yaml", ".yml") or _SPECIFICATION.search(start):
        raise CertificateError(
            "is a specification, and verify checks what was published from it; give the folder that discreet release"
            f" made, or see what a release would promise: discreet plan {file}"
        )
    what = _SIGNATURES.get(start[:4], "not JSON text")
    raise CertificateError(f"is {what}, and no certificate; give a certificate, or the folder of a release")

"""Check a release folder twice: by making it again from its measurements, and by code that shares nothing with that."""

import os
from dataclasses import dataclass
from pathlib import Path

from discreet.certify import folder as independent
from discreet.errors import CertificateError, DiscreetError
from discreet.publish.verify_folder import VerifiedFolder, verify_folder


@dataclass(frozen=True, repr=False)
class TwoChecks:
    """What both checks say of a folder in which no claim fails.

    Attributes
    ----------
    verified
        What was made again and compared.
    second
        The findings of the independent check.
    """

    verified: VerifiedFolder
    second: independent.Report

    @property
    def is_complete(self) -> bool:
        """True if every file was made again, and the second check proved every claim."""
        verified = self.verified
        replayed = verified.other_software is None and not verified.by_content and not verified.not_compared
        return replayed and all(finding.verdict == "proved" for finding in self.second.findings)

    @property
    def no_guarantee(self) -> str | None:
        """Why nothing is promised for the release as a whole; None if there is a promise."""
        privacy = self.verified.manifest.document()["privacy"]
        return None if privacy["composed"] is not None else str(privacy["no_guarantee"])


def check_twice(path: str | os.PathLike[str]) -> TwoChecks:
    """Check a release folder by replay and by the second checker.

    Parameters
    ----------
    path
        The folder.

    Returns
    -------
    TwoChecks
        What both checks found.

    Raises
    ------
    CertificateError
        A claim fails in one of the checks. The message has the failures of both.
    """
    second = independent.check(Path(path))
    try:
        verified = verify_folder(path)
    except DiscreetError as error:
        raise _failure(path, str(error), second) from error
    if second.failures:
        raise _failure(path, _nothing_wrong(verified), second)
    return TwoChecks(verified, second)


def _nothing_wrong(verified: VerifiedFolder) -> str:
    """Return what the first check says if no claim fails in it."""
    if verified.other_software is None:
        return "it finds nothing wrong"
    not_replayed = ", ".join(verified.not_replayed)
    return f"it finds nothing wrong, but did not make again {not_replayed} ({verified.other_software})"


def _failure(path: str | os.PathLike[str], first_failures: str, second: independent.Report) -> CertificateError:
    """Return an error with the failures of both checks."""
    second_failures = "".join(f"\n  {line}" for line in second.failures) or " it finds nothing wrong"
    return CertificateError(
        f"{path}: a claim does not hold.\nFirst check, by this version of Discreet: {first_failures}\nSecond check, by"
        f" discreet/certify/folder:{second_failures}",
        tuple(second.failures),
    )

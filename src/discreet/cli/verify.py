"""`discreet verify FILE|DIR`: exit code 0 only if no claim fails."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.certify import folder as independent
from discreet.certify.ptable import PTable
from discreet.certify.verify import verify as check
from discreet.cli import _streams, show
from discreet.errors import CertificateError, DiscreetError

if TYPE_CHECKING:
    from discreet.publish.manifest import Manifest
    from discreet.publish.verify_folder import VerifiedFolder


def verify(
    path: Annotated[str, typer.Argument(metavar="FILE|DIR", help="A certificate, or the folder of a release.")],
) -> None:
    """Recompute every claim of a certificate, in integers, or of a release folder, twice; exit 0 only if none fails."""
    if os.path.isdir(path):
        _folder(path)
        return
    if not os.path.lexists(path):
        raise CertificateError(f"{path} does not exist; give a certificate file, or the folder of a release")
    if os.path.exists(path) and not os.path.isfile(path):
        raise CertificateError(f"{path} is a pipe or a device; give the path of a certificate file")
    certificate = check(Path(path))
    _streams.left("every claim holds")
    show.console.print(f"{path}: every claim holds", style="bold green", markup=False)
    show.guarantee(PTable(certificate))
    show.console.print(
        "This proves the promise of the table, not that a publisher used it; the digest is not a signature.",
        style="dim",
    )


def _folder(path: str) -> None:
    """Check a folder by replay and by the second checker; raise if a claim fails in either."""
    from discreet.publish.verify_folder import verify_folder  # the engines take a while to load

    second = independent.check(path)
    try:
        checked = verify_folder(path)
    except DiscreetError as error:
        raise _both(path, str(error), second) from error
    if second.failures:
        raise _both(path, None, second)
    unsure = [each for each in second.findings if each.verdict != "proved"]
    whole = checked.other_software is None and not checked.by_content and not unsure
    told = "every claim holds" if whole else "no claim fails, and not every claim was checked"
    _streams.left(told)
    show.console.print(
        f"{path}: {told}",
        style="bold green" if whole else "bold yellow",
        markup=False,
    )
    privacy = checked.manifest.document()["privacy"]
    show.guarantee(checked.published.plan.ptable, promised=privacy["cell"] is not None)
    show.composed(privacy, len(checked.published.plan.layout.cells.definitions))
    for given in checked.published.given_counts:
        if not given.explained:
            show.console.print(
                f"given counts     {given.text}; noise does not explain that", style="bold yellow", markup=False
            )
    _told(checked, second)
    show.console.print(f"stated, not checked: {_stated(checked.manifest)}", style="dim", markup=False)
    show.console.print(
        "That the publisher drew the noise from this table, and keeps the secret, is not proved by a folder.",
        style="dim",
    )


def _told(checked: "VerifiedFolder", second: independent.Report) -> None:
    """What each of the two checks proved."""
    if checked.other_software is None:
        told = "the manifest, the tables and report.html are what the specification, certificate and measurements make"
    else:
        told = (
            f"{checked.other_software}; tables were not replayed ({', '.join(checked.not_replayed)}). The manifest is"
            " what specification and certificate make, and published counts are as near to the measurements as noise"
            " explains; report.html was not checked"
        )
    if checked.by_content:
        told += (
            f". Another version of pyarrow wrote {', '.join(checked.by_content)}: checked by content; bytes outside the"
            " content of these files are unchecked"
        )
    show.console.print(f"first check      by this version of Discreet: {told}", markup=False)
    show.console.print("second check     by code that shares nothing with it (discreet/certify/folder):", markup=False)
    for each in second.findings:
        show.console.print(f"  {each.verdict:9}      {each.claim}: {each.text}", markup=False)
    for line in second.stated:
        show.console.print(f"  not checked    {line}", style="dim", markup=False)


def _both(path: str, first: str | None, second: independent.Report) -> CertificateError:
    """The failures of both checks."""
    own = "it finds nothing wrong" if first is None else first
    listed = "".join(f"\n  {line}" for line in second.failures) or " it finds nothing wrong"
    return CertificateError(
        f"{path}: a claim does not hold.\nFirst check, by this version of Discreet: {own}\nSecond check, by"
        f" discreet/certify/folder:{listed}",
        tuple(second.failures),
    )


def _stated(manifest: "Manifest") -> str:
    """Say what nothing in a folder can show to be true or false."""
    fingerprint, ledger = manifest.key.fingerprint, manifest.ledger
    told = [f"counted from {manifest.engine}"]
    told.append("no secret" if fingerprint is None else f"secret {fingerprint}")
    told.append("no ledger" if ledger is None else f"ledger {ledger.id}, {ledger.units} units at {ledger.seq}")
    return "; ".join([*told, *(f"{name} {version}" for name, version in manifest.software.model_dump().items())])

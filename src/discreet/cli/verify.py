"""`discreet verify FILE|DIR`: check every claim of a certificate or a release folder."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet import files
from discreet.certify.ptable import PTable
from discreet.certify.verify import verify as verify_certificate
from discreet.cli import _show, _streams
from discreet.errors import CertificateError, ParameterError

if TYPE_CHECKING:
    from discreet.certify import folder as independent
    from discreet.publish.manifest import Manifest
    from discreet.publish.verify_folder import VerifiedFolder


def verify(
    path: Annotated[str | None, typer.Argument(metavar="FILE|DIR", help="A certificate, or a release folder.")] = None,
    page: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a page (HTML) that checks folders in a browser, without a network."),
    ] = None,
) -> None:
    """Check every claim of a certificate or of a release folder. Exit with 0 only if no claim fails.

    A certificate is checked in exact integers, from its own table. A folder is checked twice: its tables and report are
    made again from its measurements, and a second program checks it independently.

    With --page, write a page for readers, who drop a folder into it. Its program is a third one, in JavaScript.
    """
    if page is not None:
        _write_page(page)
    if path is None:
        if page is None:
            raise ParameterError(
                "nothing is given to verify; give a certificate file, the folder of a release, or --page"
            )
        return
    if os.path.isdir(path):
        _verify_folder(path)
        return
    if not os.path.lexists(path):
        raise CertificateError(f"{path} does not exist; give a certificate file, or the folder of a release")
    if os.path.exists(path) and not os.path.isfile(path):
        raise CertificateError(f"{path} is a pipe or a device; give the path of a certificate file")
    certificate = verify_certificate(Path(path))
    _streams.left("every claim holds")
    _show.console.print(f"{path}: every claim holds", style="bold green", markup=False)
    _show.guarantee(PTable(certificate), other_notions=True)
    _show.console.print(
        "This proves the promise of the table, not that a publisher used it; the digest is not a signature.",
        style="dim",
    )


def _write_page(page: str) -> None:
    from discreet.web.verifier_page import verifier_page  # other commands need no page

    files.write(page, verifier_page().encode())
    _show.console.print(f"{page}: open it in a browser, and drop a folder into it", markup=False)


def _verify_folder(path: str) -> None:
    """Check a folder twice, and print what both checks found."""
    from discreet.publish.two_checks import check_twice  # the engines take a while to load

    checks = check_twice(path)
    verified, second, complete = checks.verified, checks.second, checks.is_complete
    verdict = "every claim holds" if complete else "no claim fails, and not every claim was checked"
    privacy = verified.manifest.document()["privacy"]
    if checks.no_guarantee is not None:
        verdict = f"no promise for the release as a whole ({checks.no_guarantee}). Apart from that, {verdict}"
    _streams.left(verdict)
    style = "bold green" if complete and checks.no_guarantee is None else "bold yellow"
    _show.console.print(f"{path}: {verdict}", style=style, markup=False)
    _show.release_guarantee(privacy, verified.published.plan.measured.size)
    _show.one_count(privacy, verified.published.plan.ptables)
    for given_count in verified.published.given_counts:
        if not given_count.explained:
            _show.console.print(
                f"given counts     {given_count.text}; noise does not explain that: {given_count.differs}",
                style="bold yellow",
                markup=False,
            )
    _print_checks(verified, second)
    _show.console.print(f"stated, not checked: {_unchecked_statements(verified.manifest)}", style="dim", markup=False)
    _show.console.print(
        "That the publisher drew the noise from this table, and keeps the secret, is not proved by a folder.",
        style="dim",
    )


def _print_checks(verified: "VerifiedFolder", second: "independent.Report") -> None:
    """Print what each of the two checks proved."""
    if verified.other_software is None:
        proved = (
            "the manifest, the tables and report.html are what the specification, certificate and measurements make"
        )
    elif verified.not_replayed == ("report.html",):
        proved = (
            f"{verified.other_software}; report.html was not replayed. The manifest and the tables are what the"
            " specification, certificate and measurements make"
        )
    else:
        proved = (
            f"{verified.other_software}; tables were not replayed ({', '.join(verified.not_replayed)}). The manifest is"
            " what specification and certificate make, and published counts are as near to the measurements as noise"
            " explains; report.html was not checked"
        )
    if verified.by_content:
        proved += (
            f". Another version of pyarrow wrote {', '.join(verified.by_content)}: checked by content; bytes outside"
            " the content of these files are unchecked"
        )
    _show.console.print(f"first check      by this version of Discreet: {proved}", markup=False)
    for name, reason in verified.not_compared.items():
        _show.console.print(f"  not compared   {name}: {reason}", style="bold yellow", markup=False)
    _show.console.print("second check     by code that shares nothing with it (discreet/certify/folder):", markup=False)
    for finding in second.findings:
        _show.console.print(f"  {finding.verdict:9}      {finding.claim}: {finding.text}", markup=False)
    for line in second.stated:
        _show.console.print(f"  not checked    {line}", style="dim", markup=False)


def _unchecked_statements(manifest: "Manifest") -> str:
    """Return the statements of a manifest that nothing in a folder can prove or disprove."""
    fingerprint, ledger = manifest.key.fingerprint, manifest.ledger
    statements = [
        f"counted from {manifest.engine}",
        "no secret" if fingerprint is None else f"secret {fingerprint}",
        "no ledger" if ledger is None else f"ledger {ledger.id}, {ledger.units} units at {ledger.seq}",
    ]
    software = (f"{name} {version}" for name, version in manifest.software.model_dump().items())
    return "; ".join([*statements, *software])

"""`discreet verify FILE|DIR`: exit code 0 only if every claim holds."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.certify.ptable import PTable
from discreet.certify.verify import verify as check
from discreet.cli import show
from discreet.errors import CertificateError


def verify(
    path: Annotated[str, typer.Argument(metavar="FILE|DIR", help="A certificate, or the folder of a release.")],
) -> None:
    """Recompute every claim of a certificate, in integers, or of a release folder; exit 0 only if all hold."""
    if os.path.isdir(path):
        _folder(path)
        return
    if os.path.exists(path) and not os.path.isfile(path):
        raise CertificateError(f"{path} is a pipe or a device; give the path of a certificate file")
    certificate = check(Path(path))
    show.console.print(f"{path}: every claim holds", style="bold green", markup=False)
    show.guarantee(PTable(certificate))
    show.console.print(
        "This proves the promise of the table, not that a publisher used it; the digest is not a signature.",
        style="dim",
    )


def _folder(path: str) -> None:
    from discreet.release.check import check as check_folder  # the engines take a while to load

    checked = check_folder(path)
    made = checked.made
    show.console.print(f"{path}: every claim holds", style="bold green", markup=False)
    privacy = checked.manifest["privacy"]
    show.guarantee(made.ptable, promised=privacy["cell"] is not None)
    show.composed(privacy, sum(part.size for part in made.values))
    show.console.print(f"stated, not checked: {_stated(checked.manifest)}", style="dim", markup=False)
    show.console.print(
        "The tables are what the measurements make, byte for byte. That the publisher drew the noise from this table,"
        " and keeps the secret, is not proved by a folder.",
        style="dim",
    )


def _stated(manifest: dict[str, Any]) -> str:
    """What nothing in a folder can show to be true or false."""
    fingerprint, ledger = manifest["key"]["fingerprint"], manifest["ledger"]
    told = [f"counted from {manifest['engine']}"]
    told.append("no secret" if fingerprint is None else f"secret {fingerprint}")
    told.append("no ledger" if ledger is None else f"ledger {ledger['id']}, {ledger['units']} units at {ledger['seq']}")
    return "; ".join([*told, *(f"{name} {version}" for name, version in manifest["software"].items())])

"""`discreet verify FILE|DIR`: exit code 0 only if every claim holds."""

import os
from pathlib import Path
from typing import Annotated

import typer

from discreet.certify.ptable import PTable
from discreet.certify.verify import verify as check
from discreet.cli import show


def verify(
    path: Annotated[
        str, typer.Argument(metavar="FILE|DIR", help="A certificate, or a folder that holds certificate.json.")
    ],
) -> None:
    """Recompute every claim of a certificate, in integers; exit 0 only if all hold."""
    file = Path(path) / "certificate.json" if os.path.isdir(path) else Path(path)
    certificate = check(file)
    show.console.print(f"{file}: every claim holds", style="bold green", markup=False)
    show.guarantee(PTable(certificate))
    show.console.print(
        "This proves the promise of the table, not that a publisher used it; the digest is not a signature.",
        style="dim",
    )

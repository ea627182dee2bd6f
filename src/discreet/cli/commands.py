"""All commands, and how their errors and warnings are told."""

import warnings

import typer
from rich.console import Console

from discreet.cli import advise, compare, convert, demo, design, infer, keys, ledger, papers, reconcile, release, verify
from discreet.errors import DiscreetError, PrecisionWarning, PrivacyWarning

app = typer.Typer(
    name="discreet",
    help="Publish tables of counts about people, with a privacy guarantee that anyone can check.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(design.app, name="design")
app.add_typer(keys.app, name="keys")
app.add_typer(ledger.app, name="ledger")
app.command("verify")(verify.verify)
app.command("advise")(advise.advise)
app.command("compare")(compare.compare)
app.command("convert")(convert.convert)
app.command("demo")(demo.demo)
app.command("release")(release.release)
app.command("infer")(infer.infer)
app.command("papers")(papers.papers)
app.command("reconcile")(reconcile.reconcile)


errors = Console(stderr=True, highlight=False, soft_wrap=True)


def run() -> None:
    """Run the command of this process's arguments."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", PrecisionWarning)
        warnings.simplefilter("always", PrivacyWarning)
        warnings.showwarning = lambda message, *_, **__: errors.print(
            f"warning: {message}", style="yellow", markup=False
        )
        app()


def tell(error: DiscreetError) -> None:
    """Say a mistake of the user's, with all its notes."""
    errors.print("\n".join([f"error: {error}", *getattr(error, "__notes__", ())]), style="red", markup=False)

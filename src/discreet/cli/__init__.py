"""The command line. Each command is one file; none holds logic of its own."""

import signal
import sys
import warnings
from types import FrameType

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


def main() -> None:
    """Run a command; a mistake of the user's is one message on standard error and exit code 2."""
    told = _told_to_end()
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    with warnings.catch_warnings():
        warnings.simplefilter("always", PrecisionWarning)
        warnings.simplefilter("always", PrivacyWarning)
        warnings.showwarning = lambda message, *_, **__: errors.print(
            f"warning: {message}", style="yellow", markup=False
        )
        try:
            app()
        except Exception as error:
            if told:  # a library may make an error of its own of being ended
                sys.exit(told[0])
            if not isinstance(error, DiscreetError):
                raise
            errors.print("\n".join([f"error: {error}", *getattr(error, "__notes__", ())]), style="red", markup=False)
            sys.exit(2)


def _told_to_end() -> list[int]:
    """Let a command that is told to end remove what it put aside, as copies of rows; the exit code is then in the list.

    Signals that the command was started to ignore stay ignored.
    """
    told: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        told.append(128 + number)
        sys.exit(told[0])

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
    return told

"""The list of commands, and how errors and warnings are printed.

The module of a command is loaded when the command is run, so that `discreet --help` loads no solver and no engine.
"""

import inspect
import sys
import warnings
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from discreet import __version__
from discreet.errors import DiscreetError, FixedCountWarning, PrecisionWarning, PrivacyWarning
from discreet.redact import hide_secrets

COMMANDS = {
    "init": "Write a first specification from a data file.",
    "preview": "Show the steward what a specification counts.",
    "design": "Design a mechanism, certify it, and write its certificate.",
    "advise": "Find the designs that meet a privacy budget.",
    "compare": "Compare designs at equal privacy or equal variance.",
    "plan": "Show what a release would promise, cost and get wrong, without any data.",
    "release": "Publish tables from microdata, as a folder.",
    "verify": "Check every claim of a certificate or a release folder.",
    "infer": "Credible intervals for true counts.",
    "reconcile": "Make noisy counts add up.",
    "keys": "Make a secret key, or print its fingerprint.",
    "ledger": "Keep the record of the privacy budget that was spent.",
    "convert": "Show the privacy of another tool's perturbation table.",
    "workbench": "From a data file to a published folder, in a browser on this machine.",
    "papers": "Compare the numbers of a paper with exact ones.",
    "serve": "Show published folders in a browser, with any table that they determine.",
    "site": "Write published tables as a site for any web server.",
    "demo": "Publish tables of a synthetic town.",
}
"""Every command with one line about it. The module of that name has a function of that name, or an `app`."""


class _LazyCommands(TyperGroup):
    """Lists the commands in `COMMANDS`, and loads a command when it is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else _load(name), rest


def _load(name: str) -> Any:
    """Return the command of a module."""
    module = import_module(f"discreet.cli.{name}")
    if hasattr(module, "app"):
        return typer.main.get_command(module.app)
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    function = getattr(module, name)
    single.command(name, help=_without_line_breaks(inspect.getdoc(function) or ""))(function)
    return typer.main.get_command(single)


def _without_line_breaks(docstring: str) -> str:
    """Return paragraphs as one line each, for typer to wrap."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in docstring.split("\n\n"))


app = typer.Typer(
    name="discreet",
    cls=_LazyCommands,
    help="Publish tables of counts about people, with a privacy guarantee that anyone can check.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # loading rich takes longer than the rest of --help
)


def _not_loaded() -> None:
    """Stand in for a command that is not loaded yet."""


for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(_not_loaded)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"discreet {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


_UsageError: Any = typer.BadParameter.__mro__[2]
"""The base class of errors in arguments and options. Typer does not export it."""


def run() -> None:
    """Run the command that the arguments of this process name.

    Raises
    ------
    DiscreetError
        The user made a mistake; see `print_error`.
    SystemExit
        The exit code is not 0.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("always", FixedCountWarning)
        warnings.simplefilter("always", PrecisionWarning)
        warnings.simplefilter("always", PrivacyWarning)
        warnings.showwarning = lambda message, *_, **__: _print(f"warning: {message}", "yellow")
        try:
            code = app(standalone_mode=False)
        except _UsageError as error:
            if error.message:
                error.message = hide_secrets(error.message)
            error.show()
            code = error.exit_code
        if isinstance(code, int) and code:
            sys.exit(code)


def print_error(error: DiscreetError) -> None:
    """Print the message of an error and all its notes to standard error."""
    _print("\n".join([f"error: {error}", *getattr(error, "__notes__", ())]), "red")


def _print(text: str, style: str) -> None:
    """Print to standard error. Hide everything that may be a secret."""
    from rich.console import Console

    Console(stderr=True, highlight=False, soft_wrap=True).print(hide_secrets(text), style=style, markup=False)

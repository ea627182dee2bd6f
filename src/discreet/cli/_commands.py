"""All commands, and how their errors and warnings are told.

A command's module is loaded when the command is run, so that `discreet --help` loads no solver and no engine.
"""

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
    "design": "Design a mechanism, certify it, write its certificate.",
    "advise": "Find the designs that meet a total budget.",
    "compare": "Compare designs at equal privacy.",
    "release": "Publish tables from microdata, as a folder.",
    "verify": "Check every claim of a certificate or a folder.",
    "infer": "Credible intervals for true counts.",
    "reconcile": "Make noisy counts add up.",
    "keys": "Make the secret that keys are made from.",
    "ledger": "Record what privacy was spent.",
    "convert": "Read another tool's perturbation table.",
    "papers": "Compare what a paper prints with what is right.",
    "demo": "Publish tables of a synthetic town.",
}
"""Every command, and one line on it. The module of the same name holds a function of that name, or an `app`."""


class _LazyCommands(TyperGroup):
    """Lists commands by `COMMANDS`, and loads one when it is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else _loaded(name), rest


def _loaded(name: str) -> Any:
    module = import_module(f"discreet.cli.{name}")
    if hasattr(module, "app"):
        return typer.main.get_command(module.app)
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(getattr(module, name))
    return typer.main.get_command(alone)


app = typer.Typer(
    name="discreet",
    cls=_LazyCommands,
    help="Publish tables of counts about people, with a privacy guarantee that anyone can check.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # loading rich takes longer than all the rest of --help
)


def _not_loaded() -> None:
    """Stand for a command in the list of commands."""


for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(_not_loaded)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"discreet {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


_UsageError: Any = typer.BadParameter.__mro__[2]
"""The base class of errors in arguments and options. Typer does not export it."""


def run() -> None:
    """Run the command of this process's arguments."""
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


def tell(error: DiscreetError) -> None:
    """Say a mistake of the user's, with all its notes."""
    _print("\n".join([f"error: {error}", *getattr(error, "__notes__", ())]), "red")


def _print(text: str, style: str) -> None:
    """Write to standard error, without what may be a secret."""
    from rich.console import Console

    Console(stderr=True, highlight=False, soft_wrap=True).print(hide_secrets(text), style=style, markup=False)

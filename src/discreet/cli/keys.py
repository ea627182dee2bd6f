"""`discreet keys new FILE`, `discreet keys fingerprint FILE`: the secret of a publisher."""

from typing import Annotated

import typer

from discreet.cli import show
from discreet.release import secrets

app = typer.Typer(help="Make a secret, or tell which one a file holds.", no_args_is_help=True)


@app.command()
def new(file: Annotated[str, typer.Argument(help="A file that does not exist yet.")]) -> None:
    """Make a secret of 32 random bytes, in a file that only you can read."""
    found = secrets.new(file)
    show.console.print(f"secret written to {file}; fingerprint {found}", markup=False)
    show.console.print("Keep it: without it a release cannot be repeated. Hide it: with it all noise can be removed.")


@app.command()
def fingerprint(file: Annotated[str, typer.Argument(help="The file of a secret.")]) -> None:
    """What a manifest says of this secret."""
    show.console.print(secrets.fingerprint(secrets.read(file)))

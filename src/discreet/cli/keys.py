"""`discreet keys`: make a secret, and tell secrets apart."""

from typing import Annotated

import typer

from discreet.cli import _streams, show
from discreet.measure import secrets

app = typer.Typer(help="Make the secret that noise and ledgers depend on.", no_args_is_help=True, add_completion=False)

Source = Annotated[
    str,
    typer.Option("--secret", metavar="FILE|env:NAME", help="The secret: its file, or env: and a variable's name."),
]
DEFAULT = "env:DISCREET_SECRET"


@app.command()
def new(path: Annotated[str, typer.Argument(metavar="FILE", help="A new file, for the owner's eyes only.")]) -> None:
    """Write 32 random bytes to a new file that only its owner can read."""
    made = secrets.new_secret(path)
    _streams.left("the secret is written")
    show.console.print(f"secret written to {path}, fingerprint {secrets.fingerprint(made)}", markup=False)
    show.console.print("Keep a copy in a safe place. Whoever has it can remove the noise of all that it published.")


@app.command()
def fingerprint(
    source: Annotated[str, typer.Argument(metavar="FILE|env:NAME", help="A secret's file, or env: and a name.")],
) -> None:
    """Print the fingerprint of a secret, as manifests state it."""
    show.console.print(secrets.fingerprint(secrets.secret(source)))

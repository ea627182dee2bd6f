"""`discreet keys`: make a secret key, and print its fingerprint."""

from typing import Annotated

import typer

from discreet.cli import _show, _streams
from discreet.measure import secrets

app = typer.Typer(
    help="Make the secret key of releases and ledgers, or print its fingerprint.",
    no_args_is_help=True,
    add_completion=False,
)

SecretSource = Annotated[
    str,
    typer.Option(
        "--secret",
        metavar="FILE|env:NAME",
        help="The secret key: a file that `discreet keys new` made, or env: and the name of an environment variable.",
    ),
]
DEFAULT_SECRET = "env:DISCREET_SECRET"  # noqa: S105 - the name of a variable


@app.command()
def new(
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="The new file. FILE must not exist. Only its owner may read it.")
    ],
) -> None:
    """Write a new secret key, 32 random bytes, to a file that only its owner can read."""
    secret = secrets.new_secret(path)
    _streams.left("the secret is written")
    _show.console.print(f"secret written to {path}, fingerprint {secrets.fingerprint(secret)}", markup=False)
    _show.console.print("Keep a copy in a safe place. Whoever has it can remove the noise of all that it published.")


@app.command()
def fingerprint(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|env:NAME", help="The file of a secret key, or env: and the name of an environment variable."
        ),
    ],
) -> None:
    """Print the fingerprint of a secret key. Manifests of releases state the same fingerprint."""
    _show.console.print(secrets.fingerprint(secrets.read_secret(source)))

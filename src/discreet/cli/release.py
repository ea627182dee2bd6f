"""`discreet release SPEC -o DIR`: microdata to a folder that can be published."""

import json
from typing import Annotated

import typer

from discreet.cli import _streams, show
from discreet.errors import ParameterError


def release(
    spec: Annotated[str | None, typer.Argument(metavar="SPEC", help="The specification, a YAML file.")] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="DIR", help="The folder to leave; it must not exist.")
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="A private file for the steward: record counts, undeclared categories, realised errors. Never publish"
            " it.",
        ),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of a specification and stop.")
    ] = False,
) -> None:
    """Count, perturb, and leave a folder that can be published as it is."""
    from discreet.release import ReleaseSpec, run  # the engines take a while to load
    from discreet.release.run import PUBLISHED

    if schema:
        typer.echo(json.dumps(ReleaseSpec.model_json_schema(), indent=2, ensure_ascii=False))
        return
    if spec is None or output is None:
        raise ParameterError("give a specification and a folder: discreet release SPEC.yaml -o DIR")
    with show.progress() as progress:

        def tell(doing: str, done: float) -> None:
            if doing == PUBLISHED:
                _streams.left(f"the folder {output} is published and complete")
            else:
                progress(doing, done)

        made = run(spec, output, log=log, progress=tell)
    if made.resumed is not None:
        show.console.print(f"went on from measurements drawn earlier ({made.resumed}): nothing was drawn", markup=False)
    privacy = made.manifest["privacy"]
    show.guarantee(made.ptable, promised=privacy["cell"] is not None)
    show.composed(privacy, made.cells)
    if log is not None:
        show.console.print(
            f"private log: {log}   (it holds the truth; do not publish it)", style="bold red", markup=False
        )
    show.console.print(f"published folder: {output}   (check it with: discreet verify {output})")

"""`discreet release SPEC -o DIR`: microdata to a folder that can be published."""

import json
from typing import Annotated

import typer

from discreet.cli import show
from discreet.errors import ParameterError


def release(
    spec: Annotated[str | None, typer.Argument(metavar="SPEC", help="The specification, a YAML file.")] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="DIR", help="The folder to leave; it must not exist.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of a specification and stop.")
    ] = False,
) -> None:
    """Count, perturb, and leave a folder that can be published as it is."""
    from discreet.release import run  # the engines take a while to load
    from discreet.release import spec as specification

    if schema:
        typer.echo(json.dumps(specification.schema(), indent=2, ensure_ascii=False))
        return
    if spec is None or output is None:
        raise ParameterError("give a specification and a folder: discreet release SPEC.yaml -o DIR")
    with show.console.status("starting") as status:
        made = run(spec, output, progress=lambda doing: status.update(doing))
    show.guarantee(made.ptable)
    cells = sum(part.size for part in made.measurements)
    show.console.print(f"cells            {cells}, and one person is in {made.touches} of them")
    if made.promise is None:
        show.console.print("in all           no guarantee: contributor keys do not compose")
    else:
        show.console.print(
            f"in all           epsilon = {made.promise.epsilon}, delta = {show.above(made.promise.delta)}, at most"
        )
    show.console.print(f"published folder: {output}   (check it with: discreet verify {output})")

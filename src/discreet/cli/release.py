"""`discreet release SPEC -o DIR`: from microdata to a folder that can be published."""

import json
from typing import Annotated

import typer

from discreet.cli import _show, _streams
from discreet.errors import ParameterError


def release(
    spec: Annotated[
        str | None,
        typer.Argument(
            metavar="SPEC",
            help="The specification: a YAML file that names the source, the dimensions, the tables and the budget.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="DIR", help="The folder to publish. DIR must not exist."),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Write a private log for the steward: numbers of records, undeclared categories, true errors."
            " Never publish this file.",
        ),
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option(
            "--lang",
            metavar="LANGUAGE",
            help="Language of the report, of README.md and of labels: en, de, fr or es. Default: language of SPEC.",
        ),
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of specifications and exit.")] = False,
) -> None:
    """Count microdata, add noise, and write a folder that can be published as it is.

    The folder holds measurements, tables that add up, the certificate of the noise, a manifest and a report. If the
    command fails, there is no folder. If it fails after the noise was drawn, the same command continues from the same
    measurements.

    Nothing that this command prints depends on the data. discreet preview SPEC shows the steward how many rows each
    category takes. discreet init DATA writes a first specification.
    """
    from discreet.publish.plan_in_words import summary
    from discreet.release import ReleaseSpec, run  # the engines take a while to load
    from discreet.release.run import PUBLISHED

    if schema:
        typer.echo(json.dumps(ReleaseSpec.model_json_schema(), indent=2, ensure_ascii=False))
        return
    if spec is None or output is None:
        raise ParameterError("give a specification and a folder: discreet release SPEC.yaml -o DIR")
    with _show.progress() as progress:

        def report(stage: str, done: float) -> None:
            if stage == PUBLISHED:
                _streams.left(f"the folder {output} is published and complete")
            else:
                progress(stage, done)

        published = run(spec, output, log=log, language=lang, progress=report)
    if published.resumed is not None:
        _show.console.print(
            f"continued from measurements drawn earlier ({published.resumed}): nothing was drawn", markup=False
        )
    lines = summary(published.plan)
    if published.charge is not None:
        charge = published.charge
        lines["ledger"] = f"{charge.units} of {charge.capacity} units charged; {charge.left - charge.units} are left"
    _show.named_lines(lines)
    _show.one_count(published.manifest["privacy"], published.ptables)
    if log is not None:
        _show.console.print(
            f"private log: {log}   (it holds the truth; do not publish it)", style="bold red", markup=False
        )
    _show.console.print(f"published folder: {output}   (check it with: discreet verify {output})")

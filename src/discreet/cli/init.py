"""`discreet init DATA -o SPEC`: a first specification from a data file."""

import os
from typing import Annotated

import typer

from discreet import files
from discreet.cli import _show, _streams
from discreet.errors import OutputError


def init(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A CSV, Parquet, Excel or DuckDB file, env:NAME of a PostgreSQL server, or a table of Spark.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="SPEC", help="The file to write. SPEC must not exist. By default it is printed."
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="csv, parquet, excel, duckdb, postgres or spark. By default by the name."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table of a DuckDB file or a PostgreSQL server.")
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="The sheet of a workbook. By default the first.")
    ] = None,
) -> None:
    """Look at the data, and write a commented specification that runs as it is.

    Categories and ranges are proposed from the data and marked as found there. As long as a mark stands, a release
    promises nothing. The file lists values of the data, so only its owner can read it. Next: discreet preview SPEC.
    """
    from discreet.prepare.initial_spec import initial_spec  # the engines take a while to load

    if output is not None:
        files.new_path(output)
    with _show.waiting("looking at the data"):
        spec = initial_spec(data, folder=os.path.dirname(output or "") or ".", kind=kind, table=table, sheet=sheet)
    if output is None:
        typer.echo(spec.text, nl=False)
        return
    try:
        files.write(output, spec.text.encode(), private=True, new=True)
    except FileExistsError:
        raise OutputError(f"{output} exists already; choose another name") from None
    _streams.left(f"{output} is written")
    proposal = spec.proposal
    _show.console.print(f"specification written to {output}   (private: it lists values of the data)", markup=False)
    unit = "every row is a person" if proposal.id is None else f"each {proposal.id} is a person"
    _show.console.print(f"whose privacy    {unit}; check this first", markup=False)
    names = ", ".join(dimension.column for dimension in proposal.dimensions)
    _show.console.print(f"dimensions       {len(proposal.dimensions)}: {names}", markup=False)
    for column, why in proposal.left_out.items():
        _show.console.print(f"left out         {column}: {why}", markup=False)
    _show.console.print(f"next             discreet preview {output}", markup=False)

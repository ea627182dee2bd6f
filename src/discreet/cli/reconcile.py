"""`discreet reconcile FILE -o OUT`: make the noisy counts of a table add up."""

from typing import Annotated

import typer
from rich.table import Table as Grid

from discreet import files
from discreet.cli import _streams, show
from discreet.errors import InputError
from discreet.reconcile import csv_table


def reconcile(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="CSV with a column count, and name and parent, or a column a dimension (empty or _total: all of it).",
        ),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Write the reconciled table here.")],
    seed: Annotated[int, typer.Option(help="Decides ties; the same seed gives the same table.")] = 0,
) -> None:
    """Make the noisy counts of a table add up: non-negative integers, every total the sum of its parts."""
    try:
        with files.open_file(file) as given:
            text = given.read().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"{file:.200} cannot be read ({reason}); give a CSV file") from None
    result = csv_table.reconcile(text, seed)
    files.write(output, result.text.encode())
    _streams.left(f"{output} is written")
    grid = Grid(title="How far the numbers moved", title_justify="left")
    for head in ("margin", "largest", "mean", "root mean square"):
        grid.add_column(head, justify="left" if head == "margin" else "right")
    for name, told in result.moved.items():
        grid.add_row(name, str(told.largest), f"{told.mean:.3g}", f"{told.root_mean_square:.3g}")
    show.console.print(grid)
    show.console.print(f"reconciled table written to {output}", markup=False)

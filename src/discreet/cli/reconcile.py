"""`discreet reconcile FILE -o OUT`: make the noisy counts of a table add up."""

from typing import Annotated

import typer
from rich.table import Table as Grid

from discreet import files
from discreet.cli import _show, _streams
from discreet.errors import InputError
from discreet.reconcile import csv_table


def reconcile(
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A CSV file with a column count. For a hierarchy it also has the columns name and parent. For a"
            " crossed table it has one column for each dimension; an empty label or _total stands for the sum over"
            " the dimension. The columns variance and fixed are optional.",
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Write the reconciled table to this file.")
    ],
    seed: Annotated[int, typer.Option(help="Decides ties. The same seed gives the same table.")] = 0,
) -> None:
    """Make the noisy counts of a table add up.

    The result has non-negative integers, and every total is the sum of its parts. This costs no privacy.
    """
    try:
        with files.open_file(path) as file:
            text = file.read().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"{path:.200} cannot be read ({reason}); give a CSV file") from None
    result = csv_table.reconcile(text, seed)
    files.write(output, result.text.encode())
    _streams.left(f"{output} is written")
    grid = Grid(title="How far the numbers moved", title_justify="left")
    for head in ("margin", "largest", "mean", "root mean square"):
        grid.add_column(head, justify="left" if head == "margin" else "right")
    for margin, moved in result.moved.items():
        grid.add_row(margin, str(moved.largest), f"{moved.mean:.3g}", f"{moved.root_mean_square:.3g}")
    _show.console.print(grid)
    _show.console.print(f"reconciled table written to {output}", markup=False)

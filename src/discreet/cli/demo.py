"""`discreet demo`: a release of the town that ships with Discreet."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table as Grid

from discreet import files
from discreet.cli import _show, _streams
from discreet.release import demo_town

if TYPE_CHECKING:
    from discreet.publish.folder import Published
    from discreet.publish.verify_folder import VerifiedFolder


def demo(
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Keep the published folder here. DIR must not exist. By default nothing is kept.",
        ),
    ] = None,
    epsilon: Annotated[
        str, typer.Option(metavar="NUMBER", help="The epsilon of the budget: all that one person may lose.")
    ] = "1",
) -> None:
    """Publish tables of a synthetic town of 100,000 people, and verify the published folder.

    The demo runs the whole way from microdata to a folder that anyone can check.
    """
    if output is not None:
        files.new_path(output)
    with files.temporary_folder("discreet-") as folder:
        verified = _publish(folder, output or str(folder / "published"), epsilon)
    if output is not None:
        _streams.left(f"the folder {output} is published")
    published = verified.published
    _print_first_table(published)
    privacy = verified.manifest.document()["privacy"]
    _show.release_guarantee(privacy, published.plan.measured.size)
    _show.one_count(privacy, published.plan.ptables)
    if output is None:
        _show.console.print("nothing was kept; for the folder with its report: discreet demo -o DIR")
    else:
        _show.console.print(f"published folder: {output}   (every claim holds; again with: discreet verify {output})")
        _show.console.print(f"open in a browser: {Path(output) / 'report.html'}")


def _publish(folder: Path, output: str, epsilon: str) -> "VerifiedFolder":
    """Publish the town, then verify the published folder as a third party would."""
    from discreet.publish.verify_folder import verify_folder
    from discreet.release import run  # the engines take a while to load

    with _show.progress() as progress:
        progress("unpacking the town", 0)
        spec = demo_town.unpack(folder)
        spec["budget"] |= {"epsilon": epsilon}
        run(spec, output, progress=progress)
        progress("checking", 0)
        return verify_folder(output)


def _print_first_table(published: "Published") -> None:
    table, (grouping_index, *_) = published.plan.layout.tables[0]
    row_axis, column_axis = published.plan.layout.groupings[grouping_index].axes
    grid = Grid(title=f"{table.name}, as published", title_justify="left")
    grid.add_column(row_axis.book.name)
    for label in column_axis.labels:
        grid.add_column(label, justify="right")
    for label, counts in zip(row_axis.labels, published.tables[0][0].tolist(), strict=True):
        grid.add_row(label, *map(str, counts))
    _show.console.print(grid)

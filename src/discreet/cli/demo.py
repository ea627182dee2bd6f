"""`discreet demo`: the main job on the town that ships with Discreet."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table as Grid

from discreet import files, town
from discreet.cli import show, streams

if TYPE_CHECKING:
    from discreet.release.check import Checked
    from discreet.release.folder import Published


def demo(
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="DIR", help="Leave the published folder here; it must not exist."),
    ] = None,
    epsilon: Annotated[str, typer.Option(help="What one person may lose in all.")] = "1",
) -> None:
    """Publish tables of a synthetic town of 100,000 people: from microdata to a folder that anyone can check."""
    if output is not None:
        files.free(output)
    with files.temporary_folder("discreet-") as folder:
        checked = _publish(folder, output or str(folder / "published"), epsilon)
    if output is not None:
        streams.left(f"the folder {output} is published")
    _first_table(checked.made)
    made = checked.made
    show.guarantee(made.ptable)
    show.composed(checked.manifest["privacy"], sum(part.size for part in made.values))
    if output is None:
        show.console.print("nothing was kept; for the folder with its report: discreet demo -o DIR")
    else:
        show.console.print(f"published folder: {output}   (every claim holds; again with: discreet verify {output})")
        show.console.print(f"open in a browser: {Path(output) / 'report.html'}")


def _publish(folder: Path, output: str, epsilon: str) -> "Checked":
    """Release the town, then check what was left as a third party would."""
    from discreet.release import run  # the engines take a while to load
    from discreet.release.check import check

    with show.progress() as progress:
        progress("unpacking the town", 0)
        spec = town.unpack(folder)
        spec["budget"] |= {"epsilon": epsilon}
        run(spec, output, progress=progress)
        progress("checking", 0)
        return check(output)


def _first_table(made: "Published") -> None:
    table, (place, *_) = made.layout.tables[0]
    down, across = made.layout.groupings[place].sides
    grid = Grid(title=f"{table.name}, as published", title_justify="left")
    grid.add_column(down.book.name)
    for name in across.labels:
        grid.add_column(name, justify="right")
    for name, counts in zip(down.labels, made.tables[0][0].tolist(), strict=True):
        grid.add_row(name, *map(str, counts))
    show.console.print(grid)

"""`discreet demo`: the main job on the town that ships with Discreet."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Grid

from discreet import town
from discreet.certify.verify import verify
from discreet.cli import show


def demo(
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="DIR", help="Leave the published folder here; it must not exist."),
    ] = None,
    epsilon: Annotated[str, typer.Option(help="Privacy of the table.")] = "1",
) -> None:
    """Publish a table of a synthetic town: noisy counts, and the certificate of what they promise."""
    if output is not None:
        town.free(output)
    with show.console.status("reading the town, counting, drawing noise"):
        published = town.publish(epsilon)
    grid = Grid(title="People by district and age, as published", title_justify="left")
    for head in ("district", *town.AGES):
        grid.add_column(head, justify="left" if head == "district" else "right")
    for district, counts in zip(town.DISTRICTS, published.counts.tolist(), strict=True):
        grid.add_row(district, *map(str, counts))
    show.console.print(grid)
    show.guarantee(published.ptable)
    show.console.print(
        "Each person is in one cell. For anyone, and for any set of tables that could be published, the chance of"
        f" publishing one of them is, with that person and without, the same up to a factor e^{epsilon} and delta."
    )
    if output is not None:
        published.save(output)
        verify(Path(output) / "certificate.json")
        show.console.print(f"published folder: {output}   (check it with: discreet verify {output})")

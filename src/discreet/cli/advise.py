"""`discreet advise`: which designs fit a budget, the least noisy first."""

from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from discreet.cli import _streams, show
from discreet.domain import Counts, Cycle
from discreet.errors import ParameterError
from discreet.mechanism import Mechanism
from discreet.plan.adviser import Advice
from discreet.plan.adviser import advise as find

SETTINGS = ("epsilon", "support", "variance", "sigma2", "eta", "step", "n", "upper")


def advise(
    epsilon: Annotated[str, typer.Option(help="What one person may lose in all.")],
    delta: Annotated[str, typer.Option(help="The other half of it.")] = "0",
    cells: Annotated[int, typer.Option(help="How many cells one person touches.")] = 1,
    lower: Annotated[int, typer.Option(help="A public promise: no count is smaller.")] = 0,
    upper: Annotated[int | None, typer.Option(help="No count is larger; unbounded unless given.")] = None,
    categories: Annotated[int | None, typer.Option(help="Answers on a cycle of so many, instead of counts.")] = None,
    contributions: Annotated[int, typer.Option(help="Most rows that one person has in a grouping.")] = 1,
    bits: Annotated[int | None, typer.Option(help="Of the table; 32, or more where needed, unless given.")] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the best one's certificate here.")
    ] = None,
) -> None:
    """Find the certified designs that meet a total budget over all the cells that one person touches."""
    if categories is not None and (lower or upper is not None):
        raise ParameterError("--categories is given with --lower or --upper; give counts or categories, not both")
    if categories is None and upper is None and delta == "0":
        raise ParameterError("delta is 0, and noise on counts without end always has a little; give --delta or --upper")
    domain = Counts(lower, upper) if categories is None else Cycle(categories)
    with show.waiting("looking for designs"):
        found = find(epsilon=epsilon, delta=delta, cells=cells, domain=domain, contributions=contributions, bits=bits)
    best = found[0]
    error = "variance" if categories is None else "another answer"
    grid = Grid(
        title=f"Designs that meet epsilon {epsilon} and delta {delta} over {cells} cells, the least noisy first",
        title_justify="left",
        box=SIMPLE_HEAD,
    )
    grid.add_column("design", no_wrap=True)
    grid.add_column("setting")
    for head in (error, "epsilon in all", "delta in all", "bits"):
        grid.add_column(head, justify="right", no_wrap=True)
    for one in found:
        grid.add_row(
            one.name,
            _setting(one),
            f"{one.variance:.4g}",
            show.above(one.epsilon),
            show.above(one.delta),
            str(one.ptable.bits),
        )
    show.console.print(grid)
    for one in found:
        show.console.print(f"{one.name}: {one.reason}", markup=False)
    show.console.print("Totals are upper bounds.\n")
    show.law(Mechanism.from_table(best.ptable.table, best.mechanism.design), 0 if categories is not None else lower)
    if output is not None:
        best.ptable.save(output)
        _streams.left(f"{output} is written")
        show.console.print(f"certificate of {best.name} written to {output}")


def _setting(one: Advice) -> str:
    return ", ".join(f"{key} {one.mechanism.design[key]}" for key in SETTINGS if key in one.mechanism.design)

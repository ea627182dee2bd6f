"""`discreet advise`: the designs that meet a budget, the least noisy first."""

from typing import Annotated

import typer

from discreet.cli import _show, _streams
from discreet.domain import Counts, Cycle
from discreet.errors import ParameterError
from discreet.mechanism import Mechanism
from discreet.plan.adviser import Advice
from discreet.plan.adviser import advise as find_designs

SETTINGS = ("epsilon", "support", "variance", "sigma2", "eta", "step", "n", "upper")


def advise(
    epsilon: Annotated[
        str, typer.Option(metavar="NUMBER", help="The epsilon of the budget: all that one person may lose.")
    ],
    delta: Annotated[
        str, typer.Option(metavar="NUMBER", help="The delta of the budget. Unbounded counts need a delta above 0.")
    ] = "0",
    cells: Annotated[int, typer.Option(help="The largest number of published cells that one person is in.")] = 1,
    lower: Annotated[int, typer.Option(help="No count is smaller. This is a public promise.")] = 0,
    upper: Annotated[int | None, typer.Option(help="No count is larger. By default counts are unbounded.")] = None,
    categories: Annotated[
        int | None,
        typer.Option(help="Perturb single answers, on a cycle of this many categories, instead of counts."),
    ] = None,
    contributions: Annotated[
        int, typer.Option(help="The largest number of rows of one person that a table counts.")
    ] = 1,
    bits: Annotated[
        int | None,
        typer.Option(help="Every row of a table sums to 2**bits. By default 32, or more if a design needs more."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the certificate of the best design to this file."),
    ] = None,
) -> None:
    """Find the certified designs that meet a privacy budget over all cells that one person is in.

    The designs are listed with their settings, the least noisy first.
    """
    if categories is not None and (lower or upper is not None):
        raise ParameterError("--categories is given with --lower or --upper; give counts or categories, not both")
    if categories is None and upper is None and delta == "0":
        raise ParameterError(
            "delta is 0; unbounded counts need delta > 0, because the noise must end somewhere: give --delta or --upper"
        )
    domain = Counts(lower, upper) if categories is None else Cycle(categories)
    with _show.waiting("looking for designs"):
        designs = find_designs(
            epsilon=epsilon, delta=delta, cells=cells, domain=domain, contributions=contributions, bits=bits
        )
    best = designs[0]
    grid = _show.design_grid(
        f"Designs that meet epsilon {epsilon} and delta {delta} over {cells} cells, the least noisy first"
    )
    error = "variance" if categories is None else "another answer"
    for head in (error, "epsilon in all", "delta in all", "bits"):
        grid.add_column(head, justify="right", no_wrap=True)
    for advice in designs:
        grid.add_row(
            advice.name,
            _setting(advice),
            f"{advice.variance:.4g}",
            _show.above(advice.epsilon),
            _show.above(advice.delta),
            str(advice.ptable.bits),
        )
    _show.console.print(grid)
    for advice in designs:
        _show.console.print(f"{advice.name}: {advice.reason}", markup=False)
    _show.console.print("Totals are upper bounds.\n")
    best_mechanism = Mechanism.from_table(best.ptable.table, best.mechanism.design)
    _show.distribution(best_mechanism, 0 if categories is not None else lower)
    if output is not None:
        best.ptable.save(output)
        _streams.left(f"{output} is written")
        _show.console.print(f"certificate of {best.name} written to {output}")


def _setting(advice: Advice) -> str:
    design = advice.mechanism.design
    return ", ".join(f"{key} {design[key]}" for key in SETTINGS if key in design)

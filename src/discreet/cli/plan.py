"""`discreet plan SPEC`: what a release would promise, cost and get wrong. No data are read."""

from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from discreet.cli import _show
from discreet.extras import require
from discreet.labels import OTHER


def plan(
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="The specification of the release. Its source is not read.")
    ],
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a figure of the expected errors. The name ends in .png, .svg or .pdf."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON, for machines.")] = False,
) -> None:
    """Show what a release would promise, cost and get wrong, before any data are read.

    The guarantee of the whole release comes first. The table lists every margin with its noise and the error to expect:
    95% of the published counts are within it. For a planned release, the error with measure: published, one noise for
    all groupings, stands beside it. With a ledger, the units that the release would be charged are shown;
    nothing is reserved. If the units limit a plan, the error of the best plan without this limit stands beside it.
    """
    from discreet.publish.plan_in_words import summary
    from discreet.publish.planned_release import BASES, describe, units_in_words
    from discreet.release.plan_release import plan as make_plan

    planned = describe(make_plan(spec))
    if plot is not None:
        require("matplotlib", "plots", "--plot")
        from discreet.cli import _plan_plot  # matplotlib takes longer to load than everything else together

        _plan_plot.draw_errors(planned, plot)
    if as_json:
        typer.echo(planned.to_json())
        return
    lines = summary(planned.plan)
    units = units_in_words(planned)
    if units is not None:
        lines["ledger"] = units
    _show.named_lines(lines)
    grid = Grid(box=SIMPLE_HEAD)
    for head in ("grouping", "tables"):
        grid.add_column(head, overflow="fold")
    compared = ["as published"] if planned.plan.published_table is not None else []
    compared += ["without unit"] if planned.plan.unlimited is not None else []
    for head in ("cells", "of one person", "noise, sd", "95% error", *compared):
        grid.add_column(head, justify="right", no_wrap=True)
    for grouping in planned.groupings:
        grid.add_row(
            *(text.replace("[", "\\[") for text in (grouping.name, ", ".join(grouping.tables))),
            f"{grouping.cells:,}",
            str(grouping.cells_of_one_person),
            "not measured" if grouping.deviation is None else f"{grouping.deviation:.4g}",
            f"{'+-'}{grouping.error:.4g}",
            *(f"+-{other:.4g}" for other in (grouping.published_error, grouping.unlimited_error) if other is not None),
        )
    _show.console.print(grid)
    for basis in dict.fromkeys(grouping.basis for grouping in planned.groupings):
        names = [grouping.name for grouping in planned.groupings if grouping.basis == basis]
        which = "all groupings" if len(names) == len(planned.groupings) else ", ".join(names)
        _show.console.print(f"95% error of {which}: {BASES[basis]}.", markup=False)
    if "as published" in compared:
        _show.console.print("As published: the 95% error with measure: published, one noise for all.", markup=False)
    if "without unit" in compared:
        _show.console.print(
            "Without unit: the 95% error of the best plan for epsilon and delta alone, which the units of the ledger do"
            " not pay for, or not for so few. See `choosing the unit` in docs/ledger.md.",
            markup=False,
        )
    if planned.plan.layout.has_other:
        _show.console.print(
            f"{OTHER} is published, and a true 0 comes out too high on average. Where the codebook cannot give {OTHER},"
            " leave it out by a filter, or fix it at 0.",
            markup=False,
        )
    if plot is not None:
        _show.console.print(f"figure written to {plot}", markup=False)

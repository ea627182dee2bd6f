"""`discreet compare NAME...`: several designs at equal privacy or at equal variance."""

from typing import Annotated

import typer

from discreet.cli import _show
from discreet.design import compare as designs
from discreet.exact import Epsilon
from discreet.extras import require

SETTINGS = {"maxent": ("support", "gamma"), "power": ("scale", "shape")}
"""The settings that are shown for a design; for other designs, epsilon, sigma2 and step."""


def compare(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Designs to compare: geometric, staircase, gaussian, power (shape 1.5), maxent."
            " With --n: geometric, fair, weakly_honest, exponential, uniform.",
        ),
    ],
    epsilon: Annotated[str, typer.Option(metavar="NUMBER", help="The epsilon of one count.")] = "1",
    delta: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="The delta of one count. By default 1e-9, or 0 with --n.")
    ] = None,
    variance: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Compare at this variance instead of at equal privacy.")
    ] = None,
    n: Annotated[int | None, typer.Option(help="Counts are 0 to n. By default counts are unbounded.")] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a figure to this file. The name ends in .png, .svg or .pdf."),
    ] = None,
) -> None:
    """Tune designs to equal privacy, or to equal variance, and show privacy and error of each."""
    target = delta if delta is not None else "1e-9" if n is None else "0"
    entries = designs.compare(names, epsilon=epsilon, delta=target, variance=variance, n=n)
    tuned = f"epsilon {epsilon}, delta {target}" if variance is None else f"variance {variance}"
    grid = _show.design_grid(f"At equal {tuned}; delta at epsilon {epsilon}, epsilon at delta {target}")
    for head in ("delta", "epsilon", "variance", "bias", "truth", "95%"):
        grid.add_column(head, justify="right", no_wrap=True)
    for entry in entries:
        names_shown = SETTINGS.get(entry.name, ("epsilon", "sigma2", "step"))
        settings = {name: value for name, value in entry.mechanism.design.items() if name in names_shown}
        numbers = (entry.delta, entry.epsilon, entry.variance, entry.bias, entry.truth)
        grid.add_row(
            entry.name,
            ", ".join(f"{name} {_short(value)}" for name, value in settings.items()),
            *(f"{number:.3g}" for number in numbers),
            f"+-{entry.within}",
        )
    _show.console.print(grid)
    if plot is not None:
        require("matplotlib", "plots", "--plot")
        from discreet.cli import _compare_plot  # matplotlib takes longer to load than everything else together

        mechanisms = {entry.name: entry.mechanism for entry in entries}
        _compare_plot.draw_comparison(mechanisms, plot, float(Epsilon.of(epsilon)), 0 if n is None else n // 2)
        _show.console.print(f"figure written to {plot}")


def _short(value: object) -> str:
    try:
        return f"{float(str(value)):.5g}"
    except ValueError:
        return str(value)

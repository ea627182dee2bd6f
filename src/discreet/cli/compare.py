"""`discreet compare NAME...`: several designs at equal privacy or at equal variance."""

from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from discreet.cli import show
from discreet.design import compare as designs
from discreet.exact import Epsilon
from discreet.extras import require


def compare(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="geometric, staircase, gaussian, maxent;"
            " with --n: geometric, fair, weakly_honest, exponential, uniform.",
        ),
    ],
    epsilon: Annotated[str, typer.Option(help="Privacy of one count.")] = "1",
    delta: Annotated[str | None, typer.Option(help="The other half of it; 1e-9 unless given, 0 with --n.")] = None,
    variance: Annotated[str | None, typer.Option(help="Tune to this variance instead of to the privacy.")] = None,
    n: Annotated[int | None, typer.Option(help="Counts 0..n; unbounded unless given.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Write a figure: .png, .svg or .pdf.")] = None,
) -> None:
    """Tune designs to the same privacy (or the same variance) and show what each gives."""
    target = delta if delta is not None else "1e-9" if n is None else "0"
    found = designs.compare(names, epsilon=epsilon, delta=target, variance=variance, n=n)
    tuned = f"epsilon {epsilon}, delta {target}" if variance is None else f"variance {variance}"
    grid = Grid(
        title=f"At equal {tuned}; delta at epsilon {epsilon}, epsilon at delta {target}",
        title_justify="left",
        box=SIMPLE_HEAD,
    )
    grid.add_column("design", no_wrap=True)
    grid.add_column("setting")
    for head in ("delta", "epsilon", "variance", "bias", "truth", "95%"):
        grid.add_column(head, justify="right", no_wrap=True)
    for entry in found:
        own = ("support", "gamma") if entry.name == "maxent" else ("epsilon", "sigma2", "step")
        settings = {k: v for k, v in entry.mechanism.design.items() if k in own}
        shown = ", ".join(f"{key} {_short(value)}" for key, value in settings.items())
        figures = (entry.delta, entry.epsilon, entry.variance, entry.bias, entry.truth)
        grid.add_row(entry.name, shown, *(f"{value:.3g}" for value in figures), f"+-{entry.within}")
    show.console.print(grid)
    if plot is not None:
        require("matplotlib", "plots", "--plot")
        from discreet.cli import _compare_plot  # matplotlib takes longer to load than everything else together

        mechanisms = {entry.name: entry.mechanism for entry in found}
        _compare_plot.comparison(mechanisms, plot, float(Epsilon.of(epsilon)), 0 if n is None else n // 2)
        show.console.print(f"figure written to {plot}")


def _short(value: object) -> str:
    try:
        return f"{float(str(value)):.5g}"
    except ValueError:
        return str(value)

"""How the figures of Wang 2020 are drawn; what they show is computed in `wang2020`."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from discreet import files
from discreet.arrays import Floats, Integers

LINES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "D", "^")


def noise(path: Path, values: Integers, laws: Mapping[str, Floats]) -> Path:
    """The law of the noise, on a logarithmic scale."""
    figure = Figure(figsize=(6.5, 4.8), layout="constrained")
    axes = figure.subplots()
    for place, (name, law) in enumerate(laws.items()):
        axes.plot(values, law, ls=LINES[place], lw=1.4, label=name)
    axes.set(xlabel="noise", ylabel="probability", title="Two-sided geometric noise, cut at +-50", yscale="log")
    _tidy(axes)
    axes.legend(frameon=False)
    return _save(figure, path)


def errors(path: Path, panels: Sequence[tuple[str, Mapping[str, tuple[Floats, Floats]]]]) -> Path:
    """For each example, bias and mean squared error of every component by every method."""
    figure = Figure(figsize=(13, 8.6), layout="constrained")
    grid = figure.subplots(2, len(panels), sharex="col")
    for column, (title, curves) in enumerate(panels):
        for place, (name, both) in enumerate(curves.items()):
            for axes, values in zip(grid[:, column], both, strict=True):
                axes.plot(values, ls="", marker=MARKERS[place], ms=4, fillstyle="none", label=name)
        grid[0, column].set(ylabel="bias", title=title)
        grid[0, column].axhline(0, color="0.5", lw=0.8)
        grid[1, column].set(xlabel="component, from the smallest on", ylabel="mean squared error", yscale="log")
        for axes in grid[:, column]:
            _tidy(axes)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return _save(figure, path)


def pairs(path: Path, tables: Sequence[tuple[str, Integers, Integers, Floats]]) -> Path:
    """Posteriors of two components together."""
    figure = Figure(figsize=(6.5 * len(tables), 5.4), layout="constrained")
    for axes, (title, one, other, table) in zip(figure.subplots(1, len(tables)), tables, strict=True):
        drawn = axes.pcolormesh(one, other, table, cmap="viridis", shading="nearest", rasterized=True)
        axes.set(xlabel="first true count", ylabel="second true count", title=title, aspect="equal")
        figure.colorbar(drawn, ax=axes, label="probability", shrink=0.9)
    return _save(figure, path)


def posteriors(path: Path, released: Integers, spreads: Mapping[str, tuple[Floats, Floats]]) -> Path:
    """Means and intervals of every true count, less the released one."""
    figure = Figure(figsize=(9, 4.8), layout="constrained")
    axes = figure.subplots()
    for place, (name, (means, ends)) in enumerate(spreads.items()):
        at = [index + 0.3 * place for index in range(len(released))]
        around = [means - ends[:, 0], ends[:, 1] - means]
        axes.errorbar(at, means - released, yerr=around, ls="", marker=MARKERS[place], ms=4, lw=1, label=name)
    axes.axhline(0, color="0.5", lw=0.8)
    axes.set(
        xlabel="component, from the smallest on",
        ylabel="true count less released count",
        title="Example 2, released as it is: posterior means and 95% intervals",
        yscale="symlog",
    )
    _tidy(axes)
    axes.legend(frameon=False, loc="lower left")
    return _save(figure, path)


def _tidy(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)


def _save(figure: Figure, path: Path) -> Path:
    data = BytesIO()
    figure.savefig(data, format="png", dpi=160)
    files.write(path, data.getvalue())
    return path

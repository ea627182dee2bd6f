"""How the figures of Sadeghi 2020 are drawn; what they show is computed in `sadeghi2020`."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from discreet import files
from discreet.arrays import Floats
from discreet.mechanism import Mechanism

LINES = ("-", "--", "-", "-.", ":")
WIDTHS = (1.4, 1.6, 2.6, 1.4, 2.2)
MARKERS = "osD^"
LEAST = 1e-5
"""Probabilities below this are not drawn."""


class Panel(NamedTuple):
    """Curves over one axis."""

    axis: str
    title: str
    x: npt.NDArray[np.float64] | npt.NDArray[np.int64]
    curves: Mapping[str, Floats]


def noise(path: Path, title: str, laws: Mapping[str, Mechanism], reach: int) -> Path:
    """Laws of the noise side by side, on a plain scale and on a logarithmic one."""
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    plain, logarithmic = figure.subplots(1, 2)
    for place, (name, mechanism) in enumerate(laws.items()):
        row = mechanism.interior[0]
        shown = (np.abs(row.outputs) <= reach) & (row.values > LEAST)
        outputs, values = row.outputs[shown], row.values[shown]
        plain.bar(outputs + 0.2 * (place - (len(laws) - 1) / 2), values, 0.2, color=f"C{place}", label=name)
        logarithmic.plot(
            outputs, values, MARKERS[place], ls=":", lw=1, ms=5 + 1.5 * place, fillstyle="none", label=name
        )
    plain.set(xlabel="noise", ylabel="probability", title=title, xlim=(-3.6, 3.6))
    logarithmic.set(xlabel="noise", yscale="log", title="The same, logarithmic", ylim=(LEAST, 1.5))
    logarithmic.legend(frameon=False, loc="lower center", fontsize=8)
    return _save(figure, path, (plain, logarithmic))


def cases(path: Path, epsilons: Floats, borders: Floats, least: Floats, support: int) -> Path:
    """Which case k of Theorem 3 holds at (epsilon, eta), and where the theorem does not.

    Parameters
    ----------
    borders
        For k = 1..D the eta at which C = C_k, along epsilon.
    least
        The eta below which the theorem is false, along epsilon.
    """
    figure = Figure(figsize=(7.5, 5), layout="constrained")
    panel = figure.subplots()
    tops = np.vstack([np.ones_like(epsilons), borders, np.zeros_like(epsilons)])
    for k in range(1, support + 2):
        shade = colormaps["Blues"](0.05 + 0.5 * (k - 1) / support)
        panel.fill_between(epsilons, tops[k], tops[k - 1], color=shade, lw=0, label=f"k = {k}")
    for border in borders:
        panel.plot(epsilons, border, color="k", lw=0.6)
    panel.fill_between(epsilons, 0, least, color="C3", lw=0, label="promise false")
    panel.set(xlabel="epsilon", ylabel="eta", title=f"The cases of Theorem 3, D = {support}", ylim=(0, 1))
    panel.set_xlim(epsilons[0], epsilons[-1])
    panel.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return _save(figure, path, (panel,))


def one_panel(path: Path, panel: Panel, shaded: tuple[float, float]) -> Path:
    """Curves of delta on a logarithmic scale, an interval of the axis shaded."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    axes.axvspan(*shaded, color="0.9", lw=0, zorder=0)
    _curves(axes, panel)
    axes.legend(frameon=False)
    return _save(figure, path, (axes,))


def two_panels(path: Path, left: Panel, right: Panel) -> Path:
    """The same curves of delta along two axes."""
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    both = figure.subplots(1, 2)
    for axes, panel in zip(both, (left, right), strict=True):
        _curves(axes, panel)
    both[0].legend(frameon=False)
    return _save(figure, path, tuple(both))


def _curves(axes: Axes, panel: Panel) -> None:
    for place, (name, values) in enumerate(panel.curves.items()):
        marker = "o" if panel.x.dtype.kind == "i" else ""
        width = WIDTHS[place]  # a thin line lies over a thick one
        axes.plot(panel.x, values, marker=marker, ls=LINES[place], lw=width, ms=4, label=name, zorder=5 - width)
    axes.set(xlabel=panel.axis, ylabel="delta", yscale="log", title=panel.title)
    axes.set_ylim(top=1.5)


def _save(figure: Figure, path: Path, panels: tuple[Axes, ...]) -> Path:
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="0.92")
        panel.set_axisbelow(True)
    data = BytesIO()
    figure.savefig(data, format="png", dpi=160)
    files.write(path, data.getvalue())
    return path

"""How the figures of Sadeghi 2023 are drawn; what they show is computed in `sadeghi2023`."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from discreet import files
from discreet.arrays import Floats

LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "D", "^", "v")
FEW = 60
"""Points of a curve up to which each is marked."""

WIDE = 30.0
"""Ratio of the largest to the smallest value above which the scale is logarithmic."""


class Panel(NamedTuple):
    """Curves over one axis."""

    axis: str
    unit: str
    title: str
    x: Floats
    curves: Mapping[str, Floats]


def curves(path: Path, *panels: Panel) -> Path:
    """One or several panels side by side."""
    figure = Figure(figsize=(6.5 * len(panels), 4.8), layout="constrained")
    for axes, panel in zip(np.atleast_1d(figure.subplots(1, len(panels))), panels, strict=True):
        marked = len(panel.x) <= FEW
        for place, (name, values) in enumerate(panel.curves.items()):
            axes.plot(
                panel.x,
                values,
                ls=LINES[place],
                marker=MARKERS[place] if marked else "",
                ms=4 + place,
                markevery=(place, 5),
                fillstyle="none",
                lw=1.4,
                label=name,
            )
        positive = np.concatenate([values[values > 0] for values in panel.curves.values()])
        scale = "log" if positive.max() > WIDE * positive.min() else "linear"
        axes.set(xlabel=panel.axis, ylabel=panel.unit, title=panel.title, yscale=scale)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="0.92")
        axes.set_axisbelow(True)
        axes.legend(frameon=False)
    data = BytesIO()
    figure.savefig(data, format="png", dpi=160)
    files.write(path, data.getvalue())
    return path

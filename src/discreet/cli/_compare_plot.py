"""Figures of mechanisms, as files."""

import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from discreet import files
from discreet.errors import ParameterError
from discreet.mechanism import Mechanism

FORMATS = (".pdf", ".png", ".svg")
_LEAST_DELTA = 1e-16


def comparison(mechanisms: Mapping[str, Mechanism], path: str | os.PathLike[str], epsilon: float, count: int) -> None:
    """Two panels, written to a file: the law of the error at one true count, and delta against epsilon."""
    kind = Path(path).suffix.lower()
    if kind not in FORMATS:
        raise ParameterError(f"the figure is to be {os.fspath(path)!r}; end its name in {', '.join(FORMATS)}")
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    laws, curves = figure.subplots(1, 2)
    epsilons = np.linspace(0, 3 * epsilon, 400)
    for place, (name, mechanism) in enumerate(mechanisms.items()):
        colour, marker, dashes = f"C{place % 10}", "osD^v"[place % 5], ("-", "--", ":", "-.")[place % 4]
        outputs, probabilities = mechanism.pmf(count)
        shown = probabilities >= 1e-3 * probabilities.max()
        laws.plot(
            outputs[shown] - count,
            probabilities[shown],
            marker,
            ls=dashes,
            lw=1,
            ms=5 + place,
            fillstyle="none",
            color=colour,
            label=name,
        )
        deltas = mechanism.deltas(epsilons)
        curves.plot(epsilons, np.where(deltas > _LEAST_DELTA, deltas, np.nan), color=colour, ls=dashes, label=name)
    laws.set(xlabel="published minus true count", ylabel="probability", title=f"Error of a count of {count}")
    curves.set(xlabel="epsilon", ylabel="delta", yscale="log", title="Privacy: delta at every epsilon")
    curves.set_ylim(bottom=_LEAST_DELTA, top=1.5)
    curves.axvline(epsilon, color="0.6", lw=0.8, ls="--")
    laws.set_ylim(bottom=0)
    for panel in (laws, curves):
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="0.92")
        panel.set_axisbelow(True)
    laws.legend(frameon=False)
    _save(figure, path, kind)


def _save(figure: Figure, path: str | os.PathLike[str], kind: str) -> None:
    data = BytesIO()
    figure.savefig(data, format=kind[1:], dpi=160)
    files.write(path, data.getvalue())

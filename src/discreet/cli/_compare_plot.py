"""The figure of `discreet compare`: errors and privacy curves of several mechanisms."""

import os
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from discreet.cli._figure_file import figure_format, write_figure
from discreet.mechanism import Mechanism

_LEAST_DELTA = 1e-16


def draw_comparison(
    mechanisms: Mapping[str, Mechanism], path: str | os.PathLike[str], epsilon: float, count: int
) -> None:
    """Write a figure with two panels: the distribution of the error at one true count, and delta against epsilon.

    Raises
    ------
    ParameterError
        The name of the file does not end in .pdf, .png or .svg.
    OutputError
        The file cannot be written.
    """
    figure_format(path)  # before anything is drawn
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    errors, curves = figure.subplots(1, 2)
    _draw_errors(errors, mechanisms, count)
    _draw_curves(curves, mechanisms, epsilon)
    for panel in (errors, curves):
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="0.92")
        panel.set_axisbelow(True)
    errors.legend(frameon=False)
    write_figure(figure, path)


def _draw_errors(panel: Axes, mechanisms: Mapping[str, Mechanism], count: int) -> None:
    for index, (name, mechanism) in enumerate(mechanisms.items()):
        outputs, probabilities = mechanism.pmf(count)
        visible = probabilities >= 1e-3 * probabilities.max()
        panel.plot(
            outputs[visible] - count,
            probabilities[visible],
            "osD^v"[index % 5],
            ls=_dashes(index),
            lw=1,
            ms=5 + index,
            fillstyle="none",
            color=f"C{index % 10}",
            label=name,
        )
    panel.set(xlabel="published minus true count", ylabel="probability", title=f"Error of a count of {count}")
    panel.set_ylim(bottom=0)


def _draw_curves(panel: Axes, mechanisms: Mapping[str, Mechanism], epsilon: float) -> None:
    epsilons = np.linspace(0, 3 * epsilon, 400)
    for index, (name, mechanism) in enumerate(mechanisms.items()):
        deltas = mechanism.deltas(epsilons)
        visible_deltas = np.where(deltas > _LEAST_DELTA, deltas, np.nan)
        panel.plot(epsilons, visible_deltas, color=f"C{index % 10}", ls=_dashes(index), label=name)
    panel.set(xlabel="epsilon", ylabel="delta", yscale="log", title="Privacy: delta at every epsilon")
    panel.set_ylim(bottom=_LEAST_DELTA, top=1.5)
    panel.axvline(epsilon, color="0.6", lw=0.8, ls="--")


def _dashes(index: int) -> str:
    return ("-", "--", ":", "-.")[index % 4]

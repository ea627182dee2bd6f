"""The figure of `discreet plan`: the error to expect in every margin."""

import os

from matplotlib.figure import Figure

from discreet.cli._figure_file import write_figure
from discreet.publish.planned_release import BASES, PlannedRelease

MOST_BARS = 60
"""Groupings that are drawn. Of more, those with the largest errors are."""

LONGEST_NAME = 48


def draw_errors(planned: PlannedRelease, path: str | os.PathLike[str]) -> None:
    """Write a figure with one bar for each grouping: the half width that 95% of the errors keep within.

    Raises
    ------
    ParameterError
        The name of the file does not end in .pdf, .png or .svg.
    OutputError
        The file cannot be written.
    """
    groupings = sorted(planned.groupings, key=lambda grouping: -grouping.error)[:MOST_BARS]
    figure = Figure(figsize=(8.5, 1.9 + 0.3 * len(groupings)), layout="constrained")
    panel = figure.subplots()
    colours = dict(zip(BASES, ("C1", "C0", "C2", "0.6", "0.8"), strict=True))
    positions = range(len(groupings), 0, -1)
    for basis in dict.fromkeys(grouping.basis for grouping in groupings):
        bars = [
            (position, grouping.error)
            for position, grouping in zip(positions, groupings, strict=True)
            if grouping.basis == basis
        ]
        where, errors = zip(*bars, strict=True)
        panel.barh(where, errors, 0.65, color=colours[basis], label=BASES[basis])
    others = [
        (position, grouping.published_error)
        for position, grouping in zip(positions, groupings, strict=True)
        if grouping.published_error is not None
    ]
    if others:
        where, errors = zip(*others, strict=True)
        panel.plot(errors, where, "|", color="0.2", markersize=13, label="with measure: published, one noise for all")
    for position, grouping in zip(positions, groupings, strict=True):
        panel.annotate(
            f"\N{PLUS-MINUS SIGN}{grouping.error:.3g}",
            (grouping.error, position),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    panel.set_yticks(list(positions), [_shortened(grouping.name) for grouping in groupings], parse_math=False)
    panel.set(xlabel="people; 95% of the published counts are within this of the truth")
    panel.set_title("Error to expect, before any data are read", loc="left")
    largest = max(max(grouping.error, grouping.published_error or 0) for grouping in groupings)
    panel.set_xlim(0, 1.12 * largest or 1)
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="x", color="0.92")
    panel.set_axisbelow(True)
    figure.legend(loc="outside lower left", frameon=False, fontsize=8)
    write_figure(figure, path)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."

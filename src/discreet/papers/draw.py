"""Draw the figures of the papers: one style for all, distinct colours and markers, no curve hidden under another."""

import math
import textwrap
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib.figure
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import MaxNLocator

from discreet import files
from discreet.errors import OutputError
from discreet.papers.figure import Curve, Figure, Flowchart, Heatmap, Panel, Panels, TextTable, to_csv

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b", "#bcbd22")
"""Of the paper's curves: distinct also for readers who do not see red and green apart (Okabe and Ito)."""

OURS = ("#000000", "#a50026", "#313695", "#006837")
MARKERS = "osD^vPX*<>"
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
WIDTH, WIDTH_ALONE = 6.2, 8.5
"""Inches of a panel beside others, and of a panel alone in its row."""

OUR_SHAPES = 5
"""Places between the markers of the paper's curves and of ours, where the colour is given."""

CLEAR = 6.0
"""Pixels between a legend and the middle of a line: about half a marker."""

MOST_MARKERS = 15
"""Markers on one line, at most: more of them hide the line."""

DPI = 130

LEGEND_COLUMN = 2.7
"""Inches of a column of a legend that stands below its panel."""

LINE_WIDTHS = (3.2, 2.3, 1.7, 1.5, 1.3)
"""Of the first curve without markers of a panel and of those after it: lines that coincide lie on each other."""

MARKED_LINE, OUR_LINE = 1.6, 2.2
"""Widths of other lines."""

MARKER_SIZES = (5.0, 7.0, 9.0, 11.0)
"""Of the first curve of a panel and of those after it: open markers of points that coincide lie around each other.

Where points are moved they stand side by side, and all have the first size.
"""


def write(
    figures: Sequence[tuple[str, Figure]], folder: Path, on_progress: Callable[[float], None] = lambda done: None
) -> list[Path]:
    """Compute figures, then write every picture and its data, all or none.

    Parameters
    ----------
    figures
        The name of each figure's files, without an ending, and the figure.
    folder
        Made if it does not exist.
    told
        Called with the share of the figures that are computed.

    Returns
    -------
    list of Path
        The PNG file and the CSV file of each figure.

    Raises
    ------
    OutputError
        A file exists already, or cannot be written. Nothing is written.
    """
    paths = new_files([stem for stem, _ in figures], folder)
    content: list[bytes] = []
    for number, (_, figure) in enumerate(figures):
        on_progress(number / len(figures))
        panels = figure.panels()
        content += [png(figure, panels), to_csv(panels).encode()]
    is_new_folder = not folder.exists()
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, data in zip(paths, content, strict=True):
            files.write(path, data, new=True)
            written.append(path)
    except OSError as error:
        raise OutputError(f"{folder} cannot be written ({error.strerror}); choose another folder") from None
    finally:
        if len(written) < len(paths):
            for path in written:
                path.unlink()
            if is_new_folder and folder.is_dir():
                folder.rmdir()
    return paths


def new_files(stems: Sequence[str], folder: Path) -> list[Path]:
    """Return the paths of the PNG file and the CSV file of figures, which do not exist yet.

    Raises
    ------
    OutputError
        A file exists already, or the path of the folder leads to something else.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"{folder} is a file; choose another folder")
        return [files.new_path(folder / f"{stem}.{ending}") for stem in stems for ending in ("png", "csv")]
    except OSError as error:
        raise OutputError(f"{folder} cannot be read ({error.strerror}); choose another folder") from None


def png(figure: Figure, panels: Panels) -> bytes:
    """Return the picture of a figure whose data were computed."""
    data = BytesIO()
    canvas(figure, panels).savefig(data, format="png", dpi=DPI)
    return data.getvalue()


def canvas(figure: Figure, panels: Panels) -> matplotlib.figure.Figure:
    """Draw a figure whose data were computed. No legend covers a curve."""
    columns = min(figure.columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    width = figure.width or (WIDTH if columns > 1 else WIDTH_ALONE)
    drawn = matplotlib.figure.Figure(figsize=(width * columns, 4.6 * rows + 0.3), layout="constrained", dpi=DPI)
    drawn.suptitle(textwrap.fill(f"{figure.item}: {figure.title}", int(11 * width * columns)), fontsize=12)
    grid = np.atleast_1d(drawn.subplots(rows, columns)).ravel()
    for axes, panel in zip(grid, panels, strict=False):
        if isinstance(panel, Heatmap):
            _heatmap(drawn, axes, panel)
        elif isinstance(panel, TextTable):
            _text_table(axes, panel)
        elif isinstance(panel, Flowchart):
            _flowchart(axes, panel)
        else:
            _panel(axes, panel)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    drawn.draw_without_rendering()
    for axes in grid[: len(panels)]:
        if covers_a_curve(axes):
            below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.13), "ncols": int(width / LEGEND_COLUMN)}
            axes.legend(fontsize=8, **below)
    return drawn


def _panel(axes: Axes, panel: Panel) -> None:
    bars = sum(curve.style == "bars" for curve in panel.curves)
    bar = paper = ours = 0
    moved = any(np.any(curve.shift) for curve in panel.curves)
    for number, curve in enumerate(panel.curves):
        palette, index = (OURS, ours) if curve.ours else (COLOURS, paper)
        colour = palette[(index if curve.colour is None else curve.colour) % len(palette)]
        shape = number if curve.colour is None else curve.colour + curve.ours * OUR_SHAPES
        ours, paper = ours + curve.ours, paper + (not curve.ours)
        if curve.style == "bars":
            _bars(axes, curve, colour, bar, bars)
            bar += 1
        else:
            _curve(axes, curve, colour, shape, number, moved)
    axes.set(xlabel=panel.axis_label, ylabel=panel.y_label, title=panel.title)
    if panel.log_y:
        axes.set_yscale("log")
    if panel.log_x:
        axes.set_xscale("log")
    elif all((curve.x == np.round(curve.x)).all() for curve in panel.curves):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if panel.x_ticks is not None:
        axes.set_xticks(range(len(panel.x_ticks)), panel.x_ticks)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    if len(panel.curves) > 1:
        axes.legend(fontsize=8, framealpha=0.85)


def _curve(axes: Axes, curve: Curve, colour: str, shape: int, number: int, moved: bool) -> None:
    """Draw a curve in the marker and the kind of line of a shape. The number is its place in the panel."""
    style: dict[str, Any] = {"color": colour, "label": curve.name, "zorder": 4 if curve.ours else 3}
    if curve.style == "levels":
        half = 0.45 * _least_step(curve)
        axes.hlines(curve.y, curve.x - half, curve.x + half, ls=LINES[shape % len(LINES)], lw=OUR_LINE, **style)
        return
    if curve.style != "points":
        plain = LINE_WIDTHS[min(number, len(LINE_WIDTHS) - 1)] if curve.style != "line and points" else MARKED_LINE
        style |= {"ls": LINES[shape % len(LINES)], "lw": OUR_LINE if curve.ours else plain}
    if curve.style in ("points", "line and points"):
        every = max(1, math.ceil(len(curve.x) / MOST_MARKERS))
        style |= {
            "marker": MARKERS[shape % len(MARKERS)],
            "ms": MARKER_SIZES[0 if moved else min(number, len(MARKER_SIZES) - 1)],
            "mfc": "none",
            "markevery": (number % every, every),
        }
    if curve.style == "points":
        style |= {"ls": "", "markevery": None}
    if curve.style == "steps":
        style["drawstyle"] = "steps-post"
    axes.plot(curve.x + curve.shift, curve.y, **style)
    if curve.low is not None and curve.high is not None:
        axes.errorbar(
            curve.x + curve.shift,
            curve.y,
            yerr=[curve.y - curve.low, curve.high - curve.y],
            ls="",
            color=colour,
            capsize=2.5,
            lw=1,
            zorder=2,
        )


def _bars(axes: Axes, curve: Curve, colour: str, number: int, total: int) -> None:
    """Draw bars of several curves side by side."""
    width = 0.84 * _least_step(curve) / total
    shift = (number - (total - 1) / 2) * width
    ends = None
    if curve.low is not None and curve.high is not None:
        ends = [curve.y - curve.low, curve.high - curve.y]
    axes.bar(curve.x + shift, curve.y, width, color=colour, label=curve.name, yerr=ends, capsize=2, zorder=3)


def _least_step(curve: Curve) -> float:
    return float(np.diff(curve.x).min()) if len(curve.x) > 1 else 1.0


def covers_a_curve(axes: Axes) -> bool:
    """Return True if the legend of drawn axes lies on a line, a point, an error bar or a bar."""
    legend = axes.get_legend()
    if legend is None:
        return False
    box = legend.get_window_extent().padded(CLEAR)
    lines = [line.get_path().transformed(line.get_transform()) for line in axes.lines]
    for group in axes.collections:
        lines += [path.transformed(group.get_transform()) for path in group.get_paths()]
    bars = any(box.overlaps(bar.get_window_extent()) for bar in axes.patches)
    return bars or any(path.intersects_bbox(box, filled=False) for path in lines)


def _heatmap(canvas: matplotlib.figure.Figure, axes: Axes, panel: Heatmap) -> None:
    if panel.log_values:
        norm: Normalize = LogNorm(panel.values.min(), panel.highest)
    else:
        norm = Normalize(None if panel.highest is None else 0.0, panel.highest)
    drawn = axes.pcolormesh(
        panel.x, panel.y, panel.values, cmap="viridis", shading="nearest", rasterized=True, norm=norm
    )
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label, title=panel.title)
    if panel.cell_format:
        axes.set(xticks=panel.x, yticks=panel.y)
        for y, row in zip(panel.y.tolist(), panel.values.tolist(), strict=True):
            for x, value in zip(panel.x.tolist(), row, strict=True):
                ink = "black" if norm(value) > 0.6 else "white"
                axes.text(x, y, format(value, panel.cell_format), ha="center", va="center", color=ink, fontsize=8)
    if panel.downward:
        axes.invert_yaxis()
    canvas.colorbar(drawn, ax=axes, label=panel.value_label, shrink=0.9)


def _text_table(axes: Axes, panel: TextTable) -> None:
    axes.set_axis_off()
    axes.set_title(panel.title)
    colours = [[_shade(cell) for cell in row] for row in panel.cells]
    table = axes.table(
        [list(row) for row in panel.cells],
        colours,
        cellLoc="center",
        rowLabels=list(panel.row_names),
        colLabels=list(panel.column_names),
        loc="center",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    table.scale(1, 1.8)
    table.auto_set_column_width(range(len(panel.column_names)))
    for cell in table.get_celld().values():
        cell.set_edgecolor("0.75")


def _shade(cell: str) -> str:
    words = cell.lower().split()
    return {"yes": "#d7ead3", "no": "#f4d3d0"}.get(words[0] if words else "", "white")


def _flowchart(axes: Axes, panel: Flowchart) -> None:
    axes.set_axis_off()
    axes.set_title(panel.title)
    centres = {box.name: (box.x, box.y) for box in panel.boxes}
    drawn = {}
    for box in panel.boxes:
        shape = "round,pad=0.6,rounding_size=1.2" if box.question else "square,pad=0.6"
        frame = {"boxstyle": shape, "fc": "#eaf3fa" if box.question else "#fdf0c8", "ec": "0.4"}
        text = axes.text(box.x, box.y, box.text, ha="center", va="center", fontsize=10, bbox=frame, zorder=2)
        drawn[box.name] = text.get_bbox_patch()
    for arrow in panel.arrows:
        start, end = centres[arrow.start], centres[arrow.end]
        ends = {"patchA": drawn[arrow.start], "patchB": drawn[arrow.end], "shrinkA": 2, "shrinkB": 2}
        axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "0.3", **ends}, zorder=3)
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        axes.text(
            *middle, arrow.label, ha="center", va="center", fontsize=9, zorder=4, bbox={"fc": "white", "ec": "none"}
        )
    positions = np.array(list(centres.values()))
    axes.set_xlim(positions[:, 0].min() - 0.5, positions[:, 0].max() + 0.5)
    axes.set_ylim(positions[:, 1].min() - 0.4, positions[:, 1].max() + 0.4)

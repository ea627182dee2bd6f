"""What a figure of a paper shows, as data: panels with curves, grids of numbers, tables of words and flowcharts.

The data are computed when they are asked for. `to_csv` turns the data into text; `discreet.papers.draw` draws them.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Literal

import numpy as np

from discreet.arrays import Floats

Style = Literal["line", "points", "line and points", "steps", "levels", "bars"]


@dataclass(frozen=True)
class Curve:
    """One curve of a panel.

    Attributes
    ----------
    name
        For the legend.
    x, y
        The points. A missing value (nan) in y ends a line, and the next value begins another.
    style
        How the curve is drawn. "steps" draws a jump as a jump: y holds from its x up to the next x. "levels" draws each
        point as a short horizontal line, below points of other curves that stand side by side.
    ours
        True for curves that the paper does not have. They are drawn on top, in the strongest colour.
    low, high
        Ends of an error bar at every point; None if there are none.
    shift
        How far to the right the curve, or each of its points, is drawn, so that curves that coincide can be told apart.
        The data keep their x, and the x axis says that points are moved (`Panel.axis_label`).
    colour
        Place in the palette, so that one thing has one colour and one marker in all panels; None for the next place.
    """

    name: str
    x: Floats
    y: Floats
    style: Style = "line"
    ours: bool = False
    low: Floats | None = None
    high: Floats | None = None
    shift: float | Floats = 0.0
    colour: int | None = None


@dataclass(frozen=True)
class Panel:
    """Axes with curves.

    Attributes
    ----------
    title, x_label, y_label
        Texts beside the axes.
    curves
        In the order of the legend.
    log_x, log_y
        True for a logarithmic scale.
    x_ticks
        Names of the places 0, 1, 2, ... on the x axis; None for numbers.
    """

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    log_x: bool = False
    log_y: bool = False
    x_ticks: Sequence[str] | None = None

    @property
    def axis_label(self) -> str:
        """Text of the x axis: `x_label`, and by how much points are moved, if some are."""
        farthest = max((float(np.abs(curve.shift).max()) for curve in self.curves), default=0.0)
        if not farthest:
            return self.x_label
        moved = f"points side by side, moved by up to {farthest:.2g}"
        return f"{self.x_label} ({moved})" if self.x_label else moved


@dataclass(frozen=True)
class Heatmap:
    """Axes with a grid of numbers: values[i, j] stands at (x[j], y[i]).

    Attributes
    ----------
    cell_format
        How a number is written in its cell, such as ".2f". Nothing is written if this is empty.
    highest
        Colours run from 0 to this value, so that several panels share a scale; None for the range of the values.
    downward
        True if y grows downward, as rows of a matrix do.
    log_values
        True for colours by the logarithm of the values, which are then all above 0.
    """

    title: str
    x_label: str
    y_label: str
    x: Floats
    y: Floats
    values: Floats
    value_label: str = "probability"
    cell_format: str = ""
    highest: float | None = None
    downward: bool = False
    log_values: bool = False


@dataclass(frozen=True)
class TextTable:
    """A table of words. A cell that begins with "yes" or "no" has the colour of its word."""

    title: str
    column_names: Sequence[str]
    row_names: Sequence[str]
    cells: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Box:
    """One box of a flowchart, with its centre. A question has round ends, an answer has corners."""

    name: str
    text: str
    x: float
    y: float
    question: bool = True


@dataclass(frozen=True)
class Arrow:
    """An arrow from one box to another, with the answer that leads along it."""

    start: str
    end: str
    label: str


@dataclass(frozen=True)
class Flowchart:
    """Boxes and the arrows between them."""

    title: str
    boxes: Sequence[Box]
    arrows: Sequence[Arrow]


Panels = Sequence[Panel | Heatmap | TextTable | Flowchart]


@dataclass(frozen=True)
class Figure:
    """A figure of a paper.

    Attributes
    ----------
    number
        As in the paper, without brackets: "4", "8b". A drawing of something else has a name of its own: "table1".
    title
        What is drawn, with the parameters.
    panels
        Compute the data.
    columns
        Panels in one row of the picture.
    shows
        The item that is drawn, if the paper has no figure of it: "Table 1".
    width
        Inches of a panel; None for the usual width.
    """

    number: str
    title: str
    panels: Callable[[], Panels]
    columns: int = 2
    shows: str = ""
    width: float | None = None

    @property
    def item(self) -> str:
        """Name of the item in the register: `shows`, or "Figure 8(b)" for the number "8b"."""
        if self.shows:
            return self.shows
        digits = self.number.rstrip("abcdefghijklmnopqrstuvwxyz")
        letter = self.number[len(digits) :]
        return f"Figure {digits}" + (f"({letter})" if letter else "")


def to_csv(panels: Panels) -> str:
    """Return the data of a figure: one row a point, with columns panel, curve, x, y, value, low and high.

    A curve has its points in x and y. A grid has its coordinates in x and y, and its numbers in value. A table has the
    name of the row in curve, the name of the column in x, and the cell in value. A flowchart has its boxes as points
    with their text in value, and its arrows as "start -> end" in curve with the answer in value.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["panel", "curve", "x", "y", "value", "low", "high"])
    for panel in panels:
        writer.writerows([panel.title, *row] for row in _rows(panel))
    return text.getvalue()


def _rows(panel: Panel | Heatmap | TextTable | Flowchart) -> Iterator[list[str]]:
    """Yield curve, x, y, value, low and high of every point of a panel."""
    if isinstance(panel, Heatmap):
        for y, row in zip(panel.y.tolist(), panel.values.tolist(), strict=True):
            for x, value in zip(panel.x.tolist(), row, strict=True):
                yield ["", *_texts(x, y, value), "", ""]
    elif isinstance(panel, TextTable):
        for name, cells in zip(panel.row_names, panel.cells, strict=True):
            for column, cell in zip(panel.column_names, cells, strict=True):
                yield [name, column, "", cell, "", ""]
    elif isinstance(panel, Flowchart):
        for box in panel.boxes:
            yield [box.name, *_texts(box.x, box.y), box.text, "", ""]
        for arrow in panel.arrows:
            yield [f"{arrow.start} -> {arrow.end}", "", "", arrow.label, "", ""]
    else:
        for curve in panel.curves:
            blank: list[str] = [""] * len(curve.x)
            lows = blank if curve.low is None else _texts(*curve.low)
            highs = blank if curve.high is None else _texts(*curve.high)
            for x, y, low, high in zip(_texts(*curve.x), _texts(*curve.y), lows, highs, strict=True):
                yield [curve.name, x, y, "", low, high]


def _texts(*numbers: float) -> list[str]:
    """Return numbers with ten significant digits; nothing for a missing value."""
    return ["" if np.isnan(number) else f"{number:.10g}" for number in numbers]

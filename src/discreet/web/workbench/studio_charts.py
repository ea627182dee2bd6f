"""Charts of the studio as SVG: lines of several designs, and a map of the probabilities of one.

Colours, dashes and shades are classes of the style sheet, because pages allow no style inside. Every line has dashes of
its own, so that no chart needs colours to be read.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from discreet.arrays import Floats
from discreet.web.shared.language import PageTexts

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 24, 44

SHADES = 12
"""Shades of a map of probabilities."""

MAP_SIZE = 300
LEAST_DELTA = -16
"""The exponent of 10 of the smallest delta that is drawn."""


@dataclass(frozen=True)
class Line:
    """A line of a chart: its points from left to right. The number of the line chooses its colour and its dashes."""

    points: Sequence[tuple[float, float]]
    number: int
    marks: bool = False


@dataclass(frozen=True)
class Names:
    """The words of a chart: a description for screen readers, and the names of both axes."""

    description: str
    across: str
    up: str


def linear_chart(lines: Sequence[Line], names: Names, texts: PageTexts) -> str:
    """Return a chart of lines from 0 up."""
    highest = max((y for line in lines for _, y in line.points), default=0.0) or 1.0
    frame = _frame(lines, 0.0, 1.06 * highest)
    step = nice_step(highest, 4)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    rising = [(k * step, texts.number(k * step, digits)) for k in range(int(1.06 * highest / step) + 1)]
    return _chart(frame, lines, names, _whole_marks(frame, texts), rising)


def delta_chart(lines: Sequence[Line], epsilon: float, names: Names, texts: PageTexts) -> str:
    """Return a chart of delta, on a logarithmic scale, against epsilon. A dashed line marks one epsilon.

    Parameters
    ----------
    lines
        Points of an epsilon and a delta. Points of delta 0 are left out.
    epsilon
        The epsilon that is marked.
    names, texts
        The words of the chart, and how numbers are written.
    """
    logarithms = [
        Line([(x, max(math.log10(y), LEAST_DELTA)) for x, y in line.points if y > 0], line.number) for line in lines
    ]
    lowest = min((y for line in logarithms for _, y in line.points), default=-1.0)
    bottom = max(LEAST_DELTA, min(-1, math.floor(lowest)))
    right = max((x for line in lines for x, _ in line.points), default=1.0)
    frame = _Frame(0.0, right, float(bottom), 0.2)
    step = nice_step(right, 6)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    across = [(k * step, texts.number(k * step, digits)) for k in range(int(right / step + 1e-9) + 1)]
    every = max(1, math.ceil(-bottom / 6))
    rising = [(float(-k), "1" if k == 0 else f"1e-{k}") for k in range(0, -bottom + 1, every)]
    marked = f'<path class="guide" d="M{frame.x(epsilon):.1f} {frame.y(bottom):.1f}V{TOP}"/>'
    return _chart(frame, logarithms, names, across, rising, marked)


def probability_map(matrix: Floats, description: str) -> str:
    """Return a map of a matrix of probabilities: true counts across, outputs upwards, darker for more likely.

    Cells of one shade are one path, and neighbours in a row are one rectangle, so that a page stays small.
    """
    size = matrix.shape[0]
    highest = float(matrix.max()) or 1.0
    paths: dict[int, list[str]] = {}
    for row in range(size):
        shades = [_shade(float(value) / highest) for value in matrix[row]]
        start = 0
        for column in range(1, size + 1):
            if column == size or shades[column] != shades[start]:
                if shades[start]:
                    run = f"M{start} {size - 1 - row}h{column - start}v1h-{column - start}z"
                    paths.setdefault(shades[start], []).append(run)
                start = column
    cells = "".join(f'<path class="shade-{shade}" d="{"".join(runs)}"/>' for shade, runs in sorted(paths.items()))
    return (
        f'<svg class="map" viewBox="0 0 {size} {size}" width="{MAP_SIZE}" height="{MAP_SIZE}" role="img"'
        f' aria-label="{escape(description)}">{cells}</svg>'
    )


def _shade(share: float) -> int:
    """Return a shade from 0 to SHADES. The square root keeps small probabilities visible."""
    return math.ceil(SHADES * math.sqrt(share) - 1e-9) if share > 1e-4 else 0


class _Frame:
    """The area of a chart: converts numbers to coordinates."""

    def __init__(self, left: float, right: float, bottom: float, top: float) -> None:
        self.left, self.right, self.bottom, self.top = left, max(right, left + 1e-9), bottom, top

    def x(self, value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - self.left) / (self.right - self.left)

    def y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.top - value) / (self.top - self.bottom)


def _frame(lines: Sequence[Line], bottom: float, top: float) -> _Frame:
    values = [x for line in lines for x, _ in line.points] or [0.0, 1.0]
    return _Frame(min(values), max(values), bottom, top)


def _whole_marks(frame: _Frame, texts: PageTexts) -> list[tuple[float, str]]:
    """Return whole numbers across, about eight."""
    step = max(1, round(nice_step(frame.right - frame.left, 8)))
    first = math.ceil(frame.left / step)
    return [(float(k * step), texts.number(k * step)) for k in range(first, math.floor(frame.right / step) + 1)]


def nice_step(span: float, most: int) -> float:
    """Return the least of ..., 0.1, 0.2, 0.5, 1, ... that covers a span in at most `most` steps.

    Examples
    --------
    >>> from discreet.web.workbench.studio_charts import nice_step
    >>> nice_step(0.9, 4), nice_step(50, 8)
    (0.5, 10.0)
    """
    power = 10.0 ** (math.floor(math.log10(max(span, 1e-12))) - 2)
    while True:
        for factor in (1, 2, 5):
            if factor * power * most >= span * (1 - 1e-9):
                return round(factor * power, 15)
        power *= 10


def _chart(
    frame: _Frame,
    lines: Sequence[Line],
    names: Names,
    across: Sequence[tuple[float, str]],
    rising: Sequence[tuple[float, str]],
    more: str = "",
) -> str:
    """Return an SVG element with the axes, the lines and their marks."""
    grid = "".join(f"M{LEFT} {frame.y(value):.1f}H{WIDTH - RIGHT}" for value, _ in rising)
    ticks = "".join(f"M{frame.x(value):.1f} {HEIGHT - BOTTOM}v5" for value, _ in across)
    parts = [
        f'<path class="grid" d="{grid}"/><path class="axis" d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}{ticks}"/>',
        *(
            f'<text x="{frame.x(value):.1f}" y="{HEIGHT - BOTTOM + 19}" text-anchor="middle">{label}</text>'
            for value, label in across
        ),
        *(
            f'<text x="{LEFT - 7}" y="{frame.y(value) + 4:.1f}" text-anchor="end">{label}</text>'
            for value, label in rising
        ),
        f'<text class="name" x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" text-anchor="end">{escape(names.across)}</text>',
        f'<text class="name" x="{LEFT}" y="13">{escape(names.up)}</text>',
        more,
        *(_drawn(frame, line) for line in lines),
    ]
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(names.description)}">'
        + "".join(parts)
        + "</svg>"
    )


def _drawn(frame: _Frame, line: Line) -> str:
    """Return a line, with a mark at each point if it has marks."""
    points = [(frame.x(x), frame.y(y)) for x, y in line.points]
    if not points:
        return ""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    marks = "".join(f"M{x - 2.5:.1f} {y:.1f}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0" for x, y in points)
    return f'<path class="curve line-{line.number}" d="M{path}"/>' + (
        f'<path class="mark-{line.number}" d="{marks}"/>' if line.marks else ""
    )

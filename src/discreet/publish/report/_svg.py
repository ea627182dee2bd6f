"""Two charts as inline SVG: bars of differences (such as noise), and delta against epsilon.

Coordinates have one decimal, so that the same table gives the same bytes. Colours are classes of the style sheet of the
page. Each chart has a title and a description for screen readers.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from discreet.publish.report.texts import Words

WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 26, 46

MOST_BARS = 200
LEAST_SHOWN = 1e-3
"""Differences whose chance is a smaller share of the largest chance are not shown."""


class Texts(NamedTuple):
    """The texts of a chart.

    Attributes
    ----------
    name
        The start of ids, which occurs once on the page.
    title, description
        Texts for screen readers.
    across, up
        The names of the axes.
    """

    name: str
    title: str
    description: str
    across: str
    up: str


def bars(differences: Sequence[tuple[int, int]], total: int, within: int, texts: Texts, words: Words) -> str:
    """Return a bar chart of the share of each difference.

    Parameters
    ----------
    differences
        Pairs of a difference and its weight.
    total
        The sum of all weights.
    within
        Bars from -within to +within have the stronger colour.
    texts
        The texts of the chart.
    words
        How the language writes numbers.
    """
    share = {difference: weight / total for difference, weight in differences}
    highest = max(share.values())
    shown = [difference for difference in share if share[difference] >= LEAST_SHOWN * highest]
    reach = max(1, -min(shown), max(shown))
    size = -(-(2 * reach + 1) // MOST_BARS)
    half = -(-(reach - (size - 1) // 2) // size)
    first = -half * size - (size - 1) // 2
    right = -first + 0.5 if size % 2 else first + (2 * half + 1) * size - 0.5
    frame = _Frame(first - 0.5, right, 0.0, 1.06 * highest)
    starts = range(first, first + (2 * half + 1) * size, size)
    step = _step(2 * reach, 8)
    marks = [
        (float(z), words.number(z, "+,") if z else "0")
        for z in range(-reach // step * step, reach + 1, step)
        if abs(z) <= reach
    ]
    rise = _step_real(highest, 4)
    digits = max(0, -math.floor(math.log10(100 * rise) + 1e-9))
    heights = [k * rise for k in range(int(1.06 * highest / rise) + 1)]
    rising = [(height, words.percent(f"{100 * height:.{digits}f}")) for height in heights]
    return _svg(texts, [*frame.axes(marks, rising, texts.across, texts.up), *_bars(frame, share, starts, size, within)])


def _bars(frame: "_Frame", share: Mapping[int, float], starts: Sequence[int], size: int, within: int) -> list[str]:
    """Return the bars, each for `size` differences from one of `starts`, as one path for each colour."""
    paths: dict[str, list[str]] = {"outside": [], "inside": []}
    gap = min(1.0, 0.15 * frame.width(size))
    for start in starts:
        height = math.fsum(share.get(z, 0.0) for z in range(start, start + size)) / size
        left, right = frame.x(start - 0.5) + gap / 2, frame.x(start + size - 0.5) - gap / 2
        colour = "inside" if abs(start + (size - 1) / 2) <= within else "outside"
        paths[colour].append(f"M{left:.1f} {frame.y(0):.1f}V{frame.y(height):.1f}H{right:.1f}V{frame.y(0):.1f}Z")
    return [f'<path class="{colour}" d="{"".join(parts)}"/>' for colour, parts in paths.items() if parts]


def curve(
    points: Sequence[tuple[float, float]], epsilon: float, delta: float, promised: str, texts: Texts, words: Words
) -> str:
    """Return a chart of delta, on a logarithmic scale, against epsilon.

    Parameters
    ----------
    points
        Pairs of epsilon and delta, by epsilon.
    epsilon, delta
        The promised point, which is marked.
    promised
        The text beside the promised point.
    texts
        The texts of the chart.
    words
        How the language writes numbers.
    """
    lowest = min((value for _, value in [*points, (epsilon, delta)] if value > 0), default=1.0)
    bottom = min(-3, max(-16, math.floor(math.log10(lowest) - 0.2)))
    frame = _Frame(0.0, points[-1][0], float(bottom), 0.3)

    def position(x: float, value: float) -> tuple[float, float]:
        return frame.x(x), frame.y(max(bottom, math.log10(value)) if value > 0 else bottom)

    line = "L".join("{:.1f} {:.1f}".format(*position(x, value)) for x, value in points)
    every = math.ceil(-bottom / 6)
    step = _step_real(points[-1][0], 6)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    across = [(k * step, words.number(f"{k * step:.{digits}f}")) for k in range(int(points[-1][0] / step + 1e-9) + 1)]
    rising = [(float(-k), "1" if k == 0 else f"1e-{k}") for k in range(0, -bottom + 1, every)]
    x, y = position(epsilon, delta)
    marked = [
        f'<path class="guide" d="M{x:.1f} {frame.y(bottom):.1f}V{y:.1f}H{frame.x(0):.1f}"/>',
        f'<path class="curve" d="M{line}"/>',
        f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="5"/>',
        f'<text class="mark" x="{x + 9:.1f}" y="{y - 8:.1f}">{promised}{"" if delta else ": 0"}</text>',
    ]
    return _svg(texts, [*frame.axes(across, rising, texts.across, texts.up), *marked])


class _Frame:
    """The area of a chart: converts numbers to coordinates."""

    def __init__(self, left: float, right: float, bottom: float, top: float) -> None:
        self.left, self.right, self.bottom, self.top = left, right, bottom, top

    def width(self, size: float) -> float:
        return (WIDTH - LEFT - RIGHT) * size / (self.right - self.left)

    def x(self, value: float) -> float:
        return LEFT + self.width(value - self.left)

    def y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.top - value) / (self.top - self.bottom)

    def axes(
        self, across: Sequence[tuple[float, str]], rising: Sequence[tuple[float, str]], below: str, above: str
    ) -> list[str]:
        """Return the grid lines and labels of both axes.

        Parameters
        ----------
        across, rising
            Positions and labels on the horizontal and the vertical axis.
        below, above
            The names of the horizontal and the vertical axis.
        """
        grid = "".join(f"M{LEFT} {self.y(value):.1f}H{WIDTH - RIGHT}" for value, _ in rising)
        base = f"M{LEFT} {self.y(self.bottom):.1f}H{WIDTH - RIGHT}"
        ticks = "".join(f"M{self.x(value):.1f} {self.y(self.bottom):.1f}v5" for value, _ in across)
        return [
            f'<path class="grid" d="{grid}"/>',
            f'<path class="axis" d="{base}{ticks}"/>',
            *(
                f'<text x="{self.x(value):.1f}" y="{HEIGHT - BOTTOM + 19}" text-anchor="middle">{label}</text>'
                for value, label in across
            ),
            *(
                f'<text x="{LEFT - 8}" y="{self.y(value) + 4:.1f}" text-anchor="end">{label}</text>'
                for value, label in rising
            ),
            f'<text class="name" x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" text-anchor="end">{below}</text>',
            f'<text class="name" x="{LEFT}" y="14">{above}</text>',
        ]


def _svg(texts: Texts, parts: Sequence[str]) -> str:
    """Return an SVG element with a title and a description."""
    name = texts.name
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{name}-title {name}-text">'
        f'<title id="{name}-title">{escape(texts.title)}</title>'
        f'<desc id="{name}-text">{escape(texts.description)}</desc>' + "".join(parts) + "</svg>"
    )


def _step(span: int, most: int) -> int:
    """Return the least of 1, 2, 5, 10, 20, ... that covers `span` in at most `most` steps."""
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            if step * most >= span:
                return step
        power *= 10


def _step_real(span: float, most: int) -> float:
    """Return the least of ..., 0.1, 0.2, 0.5, 1, ... that covers `span` in at most `most` steps."""
    power = 10.0 ** (math.floor(math.log10(span)) - 2)
    while True:
        for step in (power, 2 * power, 5 * power):
            if step * most >= span:
                return step
        power *= 10

"""Small pictures of results: inline SVG for notebooks, without any library, and axes of matplotlib.

Text and lines of a picture have the colour of the text around it, so that it can be read on light and dark pages.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from discreet.extras import require

WIDTH, HEIGHT, MARGIN = 320, 110, 18
COLOUR = "#3b7dbf"
LEAST_DELTA = 1e-16
"""A smaller delta is drawn as this one."""
MOST_POINTS = 40
"""Intervals that a small picture shows."""


def axes(given: Any) -> Any:
    """Return the axes of matplotlib to draw on: the given axes, or new axes.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.
    """
    if given is not None:
        return given
    require("matplotlib", "plots", "a plot")
    from matplotlib import pyplot

    _, panel = pyplot.subplots(layout="constrained")
    panel.spines[["top", "right"]].set_visible(False)
    return panel


def card(title: str, facts: Mapping[str, object], picture: str = "") -> str:
    """Return HTML for a notebook: a title, facts by name, and a picture. All texts are escaped."""
    rows = "".join(
        f'<tr><th style="text-align:left;padding:0 1em 0 0">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(str(fact))}</td></tr>'
        for name, fact in facts.items()
    )
    table = f'<table style="color:inherit">{rows}</table>'
    return f"<div><strong>{escape(title)}</strong>{table}{picture}</div>"


def bars(shares: Mapping[int, float], description: str) -> str:
    """Return a bar chart of the share of each number. Shares far below the largest are left out."""
    highest = max(shares.values())
    shown = {number: share for number, share in shares.items() if share >= 1e-3 * highest}
    first, last = min(shown), max(shown)
    width = (WIDTH - 2 * MARGIN) / (last - first + 1)
    path = "".join(
        f"M{MARGIN + (number - first) * width:.1f} {HEIGHT - MARGIN}"
        f"v{-_scaled(share / highest):.1f}h{max(0.8 * width, 0.5):.1f}V{HEIGHT - MARGIN}z"
        for number, share in sorted(shown.items())
    )
    left, right = (f"{end:+d}" if first < 0 else str(end) for end in (first, last))
    return _svg(f'<path fill="{COLOUR}" d="{path}"/>', left, right, description)


def curve(epsilons: Sequence[float], deltas: Sequence[float], description: str) -> str:
    """Return a chart of delta, on a logarithmic scale, against epsilon."""
    logs = [math.log10(max(delta, LEAST_DELTA)) for delta in deltas]
    lowest, widest = min(*logs, -1.0), epsilons[-1] or 1.0
    line = "L".join(
        f"{MARGIN + (WIDTH - 2 * MARGIN) * epsilon / widest:.1f} {HEIGHT - MARGIN - _scaled(1 - log / lowest):.1f}"
        for epsilon, log in zip(epsilons, logs, strict=True)
    )
    path = f'<path fill="none" stroke="{COLOUR}" stroke-width="2" d="M{line}"/>'
    return _svg(path, "epsilon 0", f"{widest:.3g}", description)


def whiskers(low: Sequence[float], middle: Sequence[float], high: Sequence[float], description: str) -> str:
    """Return a chart of intervals side by side, each with a point. Of many intervals the first are shown."""
    low, middle, high = low[:MOST_POINTS], middle[:MOST_POINTS], high[:MOST_POINTS]
    top = max([*high, *middle, 1.0])
    bottom = min([*low, *middle, 0.0])
    step = (WIDTH - 2 * MARGIN) / max(len(low), 1)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - _scaled((value - bottom) / (top - bottom))

    centres = [MARGIN + (index + 0.5) * step for index in range(len(low))]
    lines = "".join(f"M{x:.1f} {y(a):.1f}V{y(b):.1f}" for x, a, b in zip(centres, low, high, strict=True))
    points = "".join(
        f'<circle cx="{x:.1f}" cy="{y(value):.1f}" r="2.5"/>' for x, value in zip(centres, middle, strict=True)
    )
    drawn = f'<path stroke="currentColor" stroke-width="1.5" d="{lines}"/><g fill="{COLOUR}">{points}</g>'
    return _svg(drawn, "", f"0 to {top:,.0f}" if bottom == 0 else f"{bottom:,.0f} to {top:,.0f}", description)


def _scaled(share: float) -> float:
    return (HEIGHT - 2 * MARGIN) * min(max(share, 0.0), 1.0)


def _svg(drawn: str, left: str, right: str, description: str) -> str:
    style = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    axis = f'<path stroke="currentColor" opacity=".5" d="M{MARGIN} {HEIGHT - MARGIN}H{WIDTH - MARGIN}"/>'
    label = 'font-size="11" fill="currentColor" font-family="sans-serif"'
    return (
        f'<svg {style} role="img" aria-label="{escape(description)}">{drawn}{axis}'
        f'<text x="{MARGIN}" y="{HEIGHT - 4}" {label}>{escape(left)}</text>'
        f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - 4}" text-anchor="end" {label}>{escape(right)}</text></svg>'
    )

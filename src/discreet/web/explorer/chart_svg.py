"""Charts of a table as SVG: bars with intervals, a pyramid of two categories, and changes since an earlier release.

A chart is the same inside a page and as a file. Colours are attributes, which the style sheet of pages overrides with
its own classes, so that a chart follows light and dark pages. Every chart has a title and a description for screen
readers; the numbers are in the table.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from discreet.errors import ParameterError
from discreet.infer.any_table.answered_table import AnsweredTable
from discreet.infer.any_table.table_change import ChangedCells
from discreet.infer.any_table.table_question import ResolvedAxis
from discreet.labels import OTHER
from discreet.publish.cell_intervals import NO_END
from discreet.publish.display_labels import DisplayLabels
from discreet.web.explorer.documents import filters_in_words
from discreet.web.shared.language import PageTexts

MOST_BARS = 120
MOST_SERIES = 4
WIDTH, RIGHT, TOP, BOTTOM = 760, 90, 26, 30
BAR, GAP = 15, 9
LONGEST_LABEL, LETTER = 32, 7.2
"""The most letters of a label, and how wide a letter is."""

COLOURS = ("#0b5a8f", "#a8540c", "#1c6b36", "#55606e")
FONT = "13px system-ui, 'Segoe UI', Roboto, Arial, sans-serif"


@dataclass(frozen=True)
class Bar:
    """A bar: a number, and the ends of its interval (None if there is no end)."""

    value: int
    low: int | None
    high: int | None


@dataclass(frozen=True)
class Group:
    """The bars of one row of a table."""

    name: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class ChartText:
    """The texts of a chart, and how its language writes numbers."""

    title: str
    description: str
    texts: PageTexts


def table_chart(
    shown: AnsweredTable,
    changes: Mapping[str, ChangedCells] | None,
    kind: str,
    labels: DisplayLabels,
    texts: PageTexts,
    before: str | None = None,
) -> str:
    """Return a chart of a table as an SVG document.

    Parameters
    ----------
    shown, changes
        The table, and its changes since an earlier release.
    kind
        "bars", "pyramid" or "change".
    labels, texts
        What readers call everything, and the texts of the page.
    before
        What readers call the earlier release; None without one.

    Raises
    ------
    ParameterError
        The table has too many cells for a chart, or not the columns of a pyramid, or there are no changes to show.
    """
    rows, columns = _names(shown.resolved.rows, labels), _names(shown.resolved.columns, labels)
    number = len(rows) * len(columns)
    if number > MOST_BARS:
        raise ParameterError(texts("chart_too_large", bars=number, most=MOST_BARS))
    about = ChartText(
        _title(shown, before if kind == "change" else None, labels, texts), texts("chart_description"), texts
    )
    if kind == "change":
        if changes is None:
            raise ParameterError(texts("chart_needs_before"))
        own = changes["cells"]
        numbers = [
            Bar(change, low if known else None, high if known else None)
            for change, low, high, known in zip(
                own.changes.ravel().tolist(),
                own.low.ravel().tolist(),
                own.high.ravel().tolist(),
                own.known.ravel().tolist(),
                strict=True,
            )
        ]
    else:
        cells = shown.cells
        numbers = [
            Bar(count, low, None if high == NO_END else high)
            for count, low, high in zip(
                cells.counts.ravel().tolist(), cells.low.ravel().tolist(), cells.high.ravel().tolist(), strict=True
            )
        ]
    if kind == "pyramid":
        sides = _pyramid_sides(shown.resolved.columns)
        if sides is None:
            raise ParameterError(texts("chart_needs_two"))
        groups = [
            Group(name, tuple(numbers[row * len(columns) + side] for side in sides)) for row, name in enumerate(rows)
        ]
        return _pyramid(groups, [columns[side] for side in sides], about)
    if len(columns) > MOST_SERIES:
        named = [", ".join(filter(None, names)) for names in itertools.product(rows, columns)]
        return _bars(
            [Group(name, (bar,)) for name, bar in zip(named, numbers, strict=True)], [], about, kind == "change"
        )
    groups = [
        Group(name, tuple(numbers[row * len(columns) : (row + 1) * len(columns)])) for row, name in enumerate(rows)
    ]
    return _bars(groups, columns if shown.resolved.columns else [], about, kind == "change")


def _title(shown: AnsweredTable, before: str | None, labels: DisplayLabels, texts: PageTexts) -> str:
    """Return what a chart shows: its dimensions, the earlier release, and whom the filters keep."""
    axes = (*shown.resolved.rows, *shown.resolved.columns)
    title = ", ".join(labels.axis(axis.book.name, axis.level) for axis in axes) or texts("total")
    if before is not None:
        title = f"{title} \u00b7 {texts('caption_change', version=before)}"
    kept = filters_in_words(shown.resolved.question, labels)
    return f"{title} \u00b7 {texts('only')} {'; '.join(kept)}" if kept else title


def _pyramid_sides(axes: Sequence[ResolvedAxis]) -> tuple[int, int] | None:
    """Return the numbers of the two columns of a pyramid; None if there are not two declared categories."""
    if len(axes) != 1:
        return None
    declared = [number for number, label in enumerate(axes[0].labels) if label != OTHER]
    return (declared[0], declared[1]) if len(declared) == 2 else None


def can_be_pyramid(shown: AnsweredTable) -> bool:
    """Return True if the columns of a table are two categories, apart from `_other`."""
    return bool(shown.resolved.rows) and _pyramid_sides(shown.resolved.columns) is not None


def _names(axes: Sequence[ResolvedAxis], labels: DisplayLabels) -> list[str]:
    """Return the names of rows or of columns: the categories of all their dimensions."""
    named = [[labels.category(axis.book.name, label) for label in axis.labels] for axis in axes]
    return [", ".join(names) for names in itertools.product(*named)]


def _ticks(lowest: float, highest: float, most: int = 6) -> list[int]:
    """Return whole round numbers from below the lowest to above the highest, in `most` steps or one or two more."""
    span = max(highest - lowest, 1)
    step = 10 ** math.floor(math.log10(span))
    step = next(
        (own for own in (step // 5, step // 2, step, 2 * step, 5 * step) if own >= 1 and span / own <= most), 10 * step
    )
    step = max(int(step), 1)
    return list(range(math.floor(lowest / step) * step, math.ceil(highest / step) * step + 1, step))


def _shortened(name: str) -> str:
    return escape(name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1] + "\u2026")


def _document(height: float, about: ChartText, parts: Iterator[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" viewBox="0 0 {WIDTH} {height:g}"'
        f' font-family="system-ui, Segoe UI, Roboto, Arial, sans-serif" font-size="13">\n'
        f"<title>{escape(about.title)}</title>\n<desc>{escape(about.description)}</desc>\n{body}\n</svg>"
    )


def _legend(names: Sequence[str], x: float) -> Iterator[str]:
    for number, name in enumerate(names):
        yield f'<rect class="mark-{number}" fill="{COLOURS[number]}" x="{x:g}" y="4" width="11" height="11"/>'
        yield f'<text class="name" fill="#1c2430" x="{x + 16:g}" y="14">{_shortened(name)}</text>'
        x += 40 + LETTER * min(len(name), LONGEST_LABEL)


def _grid(
    ticks: Sequence[int], x_of: "_Scale", bottom: float, about: ChartText, absolute: bool = False
) -> Iterator[str]:
    for tick in ticks:
        x = x_of(tick)
        yield f'<line class="grid" stroke="#d5dbe2" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom:g}"/>'
        text = about.texts.number(abs(tick) if absolute else tick)
        yield f'<text fill="#55606e" x="{x:.1f}" y="{bottom + 17:g}" text-anchor="middle">{text}</text>'


@dataclass(frozen=True)
class _Scale:
    """Where a number is on the horizontal axis."""

    lowest: float
    highest: float
    left: float

    def __call__(self, number: float) -> float:
        share = (number - self.lowest) / max(self.highest - self.lowest, 1)
        return self.left + (WIDTH - self.left - RIGHT) * min(max(share, 0.0), 1.0)


def _whisker(x_of: _Scale, low: float, high: float, y: float) -> str:
    first, last = x_of(low), x_of(high)
    return (
        f'<path class="whisker" stroke="#1c2430" stroke-width="1.4" fill="none" d="M{first:.1f} {y - 3:g}v6'
        f'M{first:.1f} {y:g}H{last:.1f}M{last:.1f} {y - 3:g}v6"/>'
    )


def _ends(bar: Bar) -> list[int]:
    return [bar.value, *(end for end in (bar.low, bar.high) if end is not None)]


def _left(groups: Sequence[Group]) -> float:
    """Return where bars begin: right of the names of rows."""
    longest = max(min(len(group.name), LONGEST_LABEL) for group in groups)
    return 20 + LETTER * max(longest, 8)


def _row_name(group: Group, x_of: _Scale, y: float) -> str:
    name = _shortened(group.name)
    return f'<text class="name" fill="#1c2430" x="{x_of.left - 8:g}" y="{y:g}" text-anchor="end">{name}</text>'


def _bars(groups: Sequence[Group], series: Sequence[str], about: ChartText, signed: bool) -> str:
    every = [end for group in groups for bar in group.bars for end in _ends(bar)]
    ticks = _ticks(min([0, *every]), max([0, *every]))
    x_of = _Scale(ticks[0], ticks[-1], _left(groups))
    width = max(len(group.bars) for group in groups)
    bottom = TOP + len(groups) * (width * BAR + GAP)

    def parts() -> Iterator[str]:
        yield from _legend(series, x_of.left)
        yield from _grid(ticks, x_of, bottom, about)
        y = float(TOP)
        for group in groups:
            middle = y + len(group.bars) * BAR / 2 + 4
            yield _row_name(group, x_of, middle)
            for number, bar in enumerate(group.bars):
                yield from _bar(bar, number, y + 1, x_of, about, signed)
                y += BAR
            y += GAP
        zero = x_of(0)
        yield f'<line class="axis" stroke="#55606e" x1="{zero:.1f}" y1="{TOP}" x2="{zero:.1f}" y2="{bottom:g}"/>'

    return _document(bottom + BOTTOM, about, parts())


def _bar(bar: Bar, number: int, y: float, x_of: _Scale, about: ChartText, signed: bool) -> Iterator[str]:
    left, right = sorted((x_of(0), x_of(bar.value)))
    colour = f'class="mark-{number}" fill="{COLOURS[number]}"'
    yield f'<rect {colour} x="{left:.1f}" y="{y:g}" width="{right - left:.1f}" height="{BAR - 3}"/>'
    end = x_of(max(0, *_ends(bar)))
    if bar.low is not None:
        high = x_of.highest if bar.high is None else bar.high
        yield _whisker(x_of, bar.low, high, y + (BAR - 3) / 2)
        end = x_of(max(0, bar.value, high))
    text = about.texts.signed(bar.value) if signed else about.texts.number(bar.value)
    yield f'<text class="value" fill="#1c2430" x="{end + 6:.1f}" y="{y + BAR - 4:g}">{text}</text>'


def _pyramid(groups: Sequence[Group], sides: Sequence[str], about: ChartText) -> str:
    most = max([end for group in groups for bar in group.bars for end in _ends(bar)] + [1])
    ticks = _ticks(0, most, most=2)
    both = [-tick for tick in reversed(ticks[1:])] + ticks
    x_of = _Scale(both[0], both[-1], _left(groups))
    height = BAR + 6
    bottom = TOP + len(groups) * height

    def parts() -> Iterator[str]:
        yield from _legend(sides, x_of.left)
        yield from _grid(both, x_of, bottom, about, absolute=True)
        for number, group in enumerate(reversed(groups)):
            y = TOP + number * height + 3
            yield _row_name(group, x_of, y + 12)
            for side, (bar, sign) in enumerate(zip(group.bars, (-1, 1), strict=True)):
                left, right = sorted((x_of(0), x_of(sign * bar.value)))
                colour = f'class="mark-{side}" fill="{COLOURS[side]}"'
                yield f'<rect {colour} x="{left:.1f}" y="{y:g}" width="{right - left:.1f}" height="{BAR}"/>'
                high = ticks[-1] if bar.high is None else bar.high
                ends = sorted((sign * (bar.low or 0), sign * high))
                yield _whisker(x_of, ends[0], ends[1], y + BAR / 2)
        zero = x_of(0)
        yield f'<line class="axis" stroke="#55606e" x1="{zero:.1f}" y1="{TOP}" x2="{zero:.1f}" y2="{bottom:g}"/>'

    return _document(bottom + BOTTOM, about, parts())

"""A table as a grid of headings and cells, with every text as the language of the reader writes it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from discreet.infer.any_table.answered_table import AnsweredTable
from discreet.infer.any_table.counted_cells import CountedCells
from discreet.infer.any_table.table_change import ChangedCells
from discreet.infer.any_table.table_question import ResolvedAxis
from discreet.publish.cell_intervals import NO_END
from discreet.publish.display_labels import DisplayLabels
from discreet.web.shared.language import PageTexts


@dataclass(frozen=True)
class Heading:
    """A heading of rows or columns, and how many of them it spans."""

    text: str
    span: int = 1
    is_total: bool = False


class GridCell(NamedTuple):
    """A cell: its count, its interval and its change in words, and whether it is mostly noise."""

    number: str = ""
    interval: str = ""
    before: str = ""
    change: str = ""
    is_noisy: bool = False
    is_total: bool = False


@dataclass(frozen=True)
class GridRow:
    """A row: its headings, without those that a row above spans, and its cells."""

    headings: list[Heading]
    cells: list[GridCell]
    is_total: bool = False


@dataclass(frozen=True)
class TableGrid:
    """A table for a page.

    Attributes
    ----------
    corner
        The names of the dimensions in rows.
    column_names
        The names of the dimensions in columns.
    head
        The headings of columns, a list for each dimension.
    rows
        The rows, with the totals.
    has_noise
        True if a cell is mostly noise.
    """

    corner: list[str]
    column_names: list[str]
    head: list[list[Heading]]
    rows: list[GridRow] = field(default_factory=list)

    @property
    def has_noise(self) -> bool:
        return any(cell.is_noisy for row in self.rows for cell in row.cells)


def table_grid(
    shown: AnsweredTable,
    changes: Mapping[str, ChangedCells] | None,
    earlier: AnsweredTable | None,
    labels: DisplayLabels,
    texts: PageTexts,
    intervals: bool,
) -> TableGrid:
    """Return a table as a grid.

    Parameters
    ----------
    shown
        The table.
    changes, earlier
        The changes since an earlier release, and its table; None for no change.
    labels, texts
        What readers call everything, and how their language writes numbers.
    intervals
        True to show intervals.
    """
    row_axes, column_axes = shown.resolved.rows, shown.resolved.columns
    number_of_rows, number_of_columns = shown.resolved.shape
    old = {} if earlier is None else earlier.blocks
    cells = {
        name: _cells(block, None if changes is None else changes.get(name), old.get(name), texts, intervals)
        for name, block in shown.blocks.items()
    }
    body = [cells["cells"][row * number_of_columns :][:number_of_columns] for row in range(number_of_rows)]
    head = _column_heads(column_axes, labels, texts, "row_totals" in cells or (not row_axes and "total" in cells))
    rows = []
    for row, headings in enumerate(_row_headings(row_axes, labels, texts)):
        end = _marked(cells["row_totals"][row : row + 1]) if "row_totals" in cells else []
        if not row_axes and column_axes and "total" in cells:
            end = _marked(cells["total"])
        rows.append(GridRow(headings, [*body[row], *end]))
    if row_axes and "total" in cells:
        last = _marked([*cells.get("column_totals", []), *cells["total"]])
        if column_axes and "column_totals" not in cells:
            last = [*(GridCell(is_total=True) for _ in range(number_of_columns)), *last]
        if column_axes and "row_totals" not in cells:
            last = last[:number_of_columns]
        rows.append(GridRow([Heading(texts("total"), len(row_axes), is_total=True)], last, is_total=True))
    return TableGrid(
        [labels.axis(axis.book.name, axis.level) for axis in row_axes] or [""],
        [labels.axis(axis.book.name, axis.level) for axis in column_axes],
        head,
        rows,
    )


def _names(axis: ResolvedAxis, labels: DisplayLabels) -> list[str]:
    return [labels.category(axis.book.name, label) for label in axis.labels]


def _column_heads(
    axes: Sequence[ResolvedAxis], labels: DisplayLabels, texts: PageTexts, has_totals: bool
) -> list[list[Heading]]:
    if not axes:
        return [[Heading(texts("count"))]]
    heads = []
    for number, axis in enumerate(axes):
        before, after = (math.prod(len(own.labels) for own in part) for part in (axes[:number], axes[number + 1 :]))
        heads.append([Heading(name, after) for _ in range(before) for name in _names(axis, labels)])
    if has_totals:
        heads[0].append(Heading(texts("total"), 1, is_total=True))
    return heads


def _row_headings(axes: Sequence[ResolvedAxis], labels: DisplayLabels, texts: PageTexts) -> Iterator[list[Heading]]:
    """Yield the headings of every row. A heading that spans several rows is with the first of them."""
    if not axes:
        yield [Heading(texts("all_people"))]
        return
    names = [_names(axis, labels) for axis in axes]
    sizes = [math.prod(map(len, names[number + 1 :])) for number in range(len(names))]
    for row in range(math.prod(map(len, names))):
        yield [
            Heading(own[row // size % len(own)], size)
            for own, size in zip(names, sizes, strict=True)
            if row % size == 0
        ]


def _marked(cells: Sequence[GridCell]) -> list[GridCell]:
    return [cell._replace(is_total=True) for cell in cells]


def _intervals_in_words(low: list[int], high: list[int], texts: PageTexts) -> list[str]:
    """Return intervals as a reader reads them."""
    lows, highs = texts.whole_numbers(low), texts.whole_numbers(high)
    return [
        texts("or_more", low=first) if end == NO_END else f"{first}\u2013{last}"
        for first, last, end in zip(lows, highs, high, strict=True)
    ]


def _cells(
    block: CountedCells, changed: ChangedCells | None, old: CountedCells | None, texts: PageTexts, intervals: bool
) -> list[GridCell]:
    flat: list[list[Any]] = [values.ravel().tolist() for values in (block.counts, block.low, block.high, block.noisy)]
    before = [""] * len(flat[0]) if old is None else texts.whole_numbers(old.counts.ravel().tolist())
    change = [""] * len(flat[0]) if changed is None else _changes_in_words(changed, texts)
    ends = _intervals_in_words(flat[1], flat[2], texts) if intervals else [""] * len(flat[0])
    return list(map(GridCell, texts.whole_numbers(flat[0]), ends, before, change, flat[3]))


def _changes_in_words(changed: ChangedCells, texts: PageTexts) -> list[str]:
    """Return changes with their intervals. An arrow marks changes that noise does not explain."""
    columns: list[list[Any]] = [
        values.ravel().tolist() for values in (changed.changes, changed.low, changed.high, changed.known, changed.clear)
    ]
    words = []
    for change, low, high, known, clear in zip(*columns, strict=True):
        arrow = ("\u25b2 " if change > 0 else "\u25bc ") if clear else ""
        ends = texts("from_to", low=texts.signed(low), high=texts.signed(high)) if known else texts("not_known")
        words.append(f"{arrow}{texts.signed(change)} ({ends})")
    return words

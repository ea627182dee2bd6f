"""A published table as HTML: every count with its interval.

The last dimension that is short is across; the other dimensions are down. Totals come last. Totals are published
margins, never sums of the rows. A dash stands where no count was published.
"""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.labels import TOTAL
from discreet.plan.layout import GroupingAxis
from discreet.plan.sections import TableSpec
from discreet.publish.cell_intervals import NO_END
from discreet.publish.display_labels import DisplayLabels
from discreet.publish.report._html import label
from discreet.publish.table_files import Margins

MOST_COLUMNS = 12
LONG = 24
"""Tables with more rows are collapsed."""

MOST_COUNTS = 20_000
"""Counts of one table that are shown. The files have the others."""

UNPUBLISHED = -1


def table_grid(labels: DisplayLabels, table: TableSpec, margins: Margins) -> str:
    """Return all groupings of a table as one HTML table.

    Parameters
    ----------
    labels
        The words for readers.
    table
        The section of the specification.
    margins
        The groupings of the table, the finest first, each with its counts and the ends of their intervals.
    """
    words, axes = labels.words, margins[0][0].axes
    across = _across(axes)
    down = [axis for axis in axes if axis is not across]
    ordered = down if across is None else [*down, across]
    cube = _cube(ordered, margins)
    if across is None:
        cube = [numbers[..., None] for numbers in cube]
    is_shown = (cube[0] != UNPUBLISHED).any(axis=-1)
    columns = np.flatnonzero((cube[0] != UNPUBLISHED).reshape(-1, cube[0].shape[-1]).any(axis=0))
    row_count, most_rows = int(is_shown.sum()), max(1, MOST_COUNTS // len(columns))
    rows = "".join(itertools.islice(_rows(labels, down, [numbers[..., columns] for numbers in cube]), most_rows))
    caption = _caption(labels, axes)
    grid = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label(labels.table(table.name))}"><table>'
        f'<caption>{caption}</caption><thead>{_head(labels, down, across, columns)}</thead><tbody class="counts">{rows}'
        "</tbody></table></div>"
    )
    if row_count > most_rows:
        note = words("first_rows", shown=words.number(most_rows), rows=words.number(row_count))
        grid += f'<p class="note">{note}</p>'
    if row_count <= LONG:
        return grid
    summary = f"{caption}. {words('show_rows', rows=words.number(min(row_count, most_rows)))}"
    return f"<details><summary>{summary}</summary>{grid}</details>"


def heading(labels: DisplayLabels, axis: GroupingAxis) -> str:
    """Return the name of a dimension as HTML, with its level if that is not the finest."""
    return label(labels.dimension(axis.book.name)) + (f" ({label(axis.level)})" if axis.level else "")


def _across(axes: Sequence[GroupingAxis]) -> GroupingAxis | None:
    """Return the axis whose categories are columns: the last one that is short. A single axis is down."""
    if len(axes) < 2:
        return None
    return next((axis for axis in reversed(axes) if len(axis.labels) <= MOST_COLUMNS), None)


def _cube(axes: Sequence[GroupingAxis], margins: Margins) -> list[Integers]:
    """Return counts and the ends of intervals as arrays that have totals as the last entry of each axis."""
    cube = [np.full([len(axis.labels) + 1 for axis in axes], UNPUBLISHED, dtype=np.int64) for _ in range(3)]
    for grouping, columns in margins:
        names = [axis.book.name for axis in grouping.axes]
        order = [names.index(axis.book.name) for axis in axes if axis.book.name in names]
        selection = tuple(slice(-1) if axis.book.name in names else -1 for axis in axes)
        for numbers, column in zip(cube, columns, strict=True):
            numbers[selection] = np.transpose(column, order)
    return cube


def _caption(labels: DisplayLabels, axes: Sequence[GroupingAxis]) -> str:
    headings = " × ".join(heading(labels, axis) for axis in axes)
    return labels.words("counts_by", dimensions=headings) if headings else labels.words("one_count")


def _head(labels: DisplayLabels, down: Sequence[GroupingAxis], across: GroupingAxis | None, columns: Integers) -> str:
    """Return the row of column headings."""
    heads = [f'<th scope="col">{heading(labels, axis)}</th>' for axis in down]
    if across is None:
        heads.append(f'<th scope="col" class="n">{labels.words("count")}</th>')
    else:
        for name in ((*across.labels, TOTAL)[column] for column in columns):
            text = label(labels.category(across.book.name, name))
            heads.append(f'<th scope="col" class="n{" total" if name == TOTAL else ""}">{text}</th>')
    return f"<tr>{''.join(heads)}</tr>"


def _rows(labels: DisplayLabels, down: Sequence[GroupingAxis], cube: Sequence[Integers]) -> Iterator[str]:
    """Yield the rows that have a published count."""
    names = [
        [label(labels.category(axis.book.name, name)) for name in (*axis.labels, TOTAL)] for axis in down
    ]  # one list for each dimension that is down
    counts, low, high = cube
    for index in np.ndindex(counts.shape[:-1]):
        if (counts[index] == UNPUBLISHED).all():
            continue
        is_total = any(i == len(axis.labels) for axis, i in zip(down, index, strict=True))
        heads = "".join(f'<th scope="row">{own[i]}</th>' for own, i in zip(names, index, strict=True))
        numbers = zip(counts[index].tolist(), low[index].tolist(), high[index].tolist(), strict=True)
        cells = "".join(_cell(labels, *cell) for cell in numbers)
        row_class = ' class="total"' if is_total else ""
        yield f"<tr{row_class}>{heads}{cells}</tr>"


def _cell(labels: DisplayLabels, count: int, low: int, high: int) -> str:
    """Return a count with its interval below. A count that is fixed has no interval."""
    number = labels.words.number
    if count == UNPUBLISHED:
        return "<td>–</td>"
    if low == high:
        return f"<td>{number(count)}</td>"
    interval = f"≥\u00a0{number(low)}" if high == NO_END else f"{number(low)}–{number(high)}"
    return f"<td>{number(count)}<small>{interval}</small></td>"

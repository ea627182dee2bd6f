"""The first rows of a table, as HTML. A short dimension is across; the other dimensions are down.

Totals are published margins, never sums of the rows.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.plan.layout import Grouping, GroupingAxis
from discreet.plan.sections import TableSpec
from discreet.publish.report._html import label

MOST_ROWS, MOST_COLUMNS = 30, 12


def preview(table: TableSpec, margins: Sequence[tuple[Grouping, Integers]]) -> str:
    """Return the first rows of the finest grouping of a table, with its published totals.

    Parameters
    ----------
    table
        The section of the specification.
    margins
        The groupings of the table, the finest first, each with its counts.
    """
    published = {_names(grouping.axes): counts for grouping, counts in margins}
    axes = margins[0][0].axes
    across = _across(axes)
    down = [axis for axis in axes if axis is not across]
    row_count = int(np.prod([len(axis.labels) for axis in down], dtype=np.int64))
    content = [*itertools.islice(_rows(down, across, published, _names(axes)), MOST_ROWS)]
    bottom = _bottom(down, across, published) if down else []
    note = ""
    if row_count > len(content):
        note = f'<p class="note">The first {len(content)} of {row_count:,} rows.</p>'
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label(table.name)}"><table>'
        f"<caption>{_caption(axes)}</caption>"
        f"<thead>{_head(down, across, published)}</thead><tbody>{''.join([*content, *bottom])}</tbody></table></div>"
        + note
    )


def heading(axis: GroupingAxis) -> str:
    """Return the name of a dimension as HTML, with its level if that is not the finest."""
    return label(axis.book.name) + (f" ({label(axis.level)})" if axis.level else "")


def _across(axes: Sequence[GroupingAxis]) -> GroupingAxis | None:
    """Return the axis whose categories are columns: the last if it is short, or else the first of two."""
    if len(axes) < 2:
        return None
    choices = [axes[1], axes[0]] if len(axes) == 2 else [axes[-1]]
    return next((axis for axis in choices if len(axis.labels) <= MOST_COLUMNS), None)


def _caption(axes: Sequence[GroupingAxis]) -> str:
    headings = [heading(axis) for axis in axes]
    listed = " and ".join([", ".join(headings[:-1]), headings[-1]] if len(headings) > 1 else headings)
    return f"Counts by {listed}" if headings else "One count"


def _head(
    down: Sequence[GroupingAxis], across: GroupingAxis | None, published: Mapping[tuple[str, ...], Integers]
) -> str:
    """Return the row of column headings."""
    heads = [f'<th scope="col">{heading(axis)}</th>' for axis in down]
    if across is None:
        columns = ['<th scope="col" class="n">count</th>']
    else:
        columns = [f'<th scope="col" class="n">{label(name)}</th>' for name in across.labels]
        if _names(down) in published:
            columns.append('<th scope="col" class="n total">Total</th>')
    return f"<tr>{''.join([*heads, *columns])}</tr>"


def _rows(
    down: Sequence[GroupingAxis],
    across: GroupingAxis | None,
    published: Mapping[tuple[str, ...], Integers],
    names: tuple[str, ...],
) -> Iterator[str]:
    """Yield the rows of the finest grouping, whose dimensions are `names`."""
    finest = published[names]
    order = [names.index(axis.book.name) for axis in down]
    if across is not None:
        order.append(names.index(across.book.name))
    finest = np.transpose(finest, order)
    totals = published.get(_names(down)) if across is not None else None
    for index in np.ndindex(*(len(axis.labels) for axis in down)):
        heads = [label(axis.labels[i]) for axis, i in zip(down, index, strict=True)]
        yield _row(heads, np.atleast_1d(finest[index]), None if totals is None else f"{totals[index]:,}")


def _bottom(
    down: Sequence[GroupingAxis], across: GroupingAxis | None, published: Mapping[tuple[str, ...], Integers]
) -> list[str]:
    """Return the row of totals in a list, which is empty if the totals were not published."""
    columns = published.get(() if across is None else (across.book.name,))
    if columns is None:
        return []
    corner = None
    if across is not None and _names(down) in published:
        corner = f"{published[()]:,}" if () in published else ""
    row = _row(["Total", *[""] * (len(down) - 1)], np.atleast_1d(columns), corner)
    return [row.replace("<tr>", '<tr class="total">', 1)]


def _row(heads: Sequence[str], counts: Integers, total: str | None) -> str:
    cells = [f'<th scope="row">{head}</th>' if head else "<td></td>" for head in heads]
    cells.extend(f"<td>{count:,}</td>" for count in counts.tolist())
    if total is not None:
        cells.append(f'<td class="total">{total}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _names(axes: Sequence[GroupingAxis]) -> tuple[str, ...]:
    return tuple(axis.book.name for axis in axes)

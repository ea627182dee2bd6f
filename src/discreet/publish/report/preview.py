"""The first rows of a table, as HTML: one dimension across where it is short, the others down.

Totals are the margins that were published, never sums made here.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.plan.layout import Grouping, GroupingAxis
from discreet.plan.sections import TableSpec
from discreet.publish.report.html import label

MOST_ROWS, MOST_COLUMNS = 30, 12


def preview(table: TableSpec, parts: Sequence[tuple[Grouping, Integers]]) -> str:
    """A table's finest grouping, cut to its first rows, with the totals that were published for it."""
    published = {tuple(side.book.name for side in grouping.axes): counts for grouping, counts in parts}
    sides = parts[0][0].axes
    across = _across(sides)
    down = [side for side in sides if side is not across]
    whole = int(np.prod([len(side.labels) for side in down], dtype=np.int64))
    content = [*itertools.islice(_rows(down, across, published, [side.book.name for side in sides]), MOST_ROWS)]
    bottom = _bottom(down, across, published) if down else []
    note = ""
    if whole > len(content):
        note = f'<p class="note">The first {len(content)} of {whole:,} rows.</p>'
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label(table.name)}"><table>'
        f"<caption>{_caption(table, sides)}</caption>"
        f"<thead>{_head(down, across, published)}</thead><tbody>{''.join([*content, *bottom])}</tbody></table></div>"
        + note
    )


def heading(side: GroupingAxis) -> str:
    """A dimension, and its level where that is not the finest."""
    return label(side.book.name) + (f" ({label(side.level)})" if side.level else "")


def _across(sides: Sequence[GroupingAxis]) -> GroupingAxis | None:
    """The dimension whose categories are columns: the last, or the first of two, if it is short."""
    if len(sides) < 2:
        return None
    choices = [sides[1], sides[0]] if len(sides) == 2 else [sides[-1]]
    return next((side for side in choices if len(side.labels) <= MOST_COLUMNS), None)


def _caption(table: TableSpec, sides: Sequence[GroupingAxis]) -> str:
    by = [heading(side) for side in sides]
    listed = " and ".join([", ".join(by[:-1]), by[-1]] if len(by) > 1 else by)
    return f"Counts by {listed}" if by else "One count"


def _head(
    down: Sequence[GroupingAxis], across: GroupingAxis | None, published: Mapping[tuple[str, ...], Integers]
) -> str:
    heads = [f'<th scope="col">{heading(side)}</th>' for side in down]
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
    names: Sequence[str],
) -> Iterator[str]:
    finest = published[tuple(names)]
    order = [names.index(side.book.name) for side in down]
    if across is not None:
        order.append(names.index(across.book.name))
    finest = np.transpose(finest, order)
    totals = published.get(_names(down)) if across is not None else None
    for place in np.ndindex(*(len(side.labels) for side in down)):
        heads = [label(side.labels[at]) for side, at in zip(down, place, strict=True)]
        yield _row(heads, np.atleast_1d(finest[place]), None if totals is None else f"{totals[place]:,}")


def _bottom(
    down: Sequence[GroupingAxis], across: GroupingAxis | None, published: Mapping[tuple[str, ...], Integers]
) -> list[str]:
    """The row of totals, where those were published."""
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


def _names(sides: Sequence[GroupingAxis]) -> tuple[str, ...]:
    return tuple(side.book.name for side in sides)

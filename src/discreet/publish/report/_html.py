"""Pieces of HTML. A text from the specification goes through `label`, so that it cannot be markup."""

import itertools
from collections.abc import Iterable, Sequence
from html import escape

LONGEST = 80
MOST_LABELS = 40
NOTHING = "–"
"""Stands in a table where there is no number."""


def label(text: str, longest: int = LONGEST) -> str:
    """Return a text as HTML, cut to `longest` characters."""
    return escape(text if len(text) <= longest else text[: longest - 1] + "…")


def several(labels: Iterable[str]) -> str:
    """Return the first labels, separated by commas. No label changes the writing direction of the next."""
    first = [f"<bdi>{label(text)}</bdi>" for text in itertools.islice(labels, MOST_LABELS + 1)]
    return ", ".join(first[:MOST_LABELS]) + (", …" if len(first) > MOST_LABELS else "")


def whole(text: str) -> str:
    """Return a text that stays on one line. A line may otherwise end within 9.829e-7."""
    return f'<span class="whole">{text}</span>'


def link(name: str) -> str:
    """Return a link to a file of the folder."""
    return f'<a href="{escape(name)}">{escape(name)}</a>'


def section(name: str, heading: str, content: str) -> str:
    """Return a section of the page. Its heading has the id `name`, which the contents link to."""
    return f'<section aria-labelledby="{name}"><h2 id="{name}">{heading}</h2>{content}</section>'


def grid(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: int) -> str:
    """Return an HTML table.

    Parameters
    ----------
    caption
        The caption, also for screen readers.
    heads
        The headings of the columns.
    rows
        The cells of each row, as HTML. The first cell is the heading of its row.
    numeric
        How many columns at the end hold numbers.
    """
    first_number = len(heads) - numeric
    names = [f'<th scope="col">{head}</th>' for head in heads[:first_number]]
    names.extend(f'<th scope="col" class="n">{head}</th>' for head in heads[first_number:])
    body = []
    for row in rows:
        cells = [f'<td class="text">{text}</td>' for text in row[1:first_number]]
        cells.extend(f"<td>{text}</td>" for text in row[first_number:])
        body.append(f'<tr><th scope="row">{row[0]}</th>{"".join(cells)}</tr>')
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table><caption>{caption}</caption>'
        f"<thead><tr>{''.join(names)}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )

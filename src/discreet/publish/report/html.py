"""Pieces of HTML. A text that comes from outside goes through `label`, and so cannot be markup."""

import itertools
from collections.abc import Iterable, Sequence
from html import escape

LONGEST = 80
MOST_LABELS = 40


def label(text: str, longest: int = LONGEST) -> str:
    """A label as HTML, cut where it is very long."""
    return escape(text if len(text) <= longest else text[: longest - 1] + "…")


def several(labels: Iterable[str]) -> str:
    """Labels in a row, the first of very many; none changes the direction of the next."""
    first = [f"<bdi>{label(text)}</bdi>" for text in itertools.islice(labels, MOST_LABELS + 1)]
    return ", ".join(first[:MOST_LABELS]) + (", …" if len(first) > MOST_LABELS else "")


def grid(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: int) -> str:
    """A table of HTML texts; the last `numeric` columns are numbers, the first names its row."""
    first = len(heads) - numeric
    names = [f'<th scope="col">{head}</th>' for head in heads[:first]]
    names.extend(f'<th scope="col" class="n">{head}</th>' for head in heads[first:])
    body = []
    for row in rows:
        cells = [f'<td class="text">{text}</td>' for text in row[1:first]] + [
            f"<td>{text}</td>" for text in row[first:]
        ]
        joined = "".join(cells)
        body.append(f'<tr><th scope="row">{row[0]}</th>{joined}</tr>')
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}"><table><caption>{caption}</caption>'
        f"<thead><tr>{''.join(names)}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )

"""`discreet preview SPEC`: what a specification counts, printed for the steward only."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table as Grid
from rich.text import Text

from discreet.cli import _show
from discreet.labels import OTHER

if TYPE_CHECKING:
    from discreet.prepare.preview_counts import DimensionPreview, Preview

MOST_LEAVES = 40
"""Categories of a dimension that are printed."""

LARGE_SHARE = 0.05
"""A share of rows in `_other` from which on it is printed in yellow."""

PRIVATE = (
    "PRIVATE: these are true counts of people. For the steward's eyes only; nothing was written. Do not publish them."
)


def preview(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The specification of a release: a YAML file.")],
) -> None:
    """Print how many rows each declared category takes, and which values are not declared. For the steward only.

    Nothing is written, no noise is added and no budget is spent. Nothing that `discreet release` prints depends on the
    data, so this command shows if a category is spelled otherwise in the data. What is printed holds the truth.
    """
    from discreet.prepare.preview_counts import preview as preview_of  # the engines take a while to load

    with _show.waiting("counting"):
        counts = preview_of(spec)
    _show.console.print(PRIVATE, style="bold red", markup=False)
    _print_rows(counts)
    for dimension in counts.dimensions:
        _print_dimension(dimension, counts.rows - counts.without_id)
    if counts.marked:
        _show.console.print(
            f"\nfound in the data, so a release promises nothing: {', '.join(counts.marked)}. Check them, and replace"
            " `found: data` by `source: ...`",
            style="bold yellow",
            markup=False,
        )
    without_other = [dimension.name for dimension in counts.dimensions if not dimension.other]
    if without_other:
        _show.console.print(
            f"\nnobody is {OTHER} of {_ten(without_other)}, and the release will state a few: no count is below 0, so a"
            " true 0 comes out too high on average. If the codebook can give no other and no missing value, whatever"
            f" data come, leave {OTHER} out: name the categories in the filter of the table, or set count: 0 under"
            " fixed. Do not do it because you see 0 here.",
            markup=False,
        )
    _show.console.print(
        "\nDeclare what the questionnaire has, not what you see here. What is chosen because of the data is not covered"
        " by the promise.\n" + PRIVATE,
        style="bold red",
        markup=False,
    )


def _print_rows(counts: "Preview") -> None:
    unit = "every row is a person" if counts.unit is None else f"each {counts.unit} is a person"
    lines = [f"rows             {counts.rows:,}; {unit}"]
    if counts.unit is not None:
        lines.append(f"without id       {_share(counts.without_id, counts.rows)}: they do not count")
        most = f"{counts.contributions} {'row' if counts.contributions == 1 else 'rows'}"
        share, people = _share(counts.beyond, counts.rows), f"{counts.people_beyond:,} people"
        lines.append(f"beyond {most:9} {share}, of {people}: they do not count")
    _show.console.print("\n".join(lines), markup=False)


def _print_dimension(dimension: "DimensionPreview", rows: int) -> None:
    """Print the rows of each leaf, the share of `_other`, and the values that cause it."""
    _show.console.print(
        f"\n{_printable(dimension.name)} (column {_printable(dimension.column)})", style="bold", markup=False
    )
    grid = Grid(box=None, pad_edge=False)
    grid.add_column("declared", overflow="fold")
    grid.add_column("rows", justify="right")
    grid.add_column("share", justify="right")
    leaves = [(leaf, times) for leaf, times in dimension.rows.items() if leaf != OTHER]
    for leaf, times in leaves[:MOST_LEAVES]:
        grid.add_row(Text(_printable(leaf)), f"{times:,}", _percent(times, rows))
    rest = leaves[MOST_LEAVES:]
    if rest:
        times = sum(times for _, times in rest)
        grid.add_row(f"... and {len(rest):,} more", f"{times:,}", _percent(times, rows))
    grid.add_row(OTHER, f"{dimension.other:,}", _percent(dimension.other, rows))
    _show.console.print(grid)
    empty = [leaf for leaf, times in leaves if times == 0]
    if empty:
        _show.console.print(f"  declared, and in no row: {_ten(empty)}", markup=False)
    for level, left in dimension.in_no_group.items():
        _show.console.print(
            f"  in no group of level {_quoted(level)}, and counted as its {OTHER}: {_ten(left)}",
            style="bold yellow",
            markup=False,
        )
    if not dimension.other:
        return
    style = "bold yellow" if dimension.other > LARGE_SHARE * rows else None
    _show.console.print(f"  {_percent(dimension.other, rows)} of the rows are {OTHER}:", style=style, markup=False)
    if dimension.missing:
        _show.console.print(f"    {dimension.missing:,} rows have no value", markup=False)
    last_reason = None
    for undeclared in dimension.undeclared:
        how_often = f"{undeclared.rows:,} {'time' if undeclared.rows == 1 else 'times'}"
        reason = "the same" if undeclared.reason == last_reason else undeclared.reason
        _show.console.print(f"    {_quoted(undeclared.value)} was found {how_often}; {reason}", markup=False)
        last_reason = undeclared.reason
    if dimension.more:
        _show.console.print("    ... and other values, each less often", markup=False)


def _ten(labels: Sequence[str]) -> str:
    """Return the first ten labels, and how many more there are."""
    return ", ".join(map(_quoted, labels[:10])) + (f" and {len(labels) - 10:,} more" if len(labels) > 10 else "")


def _share(times: int, rows: int) -> str:
    return f"{times:,} rows ({_percent(times, rows)})"


def _percent(times: int, rows: int) -> str:
    return f"{100 * times / max(rows, 1):.1f} %"


def _printable(text: str) -> str:
    """Return a text that a terminal shows as it is."""
    return "".join(character if character.isprintable() else " " for character in text)[:200]


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")

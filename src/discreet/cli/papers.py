"""`discreet papers NAME`: every item of a paper, what it claims, and what Discreet computes."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from discreet.cli import _show as show
from discreet.errors import ParameterError
from discreet.extras import require
from discreet.papers.claim import Claim
from discreet.papers.figure import Figure
from discreet.papers.page import shown_by, summary, value_text
from discreet.papers.register import NAMES, Item, Paper, load
from discreet.papers.wording import RULE

WIDE = 140
"""Columns of a terminal from which on the register has six columns."""


def papers(
    name: Annotated[str, typer.Argument(metavar="NAME", help=" or ".join(NAMES))],
    figures: Annotated[
        str | None,
        typer.Option(
            "--figures", "-o", metavar="DIR", help="Draw the figures into this folder, each with its data as CSV."
        ),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(
            "--figure", metavar="NUMBER", help="Draw this figure alone, such as 8b; may be given several times."
        ),
    ] = None,
    adult: Annotated[
        str | None, typer.Option(metavar="FILE", help="The UCI Adult data (CSV or CSV.gz), for Cormode 2019.")
    ] = None,
) -> None:
    """Show every item of a paper, and recompute every number that the paper prints."""
    paper = load(name)
    if adult is not None:
        if not Path(adult).is_file():
            raise ParameterError(f"adult is {adult!r}, which is no file; give the path of the UCI Adult data")
        paper = paper.with_data(Path(adult))
    if figures is not None and not figures.strip():
        raise ParameterError(f"figures is {figures!r}, which names no folder; give the path of a folder")
    if figure and figures is None:
        raise ParameterError(f"figure is {figure[0]!r} and there is no folder to draw it into; give --figures DIR too")
    drawn = [paper.figure(number) for number in dict.fromkeys(figure)] if figure else list(paper.figures)
    if figures is not None:
        require("matplotlib", "plots", "discreet papers --figures")
        named = [(f"{paper.name}_figure_{each.number}", each) for each in drawn]
        import_module("discreet.papers.draw").new_files([stem for stem, _ in named], Path(figures))
    if not figure:
        _show(paper)
    if figures is not None:
        _draw(paper, named, Path(figures))


def _show(paper: Paper) -> None:
    claims: list[Claim] = []
    with show.progress() as tell:
        for number, compute in enumerate(paper.claims):
            tell(f"recomputing {paper.name}", number / len(paper.claims))
            claims += compute()
    show.console.print(paper.citation, style="bold", markup=False)
    show.console.print(_register(paper.items, claims))
    show.console.print(RULE, markup=False)
    show.console.print(_claims(claims))
    for claim in claims:
        if claim.note:
            show.console.print(f"{claim.item}: {claim.note}", markup=False)
    show.console.print(summary(claims), style="bold", markup=False)


def _register(items: Sequence[Item], claims: Sequence[Claim]) -> Grid:
    """Return the register. On a narrow terminal the last two columns stand below what the item says."""
    wide = show.console.width >= WIDE
    grid = Grid(title="The register", title_justify="left", box=SIMPLE_HEAD)
    heads = (
        ("what it says", "verdict", "in Discreet", "shown by")
        if wide
        else ("what it says, in Discreet, shown by", "verdict")
    )
    for head in ("item", "where", *heads):
        grid.add_column(head, overflow="fold")
    for item in items:
        verdict = f"[red]{item.verdict}[/red]" if item.verdict in ("fails", "misprint") else item.verdict
        name, where, says, api, shown = map(
            _escaped, (item.name, item.section, item.says, item.api, shown_by(item, claims))
        )
        if wide:
            grid.add_row(name, where, says, verdict, api, shown)
        else:
            lines = [says, f"in Discreet: {api}" if api else "", f"shown by: {shown}"]
            grid.add_row(name, where, "\n".join(filter(None, lines)), verdict, end_section=True)
    return grid


def _claims(claims: Sequence[Claim]) -> Grid:
    grid = Grid(title="The claims", title_justify="left", box=SIMPLE_HEAD)
    for head in ("item", "claim", "kind"):
        grid.add_column(head, overflow="fold")
    for head in ("paper", "ours"):
        grid.add_column(head, justify="right", overflow="fold")
    grid.add_column("agrees", justify="center")
    for claim in claims:
        texts = (claim.item, claim.what, claim.kind, value_text(claim.paper), value_text(claim.ours))
        grid.add_row(*map(_escaped, texts), "yes" if claim.agrees else "[red]no[/red]")
    return grid


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")


def _draw(paper: Paper, figures: Sequence[tuple[str, Figure]], folder: Path) -> None:
    draw = import_module("discreet.papers.draw")
    with show.progress() as tell:
        paths = draw.write(figures, folder, lambda done: tell(f"drawing the figures of {paper.name}", done))
    for path in paths:
        show.console.print(f"written: {path}", markup=False)

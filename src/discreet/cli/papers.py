"""`discreet papers NAME`: what a paper claims, next to what we compute."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from discreet.cli import show
from discreet.errors import OutputError, ParameterError
from discreet.extras import require

NAMES = ("cormode2019", "kadam2024", "sadeghi2020", "sadeghi2023", "wang2020")


def papers(
    name: Annotated[str, typer.Argument(metavar="NAME", help=" or ".join(NAMES))],
    figures: Annotated[
        str | None, typer.Option("--figures", "-o", metavar="DIR", help="Draw the paper's figures into this folder.")
    ] = None,
    adult: Annotated[
        str | None, typer.Option(metavar="FILE", help="The UCI Adult data (CSV or CSV.gz), for Cormode 2019.")
    ] = None,
) -> None:
    """Recompute every number a paper prints: claim, paper, ours, agrees."""
    if name not in NAMES:
        raise ParameterError(f"the paper is {name!r}; choose from {', '.join(NAMES)}")
    if adult is not None and (name != "cormode2019" or not Path(adult).is_file()):
        raise ParameterError(f"adult is {adult!r}; give the path of the data file, with cormode2019")
    require("matplotlib", "plots", "discreet papers")
    module = import_module(f"discreet.papers.{name}")
    with show.console.status(f"recomputing {name}"):
        claims = module.claims(adult) if adult is not None else module.claims()
    grid = Grid(title=(module.__doc__ or name).splitlines()[0], title_justify="left", box=SIMPLE_HEAD)
    for head, justify in (
        ("where", "left"),
        ("claim", "left"),
        ("paper", "right"),
        ("ours", "right"),
        ("agrees", "center"),
    ):
        grid.add_column(head, justify=justify)  # type: ignore[arg-type]
    for claim in claims:
        grid.add_row(
            claim.where,
            claim.what,
            "" if claim.paper is None else _text(claim.paper),
            _text(claim.ours),
            "yes" if claim.agrees else "[red]no[/red]",
        )
    show.console.print(grid)
    for claim in claims:
        if claim.note:
            show.console.print(f"{claim.where}: {claim.note}", markup=False)
    agreed = sum(claim.agrees for claim in claims)
    show.console.print(f"{agreed} of {len(claims)} claims reproduce", style="bold")
    if figures is not None:
        folder = Path(figures)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder} cannot be made ({error.strerror}); choose another folder") from None
        for path in module.figures(folder, adult) if adult is not None else module.figures(folder):
            show.console.print(f"figure written to {path}", markup=False)


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"

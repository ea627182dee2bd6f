"""`discreet ledger`: open a budget, see what was granted from it, check it, hand it on."""

import os
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from discreet.certify.ptable import load
from discreet.cli import _streams
from discreet.cli import show as shown
from discreet.cli.keys import DEFAULT, Source
from discreet.errors import LedgerError, ParameterError
from discreet.exact import text
from discreet.measure import secrets
from discreet.measure.secret_memory import Memory
from discreet.plan.sections import Secret

if TYPE_CHECKING:
    from discreet.account.ledger.ledger import Ledger
    from discreet.account.ledger.statement import Statement

app = typer.Typer(
    help="The record of what privacy was spent, in whole units of one table.",
    no_args_is_help=True,
    add_completion=False,
)

Place = Annotated[str, typer.Argument(metavar="LEDGER", help="A file, or postgresql://user@host/database.")]


@app.command("open")
def open_(
    ledger: Place,
    unit: Annotated[str, typer.Option(metavar="CERTIFICATE", help="The table that the budget is counted in.")],
    epsilon: Annotated[str, typer.Option(help="What all releases together may cost one person.")],
    delta: Annotated[str, typer.Option(help="The other half of it.")] = "0",
    contributions: Annotated[int, typer.Option(help="Most rows that one person has in a grouping.")] = 1,
    name: Annotated[str | None, typer.Option(help="What the ledger is for.")] = None,
    secret: Source = DEFAULT,
) -> None:
    """Open a ledger: a budget in whole units of one certificate."""
    from discreet.account.ledger.ledger import Ledger  # its database takes a while to load

    made = Ledger.open(
        ledger,
        unit=load(unit),
        epsilon=epsilon,
        delta=delta,
        secret=secrets.secret(secret),
        contributions=contributions,
        name=name,
    )
    _streams.left(f"the ledger {made.id} is open")
    shown.console.print(f"ledger {made.id} holds {made.capacity} units", style="bold green", markup=False)
    shown.console.print(
        "One unit is one cell drawn from this table, for a person who is in it. A release costs as many units as one"
        " person touches cells; other tables are converted, rounded up."
    )


@app.command()
def show(ledger: Place, secret: Source = DEFAULT) -> None:
    """Show what was granted, to whom, when, and what is left."""
    opened = _at(ledger, secret)
    statement = opened.show()
    _summary(statement)
    try:
        _as_remembered(opened, secret)
    except LedgerError as error:
        shown.console.print(f"warning: {error}", style="bold yellow", markup=False)
    if statement.records:
        grid = Grid(box=SIMPLE_HEAD)
        for head in ("release", "units", "state", "reserved", "changed", "note"):
            grid.add_column(head, justify="right" if head == "units" else "left", overflow="fold")
        for record in statement.records:
            note = ", ".join(f"{key} {value}" for key, value in record.note.items())
            cells = (record.release, str(record.cost), record.state, record.reserved[:19], record.changed[:19], note)
            grid.add_row(*(cell.replace("[", "\\[") for cell in cells))
        shown.console.print(grid)


@app.command()
def verify(
    ledger: Place,
    head: Annotated[
        str | None, typer.Option(metavar="SEQ:MAC", help="From a manifest: the ledger must not be older than this.")
    ] = None,
    secret: Source = DEFAULT,
) -> None:
    """Recompute the chain, the sums, the cells and the unit; exit 0 only if all of it holds."""
    opened = _at(ledger, secret)
    statement = opened.verify(None if head is None else _head(head))
    remembered = _as_remembered(opened, secret)
    _streams.left("every check holds")
    shown.console.print(f"{statement.head.seq + 1} entries, every check holds", style="bold green", markup=False)
    _summary(statement)
    if remembered:
        shown.console.print("The memory of the secret knows no later entry.")
    elif head is None:
        shown.console.print("An older copy of a ledger is a valid ledger: give --head from the last manifest.")


@app.command()
def export(
    ledger: Place,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="JSON lines, one an entry.")],
    secret: Source = DEFAULT,
) -> None:
    """Write the entries as JSON lines, without secrets."""
    _at(ledger, secret).export(output)
    _streams.left(f"{output} is written")
    shown.console.print(f"entries written to {output}", markup=False)


@app.command()
def refund(
    ledger: Place,
    release: Annotated[str, typer.Argument(help="A release that was reserved, and crashed before it drew anything.")],
    secret: Source = DEFAULT,
) -> None:
    """Give back what a release reserved; refused if anything may have been drawn."""
    grant = _at(ledger, secret).find(release)
    if grant is None:
        raise LedgerError(f"{release!r:.200} was never reserved; see `discreet ledger show`")
    grant.refund()
    _streams.left("the units are given back")
    shown.console.print(f"{grant.cost} units of {release} given back", markup=False)


def _at(place: str, secret: str) -> "Ledger":
    from discreet.account.ledger.ledger import Ledger  # its database takes a while to load

    return Ledger.at(place, secrets.secret(secret))


def _as_remembered(ledger: "Ledger", source: str) -> bool:
    """Compare a ledger with the memory beside the file of the secret. Return False if the memory says nothing of it.

    Raises
    ------
    LedgerError
        The memory knows an entry that the ledger does not have.
    """
    if source.startswith(secrets.ENVIRONMENT):
        return False
    memory = Memory.of(Secret(file=source), secrets.secret(source))
    if memory is None or not os.path.lexists(memory.file):
        return False
    head = memory.head(ledger.id)
    if head is None:
        return False
    try:
        ledger.releases(head)
    except LedgerError as error:
        raise LedgerError(
            f"the memory of the secret, {memory.file}, knows entry {head[0]} of this ledger, and the ledger does not"
            " have that entry: it is an older copy. Grant nothing from it; restore the latest copy",
            error.failures,
        ) from None
    return True


def _summary(statement: "Statement") -> None:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    used = statement.spent + statement.reserved
    budget = statement.budget
    spends = sum(record.state in ("spent", "complete") for record in statement.records)
    rows = {
        "ledger": statement.ledger + (f", {statement.name}" if statement.name else ""),
        "unit": statement.unit,
        "budget": f"epsilon {text(budget.epsilon)}, delta {text(budget.delta)}: {statement.capacity} units",
        "contributions": f"up to {statement.contributions} rows of one person in a grouping",
        "protects": statement.protects or "not said so far",
        "spent": f"{statement.spent} units",
        "reserved": f"{statement.reserved} units",
        "left": f"{statement.left} units",
        "composed": f"{used} units cost at most epsilon {shown.above(statement.epsilon)} at the budget's delta, and"
        f" delta {shown.above(statement.delta)} at its epsilon",
        "releases": f"{spends} spent; the manifest of the last of them has seq {spends}, which counts releases",
        "head": f"{statement.head}   (entry {statement.head.seq}; an entry is a step of a release)",
    }
    for name, value in rows.items():
        grid.add_row(name, value.replace("[", "\\["))
    shown.console.print(grid)


def _head(given: str) -> tuple[int, str]:
    seq, _, mac = given.partition(":")
    if not (seq.isascii() and seq.isdecimal() and len(seq) < 19 and len(mac) == 64):
        raise ParameterError(f"--head is {given!r:.100}; give it as in the manifest, a number, a colon and 64 digits")
    return int(seq), mac

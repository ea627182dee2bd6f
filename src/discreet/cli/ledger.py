"""`discreet ledger`: open a budget, show and verify its record, export it, give units back."""

import os
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from discreet.certify.ptable import load
from discreet.cli import _show, _streams
from discreet.cli.keys import DEFAULT_SECRET, SecretSource
from discreet.errors import LedgerError, ParameterError
from discreet.exact import text
from discreet.measure import secrets
from discreet.measure.secret_memory import Memory
from discreet.plan.sections import Secret

if TYPE_CHECKING:
    from discreet.account.ledger.ledger import Ledger
    from discreet.account.ledger.statement import Statement

app = typer.Typer(
    help="Keep the record of a privacy budget, in whole units of one certified table.",
    no_args_is_help=True,
    add_completion=False,
)

LedgerPath = Annotated[
    str, typer.Argument(metavar="LEDGER", help="A file, or a database: postgresql://user@host/database.")
]


@app.command("open")
def open_(
    ledger: LedgerPath,
    unit: Annotated[
        str,
        typer.Option(
            metavar="CERTIFICATE",
            help="The certificate of the unit. One unit is one cell drawn from its table, for a person in the cell.",
        ),
    ],
    epsilon: Annotated[
        str,
        typer.Option(
            metavar="NUMBER", help="The epsilon of the budget: all that one person may lose by all releases together."
        ),
    ],
    delta: Annotated[str, typer.Option(metavar="NUMBER", help="The delta of the budget.")] = "0",
    contributions: Annotated[
        int, typer.Option(help="The largest number of rows of one person that a table counts.")
    ] = 1,
    name: Annotated[str | None, typer.Option(help="A name for the ledger, shown in its summary.")] = None,
    secret: SecretSource = DEFAULT_SECRET,
) -> None:
    """Open a new ledger, with a budget in whole units of one certificate."""
    from discreet.account.ledger.ledger import Ledger  # its database takes a while to load

    opened = Ledger.open(
        ledger,
        unit=load(unit),
        epsilon=epsilon,
        delta=delta,
        secret=secrets.read_secret(secret),
        contributions=contributions,
        name=name,
    )
    _streams.left(f"the ledger {opened.id} is open")
    _show.console.print(f"ledger {opened.id} holds {opened.capacity} units", style="bold green", markup=False)
    _show.console.print(
        "One unit is one cell drawn from this table, for a person who is in it. A release costs as many units as one"
        " person touches cells; other tables are converted, rounded up."
    )


@app.command()
def show(ledger: LedgerPath, secret: SecretSource = DEFAULT_SECRET) -> None:
    """Show the budget, every release that reserved or spent units, and the units that are left."""
    opened = _open(ledger, secret)
    statement = opened.show()
    _print_summary(statement)
    try:
        _check_against_memory(opened, secret)
    except LedgerError as error:
        _show.console.print(f"warning: {error}", style="bold yellow", markup=False)
    if statement.records:
        grid = Grid(box=SIMPLE_HEAD)
        for head in ("release", "units", "state", "reserved", "changed", "note"):
            grid.add_column(head, justify="right" if head == "units" else "left", overflow="fold")
        for record in statement.records:
            note = ", ".join(f"{key} {value}" for key, value in record.note.items())
            cells = (record.release, str(record.cost), record.state, record.reserved[:19], record.changed[:19], note)
            grid.add_row(*(cell.replace("[", "\\[") for cell in cells))
        _show.console.print(grid)


@app.command()
def verify(
    ledger: LedgerPath,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="SEQ:MAC",
            help="The head of the ledger, from the last manifest. Fail if the ledger is older than this head.",
        ),
    ] = None,
    secret: SecretSource = DEFAULT_SECRET,
) -> None:
    """Recompute the chain of entries, the sums, the cells and the unit of a ledger. Exit with 0 only if all hold."""
    opened = _open(ledger, secret)
    statement = opened.verify(None if head is None else _parse_head(head))
    in_memory = _check_against_memory(opened, secret)
    _streams.left("every check holds")
    _show.console.print(f"{statement.head.seq + 1} entries, every check holds", style="bold green", markup=False)
    _print_summary(statement)
    if in_memory:
        _show.console.print("The memory of the secret knows no later entry.")
    elif head is None:
        _show.console.print("An older copy of a ledger is a valid ledger: give --head from the last manifest.")


@app.command()
def export(
    ledger: LedgerPath,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write, one JSON object a line. FILE must not exist."
        ),
    ],
    secret: SecretSource = DEFAULT_SECRET,
) -> None:
    """Write all entries of a ledger as JSON lines, without secrets."""
    _open(ledger, secret).export(output)
    _streams.left(f"{output} is written")
    _show.console.print(f"entries written to {output}", markup=False)


@app.command()
def refund(
    ledger: LedgerPath,
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE", help="The release, as `discreet ledger show` names it. It must not have drawn any noise."
        ),
    ],
    secret: SecretSource = DEFAULT_SECRET,
) -> None:
    """Give back the units that a failed release reserved. Refused if the release may have drawn noise."""
    grant = _open(ledger, secret).find(release)
    if grant is None:
        raise LedgerError(f"{release!r:.200} was never reserved; see `discreet ledger show`")
    grant.refund()
    _streams.left("the units are given back")
    _show.console.print(f"{grant.cost} units of {release} given back", markup=False)


def _open(path: str, secret: str) -> "Ledger":
    """Return an existing ledger."""
    from discreet.account.ledger.ledger import Ledger  # its database takes a while to load

    return Ledger.at(path, secrets.read_secret(secret))


def _check_against_memory(ledger: "Ledger", source: str) -> bool:
    """Compare a ledger with the memory beside the file of the secret. Return False if the memory does not know it.

    Raises
    ------
    LedgerError
        The memory knows an entry that the ledger does not have.
    """
    if source.startswith(secrets.ENVIRONMENT):
        return False
    memory = Memory.of(Secret(file=source), secrets.read_secret(source))
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


def _print_summary(statement: "Statement") -> None:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    used = statement.spent + statement.reserved
    budget = statement.budget
    spent_releases = sum(record.state in ("spent", "complete") for record in statement.records)
    rows = {
        "ledger": statement.ledger + (f", {statement.name}" if statement.name else ""),
        "unit": statement.unit,
        "budget": f"epsilon {text(budget.epsilon)}, delta {text(budget.delta)}: {statement.capacity} units",
        "contributions": f"up to {statement.contributions} rows of one person in a grouping",
        "protects": statement.protects or "not said so far",
        "spent": f"{statement.spent} units",
        "reserved": f"{statement.reserved} units",
        "left": f"{statement.left} units",
        "composed": f"{used} units cost at most epsilon {_show.above(statement.epsilon)} at the budget's delta, and"
        f" delta {_show.above(statement.delta)} at its epsilon",
        "releases": f"{spent_releases} spent; the manifest of the last of them has seq {spent_releases}, which counts"
        " releases",
        "head": f"{statement.head}   (entry {statement.head.seq}; an entry is a step of a release)",
    }
    for name, value in rows.items():
        grid.add_row(name, value.replace("[", "\\["))
    _show.console.print(grid)


def _parse_head(head: str) -> tuple[int, str]:
    seq, _, mac = head.partition(":")
    if not (seq.isascii() and seq.isdecimal() and len(seq) < 19 and len(mac) == 64):
        raise ParameterError(f"--head is {head!r:.100}; give a number, a colon and 64 digits, as in the manifest")
    return int(seq), mac

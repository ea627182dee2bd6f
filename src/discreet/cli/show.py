"""How a table and its guarantee are printed: one way, for every command."""

from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction

from rich.console import Console
from rich.table import Table as Grid

from discreet.certify.ptable import PTable
from discreet.certify.table import PROPERTIES
from discreet.domain import Counts, Cycle
from discreet.mechanism import Mechanism
from discreet.report.chart import bars

console = Console(highlight=False)


def guarantee(ptable: PTable) -> None:
    """Domain, the exact (epsilon, delta), utility and properties of certified integers."""
    epsilon, _, delta = ptable.guarantee
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row("domain", domain(ptable.domain))
    grid.add_row("neighbours", neighbours(ptable))
    grid.add_row("guarantee", f"epsilon = {epsilon}, delta = {upper(delta)}, recomputed in integers")
    for name, values in ptable.utility.items():
        least, greatest = (number(value) for value in values)
        grid.add_row(
            {"truth": "chance of truth"}.get(name, name), least if least == greatest else f"{least} to {greatest}"
        )
    grid.add_row(
        "properties", " ".join(name for name in PROPERTIES if name in ptable.properties) or "none of the seven"
    )
    grid.add_row("table", f"{ptable.bits} bits")
    grid.add_row("digest", ptable.digest)
    console.print(grid)


def law(mechanism: Mechanism, count: int) -> None:
    """The outputs of one true count, as a chart."""
    outputs, probabilities = mechanism.pmf(count)
    console.print(f"outputs for a true count of {count}", style="bold")
    for line in bars(outputs, probabilities, ascii_only=not console.encoding.startswith("utf")):
        console.print(line, markup=False)


def domain(where: Counts | Cycle) -> str:
    """A domain in words."""
    if isinstance(where, Cycle):
        return f"{' x '.join(map(str, where.shape))} categories, on a cycle"
    return f"counts {where.lower}, {where.lower + 1}, ..." + ("" if where.upper is None else f" {where.upper}")


def neighbours(ptable: PTable) -> str:
    """What one person can change, in words."""
    many = len(ptable.neighbours)
    if isinstance(ptable.domain, Cycle):
        by = "any other" if many == ptable.domain.size - 1 else f"one that differs by one of {ptable.neighbours}"
        return f"one answer replaced by {by}"
    return f"one person added or removed, changing the count by {'1' if many == 1 else f'up to {many}'}"


def upper(value: Fraction) -> str:
    """Six digits, rounded up: what is printed is never less than what is certified."""
    if value == 0:
        return "0"
    with localcontext(prec=6, rounding=ROUND_CEILING):
        shown = Decimal(value.numerator) / Decimal(value.denominator)
    return f"{shown.normalize():g}" if shown >= Decimal("0.0001") else f"{shown:.5e}"


def number(value: Fraction) -> str:
    """Six digits, or 0."""
    return "0" if value == 0 else f"{float(value):.6g}"

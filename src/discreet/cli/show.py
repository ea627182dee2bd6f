"""How a table and its guarantee are printed: one way, for every command."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

from discreet import categories
from discreet.certify.ptable import PTable
from discreet.certify.table import PROPERTIES
from discreet.cli._bars import bars
from discreet.domain import Counts, Cycle
from discreet.exact import exact
from discreet.exact import upper as upper
from discreet.mechanism import Mechanism
from discreet.publish.report.numbers import above as above
from discreet.publish.report.numbers import number as number

console = Console(highlight=False)
if not console.is_terminal:
    console.width = 1000  # whoever reads a pipe or a file wants whole lines


@contextmanager
def progress() -> Iterator[Callable[[str, float], None]]:
    """Bars for what is being done: call it with a stage, and the fraction of it that is done."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as running:
        stages: dict[str, TaskID] = {}

        def tell(doing: str, done: float) -> None:
            if doing not in stages:
                for earlier in stages.values():
                    running.update(earlier, total=1, completed=1)
                stages[doing] = running.add_task(doing, total=None)
            if done > 0:
                running.update(stages[doing], total=1, completed=done)

        yield tell


def waiting(what: str) -> AbstractContextManager[object]:
    """Show that something is being done, if standard error is a terminal."""
    return Console(stderr=True).status(what) if sys.stderr.isatty() else nullcontext()


def composed(privacy: Mapping[str, Any], cells: int) -> None:
    """What a manifest promises: of one count where it has more to say than the certificate, and of the release."""
    who, rows, touches = privacy["unit"], privacy["contributions"], privacy["touches"]
    if rows == 1:
        console.print(f"cells            {cells}, and {who} is in {touches} of them")
    else:
        console.print(f"cells            {cells}; {who} has up to {rows} rows, each in up to {touches} of them")
    own, together = privacy["cell"], privacy["composed"]
    if own is not None and (rows > 1 or together is None):
        also = f" with up to {rows} rows in it" if rows > 1 else ""
        delta = upper(exact(own["delta"], "delta"))
        console.print(f"one cell alone   epsilon = {own['epsilon']}, delta = {delta} for {who}{also}")
    if together is None:
        console.print(f"in all           no guarantee: {privacy['no_guarantee']}")
        return
    delta = above(float(together["delta"]))
    console.print(f"in all           epsilon = {together['epsilon']}, delta = {delta} for {who}, an upper bound")


def guarantee(ptable: PTable, *, promised: bool = True) -> None:
    """Domain, the exact (epsilon, delta) where it is promised, utility and properties of certified integers."""
    epsilon, _, delta = ptable.guarantee
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row("domain", domain(ptable.domain))
    grid.add_row("neighbours", neighbours(ptable))
    if promised:
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
    """The outputs of one true count, as a chart; on a cycle those around it, by name where they have one."""
    if isinstance(mechanism.domain, Counts):
        outputs, probabilities = mechanism.pmf(count)
        true, labels = f"count of {count}", [str(output) for output in outputs.tolist()]
    else:
        true, labels, probabilities = _around(mechanism, mechanism.domain, count)
    console.print(f"outputs for a true {true}", style="bold")
    for line in bars(labels, probabilities, ascii_only=not console.encoding.startswith("utf")):
        console.print(line, markup=False)


def _around(mechanism: Mechanism, where: Cycle, count: int) -> tuple[str, list[str], npt.NDArray[np.float64]]:
    """On a cycle: the true value in words, its outputs and their probabilities, the true one in the middle.

    In several dimensions the true value is (count, 0, ...), and the likeliest outputs come first.
    """
    value = (min(max(count, 0), where.shape[0] - 1), *[0] * (len(where.shape) - 1))
    outputs, probabilities = mechanism.pmf(value)
    names = categories.names(mechanism.design, where.size)
    if len(where.shape) > 1:
        order = np.argsort(-probabilities, kind="stable")
        return f"value of {value}", [str(tuple(output)) for output in outputs[order].tolist()], probabilities[order]
    order = (np.arange(where.size) + value[0] - where.size // 2) % where.size
    labels = names or [str(output) for output in outputs.tolist()]
    return f"value of {labels[value[0]]}", [labels[place] for place in order], probabilities[order]


def domain(where: Counts | Cycle) -> str:
    """A domain in words."""
    if isinstance(where, Cycle):
        return f"{' x '.join(map(str, where.shape))} categories, on a cycle"
    return f"counts {where.lower}, {where.lower + 1}, ..." + ("" if where.upper is None else f" {where.upper}")


def neighbours(ptable: PTable) -> str:
    """What one person can change, in words."""
    many = len(ptable.neighbours)
    if isinstance(ptable.domain, Cycle):
        some = ", ".join(map(str, ptable.neighbours[:6])) + (f", ... ({many} in all)" if many > 6 else "")
        by = "any other" if many == ptable.domain.size - 1 else f"one that differs by {some}"
        return f"one answer replaced by {by}"
    return f"one person added or removed, changing the count by {'1' if many == 1 else f'up to {many}'}"

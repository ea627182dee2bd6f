"""Print tables, guarantees and progress: one way for all commands."""

import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fractions import Fraction
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table as Grid

from discreet import categories
from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.certify.table import PROPERTIES
from discreet.cli._bars import bars
from discreet.domain import Counts, Cycle
from discreet.exact import exact
from discreet.exact import upper as upper
from discreet.mechanism import Mechanism
from discreet.publish.report.numbers import above as above
from discreet.publish.report.numbers import number as number

ORDERS = (2, 8, 32)
"""Orders at which the Renyi divergence is printed."""

MOST_LOSSES = 1 << 21
"""Renyi divergences are not printed for tables with more pairs of weights: they would take minutes."""

PROPERTY_WORDS = {
    "RH": "row honesty",
    "RM": "row monotonicity",
    "CH": "column honesty",
    "CM": "column monotonicity",
    "F": "fairness",
    "WH": "weak honesty",
    "S": "symmetry",
}
"""The seven properties of Cormode 2019 in words."""

console = Console(highlight=False)
if not console.is_terminal:
    console.width = 1000  # a pipe or a file gets whole lines


@contextmanager
def progress() -> Iterator[Callable[[str, float], None]]:
    """Yield a function that shows progress. Call it with the name of a stage and the part of the stage that is done."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as bars_on_screen:
        stages: dict[str, TaskID] = {}

        def report(stage: str, done: float) -> None:
            if stage not in stages:
                for earlier in stages.values():
                    bars_on_screen.update(earlier, total=1, completed=1)
                stages[stage] = bars_on_screen.add_task(stage, total=None)
            if done > 0:
                bars_on_screen.update(stages[stage], total=1, completed=done)

        yield report


def waiting(message: str) -> AbstractContextManager[object]:
    """Show a message while work is being done, if standard error is a terminal."""
    return Console(stderr=True).status(message) if sys.stderr.isatty() else nullcontext()


def release_guarantee(privacy: Mapping[str, Any], cells: int) -> None:
    """Print the promise of a release as a whole, from the section `privacy` of its manifest."""
    unit, rows, touches, composed = (privacy[name] for name in ("unit", "contributions", "touches", "composed"))
    with_rows = f" with up to {rows} rows" if rows > 1 else ""
    if composed is None:
        promise = f"none: {privacy['no_guarantee']}"
    else:
        delta = above(float(composed["delta"]))
        promise = (
            f"epsilon = {composed['epsilon']}, delta = {delta} for {unit}{with_rows}, over everything that is"
            " published; an upper bound"
        )
    console.print(f"guarantee        {promise}", markup=False)
    who = unit if rows == 1 else f"each row of {unit}"
    console.print(f"cells            {cells}; {who} is in {touches} of them at most")


def one_count(privacy: Mapping[str, Any], ptables: Sequence[PTable]) -> None:
    """Print the tables of noise of a release: what one count, read alone, promises.

    The promise for one person is printed if it differs from that of the certificate, or is the only one.
    """
    console.print("One count, read alone:")
    rows, one_cell = privacy["contributions"], privacy["cell"]
    if len(ptables) == 1:
        guarantee(ptables[0], promised=one_cell is not None)
    else:
        named_lines(
            {f"noise {number}": _one_line(ptable, one_cell is not None) for number, ptable in enumerate(ptables, 1)}
        )
    if one_cell is not None and (rows > 1 or privacy["composed"] is None):
        with_rows = f" with up to {rows} rows in it" if rows > 1 else ""
        delta = upper(exact(one_cell["delta"], "delta"))
        console.print(
            f"one cell alone   epsilon = {one_cell['epsilon']}, delta = {delta} for {privacy['unit']}{with_rows}"
        )


def _one_line(ptable: PTable, promised: bool) -> str:
    """Return what one of several tables of noise promises, if it does, and how much noise it is, in one line."""
    epsilon, _, delta = ptable.guarantee
    words = [f"epsilon = {epsilon}, delta = {upper(delta)}"] if promised else []
    words += [" ".join(utility_row(name, ptable.utility[name])) for name in ("variance", "truth")]
    return "; ".join([*words, f"{ptable.bits} bits"])


def named_lines(lines: Mapping[str, str]) -> None:
    """Print names and what they stand for, in two columns."""
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, words in lines.items():
        grid.add_row(name, words.replace("[", "\\["))
    console.print(grid)


def guarantee(ptable: PTable, *, promised: bool = True, other_notions: bool = False) -> None:
    """Print domain, neighbours, utility and properties of a certified table, and its guarantee if it is promised.

    With `other_notions`, print also what the table promises as Renyi and as zero-concentrated differential privacy.
    """
    epsilon, _, delta = ptable.guarantee
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row("domain", domain(ptable.domain))
    grid.add_row("neighbours", neighbours(ptable))
    if promised:
        grid.add_row("guarantee", f"epsilon = {epsilon}, delta = {upper(delta)}, recomputed in integers")
    if other_notions:
        for row in _other_notions(ptable):
            grid.add_row(*row)
    for name, values in ptable.utility.items():
        grid.add_row(*utility_row(name, values))
    grid.add_row("properties", properties(ptable.properties))
    grid.add_row("table", f"{ptable.bits} bits")
    grid.add_row("digest", ptable.digest)
    console.print(grid)


def properties(names: Collection[str]) -> str:
    """Return the properties of a mechanism in words, with their short names."""
    return ", ".join(f"{PROPERTY_WORDS[name]} ({name})" for name in PROPERTIES if name in names) or "none of the seven"


def _other_notions(ptable: PTable) -> Iterator[tuple[str, str]]:
    """Yield two rows: Renyi DP, and zCDP. Infinite divergences are said to be infinite, with the reason."""
    if _losses(ptable) > MOST_LOSSES:
        yield "Renyi DP, zCDP", "not computed, because the table is large; discreet.account.renyi computes them"
        return
    from discreet.account.renyi_divergence import renyi  # few commands need it

    curve = renyi(ptable)
    if curve.lost == 0:
        bounds = [f"{above(curve.divergence(order))} at order {order}" for order in ORDERS]
        bounds.append(f"{above(curve.divergence(math.inf))} at any order")
        yield "Renyi DP", f"divergence at most {', '.join(bounds)}"
        yield "zCDP", f"rho = {above(curve.rho)}, an upper bound"
        return
    chance = above(curve.lost)
    yield (
        "Renyi DP",
        "none: the divergence is infinite at every order, because some outputs can come from only one of two"
        f" neighbours (with a chance of up to {chance})",
    )
    rest = "" if math.isinf(curve.approximate_rho) else f"; without these outputs rho = {above(curve.approximate_rho)}"
    note = f"{rest} (approximate zCDP with delta = {chance})" if rest else ""
    yield "zCDP", f"none: rho is infinite for the same reason{note}"


def _losses(ptable: PTable) -> int:
    """Return how many pairs of weights the divergences of a table compare, about."""
    table = ptable.table
    rows = 1 if isinstance(table.domain, Cycle) else len(table.rows) + len(table.interior)
    return rows * len(table.neighbours) * max(len(row.weights) for row in table.rows + table.interior)


def design_grid(title: str) -> Grid:
    """Return an empty table of designs and their settings. Callers add columns for numbers."""
    table = Grid(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("design", no_wrap=True)
    table.add_column("setting")
    return table


def utility_row(name: str, values: tuple[Fraction, Fraction]) -> tuple[str, str]:
    """Return the words for truth, bias or variance, and the least and greatest value as text."""
    least, greatest = (number(value) for value in values)
    words = "chance of truth" if name == "truth" else name
    return words, least if least == greatest else f"{least} to {greatest}"


def distribution(mechanism: Mechanism, count: int) -> None:
    """Print a chart of the outputs of one true count. On a cycle the chart is centred on the true value."""
    if isinstance(mechanism.domain, Counts):
        outputs, probabilities = mechanism.pmf(count)
        true_value, labels = f"count of {count}", [str(output) for output in outputs.tolist()]
    else:
        true_value, labels, probabilities = _around(mechanism, mechanism.domain, count)
    console.print(f"outputs for a true {true_value}", style="bold")
    print_bars(labels, probabilities)


def print_bars(labels: list[str], probabilities: Floats) -> None:
    """Print a bar chart, in ASCII if the terminal has nothing else."""
    for line in bars(labels, probabilities, ascii_only=not console.encoding.startswith("utf")):
        console.print(line, markup=False)


def _around(mechanism: Mechanism, cycle: Cycle, count: int) -> tuple[str, list[str], Floats]:
    """Return the true value in words, and labels and probabilities of all outputs, the true value in the middle.

    In several dimensions the true value is (count, 0, ...), and the most likely outputs come first.
    """
    value = (min(max(count, 0), cycle.shape[0] - 1), *[0] * (len(cycle.shape) - 1))
    outputs, probabilities = mechanism.pmf(value)
    names = categories.names(mechanism.design, cycle.size)
    if len(cycle.shape) > 1:
        order = np.argsort(-probabilities, kind="stable")
        return f"value of {value}", [str(tuple(output)) for output in outputs[order].tolist()], probabilities[order]
    order = (np.arange(cycle.size) + value[0] - cycle.size // 2) % cycle.size
    labels = names or [str(output) for output in outputs.tolist()]
    return f"value of {labels[value[0]]}", [labels[index] for index in order], probabilities[order]


def domain(values: Counts | Cycle) -> str:
    """Return a domain in words."""
    if isinstance(values, Cycle):
        return f"{' x '.join(map(str, values.shape))} categories, on a cycle"
    return f"counts {values.lower}, {values.lower + 1}, ..." + ("" if values.upper is None else f" {values.upper}")


def neighbours(ptable: PTable) -> str:
    """Return the change that one person can make, in words."""
    number_of_neighbours = len(ptable.neighbours)
    if isinstance(ptable.domain, Cycle):
        more = f", ... ({number_of_neighbours} in all)" if number_of_neighbours > 6 else ""
        differences = ", ".join(map(str, ptable.neighbours[:6])) + more
        everything = number_of_neighbours == ptable.domain.size - 1
        return f"one answer replaced by {'any other' if everything else f'one that differs by {differences}'}"
    by = "1" if number_of_neighbours == 1 else f"up to {number_of_neighbours}"
    return f"one person added or removed, changing the count by {by}"

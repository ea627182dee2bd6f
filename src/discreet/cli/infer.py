"""`discreet infer DIR|CERTIFICATE`: what measurements say about the true counts."""

import csv
import io
import math
import os
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from discreet import categories, files
from discreet.certify.ptable import PTable, load
from discreet.cli import _streams, show
from discreet.cli._bars import bars
from discreet.domain import Cycle
from discreet.errors import InputError, ParameterError
from discreet.exact import exact

SHOWN = 20
COUNTS = (0, 1, 2, 3, 4, 5, 10, 20, 50, 100, 1000)


def infer(
    path: Annotated[str, typer.Argument(metavar="DIR|CERTIFICATE", help="The folder of a release, or a certificate.")],
    observed: Annotated[
        str | None, typer.Option(metavar="12,0,-3", help="Measurements, instead of those of a folder.")
    ] = None,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="One table of the folder.")] = None,
    level: Annotated[str, typer.Option(help="The least probability that an interval holds.")] = "0.95",
    prior: Annotated[
        str,
        typer.Option(
            help="uniform, poisson:RATE or negative-binomial:MEAN:DISPERSION, for cells; margins have uniform."
        ),
    ] = "uniform",
    sums: Annotated[
        list[str] | None,
        typer.Option("--sum", metavar="CELLS", help='Add up cells, such as "district=Abbey"; may be given again.'),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(metavar="CELLS", help="The share of these cells in the table, or in those of --sum."),
    ] = None,
    minus: Annotated[
        str | None, typer.Option(metavar="DIR", help="The change since this folder, of an earlier version.")
    ] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="How often intervals hold the truth, by true count and on average.")
    ] = False,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write a CSV file.")] = None,
) -> None:
    """Tell between which numbers the true counts lie, from the measurements of a folder or from given ones.

    A folder's files, certificate and budget are checked, but not all that it claims: run discreet verify DIR first.
    """
    if coverage:
        if any(option is not None for option in (observed, table, sums, share, minus, output)):
            raise ParameterError("--coverage goes with --level and --prior; leave the others out")
        _coverage(path, level, prior)
        return
    if observed is not None:
        if table is not None or sums or share is not None or minus is not None:
            raise ParameterError("--observed goes with --level, --prior and -o; leave the others out")
        _numbers(path, observed, level, prior, output)
        return
    if not os.path.isdir(path):
        raise ParameterError(
            f"{path:.200} is not a folder; give the folder of a release, or a certificate with --observed"
        )
    if output is not None and Path(output).resolve().is_relative_to(Path(path).resolve()):
        raise ParameterError(
            "the output is to be in the release folder, which holds what its manifest names; put it elsewhere"
        )
    if sums or share is not None:
        if output is not None:
            raise ParameterError("-o is for the cells of tables; leave it out for a sum or a share")
        _some(path, table, level, prior, sums or [], share, minus)
    else:
        _all(path, table, level, prior, minus, output)


def _numbers(path: str, observed: str, level: str, prior: str, output: str | None) -> None:
    from discreet.infer import intervals, posterior
    from discreet.infer.credible_intervals import as_rows, column_names

    ptable = _certificate(path)
    values = [_integer(text) for text in observed.split(",")]
    if isinstance(ptable.domain, Cycle):
        if output is not None:
            raise ParameterError(f"residues of {ptable.domain} have no order, so no intervals; leave -o out")
        for value in values:
            _chart(ptable, value, posterior(ptable, value, prior))
        return
    found = intervals(ptable, values, level, prior)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = column_names(ptable)
    writer.writerow(["measured", *columns])
    for value, about in zip(values, as_rows(found), strict=True):
        writer.writerow([value, *about[: len(columns)]])
    _deliver(out.getvalue(), level, output)
    if len(values) == 1 and output is None:
        _chart(ptable, values[0], posterior(ptable, values[0], prior))


def _certificate(path: str) -> PTable:
    """A certificate by itself, or that of a folder, which is the one that its manifest names."""
    if not os.path.isdir(path):
        return load(path)
    from discreet.infer import folder

    return folder(path).release.plan.ptable


def _coverage(path: str, level: str, prior: str) -> None:
    from discreet.infer import coverage

    ptable = _certificate(path)
    upper = None if isinstance(ptable.domain, Cycle) else ptable.domain.upper
    found = coverage(ptable, level, prior, [count for count in COUNTS if upper is None or count <= upper])
    show.console.print(f"chance that an interval of {_percent(level)} holds the true count", style="bold")
    grid = Grid()
    grid.add_column("true count", justify="right")
    grid.add_column("chance", justify="right")
    for count, chance in zip(found.counts.tolist(), found.chances, strict=True):
        grid.add_row(str(count), f"{math.floor(Fraction(chance) * 10000) / 100:.2f}%")
    show.console.print(grid)
    ends = prior.strip().lower() not in ("uniform", "flat") or upper is not None
    over = "over the prior" if ends else "over counts far from 0"
    show.console.print(f"on average {over}: {math.floor(Fraction(found.average) * 10000) / 100}%")


def _all(path: str, table: str | None, level: str, prior: str, minus: str | None, output: str | None) -> None:
    from discreet.infer import folder

    now = folder(path)
    found = now.csv(level, prior, table) if minus is None else now.changes(folder(minus), level, prior, table)
    _deliver(found, level, output)


def _some(
    path: str, table: str | None, level: str, prior: str, sums: list[str], share: str | None, minus: str | None
) -> None:
    from discreet.infer import folder

    now = folder(path)
    if share is not None:
        if minus is not None:
            raise ParameterError("--share and --minus cannot be given together; ask for the share in each folder")
        whole = sums or ("",)
        found = now.share(share, whole, level, prior, table)
        low, high, mean = _percents(found)
        show.console.print(f"share of {share}: {low} to {high} ({_percent(level)}), mean {mean}", markup=False)
        part, rest = now.cells_used_by_share(share, whole, prior, table)
        show.console.print(f"part: {_cells(part)}; rest: {_cells(rest)}", markup=False)
        if found.undefined > 0:
            show.console.print(f"the whole is 0 with a probability of {found.undefined:.3g}, which is left out")
        if found.error is not None:
            show.console.print(f"sampled: one standard error of the mean is {found.error:.2g}")
        return
    if minus is None:
        used, belief = now.cells_used(sums, prior, table), now.total(sums, prior, table)
        what = "sum"
    else:
        before = folder(minus)
        used, belief = now.cells_used(sums, prior, table, before), now.total_change(before, sums, prior, table)
        what = "change of a sum"
    show.console.print(f"{what} of {_cells(used)}: {_between(belief, level, f' ({_percent(level)})')}", markup=False)
    several = sum(number for number, _ in used) > 1
    own = now.measurement(sums[0], table) if len(sums) == 1 and several and minus is None else None
    if own is not None:
        from discreet.infer import posterior

        itself = posterior(now.release.plan.ptable, own)
        if itself.open_end:
            end = int(itself.support[-1])
            show.console.print(
                f"measured itself as {own}, which tells less: counts of {end} or more are measured alike"
            )
        else:
            show.console.print(f"the same, measured itself as {own}: {_between(itself, level)}")


def _cells(used: list[tuple[int, tuple[str, ...]]]) -> str:
    """How many cells, and by which dimensions."""
    return " and ".join(
        f"{number} cell{'' if number == 1 else 's'}{' by ' if names else ' of all'}{', '.join(names)}"
        for number, names in used
    )


def _percents(found: Any) -> tuple[str, str, str]:
    """Low, high and mean of a share, the ends rounded outward, with digits enough to tell them apart."""
    digits = 2
    while (found.high - found.low) * 10 ** (digits + 2) < 10 and digits < 12:
        digits += 1
    parts = 10 ** (digits + 2)
    ends = math.floor(found.low * parts) / parts, math.ceil(found.high * parts) / parts
    low, high, mean = (f"{value:.{digits}%}" for value in (*ends, found.mean))
    return low, high, mean


def _between(belief: Any, level: str, how_sure: str = "") -> str:
    """The interval, mean and mode of a belief."""
    low, high = belief.interval(level)
    if belief.endless(level):
        return f"{low} or more{how_sure}; counts of {high} or more are measured alike"
    return f"{low} to {high}{how_sure}, mean {belief.mean():.2f}, most likely {belief.mode()}"


def _deliver(text: str, level: str, output: str | None) -> None:
    """To a file; or the first rows to the screen."""
    if output is not None:
        files.write(output, text.encode())
        _streams.left(f"{output} is written")
        show.console.print(f"intervals written to {output}", markup=False)
        return
    head, *rows = csv.reader(io.StringIO(text))
    notes: list[str] = []
    if head[-1] == "note":
        low, high = head.index("low"), head.index("high")
        notes = sorted({row[-1] for row in rows[:SHOWN]} - {""})
        head, rows = head[:-1], [row[:-1] for row in rows]
        for row in rows:
            row[low], row[high] = row[low] or "or less", row[high] or "or more"
    shown = [place for place, name in enumerate(head) if name == "low" or any(row[place] for row in rows[:SHOWN])]
    grid = Grid(title=f"Between low and high with {_percent(level)}", title_justify="left")
    for place in shown:
        grid.add_column(head[place].replace("_", " "), justify="right" if place >= _first(head) else "left")
    for row in rows[:SHOWN]:
        grid.add_row(*(row[place] for place in shown))
    show.console.print(grid)
    for note in notes:
        show.console.print(note)
    if len(rows) > SHOWN:
        show.console.print(f"the first {SHOWN} of {len(rows)} cells; all of them with -o FILE.csv")


def _first(head: list[str]) -> int:
    """Where the numbers start."""
    return len(head) - head[::-1].index("measured") - 1


def _chart(ptable: PTable, value: int, belief: Any) -> None:
    names = categories.names(ptable.design, ptable.domain.size)
    labels = [names[count] if names else str(count) for count in belief.support.tolist()]
    if belief.open_end:
        labels[-1] += " or more"
    what = "true values" if isinstance(ptable.domain, Cycle) else "true counts"
    show.console.print(f"{what} behind a measurement of {names[value] if names else value}", style="bold", markup=False)
    for line in bars(labels, belief.probabilities, ascii_only=not show.console.encoding.startswith("utf")):
        show.console.print(line, markup=False)


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"a measurement is {text.strip()!r:.60}; give integers, such as --observed 12,0,-3") from None


def _percent(level: str) -> str:
    return f"{float(exact(level, 'level')) * 100:.15g}%"

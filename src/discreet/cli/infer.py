"""`discreet infer DIR|CERTIFICATE`: credible intervals for true counts."""

import csv
import io
import math
import os
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table as Grid

from discreet import categories, files
from discreet.certify.ptable import PTable, load
from discreet.cli import _show, _streams
from discreet.domain import Cycle
from discreet.errors import InputError, ParameterError
from discreet.exact import exact

if TYPE_CHECKING:
    from discreet.infer import Estimate, Posterior
    from discreet.infer.cell_choice import CellsUsed
    from discreet.infer.release_folder import FolderReader

NEARLY_ALL = 0.9
"""An interval of a share that is as wide says nothing."""

MOST_ROWS = 20
"""Number of rows of a table that are printed."""

COVERAGE_COUNTS = (0, 1, 2, 3, 4, 5, 10, 20, 50, 100, 1000)


def infer(
    path: Annotated[
        str,
        typer.Argument(
            metavar="DIR|CERTIFICATE",
            help="A release folder. With --observed or --coverage: a certificate or a release folder.",
        ),
    ],
    observed: Annotated[
        str | None,
        typer.Option(metavar="12,0,-3", help="Use these measurements, and no measurements of a folder."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Use only this table of the folder. Sums and shares need a table if there are several."
        ),
    ] = None,
    level: Annotated[
        str, typer.Option(metavar="NUMBER", help="The least probability that an interval holds.")
    ] = "0.95",
    prior: Annotated[
        str,
        typer.Option(
            metavar="PRIOR",
            help="The prior of a cell: uniform, poisson:RATE or negative-binomial:MEAN:DISPERSION."
            " Margins always have the uniform prior.",
        ),
    ] = "uniform",
    sums: Annotated[
        list[str] | None,
        typer.Option(
            "--sum",
            metavar="CELLS",
            help='Show the sum of the selected cells. Select cells by labels, such as "district=Abbey,age=0-15"; ""'
            " selects all. Repeat the option to add up several selections.",
        ),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(
            metavar="CELLS", help="Show the share of the selected cells in the table, or in the cells of --sum."
        ),
    ] = None,
    minus: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="Show changes since the release in this folder, of another version of the data."
        ),
    ] = None,
    coverage: Annotated[
        bool,
        typer.Option("--coverage", help="Show how often intervals hold the true count, by true count and on average."),
    ] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the intervals of all cells to this CSV file."),
    ] = None,
) -> None:
    """Show credible intervals for true counts, from a release folder or from given measurements.

    The files, the certificate and the budget of a folder are checked first. To check all of its claims, run discreet
    verify DIR.
    """
    if coverage:
        if any(option is not None for option in (observed, table, sums, share, minus, output)):
            raise ParameterError("--coverage goes with --level and --prior only; leave the other options out")
        _print_coverage(path, level, prior)
    elif observed is not None:
        if table is not None or sums or share is not None or minus is not None:
            raise ParameterError("--observed goes with --level, --prior and -o only; leave the other options out")
        _infer_observed(path, observed, level, prior, output)
    else:
        _check_folder_options(path, sums, share, minus, output)
        if share is not None:
            _print_share(path, share, sums or [""], level, prior, table)
        elif sums:
            _print_sum(path, sums, level, prior, table, minus)
        else:
            _infer_cells(path, table, level, prior, minus, output)


def _check_folder_options(
    path: str, sums: list[str] | None, share: str | None, minus: str | None, output: str | None
) -> None:
    """Raise ParameterError if `path` is not a folder, or options do not go together."""
    if not os.path.isdir(path):
        raise ParameterError(f"{path:.200} is not a folder; give a release folder, or a certificate with --observed")
    if output is not None and Path(output).resolve().is_relative_to(Path(path).resolve()):
        raise ParameterError(
            f"--output is {output:.200}, inside the release folder, which may hold only the files of its manifest;"
            " choose another folder"
        )
    if (sums or share is not None) and output is not None:
        raise ParameterError("--output is for the cells of tables; leave --output out for a sum or a share")
    if share is not None and minus is not None:
        raise ParameterError("--share and --minus cannot be given together; show the share in each folder")


def _infer_observed(path: str, observed: str, level: str, prior: str, output: str | None) -> None:
    """Show intervals of given measurements."""
    from discreet.infer import intervals, posterior
    from discreet.infer.credible_intervals import as_rows, column_names

    ptable = _certified_table(path)
    measurements = [_parse_integer(text) for text in observed.split(",")]
    if isinstance(ptable.domain, Cycle):
        if output is not None:
            raise ParameterError(f"residues of {ptable.domain} have no order, so no intervals; leave --output out")
        for measurement in measurements:
            _print_posterior(ptable, measurement, posterior(ptable, measurement, prior))
        return
    rows = as_rows(intervals(ptable, measurements, level, prior))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = column_names(ptable)
    writer.writerow(["measured", *columns])
    for measurement, row in zip(measurements, rows, strict=True):
        writer.writerow([measurement, *row[: len(columns)]])
    _write_or_print(text.getvalue(), level, output)
    if len(measurements) == 1 and output is None:
        _print_posterior(ptable, measurements[0], posterior(ptable, measurements[0], prior))


def _certified_table(path: str) -> PTable:
    """Return the table of a certificate, or of the certificate that the manifest of a folder names."""
    if not os.path.isdir(path):
        return load(path)
    ptables = _read_folder(path).release.plan.ptables
    if len(ptables) > 1:
        raise ParameterError(
            f"{path} has {len(ptables)} tables of noise; give one of its certificates, {path}/certificates/1.json"
            f" to {len(ptables)}.json"
        )
    return ptables[0]


def _read_folder(path: str) -> "FolderReader":
    from discreet.infer import folder  # the engines take a while to load

    return folder(path)


def _print_coverage(path: str, level: str, prior: str) -> None:
    from discreet.infer import coverage

    ptable = _certified_table(path)
    upper = None if isinstance(ptable.domain, Cycle) else ptable.domain.upper
    counts = [count for count in COVERAGE_COUNTS if upper is None or count <= upper]
    result = coverage(ptable, level, prior, counts)
    _show.console.print(f"chance that an interval of {_percent(level)} holds the true count", style="bold")
    grid = Grid()
    grid.add_column("true count", justify="right")
    grid.add_column("chance", justify="right")
    for count, chance in zip(result.counts.tolist(), result.chances, strict=True):
        grid.add_row(str(count), f"{math.floor(Fraction(chance) * 10000) / 100:.2f}%")
    _show.console.print(grid)
    prior_has_sum = prior.strip().lower() not in ("uniform", "flat") or upper is not None
    average_over = "over the prior" if prior_has_sum else "over counts far from 0"
    _show.console.print(f"on average {average_over}: {math.floor(Fraction(result.average) * 10000) / 100}%")


def _infer_cells(path: str, table: str | None, level: str, prior: str, minus: str | None, output: str | None) -> None:
    """Show intervals, or changes, of all cells of a folder."""
    reader = _read_folder(path)
    text = (
        reader.csv(level, prior, table) if minus is None else reader.changes(_read_folder(minus), level, prior, table)
    )
    _write_or_print(text, level, output)


def _print_share(path: str, part: str, whole: list[str], level: str, prior: str, table: str | None) -> None:
    reader = _read_folder(path)
    estimate = reader.share(part, whole, level, prior, table)
    low, high, mean = _percents(estimate)
    says_nothing = estimate.high - estimate.low >= NEARLY_ALL
    words = "no statement is possible: the noise is as large as the whole" if says_nothing else f"mean {mean}"
    _show.console.print(f"share of {part}: {low} to {high} ({_percent(level)}), {words}", markup=False)
    part_cells, rest_cells = reader.cells_used_by_share(part, whole, prior, table)
    _show.console.print(f"part: {_cells_in_words(part_cells)}; rest: {_cells_in_words(rest_cells)}", markup=False)
    if estimate.undefined > 0:
        _show.console.print(f"the whole is 0 with a probability of {estimate.undefined:.3g}, which is left out")
    if estimate.error is not None:
        _show.console.print(f"sampled: one standard error of the mean is {estimate.error:.2g}")


def _print_sum(path: str, sums: list[str], level: str, prior: str, table: str | None, minus: str | None) -> None:
    """Print the sum of selected cells, or its change."""
    reader = _read_folder(path)
    if minus is None:
        quantity, cells, count = "sum", reader.cells_used(sums, prior, table), reader.total(sums, prior, table)
    else:
        before = _read_folder(minus)
        quantity, cells = "change of a sum", reader.cells_used(sums, prior, table, before)
        count = reader.total_change(before, sums, prior, table)
    interval = _interval_in_words(count, level, f" ({_percent(level)})")
    _show.console.print(f"{quantity} of {_cells_in_words(cells)}: {interval}", markup=False)
    if minus is None and len(sums) == 1 and sum(number for number, _ in cells) > 1:
        _print_own_measurement(reader, sums[0], level, table)


def _print_own_measurement(reader: "FolderReader", selection: str, level: str, table: str | None) -> None:
    """Print what the measurement of a margin says by itself, if the margin was measured."""
    from discreet.infer import posterior

    measured = reader.measured_itself(selection, table)
    if measured is None:
        return
    measurement, ptable = measured
    count = posterior(ptable, measurement)
    if count.open_end:
        end = int(count.support[-1])
        _show.console.print(
            f"measured itself as {measurement}, which tells less: counts of {end} or more are measured alike"
        )
    else:
        _show.console.print(f"the same, measured itself as {measurement}: {_interval_in_words(count, level)}")


def _cells_in_words(cells: "CellsUsed") -> str:
    """Return numbers of cells with their dimensions, in words."""
    return " and ".join(
        f"{number} cell{'' if number == 1 else 's'}{' by ' if dimensions else ' of all'}{', '.join(dimensions)}"
        for number, dimensions in cells
    )


def _percents(share: "Estimate") -> tuple[str, str, str]:
    """Return low, high and mean of a share. The ends are rounded outward, with enough digits to distinguish them."""
    digits = 2
    while (share.high - share.low) * 10 ** (digits + 2) < 10 and digits < 12:
        digits += 1
    parts = 10 ** (digits + 2)
    ends = math.floor(share.low * parts) / parts, math.ceil(share.high * parts) / parts
    low, high, mean = (f"{value:.{digits}%}" for value in (*ends, share.mean))
    return low, high, mean


def _interval_in_words(count: "Posterior", level: str, level_in_words: str = "") -> str:
    low, high = count.interval(level)
    if count.endless(level):
        return f"{low} or more{level_in_words}; counts of {high} or more are measured alike"
    return f"{low} to {high}{level_in_words}, mean {count.mean():.2f}, most likely {count.mode()}"


def _write_or_print(text: str, level: str, output: str | None) -> None:
    """Write a CSV text to a file, or print its first rows."""
    if output is not None:
        files.write(output, text.encode())
        _streams.left(f"{output} is written")
        _show.console.print(f"intervals written to {output}", markup=False)
        return
    header, *rows = csv.reader(io.StringIO(text))
    number_of_rows, rows = len(rows), rows[:MOST_ROWS]
    notes: list[str] = []
    if header[-1] == "note":
        low, high = header.index("low"), header.index("high")
        notes = sorted({row[-1] for row in rows} - {""})
        header, rows = header[:-1], [row[:-1] for row in rows]
        for row in rows:
            row[low], row[high] = row[low] or "or less", row[high] or "or more"
    first_number = len(header) - header[::-1].index("measured") - 1
    columns = [index for index, name in enumerate(header) if name == "low" or any(row[index] for row in rows)]
    grid = Grid(title=f"Between low and high with {_percent(level)}", title_justify="left")
    for index in columns:
        grid.add_column(header[index].replace("_", " "), justify="right" if index >= first_number else "left")
    for row in rows:
        grid.add_row(*(row[index] for index in columns))
    _show.console.print(grid)
    for note in notes:
        _show.console.print(note)
    if number_of_rows > MOST_ROWS:
        _show.console.print(f"the first {MOST_ROWS} of {number_of_rows} cells; all of them with -o FILE.csv")


def _print_posterior(ptable: PTable, measurement: int, count: "Posterior") -> None:
    """Print a chart of the posterior of one measurement."""
    names = categories.names(ptable.design, ptable.domain.size)
    labels = [names[value] if names else str(value) for value in count.support.tolist()]
    if count.open_end:
        labels[-1] += " or more"
    true_values = "true values" if isinstance(ptable.domain, Cycle) else "true counts"
    label = names[measurement] if names else measurement
    _show.console.print(f"{true_values} behind a measurement of {label}", style="bold", markup=False)
    _show.print_bars(labels, count.probabilities)


def _parse_integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"a measurement is {text.strip()!r:.60}; give integers, such as --observed 12,0,-3") from None


def _percent(level: str) -> str:
    return f"{float(exact(level, 'level')) * 100:.15g}%"

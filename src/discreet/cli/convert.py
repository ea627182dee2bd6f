"""`discreet convert FILE`: show the privacy of another tool's table, and write it for a tool or as a certificate."""

import json
from fractions import Fraction
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from discreet import formats
from discreet.certify.ptable import PTable
from discreet.cli import _show, _streams
from discreet.errors import ParameterError
from discreet.exact import text
from discreet.mechanism import Mechanism

_KINDS = ", ".join(formats.KINDS)


def convert(
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="A perturbation table of another tool, or a certificate of Discreet.")
    ],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the table to this file. Needs --to."),
    ] = None,
    to: Annotated[
        str | None, typer.Option(metavar="FORMAT", help=f"The format of the output: {_KINDS} (a certificate).")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FORMAT", help=f"The format of FILE: {_KINDS}. By default the header of FILE tells it."
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="With --to discreet: the epsilon of the certificate. Else: show delta at this epsilon too.",
        ),
    ] = None,
    bits: Annotated[
        int | None,
        typer.Option(
            help="With --to discreet: rows of the certificate sum to 2**bits."
            " By default the bits that hold the table exactly, or 32 if there are none."
        ),
    ] = None,
    rounded: Annotated[
        bool,
        typer.Option("--round", help="Allow probabilities to be rounded to multiples that the format has."),
    ] = False,
    clamp: Annotated[
        bool, typer.Option("--clamp", help="Allow outputs below 0 to be written as 0. This costs no privacy.")
    ] = False,
    leave_zeros: Annotated[
        bool,
        typer.Option("--leave-zeros", help="Allow the count 0 to be left alone, as most tools do. This costs privacy."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, with exact fractions.")] = False,
) -> None:
    """Show the exact privacy of another tool's perturbation table, and convert the table.

    Privacy is computed from the numbers in FILE. A table is written exactly or not at all, unless --round, --clamp or
    --leave-zeros allow a change. The privacy of a changed table is computed again.
    """
    _check_options(output, to, epsilon, bits, rounded or clamp or leave_zeros)
    mechanism = formats.read(path, source)
    epsilons = formats.EPSILONS if epsilon is None or epsilon in formats.EPSILONS else (*formats.EPSILONS, epsilon)
    privacy = formats.table_privacy(mechanism, epsilons)
    report = _report(path, mechanism, privacy)
    if not as_json:
        _print_privacy(f"{path}, as read", mechanism, privacy)
    if output is not None and to == "discreet":
        report["written"] = _write_certificate(mechanism, output, epsilon, bits, quiet=as_json)
    elif output is not None and to is not None:
        written = formats.write(mechanism, output, to, round=rounded, clamp=clamp, leave_zeros=leave_zeros)
        _streams.left(f"{output} is written")
        exact = formats.same(written, mechanism)
        privacy = formats.table_privacy(written, epsilons)
        report["written"] = {"exact": exact, **_report(output, written, privacy)}
        if not as_json and exact:
            _show.console.print(f"{output}: the same table exactly, for {written.design['tool']}", markup=False)
        elif not as_json:
            _print_privacy(f"{output}, as written: {written.design['changes']}", written, privacy)
    if as_json:
        typer.echo(json.dumps(report, indent=1))


def _check_options(output: str | None, to: str | None, epsilon: str | None, bits: int | None, changes: bool) -> None:
    """Raise ParameterError if options do not go together."""
    if (output is None) != (to is None):
        raise ParameterError("give both --output FILE and --to FORMAT to write a table, or neither to show its privacy")
    if to is not None and to not in formats.KINDS:
        raise ParameterError(f"--to is {to!r:.60}; choose from {_KINDS}")
    if to == "discreet" and epsilon is None:
        raise ParameterError("a certificate needs an epsilon: give --epsilon, for example --epsilon 1")
    if changes and to in (None, "discreet"):
        raise ParameterError(
            "--round, --clamp and --leave-zeros change a table that is written for another tool: give --to FORMAT"
        )
    if bits is not None and to != "discreet":
        raise ParameterError("--bits is for a certificate: give --to discreet")


def _write_certificate(
    mechanism: Mechanism, output: str, epsilon: str | None, bits: int | None, quiet: bool
) -> dict[str, Any]:
    """Write a certificate, and show it unless `quiet`. Return what a report says about the file."""
    ptable = mechanism.certify(epsilon, formats.exact_bits(mechanism) if bits is None else bits)
    note = _difference(ptable, mechanism)
    ptable.save(output)
    _streams.left(f"{output} is written")
    if not quiet:
        _show.console.print(f"{output}, a certificate: {note}", style="bold", markup=False)
        _show.guarantee(ptable, other_notions=True)
    return {"file": output, "kind": "discreet", "digest": ptable.digest, "note": note}


def _difference(ptable: PTable, mechanism: Mechanism) -> str:
    """Return how far a certificate is from the table that was read, in words."""
    if formats.same(ptable, mechanism):
        return "exactly the table that was read"
    distance = ptable.certificate.document["quantised"]["distance"]
    return (
        f"a copy quantised to {ptable.bits} bits, because the probabilities are not multiples of 2**-bits;"
        f" at most {_show.upper(Fraction(distance))} from what was read, in total variation"
    )


def _print_privacy(title: str, mechanism: Mechanism, privacy: formats.TablePrivacy) -> None:
    """Print tool, lookup, privacy and utility of a table."""
    _show.console.print(title, style="bold", markup=False)
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name in ("tool", "lookup", "zeros"):
        if name in mechanism.design:
            grid.add_row({"zeros": "empty cells"}.get(name, name), str(mechanism.design[name]))
    for row in privacy.deltas:
        grid.add_row(f"epsilon = {row.epsilon}", f"delta = {_show.upper(row.delta)}{_at(row.pair)}")
    grid.add_row("any epsilon", f"delta is at least {_show.upper(privacy.floor)}{_at(privacy.floor_pair)}")
    for name in ("truth", "bias", "variance"):
        grid.add_row(*_show.utility_row(name, getattr(privacy, name)))
    grid.add_row("largest change", str(privacy.largest_change))
    _show.console.print(grid)
    _show.console.print(
        "This is the delta of one count under a uniform key of its own; keys summed from records do not compose.",
        style="dim",
    )


def _at(pair: str) -> str:
    return f", at {pair}" if pair else ""


def _report(path: str, mechanism: Mechanism, privacy: formats.TablePrivacy) -> dict[str, Any]:
    """Return privacy and utility for JSON: every delta exactly, as text, and as a float."""
    return {
        "file": path,
        "design": {key: value if isinstance(value, int) else str(value) for key, value in mechanism.design.items()},
        "deltas": [
            {"epsilon": str(row.epsilon), **_number("delta", row.delta), "where": row.pair} for row in privacy.deltas
        ],
        "floor": {**_number("delta", privacy.floor), "where": privacy.floor_pair},
        **{name: [float(value) for value in getattr(privacy, name)] for name in ("truth", "bias", "variance")},
        "largest_change": privacy.largest_change,
    }


def _number(name: str, value: Fraction) -> dict[str, Any]:
    return {name: float(value), f"{name}_exact": text(value)}

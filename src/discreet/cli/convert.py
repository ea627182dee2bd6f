"""`discreet convert FILE`: read another tool's table, measure it, and write it for another tool or as a certificate."""

import json
from fractions import Fraction
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from discreet import formats
from discreet.certify.ptable import PTable
from discreet.cli import _streams, show
from discreet.errors import ParameterError
from discreet.exact import text
from discreet.formats._table_privacy import EPSILONS, Measurement
from discreet.mechanism import Mechanism

_KINDS = ", ".join(formats.KINDS)


def convert(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A perturbation table, or a certificate.")],
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the table here.")] = None,
    to: Annotated[str | None, typer.Option(help=f"The format to write: {_KINDS}.")] = None,
    source: Annotated[
        str | None, typer.Option("--from", help=f"The format of FILE, where its header does not tell: {_KINDS}.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="Certify at this epsilon (--to discreet); also measured.")] = None,
    bits: Annotated[
        int | None, typer.Option(help="Bits of a certificate; unless given, those that hold the table exactly, or 32.")
    ] = None,
    rounded: Annotated[
        bool, typer.Option("--round", help="Round probabilities to what the format has, and measure again.")
    ] = False,
    clamp: Annotated[bool, typer.Option("--clamp", help="Write outputs below 0 as 0; this costs no privacy.")] = False,
    leave_zeros: Annotated[
        bool, typer.Option("--leave-zeros", help="Leave the count 0 alone, as most tools do, and measure again.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the measurement as JSON.")] = False,
) -> None:
    """Measure a table of another tool, and convert it."""
    if (output is None) != (to is None):
        raise ParameterError("give both --output FILE and --to FORMAT to write a table, or neither to measure one")
    if to is not None and to not in formats.KINDS:
        raise ParameterError(f"--to is {to!r:.60}; choose from {_KINDS}")
    if to == "discreet" and epsilon is None:
        raise ParameterError("a certificate is made at an epsilon: give --epsilon, for example --epsilon 1")
    if (rounded or clamp or leave_zeros) and to in (None, "discreet"):
        raise ParameterError("--round, --clamp and --leave-zeros change what is written for another tool: give --to it")
    if bits is not None and to != "discreet":
        raise ParameterError("--bits are those of a certificate: give --to discreet")
    mechanism = formats.read(path, source)
    epsilons = EPSILONS if epsilon is None or epsilon in EPSILONS else (*EPSILONS, epsilon)
    measured = formats.measure(mechanism, epsilons)
    report = _report(path, mechanism, measured)
    if not as_json:
        _show(f"{path}, as read", mechanism, measured)
    if output is not None and to == "discreet":
        ptable, note = _certify(mechanism, epsilon, bits)
        ptable.save(output)
        _streams.left(f"{output} is written")
        report["written"] = {"file": output, "kind": to, "digest": ptable.digest, "note": note}
        if not as_json:
            show.console.print(f"{output}, a certificate: {note}", style="bold", markup=False)
            show.guarantee(ptable)
    elif output is not None and to is not None:
        written = formats.write(mechanism, output, to, round=rounded, clamp=clamp, leave_zeros=leave_zeros)
        _streams.left(f"{output} is written")
        exact = formats.same(written, mechanism)
        measured = formats.measure(written, epsilons)
        report["written"] = {"exact": exact, **_report(output, written, measured)}
        if not as_json and exact:
            show.console.print(f"{output}: the same table exactly, for {written.design['tool']}", markup=False)
        elif not as_json:
            _show(f"{output}, as written: {written.design['changes']}", written, measured)
    if as_json:
        typer.echo(json.dumps(report, indent=1))


def _certify(mechanism: Mechanism, epsilon: str | None, bits: int | None) -> tuple[PTable, str]:
    """The certificate, and how far it is from the table."""
    ptable = mechanism.certify(epsilon, formats.exact_bits(mechanism) if bits is None else bits)
    if formats.same(ptable, mechanism):
        return ptable, "exactly the table that was read"
    distance = ptable.certificate.document["quantised"]["distance"]
    return ptable, (
        f"a copy quantised to {ptable.bits} bits, because the probabilities are not multiples of 2**-bits;"
        f" at most {show.upper(Fraction(distance))} from what was read, in total variation"
    )


def _show(title: str, mechanism: Mechanism, measured: Measurement) -> None:
    show.console.print(title, style="bold", markup=False)
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name in ("tool", "lookup", "zeros"):
        if name in mechanism.design:
            grid.add_row({"zeros": "empty cells"}.get(name, name), str(mechanism.design[name]))
    for each in measured.deltas:
        at = f", at {each.where}" if each.where else ""
        grid.add_row(f"epsilon = {each.epsilon}", f"delta = {show.upper(each.delta)}{at}")
    at = f", at {measured.where}" if measured.where else ""
    grid.add_row("any epsilon", f"delta is at least {show.upper(measured.floor)}{at}")
    for name in ("truth", "bias", "variance"):
        least, greatest = (show.number(value) for value in getattr(measured, name))
        grid.add_row(
            {"truth": "chance of truth"}.get(name, name), least if least == greatest else f"{least} to {greatest}"
        )
    grid.add_row("largest change", str(measured.change))
    show.console.print(grid)
    show.console.print(
        "This is the delta of one count under a uniform key of its own; keys summed from records do not compose.",
        style="dim",
    )


def _report(path: str, mechanism: Mechanism, measured: Measurement) -> dict[str, Any]:
    """The measurement as JSON: every fraction exactly, as text, and as a float."""
    return {
        "file": path,
        "design": {key: value if isinstance(value, int) else str(value) for key, value in mechanism.design.items()},
        "deltas": [
            {"epsilon": str(each.epsilon), **_number("delta", each.delta), "where": each.where}
            for each in measured.deltas
        ],
        "floor": {**_number("delta", measured.floor), "where": measured.where},
        **{name: [float(value) for value in getattr(measured, name)] for name in ("truth", "bias", "variance")},
        "largest_change": measured.change,
    }


def _number(name: str, value: Fraction) -> dict[str, Any]:
    return {name: float(value), f"{name}_exact": text(value)}

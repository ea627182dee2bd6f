"""Other tools' perturbation tables, in and out: ONS, Cantabular, R, tau-Argus.

What is read is checked line by line and becomes a mechanism with exact probabilities; nothing is believed of it but its
numbers. `measure` says what they promise. What is written is read back and compared before it is called written.
"""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from discreet import files
from discreet.certify import verify
from discreet.certify.ptable import PTable
from discreet.errors import FormatError
from discreet.formats import _bound_table, argus, cantabular, ons, r_ptable
from discreet.formats._bound_table import BoundTable
from discreet.formats._exact_weights import exact_bits, integers, same
from discreet.formats._fit import Fitted, Shape, fit
from discreet.formats._key_table import KeyTable
from discreet.formats._table_privacy import Delta, Measurement, measure
from discreet.formats._text_file import Source, opened, read_bytes
from discreet.mechanism import Mechanism


class Format(NamedTuple):
    """How a tool's table is read and written."""

    read: Callable[[Source], KeyTable | BoundTable]
    write: Callable[[Fitted], str]
    shape: Shape
    design: dict[str, Any]


FORMATS = {
    "ons": Format(ons.read, ons.write, ons.SHAPE, ons.DESIGN),
    "cantabular": Format(cantabular.read, cantabular.write, cantabular.SHAPE, cantabular.DESIGN),
    "ptable": Format(r_ptable.read, r_ptable.write, r_ptable.SHAPE, r_ptable.DESIGN),
    "ssb": Format(r_ptable.read_ssb, r_ptable.write, r_ptable.SSB_SHAPE, r_ptable.SSB_DESIGN),
    "argus": Format(argus.read, argus.write, argus.SHAPE, argus.DESIGN),
}
KINDS = (*FORMATS, "discreet")


def read(path: str | os.PathLike[str], kind: str | None = None) -> Mechanism:
    """The mechanism that a file's table is, exactly; the kind is taken from the header unless given.

    Kinds: ons, cantabular, ptable, ssb, argus, and discreet (a certificate, which is verified).

    Raises
    ------
    FormatError
        The file is not a complete and consistent table; the message names the line.
    """
    data = read_bytes(path)
    if _kind(kind) == "discreet" or (kind is None and data.lstrip()[:1] == b"{"):
        certificate = verify.verify(path)
        return Mechanism.from_table(certificate.table, certificate.document["design"])
    return _table(path, data, kind).mechanism()


def table(path: str | os.PathLike[str], kind: str | None = None) -> KeyTable | BoundTable:
    """The table as the tool has it, with `value(count, key)`: its own lookup."""
    if _kind(kind) == "discreet":
        raise FormatError(f"{path!s:.200}: a certificate has a lookup of its own; use load(path).perturb(counts, keys)")
    return _table(path, read_bytes(path), kind)


def write(
    given: Mechanism | PTable,
    path: str | os.PathLike[str],
    kind: str,
    *,
    round: bool = False,  # noqa: A002
    clamp: bool = False,
    leave_zeros: bool = False,
) -> Mechanism:
    """Write a table in a tool's format, exactly or not at all; returns the mechanism that was written.

    Parameters
    ----------
    round
        Allow probabilities to be rounded to what the format has.
    clamp
        Allow outputs below 0 to be written as 0.
    leave_zeros
        Allow the count 0 to be left alone.

    Raises
    ------
    FormatError
        The format cannot hold the table, and the change that would help was not allowed.
    """
    if _kind(kind) not in FORMATS:
        raise FormatError("a certificate needs an epsilon: use mechanism.certify(epsilon) and save it")
    form = FORMATS[kind]
    whole, denominator = integers(given)
    fitted = fit(whole, denominator, form.shape, round=round, clamp=clamp, leave_zeros=leave_zeros)
    design = {**form.design, "changes": "; ".join(fitted.changes) or "none"}
    meant = fitted.mechanism(whole.neighbours, design)
    data = form.write(fitted).encode()
    if not same(form.read(opened(path, data)).mechanism(), meant):
        raise FormatError(
            f"{path!s:.200}: what would be written does not read back as the same table; nothing was written"
        )
    files.write(path, data)
    return meant


def detect(given: Source) -> str:
    """The kind of a file, from its header.

    Raises
    ------
    FormatError
        The header is nobody's.
    """
    names = set(given.header)
    if names >= set(ons.COLUMNS):
        return "ons"
    if names >= set(cantabular.COLUMNS):
        return "cantabular"
    named = names >= set(_bound_table.NAMES)
    if named and (given.separator != ";" or "p_int_lb" in names):
        return "ptable"
    if given.separator == ";" and given.header[:2] == ("i", "j"):
        return "argus"
    raise given.refuse(
        given.line,
        f"the header {', '.join(given.header)!r:.120} is none that is known; say which tool the table is from:"
        f" {', '.join(FORMATS)}",
    )


def _table(path: str | os.PathLike[str], data: bytes, kind: str | None) -> KeyTable | BoundTable:
    given = opened(path, data)
    return FORMATS[kind or detect(given)].read(given)


def _kind(kind: str | None) -> str | None:
    if kind is not None and kind not in KINDS:
        raise FormatError(f"the kind is {kind!r}; choose from {', '.join(KINDS)}")
    return kind


__all__ = [
    "FORMATS", "KINDS", "BoundTable", "Delta", "KeyTable", "Measurement",
    "detect", "exact_bits", "measure", "read", "same", "table", "write",
]  # fmt: skip

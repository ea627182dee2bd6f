"""Other tools' perturbation tables, in and out: ONS, Cantabular, R, tau-Argus.

A file is checked line by line and becomes a mechanism with exact probabilities. Only its numbers are used, never the
claims of its makers: `table_privacy` computes what the numbers promise. A file that is written is read back and
compared before it is kept.
"""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from discreet import files
from discreet.certify import verify
from discreet.certify.ptable import PTable
from discreet.errors import FormatError
from discreet.formats import argus, cantabular, ons, r_ptable
from discreet.formats._bound_table import NAMES, BoundTable
from discreet.formats._exact_weights import exact_bits, exact_weights, same
from discreet.formats._fit import FittedTable, FormatLimits, fit
from discreet.formats._key_table import KeyTable
from discreet.formats._table_privacy import EPSILONS, Delta, TablePrivacy, table_privacy
from discreet.formats._text_file import TextFile, decode, read_bytes
from discreet.mechanism import Mechanism


class Format(NamedTuple):
    """How a tool's table is read and written, what it can hold, and how its design is described."""

    read: Callable[[TextFile], KeyTable | BoundTable]
    write: Callable[[FittedTable], str]
    limits: FormatLimits
    design: dict[str, Any]


FORMATS = {
    "ons": Format(ons.read, ons.write, ons.LIMITS, ons.DESIGN),
    "cantabular": Format(cantabular.read, cantabular.write, cantabular.LIMITS, cantabular.DESIGN),
    "ptable": Format(r_ptable.read, r_ptable.write, r_ptable.LIMITS, r_ptable.DESIGN),
    "ssb": Format(r_ptable.read_ssb, r_ptable.write, r_ptable.SSB_LIMITS, r_ptable.SSB_DESIGN),
    "argus": Format(argus.read, argus.write, argus.LIMITS, argus.DESIGN),
}
KINDS = (*FORMATS, "discreet")


def read(path: str | os.PathLike[str], kind: str | None = None) -> Mechanism:
    """Return the table of a file as a mechanism with exact probabilities.

    Parameters
    ----------
    path
        The file.
    kind : {"ons", "cantabular", "ptable", "ssb", "argus", "discreet"}
        The format. None: the format that the header shows. "discreet" is a certificate, which is verified.

    Returns
    -------
    Mechanism
        The distribution of the output for each count, for a uniform key.

    Raises
    ------
    FormatError
        The file is not a complete and consistent table; the message names the line. Or the kind is unknown.
    CertificateError
        A claim of a certificate fails.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> _ = dc.formats.write(table, "ptable.csv", "ptable", round=True, clamp=True, leave_zeros=True)
    >>> mechanism = dc.formats.read("ptable.csv")
    >>> outputs, probabilities = mechanism.pmf(1)
    >>> outputs.tolist()[:4], probabilities.round(4).tolist()[:4]
    ([0, 1, 2, 3], [0.2689, 0.4621, 0.17, 0.0625])
    """
    data = read_bytes(path)
    if _require_kind(kind) == "discreet" or (kind is None and data.lstrip()[:1] == b"{"):
        certificate = verify.verify(path)
        return Mechanism.from_table(certificate.table, certificate.document["design"])
    return _table(path, data, kind).mechanism()


def table(path: str | os.PathLike[str], kind: str | None = None) -> KeyTable | BoundTable:
    """Return the table as the tool has it. Its method `value(count, key)` is the tool's own lookup.

    Parameters
    ----------
    path, kind
        As in `read`, but not a certificate.

    Returns
    -------
    KeyTable or BoundTable
        A table with integer keys, or a table with bounds of keys between 0 and 1.

    Raises
    ------
    FormatError
        As in `read`; or the kind is "discreet".

    Examples
    --------
    >>> import discreet as dc
    >>> noise = dc.design.geometric(epsilon=1).certify()
    >>> _ = dc.formats.write(noise, "ptable.csv", "ptable", round=True, clamp=True, leave_zeros=True)
    >>> dc.formats.table("ptable.csv").value(24, "0.8967")
    25
    """
    if _require_kind(kind) == "discreet":
        raise FormatError(f"{path!s:.200}: a certificate has a lookup of its own; use load(path).perturb(counts, keys)")
    return _table(path, read_bytes(path), kind)


def write(
    table: Mechanism | PTable,
    path: str | os.PathLike[str],
    kind: str,
    *,
    round: bool = False,  # noqa: A002
    clamp: bool = False,
    leave_zeros: bool = False,
) -> Mechanism:
    """Write a table in a tool's format, exactly or not at all.

    Parameters
    ----------
    table : Mechanism or PTable
        A table on counts with exact probabilities.
    path
        The file.
    kind : {"ons", "cantabular", "ptable", "ssb", "argus"}
        The format.
    round
        Allow probabilities to be rounded to multiples that the format has.
    clamp
        Allow outputs below 0 to be written as 0.
    leave_zeros
        Allow the count 0 to be left alone.

    Returns
    -------
    Mechanism
        The mechanism that was written. `design["changes"]` says how it differs from the table.

    Raises
    ------
    FormatError
        The format cannot hold the table, and the change that would help is not allowed. Or the kind is unknown.
    OutputError
        The file cannot be written.

    Examples
    --------
    >>> import discreet as dc
    >>> noise = dc.design.geometric(epsilon=1).certify()
    >>> written = dc.formats.write(noise, "ptable.txt", "argus", round=True, clamp=True, leave_zeros=True)
    >>> print(written.design["changes"].replace("; ", "\\n"))
    outputs below 0 are written as 0
    the count 0 is left alone
    probabilities are rounded to 10000000000 decimals of up to 10 digits
    """
    if _require_kind(kind) not in FORMATS:
        raise FormatError("a certificate needs an epsilon: use mechanism.certify(epsilon) and save it")
    chosen = FORMATS[kind]
    weights, denominator = exact_weights(table)
    fitted = fit(weights, denominator, chosen.limits, round=round, clamp=clamp, leave_zeros=leave_zeros)
    design = {**chosen.design, "changes": "; ".join(fitted.changes) or "none"}
    written = fitted.mechanism(weights.neighbours, design)
    data = chosen.write(fitted).encode()
    if not same(chosen.read(decode(path, data)).mechanism(), written):
        raise FormatError(f"{path!s:.200}: the written text does not read back as the same table; nothing was written")
    files.write(path, data)
    return written


def detect(file: TextFile) -> str:
    """Return the kind of a file, from its header.

    Parameters
    ----------
    file
        The text of the file, as it was read.

    Returns
    -------
    str
        The kind, one of `FORMATS`.

    Raises
    ------
    FormatError
        The header is of no known kind.

    Examples
    --------
    >>> from discreet.formats import detect
    >>> from discreet.formats._text_file import decode
    >>> detect(decode("table.csv", b"pcv,ckey,pvalue\\n1,0,1\\n"))
    'ons'
    """
    names = set(file.header)
    if names >= set(ons.COLUMNS):
        return "ons"
    if names >= set(cantabular.COLUMNS):
        return "cantabular"
    if names >= set(NAMES) and (file.separator != ";" or "p_int_lb" in names):
        return "ptable"
    if file.separator == ";" and file.header[:2] == ("i", "j"):
        return "argus"
    raise file.error(
        file.header_line,
        f"the header {', '.join(file.header)!r:.120} is of no known tool; name the tool of the table:"
        f" {', '.join(FORMATS)}",
    )


def _table(path: str | os.PathLike[str], data: bytes, kind: str | None) -> KeyTable | BoundTable:
    file = decode(path, data)
    return FORMATS[kind or detect(file)].read(file)


def _require_kind(kind: str | None) -> str | None:
    if kind is not None and kind not in KINDS:
        raise FormatError(f"the kind is {kind!r}; choose from {', '.join(KINDS)}")
    return kind


__all__ = [
    "EPSILONS", "FORMATS", "KINDS", "BoundTable", "Delta", "KeyTable", "TablePrivacy",
    "detect", "exact_bits", "read", "same", "table", "table_privacy", "write",
]  # fmt: skip

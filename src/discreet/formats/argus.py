"""The table of tau-Argus: text with semicolons, i;j;p;v;p_int_ub and perhaps the type, read by position.

Its own samples have three different headers, so names mean nothing; numbers may be quoted, padded, or have a decimal
comma. The first line is a header and is not looked at.
"""

from discreet.formats import _bound_table
from discreet.formats._bound_table import BoundTable
from discreet.formats._fit import Fitted, Shape
from discreet.formats._text_file import Source, number

COLUMNS = (*_bound_table.NAMES, "type")
DECIMALS = 10
SHAPE = Shape("argus", (10**8, 10**DECIMALS), f"decimals of up to {DECIMALS} digits", 2, None, zeros=False)
DESIGN = {
    "name": "argus",
    "tool": "tau-Argus",
    "lookup": "key = sum of record keys modulo 1; first line with key < p_int_ub; the last i serves larger counts",
    "zeros": "left alone",
}


def read(source: Source) -> BoundTable:
    """The table of a file."""
    width = len(source.header)
    if width not in (len(COLUMNS) - 1, len(COLUMNS)):
        raise source.refuse(
            source.line, f"has {width} columns; tau-Argus has 5 or 6, separated by semicolons: {';'.join(COLUMNS)}"
        )
    if all(number(name) is not None for name in source.header[:5]):
        raise source.refuse(source.line, "is numbers where the header should be; put a line of names first")
    lines = [
        _bound_table.parse(source, line, dict(zip(COLUMNS, fields, strict=False))) for line, fields in source.records()
    ]
    return _bound_table.read(source, lines, closed=False, design=DESIGN)


def write(table: Fitted) -> str:
    """One line for each count and output; the type only where there are two."""
    many = len(COLUMNS) if len(table.interior) > 1 else len(COLUMNS) - 1
    found = [(i, j, p, v, upper, kind) for i, j, p, v, _, upper, kind in _bound_table.lines(table)]
    return "".join(";".join(line[:many]) + "\n" for line in [COLUMNS, *found])

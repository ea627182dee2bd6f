"""The table of R's ptable and cellKey: `i,j,p,v,p_int_lb,p_int_ub,type`, decimals of 8 digits. SSBcellKey has the same.

cellKey takes the first line whose bound is above the key, SSBcellKey the first whose bound is not below it. Only a key
that equals a bound tells them apart: where record keys have d decimals, the first interval then gains 10**-d and the
last one loses it.
"""

from dataclasses import replace

from discreet.formats import _bound_table
from discreet.formats._bound_table import BoundTable
from discreet.formats._fit import Fitted, Shape
from discreet.formats._text_file import Source

COLUMNS = ("i", "j", "p", "v", "p_int_lb", "p_int_ub", "type")
DECIMALS = 8
SHAPE = Shape("ptable", (10**DECIMALS,), f"decimals of {DECIMALS} digits", 2, None, zeros=False)
DESIGN = {
    "name": "ptable",
    "tool": "R ptable and cellKey",
    "lookup": "key = sum of record keys modulo 1; first line with key < p_int_ub; the last i serves larger counts",
    "zeros": "left alone",
}
SSB_SHAPE = replace(SHAPE, name="ssb")
SSB_DESIGN = {**DESIGN, "name": "ssb", "tool": "SSBcellKey", "lookup": DESIGN["lookup"].replace("key <", "key <=")}


def read(source: Source, closed: bool = False) -> BoundTable:
    """The table of a file; closed: as SSBcellKey looks up."""
    lines = _bound_table.by_name(source, _bound_table.NAMES, ("p_int_lb", "type"))
    return _bound_table.read(source, lines, closed, SSB_DESIGN if closed else DESIGN)


def read_ssb(source: Source) -> BoundTable:
    """The table of a file, as SSBcellKey looks up in it."""
    return read(source, closed=True)


def write(table: Fitted) -> str:
    """One line for each count and output, outputs increasing."""
    return "".join(",".join(line) + "\n" for line in [COLUMNS, *_bound_table.lines(table)])

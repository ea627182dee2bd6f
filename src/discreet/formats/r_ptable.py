"""The table of R's ptable and cellKey: `i,j,p,v,p_int_lb,p_int_ub,type`, decimals of 8 digits. SSBcellKey has the same.

cellKey takes the first line whose bound is above the key, SSBcellKey the first line whose bound is not below the key.
They differ only for a key that equals a bound. If record keys have d decimals, the first interval then gains 10**-d and
the last one loses it.
"""

from dataclasses import replace

from discreet.formats._bound_table import BoundTable, bound_table, read_named_columns, written_lines
from discreet.formats._fit import FittedTable, FormatLimits
from discreet.formats._text_file import TextFile

COLUMNS = ("i", "j", "p", "v", "p_int_lb", "p_int_ub", "type")
DECIMALS = 8
LIMITS = FormatLimits("ptable", (10**DECIMALS,), f"decimals of {DECIMALS} digits", 2, None, perturbs_zero=False)
DESIGN = {
    "name": "ptable",
    "tool": "R ptable and cellKey",
    "lookup": "key = sum of record keys modulo 1; first line with key < p_int_ub; the last i serves larger counts",
    "zeros": "left alone",
}
SSB_LIMITS = replace(LIMITS, name="ssb")
SSB_DESIGN = {**DESIGN, "name": "ssb", "tool": "SSBcellKey", "lookup": DESIGN["lookup"].replace("key <", "key <=")}


def read(file: TextFile) -> BoundTable:
    """Return the table of a file, with the lookup of cellKey. Raise FormatError if the file is not a complete table."""
    return bound_table(file, read_named_columns(file), closed=False, design=DESIGN)


def read_ssb(file: TextFile) -> BoundTable:
    """Return the table of a file, with the lookup of SSBcellKey. Raise FormatError as `read` does."""
    return bound_table(file, read_named_columns(file), closed=True, design=SSB_DESIGN)


def write(table: FittedTable) -> str:
    """Return the text of a file: one line for each count and output, outputs increasing."""
    return "".join(",".join(line) + "\n" for line in [COLUMNS, *written_lines(table)])

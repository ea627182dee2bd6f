"""The table of tau-Argus: text with semicolons, i;j;p;v;p_int_ub and perhaps the type, read by position.

The samples of tau-Argus have three different headers, so column names are not used. Numbers may be quoted, padded, or
have a decimal comma. The first line is a header and is ignored.
"""

from discreet.formats._bound_table import NAMES, BoundTable, bound_table, parse_line, written_lines
from discreet.formats._fit import FittedTable, FormatLimits
from discreet.formats._text_file import TextFile, parse_decimal

COLUMNS = (*NAMES, "type")
DECIMALS = 10
LIMITS = FormatLimits(
    "argus", (10**8, 10**DECIMALS), f"decimals of up to {DECIMALS} digits", 2, None, perturbs_zero=False
)
DESIGN = {
    "name": "argus",
    "tool": "tau-Argus",
    "lookup": "key = sum of record keys modulo 1; first line with key < p_int_ub; the last i serves larger counts",
    "zeros": "left alone",
}


def read(file: TextFile) -> BoundTable:
    """Return the table of a file. Raise FormatError, with the line, if the file is not a complete table."""
    width = len(file.header)
    if width not in (len(COLUMNS) - 1, len(COLUMNS)):
        raise file.error(
            file.header_line,
            f"has {width} columns; tau-Argus has 5 or 6, separated by semicolons: {';'.join(COLUMNS)}",
        )
    if all(parse_decimal(name) is not None for name in file.header[:5]):
        raise file.error(file.header_line, "the header is numbers; put a line of names first")
    lines = [parse_line(file, number, dict(zip(COLUMNS, fields, strict=False))) for number, fields in file.records()]
    return bound_table(file, lines, closed=False, design=DESIGN)


def write(table: FittedTable) -> str:
    """Return the text of a file: one line for each count and output, with a type only if there are two types."""
    width = len(COLUMNS) if len(table.interior) > 1 else len(COLUMNS) - 1
    lines = [(i, j, p, v, upper, type_) for i, j, p, v, _, upper, type_ in written_lines(table)]
    return "".join(";".join(line[:width]) + "\n" for line in [COLUMNS, *lines])

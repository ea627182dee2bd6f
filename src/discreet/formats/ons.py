"""The table of the ONS cell-key-perturbation packages (Python, R, BigQuery): `pcv,ckey,pvalue`, one line for each pair.

Counts pcv 1..750, keys 0..255 or 0..4095. There is no pcv 0: an empty cell has no records, so its key is always 0 and
it stays empty. The output is count + pvalue.
"""

from discreet.formats._fit import FittedTable, FormatLimits
from discreet.formats._key_table import LARGEST, PERIOD, START, KeyTable, read_changes
from discreet.formats._text_file import TextFile

COLUMNS = ("pcv", "ckey", "pvalue")
LIMITS = FormatLimits("ons", (256, 4096), "keys", PERIOD, START, perturbs_zero=False)
DESIGN = {
    "name": "ons",
    "tool": "ONS cell-key-perturbation",
    "lookup": "key = sum of record keys modulo the number of keys; counts above 750 as (n - 1) % 250 + 501",
    "zeros": "left alone",
}


def read(file: TextFile) -> KeyTable:
    """Return the table of a file. Raise FormatError, with the line, if the file is not a complete table."""
    changes = read_changes(file, COLUMNS, LIMITS.totals, key_ranges=False, perturbs_zero=False)
    return KeyTable(changes, {**DESIGN, "keys": changes.shape[1]})


def write(table: FittedTable) -> str:
    """Return the text of a file: one line for each count and key. The smallest change has the first keys."""
    lines = [",".join(COLUMNS)]
    for count in range(1, LARGEST + 1):
        first_key = 0
        for output, weight in table.outputs(count):
            lines += [f"{count},{key},{output - count}" for key in range(first_key, first_key + weight)]
            first_key += weight
    return "\n".join(lines) + "\n"

"""The table of the ONS cell-key-perturbation packages (Python, R, BigQuery): `pcv,ckey,pvalue`, one line a pair.

Counts pcv 1..750, keys 0..255 or 0..4095. There is no pcv 0: an empty cell has no records, so its key is always
0 and it stays empty. The output is count + pvalue.
"""

from discreet.formats import _key_table
from discreet.formats._fit import Fitted, Shape
from discreet.formats._key_table import KeyTable
from discreet.formats._text_file import Source

COLUMNS = ("pcv", "ckey", "pvalue")
SHAPE = Shape("ons", (256, 4096), "keys", _key_table.PERIOD, _key_table.START, zeros=False)
DESIGN = {
    "name": "ons",
    "tool": "ONS cell-key-perturbation",
    "lookup": "key = sum of record keys modulo the number of keys; counts above 750 as (n - 1) % 250 + 501",
    "zeros": "left alone",
}


def read(source: Source) -> KeyTable:
    """The table of a file."""
    changes = _key_table.read(source, COLUMNS, SHAPE.totals, ranges=False, zeros=False)
    return KeyTable(changes, {**DESIGN, "keys": changes.shape[1]})


def write(table: Fitted) -> str:
    """One line for each count and key; the smallest change has the first keys."""
    lines = [",".join(COLUMNS)]
    for count in range(1, _key_table.LARGEST + 1):
        key = 0
        for output, weight in table.outputs(count):
            lines += [f"{count},{at},{output - count}" for at in range(key, key + weight)]
            key += weight
    return "\n".join(lines) + "\n"

"""Cantabular's table: `cell_value,cell_key,perturbation`, or the header of ONS. A key may be a range `a-b`.

Keys 0..255. Entries for the count 0 are looked up by the sum of the category keys that define the cell. Category keys
come in a file of their own, `variable name,category code,category key`. The privacy that is computed holds for category
keys that are drawn uniformly and kept secret. Without entries for the count 0, empty cells stay empty.
"""

import os

from discreet.formats import ons
from discreet.formats._fit import FittedTable, FormatLimits
from discreet.formats._key_table import LARGEST, PERIOD, START, KeyTable, read_changes
from discreet.formats._text_file import TextFile, decode, parse_integer, read_bytes

COLUMNS = ("cell_value", "cell_key", "perturbation")
CATEGORY_COLUMNS = ("variable name", "category code", "category key")
LIMITS = FormatLimits("cantabular", (256,), "keys", PERIOD, START, perturbs_zero=True)
DESIGN = {
    "name": "cantabular",
    "tool": "Cantabular",
    "lookup": "key = sum of record keys modulo 256; counts above 750 as (n - 1) % 250 + 501",
}


def read(file: TextFile) -> KeyTable:
    """Return the table of a file. Raise FormatError, with the line, if the file is not a complete table."""
    columns = ons.COLUMNS if ons.COLUMNS[0] in file.header else COLUMNS
    changes = read_changes(file, columns, LIMITS.totals, key_ranges=True, perturbs_zero=True)
    zeros = "perturbed through category keys" if changes[0].any() else "left alone"
    return KeyTable(changes, {**DESIGN, "zeros": zeros, "keys": changes.shape[1]})


def write(table: FittedTable) -> str:
    """Return the text of a file: one line for each count and change, with a range of keys.

    The smallest change has the first keys.
    """
    lines = [",".join(COLUMNS)]
    for count in range(LARGEST + 1):
        key = 0
        for output, weight in table.outputs(count):
            keys = f"{key}-{key + weight - 1}" if weight > 1 else str(key)
            lines.append(f"{count},{keys},{output - count}")
            key += weight
    return "\n".join(lines) + "\n"


def category_keys(path: str | os.PathLike[str]) -> dict[tuple[str, str], int]:
    """Return the key of every (variable, category) of a file of category keys.

    Raises
    ------
    FormatError
        The file has another header, a key is not an integer from 0 to 255, or a category has two keys.
    """
    file = decode(path, read_bytes(path))
    if file.header != CATEGORY_COLUMNS:
        raise file.error(
            file.header_line, f"the header is {', '.join(file.header)!r:.120}; give {','.join(CATEGORY_COLUMNS)}"
        )
    keys: dict[tuple[str, str], int] = {}
    for line, (variable, code, written) in file.records():
        key = parse_integer(written)
        if key is None or not 0 <= key < LIMITS.totals[0]:
            raise file.error(
                line, f"category key is {written[:40]!r}; give an integer from 0 to {LIMITS.totals[0] - 1}"
            )
        if (variable, code) in keys:
            raise file.error(line, f"category {code!r} of {variable!r} has a key already; leave one of them out")
        keys[variable, code] = key
    return keys

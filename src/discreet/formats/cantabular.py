"""Cantabular's table: `cell_value,cell_key,perturbation`, or the header of ONS; a key may be a range `a-b`.

Keys 0..255. Entries for the count 0 are looked up by the sum of the category keys that define the cell, which come
in a file of their own, `variable name,category code,category key`; what is measured holds for category keys
drawn uniformly and kept secret. Without such entries empty cells stay empty.
"""

import os

from discreet.formats import _key_table, ons
from discreet.formats._fit import Fitted, Shape
from discreet.formats._key_table import KeyTable
from discreet.formats._text_file import Source, integer, opened, read_bytes

COLUMNS = ("cell_value", "cell_key", "perturbation")
CATEGORY_COLUMNS = ("variable name", "category code", "category key")
SHAPE = Shape("cantabular", (256,), "keys", _key_table.PERIOD, _key_table.START, zeros=True)
DESIGN = {
    "name": "cantabular",
    "tool": "Cantabular",
    "lookup": "key = sum of record keys modulo 256; counts above 750 as (n - 1) % 250 + 501",
}


def read(given: Source) -> KeyTable:
    """The table of a file."""
    columns = ons.COLUMNS if ons.COLUMNS[0] in given.header else COLUMNS
    changes = _key_table.read(given, columns, SHAPE.totals, ranges=True, zeros=True)
    zeros = "perturbed through category keys" if changes[0].any() else "left alone"
    return KeyTable(changes, {**DESIGN, "zeros": zeros, "keys": changes.shape[1]})


def write(table: Fitted) -> str:
    """One line for each count and change, its keys as a range; the smallest change has the first keys."""
    lines = [",".join(COLUMNS)]
    for count in range(_key_table.LARGEST + 1):
        key = 0
        for output, weight in table.outputs(count):
            span = f"{key}-{key + weight - 1}" if weight > 1 else str(key)
            lines.append(f"{count},{span},{output - count}")
            key += weight
    return "\n".join(lines) + "\n"


def category_keys(path: str | os.PathLike[str]) -> dict[tuple[str, str], int]:
    """The key of every (variable, category) of a file of category keys."""
    given = opened(path, read_bytes(path))
    if given.header != CATEGORY_COLUMNS:
        raise given.refuse(
            given.line, f"the header is {', '.join(given.header)!r:.120}; give {','.join(CATEGORY_COLUMNS)}"
        )
    keys: dict[tuple[str, str], int] = {}
    for line, (variable, code, written) in given.records():
        key = integer(written)
        if key is None or not 0 <= key < SHAPE.totals[0]:
            raise given.refuse(
                line, f"category key is {written[:40]!r}; give an integer from 0 to {SHAPE.totals[0] - 1}"
            )
        if (variable, code) in keys:
            raise given.refuse(line, f"category {code!r} of {variable!r} has a key already; leave one of them out")
        keys[variable, code] = key
    return keys

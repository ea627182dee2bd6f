"""Reconcile a table in a CSV file: a hierarchy, or crossed dimensions with their margins.

Columns `count` (noisy integers) and, if wanted, `variance` and `fixed` (a public value, or empty). With columns `name`
and `parent` the rows are nodes of a hierarchy, an empty parent making a root. Otherwise every other column is a
dimension, and a row whose cell in it is empty or `_total` is summed over it. Rows may come in any order, and keep it.
"""

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.errors import InputError
from discreet.labels import TOTAL
from discreet.reconcile.cubes import Moved, moved, reconciled
from discreet.reconcile.inputs import LARGEST
from discreet.reconcile.problem import Naming
from discreet.reconcile.trees import named as named_tree

TOTALS = ("", TOTAL)
OWN = ("count", "variance", "fixed")


@dataclass(frozen=True)
class Reconciled:
    """A table that adds up, as CSV text, and how far its numbers moved: by margin, or the hierarchy as a whole."""

    text: str
    moved: dict[str, Moved]


def reconcile(text: str, seed: int | None = None) -> Reconciled:
    """Make the counts of a CSV table add up."""
    try:
        rows = list(csv.reader(io.StringIO(text)))
    except csv.Error as error:
        raise InputError(f"the table is no CSV that can be read ({error}); correct it") from None
    if len(rows) < 2 or "count" not in rows[0]:
        raise InputError("the table has no rows, or no column 'count'; give a header and one row a cell")
    header = rows[0]
    if len(set(header)) < len(header):
        raise InputError(f"the table has two columns of one name: {', '.join(header)}; rename one")
    numbers, body = [number for number, row in enumerate(rows, 1) if row][1:], [row for row in rows[1:] if row]
    for number, row in zip(numbers, body, strict=True):
        if len(row) != len(header):
            raise InputError(f"row {number} has {len(row)} cells, the header {len(header)}; give it as many")
    columns = {name: [row[place].strip() for row in body] for place, name in enumerate(header)}
    nested = "parent" in columns
    pairs = list(zip(numbers, columns["count"], strict=True))
    counts = np.array([_integer(value, "count", number, -LARGEST) for number, value in pairs], dtype=np.int64)
    variances = None
    if "variance" in columns:
        spreads = zip(numbers, columns["variance"], strict=True)
        variances = np.array([_variance(value, number, nested) for number, value in spreads])
    fixed = {
        place: _integer(value, "fixed", numbers[place], 0)
        for place, value in enumerate(columns.get("fixed", []))
        if value
    }
    if nested:
        result, told = _tree(columns, counts, variances, fixed, seed)
    else:
        result, told = _cube(columns, counts, variances, fixed, seed)
    place = header.index("count")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([*row[:place], value, *row[place + 1 :]] for row, value in zip(body, result.tolist(), strict=True))
    return Reconciled(out.getvalue(), told)


def _integer(value: str, column: str, number: int, least: int) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,15}", value):
        raise InputError(f"{column} is {value!r:.40} in row {number}; give an integer in every row")
    if not least <= int(value) <= LARGEST:
        raise InputError(
            f"{column} is {value} in row {number}; give an integer from {'-2**42' if least else 0} to 2**42"
        )
    return int(value)


def _variance(value: str, number: int, unmeasured: bool) -> float:
    """A variance; inf, for a number that was not measured, only in a hierarchy."""
    try:
        spread = float(value)
    except ValueError:
        spread = math.nan
    if not (1e-100 <= spread <= 1e100 or (unmeasured and spread == math.inf)):
        raise InputError(f"variance is {value!r:.40} in row {number}; give a number above 0 in every row")
    return spread


def _tree(
    columns: dict[str, list[str]], counts: Any, variances: Any, fixed: dict[int, int], seed: int | None
) -> tuple[Any, dict[str, Moved]]:
    if "name" not in columns:
        raise InputError("the table has a column 'parent' and none called 'name'; name every node")
    names = columns["name"]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = {names[row]: number for number, row in enumerate(order)}
    if len(place) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the node {twice!r:.60} is there twice; a node has one row and one parent")
    parents = []
    for row in order:
        parent = columns["parent"][row]
        if parent and parent not in place:
            raise InputError(f"the node {names[row]!r:.60} has the parent {parent!r:.60}, which has no row; add it")
        parents.append(place[parent] if parent else -1)
    found = named_tree(
        counts[order],
        parents,
        None if variances is None else variances[order],
        {place[names[row]]: value for row, value in fixed.items()},
        seed,
        lambda node: f"{names[order[node]]!r:.60}",
    )
    result = np.empty_like(found)
    result[order] = found
    return result, {"all nodes": moved(counts, result)}


def _cube(
    columns: dict[str, list[str]], counts: Any, variances: Any, fixed: dict[int, int], seed: int | None
) -> tuple[Any, dict[str, Moved]]:
    dimensions = [name for name in columns if name not in OWN]
    codes, sides = [], []
    words = [sorted(set(columns[name]) - set(TOTALS)) for name in dimensions]
    for name, values in zip(dimensions, words, strict=True):
        categories = {value: number for number, value in enumerate(values)}
        codes.append(np.array([categories.get(value, -1) for value in columns[name]]))
        sides.append(len(categories))
        if not categories:
            raise InputError(f"the dimension {name!r:.60} has no categories, only totals; remove the column")
    table = np.stack([*codes, np.zeros(len(counts), dtype=np.int64)])[: len(codes)].T
    rows_of: dict[tuple[int, ...], list[int]] = {}
    for number, row in enumerate(table.tolist()):
        rows_of.setdefault(tuple(axis for axis, code in enumerate(row) if code >= 0), []).append(number)
    margins, spreads, places = {}, {}, {}
    known: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    for key, rows in rows_of.items():
        shape = tuple(sides[axis] for axis in key)
        name = _margin(key, dimensions)
        at = np.ravel_multi_index(tuple(table[rows][:, list(key)].T), shape) if key else np.zeros(len(rows), dtype=int)
        seen = np.bincount(at, minlength=int(np.prod(shape)))
        if (seen != 1).any():
            cell = np.unravel_index(int(np.argmax(seen != 1)), shape) if key else ()
            shown = _cell(key, cell, dimensions, words)
            often = int(seen.flat[int(np.argmax(seen != 1))])
            raise InputError(f"the margin {name} has {often} rows for {shown}; give one for every cell")
        noisy, spread = np.empty(len(rows), dtype=np.int64), np.ones(len(rows))
        noisy[at] = counts[rows]
        margins[key] = noisy.reshape(shape)
        if variances is not None:
            spread[at] = variances[rows]
            spreads[key] = spread[0] if (spread == spread[0]).all() else spread.reshape(shape)
        for number, place in zip(rows, at.tolist(), strict=True):
            if number in fixed:
                index = tuple(int(code) for code in np.unravel_index(place, shape)) if key else ()
                known.setdefault(key, {})[index] = fixed[number]
        places[key] = (rows, at, name)
    naming = Naming(
        lambda named: _margin([axis for axis, _ in named], dimensions),
        lambda named, at: _cell([axis for axis, _ in named], at, dimensions, words),
    )
    found = reconciled(margins, spreads or None, known, seed, None, naming).values
    result = np.empty_like(counts)
    for key, (rows, at, _) in places.items():
        result[rows] = np.ravel(found[key])[at]
    return result, {places[key][2]: told for key, told in moved(margins, found).items()}


def _margin(axes: Sequence[int], dimensions: list[str]) -> str:
    return " by ".join(dimensions[axis] for axis in axes) or "total"


def _cell(axes: Sequence[int], at: Sequence[Any], dimensions: list[str], words: list[list[str]]) -> str:
    parts = [f"{dimensions[axis]} {words[axis][int(code)]}" for axis, code in zip(axes, at, strict=True)]
    return ", ".join(parts) or "the total"

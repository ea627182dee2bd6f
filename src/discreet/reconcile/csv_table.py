"""Reconcile a table in a CSV file: a hierarchy, or crossed dimensions with their margins.

The column `count` has noisy integers. The columns `variance` and `fixed` (a public value, or empty) are optional.

With columns `name` and `parent` the rows are nodes of a hierarchy; a node with an empty parent is a root. Otherwise
every other column is a dimension. A row is summed over a dimension if its cell there is empty or `_total`. Rows may
come in any order, and keep that order.
"""

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.arrays import LARGEST_SUM, Floats, Integers
from discreet.errors import InputError
from discreet.labels import TOTAL
from discreet.reconcile.cubes import Moved, moved, reconcile_cube
from discreet.reconcile.problem import Naming
from discreet.reconcile.trees import fit_tree

TOTALS = ("", TOTAL)
NUMBER_COLUMNS = ("count", "variance", "fixed")


@dataclass(frozen=True)
class ReconciledTable:
    """A table that adds up.

    Attributes
    ----------
    text
        The table as CSV.
    moved
        How far the numbers moved: by margin, or all nodes of a hierarchy together.
    """

    text: str
    moved: dict[str, Moved]


class _Numbers(NamedTuple):
    """The numbers of a table, row by row; `fixed` has values by row."""

    counts: Integers
    variances: Floats | None
    fixed: dict[int, int]


def reconcile(text: str, seed: int | None = None) -> ReconciledTable:
    """Return a CSV table whose counts add up.

    Parameters
    ----------
    text
        The table, with a header.
    seed
        An integer from 0 that decides ties. None takes a fresh one.

    Raises
    ------
    InputError
        The table is no CSV, or a row or column is not what it should be.
    ParameterError
        Fixed values contradict each other.
    SolverError
        Least squares did not converge, or no integers were found.
    """
    header, line_numbers, rows = _read(text)
    columns = {name: [row[index].strip() for row in rows] for index, name in enumerate(header)}
    is_tree = "parent" in columns
    numbers = _numbers(columns, line_numbers, is_tree)
    counts, distances = (_tree if is_tree else _cube)(columns, numbers, seed)
    position = header.index("count")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row, count in zip(rows, counts.tolist(), strict=True):
        writer.writerow([*row[:position], count, *row[position + 1 :]])
    return ReconciledTable(out.getvalue(), distances)


def _read(text: str) -> tuple[list[str], list[int], list[list[str]]]:
    """Return the header, and the line numbers and cells of all rows that are not empty."""
    try:
        lines = list(csv.reader(io.StringIO(text)))
    except csv.Error as error:
        raise InputError(f"the table is no CSV that can be read ({error}); correct it") from None
    if len(lines) < 2 or "count" not in lines[0]:
        raise InputError("the table has no rows, or no column 'count'; give a header and one row a cell")
    header = lines[0]
    if len(set(header)) < len(header):
        raise InputError(f"the table has two columns of one name: {', '.join(header)}; rename one")
    line_numbers = [number for number, line in enumerate(lines, 1) if line][1:]
    rows = [line for line in lines[1:] if line]
    for number, row in zip(line_numbers, rows, strict=True):
        if len(row) != len(header):
            raise InputError(f"row {number} has {len(row)} cells, and the header has {len(header)}; give as many")
    return header, line_numbers, rows


def _numbers(columns: dict[str, list[str]], line_numbers: list[int], is_tree: bool) -> _Numbers:
    counts = [
        _integer(value, "count", number, -LARGEST_SUM)
        for value, number in zip(columns["count"], line_numbers, strict=True)
    ]
    variances = None
    if "variance" in columns:
        pairs = zip(columns["variance"], line_numbers, strict=True)
        variances = np.array([_variance(value, number, is_tree) for value, number in pairs])
    fixed = {
        row: _integer(value, "fixed", line_numbers[row], 0)
        for row, value in enumerate(columns.get("fixed", []))
        if value
    }
    return _Numbers(np.array(counts, dtype=np.int64), variances, fixed)


def _integer(value: str, column: str, line_number: int, least: int) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,15}", value):
        raise InputError(f"{column} is {value!r:.40} in row {line_number}; give an integer in every row")
    if not least <= int(value) <= LARGEST_SUM:
        raise InputError(
            f"{column} is {value} in row {line_number}; give an integer from {'-2**42' if least else 0} to 2**42"
        )
    return int(value)


def _variance(value: str, line_number: int, is_tree: bool) -> float:
    """Return a variance. Only a hierarchy may have inf, for a number that was not measured."""
    try:
        variance = float(value)
    except ValueError:
        variance = math.nan
    if not (1e-100 <= variance <= 1e100 or (is_tree and variance == math.inf)):
        raise InputError(f"variance is {value!r:.40} in row {line_number}; give a number above 0 in every row")
    return variance


def _tree(columns: dict[str, list[str]], numbers: _Numbers, seed: int | None) -> tuple[Integers, dict[str, Moved]]:
    """Return the counts of a hierarchy, and how far they moved."""
    if "name" not in columns:
        raise InputError("the table has a column 'parent' and no column 'name'; name every node")
    names = columns["name"]
    row_of_node = sorted(range(len(names)), key=names.__getitem__)
    node_of = {names[row]: node for node, row in enumerate(row_of_node)}
    if len(node_of) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the node {twice!r:.60} has two rows; give every node one row and one parent")
    parents = []
    for row in row_of_node:
        parent = columns["parent"][row]
        if parent and parent not in node_of:
            raise InputError(f"the node {names[row]!r:.60} has the parent {parent!r:.60}, which has no row; add it")
        parents.append(node_of[parent] if parent else -1)
    counts, _, _ = fit_tree(
        numbers.counts[row_of_node],
        parents,
        None if numbers.variances is None else numbers.variances[row_of_node],
        {node_of[names[row]]: value for row, value in numbers.fixed.items()},
        seed,
        lambda node: f"{names[row_of_node[node]]!r:.60}",
    )
    result = np.empty_like(counts)
    result[row_of_node] = counts
    return result, {"all nodes": moved(numbers.counts, result)}


@dataclass(frozen=True)
class _Dimensions:
    """The dimensions of a table, and the categories of each, sorted."""

    names: list[str]
    categories: list[list[str]]

    def shape(self, axes: Sequence[int]) -> tuple[int, ...]:
        return tuple(len(self.categories[axis]) for axis in axes)

    def margin_name(self, axes: Sequence[int]) -> str:
        return " by ".join(self.names[axis] for axis in axes) or "total"

    def cell_name(self, axes: Sequence[int], index: Sequence[int]) -> str:
        parts = [
            f"{self.names[axis]} {self.categories[axis][int(code)]}" for axis, code in zip(axes, index, strict=True)
        ]
        return ", ".join(parts) or "the total"

    @property
    def naming(self) -> Naming:
        """How error messages name margins and cells."""
        return Naming(
            lambda key: self.margin_name([axis for axis, _ in key]),
            lambda key, index: self.cell_name([axis for axis, _ in key], index),
        )


class _MarginRows(NamedTuple):
    """The rows of one margin, and for each row the index of its cell, counted row by row."""

    rows: list[int]
    cells: Integers


def _cube(columns: dict[str, list[str]], numbers: _Numbers, seed: int | None) -> tuple[Integers, dict[str, Moved]]:
    """Return the counts of crossed dimensions, and how far the counts of each margin moved."""
    dimensions = _dimensions(columns)
    margin_rows = _rows_by_margin(columns, dimensions)
    margins, variances = {}, {}
    fixed: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    for key, (rows, cells) in margin_rows.items():
        shape = dimensions.shape(key)
        noisy = np.empty(len(rows), dtype=np.int64)
        noisy[cells] = numbers.counts[rows]
        margins[key] = noisy.reshape(shape)
        if numbers.variances is not None:
            variance = np.ones(len(rows))
            variance[cells] = numbers.variances[rows]
            variances[key] = variance[0] if (variance == variance[0]).all() else variance.reshape(shape)
        for row, cell in zip(rows, cells.tolist(), strict=True):
            if row in numbers.fixed:
                fixed.setdefault(key, {})[_index(cell, shape)] = numbers.fixed[row]
    reconciled = reconcile_cube(margins, variances or None, fixed, seed, None, dimensions.naming).values
    result = np.empty_like(numbers.counts)
    for key, (rows, cells) in margin_rows.items():
        result[rows] = np.ravel(reconciled[key])[cells]
    distances = moved(margins, reconciled)
    return result, {dimensions.margin_name(key): distances[key] for key in margin_rows}


def _dimensions(columns: dict[str, list[str]]) -> _Dimensions:
    names = [name for name in columns if name not in NUMBER_COLUMNS]
    categories = [sorted(set(columns[name]) - set(TOTALS)) for name in names]
    for name, values in zip(names, categories, strict=True):
        if not values:
            raise InputError(f"the dimension {name!r:.60} has no categories, only totals; remove the column")
    return _Dimensions(names, categories)


def _rows_by_margin(columns: dict[str, list[str]], dimensions: _Dimensions) -> dict[tuple[int, ...], _MarginRows]:
    """Return the rows of every margin, by the axes it keeps.

    Raise InputError if a margin has no row for a cell, or several.
    """
    codes = np.empty((len(columns["count"]), len(dimensions.names)), dtype=np.int64)
    for axis, (name, categories) in enumerate(zip(dimensions.names, dimensions.categories, strict=True)):
        code_of = {category: code for code, category in enumerate(categories)}
        codes[:, axis] = [code_of.get(value, -1) for value in columns[name]]
    rows_of: dict[tuple[int, ...], list[int]] = {}
    for row, row_codes in enumerate(codes.tolist()):
        rows_of.setdefault(tuple(axis for axis, code in enumerate(row_codes) if code >= 0), []).append(row)
    margins = {}
    for key, rows in rows_of.items():
        shape = dimensions.shape(key)
        cells = np.zeros(len(rows), dtype=np.int64)
        if key:
            cells = np.ravel_multi_index(tuple(codes[rows][:, list(key)].T), shape).astype(np.int64)
        times = np.bincount(cells, minlength=math.prod(shape))
        if (times != 1).any():
            wrong = int(np.argmax(times != 1))
            raise InputError(
                f"the margin {dimensions.margin_name(key)} has {times[wrong]} rows for"
                f" {dimensions.cell_name(key, _index(wrong, shape))}; give one row for every cell"
            )
        margins[key] = _MarginRows(rows, cells)
    return margins


def _index(cell: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the index of a cell that is counted row by row."""
    return tuple(int(code) for code in np.unravel_index(cell, shape)) if shape else ()

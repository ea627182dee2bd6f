"""In how many measured cells one person is, table of noise by table of noise.

A count of cells is not enough if cells have different noise: women in one cell of little noise, and men in two cells of
much noise, have two touches at most, and the two cells of the men may cost less than the one cell of the women. So the
numbers of cells are counted for each table of noise, over all combinations of leaves,

    touches of a combination = (cells of table 1 that hold it, cells of table 2 that hold it, ...),

and only those that no other combination exceeds in every table are kept. What one person loses is the largest loss over
these, each composed.

If a person may have several rows, the rows may be in different cells of a grouping. Then families of disjoint cells are
counted: the changes of all cells of one family add up to the contributions at most. A family holds cells of one table.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.arrays import Booleans, Integers

if TYPE_CHECKING:
    from discreet.plan.layout import Grouping, Layout, Population

MOST_COMBINATIONS = 5_000_000
"""Combinations of leaves that are tried. Above, the cells of every grouping count for everyone."""

MOST_KEPT = 64
"""Combinations that are kept. If more are left, the largest number of each table stands for all of them."""

NewCells = Mapping[int, Booleans]
"""Which cells of a grouping count, by grouping index."""


class Touches(NamedTuple):
    """How many times one person's loss is composed.

    Attributes
    ----------
    most
        The most cells, of all tables together, that hold one person.
    by_table
        Numbers of cells, one for each table of noise. Everyone is in as many cells as one of these says, at most.
    """

    most: int
    by_table: tuple[tuple[int, ...], ...]


def first_occurrences(indices: Sequence[Integers], number: int, paid: Sequence[bool] | None) -> list[Booleans]:
    """For every array of indices, tell which cells count: each distinct unpaid cell once, where it first occurs.

    Parameters
    ----------
    indices
        Indices of distinct cells.
    number
        Number of distinct cells.
    paid
        For each distinct cell, True if it is paid for already and does not count.
    """
    is_unseen = np.full(number, True)
    if paid is not None:
        is_unseen &= ~np.asarray(paid, dtype=bool)
    new_cells = []
    for cells in indices:
        is_new = is_unseen[cells]
        first_position = np.empty(number, dtype=np.int64)
        first_position[cells[::-1]] = np.arange(len(cells))[::-1]
        is_new &= first_position[cells] == np.arange(len(cells))
        is_unseen[cells] = False
        new_cells.append(is_new)
    return new_cells


def count_touches(layout: "Layout", new_cells: Sequence[NewCells], contributions: int) -> Touches:
    """Return how many times one person's loss is composed.

    Parameters
    ----------
    layout
        The groupings.
    new_cells
        For every table of noise, which cells of the groupings count.
    contributions
        Most rows of one person.
    """
    if contributions > 1:
        families = tuple(_families(layout, of_table) for of_table in new_cells)
        return Touches(sum(families), (families,))
    shape = tuple(len(book.leaves) for book in layout.books)
    if math.prod(shape) > MOST_COMBINATIONS:
        bounds = tuple(
            sum(layout.groupings[index].multiplicity for index, is_new in of_table.items() if is_new.any())
            for of_table in new_cells
        )
        return Touches(sum(bounds), (bounds,))
    return _largest([_by_combination(layout, of_table, shape) for of_table in new_cells])


def _largest(numbers: Sequence[npt.NDArray[np.integer]]) -> Touches:
    """Return the numbers of cells of those combinations that no other combination exceeds in every table.

    Parameters
    ----------
    numbers
        For every table, the number of cells that hold each combination.
    """
    most = int(np.max(np.sum(numbers, axis=0, dtype=np.int64))) if len(numbers) > 1 else int(numbers[0].max())
    if len(numbers) == 1:
        return Touches(most, ((most,),))
    code = np.zeros(numbers[0].shape, dtype=np.int64)
    for of_table in numbers:  # one integer for each combination of numbers
        _, code = np.unique(code, return_inverse=True)
        code = code.ravel() * (int(of_table.max()) + 1) + of_table
    _, positions = np.unique(code, return_index=True)
    rows = np.stack([of_table[positions] for of_table in numbers], axis=1)
    kept: list[npt.NDArray[np.integer]] = []
    for row in rows[np.argsort(-rows.sum(axis=1), kind="stable")]:
        if not any((row <= other).all() for other in kept):
            kept.append(row)
        if len(kept) > MOST_KEPT:
            kept = [rows.max(axis=0)]
            break
    return Touches(most, tuple(tuple(row.tolist()) for row in kept))


def _by_combination(layout: "Layout", new_cells: NewCells, shape: tuple[int, ...]) -> npt.NDArray[np.int32]:
    """Return for every leaf combination the number of cells that count and hold it, flat."""
    total = np.zeros(shape, dtype=np.int32)
    for index, is_new in new_cells.items():
        grouping = layout.groupings[index]
        total += _of_grouping(layout, grouping, is_new.reshape(grouping.shape).astype(np.int64), shape)
    return total.reshape(-1)


def _of_grouping(layout: "Layout", grouping: "Grouping", is_new: Integers, shape: tuple[int, ...]) -> Integers:
    """Return for every leaf combination the number of new cells of a grouping that hold it."""
    cells = is_new
    axis_books = []
    for axis in grouping.axes:
        groups, leaves = axis.pairs
        by_leaf = np.zeros((len(axis.book.leaves), *cells.shape[1:]), dtype=np.int64)
        np.add.at(by_leaf, leaves, cells[groups])
        cells = np.moveaxis(by_leaf, 0, -1)
        axis_books.append(layout.books.index(axis.book))
    cells = np.transpose(cells, np.argsort(axis_books)) if axis_books else cells
    full = np.reshape(cells, [size if index in axis_books else 1 for index, size in enumerate(shape)])
    for book, members in grouping.within:
        filtered = layout.books.index(book)
        inside = np.array([leaf in members for leaf in range(shape[filtered])], dtype=np.int64)
        full = full * np.reshape(inside, [-1 if index == filtered else 1 for index in range(len(shape))])
    return np.broadcast_to(full, shape)


def _families(layout: "Layout", new_cells: NewCells) -> int:
    """Number of families when each grouping greedily joins the first family that it is disjoint from.

    A grouping whose groups overlap joins as many families as its groups need.
    """
    families: list[list[Population]] = []
    for index, is_new in new_cells.items():
        if not is_new.any():
            continue
        grouping = layout.groupings[index]
        population = grouping.population
        for _ in range(math.prod(axis.families for axis in grouping.axes)):
            fitting = (family for family in families if all(disjoint(population, other) for other in family))
            family = next(fitting, None)
            if family is None:
                families.append([population])
            else:
                family.append(population)
    return len(families)


def disjoint(population: "Population", other: "Population") -> bool:
    """Return True if no leaf combination is in both populations."""
    return any(not leaves & other[name] for name, leaves in population.items() if name in other)

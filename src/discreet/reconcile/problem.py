"""A reconciliation problem: the measured margins and fixed values of a cube, by canonical keys.

`read_problem` makes a problem of what a user gives; `least_squares` and `whole_numbers` solve it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.reconcile import inputs
from discreet.reconcile.axes import Axes
from discreet.reconcile.partitions import Array, Key

UserKey = tuple[Any, ...]
"""A margin as a user names it: the axes that it keeps, in any order, each as a number or as a pair (axis, level)."""

FAR = 2.0 * inputs.LARGEST
"""Above every count."""


class UserMargin(NamedTuple):
    """What a user's key stands for.

    Attributes
    ----------
    pairs
        The (axis, level) pairs in the order of the axes.
    order
        For each pair, the dimension of the user's array.
    """

    pairs: Key
    order: tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """Measurements and fixed values, checked, by canonical keys.

    Attributes
    ----------
    axes
        Sides and levels. The categories of each axis are in an order that depends on the numbers alone.
    noisy, variance
        The measurements of every measured grouping, and the variance of each measurement or of all.
    known
        The fixed values of groupings, -1 for cells that are not fixed.
    tables
        The groupings that no other grouping refines.
    user_margins
        What each of the user's keys stands for.
    orders
        For each axis, the user's category at each index.
    """

    axes: Axes
    noisy: dict[Key, Floats]
    variance: dict[Key, Floats]
    known: dict[Key, Integers]
    tables: list[Key]
    user_margins: dict[UserKey, UserMargin]
    orders: list[Integers]

    def in_user_order(self, user_key: UserKey, values: Array) -> Any:
        """Return the numbers of a grouping in the order and shape of a user's key."""
        pairs, order = self.user_margins[user_key]
        values = self.axes.restore(pairs, values)
        for dimension, (axis, level) in enumerate(pairs):
            if level is None:
                values = values.take(np.argsort(self.orders[axis]), axis=dimension)
        return values.transpose(np.argsort(order)) if len(order) > 1 else np.asarray(values)[()]


@dataclass(frozen=True)
class Naming:
    """How error messages name margins and their cells.

    Attributes
    ----------
    margin
        The name of a margin, from its key.
    cell
        The name of a cell, from the key of its margin and its index.
    """

    margin: Callable[[Key], str]
    cell: Callable[[Key, tuple[int, ...]], str]


def _key_text(key: Key) -> str:
    return str(tuple(axis if level is None else (axis, level) for axis, level in key))


BY_KEY = Naming(_key_text, lambda key, index: f"margin {_key_text(key)} at {index}")
"""Margins are named by their keys, and cells by their indices."""


def bounds(problem: Problem, table: Key) -> tuple[Integers, Integers]:
    """Return the lowest and the highest value of each cell of a table that fixed values allow."""
    axes = problem.axes
    low = np.zeros(axes.shape(table), dtype=np.int64)
    high = np.full(axes.shape(table), int(FAR))
    for key, known in problem.known.items():
        if key != table and axes.refines(table, key):
            limit = np.where(known >= 0, known, int(FAR)).reshape(-1)
            high = np.minimum(high, limit[axes.containing_cells(table, key)].reshape(high.shape))
    if table in problem.known:
        known = problem.known[table]
        low, high = np.where(known >= 0, known, low), np.where(known >= 0, known, high)
    return low, high


def first_index(mask: Booleans) -> tuple[int, ...]:
    """Return the index of the first cell that is True."""
    return tuple(int(number) for number in np.unravel_index(int(np.argmax(mask)), mask.shape))

"""A reconciliation problem: the measured margins and fixed values of a cube, by canonical keys.

`read_problem` makes a problem of what a user gives; `least_squares` and `whole_numbers` solve it.

**The order of categories** depends on the numbers alone. Ties in rounding are decided by the index of a cell. So that
the result does not depend on the order in which a user lists categories and levels, both are sorted by hashes of their
contents first:

    cell       mix of the margin's rank, and of measurement, variance and fixed value
    category   sum over the margins of mix of the cells of the category, each combined with the hashes of the
               categories of the other axes; computed twice, so that categories are told apart by their neighbours too

Sums of hashes do not depend on any order. Categories that agree in everything keep the user's order.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from discreet.arrays import LARGEST_SUM, Booleans, Floats, Integers
from discreet.errors import ParameterError
from discreet.reconcile import tie_breaking
from discreet.reconcile.axes import Array, Axes, Key, Labels, along

UserKey = tuple[Any, ...]
"""A margin as a user names it: the axes that it keeps, in any order, each as a number or as a pair (axis, level)."""

FAR = 2.0 * LARGEST_SUM
"""Above every count."""

ROUNDS = 2
"""Times that the hashes of categories are computed, each time from the last ones."""


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
    unmeasured
        Groupings that are asked for, and neither measured nor tables. They are sums of cells of tables.
    """

    axes: Axes
    noisy: dict[Key, Floats]
    variance: dict[Key, Floats]
    known: dict[Key, Integers]
    tables: list[Key]
    user_margins: dict[UserKey, UserMargin]
    orders: list[Integers]
    unmeasured: tuple[Key, ...] = ()

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


@dataclass(frozen=True)
class UnorderedProblem:
    """Measurements and fixed values by (axis, level) pairs, with categories in the user's order.

    The attributes are as in `Problem`; `sides` and `labels` are as in its axes.
    """

    sides: list[int]
    labels: Labels
    noisy: dict[Key, Integers]
    variance: dict[Key, Floats]
    known: dict[Key, Integers]
    user_margins: dict[UserKey, UserMargin]

    def in_content_order(self, naming: Naming) -> Problem:
        """Return the problem with the categories of every axis sorted by their contents."""
        return self._in_orders(self._content_orders(), naming)

    def in_user_order(self, naming: Naming) -> Problem:
        """Return the problem with the categories of every axis in the user's order."""
        return self._in_orders([np.arange(side) for side in self.sides], naming)

    @cached_property
    def _level_ranks(self) -> dict[tuple[int, Hashable], int]:
        """The rank of every level in an order that depends on the numbers, not on the names of levels."""
        hashes = dict.fromkeys(self.labels, 0)
        for values, partners in ((self.noisy, self.variance), (self.known, self.known)):
            for key, numbers in values.items():
                cells = tie_breaking.words(numbers) ^ tie_breaking.mix(tie_breaking.words(partners[key]))
                total = int(tie_breaking.mix(cells).sum(dtype=np.uint64))
                for pair in set(key) & hashes.keys():
                    hashes[pair] = (hashes[pair] + total) % 2**64
        firsts = {
            pair: np.unique(groups, return_index=True)[1][groups].tolist() for pair, groups in self.labels.items()
        }
        order = sorted(self.labels, key=lambda pair: (pair[0], hashes[pair], firsts[pair]))
        return {pair: rank for rank, pair in enumerate(order)}

    def _rank(self, key: Key) -> str:
        """Return a text to sort margins by. It does not depend on the names of levels."""
        return str(tuple((axis, None if level is None else self._level_ranks[axis, level]) for axis, level in key))

    def _content_orders(self) -> list[Integers]:
        """Return, for each axis, the order of its categories by their hashes."""
        cell_hashes = self._cell_hashes()
        hashes = [np.zeros(side, dtype=np.uint64) for side in self.sides]
        for _ in range(ROUNDS):
            hashes = self._category_hashes(hashes, cell_hashes)
        return [np.argsort(category_hashes, kind="stable") for category_hashes in hashes]

    def _cell_hashes(self) -> dict[Key, tie_breaking.Words]:
        """Return, for every margin, a hash of each cell's measurement, variance and fixed value."""
        hashes: dict[Key, tie_breaking.Words] = {}
        for rank, key in enumerate(sorted({*self.noisy, *self.known}, key=self._rank)):
            shape = np.shape(self.noisy[key] if key in self.noisy else self.known[key])
            words = np.full(shape, rank + 1, dtype=np.uint64)
            for values in (self.noisy.get(key), self.variance.get(key), self.known.get(key)):
                if values is not None:
                    words = tie_breaking.mix(words ^ tie_breaking.words(values))
            hashes[key] = words
        return hashes

    def _category_hashes(
        self, previous: list[tie_breaking.Words], cell_hashes: dict[Key, tie_breaking.Words]
    ) -> list[tie_breaking.Words]:
        """Return a hash of every category of every axis: of its cells, and of the previous hashes."""
        mixed = [tie_breaking.mix(hashes + np.uint64(axis)) for axis, hashes in enumerate(previous)]
        result = [hashes.copy() for hashes in previous]
        for key, cells in cell_hashes.items():
            words = cells
            for dimension, (axis, level) in enumerate(key):
                own = mixed[axis] if level is None else self._group_hashes(axis, level, mixed[axis])
                words = words + along(own, dimension, len(key))
            words = tie_breaking.mix(words)
            for dimension, (axis, level) in enumerate(key):
                others = tuple(number for number in range(len(key)) if number != dimension)
                sums = words.sum(axis=others, dtype=np.uint64)
                result[axis] = result[axis] + (sums if level is None else sums[self.labels[axis, level]])
        return result

    def _group_hashes(self, axis: int, level: Hashable, hashes: tie_breaking.Words) -> tie_breaking.Words:
        """Return the sums of the hashes of the categories of each group."""
        groups = self.labels[axis, level]
        sums = np.zeros(int(groups.max()) + 1, dtype=np.uint64)
        np.add.at(sums, groups, hashes)
        return sums

    def _in_orders(self, orders: list[Integers], naming: Naming) -> Problem:
        """Return the problem with the categories of every axis in the given orders."""
        axes = Axes(self.sides, {pair: self.labels[pair][orders[pair[0]]] for pair in self._level_ranks})
        noisy, variance = self._measurements(axes, orders)
        known = self._known_values(axes, orders, naming)
        tables = axes.maximal([*noisy, *known])
        asked_for = sorted({axes.canonical(margin.pairs) for margin in self.user_margins.values()}, key=axes.rank)
        unmeasured = tuple(key for key in asked_for if key not in noisy and key not in tables)
        return Problem(axes, noisy, variance, known, tables, self.user_margins, orders, unmeasured)

    def _measurements(self, axes: Axes, orders: list[Integers]) -> tuple[dict[Key, Floats], dict[Key, Floats]]:
        """Return measurements and variances by canonical key.

        If two keys are names of one grouping, the measurement is their mean weighted by precision.
        """
        noisy: dict[Key, Floats] = {}
        variance: dict[Key, Floats] = {}
        for user_pairs, values in sorted(self.noisy.items(), key=lambda item: self._rank(item[0])):
            key, user_variance = axes.canonical(user_pairs), self.variance[user_pairs]
            new = _arranged(axes, orders, user_pairs, values).astype(np.float64)
            if user_variance.ndim:
                user_variance = _arranged(axes, orders, user_pairs, user_variance)
            new_variance = np.asarray(user_variance, dtype=np.float64)
            if key in noisy:
                old, old_variance = noisy[key], variance[key]
                variance[key] = 1 / (1 / old_variance + 1 / new_variance)
                noisy[key] = variance[key] * (old / old_variance + new / new_variance)
            else:
                noisy[key], variance[key] = new, new_variance
        return noisy, variance

    def _known_values(self, axes: Axes, orders: list[Integers], naming: Naming) -> dict[Key, Integers]:
        """Return fixed values by canonical key, -1 for cells that are not fixed.

        Raise ParameterError if two names of one grouping fix a cell at different values.
        """
        known: dict[Key, Integers] = {}
        for user_pairs, values in sorted(self.known.items(), key=lambda item: self._rank(item[0])):
            key, new = axes.canonical(user_pairs), _arranged(axes, orders, user_pairs, values)
            old = known.get(key, np.full_like(new, -1))
            clash = (old >= 0) & (new >= 0) & (old != new)
            if clash.any():
                index = first_index(clash)
                raise ParameterError(
                    f"fixed contradicts itself: {naming.cell(key, index)} is fixed at {old[index]} and at {new[index]};"
                    " correct one of them"
                )
            known[key] = np.maximum(old, new)
        return known


def _arranged(axes: Axes, orders: list[Integers], user_pairs: Key, values: Array) -> Array:
    """Return the numbers of a user's grouping with categories in the orders, in the shape of its canonical key."""
    for dimension, (axis, level) in enumerate(user_pairs):
        values = values.take(orders[axis], axis=dimension) if level is None else values
    return axes.arrange(user_pairs, values)

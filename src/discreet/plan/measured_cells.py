"""The measured cells of a release: which groupings are measured, and with which noise.

A **measured cell** is a definition together with a table of noise. One definition in two groupings is one measured cell
if both groupings have the same table, and two measured cells, with two keys and two costs, otherwise. A grouping that
is not measured is published from the others by least squares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from discreet.arrays import Integers
from discreet.plan.layout import Layout
from discreet.plan.touches import Touches, count_touches, first_occurrences


class _Numbered(NamedTuple):
    """The measured cells, numbered: see `MeasuredCells`."""

    cells: Integers
    tables: Integers
    indices: tuple[Integers | None, ...]


@dataclass(frozen=True)
class MeasuredCells:
    """Which groupings of a layout are measured, with which table of noise.

    Attributes
    ----------
    layout
        The groupings.
    noise_of
        For every grouping the number of its table of noise; None if the grouping is not measured.
    """

    layout: Layout
    noise_of: tuple[int | None, ...]

    @classmethod
    def all_alike(cls, layout: Layout) -> "MeasuredCells":
        """Return the cells of a release that measures every grouping with one table of noise."""
        return cls(layout, (0,) * len(layout.groupings))

    @property
    def groupings(self) -> list[int]:
        """The indices of the measured groupings."""
        return [index for index, table in enumerate(self.noise_of) if table is not None]

    @property
    def number_of_tables(self) -> int:
        """The number of tables of noise."""
        return len({table for table in self.noise_of if table is not None})

    @cached_property
    def _numbered(self) -> _Numbered:
        """The measured cells of the first table, then of the second, and so on. Each cell is listed once."""
        cells: list[Integers] = []
        sizes: list[int] = []
        numbered: list[Integers | None] = [None] * len(self.noise_of)
        for table in range(self.number_of_tables):
            number = np.full(len(self.layout.cells.definitions), -1, dtype=np.int64)
            first = size = sum(sizes)
            for index, own in enumerate(self.layout.cells.indices):
                if self.noise_of[index] == table:
                    unseen = own[number[own] < 0]
                    new = unseen[np.sort(np.unique(unseen, return_index=True)[1])]
                    number[new] = size + np.arange(len(new))
                    size += len(new)
                    cells.append(new)
                    numbered[index] = number[own]
            sizes.append(size - first)
        return _Numbered(np.concatenate(cells), np.repeat(np.arange(len(sizes)), sizes), tuple(numbered))

    @property
    def size(self) -> int:
        """The number of measured cells."""
        return len(self.cells)

    @property
    def cells(self) -> Integers:
        """For every measured cell, the index of its definition among the distinct cells of the layout."""
        return self._numbered.cells

    @property
    def tables(self) -> Integers:
        """For every measured cell, the number of its table of noise."""
        return self._numbered.tables

    @property
    def indices(self) -> tuple[Integers | None, ...]:
        """For every grouping, the indices of its measured cells, in C order; None if it is not measured."""
        return self._numbered.indices

    @cached_property
    def definitions(self) -> list[bytes]:
        """The definition of every measured cell."""
        return list(map(self.layout.cells.definitions.__getitem__, self.cells.tolist()))

    def of_table(self, table: int) -> Integers:
        """Return the indices of the measured cells of one table of noise."""
        return np.flatnonzero(self.tables == table)

    def by_grouping(self, measurements: Integers) -> tuple[Integers | None, ...]:
        """Return the measurements of every grouping, in its shape, from the measurements of the cells."""
        return tuple(
            None if indices is None else measurements[indices].reshape(grouping.shape)
            for grouping, indices in zip(self.layout.groupings, self.indices, strict=True)
        )

    def touches(self, contributions: int = 1, paid: Sequence[bool] | None = None) -> Touches:
        """Return how many times one person's loss is composed, by table of noise.

        Parameters
        ----------
        contributions
            Most rows of one person.
        paid
            For each measured cell, True if it is paid for already and does not count.
        """
        measured = {index: cells for index, cells in enumerate(self.indices) if cells is not None}
        new = dict(zip(measured, first_occurrences(list(measured.values()), self.size, paid), strict=True))
        by_table = [
            {index: is_new for index, is_new in new.items() if self.noise_of[index] == table}
            for table in range(self.number_of_tables)
        ]
        return count_touches(self.layout, by_table, contributions)

"""Inference from a release folder, for anyone who has the folder.

Everything is computed from `measurements.csv` and the certificate, never from the published tables, whose numbers were
clamped at 0 or reconciled.

Cells are selected by their labels (`_select_cells`). A margin that was measured itself tells more than the sum of its
parts. So sums, shares and changes use the fewest measurements of a table that hold the selected people. A prior other
than the flat one is about the finest cells, so with such a prior the finest cells are used.

A change is of the same people in both folders. Codebooks, the leaves of every label, filters and units are compared
(`_same_population`), not just names.
"""

import csv
import io
import itertools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Integers
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Number
from discreet.infer import combine, ratios
from discreet.infer._changes import change_rows
from discreet.infer._csv_lines import CellRows, lines
from discreet.infer._same_population import matching_grouping, require_comparable, require_matching_grouping
from discreet.infer._select_cells import (
    SelectedCells,
    disjoint_masks,
    read_labels,
    selection_mask,
    selections_of,
    ways_to_select,
)
from discreet.infer.credible_intervals import as_rows, column_names, intervals
from discreet.infer.posterior_value import Posterior
from discreet.infer.posteriors import posterior
from discreet.infer.prior import Flat, read_prior
from discreet.infer.ratios import Estimate

if TYPE_CHECKING:
    from discreet.certify.ptable import PTable
    from discreet.plan.layout import Grouping
    from discreet.plan.sections import TableSpec
    from discreet.publish.verify_folder import MeasuredFolder

CellsUsed = list[tuple[int, tuple[str, ...]]]
"""Numbers of cells, each with the dimensions by which the cells were measured."""


def folder(path: str | os.PathLike[str]) -> "FolderReader":
    """Read a release folder. Check its files, its certificate and its promise against its manifest.

    `discreet verify` checks the rest, above all that the published tables are made from the measurements.

    Parameters
    ----------
    path
        The path of a release folder.

    Returns
    -------
    FolderReader
        Intervals, sums, shares and changes of the counts.

    Raises
    ------
    ParameterError
        `path` is not a path.
    CertificateError
        This is not a release folder, a file differs from its digest in the manifest, or the certificate does not keep
        the design and the budget of the specification.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.infer.folder("no_folder")
    Traceback (most recent call last):
        ...
    discreet.errors.CertificateError: ...
    """
    from discreet.publish.verify_folder import read_folder  # the engines take a while to load

    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"the folder is {path!r:.60}; give the path of a release folder")
    return FolderReader(read_folder(path))


@dataclass(frozen=True, eq=False)
class FolderReader:
    """Intervals, sums, shares and changes from the measurements of a release folder.

    Sums, shares and single measurements need the name of a `table`, unless the release has only one. `selection` is a
    text such as "district=Abbey,age=0-15", or a list of texts whose cells are added up. "" selects all cells.
    """

    release: "MeasuredFolder"

    @cached_property
    def tables(self) -> dict[str, tuple["TableSpec", tuple[int, ...]]]:
        """The tables by name, each with the indices of its groupings, the finest first."""
        return {table.name: (table, indices) for table, indices in self.release.plan.layout.tables}

    def csv(self, level: Number = 0.95, prior: Any = None, table: str | None = None) -> str:
        """Return a CSV text: labels, measurement, interval, mean and most likely count of every measured cell.

        Parameters
        ----------
        level
            The least probability that an interval holds.
        prior
            The prior of the cells of a table, as in `posterior`. Margins are sums of cells, and have the flat prior.
        table
            The name of one table. None: all tables.

        Raises
        ------
        ParameterError
            There is no such table, `level` is out of range, the prior cannot be read, or no count can give a
            measurement.
        """

        def cell_rows(_: str, index: int, known_prior: Any) -> CellRows:
            numbers, ptable = self._measured(index)
            measured, inverse = np.unique(numbers, return_inverse=True)
            rows = as_rows(intervals(ptable, measured, level, known_prior))
            return [(number, *row) for number, row in zip(measured.tolist(), rows, strict=True)], inverse

        return self._csv(table, ("measured", *column_names(*self.release.plan.ptables)), cell_rows, prior)

    def changes(self, before: "FolderReader", level: Number = 0.95, prior: Any = None, table: str | None = None) -> str:
        """Return a CSV text: labels, both measurements, and interval, mean and mode of the change of every cell.

        A change has no end on one side if a count may be at the end of the domain of its table.

        Parameters
        ----------
        before
            The folder of an earlier version of the data.
        level, prior, table
            As in `csv`.

        Raises
        ------
        ParameterError
            The folders count different people, or as in `csv`.
        """
        require_comparable(self.release, _require_reader(before).release)

        def cell_rows(name: str, index: int, known_prior: Any) -> CellRows:
            index_before = require_matching_grouping(self.release, before.release, name, index)
            (now, ptable), (then, ptable_before) = self._measured(index), before._measured(index_before)
            pairs, inverse = np.unique(np.stack([now.ravel(), then.ravel()], axis=1), axis=0, return_inverse=True)
            rows = change_rows((ptable, ptable_before), pairs, level, known_prior)
            return [(*pair, *row) for pair, row in zip(pairs.tolist(), rows, strict=True)], inverse

        columns = column_names(*self.release.plan.ptables, *before.release.plan.ptables)
        return self._csv(table, ("measured", "measured_before", *columns), cell_rows, prior)

    def total(self, selection: str | Sequence[str], prior: Any = None, table: str | None = None) -> Posterior:
        """Return the posterior of the sum of the selected cells, from the fewest measurements that hold them.

        A flat prior is on the sum if every count has the same noise (`combine.measured_total`), else on every cell that
        is used. Any other prior is on each of the finest cells.

        Raises
        ------
        ParameterError
            The selection cannot be read, names unknown labels or selects people twice, or there is no such table.
        """
        return self._sum(self._cells(selections_of(selection), prior, table), prior)

    def total_change(
        self, before: "FolderReader", selection: str | Sequence[str], prior: Any = None, table: str | None = None
    ) -> Posterior:
        """Return the posterior of the change of a sum since `before`, a folder of another version of the data.

        Raises
        ------
        ParameterError
            The folders count different people, or as in `total`.
        """
        now, then = self._cells_in_both(before, selections_of(selection), prior, table)
        return combine.difference(self._sum(now, prior), before._sum(then, prior))

    def share(
        self,
        part: str,
        whole: str | Sequence[str] = ("",),
        level: Number = 0.95,
        prior: Any = None,
        table: str | None = None,
        seed: int | None = 0,
    ) -> Estimate:
        """Return mean and interval of the share of one selection in another.

        Parameters
        ----------
        part
            A selection inside the whole.
        whole
            A selection, or several. By default all cells of the table.
        level, seed
            As in `ratios.share`.
        prior, table
            As in `total`.

        Raises
        ------
        ParameterError
            The part is not inside the whole, or is all of it; or as in `total` and `ratios.share`.
        """
        part_cells, rest_cells = self._part_and_rest(part, selections_of(whole), prior, table)
        return ratios.share(self._sum(part_cells, prior), self._sum(rest_cells, prior), level, seed)

    def cells_used(
        self,
        selection: str | Sequence[str],
        prior: Any = None,
        table: str | None = None,
        before: "FolderReader | None" = None,
    ) -> CellsUsed:
        """Return which cells a sum, or its change since `before`, is computed from."""
        if before is None:
            return self._number_by_dimensions(self._cells(selections_of(selection), prior, table))
        return self._number_by_dimensions(self._cells_in_both(before, selections_of(selection), prior, table)[0])

    def cells_used_by_share(
        self, part: str, whole: str | Sequence[str] = ("",), prior: Any = None, table: str | None = None
    ) -> tuple[CellsUsed, CellsUsed]:
        """Return which cells the part of a share is computed from, and which cells the rest of the whole."""
        part_cells, rest_cells = self._part_and_rest(part, selections_of(whole), prior, table)
        return self._number_by_dimensions(part_cells), self._number_by_dimensions(rest_cells)

    def measurement(self, selection: str, table: str | None = None) -> int | None:
        """Return the measurement of a selection that is a single cell of the table or of a margin, else None."""
        measured = self.measured_itself(selection, table)
        return None if measured is None else measured[0]

    def measured_itself(self, selection: str, table: str | None = None) -> tuple[int, "PTable"] | None:
        """Return `measurement` with its table of noise; None if there is no such cell, or it is not measured."""
        labels = read_labels(selection)
        for index in self._table(table)[1]:
            axes = self._grouping(index).axes
            if {axis.book.name for axis in axes} == set(labels) and all(
                labels[axis.book.name] in axis.labels for axis in axes
            ):
                if self.release.measurements[index] is None:
                    return None
                numbers, ptable = self._measured(index)
                return int(numbers[tuple(axis.labels.index(labels[axis.book.name]) for axis in axes)]), ptable
        return None

    def _measured(self, index: int) -> tuple[Integers, "PTable"]:
        """Return the measurements and the table of noise of a grouping that is measured."""
        numbers, ptable = self.release.measurements[index], self.release.plan.ptable_of(index)
        if numbers is None or ptable is None:
            raise ParameterError(
                f"{self._grouping(index).name} is not measured in {self.release.path}, so measurements.csv does not"
                " have it; choose a table that is measured itself"
            )
        return numbers, ptable

    def _measured_only(self, indices: Sequence[int]) -> list[int]:
        """Return the groupings that are measured. Raise ParameterError if the finest, the first, is not."""
        self._measured(indices[0])
        return [index for index in indices if self.release.measurements[index] is not None]

    def _grouping(self, index: int) -> "Grouping":
        return self.release.plan.layout.groupings[index]

    def _table(self, name: str | None) -> tuple["TableSpec", tuple[int, ...]]:
        if name is None and len(self.tables) == 1:
            return next(iter(self.tables.values()))
        if name not in self.tables:
            problem = "no table is named" if name is None else f"there is no table {name!r}"
            raise ParameterError(f"{problem}; choose one of: {', '.join(self.tables)}")
        return self.tables[name]

    def _csv(
        self, name: str | None, columns: tuple[str, ...], cell_rows: Callable[[str, int, Any], CellRows], prior: Any
    ) -> str:
        """Return the CSV text of one table or of all. `cell_rows` takes table name, grouping index and prior."""
        tables = list(self.tables.values()) if name is None else [self._table(name)]
        dimensions = [book.name for book in self.release.plan.layout.books]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["table", *dimensions, *columns])
        for table, indices in tables:
            for index in (own for own in indices if self.release.measurements[own] is not None):
                rows, row_index = cell_rows(table.name, index, prior if index == indices[0] else None)
                writer.writerows(lines(table, dimensions, self._grouping(index).axes, rows, row_index))
        return text.getvalue()

    def _cells(
        self, selections: Sequence[str], prior: Any, table: str | None, without: Sequence[str | None] = ()
    ) -> list[SelectedCells]:
        """Return the fewest cells of a table that hold each selection, less the selection in `without`."""
        indices = self._measured_only(self._table(table)[1])
        return self._fewest(selections, prior, indices, self._may_be_at_end, without)

    def _cells_in_both(
        self, before: "FolderReader", selections: Sequence[str], prior: Any, table: str | None
    ) -> tuple[list[SelectedCells], list[SelectedCells]]:
        """Return the fewest cells of a sum that both folders have: in this folder, and in `before`."""
        require_comparable(self.release, _require_reader(before).release)
        spec, all_indices = self._table(table)
        indices = self._measured_only(all_indices)
        shared = {indices[0]: require_matching_grouping(self.release, before.release, spec.name, indices[0])}
        before._measured(shared[indices[0]])
        for index in indices[1:]:
            index_before = matching_grouping(self.release, before.release, spec.name, index)
            if index_before is not None and before.release.measurements[index_before] is not None:
                shared[index] = index_before

        def in_before(cells: SelectedCells) -> SelectedCells:
            return SelectedCells(shared[cells.grouping_index], cells.mask)

        def may_be_at_end(cells: SelectedCells) -> bool:
            return self._may_be_at_end(cells) or before._may_be_at_end(in_before(cells))

        now = self._fewest(selections, prior, list(shared), may_be_at_end)
        return now, [in_before(cells) for cells in now]

    def _fewest(
        self,
        selections: Sequence[str],
        prior: Any,
        indices: Sequence[int],
        may_be_at_end: Callable[[SelectedCells], bool],
        without: Sequence[str | None] = (),
    ) -> list[SelectedCells]:
        """Return the fewest cells for each selection, from groupings of which the finest comes first.

        Cells whose counts may be at the end of the domain have no sum. They are used only if there is no other way.
        """
        groupings = [(index, self._grouping(index)) for index in indices]
        disjoint_masks(groupings[0][1], selections)
        if not isinstance(read_prior(prior), Flat):
            groupings = groupings[:1]
        fewest = []
        for selection, left_out in itertools.zip_longest(selections, without):
            choices = ways_to_select(
                groupings, read_labels(selection), None if left_out is None else read_labels(left_out)
            )
            fewest.append(next((cells for cells in choices if not may_be_at_end(cells)), choices[-1]))
        return fewest

    def _may_be_at_end(self, cells: SelectedCells) -> bool:
        """Return True if a count may be at the end of the domain or beyond, under a flat prior."""
        numbers, ptable = self._measured(cells.grouping_index)
        if not isinstance(ptable.domain, Counts) or ptable.domain.upper is None:
            return False
        return any(count.open_end for count in posterior(ptable, numbers[cells.mask]))

    def _part_and_rest(
        self, part: str, whole: Sequence[str], prior: Any, table: str | None
    ) -> tuple[list[SelectedCells], list[SelectedCells]]:
        """Return the cells of a part, and the cells of the rest of the whole."""
        finest = self._grouping(self._table(table)[1][0])
        masks = disjoint_masks(finest, whole)
        in_part, in_whole = selection_mask(finest, read_labels(part)), np.logical_or.reduce(masks)
        if (in_part & ~in_whole).any():
            raise ParameterError(f"the part {part!r} has cells outside the whole; select a whole that holds the part")
        if not (in_whole & ~in_part).any():
            raise ParameterError(f"the part {part!r} is the whole, so its share is 1; select a smaller part")
        rest = [(text, mask) for text, mask in zip(whole, masks, strict=True) if (mask & ~in_part).any()]
        without = [part if (mask & in_part).any() else None for _, mask in rest]
        return self._cells([part], prior, table), self._cells([text for text, _ in rest], prior, table, without)

    def _sum(self, selected: Sequence[SelectedCells], prior: Any) -> Posterior:
        by_table: dict[str, tuple[PTable, list[Integers]]] = {}
        for cells in selected:
            numbers, ptable = self._measured(cells.grouping_index)
            by_table.setdefault(ptable.digest, (ptable, []))[1].append(numbers[cells.mask])
        measured = [(ptable, np.concatenate(numbers)) for ptable, numbers in by_table.values()]
        if isinstance(read_prior(prior), Flat) and all(combine.has_same_noise(ptable) for ptable, _ in measured):
            return combine.measured_totals(measured, prior)
        return combine.total([count for ptable, numbers in measured for count in posterior(ptable, numbers, prior)])

    def _number_by_dimensions(self, selected: Sequence[SelectedCells]) -> CellsUsed:
        numbers: dict[int, int] = {}
        for cells in selected:
            numbers[cells.grouping_index] = numbers.get(cells.grouping_index, 0) + cells.number
        return [
            (number, tuple(axis.book.name for axis in self._grouping(index).axes)) for index, number in numbers.items()
        ]


def _require_reader(before: Any) -> FolderReader:
    if not isinstance(before, FolderReader):
        raise ParameterError(f"before is {before!r:.60}; give what folder(...) returns")
    return before

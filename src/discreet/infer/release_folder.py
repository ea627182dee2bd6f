"""Inference from a release folder, for anyone who has the folder.

Everything is computed from `measurements.csv` and the certificate, never from the published tables, whose numbers were
clamped at 0 or reconciled.

Under the flat prior, counts, sums, shares and changes come from all measurements together, wherever the law of least
squares is known (`publish.joint_intervals`), also for groupings that are not measured (`_joint_estimates`).

Otherwise they come from the measurements of the cells themselves. A margin that was measured itself tells more than the
sum of its parts. So sums, shares and changes use the fewest measurements of a table that hold the selected people. A
prior other than the flat one is about the finest cells, so with such a prior the finest cells are used.

Cells are selected by their labels (`_select_cells`).

A change is of the same people in both folders. Codebooks, the leaves of every label, filters and units are compared
(`_same_population`), not just names.
"""

import csv
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Integers
from discreet.errors import ParameterError
from discreet.exact import Number
from discreet.infer import combine, ratios
from discreet.infer._changes import change_rows
from discreet.infer._csv_lines import CellRows, lines
from discreet.infer._same_population import require_comparable, require_matching_grouping
from discreet.infer._select_cells import (
    SelectedCells,
    read_labels,
    selections_of,
)
from discreet.infer.cell_choice import CellChoice, CellsUsed
from discreet.infer.credible_intervals import as_rows, column_names, intervals
from discreet.infer.posterior_value import Posterior
from discreet.infer.posteriors import posterior
from discreet.infer.prior import Flat, read_prior
from discreet.infer.ratios import Estimate

if TYPE_CHECKING:
    from discreet.certify.ptable import PTable
    from discreet.infer._joint_estimates import JointSum
    from discreet.publish.verify_folder import MeasuredFolder


def folder(path: str | os.PathLike[str]) -> "FolderReader":
    """Read a release folder. Check its files, its certificate and its promise against its manifest.

    `discreet verify` checks the rest, above all that the published tables are made from the measurements.

    Parameters
    ----------
    path
        The folder that `discreet release` made.

    Returns
    -------
    FolderReader
        Intervals, sums, shares and changes of the folder.

    Raises
    ------
    ParameterError
        `path` is not a path.
    CertificateError
        This is not a release folder, a file differs from its digest in the manifest, or the certificate does not keep
        the design and the budget of the specification.

    Examples
    --------
    >>> import discreet as dc, pathlib, tempfile
    >>> temporary = tempfile.TemporaryDirectory()
    >>> people = pathlib.Path(temporary.name, "people.csv")
    >>> _ = people.write_text("sex\\n" + 40 * "f\\n" + 60 * "m\\n")
    >>> spec = {
    ...     "version": "2026",
    ...     "source": {"csv": str(people)},
    ...     "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
    ...     "tables": [{"name": "people", "dimensions": ["sex"]}],
    ...     "budget": {"epsilon": 1, "delta": "1e-6"},
    ...     "key": "fresh",
    ... }
    >>> _ = dc.release.run(spec, people.with_name("published"))
    >>> reader = dc.infer.folder(people.with_name("published"))
    >>> reader.csv().splitlines()[0]
    'table,sex,measured,low,high,mean,most_likely'
    >>> temporary.cleanup()
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
    def cells(self) -> CellChoice:
        """The cells of the folder, and how they are chosen."""
        return CellChoice(self.release)

    def csv(self, level: Number = 0.95, prior: Any = None, table: str | None = None) -> str:
        """Return a CSV text: labels, measurement, interval, mean and most likely count of every cell.

        Cells that are not measured have no measurement. They are left out if they have no interval.

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
            if self.cells.has_joint(index, prior):
                return self.cells.joint.rows(index, level), np.arange(self.cells.grouping(index).size)
            numbers, ptable = self.cells.measured(index)
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
            if self.cells.has_joint(index, prior) and before.cells.has_joint(index_before, prior):
                rows = self.cells.joint.change_rows(index, before.cells.joint, index_before, level)
                return rows, np.arange(self.cells.grouping(index).size)
            (now, ptable), (then, ptable_before) = self.cells.measured(index), before.cells.measured(index_before)
            pairs, inverse = np.unique(np.stack([now.ravel(), then.ravel()], axis=1), axis=0, return_inverse=True)
            changes = change_rows((ptable, ptable_before), pairs, level, known_prior)
            return [(*pair, *row) for pair, row in zip(pairs.tolist(), changes, strict=True)], inverse

        columns = column_names(*self.release.plan.ptables, *before.release.plan.ptables)
        return self._csv(table, ("measured", "measured_before", *columns), cell_rows, prior)

    def total(self, selection: str | Sequence[str], prior: Any = None, table: str | None = None) -> Posterior:
        """Return the posterior of the sum of the selected cells.

        It comes from all measurements together, if the law of least squares is known and the prior is flat. Otherwise
        it comes from the fewest measurements that hold the cells. A flat prior is then on the sum if every count has
        the same noise (`combine.measured_total`), else on every cell that is used. Any other prior is on each of the
        finest cells.

        Raises
        ------
        ParameterError
            The selection cannot be read, names unknown labels or selects people twice, or there is no such table.
        """
        return self._sum(self.cells.cells(selections_of(selection), prior, table), prior)

    def total_change(
        self, before: "FolderReader", selection: str | Sequence[str], prior: Any = None, table: str | None = None
    ) -> Posterior:
        """Return the posterior of the change of a sum since `before`, a folder of another version of the data.

        Raises
        ------
        ParameterError
            The folders count different people, or as in `total`.
        """
        now, then = self.cells.cells_in_both(_require_reader(before).cells, selections_of(selection), prior, table)
        joint, joint_before = self._joint_sum(now, prior), before._joint_sum(then, prior)
        if joint is not None and joint_before is not None:
            return joint.change(joint_before)
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
        part_cells, rest_cells = self.cells.part_and_rest(part, selections_of(whole), prior, table)
        joint, whole_sum = self._joint_sum(part_cells, prior), self._joint_sum([*part_cells, *rest_cells], prior)
        estimate = None if joint is None or whole_sum is None else joint.share(whole_sum, level)
        if estimate is not None:
            return estimate
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
            return self.cells.number_by_dimensions(self.cells.cells(selections_of(selection), prior, table))
        return self.cells.number_by_dimensions(
            self.cells.cells_in_both(_require_reader(before).cells, selections_of(selection), prior, table)[0]
        )

    def cells_used_by_share(
        self, part: str, whole: str | Sequence[str] = ("",), prior: Any = None, table: str | None = None
    ) -> tuple[CellsUsed, CellsUsed]:
        """Return which cells the part of a share is computed from, and which cells the rest of the whole."""
        part_cells, rest_cells = self.cells.part_and_rest(part, selections_of(whole), prior, table)
        return self.cells.number_by_dimensions(part_cells), self.cells.number_by_dimensions(rest_cells)

    def measurement(self, selection: str, table: str | None = None) -> int | None:
        """Return the measurement of a selection that is a single cell of the table or of a margin, else None."""
        measured = self.measured_itself(selection, table)
        return None if measured is None else measured[0]

    def measured_itself(self, selection: str, table: str | None = None) -> tuple[int, "PTable"] | None:
        """Return `measurement` with its table of noise; None if there is no such cell, or it is not measured."""
        labels = read_labels(selection)
        for index in self.cells.table(table)[1]:
            axes = self.cells.grouping(index).axes
            if {axis.book.name for axis in axes} == set(labels) and all(
                labels[axis.book.name] in axis.labels for axis in axes
            ):
                if self.release.measurements[index] is None:
                    return None
                numbers, ptable = self.cells.measured(index)
                return int(numbers[tuple(axis.labels.index(labels[axis.book.name]) for axis in axes)]), ptable
        return None

    def _csv(
        self, name: str | None, columns: tuple[str, ...], cell_rows: Callable[[str, int, Any], CellRows], prior: Any
    ) -> str:
        """Return the CSV text of one table or of all. `cell_rows` takes table name, grouping index and prior."""
        tables = list(self.cells.tables.values()) if name is None else [self.cells.table(name)]
        dimensions = [book.name for book in self.release.plan.layout.books]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["table", *dimensions, *columns])
        for table, indices in tables:
            for index in indices:
                if self.release.measurements[index] is None and not self.cells.has_joint(index, prior):
                    continue
                rows, row_index = cell_rows(table.name, index, prior if index == indices[0] else None)
                axes = self.cells.grouping(index).axes
                writer.writerows(lines(table, dimensions, axes, rows, row_index, len(columns)))
        return text.getvalue()

    def _joint_sum(self, selected: Sequence[SelectedCells], prior: Any) -> "JointSum | None":
        """Return the estimate of a sum from all measurements together; None if there is none."""
        return self.cells.joint.sum(selected) if isinstance(read_prior(prior), Flat) else None

    def _sum(self, selected: Sequence[SelectedCells], prior: Any) -> Posterior:
        joint = self._joint_sum(selected, prior)
        if joint is not None:
            return joint.posterior()
        by_table: dict[str, tuple[PTable, list[Integers]]] = {}
        for cells in selected:
            numbers, ptable = self.cells.measured(cells.grouping_index)
            by_table.setdefault(ptable.digest, (ptable, []))[1].append(numbers[cells.mask])
        measured = [(ptable, np.concatenate(numbers)) for ptable, numbers in by_table.values()]
        if isinstance(read_prior(prior), Flat) and all(combine.has_same_noise(ptable) for ptable, _ in measured):
            return combine.measured_totals(measured, prior)
        return combine.total([count for ptable, numbers in measured for count in posterior(ptable, numbers, prior)])


def _require_reader(before: Any) -> FolderReader:
    if not isinstance(before, FolderReader):
        raise ParameterError(f"before is {before!r:.60}; give what folder(...) returns")
    return before

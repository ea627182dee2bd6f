"""A release as a value: its tables as data frames, its guarantee, and the files of its folder.

Everything here is public. True counts, keys and the secret are not part of a release.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet import data_frames, files, pictures
from discreet.arrays import Booleans, Integers
from discreet.certify.ptable import PTable
from discreet.errors import ParameterError, ReleaseError
from discreet.exact import Number, exact
from discreet.labels import TOTAL
from discreet.measure.ledger_use import Charge
from discreet.plan.guarantee import Promise, why_no_promise
from discreet.plan.release_plan import ReleasePlan
from discreet.plan.sections import TableSpec
from discreet.plan.spec import ReleaseSpec
from discreet.publish import table_files
from discreet.publish.cell_intervals import NO_END, least_squares_intervals
from discreet.publish.folder import Published
from discreet.release._wide_table import wide

PUBLISHED_LEVEL = Fraction(95, 100)
"""The level of the intervals in the files of a release."""

MOST_BARS = 40
"""Cells of a picture. Of the groupings of a table, the finest with at most so many cells is drawn."""


class _Ends(NamedTuple):
    """The first and last counts of intervals, and which intervals have no upper end."""

    low: Integers
    high: Integers
    open_end: Booleans


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A release, in a published folder or in memory.

    Attributes
    ----------
    published
        The plan, the measurements and the tables.
    manifest
        The content of manifest.json.
    files
        The content of each file of the folder, by file name.
    path
        Path of the folder; None if the release is in memory.
    resumed
        The private file of measurements, drawn by an earlier run, that this run went on from. None if this run drew.
    charge
        Units that the ledger was charged, and units that were left before; None without a ledger.

    Examples
    --------
    >>> import discreet as dc, pyarrow as pa
    >>> spec = {
    ...     "version": "2026",
    ...     "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
    ...     "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
    ...     "budget": {"epsilon": 1, "delta": "1e-6"},
    ...     "key": "fresh",
    ... }
    >>> release = dc.release.run(spec, data=pa.table({"sex": ["f"] * 400 + ["m"] * 600}))
    >>> release.to_frame(to="arrow").column_names
    ['table', 'sex', 'count', 'low', 'high']
    >>> release.table("people", to="arrow")["sex"].to_pylist()
    ['f', 'm', '_other', '_total']
    """

    published: Published
    manifest: Mapping[str, Any]
    files: Mapping[str, bytes]
    path: Path | None = None
    resumed: Path | None = None
    charge: Charge | None = None

    @property
    def plan(self) -> ReleasePlan:
        """The plan of the release."""
        return self.published.plan

    @property
    def folder(self) -> Path:
        """Path of the folder. Raise ReleaseError if the release is in memory."""
        if self.path is None:
            raise ReleaseError("the release is in memory and has no folder; write one with release.save(DIR)")
        return self.path

    @property
    def spec(self) -> ReleaseSpec:
        """The specification, with the categories that were taken from the data, if any."""
        return self.published.plan.spec

    @property
    def ptable(self) -> PTable:
        """The certified table of noise. Raise ReleaseError if there are several: see `ptables`."""
        return self.published.plan.ptable

    @property
    def ptables(self) -> tuple[PTable, ...]:
        """The certified tables of noise."""
        return self.published.plan.ptables

    @property
    def cells(self) -> int:
        """Number of distinct cells that were measured."""
        return self.published.plan.measured.size

    @property
    def touches(self) -> int:
        """Number of measured cells that one person is in, at most."""
        return self.published.plan.touches

    @property
    def promise(self) -> Promise | None:
        """The most that one person may lose in all, or None if nothing is promised."""
        return self.published.plan.promise

    @property
    def measurements(self) -> tuple[Any, ...]:
        """The unclamped noisy integers of every grouping, in the order of the manifest; None if it is not measured.

        Groupings may share cells.
        """
        return self.published.measurements

    def table(
        self, name: str | None = None, *, across: str | None = None, level: Number | None = 0.95, to: str | None = None
    ) -> Any:
        """Return a published table as a data frame.

        Parameters
        ----------
        name
            The name of the table; not needed if the release has only one.
        across
            A dimension whose categories become columns. None: one row for each cell.
        level
            The least probability of the credible intervals in the columns `low` and `high`. None: no intervals.
        to
            "pandas", "polars" or "arrow". None: pandas if it is installed, else arrow.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            A column for each dimension, with `_total` in margins, and the columns `count`, `low` and `high`. With
            `across`: the columns LABEL, "LABEL low" and "LABEL high" for each category. The interval of a cell is
            widened to the published count; at 95% it is the published one. Levels from 0.5 to 0.9999 use all
            measurements, as published intervals do; others use the cell's own measurement, or for a margin that is not
            measured the variance of least squares. `high` is missing if the interval has no end.

        Raises
        ------
        ParameterError
            There is no such table, dimension or library, or `level` is not between 0 and 1.
        MissingExtraError
            The library is not installed.
        """
        data_frames.require_library(to)
        table, columns = self._columns(self._index(name), level)
        return data_frames.frame(columns if across is None else wide(table, columns, across), to)

    def to_frame(self, *, level: Number | None = 0.95, to: str | None = None) -> Any:
        """Return all tables as one data frame: the name of the table, then as in `table`.

        A dimension that a table does not have is missing in the rows of the table. If a dimension is called `table`,
        the column of names is `_table`.

        Parameters
        ----------
        level, to
            As in `table`.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            One row for each cell of each table.
        """
        import pyarrow as pa

        data_frames.require_library(to)
        named = [self._columns(index, level) for index in range(len(self.published.plan.layout.tables))]
        dimensions = list(dict.fromkeys(axis.dimension for table, _ in named for axis in table.dimensions))
        numbers = ["count", *([] if level is None else ["low", "high"])]
        table_column = "_table" if "table" in dimensions else "table"
        joined: dict[str, list[Any]] = {name: [] for name in [table_column, *dimensions, *numbers]}
        for table, columns in named:
            size = len(columns["count"])
            joined[table_column].append(pa.array([table.name] * size, pa.string()))
            for name in [*dimensions, *numbers]:
                joined[name].append(columns.get(name, pa.nulls(size, pa.string())))
        return data_frames.frame({name: pa.chunked_array(parts) for name, parts in joined.items()}, to)

    def save(self, folder: str | os.PathLike[str]) -> "Release":
        """Write the folder of a release that is in memory. `discreet verify` checks the folder.

        Parameters
        ----------
        folder
            The folder to make. It must not exist.

        Returns
        -------
        Release
            The same release, with the path of the folder.

        Raises
        ------
        OutputError
            Something exists at the path, or the folder cannot be written.
        """
        files.write_folder(folder, self.files)
        return replace(self, path=Path(folder))

    def plot(self, name: str | None = None, *, level: Number = 0.95, axes: Any = None) -> Any:
        """Draw the counts of a table with their intervals: the finest margin that has at most 40 cells.

        Parameters
        ----------
        name, level
            As in `table`.
        axes
            Axes of matplotlib. None: new axes.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        MissingExtraError
            matplotlib is not installed.
        """
        panel = pictures.axes(axes)
        labels, counts, cells = self._drawn(self._index(name), level)
        rows = range(len(labels))
        panel.hlines(rows, cells.low, cells.high, color="0.4", label=f"{float(level):.0%} interval")
        panel.plot(counts, rows, "o", color=pictures.COLOUR, label="published count")
        panel.set_yticks(rows, labels)
        panel.invert_yaxis()
        panel.set_xlim(left=0)
        panel.set(xlabel="people", title=self.spec.title)
        panel.legend(frameon=False)
        return panel

    def __repr__(self) -> str:
        location = "in memory" if self.path is None else f"in {str(self.path)!r}"
        version = f"version {self.spec.version!r}"
        return f"Release({self.spec.title!r}, {version}, {self._size()}, {self._promised()}, {location})"

    def _repr_html_(self) -> str:
        first = self.published.plan.layout.tables[0][0].name
        labels, counts, cells = self._drawn(0, 0.95)
        tables = {
            f"table {table.name}": " by ".join(axis.dimension for axis in table.dimensions) or "total"
            for table, _ in self.published.plan.layout.tables
        }
        facts = {"version": self.spec.version, **tables, "size": self._size(), "promise": self._promised()}
        description = f"counts of {first} with 95% intervals: {', '.join(labels):.300}"
        return pictures.card(
            self.spec.title,
            facts,
            pictures.whiskers(cells.low.tolist(), counts.tolist(), cells.high.tolist(), description),
        )

    def _size(self) -> str:
        tables = len(self.published.plan.layout.tables)
        return f"{tables} table{'' if tables == 1 else 's'}, {self.cells:,} cell{'' if self.cells == 1 else 's'}"

    def _promised(self) -> str:
        if self.promise is None:
            return f"nothing is promised: {why_no_promise(self.spec)}"
        return f"epsilon {self.promise.epsilon}, delta {self.promise.delta:.3g}"

    def _index(self, name: str | None) -> int:
        """Return the index of a table."""
        names = [table.name for table, _ in self.published.plan.layout.tables]
        if name is None and len(names) == 1:
            return 0
        if name not in names:
            problem = "no table is named" if name is None else f"there is no table {name!r:.80}"
            raise ParameterError(f"{problem}; choose one of: {', '.join(names)}")
        return names.index(name)

    def _joint_ends(self, level: Number) -> dict[int, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """Return the ends of intervals from all measurements, by grouping index, at levels that are not published."""
        inside = float(exact(level, "level"))
        if Fraction(str(level)) == PUBLISHED_LEVEL or not 0.5 <= inside <= 0.9999:
            return {}
        return self.published.joint.ends(self.measurements, inside)

    def _ends(self, index: int, position: int, level: Number, joint: Mapping[int, tuple[Any, Any]]) -> "_Ends":
        """Return the intervals of a grouping of a table: as published at 95%, else from `joint` if it has them.

        An interval is widened to the published count.
        """
        if Fraction(str(level)) == PUBLISHED_LEVEL:
            published = self.published.intervals[index][position]
            return _Ends(published.low, published.high, published.high == NO_END)
        from discreet.infer.credible_intervals import intervals  # infer loads a solver

        counts = self.published.tables[index][position]
        grouping_index = self.published.plan.layout.tables[index][1][position]
        if grouping_index in joint:
            low, high = joint[grouping_index]
            return _Ends(np.minimum(low, counts), np.maximum(high, counts), np.zeros(counts.shape, dtype=bool))
        ptable = self.plan.ptable_of(grouping_index)
        if ptable is None:
            return self._least_squares_ends(grouping_index, counts, level)
        cells = intervals(ptable, self.measurements[grouping_index], level)
        return _Ends(np.minimum(cells.low, counts), np.maximum(cells.high, counts), cells.open_end)

    def _least_squares_ends(self, index: int, counts: Integers, level: Number) -> "_Ends":
        """Return the intervals of a grouping that is not measured."""
        missed = float(1 - exact(level, "level"))
        if not 0 < missed < 1:
            raise ParameterError(f"level is {level!s:.20}; give a probability between 0 and 1")
        published = self.published
        ends = least_squares_intervals(published.table_plan, published.noise, published.fitted, missed)[index]
        return _Ends(np.minimum(ends.low, counts), np.maximum(ends.high, counts), ends.high == NO_END)

    def _columns(self, index: int, level: Number | None) -> tuple[TableSpec, dict[str, Any]]:
        """Return a table, and its columns: labels of the dimensions, counts, and ends of intervals."""
        import pyarrow as pa

        layout = self.published.plan.layout
        table, groupings = layout.tables[index]
        counts = self.published.tables[index]
        margins = [(layout.groupings[number], (part,)) for number, part in zip(groupings, counts, strict=True)]
        *labels, _ = zip(*table_files.table_rows(table, margins), strict=True)
        dimensions = [axis.dimension for axis in table.dimensions]
        columns = {name: pa.array(column, pa.string()) for name, column in zip(dimensions, labels, strict=True)}
        numbers: dict[str, Any] = {"count": pa.array(_flat(counts))}
        if level is not None:
            joint = self._joint_ends(level)
            cells = [self._ends(index, position, level, joint) for position in range(len(groupings))]
            numbers["low"] = pa.array(_flat([part.low for part in cells]))
            numbers["high"] = pa.array(
                _flat([part.high for part in cells]), mask=_flat([part.open_end for part in cells])
            )
        return table, columns | numbers

    def _drawn(self, index: int, level: Number) -> tuple[list[str], Integers, "_Ends"]:
        """Return labels, counts and intervals of the cells of a table that a picture shows."""
        layout = self.published.plan.layout
        table, groupings = layout.tables[index]
        sizes = [layout.groupings[number].size for number in groupings]
        small = [position for position, size in enumerate(sizes) if size <= MOST_BARS]
        chosen = max(small, key=sizes.__getitem__) if small else sizes.index(min(sizes))
        counts = self.published.tables[index][chosen]
        rows = table_files.table_rows(table, [(layout.groupings[groupings[chosen]], (counts,))])
        labels = [", ".join(label for label in row[:-1] if label != TOTAL) or "total" for row in rows]
        part = slice(MOST_BARS)
        low, high, open_end = self._ends(index, chosen, level, self._joint_ends(level))
        shown = _Ends(low.ravel()[part], high.ravel()[part], open_end.ravel()[part])
        return labels[part], counts.ravel()[part], shown


def _flat(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.concatenate([part.ravel() for part in parts])

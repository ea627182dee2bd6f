"""Least squares of few cells, by the equations of all combinations of categories (`joint_estimates`).

Let A have a row for every measured cell, with a 1 for every combination of categories that the cell holds, and let W be
the precisions. A grouping with rows T has the estimates C y,

    C = T (A' W A)^+ A' W,

if T lies in the span of A. Otherwise the measurements do not determine it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.arrays import Booleans, Floats, Integers
from discreet.plan.measured_cells import MeasuredCells
from discreet.reconcile.axes import Key
from discreet.reconcile.cliques import Part

MOST_DENSE = 1000
"""Combinations of categories whose equations are solved within a second."""

SINGULAR = 1e-10
"""Eigenvalues below this share of the largest are 0."""

DIGITS = 9
"""Cells are of one kind if their coefficients agree in so many decimals."""

Terms = list[tuple[int, Floats]]
"""Numbers of tables of noise, each with the coefficients of measured cells."""


@dataclass(frozen=True, eq=False)
class DenseEstimates:
    """Least squares by the equations of all combinations of categories.

    Attributes
    ----------
    matrices
        For every grouping that the measurements determine, the coefficients of every measured cell.
    owned
        For every measured grouping, which of its cells are not measured cells of a finer grouping, too.
    tables
        For every measured cell the number of its table of noise.
    """

    part: Part
    matrices: Mapping[int, Floats]
    owned: Mapping[int, Booleans]
    tables: Integers

    @classmethod
    def of(
        cls, part: Part, measured: MeasuredCells, owned: Mapping[int, Booleans], variances: Sequence[float]
    ) -> "DenseEstimates":
        """Return the estimates of a part; the parameters are those of `joint_estimates`."""
        finest: Key = tuple((axis, None) for axis in range(len(part.axes)))
        rows = [_rows(part, finest, index)[is_owned] for index, is_owned in owned.items()]
        numbers = [np.full(len(own), measured.noise_of[index]) for index, own in zip(owned, rows, strict=True)]
        design, tables = np.concatenate(rows), np.concatenate(numbers).astype(np.int64)
        weighted = design / np.asarray(variances)[tables][:, None]
        values, vectors = np.linalg.eigh(design.T @ weighted)
        kept = values > SINGULAR * values.max()
        span = vectors[:, kept]
        solve = (span / values[kept]) @ (span.T @ weighted.T)
        matrices = {}
        for index in part.grouping_indices:
            wanted = _rows(part, finest, index)
            if np.abs(wanted - (wanted @ span) @ span.T).max() < math.sqrt(SINGULAR):
                matrices[index] = wanted @ solve
        return cls(part, matrices, owned, tables)

    @property
    def groupings(self) -> list[int]:
        """The indices of the groupings that the measurements determine."""
        return list(self.matrices)

    def estimates(self, measurements: Sequence[Integers | None]) -> dict[int, Floats]:
        """Return the estimates of every grouping, from the measurements of every grouping of the layout."""
        flat = [np.ravel(np.asarray(measurements[index]))[is_owned] for index, is_owned in self.owned.items()]
        values = np.concatenate(flat).astype(np.float64)
        return {index: (matrix @ values).reshape(self._shape(index)) for index, matrix in self.matrices.items()}

    def coefficients(self, weights: Mapping[int, Floats]) -> Terms:
        """Return the coefficients of the measurements in the estimate of a sum of cells, as `joint_estimates` does."""
        total = sum(np.ravel(times) @ self.matrices[index] for index, times in weights.items())
        return [(table, np.asarray(total)[self.tables == table]) for table in np.unique(self.tables).tolist()]

    def kinds(self, index: int) -> Integers:
        """Return the kind of every cell of a grouping, in the shape of the grouping: 0, 1, ..."""
        return self._kinds[index].reshape(self._shape(index))

    @cached_property
    def _kinds(self) -> dict[int, Integers]:
        order = np.argsort(self.tables, kind="stable")
        starts = np.flatnonzero(np.diff(self.tables[order])) + 1
        kinds = {}
        for index, matrix in self.matrices.items():
            by_table = np.split(np.round(matrix[:, order], DIGITS) + 0.0, starts, axis=1)
            rows = np.concatenate([np.sort(values, axis=1) for values in by_table], axis=1)
            kinds[index] = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        return kinds

    def _shape(self, index: int) -> tuple[int, ...]:
        return self.part.shape(self.part.keys[index])


def _rows(part: Part, finest: Key, index: int) -> Floats:
    """Return a row for every cell of a grouping: 1 for every combination of categories that the cell holds."""
    cells = part.containing_cells(finest, part.keys[index])
    assert cells is not None, "the finest categories refine every grouping"
    rows = np.zeros((math.prod(part.shape(part.keys[index])), len(cells)))
    rows[cells, np.arange(len(cells))] = 1.0
    return rows

"""Which cells of a release folder a sum is computed from.

Under the flat prior these are cells that are estimated from all measurements together, measured or not. Otherwise they
are measured cells. Of all groupings of a table, the one with the fewest selected cells is taken (`_select_cells`).
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Integers
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.infer._same_population import matching_grouping, require_comparable, require_matching_grouping
from discreet.infer._select_cells import SelectedCells, disjoint_masks, read_labels, selection_mask, ways_to_select
from discreet.infer.posteriors import posterior
from discreet.infer.prior import Flat, read_prior

if TYPE_CHECKING:
    from discreet.certify.ptable import PTable
    from discreet.infer._joint_estimates import JointReader
    from discreet.plan.layout import Grouping
    from discreet.plan.sections import TableSpec
    from discreet.publish.verify_folder import MeasuredFolder

CellsUsed = list[tuple[int, tuple[str, ...]]]
"""Numbers of cells, each with the dimensions of the cells."""


@dataclass(frozen=True, eq=False)
class CellChoice:
    """The cells of a release folder."""

    release: "MeasuredFolder"

    @cached_property
    def tables(self) -> dict[str, tuple["TableSpec", tuple[int, ...]]]:
        """The tables by name, each with the indices of its groupings, the finest first."""
        return {table.name: (table, indices) for table, indices in self.release.plan.layout.tables}

    def measured(self, index: int) -> tuple[Integers, "PTable"]:
        """Return the measurements and the table of noise of a grouping that is measured."""
        numbers, ptable = self.release.measurements[index], self.release.plan.ptable_of(index)
        if numbers is None or ptable is None:
            raise ParameterError(
                f"{self.grouping(index).name} is not measured in {self.release.path}, so measurements.csv does not"
                " have it; choose a table that is measured itself"
            )
        return numbers, ptable

    def grouping(self, index: int) -> "Grouping":
        return self.release.plan.layout.groupings[index]

    def table(self, name: str | None) -> tuple["TableSpec", tuple[int, ...]]:
        if name is None and len(self.tables) == 1:
            return next(iter(self.tables.values()))
        if name not in self.tables:
            problem = "no table is named" if name is None else f"there is no table {name!r}"
            raise ParameterError(f"{problem}; choose one of: {', '.join(self.tables)}")
        return self.tables[name]

    def cells(
        self, selections: Sequence[str], prior: Any, table: str | None, without: Sequence[str | None] = ()
    ) -> list[SelectedCells]:
        """Return the fewest cells of a table that hold each selection, less the selection in `without`."""
        indices = self.usable(self.table(table)[1], prior)
        return self.fewest(selections, prior, indices, self.may_be_at_end, without)

    def cells_in_both(
        self, before: "CellChoice", selections: Sequence[str], prior: Any, table: str | None
    ) -> tuple[list[SelectedCells], list[SelectedCells]]:
        """Return the fewest cells of a sum that both folders have: in this folder, and in `before`."""
        require_comparable(self.release, before.release)
        spec, all_indices = self.table(table)
        first = require_matching_grouping(self.release, before.release, spec.name, all_indices[0])
        both = self.has_joint(all_indices[0], prior) and before.has_joint(first, prior)
        shared = {all_indices[0]: first}
        for index in all_indices[1:]:
            index_before = matching_grouping(self.release, before.release, spec.name, index)
            if index_before is not None:
                shared[index] = index_before
        if both:
            is_usable = {i: self.has_joint(i, prior) and before.has_joint(j, prior) for i, j in shared.items()}
        else:
            self.measured(all_indices[0])
            before.measured(first)
            own, old = self.release.measurements, before.release.measurements
            is_usable = {i: own[i] is not None and old[j] is not None for i, j in shared.items()}
        shared = {index: other for index, other in shared.items() if is_usable[index]}

        def in_before(cells: SelectedCells) -> SelectedCells:
            return SelectedCells(shared[cells.grouping_index], cells.mask)

        def may_be_at_end(cells: SelectedCells) -> bool:
            return self.may_be_at_end(cells) or before.may_be_at_end(in_before(cells))

        now = self.fewest(selections, prior, list(shared), may_be_at_end)
        return now, [in_before(cells) for cells in now]

    def fewest(
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
        groupings = [(index, self.grouping(index)) for index in indices]
        disjoint_masks(groupings[0][1], selections)
        if not isinstance(read_prior(prior), Flat):
            groupings = groupings[:1]
        fewest = []
        for selection, left_out in itertools.zip_longest(selections, without):
            ways = ways_to_select(
                groupings, read_labels(selection), None if left_out is None else read_labels(left_out)
            )
            fewest.append(next((way for way in ways if not may_be_at_end(way)), ways[-1]))
        return fewest

    def may_be_at_end(self, cells: SelectedCells) -> bool:
        """Return True if a count may be at the end of the domain or beyond, under a flat prior."""
        ptable = self.release.plan.ptable_of(cells.grouping_index)
        if ptable is None or not isinstance(ptable.domain, Counts) or ptable.domain.upper is None:
            return False
        numbers, _ = self.measured(cells.grouping_index)
        return any(count.open_end for count in posterior(ptable, numbers[cells.mask]))

    def part_and_rest(
        self, part: str, whole: Sequence[str], prior: Any, table: str | None
    ) -> tuple[list[SelectedCells], list[SelectedCells]]:
        """Return the cells of a part, and the cells of the rest of the whole."""
        finest = self.grouping(self.table(table)[1][0])
        masks = disjoint_masks(finest, whole)
        in_part, in_whole = selection_mask(finest, read_labels(part)), np.logical_or.reduce(masks)
        if (in_part & ~in_whole).any():
            raise ParameterError(f"the part {part!r} has cells outside the whole; select a whole that holds the part")
        if not (in_whole & ~in_part).any():
            raise ParameterError(f"the part {part!r} is the whole, so its share is 1; select a smaller part")
        rest = [(text, mask) for text, mask in zip(whole, masks, strict=True) if (mask & ~in_part).any()]
        without = [part if (mask & in_part).any() else None for _, mask in rest]
        return self.cells([part], prior, table), self.cells([text for text, _ in rest], prior, table, without)

    @cached_property
    def joint(self) -> "JointReader":
        from discreet.infer._joint_estimates import JointReader  # the engines take a while to load

        return JointReader.of(self.release)

    def has_joint(self, index: int, prior: Any) -> bool:
        """Return True if the cells of a grouping are estimated from all measurements together."""
        return isinstance(read_prior(prior), Flat) and self.joint.has(index)

    def usable(self, indices: Sequence[int], prior: Any) -> list[int]:
        """Return the groupings that are estimated from all measurements together, or else those that are measured.

        Raise ParameterError if the finest, the first, is neither.
        """
        if self.has_joint(indices[0], prior):
            return [index for index in indices if self.has_joint(index, prior)]
        self.measured(indices[0])
        return [index for index in indices if self.release.measurements[index] is not None]

    def number_by_dimensions(self, selected: Sequence[SelectedCells]) -> CellsUsed:
        numbers: dict[int, int] = {}
        for cells in selected:
            numbers[cells.grouping_index] = numbers.get(cells.grouping_index, 0) + cells.number
        return [
            (number, tuple(axis.book.name for axis in self.grouping(index).axes)) for index, number in numbers.items()
        ]

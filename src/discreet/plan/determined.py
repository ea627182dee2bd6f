"""Which published groupings the measured groupings determine.

Tables that are made to add up are fitted to the measurements of all tables of the same population. A grouping that is
not measured then is a sum of cells of a measured grouping of the same population that is finer: every cell of the finer
grouping lies in one of its cells. If no measured grouping is finer, least squares leaves it open. (For plain dimensions
the interaction of all its axes is in no other measurement.)

Tables that are not made to add up are the measurements themselves, so all their groupings are measured.
"""

import numpy as np

from discreet.errors import SpecError
from discreet.plan.layout import Grouping, Layout, Population
from discreet.plan.measured_cells import MeasuredCells
from discreet.plan.spec import ReleaseSpec


def require_determined(spec: ReleaseSpec, measured: MeasuredCells, ends: bool) -> None:
    """Raise SpecError if a published grouping is neither measured nor a sum of measured cells.

    Parameters
    ----------
    spec
        The specification.
    measured
        The measured groupings.
    ends
        True if the noise has an upper end, so that no table is made to add up.
    """
    layout = measured.layout
    if None not in measured.noise_of and (measured.number_of_tables == 1 or spec.reconcile != "wang-3"):
        return
    if spec.reconcile == "wang-3":
        raise SpecError(
            "reconcile is wang-3, which is for a list and its total with the same noise; measure both, with one design,"
            " or take reconcile: auto",
            ("measure",),
        )
    clamps_all = ends or spec.reconcile == "none"
    additive = [] if clamps_all else [table for table in layout.tables if _adds_up(layout, table[1])]
    fitted = {index for _, indices in additive for index in indices}
    finer = [layout.groupings[index] for index in measured.groupings if index in fitted]
    for table, indices in layout.tables:
        for index in indices:
            grouping = layout.groupings[index]
            if measured.noise_of[index] is not None:
                continue
            if (table, indices) not in additive:
                raise SpecError(
                    f"{grouping.name} of table {table.name!r} is not measured, and the table is not made to add up"
                    " (reconcile is none, categories overlap, or the noise has an upper end); measure every margin of"
                    " this table",
                    ("measure",),
                )
            if not any(_refines(other, grouping) for other in finer):
                raise SpecError(
                    f"{grouping.name} of table {table.name!r} is published, is not measured, and is no sum of measured"
                    " cells; measure it, or a finer table of the same people",
                    ("measure",),
                )


def _adds_up(layout: Layout, indices: tuple[int, ...]) -> bool:
    """Return True if no categories of the groupings of a table overlap."""
    return all(axis.overlap == 1 for index in indices for axis in layout.groupings[index].axes)


def _refines(fine: Grouping, coarse: Grouping) -> bool:
    """Return True if both groupings are of the same people, and each cell of the fine one is in one of the coarse."""
    axes = {axis.book.name: axis for axis in fine.axes}
    if people(fine) != people(coarse) or not {axis.book.name for axis in coarse.axes} <= set(axes):
        return False
    for axis in coarse.axes:
        group_of = {leaf: number for number, group in enumerate(axis.members) for leaf in group}
        if any(len({group_of[leaf] for leaf in group}) > 1 for group in axes[axis.book.name].members):
            return False
    return True


def people(grouping: Grouping) -> Population:
    """Return the population of a grouping: the leaves of each dimension that it constrains."""
    sizes = {axis.book.name: len(axis.book.leaves) for axis in grouping.axes}
    sizes |= {book.name: len(book.leaves) for book, _ in grouping.within}
    return {name: leaves for name, leaves in grouping.population.items() if len(leaves) < sizes[name]}


def same_cells(layout: Layout) -> list[list[int]]:
    """Return lists of the indices of groupings that have exactly the same cells, in any order."""
    groups: dict[bytes, list[int]] = {}
    for index, cells in enumerate(layout.cells.indices):
        groups.setdefault(np.sort(cells).tobytes(), []).append(index)
    return list(groups.values())

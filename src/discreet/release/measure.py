"""Measurements: one noisy integer for every distinct cell.

A measurement is the only number made from the truth. It is not clamped: it may be below 0, and everything later, the
tables and their replay by `verify`, reads measurements and nothing else.
"""

import numpy as np
import numpy.typing as npt

from discreet.certify.ptable import PTable
from discreet.release import keys, tabulate
from discreet.release.cells import Layout

Integers = npt.NDArray[np.int64]


def true_counts(layout: Layout, found: tabulate.Leaves) -> tuple[Integers, list[npt.NDArray[np.uint64]]]:
    """The count of every distinct cell, and the sums of the components of its record keys."""
    definitions, where = layout.cells
    counts = np.zeros(len(definitions), dtype=np.int64)
    sums = [np.zeros(len(definitions), dtype=np.uint64) for _ in found.sums]
    for grouping, here in zip(layout.groupings, where, strict=True):
        counted, added = tabulate.counts(grouping, layout, found)
        counts[here] = counted
        for total, part in zip(sums, added, strict=True):
            total[here] = part
    return counts, sums


def measure(ptable: PTable, counts: Integers, chosen: keys.Keys | None) -> Integers:
    """The noisy integers; fresh noise where no keys are given."""
    return np.asarray(ptable.perturb(counts, chosen), dtype=np.int64)


def by_grouping(layout: Layout, measurements: Integers) -> list[Integers]:
    """The measurements of every grouping's cells."""
    return [
        measurements[here].reshape(grouping.shape)
        for grouping, here in zip(layout.groupings, layout.cells[1], strict=True)
    ]

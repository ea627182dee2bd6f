"""True counts of every cell: sums over leaf combinations.

Nothing in this file is published. It holds the truth, and hands the truth to `measure` only.
"""

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.count.contributions import Leaves
from discreet.plan.layout import Grouping, GroupingAxis, Layout

HALF = 1 << 16


def cell_counts(layout: Layout, leaves: Leaves) -> tuple[Integers, list[npt.NDArray[np.uint64]]]:
    """Return the count of every distinct cell, and the sums of the components of its record keys.

    Parameters
    ----------
    layout
        The cells and groupings of a release.
    leaves
        The number of rows, and the sums of record keys, of each leaf combination.

    Returns
    -------
    counts
        One count for each of `layout.cells.definitions`.
    sums
        For each component of record keys, one sum for each cell; empty if there are no record keys.
    """
    number = len(layout.cells.definitions)
    counts = np.zeros(number, dtype=np.int64)
    sums = [np.zeros(number, dtype=np.uint64) for _ in leaves.sums]
    for grouping, indices in zip(layout.groupings, layout.cells.indices, strict=True):
        grouping_counts, grouping_sums = _grouping_counts(grouping, layout, leaves)
        counts[indices] = grouping_counts
        for total, part in zip(sums, grouping_sums, strict=True):
            total[indices] = part
    return counts, sums


def _grouping_counts(
    grouping: Grouping, layout: Layout, leaves: Leaves
) -> tuple[Integers, list[npt.NDArray[np.uint64]]]:
    """Return the count of every cell of a grouping, in C order, and the sums of the components of its keys."""
    lines = np.arange(len(leaves.counts))
    for book, members in grouping.within:
        inside = np.array([leaf in members for leaf in range(len(book.leaves))])
        lines = lines[inside[leaves.codes[layout.books.index(book)][lines]]]
    cells = np.zeros(len(lines), dtype=np.int64)
    for axis in grouping.axes:
        codes = leaves.codes[layout.books.index(axis.book)][lines]
        repeats, groups = _groups_of(codes, axis)
        lines, cells = np.repeat(lines, repeats), np.repeat(cells, repeats) * len(axis.members) + groups
    size = grouping.size
    counts = np.bincount(cells, weights=leaves.counts[lines], minlength=size).astype(np.int64)  # exact below 2**53
    return counts, [_exact_sums(cells, part[lines], size) for part in leaves.sums]


def _groups_of(codes: Integers, axis: GroupingAxis) -> tuple[Integers, Integers]:
    """Return the number of groups that hold the leaf of each line, and these groups, line by line."""
    groups, leaves = axis.pairs
    sizes = np.bincount(leaves, minlength=len(axis.book.leaves))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    repeats = sizes[codes]
    offsets = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return repeats, groups[np.repeat(starts[codes], repeats) + offsets]


def _exact_sums(cells: Integers, values: npt.NDArray[np.uint64], size: int) -> npt.NDArray[np.uint64]:
    """Return exact sums of reduced components by cell, from two halves of 16 bits, whose sums are below 2**53."""
    low = np.bincount(cells, weights=(values % HALF).astype(np.float64), minlength=size).astype(np.uint64)
    high = np.bincount(cells, weights=(values // HALF).astype(np.float64), minlength=size).astype(np.uint64)
    return low + high * np.uint64(HALF)

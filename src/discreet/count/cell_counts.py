"""True counts of every cell: sums of leaf combinations.

Nothing in this file is published. It holds the truth, and hands it to `measure` only.
"""

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers
from discreet.count.contributions import Leaves
from discreet.plan.layout import Grouping, Layout

HALF = 1 << 16


def cell_counts(layout: Layout, found: Leaves) -> tuple[Integers, list[npt.NDArray[np.uint64]]]:
    """The count of every distinct cell, and the sums of the components of its record keys."""
    definitions, where = layout.cells
    counts = np.zeros(len(definitions), dtype=np.int64)
    sums = [np.zeros(len(definitions), dtype=np.uint64) for _ in found.sums]
    for grouping, here in zip(layout.groupings, where, strict=True):
        counted, added = _counts(grouping, layout, found)
        counts[here] = counted
        for total, part in zip(sums, added, strict=True):
            total[here] = part
    return counts, sums


def _counts(grouping: Grouping, layout: Layout, found: Leaves) -> tuple[Integers, list[npt.NDArray[np.uint64]]]:
    """The true count of every cell of a grouping, in C order, and the sums of its keys' components."""
    rows = np.arange(len(found.counts))
    for book, members in grouping.within:
        inside = np.array([leaf in members for leaf in range(len(book.leaves))])
        rows = rows[inside[found.codes[layout.books.index(book)][rows]]]
    place = np.zeros(len(rows), dtype=np.int64)
    for side in grouping.axes:
        flat, leaves = side.pairs
        many = np.bincount(leaves, minlength=len(side.book.leaves))
        start = np.concatenate([[0], np.cumsum(many)[:-1]])
        leaf = found.codes[layout.books.index(side.book)][rows]
        repeat = many[leaf]
        within = np.arange(repeat.sum()) - np.repeat(np.cumsum(repeat) - repeat, repeat)
        group = flat[np.repeat(start[leaf], repeat) + within]
        rows, place = np.repeat(rows, repeat), np.repeat(place, repeat) * len(side.members) + group
    size = grouping.size
    total = np.bincount(place, weights=found.counts[rows], minlength=size).astype(np.int64)  # exact below 2**53
    return total, [_sums(place, part[rows], size) for part in found.sums]


def _sums(place: Integers, values: npt.NDArray[np.uint64], size: int) -> npt.NDArray[np.uint64]:
    """Sums of reduced components, exactly: in two halves of 16 bits, each below 2**53."""
    low = np.bincount(place, weights=(values % HALF).astype(np.float64), minlength=size).astype(np.uint64)
    high = np.bincount(place, weights=(values // HALF).astype(np.float64), minlength=size).astype(np.uint64)
    return low + high * np.uint64(HALF)

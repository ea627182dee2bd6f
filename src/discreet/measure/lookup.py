"""Measurements: one noisy integer for every distinct cell.

A measurement is the only number made from the truth. It is not clamped, so it may be below 0. All later stages, the
tables and their replay by `verify`, read measurements and nothing else.
"""

import numpy as np

from discreet.arrays import Integers, Keys
from discreet.certify.ptable import PTable
from discreet.plan.layout import Layout


def measure(ptable: PTable, counts: Integers, keys: Keys | None) -> Integers:
    """Return the measurements of cells.

    Parameters
    ----------
    ptable
        The certified table of the noise.
    counts
        The true count of every distinct cell.
    keys
        The key of every cell. None: keys are drawn from the system's generator.
    """
    return np.asarray(ptable.perturb(counts, keys), dtype=np.int64)


def by_grouping(layout: Layout, measurements: Integers) -> list[Integers]:
    """Return the measurements of every grouping, in the shape of the grouping.

    Parameters
    ----------
    layout
        The groupings, and the distinct cells of each.
    measurements
        The measurement of every distinct cell.
    """
    return [
        measurements[indices].reshape(grouping.shape)
        for grouping, indices in zip(layout.groupings, layout.cells.indices, strict=True)
    ]

"""Measurements: one noisy integer for every distinct cell.

A measurement is the only number made from the truth. It is not clamped: it may be below 0, and everything later, the
tables and their replay by `verify`, reads measurements and nothing else.
"""

import numpy as np

from discreet.arrays import Integers, Keys
from discreet.certify.ptable import PTable
from discreet.plan.layout import Layout


def measure(ptable: PTable, counts: Integers, chosen: Keys | None) -> Integers:
    """The noisy integers; fresh noise where no keys are given."""
    return np.asarray(ptable.perturb(counts, chosen), dtype=np.int64)


def by_grouping(layout: Layout, measurements: Integers) -> list[Integers]:
    """The measurements of every grouping's cells."""
    return [
        measurements[here].reshape(grouping.shape)
        for grouping, here in zip(layout.groupings, layout.cells.indices, strict=True)
    ]

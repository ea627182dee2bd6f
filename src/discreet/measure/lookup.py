"""Measurements: one noisy integer for every measured cell.

A measurement is the only number made from the truth. It is not clamped, so it may be below 0. All later stages, the
tables and their replay by `verify`, read measurements and nothing else.
"""

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Integers, Keys
from discreet.plan.release_plan import ReleasePlan


def measure(plan: ReleasePlan, counts: Integers, keys: Sequence[Keys] | None) -> Integers:
    """Return the measurements of all measured cells, each from the table of noise of its cell.

    Parameters
    ----------
    plan
        The plan of the release.
    counts
        The true count of every distinct cell of the layout.
    keys
        For every table of noise, the keys of its cells. None: keys are drawn from the system's generator.
    """
    measurements = np.empty(plan.measured.size, dtype=np.int64)
    for table, ptable in enumerate(plan.ptables):
        cells = plan.measured.of_table(table)
        own_keys = None if keys is None else keys[table]
        measurements[cells] = ptable.perturb(counts[plan.measured.cells[cells]], own_keys)
    return measurements

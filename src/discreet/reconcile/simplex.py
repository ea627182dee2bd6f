"""The nearest non-negative numbers with a given total, group by group.

For numbers v and a total t, the nearest non-negative numbers with the sum t are max(v - c, 0). Sort v from the largest.
If the k largest numbers stay positive, c = (sum of the k largest - t) / k; k is the most for which the k-th largest
number exceeds c.
"""

import numpy as np

from discreet.arrays import Floats, Integers


def nearest(values: Floats, starts: Integers, totals: Floats) -> Floats:
    """Return the nearest non-negative numbers with given totals.

    Parameters
    ----------
    values
        Numbers, one group after another.
    starts
        Where each group starts; no group is empty.
    totals
        The sum of each group, not negative.
    """
    sizes = np.diff(starts, append=len(values))
    group = np.repeat(np.arange(len(starts)), sizes)
    falling = values[np.lexsort((-values, group))]
    sums = np.cumsum(falling)
    sums -= np.repeat(sums[starts] - falling[starts], sizes)
    rank = np.arange(len(values)) - starts[group] + 1
    shifts = (sums - totals[group]) / rank
    kept = np.add.reduceat((falling > shifts).astype(np.int64), starts)
    shift = shifts[starts + np.maximum(kept, 1) - 1]
    return np.asarray(np.maximum(values - shift[group], 0.0))

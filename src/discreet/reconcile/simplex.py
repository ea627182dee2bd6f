"""The nearest non-negative numbers that have given totals, group by group.

Of numbers v with the total t that is max(v - c, 0), where c is the one number for which these add up to t: sorted from
the largest, with k of them kept, c = (sum of the k largest - t) / k, and k is the most for which the k-th exceeds c.
"""

import numpy as np

from discreet.arrays import Floats, Integers


def nearest(values: Floats, starts: Integers, totals: Floats) -> Floats:
    """The nearest non-negative numbers.

    Parameters
    ----------
    values
        Numbers, groups one after another.
    starts
        Where each group starts; no group is empty.
    totals
        The sum of each group, not negative.
    """
    sizes = np.diff(starts, append=len(values))
    group = np.repeat(np.arange(len(starts)), sizes)
    order = np.lexsort((-values, group))
    falling = values[order]
    upto = np.cumsum(falling)
    upto -= np.repeat(upto[starts] - falling[starts], sizes)
    rank = np.arange(len(values)) - starts[group] + 1
    lower = (upto - totals[group]) / rank
    kept = np.add.reduceat((falling > lower).astype(np.int64), starts)
    shift = lower[starts + np.maximum(kept, 1) - 1]
    return np.asarray(np.maximum(values - shift[group], 0.0))

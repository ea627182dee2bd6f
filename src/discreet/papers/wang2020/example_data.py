"""The data of Wang 2020: Example 1, rebuilt from what the paper says about it, and Example 2, as printed in Table 2.

The paper does not print the 50 counts of Example 1. It says that three are 0, one each is 1, 2 and 3, five lie between
15 and 60, and the other 39 between 60 and 1000. It prints the total, 21249, and five counts: the minimum, the quartiles
and the maximum. `EXAMPLE_1` has all these properties. Its counts lie evenly between the printed ones, raised by three
or four each to reach the total.

Which counts the paper calls quartiles follows from Example 2: 2, 6 and 11 are the 12th, 25th and 38th of 50 counts. So
the 12th count of Example 1 is 60, the least of the 39.
"""

from typing import TypeVar

import numpy as np

from discreet.arrays import Floats, Integers

NAMES = ("N_min", "N_q1", "N_med", "N_q3", "N_max")
RANKS = (1, 12, 25, 38, 50)
"""Ranks of the five representative counts, from 1."""

FIVE = {1: (0, 60, 382, 736, 977), 2: (1, 2, 6, 11, 435)}
"""The five representative counts, sections 4.1.1 and 4.1.2."""

TOTAL = {1: 21249, 2: 863}
"""The totals, sections 4.1.1 and 4.1.2."""

SMALL_COUNTS = (0, 0, 0, 1, 2, 3)
LEAST_MIDDLE, MOST_MIDDLE, LARGEST = 15, 60, 1000
"""Section 4.1.1: five counts lie between 15 and 60, the other 39 between 60 and 1000."""

BETWEEN_15_AND_60 = (15, 26, 37, 49, 60)

TABLE_2 = dict(
    zip(
        (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 27, 36, 53, 435),
        (7, 5, 3, 6, 3, 2, 2, 4, 4, 1, 1, 1, 1, 2, 1, 2, 2, 1, 1, 1),
        strict=True,
    )
)
"""Counts and their instances, as printed."""

SEATS_2010 = {
    1: "AK DE MT ND SD VT WY", 2: "HI ID ME NH RI", 3: "NE NM WV", 4: "AR IA KS MS NV UT", 5: "CT OK OR", 6: "KY LA",
    7: "AL CO SC", 8: "MD MN MO WI", 9: "AZ IN MA TN", 10: "WA", 11: "VA", 12: "NJ", 13: "NC", 14: "GA MI", 16: "OH",
    18: "IL PA", 27: "FL NY", 36: "TX", 53: "CA",
}  # fmt: skip
"""Seats of the states in the House of Representatives after the census of 2010."""


def _rebuilt() -> Integers:
    """Return Example 1: the small counts, then 39 counts from 60 to 977 with the printed total."""
    ranks = np.arange(RANKS[1], RANKS[-1] + 1)
    large = np.rint(np.interp(ranks, RANKS[1:], FIVE[1][1:])).astype(np.int64)
    free = np.flatnonzero(~np.isin(ranks, RANKS))
    missing = TOTAL[1] - sum(SMALL_COUNTS) - sum(BETWEEN_15_AND_60) - int(large.sum())
    each, more = divmod(missing, len(free))
    large[free] += each
    large[free[:more]] += 1
    return np.concatenate([SMALL_COUNTS, BETWEEN_15_AND_60, large]).astype(np.int64)


EXAMPLE_1 = _rebuilt()
EXAMPLE_2 = np.repeat(list(TABLE_2), list(TABLE_2.values()))
EXAMPLES = {1: EXAMPLE_1, 2: EXAMPLE_2}


Values = TypeVar("Values", Floats, Integers)


def representatives(values: Values) -> Values:
    """Return what stands at the five ranks."""
    chosen: Values = values[np.array(RANKS) - 1]
    return chosen

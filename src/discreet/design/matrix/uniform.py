"""The uniform mechanism on 0..n: the output does not depend on the count.

It costs no privacy and tells nothing: the end of the scale against which L0 is measured (Cormode 2019's UM).
It has no epsilon of its own; its integers have one, however small, because 2**bits is rarely a multiple of n
+ 1.
"""

from discreet.design import parameters
from discreet.domain import Counts
from discreet.mechanism import Mechanism, Row


def uniform(*, n: int) -> Mechanism:
    """Every output 0..n equally likely, whatever the count.

    Parameters
    ----------
    n
        Largest count.
    """
    largest = parameters.largest_count(n, "n")
    row = Row.exact(0, [1] * (largest + 1))
    return Mechanism(Counts(0, largest), (row,) * (largest + 1), design={"name": "uniform", "n": largest})

"""The uniform mechanism on 0..n: the output does not depend on the count (Cormode 2019's UM).

The uniform mechanism costs no privacy and tells nothing. Its L0 is 1, the largest on the scale of L0. The mechanism has
no epsilon of its own. Its integers have a small epsilon, because 2**bits is rarely a multiple of n + 1.
"""

from discreet.design import parameters
from discreet.domain import Counts
from discreet.mechanism import Mechanism, Row


def uniform(*, n: int) -> Mechanism:
    """Return the mechanism whose outputs 0..n are equally likely, whatever the count.

    Parameters
    ----------
    n : int
        Largest count.

    Returns
    -------
    Mechanism
        A mechanism on 0..n.

    Raises
    ------
    ParameterError
        `n` is outside its range.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.design.uniform(n=3).loss("L0")
    1.0
    """
    largest = parameters.largest_count(n, "n")
    row = Row.exact(0, [1] * (largest + 1))
    return Mechanism(Counts(0, largest), (row,) * (largest + 1), design={"name": "uniform", "n": largest})

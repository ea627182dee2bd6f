"""Weakly honest mechanisms on 0..n: the truth at least as likely as a uniform guess (Cormode 2019's WM).

"WM" is ambiguous in the paper: section 7.1 says WH, RM and CM, figures 6, 9, 10 and 14 behave as WH alone.
Both are here.

WH alone has a closed form, and so have WH, RM and CM (columns=True) for n < 2 alpha/(1-alpha): see `honest`. Beyond
that the second is the linear program of `constrained`.
"""

from discreet.design import parameters
from discreet.design.matrix import _honest
from discreet.design.matrix.constrained import constrained
from discreet.domain import Counts
from discreet.exact import Epsilon, Number
from discreet.mechanism import Mechanism


def weakly_honest(
    *, n: int, epsilon: Number | None = None, alpha: Number | None = None, columns: bool = False
) -> Mechanism:
    """The mechanism of least L0 that is weakly honest; with `columns` also row and column monotone.

    Parameters
    ----------
    n
        Largest count.
    epsilon
        Privacy of one count.
    alpha
        exp(-epsilon), instead of epsilon; it is then exact.
    columns
        Ask for RM and CM too.
    """
    privacy = Epsilon.of(epsilon, alpha)
    largest = parameters.largest_count(n, "n")
    design = {"name": "weakly_honest", "n": largest, **privacy.parameters, "columns": bool(columns)}
    if columns:
        found = constrained(n=largest, properties=("WH", "RM", "CM"), **privacy.given)
        return Mechanism(found.domain, found.rows, design=design)
    return Mechanism(Counts(0, largest), _honest.closed_form(largest, privacy), design=design)

"""Weakly honest mechanisms on 0..n: the truth is at least as likely as a uniform guess (Cormode 2019's WM).

"WM" is ambiguous in the paper. Section 7.1 says WH, RM and CM; figures 6, 9, 10 and 14 behave as WH alone. Both are
here. WH alone has a closed form (`_honest_columns`). WH, RM and CM is an optimum of `constrained`.
"""

from discreet.design import parameters
from discreet.design.matrix._honest_columns import weakly_honest_columns
from discreet.design.matrix.constrained import constrained
from discreet.domain import Counts
from discreet.exact import Epsilon, Number
from discreet.mechanism import Mechanism


def weakly_honest(
    *, n: int, epsilon: Number | None = None, alpha: Number | None = None, columns: bool = False
) -> Mechanism:
    """Return the mechanism of least L0 that is weakly honest; with `columns` also row and column monotone.

    Parameters
    ----------
    n : int
        Largest count.
    epsilon, alpha : Number, optional
        Privacy of one count: epsilon, or alpha = exp(-epsilon), which is then exact. Give one of them.
    columns : bool
        If True, the mechanism also has RM and CM.

    Returns
    -------
    Mechanism
        A mechanism on 0..n with WH.

    Raises
    ------
    ParameterError
        `n`, epsilon or alpha is outside its range.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.design.weakly_honest(n=4, alpha="9/10").matrix().diagonal().min().round(6)
    np.float64(0.2)
    """
    privacy = Epsilon.of(epsilon, alpha)
    largest = parameters.largest_count(n, "n")
    design = {"name": "weakly_honest", "n": largest, **privacy.parameters, "columns": bool(columns)}
    if columns:
        optimum = constrained(n=largest, properties=("WH", "RM", "CM"), **privacy.given)
        return Mechanism(optimum.domain, optimum.rows, design=design)
    return Mechanism(Counts(0, largest), weakly_honest_columns(largest, privacy), design=design)

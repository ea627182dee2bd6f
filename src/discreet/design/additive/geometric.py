"""Two-sided geometric noise, and the same noise restricted to 0..n (Cormode 2019's GM).

With alpha = exp(-epsilon) the noise is Pr[Z = z] = (1-alpha)/(1+alpha) alpha^|z|. (Definition 4 of Cormode 2019 is
garbled: as printed, alpha = .9 would have epsilon 2.303 instead of 0.105.)

Restricted to 0..n, outputs beyond an end are taken to that end:

    P[i, j] = x alpha^|i-j| for i = 0 and i = n,  x = 1/(1+alpha);     y alpha^|i-j| otherwise,  y =
    (1-alpha)/(1+alpha).

The restricted mechanism is epsilon-private with delta 0. Among all such mechanisms it has the least L0 (Cormode 2019,
Theorem 5).

On unbounded counts the noise has no end, and no table can hold it. So the noise is cut: D is the least with
Pr[|Z| > D] = 2 alpha^(D+1)/(1+alpha) <= tail, and the noise is the geometric one given |Z| <= D. The cut costs
delta = Pr[Z = D], which the certificate states. With fewer bits than `tail` needs, the table is cut shorter, and the
certificate states the delta of the shorter table.
"""

import math

from discreet.design import parameters
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number, powers
from discreet.mechanism import Mechanism, Row
from discreet.row import exact_rows

FARTHEST = 700
"""Noise z with epsilon z above this has probability 0 in every sense that matters."""


def geometric(
    *,
    epsilon: Number | None = None,
    upper: int | None = None,
    alpha: Number | None = None,
    support: int | None = None,
    tail: Number = parameters.TAIL,
) -> Mechanism:
    """Return two-sided geometric noise; with `upper` restricted to 0..upper, with delta 0.

    Parameters
    ----------
    epsilon, alpha : Number, optional
        Privacy of one count: epsilon, or alpha = exp(-epsilon), which is then exact. Give one of them.
    upper : int, optional
        Largest count. None: unbounded counts.
    support : int, optional
        Without `upper`: the farthest noise. None: the noise is cut by `tail`.
    tail : Number
        Largest mass beyond the cut, if neither `upper` nor `support` is given.

    Returns
    -------
    Mechanism
        Noise on unbounded counts, or a mechanism on 0..upper.

    Raises
    ------
    ParameterError
        A parameter is outside its range, or both `upper` and `support` are given.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.design.geometric(alpha="1/2", upper=2).matrix().round(3).tolist()
    [[0.667, 0.333, 0.167], [0.167, 0.333, 0.167], [0.167, 0.333, 0.667]]
    >>> dc.design.geometric(epsilon=1).design["support"]
    28
    """
    privacy = Epsilon.of(epsilon, alpha)
    design = {"name": "geometric", **privacy.parameters}
    if upper is not None:
        n = parameters.largest_count(upper, "upper")
        if support is not None:
            raise ParameterError(
                f"support is {support!r} and upper is {n}; on 0..upper the noise ends at the ends: leave support out"
            )
        return Mechanism(Counts(0, n), _restricted(privacy, n), design={**design, "upper": n})
    if support is None:
        reach = _reach(privacy, tail)
        design |= {"tail": str(tail)}
    else:
        parameters.tail(tail)
        reach = _support(privacy, support)
    noise = parameters.symmetric_noise(powers(privacy.alpha, reach + 1))
    return Mechanism(Counts(), interior=(noise,), design={**design, "support": reach})


def _reach(privacy: Epsilon, tail: Number) -> int:
    """Return the least D with Pr[|Z| > D] <= tail. Raise ParameterError if no table holds so wide a noise."""
    mass = parameters.tail(tail)
    ratio = math.log(2 / float(1 + privacy.alpha)) - math.log(mass.numerator) + math.log(mass.denominator)
    return parameters.reach(ratio / float(privacy) - 1, "choose a larger epsilon or a larger tail")


def _support(privacy: Epsilon, support: int) -> int:
    """Return the support. Raise ParameterError if the farthest noise never occurs."""
    reach = parameters.support(support)
    if reach * float(privacy) > FARTHEST:
        most = int(FARTHEST / float(privacy))
        raise ParameterError(
            f"support is {reach}; at epsilon {privacy} noise beyond {most} never occurs: give at most that"
        )
    return reach


def _restricted(privacy: Epsilon, n: int) -> tuple[Row, ...]:
    """Return the columns of GM over one denominator. What is lost by rounding powers goes to the diagonal."""
    a, b = privacy.alpha.numerator, privacy.alpha.denominator
    series = powers(privacy.alpha, n + 1)
    ends, inner = [b * w for w in series], [(b - a) * w for w in series]
    denominator = (a + b) * series[0]
    columns = []
    for j in range(n + 1):
        column = [ends[j], *(inner[abs(i - j)] for i in range(1, n)), ends[n - j]]
        column[j] += denominator - sum(column)
        columns.append(column)
    return exact_rows(columns, denominator)

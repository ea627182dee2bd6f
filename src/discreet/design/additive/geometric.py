"""Two-sided geometric noise, and the same restricted to 0..n (Cormode 2019's GM).

With alpha = exp(-epsilon) the noise is Pr[Z = z] = (1-alpha)/(1+alpha) alpha^|z| (Definition 4 of Cormode
2019 is garbled: as printed, alpha = .9 would have epsilon 2.303 instead of 0.105).

Restricted to 0..n, outputs beyond an end are taken to that end:

    P[i, j] = x alpha^|i-j| for i = 0 and i = n,  x = 1/(1+alpha);     y alpha^|i-j| otherwise,  y =
    (1-alpha)/(1+alpha).

It is exactly epsilon-private with delta 0, and among all such mechanisms the one with least L0 (Cormode 2019,
Theorem 5).

On unbounded counts the noise has no end and no table can hold it, so it is cut: D is the least with
Pr[|Z| > D] = 2 alpha^(D+1)/(1+alpha) <= tail, and the law is the geometric one given |Z| <= D. The cut costs
delta = Pr[Z = D], which the certificate states; at fewer bits than `tail` needs, the table is cut shorter and
states the delta of that.
"""

import math

from discreet.design import parameters
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number, powers
from discreet.mechanism import Mechanism, Row

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
    """Two-sided geometric noise; with `upper` restricted to 0..upper and exactly pure.

    Parameters
    ----------
    epsilon
        Privacy of one count.
    alpha
        exp(-epsilon), instead of epsilon; it is then exact.
    upper
        Largest count. None: unbounded counts.
    support
        Without `upper`: the farthest noise. None: cut at the mass `tail`.
    tail
        The mass beyond the cut, where neither `upper` nor `support` is given.
    """
    privacy = Epsilon.of(epsilon, alpha)
    if upper is not None:
        n = parameters.largest_count(upper, "upper")
        if support is not None:
            raise ParameterError(
                f"support is {support!r} and upper {n}; on 0..upper the noise ends at the ends, leave support out"
            )
        rows = _restricted(privacy, n)
        return Mechanism(Counts(0, n), rows, design={"name": "geometric", **privacy.parameters, "upper": n})
    mass = parameters.tail(tail)
    if support is None:
        ratio = math.log(2 / float(1 + privacy.alpha)) - math.log(mass.numerator) + math.log(mass.denominator)
        reach = parameters.reach(ratio / float(privacy) - 1, "choose a larger epsilon or a larger tail")
        cut = {"tail": str(tail), "support": reach}
    else:
        reach = parameters.support(support)
        if reach * float(privacy) > FARTHEST:
            most = int(FARTHEST / float(privacy))
            raise ParameterError(
                f"support is {reach}; at epsilon {privacy} noise beyond {most} never occurs: give at most that"
            )
        cut = {"support": reach}
    noise = parameters.symmetric_noise(powers(privacy.alpha, reach + 1))
    return Mechanism(Counts(), interior=(noise,), design={"name": "geometric", **privacy.parameters, **cut})


def _restricted(privacy: Epsilon, n: int) -> tuple[Row, ...]:
    """Columns of GM over one denominator; what rounding left of the powers goes to the diagonal."""
    a, b = privacy.alpha.numerator, privacy.alpha.denominator
    series = powers(privacy.alpha, n + 1)
    ends, inner = [b * w for w in series], [(b - a) * w for w in series]
    denominator = (a + b) * series[0]
    rows = []
    for j in range(n + 1):
        column = [ends[j], *(inner[abs(i - j)] for i in range(1, n)), ends[n - j]]
        column[j] += denominator - sum(column)
        rows.append(Row.exact(0, column, denominator))
    return tuple(rows)

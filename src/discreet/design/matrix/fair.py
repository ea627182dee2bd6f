"""Fair mechanisms on 0..n: every count has the same chance of the truth (Cormode 2019, section 6.2).

With all seven properties, the least L0 is reached by any fair mechanism whose diagonal is y = 1 / sum_i alpha^|i-c|,
c = floor(n/2).

EM, the paper's explicit fair mechanism, is P[i,j] = y alpha^e with e = |i-j| if |i-j| < min(j, n-j), and else
ceil((|i-j| + min(j, n-j)) / 2). The printed y, equation (16), is wrong for odd n: at n = 3, alpha = .9 a column sums to
.9941.

EM*, the default here, has the same diagonal, the same L0 and all seven properties, and is filled by column transport
(`_transport`). For every true count, the error of EM* is stochastically smallest among the L0-optimal fair row-monotone
mechanisms, and the error of EM is largest: at n = 12, alpha = .67 the mean squared error is 11.85 for EM and 6.57 for
EM*.
"""

from collections.abc import Sequence

from discreet.design import parameters
from discreet.design.matrix import _transport
from discreet.domain import Counts
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number, powers
from discreet.mechanism import Mechanism, Row


def fair(
    *, n: int, epsilon: Number | None = None, alpha: Number | None = None, variant: str | None = None
) -> Mechanism:
    """Return the fair mechanism with all seven properties and least L0: EM*, or Cormode's EM.

    Parameters
    ----------
    n : int
        Largest count.
    epsilon, alpha : Number, optional
        Privacy of one count: epsilon, or alpha = exp(-epsilon), which is then exact. Give one of them.
    variant : str, optional
        None for EM*; "paper" for EM.

    Returns
    -------
    Mechanism
        A mechanism on 0..n with RH, RM, CH, CM, F, WH and S.

    Raises
    ------
    ParameterError
        A parameter is outside its range, or the variant is not known.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.design.fair(n=2, alpha="1/2").matrix().tolist()
    [[0.5, 0.25, 0.125], [0.375, 0.5, 0.375], [0.125, 0.25, 0.5]]
    """
    privacy = Epsilon.of(epsilon, alpha)
    largest = parameters.largest_count(n, "n")
    design = {"name": "fair", "n": largest, **privacy.parameters}
    if variant is None:
        return Mechanism(Counts(0, largest), _em_star(largest, privacy), design=design)
    if variant == "paper":
        return Mechanism(Counts(0, largest), _em(largest, privacy), design={**design, "variant": variant})
    raise ParameterError(f"variant is {variant!r}; give None for EM* or 'paper' for EM as printed")


def _em_star(n: int, privacy: Epsilon) -> tuple[Row, ...]:
    def middle(series: Sequence[int]) -> list[int]:
        return [series[abs(i - n // 2)] for i in range(n + 1)]

    return _transport.rows(n, privacy.alpha, middle)


def _em(n: int, privacy: Epsilon) -> tuple[Row, ...]:
    series = powers(privacy.alpha, n + 1)
    return tuple(Row.exact(0, [series[exponent(i, j, n)] for i in range(n + 1)]) for j in range(n + 1))


def exponent(i: int, j: int, n: int) -> int:
    """Return the power of alpha at output i for true count j in EM (Cormode 2019, Figure 4)."""
    distance, edge = abs(i - j), min(j, n - j)
    return distance if distance < edge else -(-(distance + edge) // 2)

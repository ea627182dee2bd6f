"""Fair mechanisms on 0..n: the same chance of the truth for every count (Cormode 2019, section 6.2).

With all seven properties the least L0 is reached by any fair mechanism whose diagonal is y = 1 / sum_i
alpha^|i-c|, c = floor(n/2).

EM, the paper's explicit fair mechanism, is P[i,j] = y alpha^e with e = |i-j| if |i-j| < min(j, n-j), else
ceil((|i-j| + min(j, n-j)) / 2). (The printed y, equation (16), is wrong for odd n: at n = 3, alpha = .9 a
column sums to .9941.)

EM*, the default here, has the same diagonal, the same L0 and all seven properties, filled by column
transport: for every true count its error is stochastically smallest among the L0-optimal fair row-monotone
mechanisms. EM is the largest of them: at n = 12, alpha = .67 the mean squared error is 11.85 for EM and 6.57
for EM*.
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
    """The fair mechanism with all seven properties and least L0: EM*, or Cormode's EM as printed.

    Parameters
    ----------
    n
        Largest count.
    epsilon
        Privacy of one count.
    alpha
        exp(-epsilon), instead of epsilon; it is then exact.
    variant
        None for EM*; "paper" for EM.
    """
    privacy = Epsilon.of(epsilon, alpha)
    largest = parameters.largest_count(n, "n")
    design = {"name": "fair", "n": largest, **privacy.parameters}
    if variant is None:

        def middle(series: Sequence[int]) -> list[int]:
            return [series[abs(i - largest // 2)] for i in range(largest + 1)]

        return Mechanism(Counts(0, largest), _transport.rows(largest, privacy.alpha, middle), design=design)
    if variant != "paper":
        raise ParameterError(f"variant is {variant!r}; give None for EM* or 'paper' for EM as printed")
    series = powers(privacy.alpha, largest + 1)
    rows = tuple(
        Row.exact(0, [series[exponent(i, j, largest)] for i in range(largest + 1)]) for j in range(largest + 1)
    )
    return Mechanism(Counts(0, largest), rows, design={**design, "variant": variant})


def exponent(i: int, j: int, n: int) -> int:
    """The power of alpha at output i for true count j in EM (Cormode 2019, Figure 4)."""
    distance, edge = abs(i - j), min(j, n - j)
    return distance if distance < edge else -(-(distance + edge) // 2)

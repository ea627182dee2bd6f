"""The exponential mechanism (McSherry and Talwar 2007) on 0..n with utility -|i-j|:

    P[i, j] = exp(-epsilon |i-j| / 2) / sum_i exp(-epsilon |i-j| / 2).

The general proof pays epsilon/2 for the score and epsilon/2 for the normaliser. The normaliser hardly depends on the
count, so the mechanism uses little more than half of its budget (at n = 1 exactly half). `mechanism.epsilon()` is what
it uses. The design is here for comparison; the geometric mechanism is better at the same epsilon.
"""

from fractions import Fraction
from math import isqrt

from discreet.design import parameters
from discreet.domain import Counts
from discreet.exact import PRECISION, Epsilon, Number, exp_lower, powers
from discreet.mechanism import Mechanism, Row
from discreet.row import exact_rows


def exponential(*, n: int, epsilon: Number | None = None, alpha: Number | None = None) -> Mechanism:
    """Return the exponential mechanism on 0..n.

    Parameters
    ----------
    n : int
        Largest count.
    epsilon, alpha : Number, optional
        The budget: epsilon, or alpha = exp(-epsilon), which is then exact. Give one of them.

    Returns
    -------
    Mechanism
        A mechanism on 0..n.

    Raises
    ------
    ParameterError
        `n`, epsilon or alpha is outside its range.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.design.exponential(n=1, epsilon=1).epsilon()
    0.5
    """
    privacy = Epsilon.of(epsilon, alpha)
    largest = parameters.largest_count(n, "n")
    series = powers(_root(privacy), largest + 1)
    columns = ([series[abs(i - j)] for i in range(largest + 1)] for j in range((largest + 2) // 2))
    half = [exact_rows([column], sum(column))[0] for column in columns]
    mirrored = [Row(0, row.values[::-1], (row.numerators or ())[::-1], row.denominator) for row in half]
    rows = (*half, *mirrored[: (largest + 1) // 2][::-1])
    return Mechanism(Counts(0, largest), rows, design={"name": "exponential", "n": largest, **privacy.parameters})


def _root(privacy: Epsilon) -> Fraction:
    """Return exp(-epsilon/2) to 256 bits, rounded up: the score is weaker then, and the loss never greater."""
    if privacy.exponent is not None:
        return 1 / exp_lower(privacy.exponent / 2)
    shift = 2 * PRECISION
    return 1 / Fraction(isqrt((privacy.exp.numerator << 2 * shift) // privacy.exp.denominator), 1 << shift)

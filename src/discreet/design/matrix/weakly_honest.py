"""Weakly honest mechanisms on 0..n: the truth at least as likely as a uniform guess (Cormode 2019's WM).

"WM" is ambiguous in the paper: section 7.1 says WH, RM and CM, figures 6, 9, 10 and 14 behave as WH alone.
Both are here.

WH alone: the diagonal is y = max(1/(n+1), (1-alpha)/(1+alpha)) at 1..n-1, and at the two ends

    b = (1 - y sum_{0<i<n} alpha^|i-m|) / (alpha^m + alpha^(n-m)),     m = floor(n/2);

the rest is column transport. Where y is the geometric mechanism's own value, n >= 2 alpha/(1-alpha), it is
that mechanism.

Column honest (CH, or CM, with RM) for n < 2 alpha/(1-alpha): the middle column is as flat as privacy allows, 1/(n+1)
everywhere for even n; for odd n each of the two middle columns has one value on its own half and alpha times that on
the other. The diagonal is y_i = P[i,c] alpha^-|i-c|, and the rest is column transport. Found by looking at optima of
the linear program, and equal to them on every case tried; for larger n the optimum has no such simple form.
For larger n, WH, RM and CM is the linear program of `constrained`.
"""

from collections.abc import Sequence

from discreet.design import parameters
from discreet.design.additive.geometric import geometric
from discreet.design.matrix import _transport
from discreet.domain import Counts
from discreet.exact import EXACT_BITS, PRECISION, Epsilon, Number
from discreet.mechanism import Mechanism, Row


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
        from discreet.design.matrix.constrained import constrained  # it uses the closed forms of this module

        found = constrained(n=largest, properties=("WH", "RM", "CM"), **privacy.given)
        return Mechanism(found.domain, found.rows, design=design)
    return Mechanism(Counts(0, largest), closed_form(largest, privacy), design=design)


def closed_form(n: int, privacy: Epsilon) -> tuple[Row, ...]:
    """Columns of the mechanism with WH alone."""
    alpha = privacy.alpha
    if n == 1 or n * (1 - alpha) >= 2 * alpha:
        return geometric(upper=n, **privacy.given).rows

    def middle(series: Sequence[int]) -> list[int]:
        """y alpha^|i-m| between the ends, which share what is left in the proportion alpha^m to alpha^(n-m)."""
        m = n // 2
        scaled = [series[abs(i - m)] for i in range(n + 1)]
        total = series[0] * (n + 1)
        rest = total - sum(scaled[1:n])
        ends = scaled[0] + scaled[n]
        return [rest * scaled[0], *(entry * ends for entry in scaled[1:n]), rest * scaled[n]]

    return _transport.rows(n, alpha, middle)


def column_closed_form(n: int, privacy: Epsilon) -> tuple[Row, ...] | None:
    """Columns of the mechanism with WH, RM and CM; None where n is too large for it."""
    alpha = privacy.alpha
    if n * (1 - alpha) >= 2 * alpha:
        return None

    a = alpha.numerator
    divisible = a**n if n * a.bit_length() <= EXACT_BITS else 1 << PRECISION  # the diagonal divides by powers of a

    def middle(series: Sequence[int]) -> list[int]:
        return [divisible * series[0 if n % 2 == 0 or i <= n // 2 else 1] for i in range(n + 1)]

    return _transport.rows(n, alpha, middle)

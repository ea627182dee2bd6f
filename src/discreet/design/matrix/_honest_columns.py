"""Weakly honest mechanisms on 0..n in closed form, for `weakly_honest` and `constrained`.

WH alone. The diagonal is y = max(1/(n+1), (1-alpha)/(1+alpha)) at 1..n-1, and at the two ends

    b = (1 - y sum_{0<i<n} alpha^|i-m|) / (alpha^m + alpha^(n-m)),     m = floor(n/2).

The rest is column transport (`_transport`). For n >= 2 alpha/(1-alpha), y is the value of the geometric mechanism, and
the mechanism is the geometric one.

Column honest (CH, or CM, with RM) for n < 2 alpha/(1-alpha). The middle column is as flat as privacy allows. For even n
it is 1/(n+1) everywhere. For odd n each of the two middle columns has one value on its own half, and alpha times this
value on the other half. The diagonal is y_i = P[i,c] alpha^-|i-c|, and the rest is column transport. This form was
read off optima of the linear program, and equals them in every case tried. For larger n the optimum has no such simple
form.
"""

from collections.abc import Sequence

from discreet.design.additive.geometric import geometric
from discreet.design.matrix import _transport
from discreet.exact import EXACT_BITS, PRECISION, Epsilon
from discreet.mechanism import Row


def weakly_honest_columns(n: int, privacy: Epsilon) -> tuple[Row, ...]:
    """Return the columns of the mechanism with WH alone."""
    alpha = privacy.alpha
    if n == 1 or n * (1 - alpha) >= 2 * alpha:
        return geometric(upper=n, **privacy.given).rows

    def middle(series: Sequence[int]) -> list[int]:
        """y alpha^|i-m| between the ends. The ends share the rest in the proportion alpha^m to alpha^(n-m)."""
        m = n // 2
        scaled = [series[abs(i - m)] for i in range(n + 1)]
        total = series[0] * (n + 1)
        rest = total - sum(scaled[1:n])
        ends = scaled[0] + scaled[n]
        return [rest * scaled[0], *(entry * ends for entry in scaled[1:n]), rest * scaled[n]]

    return _transport.rows(n, alpha, middle)


def column_monotone_columns(n: int, privacy: Epsilon) -> tuple[Row, ...] | None:
    """Return the columns of the mechanism with WH, RM and CM; None if n is too large for the closed form."""
    alpha = privacy.alpha
    if n * (1 - alpha) >= 2 * alpha:
        return None

    a = alpha.numerator
    divisible = a**n if n * a.bit_length() <= EXACT_BITS else 1 << PRECISION  # the diagonal divides by powers of a

    def middle(series: Sequence[int]) -> list[int]:
        return [divisible * series[0 if n % 2 == 0 or i <= n // 2 else 1] for i in range(n + 1)]

    return _transport.rows(n, alpha, middle)

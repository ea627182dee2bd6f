"""The closed form of the weakly honest mechanism with least L0, on 0..n.

The diagonal is y = max(1/(n+1), (1-alpha)/(1+alpha)) at 1..n-1, and at the two ends

    b = (1 - y sum_{0<i<n} alpha^|i-m|) / (alpha^m + alpha^(n-m)),     m = floor(n/2);

the rest is column transport. Where y is the geometric mechanism's own value, n >= 2 alpha/(1-alpha), it is
that mechanism.
"""

from collections.abc import Sequence

from discreet.design import transport
from discreet.design.geometric import geometric
from discreet.exact import Epsilon
from discreet.mechanism import Row


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

    return transport.rows(n, alpha, middle)

"""Column transport: a whole mechanism on 0..n from its diagonal, in integers.

Let y be the diagonal of a mechanism within alpha. Every entry is at least y_i alpha^|i-j|. In the middle columns
c..n-c, c = floor(n/2), every entry is exactly that. From column j outward to column j-1:

- rows i < j are forced to y_i alpha^(j-1-i);
- rows i >= j get alpha times column j. The mass that the column still misses goes to the nearest rows first, up to the
  value of column j.

The other half is the mirror image. Among all row-monotone mechanisms with this diagonal, this one has the
stochastically smallest error for every true count. Numbers are integers over one denominator. They are exact if they
stay small (see `exact.powers`), and else rounded to 256 bits with the column sums kept.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from discreet.exact import powers
from discreet.mechanism import Row


def rows(n: int, alpha: Fraction, middle: Callable[[Sequence[int]], list[int]]) -> tuple[Row, ...]:
    """Return the columns of the mechanism, as rows of a `Mechanism`.

    `middle` takes integers in proportion to 1, alpha, alpha**2, ..., and returns column c, y_i alpha^|i-c|, scaled.
    """
    series = powers(alpha, 2 * n + 2)
    c = n // 2
    column = middle(series)
    total = sum(column)
    a, b = alpha.numerator, alpha.denominator
    forced = list(column)  # y_i alpha^(j-i) for i <= j; kept apart, because filled entries are never divided by alpha
    columns = {c: column}
    for j in range(c - 1, -1, -1):
        for i in range(j + 1):
            forced[i] = forced[i] * b // a
        following = [-(-entry * a // b) for entry in column]
        following[: j + 1] = forced[: j + 1]
        missing = total - sum(following)
        for i in range(j + 1, n + 1):
            share = min(missing, column[i] - following[i])
            following[i] += share
            missing -= share
        following[j] += missing
        columns[j] = column = following
    columns |= {n - j: entries[::-1] for j, entries in columns.items()}
    return tuple(Row.exact(0, columns[j], total) for j in range(n + 1))

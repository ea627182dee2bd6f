"""Column transport: a whole mechanism on 0..n from its diagonal, in integers.

Given the diagonal y of a mechanism within alpha, every entry is at least y_i alpha^|i-j|, and in the middle column(s)
c..n-c, c = floor(n/2), exactly that. Going outward from column j to column j-1:

- rows i < j are forced to y_i alpha^(j-1-i);
- rows i >= j take a factor between alpha and 1 of column j: first alpha everywhere, then the mass that the column still
  misses goes to the nearest rows first, up to factor 1.

The other half mirrors it. Among all row-monotone mechanisms with that diagonal this one has, for every true count, the
stochastically smallest error. Numbers are integers over one denominator, exact as long as they stay small (see
`exact.powers`), else rounded to 256 bits with the column sums kept.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from discreet.exact import powers
from discreet.mechanism import Row


def rows(n: int, alpha: Fraction, middle: Callable[[Sequence[int]], list[int]]) -> tuple[Row, ...]:
    """The columns of the mechanism, as rows of a `Mechanism`.

    Parameters
    ----------
    middle
        From integers in proportion to 1, alpha, alpha**2, ... to column c in the same proportion: y_i alpha^|i-c|.
    """
    series = powers(alpha, 2 * n + 2)
    c = n // 2
    column = middle(series)
    total = sum(column)
    a, b = alpha.numerator, alpha.denominator
    forced = list(column)  # y_i alpha^(j-i) for i <= j, kept apart because alpha**-1 is never taken of a filled entry
    columns = {c: column}
    for j in range(c - 1, -1, -1):
        for i in range(j + 1):
            forced[i] = forced[i] * b // a
        following = [-(-entry * a // b) for entry in column]
        following[: j + 1] = forced[: j + 1]
        missing = total - sum(following)
        for i in range(j + 1, n + 1):
            given = min(missing, column[i] - following[i])
            following[i] += given
            missing -= given
        following[j] += missing
        columns[j] = column = following
    columns |= {n - j: entries[::-1] for j, entries in columns.items()}
    return tuple(Row.exact(0, columns[j], total) for j in range(n + 1))

"""The geometric mechanism followed by a Bayes remap: optimal where nothing but privacy is asked.

Every output k of the geometric mechanism is replaced by the i of least expected loss given k,

    i(k) = argmin_i sum_j w_j GM[k, j] loss(i, j).

For any prior and any loss that grows with |i-j| this reaches the optimum of the linear program (Ghosh,
Roughgarden and Sundararajan 2012). Ties go to the output of least expected squared error, then to the nearest
of k, then to the smaller.
"""

import numpy as np

from discreet.arrays import Floats
from discreet.design.additive.geometric import geometric
from discreet.exact import Epsilon
from discreet.mechanism import Row

TIE = 1e-12


def rows(n: int, privacy: Epsilon, loss: Floats, prior: Floats, symmetric: bool) -> tuple[Row, ...]:
    """Columns of the remapped mechanism, exact; with `symmetric`, the mean of it and its mirror image."""
    base = geometric(upper=n, **privacy.given)
    joint = base.matrix() * prior[None, :]
    square = np.subtract.outer(np.arange(n + 1), np.arange(n + 1)).astype(np.float64) ** 2
    expected, secondary = loss @ joint.T, square @ joint.T  # [i, k]
    nearest = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    to = []
    for k in range(n + 1):
        best = np.flatnonzero(expected[:, k] <= expected[:, k].min() * (1 + TIE) + 1e-300)
        best = best[secondary[best, k] <= secondary[best, k].min() * (1 + TIE)]
        to.append(int(min(best, key=lambda i: (nearest[i, k], i))))
    columns = []
    for column in base.rows:
        assert column.numerators is not None
        moved = [0] * (n + 1)
        for k, weight in enumerate(column.numerators):
            moved[to[k]] += weight
        columns.append((moved, column.denominator))
    if symmetric:
        mirrored = columns[::-1]
        columns = [
            ([a + b for a, b in zip(one, reversed(other), strict=True)], 2 * denominator)
            for (one, denominator), (other, _) in zip(columns, mirrored, strict=True)
        ]
    return tuple(Row.exact(0, numerators, denominator) for numerators, denominator in columns)

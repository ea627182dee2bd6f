"""The geometric mechanism followed by a Bayes remap: the optimum if privacy is the only condition.

Every output k of the geometric mechanism is replaced by the i of least expected loss given k,

    i(k) = argmin_i sum_j w_j GM[k, j] loss(i, j).

For any prior and any loss that grows with |i-j| this is the optimum of the linear program (Ghosh, Roughgarden and
Sundararajan 2012). Ties go to the output of least expected squared error, then to the output nearest to k, then to the
smaller output.
"""

import numpy as np

from discreet.arrays import Floats
from discreet.design.additive.geometric import geometric
from discreet.exact import Epsilon
from discreet.mechanism import Row

TIE = 1e-12


def rows(n: int, privacy: Epsilon, loss: Floats, prior: Floats, symmetric: bool) -> tuple[Row, ...]:
    """Return the exact columns of the remapped mechanism; if `symmetric`, the mean of it and its mirror image."""
    base = geometric(upper=n, **privacy.given)
    new_outputs = _new_outputs(base.matrix() * prior[None, :], loss)
    columns = []
    for column in base.rows:
        assert column.numerators is not None
        moved = [0] * (n + 1)
        for k, weight in enumerate(column.numerators):
            moved[new_outputs[k]] += weight
        columns.append((moved, column.denominator))
    if symmetric:
        mirrored = columns[::-1]
        columns = [
            ([a + b for a, b in zip(one, reversed(other), strict=True)], 2 * denominator)
            for (one, denominator), (other, _) in zip(columns, mirrored, strict=True)
        ]
    return tuple(Row.exact(0, numerators, denominator) for numerators, denominator in columns)


def _new_outputs(joint: Floats, loss: Floats) -> list[int]:
    """Return i(k) for every k. joint[k, j] is the chance of the true count j and the output k."""
    size = len(joint)
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    expected, secondary = loss @ joint.T, distance.astype(np.float64) ** 2 @ joint.T  # [i, k]
    outputs = []
    for k in range(size):
        best = np.flatnonzero(expected[:, k] <= expected[:, k].min() * (1 + TIE) + 1e-300)
        best = best[secondary[best, k] <= secondary[best, k].min() * (1 + TIE)]
        outputs.append(int(min(best, key=lambda i: (distance[i, k], i))))
    return outputs

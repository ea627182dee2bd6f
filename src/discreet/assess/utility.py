"""What is lost to noise: losses over all true counts, and bias, variance and entropy of one.

Losses are those of Cormode 2019, sum_j w_j sum_i |i-j|^t P[i,j] with w_j = 1/(n+1) unless given: "L1", "L2"
(t = 1, 2), ("L0", d) the mass at |i-j| > d, and "L0" the mass off the diagonal, rescaled by (n+1)/n so that
the uniform mechanism costs 1. aggregate="max" takes the largest true count's loss instead of the sum, with
w_j = 1 and no rescaling. On a cycle |i-j| is the shorter way round, summed over dimensions (squares summed
for L2). Without an upper end the loss is that of the interior, averaged over its period: what almost all
counts have.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.domain import Cycle
from discreet.errors import MechanismError, ParameterError

if TYPE_CHECKING:
    from discreet.mechanism import Mechanism


_POWERS = {"L0": 0, "L1": 1, "L2": 2}


def loss(
    mechanism: "Mechanism", kind: str | tuple[str, int], weights: npt.ArrayLike | None = None, aggregate: str = "sum"
) -> float:
    """Expected loss over the true counts."""
    if aggregate not in ("sum", "max"):
        raise ParameterError(f"aggregate is {aggregate!r}; give 'sum' or 'max'")
    each, often = by_row(mechanism, kind)
    if weights is not None:
        return _weighted(mechanism, kind, each, weights, aggregate)
    if aggregate == "max":
        return float(each.max())
    return _scale(mechanism, kind) * math.fsum(each * often)


def _weighted(
    mechanism: "Mechanism", kind: str | tuple[str, int], each: Floats, weights: npt.ArrayLike, aggregate: str
) -> float:
    """With one weight for each true count, or for each row of an interior without end."""
    small, period, size = len(mechanism.rows), len(mechanism.interior), mechanism.domain.size
    shares = checked_weights(weights, size or len(each), total=None if aggregate == "max" else 1.0)
    places = np.arange(len(shares))
    if isinstance(mechanism.domain, Cycle):
        values = np.broadcast_to(each, len(shares))
    elif size is None:
        values = each
    else:
        values = each[np.where(places < small, places, small + (places - small) % max(1, period))]
    if aggregate == "max":
        return float((shares * values).max())
    return _scale(mechanism, kind) * math.fsum(shares * values)


def _scale(mechanism: "Mechanism", kind: str | tuple[str, int]) -> float:
    size = mechanism.domain.size
    return size / (size - 1) if kind == "L0" and size is not None and size > 1 else 1.0


def by_row(mechanism: "Mechanism", kind: str | tuple[str, int]) -> tuple[Floats, Floats]:
    """The expected loss of every row, and the share of the true counts that it serves.

    Without an upper end almost all counts are the interior's, so only its rows are here.
    """
    power, beyond = _kind(kind)

    def expected(distance: Floats, probabilities: Floats) -> float:
        cost = distance**power if power else distance > beyond
        return math.fsum(cost * probabilities)

    if isinstance(mechanism.domain, Cycle):
        distance = _way_round(mechanism.domain, squares=power == 2)
        return np.array([expected(distance, mechanism.interior[0].values)]), np.ones(1)
    if mechanism.domain.upper is None:
        values = [expected(np.abs(row.outputs), row.values) for row in mechanism.interior]
        return np.array(values), np.full(len(values), 1 / len(values))
    start, size = mechanism.domain.lower, mechanism.domain.upper - mechanism.domain.lower + 1
    small, period = len(mechanism.rows), len(mechanism.interior)
    served = min(small + period, size)
    rows = [(count, mechanism.row(count)) for count in range(start, start + served)]
    values = [expected(np.abs(row.outputs - count), row.values) for count, row in rows]
    often = [1 if place < small else (size - place - 1) // period + 1 for place in range(served)]
    return np.array(values), np.array(often) / size


def moments(mechanism: "Mechanism", count: int) -> tuple[float, float]:
    """Bias and variance of the output for one true count."""
    if isinstance(mechanism.domain, Cycle):
        raise MechanismError(
            f"bias and variance have no meaning on {mechanism.domain}; use loss('L0'), loss('L1') or loss('L2')"
        )
    outputs, probabilities = mechanism.pmf(count)
    noise = outputs.astype(np.float64) - float(count)
    bias = math.fsum(noise * probabilities)
    return bias, math.fsum((noise - bias) ** 2 * probabilities)


def entropy(probabilities: Floats) -> float:
    """Shannon entropy in bits."""
    positive = probabilities[probabilities > 0]
    return -math.fsum(positive * np.log2(positive))


def _kind(kind: Any) -> tuple[int, int]:
    """Power of the distance, and for L0 the distance beyond which an error counts."""
    if isinstance(kind, str) and kind in _POWERS:
        return _POWERS[kind], 0
    if (
        isinstance(kind, (tuple, list))
        and len(kind) == 2
        and kind[0] == "L0"
        and isinstance(kind[1], int)
        and kind[1] >= 0
    ):
        return 0, kind[1]
    raise ParameterError(f"the loss is {kind!r}; give 'L0', 'L1', 'L2' or ('L0', d) with d >= 0")


def checked_weights(given: npt.ArrayLike, size: int, total: float | None) -> Floats:
    """One number of 0 or more for each true count, summing to `total` where that is given."""
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"weights are {given!r:.60}; give one number for each true count") from None
    if weights.shape != (size,):
        raise ParameterError(f"weights have shape {weights.shape}; give {size}, one for each true count")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ParameterError("weights hold a negative, infinite or missing value; give numbers of 0 or more")
    if total is not None and abs(weights.sum() - total) > 1e-9:
        raise ParameterError(f"weights sum to {weights.sum():.9g}; divide them by that, so that they sum to one")
    return weights


def _way_round(domain: Cycle, squares: bool) -> Floats:
    """For every flattened residue the distance from 0; whose square is the sum of squares where asked."""
    sides = [np.minimum(np.arange(side), side - np.arange(side)).astype(np.float64) for side in domain.shape]
    grid = np.meshgrid(*sides, indexing="ij")
    total: Floats = np.sqrt(sum(part**2 for part in grid)) if squares else np.asarray(sum(grid))
    return total.ravel()

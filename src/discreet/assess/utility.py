"""Losses over all true counts, and bias, variance and entropy of one count.

The losses are Cormode 2019's, sum_j w_j sum_i |i-j|^t P[i,j] with w_j = 1/(n+1) unless weights are given. "L1" and
"L2" have t = 1 and 2. "L0" is the mass off the diagonal, rescaled by (n+1)/n so that the uniform mechanism costs 1;
("L0", 0) is the same loss. ("L0", d) with d >= 1, also written "L0,d", is the mass at |i-j| > d. aggregate="max" takes
the largest loss of a true count instead of the sum, with w_j = 1 and no rescaling.

On a cycle |i-j| is the shorter way round, summed over dimensions (for L2 the squares are summed). Without an upper end
the loss is the interior's, averaged over its period, because almost all counts are in the interior.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.domain import Cycle
from discreet.errors import MechanismError, ParameterError
from discreet.exact import is_integer

if TYPE_CHECKING:
    from discreet.mechanism import Mechanism


_POWERS = {"L0": 0, "L1": 1, "L2": 2}


@dataclass(frozen=True)
class Loss:
    """A loss of the distance between output and count: distance**power. For power 0 it is 1 if distance > beyond."""

    power: int
    beyond: int = 0

    @classmethod
    def of(cls, kind: Any) -> "Loss":
        """Read "L0", "L1", "L2", ("L0", d) or "L0,d".

        Raises
        ------
        ParameterError
            `kind` is none of these.
        """
        pair = kind
        if isinstance(kind, str):
            if kind in _POWERS:
                return cls(_POWERS[kind])
            name, comma, digits = kind.partition(",")
            pair = (name, int(digits)) if comma and digits.strip().isdecimal() else ()
        match pair:
            case ["L0", beyond] if is_integer(beyond) and beyond >= 0:
                return cls(0, int(beyond))
        raise ParameterError(f"the loss is {kind!r}; give 'L0', 'L1', 'L2', or ('L0', d) or 'L0,d' with d >= 0")

    def __call__(self, distance: Floats) -> Floats:
        """Return the loss of every distance."""
        return np.asarray(distance**self.power if self.power else distance > self.beyond, dtype=np.float64)

    def scale(self, size: int | None) -> float:
        """Return the factor of a sum over `size` counts: (n+1)/n for L0, else 1."""
        return size / (size - 1) if self == Loss(0) and size is not None and size > 1 else 1.0


def loss(
    mechanism: "Mechanism", kind: str | tuple[str, int], weights: npt.ArrayLike | None = None, aggregate: str = "sum"
) -> float:
    """Return the expected loss over the true counts; see `Mechanism.loss`."""
    if aggregate not in ("sum", "max"):
        raise ParameterError(f"aggregate is {aggregate!r}; give 'sum' or 'max'")
    measured, size = Loss.of(kind), mechanism.domain.size
    losses, shares = by_row(mechanism, kind)
    if weights is not None:
        shares = checked_weights(weights, size or len(losses), total=None if aggregate == "max" else 1.0)
        losses = _by_count(mechanism, losses)
    if aggregate == "max":
        return float((losses if weights is None else shares * losses).max())
    return measured.scale(size) * math.fsum(shares * losses)


def _by_count(mechanism: "Mechanism", losses: Floats) -> Floats:
    """Return the loss of every true count, from the losses of the rows. Without an upper end, return the interior's."""
    small, period, size = len(mechanism.rows), len(mechanism.interior), mechanism.domain.size
    if size is None:
        return losses
    if isinstance(mechanism.domain, Cycle):
        return np.broadcast_to(losses, size)
    counts = np.arange(size)
    return np.asarray(losses[np.where(counts < small, counts, small + (counts - small) % max(1, period))])


def by_row(mechanism: "Mechanism", kind: str | tuple[str, int]) -> tuple[Floats, Floats]:
    """Return the expected loss of every row, not rescaled, and the share of the true counts that have the row.

    Without an upper end almost all counts are in the interior, so only the rows of the interior are returned.
    """
    measured = Loss.of(kind)

    def expected(distance: Floats, probabilities: Floats) -> float:
        return math.fsum((measured(distance) * probabilities).tolist())

    if isinstance(mechanism.domain, Cycle):
        distance = _way_round(mechanism.domain, squares=measured.power == 2)
        return np.array([expected(distance, mechanism.interior[0].values)]), np.ones(1)
    if mechanism.domain.upper is None:
        losses = [expected(np.abs(row.outputs), row.values) for row in mechanism.interior]
        return np.array(losses), np.full(len(losses), 1 / len(losses))
    lower, size = mechanism.domain.lower, mechanism.domain.upper - mechanism.domain.lower + 1
    small, period = len(mechanism.rows), len(mechanism.interior)
    distinct = min(small + period, size)
    rows = [(count, mechanism.row(count)) for count in range(lower, lower + distinct)]
    losses = [expected(np.abs(row.outputs - count), row.values) for count, row in rows]
    multiplicity = [1 if index < small else (size - index - 1) // period + 1 for index in range(distinct)]
    return np.array(losses), np.array(multiplicity) / size


def moments(mechanism: "Mechanism", count: int) -> tuple[float, float]:
    """Return bias and variance of the output for one true count.

    Raises
    ------
    MechanismError
        The mechanism is on a cycle.
    """
    if isinstance(mechanism.domain, Cycle):
        raise MechanismError(
            f"bias and variance have no meaning on {mechanism.domain}; use loss('L0'), loss('L1') or loss('L2')"
        )
    outputs, probabilities = mechanism.pmf(count)
    noise = outputs.astype(np.float64) - float(count)
    bias = math.fsum((noise * probabilities).tolist())
    return bias, math.fsum(((noise - bias) ** 2 * probabilities).tolist())


def entropy(probabilities: Floats) -> float:
    """Return the Shannon entropy in bits."""
    positive = probabilities[probabilities > 0]
    return -math.fsum(positive * np.log2(positive))


def checked_weights(weights: npt.ArrayLike, size: int, total: float | None) -> Floats:
    """Return weights as an array.

    Raises
    ------
    ParameterError
        There are not `size` finite numbers of 0 or more, or they do not sum to `total` (None: any sum).
    """
    try:
        numbers = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"weights are {weights!r:.60}; give one number for each true count") from None
    if numbers.shape != (size,):
        raise ParameterError(f"weights have shape {numbers.shape}; give {size}, one for each true count")
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ParameterError("weights hold a negative, infinite or missing value; give numbers of 0 or more")
    if total is not None and abs(numbers.sum() - total) > 1e-9:
        raise ParameterError(f"weights sum to {numbers.sum():.9g}; divide them by their sum, so that they sum to one")
    return numbers


def _way_round(domain: Cycle, squares: bool) -> Floats:
    """Return the distance of every flattened residue from 0; if `squares`, the root of the sum of squares."""
    sides = [np.minimum(np.arange(side), side - np.arange(side)).astype(np.float64) for side in domain.shape]
    grid = np.meshgrid(*sides, indexing="ij")
    total: Floats = np.sqrt(sum(part**2 for part in grid)) if squares else np.asarray(sum(grid))
    return total.ravel()

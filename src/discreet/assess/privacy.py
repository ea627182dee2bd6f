"""Privacy curves: delta(epsilon) over all neighbours in both directions, and its inverse.

For two neighbouring rows p and q the hockey-stick sum is piecewise linear in E = e**epsilon,

    h(E) = sum_y max(0, p(y) - E q(y)),      breaks at the ratios r = p(y) / q(y).

Sorted by ratio, downwards, it is h(E) = h(r_k) + (r_k - E) Q_k between two breaks, Q_k being the mass of q on
ratios >= r_k. All terms are positive, so a delta of 1e-19 comes out with all its digits, a whole curve costs
one sort, and the inverse is a division. Where p = E q exactly (and most optimal designs are that everywhere)
a float may land on either side; ratios within 2**-48 of E count as E. The integer check of a certificate has
no such tolerance.

Probabilistic differential privacy counts the whole mass of the outputs with p > E q, so it jumps at a tie. A solver
leaves ties off by up to 1e-11, so here ratios within 1e-9 of E count as E: what is returned is the mass at epsilon +
1e-9, and never less than the exact delta at epsilon.
"""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.domain import Counts, Cycle
from discreet.errors import ParameterError
from discreet.exact import Epsilon, Number, exact

if TYPE_CHECKING:
    from discreet.mechanism import Mechanism, Row


TIE = 2.0**-48
"""Relative excess over E that is a float's rounding."""

SOLVER_TIE = 1e-9
"""Excess of a logarithm over epsilon that a solver leaves at a tie."""

SMALLEST = 1e-290
LARGEST_LOG = 700.0


def delta(mechanism: "Mechanism", epsilon: Number | Epsilon, kind: str = "dp") -> float:
    """The exact delta at epsilon; kind="pdp": the mass of outputs whose ratio is above E."""
    if kind not in ("dp", "pdp"):
        raise ParameterError(f"kind is {kind!r}; give 'dp' (the hockey-stick sum) or 'pdp' (probabilistic)")
    at = np.array([float(Epsilon.of(epsilon))])
    exact_delta = float(_maximum(mechanism, at, _hockey)[0])
    return exact_delta if kind == "dp" else max(exact_delta, float(_maximum(mechanism, at, _exceeding)[0]))


def curve(mechanism: "Mechanism", epsilons: npt.ArrayLike) -> Floats:
    """delta at every epsilon of an array of numbers >= 0."""
    try:
        at = np.asarray(epsilons, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"epsilons are {epsilons!r:.60}; give an array of numbers") from None
    if not (np.isfinite(at) & (at >= 0)).all():
        raise ParameterError("epsilons hold a negative, infinite or missing value; give finite numbers of 0 or more")
    return _maximum(mechanism, at.ravel(), _hockey).reshape(at.shape)


def epsilon(mechanism: "Mechanism", delta: Number = 0) -> float:
    """The smallest epsilon >= 0 with delta(epsilon) <= delta; math.inf where there is none."""
    target = float(exact(delta, "delta"))
    if not 0 <= target < 1:
        raise ParameterError(f"delta is {delta!r}; it is a probability from 0 to below 1")
    return max((_inverse(pairs, target) for pairs in neighbours(mechanism)), default=0.0)


class Pairs(NamedTuple):
    """Neighbouring rows on common outputs, one pair a line: probabilities, the logarithm of their ratio, the ratio."""

    p: Floats
    q: Floats
    ratio: Floats
    height: Floats

    def lines(self, most: int) -> "Iterator[Pairs]":
        """The same in blocks of at most so many lines."""
        for start in range(0, len(self.p), most):
            yield Pairs(*(part[start : start + most] for part in self))


def neighbours(mechanism: "Mechanism", distance: int | None = None) -> Iterator[Pairs]:
    """All pairs of neighbours, each in both directions; what the period or a shift repeats is not repeated.

    With a distance, which may exceed the mechanism's own: the counts that differ by it, before they are clamped
    into the domain.
    """
    if isinstance(mechanism.domain, Cycle):
        shape = mechanism.domain.shape
        row = mechanism.interior[0]
        for difference in mechanism.neighbours:
            values, logs = (
                np.roll(part.reshape(shape), difference, axis=tuple(range(len(shape)))).ravel()
                for part in (row.values, row.logs)
            )
            yield _pairs(row.values[None], values[None], row.logs[None], logs[None])
        return
    for apart in mechanism.neighbours if distance is None else (distance,):
        if counts := _counts(mechanism, apart, distance is not None):
            p, q, log_p, log_q = _aligned([(mechanism.row(count), mechanism.row(count + apart)) for count in counts])
            yield _pairs(p, q, log_p, log_q)
            yield _pairs(q, p, log_q, log_p)


def _counts(mechanism: "Mechanism", apart: int, clamped: bool) -> list[int]:
    """The lower counts of all pairs so far apart; with `clamped` also of those that reach over the domain's ends.

    For the mechanism's own neighbours they need not be looked at: clamped, they are nearer neighbours.
    """
    assert isinstance(mechanism.domain, Counts)
    lower, upper = mechanism.domain.lower, mechanism.domain.upper
    last = lower + len(mechanism.rows) + len(mechanism.interior)
    inside = list(range(lower, last if upper is None else min(last, upper - apart + 1)))
    if not clamped:
        return inside
    over = set(range(max(0, lower - apart + 1), lower))
    if upper is not None:
        over |= set(range(max(0, lower - apart + 1, upper - apart + 1), upper))
    return sorted(over.union(inside))


def _aligned(pairs: "list[tuple[Row, Row]]") -> tuple[Floats, Floats, Floats, Floats]:
    """Values of both rows and their logarithms, a line a pair, padded to the widest union of outputs."""
    ends = [(min(a.first, b.first), max(a.first + len(a.values), b.first + len(b.values))) for a, b in pairs]
    width = max(last - first for first, last in ends)
    values = np.zeros((2, len(pairs), width))
    logs = np.full((2, len(pairs), width), -np.inf)
    for line, (pair, (first, _)) in enumerate(zip(pairs, ends, strict=True)):
        for side, row in enumerate(pair):
            place = slice(row.first - first, row.first - first + len(row.values))
            values[side, line, place] = row.values
            logs[side, line, place] = row.logs
    return values[0], values[1], logs[0], logs[1]


def _pairs(p: Floats, q: Floats, log_p: Floats, log_q: Floats) -> Pairs:
    """A ratio of floats is right to the last bit, unless one of them underflows: then the logarithms are."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        both = (p > SMALLEST) & (q > SMALLEST)
        ratio = np.where(log_p == -np.inf, -np.inf, np.where(both, np.log(p / q), log_p - log_q))
        height = np.where(both & (ratio <= LARGEST_LOG), p / q, np.exp(np.minimum(ratio, LARGEST_LOG)))
    return Pairs(p, q, ratio, height)


def _maximum(mechanism: "Mechanism", at: Floats, measure: Callable[[Pairs, Floats], Floats]) -> Floats:
    worst = np.zeros_like(at)
    if at.size:
        for pairs in neighbours(mechanism):
            for block in pairs.lines(max(1, 2**22 // at.size)):
                worst = np.maximum(worst, measure(block, at))
    return worst


def _exceeding(pairs: Pairs, at: Floats) -> Floats:
    """Largest mass of p on outputs with p > E q over the lines, at each epsilon."""
    exceeds = pairs.ratio[None, :, :] > (at + SOLVER_TIE)[:, None, None]
    worst: Floats = np.where(exceeds, pairs.p, 0).sum(axis=2).max(axis=1)
    return worst


def _breaks(pairs: Pairs) -> tuple[Floats, Floats, Floats]:
    """Ratios sorted downwards, h at each of them, and the mass of q down to each: a line a pair.

    A ratio beyond e**700 counts as infinite, which adds p instead of p - E q; a p below 1e-290 adds nothing.
    """
    infinite = (pairs.ratio > LARGEST_LOG) & (pairs.p > SMALLEST)
    height = np.where(pairs.p > SMALLEST, pairs.height, 0)
    order = np.argsort(-height, axis=1, kind="stable")
    height, infinite, p, q = (np.take_along_axis(part, order, axis=1) for part in (height, infinite, pairs.p, pairs.q))
    mass = np.cumsum(np.where(infinite, 0, q), axis=1)
    lost = np.where(infinite, p, 0).sum(axis=1, keepdims=True)
    growth = -np.diff(height, axis=1) * mass[:, :-1]
    return height, lost + np.pad(np.cumsum(growth, axis=1), ((0, 0), (1, 0))), mass


def _hockey(pairs: Pairs, at: Floats) -> Floats:
    """Largest h over the lines, at each epsilon."""
    above = np.exp(np.minimum(at, LARGEST_LOG - 1)) * (1 + TIE)  # beyond e**699 nothing changes
    worst = np.zeros_like(at)
    for height, value, mass in zip(*_breaks(pairs), strict=True):
        place = np.searchsorted(-height, -above, side="left") - 1
        known = value[place] + (height[place] - above) * mass[place]
        worst = np.maximum(worst, np.where(place < 0, value[0], known))
    return np.minimum(worst, 1)


def _inverse(pairs: Pairs, target: float) -> float:
    """The smallest epsilon >= 0 at which h is at most the target on every line."""
    if target == 0:
        return max(float(pairs.ratio.max()), 0.0)
    largest = 1.0
    for height, value, mass in zip(*_breaks(pairs), strict=True):
        if value[0] > target:
            return math.inf
        place = int(np.searchsorted(value, target, side="right")) - 1
        if mass[place] > 0:
            largest = max(largest, height[place] - (target - value[place]) / mass[place])
    return math.log(largest)

"""Privacy curves: delta(epsilon) over all neighbours in both directions, and its inverse.

For two neighbouring rows p and q the hockey-stick sum is piecewise linear in E = e**epsilon,

    h(E) = sum_y max(0, p(y) - E q(y)),      breaks at the ratios r = p(y) / q(y).

With the ratios sorted downwards, h(E) = h(r_k) + (r_k - E) Q_k between two breaks, where Q_k is the mass of q on ratios
>= r_k. All terms are positive, so a delta of 1e-19 has all its digits. A whole curve costs one sort, and the inverse is
a division. Most optimal designs have p = E q exactly at many outputs, and there a float may land on either side. So
ratios within 2**-48 of E count as E. The integer check of a certificate has no such tolerance.

Probabilistic differential privacy counts the whole mass of the outputs with p > E q, so it jumps at a tie. A solver
leaves ties off by up to 1e-11, so here ratios within 1e-9 of E count as E. The returned value is the mass at epsilon +
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
"""Relative excess over E that is due to the rounding of floats."""

SOLVER_TIE = 1e-9
"""Excess of a logarithm over epsilon that a solver leaves at a tie."""

SMALLEST = 1e-290
"""Probabilities below this are compared by their logarithms."""

LARGEST_LOG = 700.0
"""Logarithms of ratios above this count as infinite."""


def delta(mechanism: "Mechanism", epsilon: Number | Epsilon, kind: str = "dp") -> float:
    """Return the exact delta at epsilon; with kind="pdp" the mass of outputs whose ratio is above E.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    epsilon : Number or Epsilon
        The epsilon.
    kind : str
        "dp" for the hockey-stick sum, "pdp" for probabilistic differential privacy.

    Returns
    -------
    float
        The largest delta over all neighbours, in both directions.

    Raises
    ------
    ParameterError
        Epsilon is outside its range, or the kind is not known.

    Examples
    --------
    >>> from discreet import design
    >>> from discreet.assess import privacy
    >>> round(privacy.delta(design.randomized_response(alpha="1/3"), epsilon=1), 6)
    0.07043
    """
    if kind not in ("dp", "pdp"):
        raise ParameterError(f"kind is {kind!r}; give 'dp' (the hockey-stick sum) or 'pdp' (probabilistic)")
    at = np.array([float(Epsilon.of(epsilon))])
    exact_delta = float(_maximum(mechanism, at, _hockey)[0])
    return exact_delta if kind == "dp" else max(exact_delta, float(_maximum(mechanism, at, _exceeding)[0]))


def curve(mechanism: "Mechanism", epsilons: npt.ArrayLike) -> Floats:
    """Return delta at every epsilon of an array.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    epsilons : array of float
        Numbers of 0 or more.

    Returns
    -------
    numpy.ndarray
        The exact delta at every epsilon.

    Raises
    ------
    ParameterError
        An epsilon is negative, or not a finite number.

    Examples
    --------
    >>> from discreet import design
    >>> from discreet.assess import privacy
    >>> privacy.curve(design.geometric(epsilon=1, upper=9), [0, 0.5, 1]).round(4).tolist()
    [0.4621, 0.2876, 0.0]
    """
    try:
        at = np.asarray(epsilons, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"epsilons are {epsilons!r:.60}; give an array of numbers") from None
    if not (np.isfinite(at) & (at >= 0)).all():
        raise ParameterError("epsilons hold a negative, infinite or missing value; give finite numbers of 0 or more")
    return _maximum(mechanism, at.ravel(), _hockey).reshape(at.shape)


def epsilon(mechanism: "Mechanism", delta: Number = 0) -> float:
    """Return the smallest epsilon >= 0 whose delta is at most `delta`.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    delta : Number
        A probability from 0 to below 1.

    Returns
    -------
    float
        The epsilon; math.inf if there is none.

    Raises
    ------
    ParameterError
        `delta` is not a probability from 0 to below 1.

    Examples
    --------
    >>> from discreet import design
    >>> from discreet.assess import privacy
    >>> round(privacy.epsilon(design.gaussian(sigma2=4), delta="1e-3"), 4)
    1.3471
    """
    target = float(exact(delta, "delta"))
    if not 0 <= target < 1:
        raise ParameterError(f"delta is {delta!r}; give a probability from 0 to below 1")
    return max((_inverse(pairs, target) for pairs in neighbours(mechanism)), default=0.0)


class Pairs(NamedTuple):
    """Pairs of neighbouring rows on common outputs, a line for each pair.

    Attributes
    ----------
    p, q
        The probabilities of both rows.
    ratio
        The logarithm of p / q.
    height
        p / q.
    """

    p: Floats
    q: Floats
    ratio: Floats
    height: Floats

    def lines(self, most: int) -> "Iterator[Pairs]":
        """Yield the pairs in blocks of at most `most` lines."""
        for start in range(0, len(self.p), most):
            yield Pairs(*(part[start : start + most] for part in self))


def neighbours(mechanism: "Mechanism", distance: int | None = None) -> Iterator[Pairs]:
    """Yield all pairs of neighbours, each in both directions. Pairs that a period or a shift repeats are yielded once.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    distance : int, optional
        Yield counts that differ by this distance before they are clamped into the domain, instead of neighbours. The
        distance may exceed the distance of neighbours.

    Yields
    ------
    Pairs
        Pairs in one direction.

    Examples
    --------
    >>> from discreet import design
    >>> from discreet.assess import privacy
    >>> [len(pairs.p) for pairs in privacy.neighbours(design.geometric(epsilon=1, upper=9))]
    [9, 9]
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
    """Return the lower counts of all pairs that are `apart`; if `clamped`, also of pairs beyond the domain's ends.

    For the mechanism's own neighbours, pairs beyond the ends are left out: after clamping they are nearer neighbours.
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
    """Return the values of both rows and their logarithms, a line for each pair, padded with 0 to one width."""
    ends = [(min(a.first, b.first), max(a.first + len(a.values), b.first + len(b.values))) for a, b in pairs]
    width = max(last - first for first, last in ends)
    values = np.zeros((2, len(pairs), width))
    logs = np.full((2, len(pairs), width), -np.inf)
    for line, (pair, (first, _)) in enumerate(zip(pairs, ends, strict=True)):
        for side, row in enumerate(pair):
            columns = slice(row.first - first, row.first - first + len(row.values))
            values[side, line, columns] = row.values
            logs[side, line, columns] = row.logs
    return values[0], values[1], logs[0], logs[1]


def _pairs(p: Floats, q: Floats, log_p: Floats, log_q: Floats) -> Pairs:
    """Return pairs. A ratio of floats is right to the last bit; if a float underflows, the logarithms are used."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        both = (p > SMALLEST) & (q > SMALLEST)
        ratio = np.where(log_p == -np.inf, -np.inf, np.where(both, np.log(p / q), log_p - log_q))
        height = np.where(both & (ratio <= LARGEST_LOG), p / q, np.exp(np.minimum(ratio, LARGEST_LOG)))
    return Pairs(p, q, ratio, height)


def _maximum(mechanism: "Mechanism", at: Floats, measure: Callable[[Pairs, Floats], Floats]) -> Floats:
    """Return the largest measure over all neighbours, at each epsilon."""
    worst = np.zeros_like(at)
    if at.size:
        for pairs in neighbours(mechanism):
            for block in pairs.lines(max(1, 2**22 // at.size)):
                worst = np.maximum(worst, measure(block, at))
    return worst


def _exceeding(pairs: Pairs, at: Floats) -> Floats:
    """Return the largest mass of p on outputs with p > E q over the lines, at each epsilon."""
    exceeds = pairs.ratio[None, :, :] > (at + SOLVER_TIE)[:, None, None]
    worst: Floats = np.where(exceeds, pairs.p, 0).sum(axis=2).max(axis=1)
    return worst


def _breaks(pairs: Pairs) -> tuple[Floats, Floats, Floats]:
    """Return the ratios sorted downwards, h at each ratio, and the mass of q down to each ratio; a line for each pair.

    A ratio beyond e**700 counts as infinite, and adds p instead of p - E q. A p below 1e-290 adds nothing.
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
    """Return the largest h over the lines, at each epsilon."""
    above = np.exp(np.minimum(at, LARGEST_LOG - 1)) * (1 + TIE)  # beyond e**699 nothing changes
    worst = np.zeros_like(at)
    for height, value, mass in zip(*_breaks(pairs), strict=True):
        index = np.searchsorted(-height, -above, side="left") - 1
        between = value[index] + (height[index] - above) * mass[index]
        worst = np.maximum(worst, np.where(index < 0, value[0], between))
    return np.minimum(worst, 1)


def _inverse(pairs: Pairs, target: float) -> float:
    """Return the smallest epsilon >= 0 at which h is at most the target on every line; math.inf if there is none."""
    if target == 0:
        return max(float(pairs.ratio.max()), 0.0)
    largest = 1.0
    for height, value, mass in zip(*_breaks(pairs), strict=True):
        if value[0] > target:
            return math.inf
        index = int(np.searchsorted(value, target, side="right")) - 1
        if mass[index] > 0:
            largest = max(largest, height[index] - (target - value[index]) / mass[index])
    return math.log(largest)

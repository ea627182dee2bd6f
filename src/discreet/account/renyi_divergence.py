"""Renyi differential privacy and zero-concentrated differential privacy (zCDP) of a mechanism or a table.

The Renyi divergence of order a > 1 between two neighbours p and q is

    D_a = g(a) / (a - 1),      g(a) = log sum_y p(y) exp((a - 1) l(y)),      l(y) = log(p(y) / q(y)),

the Kullback-Leibler divergence sum p l at a = 1, and the largest l for a without end. A mechanism has Renyi
differential privacy (a, D) if D_a <= D for all neighbours in both directions (Mironov 2017), and rho-zCDP if D_a <= rho
a for all a > 1 (Bun and Steinke 2016). Both add up over cells.

Where one of two neighbours can have an output and the other cannot, l is infinite, and so is D_a at every order. Noise
that ends does so: noise on -D..D, added to counts, has neither notion, however large D is. What such noise has is
approximate zCDP (Bun and Steinke 2016, Definition 8.1): outside outputs of a chance of at most delta, p and q have the
same support, and given this support, their divergence is at most rho a.

The least rho is the supremum of D_a / a. Let g be the largest g over all pairs of neighbours. As a maximum of convex
functions g is convex. So with x = a - 1, g is at most its chord N x - n between two orders, where n = x0 x1 (D1 - D0) /
(x1 - x0) and N = D1 + n / x1, and

    D_a / a <= (N x - n) / (x (1 + x)) <= (sqrt(N + n) - sqrt(n))^2,

which is reached at x = (n + sqrt(n (n + N))) / N. If that is outside of the interval, the largest value is at an end.
Intervals are halved until the bound is within `TOLERANCE` of a value that occurs. Near a = 1 the bound is D at the end
of the first interval; beyond the last order it is the largest loss L, divided by that order. The search ends earlier
where a value is within `TOLERANCE` of L^2 / 2, as no D_a exceeds a L^2 / 2 (Bun and Steinke 2016, Proposition 3.3).

All figures are upper bounds: losses, sums and logarithms are floats, and the error of each is added.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from discreet.account.privacy_profile import UNIT, Source
from discreet.arrays import Floats
from discreet.assess import privacy
from discreet.certify.ptable import PTable
from discreet.certify.table import Table
from discreet.errors import ParameterError
from discreet.exact import Number, exact
from discreet.mechanism import Mechanism

TOLERANCE = 2.0**-16
"""How far rho may be above the supremum, as a part of it."""

NEAREST = 2.0**-24
"""Distance of the first order above 1 at which D is evaluated in the search for rho."""


MOST_LOST = 15 / 16
"""If outputs that only one of two neighbours can have are likelier than this, nothing is said about the others."""


class Losses(NamedTuple):
    """Pairs of neighbours, one a line: the mass of p on every output, and a bound of the loss log(p / q).

    An output with p = 0 has mass 0 and loss 0.
    """

    mass: Floats
    loss: Floats


@dataclass(frozen=True, eq=False)
class Renyi:
    """Upper bounds of the Renyi divergence over all neighbours in both directions; immutable. Made by `renyi`.

    Attributes
    ----------
    blocks
        Pairs of neighbours. Of pairs with different supports, the outputs that both can have, given that one of
        them occurs.
    lost
        The largest chance of outputs that only one of two neighbours can have; 0 if all supports are the same.
    """

    blocks: tuple[Losses, ...]
    lost: float

    def divergence(self, order: Number) -> float:
        """Return an upper bound of the Renyi divergence of an order; math.inf if supports differ.

        Parameters
        ----------
        order
            A number of 1 or more. 1 is the Kullback-Leibler divergence, math.inf the largest loss.

        Raises
        ------
        ParameterError
            The order is no number, or below 1.

        Examples
        --------
        >>> import discreet as dc
        >>> curve = dc.account.renyi(dc.design.randomized_response(epsilon=1))
        >>> [round(curve.divergence(order), 4) for order in (1, 2, 8, float("inf"))]
        [0.4621, 0.7353, 0.9552, 1.0]
        """
        at = math.inf if order in (math.inf, "inf") else float(exact(order, "order"))
        if at < 1:
            raise ParameterError(f"order is {order!r:.60}; give a number of 1 or more, or math.inf")
        if self.lost > 0:
            return math.inf
        largest = self._divergence(math.inf)
        return min(largest, at * largest * largest / 2 * (1 + 4 * UNIT), self._divergence(at)) if largest else 0.0

    @property
    def rho(self) -> float:
        """The least rho of rho-zCDP, as an upper bound; math.inf if supports differ."""
        return math.inf if self.lost > 0 else self.approximate_rho

    @cached_property
    def approximate_rho(self) -> float:
        """A rho of approximate zCDP whose delta is `lost`; math.inf if two neighbours have little in common."""
        return math.inf if self.lost > MOST_LOST else self._least_rho()

    def _divergence(self, order: float) -> float:
        return max((float(_bound(block, order).max()) for block in self.blocks), default=0.0)

    def _least_rho(self) -> float:
        """Return an upper bound of the supremum of D_a / a, within `TOLERANCE` of it."""
        largest = self._divergence(math.inf)
        if largest == 0:
            return 0.0
        orders = [1.0, 1 + NEAREST]
        divergences = [self._divergence(order) for order in orders]
        best = max(value / order for value, order in zip(divergences, orders, strict=True))
        while largest > best * orders[-1]:
            orders.append(1 + 2 * (orders[-1] - 1))
            divergences.append(self._divergence(orders[-1]))
            best = max(best, divergences[-1] / orders[-1])
        points = list(zip(orders[1:], divergences[1:], strict=True))
        heap = [(-_ceiling(left, right), left, right) for left, right in pairwise(points)]
        heapify(heap)
        gaussian_bound = largest * largest / 2 * (1 + 4 * UNIT)
        while heap and min(-heap[0][0], gaussian_bound) > best * (1 + TOLERANCE):
            _, left, right = heappop(heap)
            middle = (left[0] + right[0]) / 2
            point = middle, self._divergence(middle)
            best = max(best, point[1] / middle)
            heappush(heap, (-_ceiling(left, point), left, point))
            heappush(heap, (-_ceiling(point, right), point, right))
        below_and_beyond = max(divergences[1], largest / orders[-1])
        return min(gaussian_bound, max([best, below_and_beyond, *(-ceiling for ceiling, _, _ in heap)]))


def renyi(source: Source) -> Renyi:
    """Return the Renyi divergences of a mechanism or a perturbation table.

    Parameters
    ----------
    source
        A mechanism, a PTable or its integer table.

    Returns
    -------
    Renyi
        Upper bounds of the divergence at every order, and of rho.

    Raises
    ------
    ParameterError
        The source is neither a mechanism nor a table.

    Examples
    --------
    >>> import discreet as dc
    >>> round(dc.account.renyi(dc.design.geometric(epsilon=1, upper=20).certify()).rho, 4)
    0.4621
    >>> ends = dc.account.renyi(dc.design.maxent(epsilon="0.5", delta="1e-4", variant="paper").certify())
    >>> ends.rho, round(ends.lost, 8), round(ends.approximate_rho, 6)
    (inf, 9.913e-05, 0.010114)
    """
    content = source.table if isinstance(source, PTable) else source
    mechanism = Mechanism.from_table(content) if isinstance(content, Table) else content
    if not isinstance(mechanism, Mechanism):
        raise ParameterError(f"{source!r:.60} has no Renyi divergence; give a mechanism or a perturbation table")
    blocks, lost = [], 0.0
    for pairs in privacy.neighbours(mechanism):
        for part in pairs.lines(max(1, 2**20 // pairs.p.shape[1])):
            losses, chance = _losses(part)
            lost = max(lost, chance)
            if losses is not None:
                blocks.append(losses)
    return Renyi(tuple(blocks), lost)


def _losses(pairs: privacy.Pairs) -> tuple[Losses | None, float]:
    """Return the losses of pairs that differ, and the largest chance of outputs that only p can have.

    A probability that is too small for a float counts as 1e-290.
    """
    differ = ~(pairs.p == pairs.q).all(axis=1)
    p, q, ratio = pairs.p[differ], pairs.q[differ], pairs.ratio[differ]
    if not len(p):
        return None, 0.0
    width = p.shape[1]
    only_p, only_q = ratio == np.inf, (ratio == -np.inf) & (q > 0)
    both = np.isfinite(ratio)
    lost, lost_q = (np.where(part, x, 0).sum(axis=1) for part, x in ((only_p, p), (only_q, q)))
    chance = float(np.minimum(lost * (1 + (width + 4) * UNIT), 1).max())
    tiny = (p <= privacy.SMALLEST) | (q <= privacy.SMALLEST)
    kept, kept_q = 1 - lost, 1 - lost_q
    usable = (lost <= MOST_LOST) & (lost_q <= MOST_LOST)
    if not usable.any():
        return None, chance
    p, q, ratio, both, tiny, kept, kept_q = (x[usable] for x in (p, q, ratio, both, tiny, kept, kept_q))
    mass = np.where(both, np.maximum(p, privacy.SMALLEST), 0) / kept[:, None]
    loss = np.where(both, ratio, 0) + (np.log(kept_q) - np.log(kept))[:, None]
    error = 16 * UNIT * (1 + np.abs(loss)) + np.where(tiny, 2.0**-32, 0)
    error += (4 * (width + 4) * UNIT * np.where(kept * kept_q < 1, 1 / kept + 1 / kept_q, 0))[:, None]
    return Losses(mass, np.where(both, loss + error, 0)), chance


def _bound(block: Losses, order: float) -> Floats:
    """Return an upper bound of the divergence of every pair, at one order."""
    mass, loss = block
    if order == math.inf:
        return np.asarray(np.where(mass > 0, loss, -np.inf).max(axis=1))
    width, above = mass.shape[1], order - 1
    if above == 0:
        terms = mass * loss
        return np.asarray(np.maximum(terms.sum(axis=1) + _sum_error(terms, width), 0))
    exponents = above * loss
    peak = np.where(mass > 0, exponents, -np.inf).max(axis=1)
    bound = np.empty(len(mass))
    small = peak <= 1
    if small.any():
        terms = mass[small] * np.expm1(exponents[small])
        total = np.maximum(terms.sum(axis=1) + _sum_error(terms, width), 0)
        bound[small] = np.log1p(total)
    if not small.all():
        part, top = exponents[~small], peak[~small]
        with np.errstate(under="ignore"):
            sums = (mass[~small] * np.exp(np.where(mass[~small] > 0, part - top[:, None], -np.inf))).sum(axis=1)
        error = (width + 16 + 8 * np.abs(part).max(axis=1)) * UNIT
        bound[~small] = top + np.log(sums) + error
    return np.asarray(np.maximum(bound, 0) / above * (1 + 8 * UNIT))


def _sum_error(terms: Floats, width: int) -> Floats:
    """Return a bound of the error of a sum of products, and of masses that were raised to 1e-290."""
    return np.asarray(4 * (width + 16) * UNIT * np.abs(terms).sum(axis=1) + width * 2 * privacy.SMALLEST)


Point = tuple[float, float]
"""An order, and the divergence there."""


def _ceiling(left: Point, right: Point) -> float:
    """Return an upper bound of D_a / a between two orders, because (a - 1) D_a is below its chord."""
    (low, first), (high, last) = left, right
    if last <= first:
        return first / low
    x, y = low - 1, high - 1
    n = x * y * (last - first) / (y - x)
    slope = last + n / y
    highest = (n + math.sqrt(n * (n + slope))) / slope
    if highest >= y * (1 + 64 * UNIT):
        return last / high
    if highest <= x * (1 - 64 * UNIT):
        return first / low
    root, other = math.sqrt(slope + n), math.sqrt(n)
    return (slope / (root + other)) ** 2 * (1 + 64 * UNIT)

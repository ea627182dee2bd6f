"""The profile of a mechanism: delta as a function of a = e**epsilon, over all neighbours in both directions.

    H(a) = max over neighbours p, q of sum_y max(0, p(y) - a q(y)),      a >= 1

The maximum is taken at every a anew, because the pair that is worst at one epsilon is not the worst everywhere. A pair
that leaks 1e-3 and nothing else has a larger delta than randomized response of epsilon .3 once, and a smaller delta
twenty times over. Below 1 the profile is H(a) = 1 - a + a H(1/a), because both directions are in it.

For one pair, sorted by the ratio p/q downwards, with P_k and Q_k the sums of the first k,

    sum_y max(0, p - a q) = P_k - a Q_k,      k the number of ratios >= a.

Every figure is an upper bound, in floats: a is rounded down, ratios within `SLACK` of a are counted in, and the error
of the sums, which is relative to P_k, is added.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.account.dominating_pair import LARGEST_LOSS, Pair
from discreet.arrays import Floats
from discreet.assess import privacy
from discreet.certify.ptable import PTable
from discreet.certify.table import Table
from discreet.domain import Cycle
from discreet.errors import ParameterError
from discreet.mechanism import Mechanism

Source = Mechanism | PTable | Table

UNIT = 2.0**-53
"""The relative error of one rounding."""

SLACK = 2.0**-48
"""A bound of the relative error of a ratio of two floats. Ratios of logarithms are raised by 2**-32 instead."""


@dataclass(frozen=True, eq=False)
class DirectedPair:
    """One pair of neighbours in one direction.

    Attributes
    ----------
    ratios
        p/q of the outputs, from the largest down to 1.
    p, q
        Sums of p and of q over the first 0, 1, 2, ... outputs in this order.
    width
        The number of all outputs.
    """

    ratios: Floats
    p: Floats
    q: Floats
    width: int

    def bound(self, a: Floats) -> Floats:
        """Return an upper bound of the sum of max(0, p - a q)."""
        index = np.searchsorted(-self.ratios, -a * (1 - SLACK), side="right")
        top = self.p[index]
        return np.asarray(top - a * self.q[index] + (2 * SLACK + (2 * self.width + 16) * UNIT) * top)


@dataclass(frozen=True, eq=False)
class Profile:
    """All pairs of neighbours of a mechanism, sorted to be evaluated; immutable. Made by `profile`.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1).certify()
    >>> dc.account.profile(table).delta([0.5, 1]).round(6).tolist()
    [0.287649, 0.0]
    """

    pairs: tuple[DirectedPair, ...]

    def delta(self, epsilons: npt.ArrayLike) -> Floats:
        """Return an upper bound of H(e**epsilon) at every epsilon >= 0.

        The bound is above H by a few 1e-14 of the mass of losses above epsilon.
        """
        x = np.minimum(np.asarray(epsilons, dtype=np.float64), LARGEST_LOSS + 1)
        a = np.maximum(np.exp(x) * (1 - (x + 4) * 2 * UNIT), 1)
        worst = np.zeros_like(a)
        for pair in self.pairs:
            worst = np.maximum(worst, pair.bound(a))
        return np.minimum(worst, 1)

    @cached_property
    def floor(self) -> float:
        """Delta never falls below this: the chance of outputs that only one of two neighbours can have."""
        return float(self.delta(LARGEST_LOSS + 1))

    @cached_property
    def largest(self) -> float:
        """The largest finite loss. From this epsilon on, H is the floor."""
        finite = [pair.ratios[np.isfinite(pair.ratios)] for pair in self.pairs]
        logs = [max(float(np.log(ratios[0])), 0.0) * (1 + 4 * UNIT) + 4 * SLACK for ratios in finite if ratios.size]
        return max(logs, default=0.0)

    @cached_property
    def losses(self) -> tuple[Floats, Floats]:
        """Every finite loss ln(p/q) > 0 of every pair, and the mass of p on it."""
        losses, masses = [np.zeros(0)], [np.zeros(0)]
        for pair in self.pairs:
            positive = np.isfinite(pair.ratios) & (pair.ratios > 1 + SLACK)
            losses.append(np.log(pair.ratios[positive]))
            masses.append(np.diff(pair.p)[positive])
        return np.concatenate(losses), np.concatenate(masses)

    @cached_property
    def variance(self) -> float:
        """About the variance of the loss, of the pair with the largest variance."""
        return max((_variance(pair) for pair in self.pairs), default=0.0)

    def pair(self, step: float) -> Pair:
        """Return the dominating pair on a lattice; losses beyond the last knot count as infinite."""
        knots = min(int(self.largest / step) + 3, int(LARGEST_LOSS / step) + 1)
        return Pair.of(step, self.delta(step * np.arange(knots)))


def profile(source: Source, distance: int | None = None) -> Profile:
    """Return the profile of a mechanism or a perturbation table.

    Parameters
    ----------
    source
        A mechanism, a PTable or its integer table.
    distance
        For counts: only pairs that differ by exactly `distance` before they are clamped into the domain. It may exceed
        the neighbours that the mechanism was designed for. None: all neighbours of the mechanism.

    Returns
    -------
    Profile
        Upper bounds of delta at every epsilon.

    Raises
    ------
    ParameterError
        The source has no profile, the distance is not an integer of 1 or more, or the source is on a cycle and a
        distance is given.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.design.geometric(epsilon=1, upper=20).certify()
    >>> dc.account.profile(table).delta([0.5, 1]).round(6).tolist()
    [0.287649, 0.0]
    """
    mechanism = _mechanism(source)
    _check_distance(mechanism, distance)
    pairs: dict[tuple[bytes, bytes], DirectedPair] = {}
    for neighbours in privacy.neighbours(mechanism, distance):
        for pair in _sorted_pairs(neighbours):
            pairs.setdefault((pair.p.tobytes(), pair.q.tobytes()), pair)
    return Profile(tuple(pairs.values()))


def counts_mechanism(source: Source) -> Mechanism:
    """Return the mechanism of a source. Raise ParameterError if it has no profile, or is on a cycle."""
    mechanism = _mechanism(source)
    _check_distance(mechanism, 1)
    return mechanism


def _mechanism(source: Source) -> Mechanism:
    content = source.table if isinstance(source, PTable) else source
    mechanism = Mechanism.from_table(content) if isinstance(content, Table) else content
    if not isinstance(mechanism, Mechanism):
        raise ParameterError(f"{source!r:.60} has no profile; give a mechanism or a perturbation table")
    return mechanism


def _check_distance(mechanism: Mechanism, distance: int | None) -> None:
    if distance is None:
        return
    if isinstance(mechanism.domain, Cycle):
        raise ParameterError(
            f"distance is {distance!r}, but on a cycle one answer is replaced by another and {mechanism.domain} has"
            " its own neighbours; leave distance out"
        )
    if isinstance(distance, (bool, np.bool_)) or not hasattr(distance, "__index__") or distance < 1:
        raise ParameterError(f"distance is {distance!r:.60}; give an integer of 1 or more: by how much counts differ")


def _sorted_pairs(pairs: privacy.Pairs) -> list[DirectedPair]:
    """Return the pairs with their outputs sorted and summed, without pairs of equal rows.

    A probability below 1e-290 counts as 1e-290 in p and as 0 in q, which only adds to delta.
    """
    tiny = (pairs.p <= privacy.SMALLEST) | (pairs.q <= privacy.SMALLEST)
    ratios = np.where(tiny, pairs.height * (1 + 2.0**-32), pairs.height)
    infinite = pairs.ratio > LARGEST_LOSS
    ratios = np.where(infinite, np.inf, ratios)
    p = np.where(pairs.ratio > -np.inf, np.maximum(pairs.p, privacy.SMALLEST), 0)
    q = np.where(infinite | (pairs.q <= privacy.SMALLEST), 0, pairs.q)
    order = np.argsort(-ratios, axis=1, kind="stable")
    ratios, p, q = (np.take_along_axis(values, order, axis=1) for values in (ratios, p, q))
    result = []
    for row_ratios, row_p, row_q in zip(ratios, p, q, strict=True):
        if np.array_equal(row_p, row_q):
            continue
        kept = int(np.searchsorted(-row_ratios, -(1 - 2 * SLACK), side="right"))
        p_sums, q_sums = (np.concatenate([[0.0], np.cumsum(values[:kept])]) for values in (row_p, row_q))
        result.append(DirectedPair(row_ratios[:kept], p_sums, q_sums, len(row_ratios)))
    return result


def _variance(pair: DirectedPair) -> float:
    finite = np.isfinite(pair.ratios)
    squares = np.log(np.maximum(pair.ratios[finite], 1)) ** 2
    return float(((np.diff(pair.p) + np.diff(pair.q))[finite] * squares).sum())

"""The profile of a mechanism: delta as a function of a = e**epsilon, over all neighbours in both directions.

    H(a) = max over neighbours p, q of sum_y max(0, p(y) - a q(y)),      a >= 1

The maximum is taken at every a anew. The pair that is worst at one epsilon is not the worst everywhere: one that
leaks 1e-3 and nothing else beats randomized response of epsilon .3 once, and loses to it twenty times over. Below
1 the profile follows, H(a) = 1 - a + a H(1/a), because both directions are in it.

For one pair, sorted by the ratio p/q downwards, with P_k and Q_k the sums of the first k,

    sum_y max(0, p - a q) = P_k - a Q_k,      k the number of ratios >= a.

Every figure here is an upper bound, in floats: a is rounded down, ratios that are within `SLACK` of a are counted
in, and what the sums can be wrong by, which is relative to P_k, is added.
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
"""How far a ratio of two floats may be from the truth, and more; ratios of logarithms are raised by 2**-32."""


@dataclass(frozen=True, eq=False)
class Line:
    """One pair in one direction: ratios from the largest down to 1, sums of p and of q up to each, from 0."""

    heights: Floats
    p: Floats
    q: Floats
    width: int

    def bound(self, a: Floats) -> Floats:
        """At least sum max(0, p - a q)."""
        place = np.searchsorted(-self.heights, -a * (1 - SLACK), side="right")
        top = self.p[place]
        return np.asarray(top - a * self.q[place] + (2 * SLACK + (2 * self.width + 16) * UNIT) * top)


@dataclass(frozen=True, eq=False)
class Profile:
    """The pairs of a mechanism, ready to be evaluated; immutable. Made by `profile`."""

    lines: tuple[Line, ...]

    def delta(self, epsilons: npt.ArrayLike) -> Floats:
        """An upper bound of H(e**epsilon) at every epsilon >= 0, a few 1e-14 of the mass beyond epsilon above it."""
        x = np.minimum(np.asarray(epsilons, dtype=np.float64), LARGEST_LOSS + 1)
        a = np.maximum(np.exp(x) * (1 - (x + 4) * 2 * UNIT), 1)
        worst = np.zeros_like(a)
        for line in self.lines:
            worst = np.maximum(worst, line.bound(a))
        return np.minimum(worst, 1)

    @cached_property
    def floor(self) -> float:
        """What is left of delta however large epsilon: outputs that one neighbour has and the other has not."""
        return float(self.delta(LARGEST_LOSS + 1))

    @cached_property
    def largest(self) -> float:
        """The largest finite loss: from it on H is the floor."""
        finite = [line.heights[np.isfinite(line.heights)] for line in self.lines]
        logs = [max(float(np.log(heights[0])), 0.0) * (1 + 4 * UNIT) + 4 * SLACK for heights in finite if heights.size]
        return max(logs, default=0.0)

    @cached_property
    def losses(self) -> tuple[Floats, Floats]:
        """Every finite loss ln(p/q) > 0 of every pair, and the mass of p on it."""
        losses, masses = [np.zeros(0)], [np.zeros(0)]
        for line in self.lines:
            there = np.isfinite(line.heights) & (line.heights > 1 + SLACK)
            losses.append(np.log(line.heights[there]))
            masses.append(np.diff(line.p)[there])
        return np.concatenate(losses), np.concatenate(masses)

    @cached_property
    def variance(self) -> float:
        """About the variance of the loss, of the pair that has the largest."""
        return max((_variance(line) for line in self.lines), default=0.0)

    def pair(self, step: float) -> Pair:
        """The dominating pair on the lattice of that step; what lies beyond the last knot is lost for good."""
        knots = min(int(self.largest / step) + 3, int(LARGEST_LOSS / step) + 1)
        return Pair.of(step, self.delta(step * np.arange(knots)))


def profile(source: Source, distance: int | None = None) -> Profile:
    """The profile of a mechanism or a perturbation table.

    Parameters
    ----------
    distance
        For counts: only pairs that differ by exactly so much before they are clamped into the domain. It may
        exceed the neighbours that the mechanism was designed for. None: all neighbours that the mechanism has.
    """
    given = source.table if isinstance(source, PTable) else source
    mechanism = Mechanism.from_table(given) if isinstance(given, Table) else given
    if not isinstance(mechanism, Mechanism):
        raise ParameterError(f"{source!r:.60} has no profile; give a mechanism or a perturbation table")
    if distance is not None and isinstance(mechanism.domain, Cycle):
        raise ParameterError(
            f"distance is {distance!r}, but on a cycle one answer is replaced by another and {mechanism.domain} has"
            " its own neighbours; leave distance out"
        )
    if distance is not None and (
        isinstance(distance, (bool, np.bool_)) or not hasattr(distance, "__index__") or distance < 1
    ):
        raise ParameterError(f"distance is {distance!r:.60}; give an integer of 1 or more: by how much counts differ")
    lines: dict[tuple[bytes, bytes], Line] = {}
    for pairs in privacy.neighbours(mechanism, distance):
        for line in _lines(pairs):
            lines.setdefault((line.p.tobytes(), line.q.tobytes()), line)
    return Profile(tuple(lines.values()))


def _lines(pairs: privacy.Pairs) -> list[Line]:
    """Sorted and summed; rows that are alike are left out.

    A probability below 1e-290 counts as 1e-290 in p and as 0 in q, which only adds.
    """
    tiny = (pairs.p <= privacy.SMALLEST) | (pairs.q <= privacy.SMALLEST)
    height = np.where(tiny, pairs.height * (1 + 2.0**-32), pairs.height)
    infinite = pairs.ratio > LARGEST_LOSS
    height = np.where(infinite, np.inf, height)
    p = np.where(pairs.ratio > -np.inf, np.maximum(pairs.p, privacy.SMALLEST), 0)
    q = np.where(infinite | (pairs.q <= privacy.SMALLEST), 0, pairs.q)
    order = np.argsort(-height, axis=1, kind="stable")
    height, p, q = (np.take_along_axis(part, order, axis=1) for part in (height, p, q))
    lines = []
    for each, mass, other in zip(height, p, q, strict=True):
        if np.array_equal(mass, other):
            continue
        kept = int(np.searchsorted(-each, -(1 - 2 * SLACK), side="right"))
        one, two = (np.concatenate([[0.0], np.cumsum(part[:kept])]) for part in (mass, other))
        lines.append(Line(each[:kept], one, two, len(each)))
    return lines


def _variance(line: Line) -> float:
    finite = np.isfinite(line.heights)
    squares = np.log(np.maximum(line.heights[finite], 1)) ** 2
    return float(((np.diff(line.p) + np.diff(line.q))[finite] * squares).sum())

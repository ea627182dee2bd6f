"""What many rows of one person cost in one grouping: group privacy, with the best split of the ratio among the rows.

A person with k rows is added by k steps of one row. Every step changes one cell of a grouping by 1, whichever cell the
row is in. So one bound holds for all ways in which the rows fall into cells, and it needs H, the profile of one row,
and nothing else. Let P_0, ..., P_k be the distributions of all cells of the grouping after 0, ..., k rows. For every
set S of outputs and every ratio a

    P_i(S) <= a P_(i-1)(S) + H(a),

because H is the largest excess over all neighbours, in both directions. Call (a, v) a line of m rows if P_(i+m)(S) <=
a P_i(S) + v for every S and i. Then

    one row        (a, H(a)) is a line for every a;
    mirrored       if (a, v) is a line, (1/a, 1 - (1 - v)/a) is one: take the complement of S, and go the way back;
    composed       if (a, v) is a line of m rows and (b, w) a line of n rows, (a b, b v + w) is a line of m + n rows;
    raised         a line with a larger ratio or a larger value is a line, because P_i(S) >= 0;
    idle           a step that changes nothing keeps every line of one row, because H(a) >= 1 - a.

So a line (a, v) of k rows says that up to k rows cost delta <= v at a = e**epsilon: fewer rows have idle steps. With
one ratio e**epsilon for all rows, this is the well-known rule: k epsilon, and delta (e**(k epsilon) - 1) / (e**epsilon
- 1). The best ratios differ from row to row. `group_profile` follows the chance alpha of an event. From a start alpha,
it takes for every row the line that is lowest at alpha, and goes on from the height of the line. So it finds the least
value for the product of the ratios; Dong, Roth and Su (2022, Theorem 2.14) state it with trade-off functions. By
squaring, k rows take log2(k) steps. Every choice of lines gives a valid bound, so a missing start or a rounded alpha
can only make the bound larger.

**When the bound is exact.** Let the noise be log-concave, the same for all counts (geometric noise, bells). Then the
best event of every step is a tail {y >= t}, and every step leads from one tail to another. The bound is the profile of
counts that differ by k, all rows in one cell, which occurs. So no other split of the rows over cells costs more, and
the maximum over all partitions of k is computed without a single partition. Rounding to integers leaves noise
log-concave but for the last bits. For noise that is not log-concave (staircases), the bound may be far above the cost.

Only sums, products and quotients of floats are used, each rounded up, so that every machine finds the same lines.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.account.dominating_pair import LARGEST_LOSS, ULP, Pair
from discreet.account.privacy_profile import Source, counts_mechanism
from discreet.arrays import Floats
from discreet.assess import privacy

MOST_RATIOS = 1 << 13
"""Ratios of one row that are used as lines."""

GRID = 1 << 11
"""Starts on each side of 1/2, in equal steps of the logarithm, besides one start for each line of one row."""

APART = 1e-8
"""Of ratios that are nearer than this, one is enough: others change the bound in its eighth digit."""

LEAST_START = 1e-30

LONGEST_ORBIT = 1 << 12


@dataclass(frozen=True, eq=False)
class GroupProfile:
    """An upper bound of the profile of many rows: delta as a function of a = e**epsilon; immutable.

    Attributes
    ----------
    ratios
        Ratios a, rising from 1.
    values
        The bound of delta at every ratio, falling. Between two ratios the bound is a line in a, because every profile
        is convex in a.
    """

    ratios: Floats
    values: Floats

    def delta(self, epsilons: npt.ArrayLike) -> Floats:
        """Return an upper bound of delta at every epsilon >= 0."""
        x = np.minimum(np.asarray(epsilons, dtype=np.float64), LARGEST_LOSS + 1)
        a = np.maximum(np.exp(x) * (1 - (x + 4) * ULP), 1)
        if len(self.ratios) == 1:
            return np.full_like(a, self.values[0])
        left = np.clip(np.searchsorted(self.ratios, a, side="right") - 1, 0, len(self.ratios) - 2)
        low, high = self.ratios[left], self.ratios[left + 1]
        share = np.clip((a - low) / (high - low) * (1 - 8 * ULP), 0, 1)
        return np.minimum((self.values[left] * (1 - share) + self.values[left + 1] * share) * (1 + 8 * ULP), 1)

    @property
    def floor(self) -> float:
        """Delta is bounded by this however large epsilon is."""
        return float(self.values[-1])

    @cached_property
    def largest(self) -> float:
        """From this epsilon on, the bound is the floor."""
        return math.log(self.ratios[-1]) * (1 + 4 * ULP) + 4 * ULP

    @cached_property
    def losses(self) -> tuple[Floats, Floats]:
        """Losses above 0 where the bound has an edge, and about the mass on each."""
        slopes = -np.diff(self.values) / np.diff(self.ratios)
        edges = np.maximum(slopes - np.append(slopes[1:], 0.0), 0) * self.ratios[1:]
        return np.log(self.ratios[1:]), edges

    @cached_property
    def variance(self) -> float:
        """About the variance of the loss."""
        return self.pair(self.largest / 4096).variance if self.largest else 0.0

    def pair(self, step: float) -> Pair:
        """Return a pair on a lattice whose profile is nowhere below the bound."""
        knots = min(int(self.largest / step) + 3, int(LARGEST_LOSS / step) + 1)
        return Pair.of(step, self.delta(step * np.arange(knots)))


@dataclass(frozen=True, eq=False)
class _Lines:
    """Lines, each found at a start. The starts rise, so the ratios fall."""

    starts: Floats
    ratios: Floats
    values: Floats

    def lowest(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Return for every alpha the lower one of the two lines whose starts are beside alpha."""
        right = np.clip(np.searchsorted(self.starts, alpha), 1, len(self.starts) - 1)
        left = right - 1
        with np.errstate(over="ignore", invalid="ignore"):
            is_left = _at(self.ratios[left], self.values[left], alpha) < _at(
                self.ratios[right], self.values[right], alpha
            )
        index = np.where(is_left, left, right)
        return self.ratios[index], self.values[index]

    def then(self, other: "_Lines") -> "_Lines":
        """Return lines of the rows of both, at the same starts."""
        with np.errstate(over="ignore", invalid="ignore"):
            reached = np.minimum(_at(self.ratios, self.values, self.starts), 1)
            ratios, values = other.lowest(reached)
            return _Lines(
                self.starts,
                self.ratios * ratios * (1 + 2 * ULP),
                (ratios * self.values * (1 + ULP) + values) * (1 + 2 * ULP),
            )


def _at(ratios: Floats, values: Floats, alpha: Floats) -> Floats:
    return np.where(alpha > 0, ratios * alpha, 0.0) + values


def group_profile(source: Source, rows: int) -> GroupProfile:
    """Return an upper bound of the profile of up to `rows` rows of one person, in one grouping.

    Parameters
    ----------
    source
        A mechanism on counts, a PTable or its integer table.
    rows
        Most rows of one person.

    Returns
    -------
    GroupProfile
        Upper bounds of delta at every epsilon.

    Raises
    ------
    ParameterError
        The source has no profile, or is on a cycle.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.account.group_privacy import group_profile
    >>> table = dc.design.geometric(epsilon="0.01", support=3000).certify(bits=62)
    >>> bound, all_in_one_cell = group_profile(table, 50), dc.account.profile(table, 50)
    >>> [f"{curve.delta(0.4):.6f}" for curve in (bound, all_in_one_cell)]
    ['0.048771', '0.048771']
    """
    lines = _one_row(source, rows)
    result = None
    while True:
        if rows & 1:
            result = lines if result is None else result.then(lines)
        rows >>= 1
        if not rows:
            break
        lines = lines.then(lines)
    assert result is not None
    return _profile(result)


@dataclass(frozen=True, eq=False)
class _Excess:
    """The sum of max(0, p - a q) of one pair of neighbours, as a function of a; rounded up.

    With the ratios r = p/q sorted downwards, the sum at a is the sum at the next larger ratio r_k plus (r_k - a) times
    the sum of q up to k. All terms are positive, so nothing cancels. A ratio is raised by its rounding error.
    """

    ratios: Floats
    sums: Floats
    q: Floats

    @classmethod
    def of(cls, p: Floats, q: Floats, ratio: Floats, height: Floats) -> "_Excess":
        possible = ratio > -np.inf
        infinite = possible & ((ratio > LARGEST_LOSS) | (q <= privacy.SMALLEST))
        finite = possible & ~infinite & (ratio > -1)
        heights = np.where(p <= privacy.SMALLEST, height * (1 + 2.0**-32), height * (1 + 8 * ULP))
        order = np.argsort(-heights[finite], kind="stable")
        ratios, masses = heights[finite][order], np.cumsum(q[finite][order])
        error = 1 + (2 * len(p) + 16) * ULP
        never = float(np.maximum(p[infinite], privacy.SMALLEST).sum())
        falls = -np.diff(ratios) * masses[:-1]
        return cls(ratios, np.cumsum(np.concatenate([[never], falls])) * error, masses * error)

    def at(self, a: Floats) -> Floats:
        """Return the sum at every a, which is at least the last ratio."""
        if not len(self.ratios):
            return np.full_like(a, self.sums[0])
        index = np.searchsorted(-self.ratios, -a, side="right") - 1
        rise = np.where(index >= 0, (self.ratios[index] - a) * self.q[index], 0.0)
        return np.minimum((self.sums[np.maximum(index, 0)] + rise) * (1 + 4 * ULP), 1)


def _one_row(source: Source, rows: int) -> _Lines:
    """Return the lines of one row: at the ratios p/q of all outputs of all neighbours, and mirrored."""
    pairs = [
        _Excess.of(*line)
        for block in privacy.neighbours(counts_mechanism(source), 1)
        for line in zip(*block, strict=True)
    ]
    ratios = np.unique(np.concatenate([[1.0], *(pair.ratios[pair.ratios > 1] for pair in pairs)]))[::-1]
    apart = np.floor(ratios / APART)
    first = np.concatenate([[True], np.diff(apart) < 0]) & (apart > apart[-1])
    ratios = np.append(ratios[first], 1.0)
    if len(ratios) > MOST_RATIOS:
        ratios = ratios[np.unique(np.linspace(0, len(ratios) - 1, MOST_RATIOS).round().astype(np.int64))]
    values = np.zeros_like(ratios)
    for pair in pairs:
        values = np.maximum(values, pair.at(ratios))
    above = ratios[-2::-1]
    back = (values[-2::-1] + (above - 1)) / above * (1 + 4 * ULP)
    ratios, values = np.concatenate([ratios, 1 / above * (1 + ULP)]), np.concatenate([values, back])
    return _with_starts(ratios, values, min(rows, LONGEST_ORBIT))


def _with_starts(ratios: Floats, values: Floats, rows: int) -> _Lines:
    """Return lines at starts: alpha = 0, one in every segment of the lowest lines, a grid, and an orbit.

    Every row of geometric noise takes a chance from one segment of the bound of all rows to the next. So the chances
    that follow from one in the middle, and their complements, meet all segments.
    """
    if len(ratios) == 1:
        return _Lines(np.array([0.0, 1.0]), np.repeat(ratios, 2), np.repeat(values, 2))
    crossings = np.maximum.accumulate(np.maximum(np.diff(values) / -np.diff(ratios), 0))
    ends = np.concatenate([[0.0], np.minimum(crossings, 1), [1.0]])
    index = np.arange(len(ratios))
    inside = (ends[:-1] + ends[1:]) / 2
    grid = np.array([0.5 * (2 * LEAST_START) ** (step / GRID) for step in range(GRID + 1)])
    middle = max(int(np.searchsorted(-ratios, -1.0)) - 1, 0)
    corner = float(ends[middle + 1])
    orbit = [min((corner + float(ratios[middle]) * corner + float(values[middle])) / 2, 1.0)]
    for _ in range(rows):
        lowest = min(int(np.searchsorted(crossings, orbit[-1], side="right")), len(ratios) - 1)
        orbit.append(min(float(ratios[lowest]) * orbit[-1] + float(values[lowest]), 1.0))
        if orbit[-1] == 1:
            break
    orbits = np.array(orbit)
    more = np.concatenate([[0.0], grid, 1 - grid, orbits, 1 - orbits])
    starts = np.concatenate([inside, more])
    chosen = np.concatenate([index, np.minimum(np.searchsorted(crossings, more, side="right"), len(ratios) - 1)])
    starts, first = np.unique(starts, return_index=True)
    return _Lines(starts, ratios[chosen[first]], values[chosen[first]])


def _profile(lines: _Lines) -> GroupProfile:
    """Return the bound that lines give: a line with a smaller ratio and a smaller value holds at every larger ratio."""
    usable = np.isfinite(lines.values) & (lines.ratios < math.exp(LARGEST_LOSS))
    order = np.lexsort((lines.values[usable], lines.ratios[usable]))
    ratios = lines.ratios[usable][order]
    values = np.minimum.accumulate(np.minimum(lines.values[usable][order], 1.0))
    first = np.flatnonzero(np.diff(ratios, prepend=0.0) > 0)
    ratios, values = np.insert(ratios[first], 0, 0.0), np.insert(values[first], 0, 1.0)  # nothing exceeds 1 at a = 0
    at_one = min(float(np.interp(1.0, ratios, values)) * (1 + 8 * ULP), 1.0)
    above = ratios > 1
    return GroupProfile(np.insert(ratios[above], 0, 1.0), np.insert(values[above], 0, at_one))

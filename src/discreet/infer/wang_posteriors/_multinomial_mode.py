"""The rows of algorithm 3: the noisy components that the mode of a multinomial may come from.

Let b be the noisy components, negative ones replaced by 0, and k the released counts. Seats go to the largest
b_i / (m + 1). The last seat was given at the quotient

    lambda = min b_i / k_i  over k_i > 0,     so    lambda k_i <= b_i <= lambda (k_i + 1)   for all i.

Given lambda the components are independent. Components with b_i = lambda k_i won a seat at lambda. Components with
b_i = lambda (k_i + 1) had a claim to a seat at lambda, and lost. A row is one rational lambda = b_p / k_p and

"first"   the last winner p: components before p do not lose, those after p do not win ("last": the other way round);
"random"  the priority t of the winner p that comes last, priorities being uniform: another winner has chance 1 - t
          and a loser t. The product is a polynomial in t of a degree below the number of components that can be tied,
          and Gauss' rule integrates it exactly, with positive weights. Which component is p is left open: p is a mark
          (`_coupled`).

b_i = 0 stands for every noisy value up to 0, so it has alpha**x / (1 - alpha) where other values have alpha**|x - b|.
If all components are 0 the proportions are equal: one more row.

**Far rows.** A tilt of t = epsilon/2 bounds the rows of all lambda beyond those that are taken. Let M be the sum of
alpha**|e| exp(t e) over all e. Noisy values add up to at least lambda N, and at most lambda (N + S). An interval has at
most lambda + 1 integers, and over all integers from its lower end on exp(-t b) sums to D = 1/(1 - exp(-t)) times the
first term. Below lambda <= 1 the rows together add less than S D (2 M)**S exp(-t (N - lambda (N + S))). Above
lambda >= 1 they add less than S D (D M)**S exp(-t N (lambda - 1)) and, as log((lambda + 1)/2) <= (lambda - 1)/2, less
than the same with 2 for the D in the power and t - S/(2 N) for t. Each component released as 0 adds a factor
1/(1 - alpha). Rows are taken as far as these bounds are above CUT of a single row, b = k.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.infer.wang_posteriors._coupled import (
    CUT,
    Part,
    Row,
    marginal_posteriors,
    mark_factor,
    noise,
    reach,
    trim,
)

TILT_GRIDS = ((16, 12), (64, 63), (1024, 1023))
"""The number of steps in epsilon, and the largest tilt in steps: the coarsest grid first."""

SMALLEST_VARIANCE = 1e-300
"""Stands for a variance of 0."""

SPARE = 20.0
"""Rows with a bound below exp(-SPARE) CUT of the row b = k are left out. There are fewer than exp(SPARE) of them."""


class Shape(NamedTuple):
    """Noisy values low, low + 1, ... low + width. Their weights are 1, except `first` and `last` at the ends.

    A `low` beyond the reach of the noise is replaced by the reach. The count 0 is then far away, so all these shapes
    look alike.
    """

    low: int
    width: int
    first: float = 1.0
    last: float = 1.0


class ShapeDistribution(NamedTuple):
    """The tilted distribution of a true count, given the shape of its noisy value.

    Attributes
    ----------
    probabilities
        Probabilities of consecutive values.
    start
        The least value, minus the least noisy value.
    log_mass
        The logarithm of the sum of the weights, tilted from the least noisy value on.
    mean, variance
        Of the distribution; the mean counts from the least noisy value.
    mark
        The weights if the noisy value is the least one and has weight 1, as for the winner p. None if it cannot be.
    """

    probabilities: Floats
    start: int
    log_mass: float
    mean: float
    variance: float
    mark: Floats | None


class Group(NamedTuple):
    """Components whose noisy values have the same shape, and their least noisy values."""

    shape: Shape
    members: Integers
    lows: Integers


class NoisyRanges(NamedTuple):
    """What lambda = noisy / k leaves possible: least and largest noisy values, who may have won, who may have lost."""

    noisy: int
    low: Any
    high: Any
    wins: Any
    loses: Any


class Tilter:
    """Makes rows of groups, with the tilt of the least bound. This tilt brings the mean of the sum near the total.

    Tilts are multiples of epsilon / steps, up to `largest` steps, so that distributions can be used again. Noise with a
    tilt near epsilon reaches far down. Only a table of many small counts needs such a tilt, and the tilt of its row
    b = k shows it.
    """

    def __init__(self, released: Integers, epsilon: float) -> None:
        self.total, self.epsilon = int(released.sum()), epsilon
        for self.steps, self.largest in TILT_GRIDS:
            self.distribution, self.pieces = cache(self._distribution), cache(self._pieces)
            self.reach = reach(epsilon * (1 - self.largest / self.steps))
            self.unperturbed_row = self.row(_groups(released, released, self))
            if self.unperturbed_row.tilt < epsilon * (2 * self.largest / self.steps - 1):
                break

    def row(self, groups: list[Group], log_weight: float | None = None, near: Row | None = None) -> Row:
        """Return the row of these groups. One component is marked if a weight is given.

        The search for the tilt starts from the tilt of `near`.
        """
        step, bound = self._best_step(groups, 0 if near is None else round(near.tilt / self.epsilon * self.steps))
        marked = log_weight is not None
        by_shape: dict[Shape, list[Group]] = {}
        for group, shape in zip(groups, self._shapes(groups, step), strict=True):
            by_shape.setdefault(shape, []).append(group)
        parts = []
        for shape, alike in by_shape.items():
            distribution = self.distribution(shape, step / self.steps)
            members = np.concatenate([group.members for group in alike])
            starts = np.concatenate([group.lows for group in alike]) + distribution.start
            mark = distribution.mark if marked else None
            parts.append(Part(distribution.probabilities, members, starts, mark))
        log_bound = bound + (log_weight or 0.0) + math.log(mark_factor(parts))
        return Row(log_bound, step / self.steps * self.epsilon, tuple(parts), marked)

    def _best_step(self, groups: list[Group], step: int) -> tuple[int, float]:
        """Return the tilt of the least bound, in steps, and the logarithm of that bound. Search from `step` on."""
        low = sum(int(group.lows.sum()) for group in groups)
        sizes = [len(group.members) for group in groups]
        below, above = -self.largest - 1, self.largest + 1
        best_bound = math.inf
        while above - below > 1:
            distributions = [self.distribution(shape, step / self.steps) for shape in self._shapes(groups, step)]
            sized = list(zip(sizes, distributions, strict=True))
            mean = low + sum(size * distribution.mean for size, distribution in sized)
            variance = sum(size * distribution.variance for size, distribution in sized)
            log_mass = sum(size * distribution.log_mass for size, distribution in sized)
            bound = log_mass + step / self.steps * self.epsilon * (self.total - low)
            if bound < best_bound:
                best_bound, best_step = bound, step
            below, above = (step, above) if mean > self.total else (below, step)
            newton = step + (mean - self.total) / max(variance, SMALLEST_VARIANCE) / self.epsilon * self.steps
            if abs(newton - step) <= 0.5:
                break
            step = round(min(max(newton, below + 1), above - 1))
        return best_step, best_bound

    def _shapes(self, groups: list[Group], step: int) -> list[Shape]:
        """Return the shapes of groups. Shapes that noise of this tilt does not bring to 0 become equal."""
        far = reach(self.epsilon * (1 - step / self.steps))
        return [group.shape._replace(low=far) if group.shape.low > far else group.shape for group in groups]

    def _distribution(self, shape: Shape, tilt: float) -> ShapeDistribution:
        """Return the distribution of a shape. The tilt is a part of epsilon."""
        middle, least, most, start = self.pieces(shape.low, shape.width, tilt)
        first, last = (shape.first, shape.last) if shape.width else (shape.first * shape.last, 0.0)
        weights = middle + first * least + last * most
        mass = float(weights.sum())
        mark = None
        if shape.first < 1:
            kept, cut = trim((weights + least) / mass)
            probabilities, mark = weights[cut : cut + len(kept)] / mass, least[cut : cut + len(kept)] / mass
        else:
            probabilities, cut = trim(weights / mass)
        start += cut
        values = np.arange(start, start + len(probabilities), dtype=np.float64)
        mean = float((values * probabilities).sum())
        variance = float(((values - mean) ** 2 * probabilities).sum())
        return ShapeDistribution(probabilities, start, math.log(mass), mean, variance, mark)

    def _pieces(self, low: int, width: int, tilt: float) -> tuple[Floats, Floats, Floats, int]:
        """Return the weights that the noisy values between the ends, the least and the largest add, and their start."""
        tilt *= self.epsilon
        errors, start = noise(self.epsilon, tilt, low + width)
        ends = np.zeros((2, width + len(errors)))
        ends[0, : len(errors)] = errors if low else errors / -math.expm1(-self.epsilon)
        ends[1, width:] = errors * math.exp(-tilt * width)
        weights = np.exp(-tilt * np.arange(width + 1))
        weights[[0, -1]] = 0.0
        pieces = np.vstack([np.convolve(weights, errors), ends])
        if low < self.reach:
            cut, start = max(-low - start, 0), max(start, -low)
            pieces = pieces[:, cut:]
        return pieces[0], pieces[1], pieces[2], start


def mode_rows(released: Integers, epsilon: float, ties: str) -> list[Row]:
    """Return all rows that matter, for a total above 0. `ties` is "first", "last" or "random"."""
    if ties == "last":
        return [_mirrored(row, len(released)) for row in mode_rows(released[::-1], epsilon, "first")]
    tilter = Tilter(released, epsilon)
    log_known = marginal_posteriors([tilter.unperturbed_row], tilter.total, epsilon)[2]
    lowest, highest = _lambda_range(released, log_known, tilter)
    rows = _random_rows if ties == "random" else _first_rows
    floor = log_known + math.log(CUT) - SPARE
    zeros = (row for row in _all_zero_rows(released, ties, tilter) if row.log_bound > floor)
    return [*rows(released, lowest, highest, floor, tilter), *zeros]


def _mirrored(row: Row, count: int) -> Row:
    return replace(row, parts=tuple(replace(part, members=count - 1 - part.members) for part in row.parts))


def _lambda_range(released: Integers, log_known: float, tilter: Tilter) -> tuple[float, float]:
    """Return the range in which lambda is followed, given the logarithm of a lower bound of the sum of all rows."""
    total, count, half = tilter.total, len(released), tilter.epsilon / 2
    mass = -1 / math.expm1(-3 * half) - 1 / math.expm1(-half) - 1
    zeros = -math.log(-math.expm1(-tilter.epsilon)) * int((released == 0).sum())

    def distance(values: float, rate: float) -> float:
        rows = count / -math.expm1(-rate) / CUT
        return (math.log(rows) + count * math.log(mass * values) + zeros - log_known) / rate

    above = distance(-1 / math.expm1(-half), half)
    if half * total > count:
        above = min(above, distance(2, half - count / (2 * total)))
    return (total - distance(2, half)) / (total + count), 1 + above / total


def _groups(low: Any, high: Any, tilter: Tilter, wins: Any = False, loses: Any = False) -> list[Group]:
    """Return components grouped by shape.

    The least noisy value of a possible winner, and the largest of a possible loser, has weight 0 (see `_weighted`).
    """
    by_shape: dict[Shape, list[int]] = {}
    end_weights = (np.where(np.broadcast_to(tied, len(low)), 0.0, 1.0).tolist() for tied in (wins, loses))
    for component, (a, b, *weights) in enumerate(zip(low.tolist(), high.tolist(), *end_weights, strict=True)):
        by_shape.setdefault(Shape(min(a, tilter.reach), b - a, *weights), []).append(component)
    return [Group(shape, np.array(members), low[members].astype(np.int64)) for shape, members in by_shape.items()]


def _noisy_ranges(released: Integers, component: int, lowest: float, highest: float) -> Iterator[NoisyRanges]:
    """Yield the noisy ranges for every lambda = b / k of one component."""
    own = int(released[component])
    first, last = max(1, math.floor(lowest * own)), math.ceil(highest * own)
    wide = (int(released.max()) + 1) * (last + 1) >= 2**62
    counts = released.astype(object) if wide else released
    for noisy in range(first, last + 1):
        low, high = -(-noisy * counts // own), noisy * (counts + 1) // own
        wins = (low * own == noisy * counts) & (released > 0)
        loses = high * own == noisy * (counts + 1)
        if (low <= high).all():
            yield NoisyRanges(noisy, low, high, wins, loses)


def _first_rows(released: Integers, lowest: float, highest: float, floor: float, tilter: Tilter) -> Iterator[Row]:
    """Yield the rows of every lambda and every last winner, for ties that the first component wins."""
    components = np.arange(len(released))
    near = None
    for winner in np.flatnonzero(released).tolist():
        for noisy, low, high, wins, loses in _noisy_ranges(released, winner, lowest, highest):
            low, high = low + (wins & (components > winner)), high - (loses & (components < winner))
            high[winner] = noisy
            if (low <= high).all():
                near = tilter.row(_groups(low, high, tilter), near=near)
                if near.log_bound > floor:
                    yield near


def _random_rows(released: Integers, lowest: float, highest: float, floor: float, tilter: Tilter) -> Iterator[Row]:
    """Yield the rows of every lambda and every node of Gauss' rule, for ties that are decided at random.

    The bound of all rows of one lambda is the bound of its row with ties ignored. It says which lambda to leave out.
    """
    by_lambda: dict[Fraction, tuple[Row, list[Group], int]] = {}
    near = None
    for count, component in zip(*np.unique(released, return_index=True), strict=True):
        for ranges in _noisy_ranges(released, int(component), lowest, highest) if count else ():
            ratio = Fraction(ranges.noisy, int(count))
            if ratio not in by_lambda:
                groups = _groups(ranges.low, ranges.high, tilter, ranges.wins, ranges.loses)
                near = tilter.row(_weighted(groups, 1.0, 1.0), near=near)
                by_lambda[ratio] = near, groups, int((ranges.wins | ranges.loses).sum())
    increasing = sorted(by_lambda.values(), key=lambda entry: entry[0].log_bound)
    sums = np.cumsum(np.exp([min(row.log_bound - floor - SPARE, 0.0) for row, _, _ in increasing]))
    for near, groups, tied in increasing[int(sums.searchsorted(1.0)) :]:
        for node, weight in _gauss_rule((tied + 1) // 2):
            near = tilter.row(_weighted(groups, (1 - node) / 2, (1 + node) / 2), math.log(weight / 2), near)
            yield near


def _weighted(groups: list[Group], won: float, lost: float) -> list[Group]:
    """Return groups with the weights of winners and losers in place of the zeros at the ends of their shapes."""
    return [
        group._replace(shape=group.shape._replace(first=group.shape.first or won, last=group.shape.last or lost))
        for group in groups
    ]


@cache
def _gauss_rule(size: int) -> list[tuple[float, float]]:
    """Return nodes and weights of Gauss' rule."""
    nodes, weights = np.polynomial.legendre.leggauss(size)
    return list(zip(nodes.tolist(), weights.tolist(), strict=True))


def _all_zero_rows(released: Integers, ties: str, tilter: Tilter) -> list[Row]:
    """Return the row of no noisy component above 0, if equal proportions can give the released counts."""
    share, extra = divmod(int(released.sum()), len(released))
    if ties == "first":
        chance = float(np.array_equal(released, share + (np.arange(len(released)) < extra)))
    else:
        possible = ((released == share) | (released == share + 1)).all()
        chance = 1 / math.comb(len(released), extra) if possible else 0.0
    zeros = np.zeros_like(released)
    row = tilter.row(_groups(zeros, zeros, tilter))
    return [replace(row, log_bound=row.log_bound + math.log(chance))] if chance else []

"""The rows of algorithm 3: what noisy components the mode of a multinomial may come from.

Let b be the noisy components, negative ones replaced by 0, and k the released counts. Seats go to the largest
b_i / (m + 1), and the last one was given at the quotient

    lambda = min b_i / k_i  over k_i > 0,     so that    lambda k_i <= b_i <= lambda (k_i + 1)   for all i.

Given lambda the components are independent. Those with b_i = lambda k_i won a seat at lambda, those with
b_i = lambda (k_i + 1) wanted one and lost. A row is one rational lambda = b_p / k_p and

"first"   the last winner p: components before it do not lose, those after it do not win ("last": the other way round);
"random"  the priority t of the winner p that comes last, priorities being uniform: another winner has chance 1 - t
          and a loser t. That is a polynomial in t of a degree below the number of components that can be tied, and
          Gauss' rule integrates it exactly, with positive weights. Who is p is left open: it is a mark (`coupled`).

b_i = 0 stands for every noisy value up to 0, so it has alpha**x / (1 - alpha) where others have alpha**|x - b|. If all
are 0 the proportions are equal: one row more.

**Far rows.** A tilt of t = epsilon/2 bounds the rows of all lambda beyond those that are taken. Let M be the sum of
alpha**|e| exp(t e) over all e. Noisy values add up to at least lambda N, and at most lambda (N + S); an interval has at
most lambda + 1 integers, and over all integers from its lower end on exp(-t b) sums to D = 1/(1 - exp(-t)) times the
first. Below lambda <= 1 the rows add less than S D (2 M)**S exp(-t (N - lambda (N + S))) together, above lambda >= 1
less than S D (D M)**S exp(-t N (lambda - 1)) and, as log((lambda + 1)/2) <= (lambda - 1)/2, less than the same with 2
for the D in the power and t - S/(2 N) for t. Each component released as 0 adds a factor 1/(1 - alpha). Rows are taken
as far as these bounds are above CUT of a single row, b = k.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.infer.wang_posteriors._coupled import CUT, Part, Row, laws, noise, reach, trim, units

GRIDS = ((16, 12), (64, 63), (1024, 1023))
"""Tilts are multiples of epsilon / 16 up to 12 of them; or finer, and nearer to epsilon."""


SMALLEST = 1e-300
"""Stands for a variance of 0."""

SPARE = 20.0
"""Rows with a bound below exp(-SPARE) CUT of the row b = k are left out; there are fewer than exp(SPARE) of them."""


class Shape(NamedTuple):
    """Noisy values low, low + 1, ... low + width, each of weight 1 but for those at the ends.

    A `low` beyond the reach of the noise is that reach: where no count of 0 is near, all look alike.
    """

    low: int
    width: int
    first: float = 1.0
    last: float = 1.0


class Law(NamedTuple):
    """The tilted law of a count given what its noisy value may be.

    `start` is its least value less the least noisy value, `mean` counts from there, `log_mass` is the logarithm of the
    sum of the weights, tilted from the least noisy value. `mark` has the weights where the noisy value is the least one
    and has weight 1: that of the winner p.
    """

    law: Floats
    start: int
    log_mass: float
    mean: float
    variance: float
    mark: Floats | None


class Group(NamedTuple):
    """Components whose noisy values have one shape, and their least noisy values."""

    shape: Shape
    members: Integers
    lows: Integers


class Intervals(NamedTuple):
    """What lambda = noisy / k leaves: the least and largest noisy values, who may have won and who may have lost."""

    noisy: int
    low: Any
    high: Any
    wins: Any
    loses: Any


class Tilter:
    """Makes rows of groups, with the tilt of the least bound, which brings the mean of the sum near the total.

    Tilts are multiples of epsilon / steps, so that laws can be used again, up to largest / steps of epsilon. Noise
    with a tilt near epsilon reaches far down; only a table of many small counts needs it, and is known by the tilt of
    its row b = k.
    """

    def __init__(self, released: Integers, epsilon: float) -> None:
        self.total, self.epsilon = int(released.sum()), epsilon
        for self.steps, self.largest in GRIDS:
            self.law, self.pieces = cache(self._law), cache(self._pieces)
            self.reach = reach(epsilon * (1 - self.largest / self.steps))
            self.plain = self.row(_groups(released, released, self))
            if self.plain.tilt < epsilon * (2 * self.largest / self.steps - 1):
                break

    def row(self, groups: list[Group], log_weight: float | None = None, near: Row | None = None) -> Row:
        """The row of these groups; one component is marked where a weight is given.

        The search for its tilt starts from that of `near`.
        """
        low = sum(int(group.lows.sum()) for group in groups)
        sizes = [len(group.members) for group in groups]
        step = 0 if near is None else round(near.tilt / self.epsilon * self.steps)
        below, above = -self.largest - 1, self.largest + 1
        best = math.inf
        while above - below > 1:
            shapes = self._seen(groups, step)
            laws = [self.law(shape, step / self.steps) for shape in shapes]
            mean = low + sum(size * law.mean for size, law in zip(sizes, laws, strict=True))
            variance = sum(size * law.variance for size, law in zip(sizes, laws, strict=True))
            tilt = step / self.steps * self.epsilon
            bound = sum(size * law.log_mass for size, law in zip(sizes, laws, strict=True)) + tilt * (self.total - low)
            if bound < best:
                best, chosen, found = bound, tilt, list(zip(shapes, laws, strict=True))
            below, above = (step, above) if mean > self.total else (below, step)
            newton = step + (mean - self.total) / max(variance, SMALLEST) / self.epsilon * self.steps
            if abs(newton - step) <= 0.5:
                break
            step = round(min(max(newton, below + 1), above - 1))
        marked = log_weight is not None
        alike: dict[Shape, list[Group]] = {}
        for group, (shape, _) in zip(groups, found, strict=True):
            alike.setdefault(shape, []).append(group)
        parts = tuple(
            Part(
                law.law,
                np.concatenate([group.members for group in alike[shape]]),
                np.concatenate([group.lows for group in alike[shape]]) + law.start,
                law.mark if marked else None,
            )
            for shape, law in dict(found).items()
        )
        return Row(best + (log_weight or 0.0) + math.log(units(parts)), chosen, parts, marked)

    def _seen(self, groups: list[Group], step: int) -> list[Shape]:
        """Shapes as the noise of a tilt sees them: those it does not bring to 0 are alike."""
        far = reach(self.epsilon * (1 - step / self.steps))
        return [group.shape._replace(low=far) if group.shape.low > far else group.shape for group in groups]

    def _law(self, shape: Shape, part: float) -> Law:
        middle, least, most, start = self.pieces(shape.low, shape.width, part)
        first, last = (shape.first, shape.last) if shape.width else (shape.first * shape.last, 0.0)
        law = middle + first * least + last * most
        mass = float(law.sum())
        mark = None
        if shape.first < 1:
            kept, cut = trim((law + least) / mass)
            law, mark = law[cut : cut + len(kept)] / mass, least[cut : cut + len(kept)] / mass
        else:
            law, cut = trim(law / mass)
        start += cut
        places = np.arange(start, start + len(law), dtype=np.float64)
        mean = float((places * law).sum())
        return Law(law, start, math.log(mass), mean, float(((places - mean) ** 2 * law).sum()), mark)

    def _pieces(self, low: int, width: int, part: float) -> tuple[Floats, Floats, Floats, int]:
        """What the noisy values between the ends, the least and the largest add to a law, and where it starts."""
        tilt = part * self.epsilon
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


def rows(released: Integers, epsilon: float, ties: str) -> list[Row]:
    """All rows that matter, for a total above 0; `ties` is "first", "last" or "random"."""
    if ties == "last":
        return [_mirrored(row, len(released)) for row in rows(released[::-1], epsilon, "first")]
    tilter = Tilter(released, epsilon)
    known = laws([tilter.plain], tilter.total, epsilon)[2]
    lowest, highest = _range(released, known, tilter)
    make = _random if ties == "random" else _first
    floor = known + math.log(CUT) - SPARE
    zeros = (row for row in _zeros(released, ties, tilter) if row.log_bound > floor)
    return [*make(released, lowest, highest, floor, tilter), *zeros]


def _mirrored(row: Row, count: int) -> Row:
    return replace(row, parts=tuple(replace(part, members=count - 1 - part.members) for part in row.parts))


def _range(released: Integers, known: float, tilter: Tilter) -> tuple[float, float]:
    """Between which values lambda is followed, given the logarithm of what is known to be there."""
    total, count, half = tilter.total, len(released), tilter.epsilon / 2
    mass = -1 / math.expm1(-3 * half) - 1 / math.expm1(-half) - 1
    zeros = -math.log(-math.expm1(-tilter.epsilon)) * int((released == 0).sum())

    def distance(values: float, rate: float) -> float:
        rows = count / -math.expm1(-rate) / CUT
        return (math.log(rows) + count * math.log(mass * values) + zeros - known) / rate

    above = distance(-1 / math.expm1(-half), half)
    if half * total > count:
        above = min(above, distance(2, half - count / (2 * total)))
    return (total - distance(2, half)) / (total + count), 1 + above / total


def _groups(low: Any, high: Any, tilter: Tilter, wins: Any = False, loses: Any = False) -> list[Group]:
    """Components of one shape together; who may have won has 0 for the weight of the least noisy value, who may have
    lost for that of the largest.
    """
    found: dict[Shape, list[int]] = {}
    ends = (np.where(np.broadcast_to(each, len(low)), 0.0, 1.0).tolist() for each in (wins, loses))
    for place, (a, b, *weights) in enumerate(zip(low.tolist(), high.tolist(), *ends, strict=True)):
        found.setdefault(Shape(min(a, tilter.reach), b - a, *weights), []).append(place)
    return [Group(shape, np.array(places), low[places].astype(np.int64)) for shape, places in found.items()]


def _intervals(released: Integers, place: int, lowest: float, highest: float) -> Iterator[Intervals]:
    """For every lambda = b / k of one component."""
    own = int(released[place])
    first, last = max(1, math.floor(lowest * own)), math.ceil(highest * own)
    wide = (int(released.max()) + 1) * (last + 1) >= 2**62
    counts = released.astype(object) if wide else released
    for noisy in range(first, last + 1):
        low, high = -(-noisy * counts // own), noisy * (counts + 1) // own
        wins = (low * own == noisy * counts) & (released > 0)
        loses = high * own == noisy * (counts + 1)
        if (low <= high).all():
            yield Intervals(noisy, low, high, wins, loses)


def _first(released: Integers, lowest: float, highest: float, floor: float, tilter: Tilter) -> Iterator[Row]:
    places = np.arange(len(released))
    near = None
    for place in np.flatnonzero(released).tolist():
        for noisy, low, high, wins, loses in _intervals(released, place, lowest, highest):
            low, high = low + (wins & (places > place)), high - (loses & (places < place))
            high[place] = noisy
            if (low <= high).all():
                near = tilter.row(_groups(low, high, tilter), near=near)
                if near.log_bound > floor:
                    yield near


def _random(released: Integers, lowest: float, highest: float, floor: float, tilter: Tilter) -> Iterator[Row]:
    """The rows of every lambda, of which the whole, ties aside, is a row too: its bound says what can be left out."""
    found: dict[Fraction, tuple[Row, list[Group], int]] = {}
    near = None
    for count, place in zip(*np.unique(released, return_index=True), strict=True):
        for each in _intervals(released, int(place), lowest, highest) if count else ():
            ratio = Fraction(each.noisy, int(count))
            if ratio not in found:
                groups = _groups(each.low, each.high, tilter, each.wins, each.loses)
                near = tilter.row(_weighted(groups, 1.0, 1.0), near=near)
                found[ratio] = near, groups, int((each.wins | each.loses).sum())
    wholes = sorted(found.values(), key=lambda each: each[0].log_bound)
    sums = np.cumsum(np.exp([min(whole.log_bound - floor - SPARE, 0.0) for whole, _, _ in wholes]))
    for near, groups, tied in wholes[int(sums.searchsorted(1.0)) :]:
        for node, weight in _rule((tied + 1) // 2):
            near = tilter.row(_weighted(groups, (1 - node) / 2, (1 + node) / 2), math.log(weight / 2), near)
            yield near


def _weighted(groups: list[Group], won: float, lost: float) -> list[Group]:
    """Groups of which the shapes say who may have won or lost (0), with the weights of those who did."""
    return [
        group._replace(shape=group.shape._replace(first=group.shape.first or won, last=group.shape.last or lost))
        for group in groups
    ]


@cache
def _rule(size: int) -> list[tuple[float, float]]:
    """Gauss' rule: nodes and weights."""
    return list(zip(*(each.tolist() for each in np.polynomial.legendre.leggauss(size)), strict=True))


def _zeros(released: Integers, ties: str, tilter: Tilter) -> list[Row]:
    """No noisy component above 0: equal proportions, if those give the released counts."""
    share, extra = divmod(int(released.sum()), len(released))
    if ties == "first":
        chance = float(np.array_equal(released, share + (np.arange(len(released)) < extra)))
    else:
        possible = ((released == share) | (released == share + 1)).all()
        chance = 1 / math.comb(len(released), extra) if possible else 0.0
    zeros = np.zeros_like(released)
    row = tilter.row(_groups(zeros, zeros, tilter))
    return [replace(row, log_bound=row.log_bound + math.log(chance))] if chance else []

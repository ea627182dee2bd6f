"""Numbers that are independent but for their noisy total: the law of each.

Given are mixtures: with weight c_r the numbers x_1 ... x_S are independent, x_i with the weights w_i(x), and a total N
was seen with chance alpha**|N - sum x|. What is wanted is the law of every x_i. A pass forwards has the laws F of the
partial sums, a pass backwards the chance B of the total given a partial sum; x_i has w_i(x) sum_s F(s) B(s + x).
Numbers with the same weights share a pass: all of them but one enter as a power, by squaring. All terms are positive
and sums are taken directly, without Fourier transforms, so every probability keeps its digits however small it is.

**What is left out.** A tilt t, |t| < epsilon, makes w_i(x) exp(-t x) / m_i a probability law, and then

    sum over all x of w(x) alpha**|N - sum x|  =  exp(t N) m_1 ... m_S  E[alpha**|d| exp(-t d)],    d = N - sum x,

with an expectation of at most 1. So u_r = c_r exp(t N) m_1 ... m_S bounds what row r can add, whatever the tilt; one
that brings the mean of the sum near N makes the bound close. Tails of mass CUT are cut from every law and every partial
sum, which loses less than 10 S CUT u_r of row r. Rows are taken from the largest u_r on until the bounds of the rest
are below CUT of what was found. The sum of all these bounds, as a part of what was found, is the second result.
"""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from discreet.infer.belief import Posterior
from discreet.reconcile.check import Floats, Integers

CUT = 1e-20
"""Mass of a tail that is cut."""


@dataclass(frozen=True, eq=False)
class Part:
    """Numbers with one law, up to a shift.

    Attributes
    ----------
    law
        Probabilities (tilted) of successive values.
    members
        The numbers that have it.
    starts
        For each of them, the value of law[0].
    size
        How many of them have it at a time: fewer than all where one, whichever it is, has another law.
    """

    law: Floats
    members: Integers
    starts: Integers
    size: int


@dataclass(frozen=True, eq=False)
class Row:
    """One set of independent laws: log u_r, the tilt, and who has which law."""

    log_bound: float
    tilt: float
    parts: tuple[Part, ...]

    @property
    def start(self) -> int:
        """The least sum."""
        return sum(int(part.starts.sum()) * part.size // len(part.members) for part in self.parts)


def laws(rows: list[Row], total: int, epsilon: float) -> tuple[list[Posterior], float, float]:
    """The law of every number, the part that is left out at most, and the logarithm of the sum of all weights."""
    rows = sorted(rows, key=lambda row: -row.log_bound)
    highest = rows[0].log_bound
    bounds = np.exp(np.array([row.log_bound for row in rows]) - highest)
    rest = np.append(np.cumsum(bounds[::-1])[::-1], 0)
    count = sum(part.size for part in rows[0].parts)
    low, sums = _room(rows, count)
    found, taken = 0.0, 0
    while taken < len(rows) and rest[taken] > CUT * found:
        row = rows[taken]
        passed, marginals = _pass(row, total, epsilon)
        found += bounds[taken] * passed
        for part, marginal in zip(row.parts, marginals, strict=True):
            marginal *= bounds[taken] * part.size / len(part.members)
            for member, start in zip(part.members.tolist(), part.starts.tolist(), strict=True):
                at = start - low[member]
                sums[member][at : at + len(marginal)] += marginal
        taken += 1
    left_out = (rest[taken] + 10 * count * CUT * (rest[0] - rest[taken])) / found
    return [_posterior(low[i], sums[i]) for i in range(count)], float(left_out), highest + float(np.log(found))


def joint(rows: list[Row], total: int, epsilon: float) -> tuple[Integers, Integers, Floats]:
    """The law of two numbers together: the values of the first, those of the second, and the table."""
    each, _, found = laws(rows, total, epsilon)
    one, other = (posterior.support for posterior in each)
    away = total - np.add.outer(one, other)
    table = np.zeros(away.shape)
    for row in rows:
        if row.log_bound < found + math.log(CUT / len(rows)):
            continue
        pairs = [
            np.outer(_spread(first, 0, one), _spread(second, 1, other))
            for first, second in product(row.parts, repeat=2)
            if 0 in first.members and 1 in second.members and (first is not second or first.size == 2)
        ]
        weight = math.exp(row.log_bound - found) / len(pairs)
        table += sum(pairs) * np.exp(-epsilon * np.abs(away) - row.tilt * away) * weight
    return one, other, table / table.sum()


def _spread(part: Part, member: int, support: Integers) -> Floats:
    """The law of one member on a support."""
    start = int(part.starts[part.members == member][0])
    law = np.zeros(len(support))
    first, last = max(start, int(support[0])), min(start + len(part.law), int(support[-1]) + 1)
    if first < last:
        law[first - int(support[0]) : last - int(support[0])] = part.law[first - start : last - start]
    return law


def reach(slope: float) -> int:
    """How far exp(-slope x) is followed: to where the rest holds CUT of what is before."""
    return math.ceil(-math.log(CUT) / slope)


def noise(epsilon: float, tilt: float, room: int) -> tuple[Floats, int]:
    """alpha**|e| exp(-tilt e) for e from the second result on, and not below -room."""
    down = min(room, reach(epsilon - tilt))
    away = np.arange(-down, reach(epsilon + tilt) + 1)
    return np.exp(-epsilon * np.abs(away) - tilt * away), -down


def trim(law: Floats) -> tuple[Floats, int]:
    """A law without tails of mass CUT, and how many values went from its lower end."""
    first = int(law.cumsum().searchsorted(CUT, side="right"))
    last = len(law) - int(law[::-1].cumsum().searchsorted(CUT, side="right"))
    return law[first:last], first


def _room(rows: list[Row], count: int) -> tuple[list[int], list[Floats]]:
    """The least value of every number, and zeros from there to its largest."""
    low, high = np.full(count, np.iinfo(np.int64).max), np.zeros(count, np.int64)
    for row in rows:
        for part in row.parts:
            low[part.members] = np.minimum(low[part.members], part.starts)
            high[part.members] = np.maximum(high[part.members], part.starts + len(part.law))
    return low.tolist(), [np.zeros(size) for size in (high - low).tolist()]


def _posterior(low: int, weights: Floats) -> Posterior:
    kept, first = trim(weights / weights.sum())
    return Posterior(np.arange(low + first, low + first + len(kept)), kept / kept.sum())


def _pass(row: Row, total: int, epsilon: float) -> tuple[float, list[Floats]]:
    """The expectation of alpha**|d| exp(-t d), and for each part how it is shared among the values of one member."""
    sums, steps, start = np.ones(1), [], 0
    for part in row.parts:
        power, shift = _power(part.law, part.size - 1)
        others, cut = trim(np.convolve(sums, power)) if part.size > 1 else (sums, 0)
        steps.append((sums, start, power, shift, others, start + shift + cut))
        start += shift + cut
        sums, cut = trim(np.convolve(others, part.law))
        start += cut
    away = total - row.start - (start + np.arange(len(sums)))
    chance = np.exp(-epsilon * np.abs(away) - row.tilt * away)
    passed = float(sums @ chance)
    marginals = []
    for part, (before, first, power, shift, others, middle) in zip(reversed(row.parts), reversed(steps), strict=True):
        chance = _pad(chance, start - middle, len(others) + len(part.law) - 1)
        marginals.append(part.law * np.correlate(chance, others, "valid"))
        chance = np.correlate(chance, part.law, "valid")
        if part.size > 1:
            chance = _pad(chance, middle - first - shift, len(before) + len(power) - 1)
            chance = np.correlate(chance, power, "valid")
        start = first
    return passed, marginals[::-1]


def _power(law: Floats, times: int) -> tuple[Floats, int]:
    """The law of a sum of so many, and how far its start is above the sum of theirs."""
    result, shift, square, moved = np.ones(1), 0, law, 0
    while times:
        if times & 1:
            result, cut = trim(np.convolve(result, square))
            shift += moved + cut
        times >>= 1
        if times:
            square, cut = trim(np.convolve(square, square))
            moved = 2 * moved + cut
    return result, shift


def _pad(values: Floats, before: int, size: int) -> Floats:
    padded = np.zeros(size)
    padded[before : before + len(values)] = values
    return padded

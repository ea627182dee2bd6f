"""Numbers that are independent except for their noisy total: the distribution of each.

The input is a mixture of rows. Row r has the weight c_r. Given row r, the numbers x_1 ... x_S are independent, x_i with
the weights w_i(x), and the total N is seen with chance alpha**|N - sum x|. The output is the distribution of every x_i.

Numbers are added up in pairs, pairs of pairs, and so on: a binary tree. A pass up the tree computes the distributions F
of the sums. A pass down the tree computes the chance B of the total given a sum: if s + s' is a node, s has the chance
sum over s' of F'(s') B(s + s'). At a leaf x_i has the weight w_i(x) B_i(x). Numbers with the same weights share one
leaf, and their sum is a convolution power, computed by squaring. All terms are positive and sums are taken directly,
without Fourier transforms, so every probability keeps its digits however small it is.

**Marks.** In some rows exactly one number, no matter which, has other weights. Distributions and sums then come in
pairs: with no marked number among those added up, and with one. (F0, F1) and (G0, G1) add up to
(F0 * G0, F1 * G0 + F0 * G1).

**Error bound.** A tilt t, |t| < epsilon, makes w_i(x) exp(-t x) / m_i a probability distribution, and then

    sum over all x of w(x) alpha**|N - sum x|  =  exp(t N) m_1 ... m_S  E[alpha**|d| exp(-t d)],    d = N - sum x,

with an expectation of at most 1. So u_r = c_r exp(t N) m_1 ... m_S bounds what row r can add, whatever the tilt. A tilt
that brings the mean of the sum near N makes the bound close. Tails of mass c_r are cut from every distribution and
every partial sum, which loses less than 10 S c_r u_r of row r. The cut c_r is CUT, and larger for the many rows that
matter little: all of them together lose no more than the first row does. Rows are taken in decreasing order of u_r,
until the bounds of the remaining rows are below CUT of the sum so far. The sum of all these bounds, relative to the
sum of all weights, is returned as `left_out`. With marks, u_r has one more factor: 1 plus the sum of the masses of all
marks, in units of m_i.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.arrays import Floats, Integers
from discreet.infer.posterior_value import Posterior

CUT = 1e-20
"""Mass of a tail that is cut."""

COARSEST_CUT = 1e-4
"""The largest mass that is cut, from rows that add next to nothing."""


MarkPair = tuple[Floats | None, Floats | None]
"""Weights without a marked number, and with one. None stands for all zeros."""


@dataclass(frozen=True, eq=False)
class Part:
    """Numbers that have the same distribution, up to a shift.

    Attributes
    ----------
    distribution
        Tilted probabilities of consecutive values.
    members
        The indices of the numbers.
    starts
        For each member, the value that distribution[0] belongs to.
    mark
        The weights of the same values for a marked member. None if no member can be marked.
    """

    distribution: Floats
    members: Integers
    starts: Integers
    mark: Floats | None = None


@dataclass(frozen=True, eq=False)
class Row:
    """One row of the mixture: log u_r, the tilt, the distributions of all numbers, and True if one number is marked."""

    log_bound: float
    tilt: float
    parts: tuple[Part, ...]
    marked: bool = False


def marginal_posteriors(rows: list[Row], total: int, epsilon: float) -> tuple[list[Posterior], float, float]:
    """Return the distribution of every number, the largest part that is left out, and the log of the sum of weights."""
    rows = sorted(rows, key=lambda row: -row.log_bound)
    highest = rows[0].log_bound
    bounds = np.exp(np.array([row.log_bound for row in rows]) - highest)
    remaining = np.append(np.cumsum(bounds[::-1])[::-1], 0)
    count = sum(len(part.members) for part in rows[0].parts)
    lowest, sums = _empty_sums(rows, count)
    cuts = np.clip(CUT / (len(rows) * np.maximum(bounds, CUT)), CUT, COARSEST_CUT)
    weight_sum, taken = 0.0, 0
    while taken < len(rows) and remaining[taken] > CUT * weight_sum:
        cut = float(cuts[taken])
        weight = bounds[taken] / mark_factor(rows[taken].parts)
        row = _trimmed_row(rows[taken], cut) if cut > CUT else rows[taken]
        expectation, part_weights = _up_and_down(row, total, epsilon, cut)
        weight_sum += weight * expectation
        for part, value_weights in zip(row.parts, part_weights, strict=True):
            value_weights *= weight
            for member, start in zip(part.members.tolist(), part.starts.tolist(), strict=True):
                offset = start - lowest[member]
                sums[member][offset : offset + len(value_weights)] += value_weights
        taken += 1
    left_out = (remaining[taken] + 10 * count * float(cuts[:taken] @ bounds[:taken])) / weight_sum
    posteriors = [_posterior(lowest[number], sums[number]) for number in range(count)]
    return posteriors, float(left_out), highest + float(np.log(weight_sum))


def mark_factor(parts: Iterable[Part]) -> float:
    """Return the factor of a bound that is due to marks: 1 plus the sum of their masses."""
    return 1 + sum(len(part.members) * float(part.mark.sum()) for part in parts if part.mark is not None)


def joint_posterior(rows: list[Row], total: int, epsilon: float) -> tuple[Integers, Integers, Floats, float]:
    """Return the joint distribution of two numbers: the values of both, the table, and the largest part left out."""
    posteriors, left_out, log_sum = marginal_posteriors(rows, total, epsilon)
    first_values, second_values = (posterior.support for posterior in posteriors)
    distance = total - np.add.outer(first_values, second_values)
    table = np.zeros(distance.shape)
    for row in rows:
        if row.log_bound < log_sum + math.log(CUT / len(rows)):
            continue
        (first, first_mark), (second, second_mark) = (
            _on_support(next(part for part in row.parts if member in part.members), member, support)
            for member, support in ((0, first_values), (1, second_values))
        )
        joint = np.outer(first_mark, second) + np.outer(first, second_mark) if row.marked else np.outer(first, second)
        weight = math.exp(row.log_bound - log_sum) / mark_factor(row.parts)
        table += joint * np.exp(-epsilon * np.abs(distance) - row.tilt * distance) * weight
    return first_values, second_values, table / table.sum(), left_out


def _on_support(part: Part, member: int, support: Integers) -> tuple[Floats, Floats]:
    """Return the distribution and the mark of one member, at consecutive values."""
    start = int(part.starts[part.members == member][0])
    result = np.zeros((2, len(support)))
    first, last = max(start, int(support[0])), min(start + len(part.distribution), int(support[-1]) + 1)
    for row, weights in enumerate((part.distribution, part.mark)):
        if weights is not None and first < last:
            result[row, first - int(support[0]) : last - int(support[0])] = weights[first - start : last - start]
    return result[0], result[1]


def reach(slope: float) -> int:
    """Return the x up to which exp(-slope x) is followed. The rest has CUT of the mass."""
    return math.ceil(-math.log(CUT) / slope)


def noise(epsilon: float, tilt: float, most_down: int) -> tuple[Floats, int]:
    """Return alpha**|e| exp(-tilt e) for consecutive e, and the first e, which is -most_down or more."""
    down = min(most_down, reach(epsilon - tilt))
    errors = np.arange(-down, reach(epsilon + tilt) + 1)
    return np.exp(-epsilon * np.abs(errors) - tilt * errors), -down


def trim(distribution: Floats, cut: float | None = None) -> tuple[Floats, int]:
    """Return a distribution without tails of mass `cut` (CUT), and how many values were cut from the lower end."""
    cut = CUT if cut is None else cut
    first = int(distribution.cumsum().searchsorted(cut, side="right"))
    last = len(distribution) - int(distribution[::-1].cumsum().searchsorted(cut, side="right"))
    return distribution[first:last], first


def _trimmed_row(row: Row, cut: float) -> Row:
    """Return a row with tails of mass `cut` cut from its distributions."""
    parts = []
    for part in row.parts:
        (distribution, mark), first = _trim_pair((part.distribution, part.mark), cut)
        assert distribution is not None
        parts.append(Part(distribution, part.members, part.starts + first, mark))
    return Row(row.log_bound, row.tilt, tuple(parts), row.marked)


def _empty_sums(rows: list[Row], count: int) -> tuple[list[int], list[Floats]]:
    """Return the least value of every number in any row, and zeros from that value up to its largest value."""
    low, high = np.full(count, np.iinfo(np.int64).max), np.zeros(count, np.int64)
    for row in rows:
        for part in row.parts:
            low[part.members] = np.minimum(low[part.members], part.starts)
            high[part.members] = np.maximum(high[part.members], part.starts + len(part.distribution))
    return low.tolist(), [np.zeros(size) for size in (high - low).tolist()]


def _posterior(lowest: int, weights: Floats) -> Posterior:
    kept, first = trim(weights / weights.sum())
    return Posterior(np.arange(lowest + first, lowest + first + len(kept)), kept / kept.sum())


class Node(NamedTuple):
    """The distribution of a sum: of all members of a part, or of two other nodes.

    Attributes
    ----------
    distribution
        Weights of consecutive values of the sum.
    start
        The least value of the sum, minus the sum of the starts of all members.
    cut_below
        How many values were cut from the lower end.
    left, right
        The two summands: two nodes, or, at a leaf, one member of the part and the sum of all other members.
    """

    distribution: MarkPair
    start: int
    cut_below: int
    left: "Node | MarkPair"
    right: "Node | MarkPair"


def _up_and_down(row: Row, total: int, epsilon: float, cut: float) -> tuple[float, list[Floats]]:
    """Return the expectation of alpha**|d| exp(-t d), and for each part its division among the values of one member."""
    nodes = [_leaf(part, cut) for part in row.parts]
    while len(nodes) > 1:
        joined = [_join(left, right, cut) for left, right in zip(nodes[::2], nodes[1::2], strict=False)]
        nodes = [*joined, *nodes[2 * len(joined) :]]
    root = nodes[0]
    sums = root.distribution[1] if row.marked else root.distribution[0]
    assert sums is not None
    lowest = root.start + sum(int(part.starts.sum()) for part in row.parts)
    distance = total - lowest - np.arange(len(sums))
    chance = np.exp(-epsilon * np.abs(distance) - row.tilt * distance)
    return float(sums @ chance), list(_leaf_weights(root, (None, chance) if row.marked else (chance, None)))


def _leaf(part: Part, cut: float) -> Node:
    member = (part.distribution, part.mark)
    others, shift = _power(member, len(part.members) - 1, cut)
    distribution, cut_below = _trim_pair(_convolve(others, member), cut)
    return Node(distribution, shift + cut_below, cut_below, member, others)


def _join(left: Node, right: Node, cut: float) -> Node:
    distribution, cut_below = _trim_pair(_convolve(left.distribution, right.distribution), cut)
    return Node(distribution, left.start + right.start + cut_below, cut_below, left, right)


def _leaf_weights(node: Node, chance: MarkPair) -> Iterator[Floats]:
    """Yield, for each part below a node, the weights of the values of one member.

    `chance` is the chance of the total given the sum of the node.
    """
    left, right = (
        summand.distribution if isinstance(summand, Node) else summand for summand in (node.left, node.right)
    )
    chance = _pad(chance, node.cut_below, _length(left) + _length(right) - 1)
    if isinstance(node.left, Node) and isinstance(node.right, Node):
        yield from _leaf_weights(node.left, _without_summand(chance, right))
        yield from _leaf_weights(node.right, _without_summand(chance, left))
    else:
        yield _multiply(left, _without_summand(chance, right))


def _power(base: MarkPair, times: int, cut: float) -> tuple[MarkPair, int]:
    """Return the distribution of the sum of `times` numbers, and how far its start is above the sum of their starts."""
    result: MarkPair = (np.ones(1), None)
    shift, square, square_shift = 0, base, 0
    while times:
        if times & 1:
            result, cut_below = _trim_pair(_convolve(result, square), cut)
            shift += square_shift + cut_below
        times >>= 1
        if times:
            square, cut_below = _trim_pair(_convolve(square, square), cut)
            square_shift = 2 * square_shift + cut_below
    return result, shift


def _convolve(a: MarkPair, b: MarkPair) -> MarkPair:
    """Return the distribution of the sum of two independent numbers."""
    return _apply(np.convolve, a[0], b[0]), _add(_apply(np.convolve, a[1], b[0]), _apply(np.convolve, a[0], b[1]))


def _without_summand(chance: MarkPair, summand: MarkPair) -> MarkPair:
    """Return the chance of the total given a number, from the chance given its sum with an independent summand."""
    unmarked = _add(_apply(_correlate, chance[0], summand[0]), _apply(_correlate, chance[1], summand[1]))
    return unmarked, _apply(_correlate, chance[1], summand[0])


def _multiply(distribution: MarkPair, chance: MarkPair) -> Floats:
    product = _add(_apply(np.multiply, distribution[0], chance[0]), _apply(np.multiply, distribution[1], chance[1]))
    assert product is not None
    return product


def _correlate(chance: Floats, distribution: Floats) -> Floats:
    return np.correlate(chance, distribution, "valid")


def _apply(operation: Callable[[Floats, Floats], Floats], a: Floats | None, b: Floats | None) -> Floats | None:
    return None if a is None or b is None else operation(a, b)


def _add(a: Floats | None, b: Floats | None) -> Floats | None:
    return b if a is None else a if b is None else a + b


def _trim_pair(pair: MarkPair, cut: float) -> tuple[MarkPair, int]:
    """Return both distributions without the values at the ends at which their sum has tails of mass `cut`."""
    whole = _add(*pair)
    assert whole is not None
    kept, first = trim(whole, cut)
    part = slice(first, first + len(kept))
    return (None if pair[0] is None else pair[0][part], None if pair[1] is None else pair[1][part]), first


def _length(pair: MarkPair) -> int:
    distribution = pair[0] if pair[1] is None else pair[1]
    assert distribution is not None
    return len(distribution)


def _pad(pair: MarkPair, before: int, size: int) -> MarkPair:
    """Return both distributions with zeros in front and behind, `size` values long."""
    padded: list[Floats | None] = []
    for distribution in pair:
        padded.append(None if distribution is None else np.zeros(size))
        if distribution is not None:
            padded[-1][before : before + len(distribution)] = distribution  # type: ignore[index]
    return padded[0], padded[1]

"""Numbers that are independent but for their noisy total: the law of each.

Given are mixtures: with weight c_r the numbers x_1 ... x_S are independent, x_i with the weights w_i(x), and a total N
was seen with chance alpha**|N - sum x|. What is wanted is the law of every x_i. Numbers are added up in pairs, pairs of
pairs, and so on. A pass up this tree has the laws F of the sums, a pass down it the chance B of the total given a sum:
where s + s' is a node, s has sum over s' of F'(s') B(s + s'). At a leaf x_i has w_i(x) B_i(x). Numbers with the same
weights are one leaf, and their law is a power, by squaring. All terms are positive and sums are taken directly, without
Fourier transforms, so every probability keeps its digits however small it is.

**Marks.** In some rows exactly one number, whichever it is, has other weights. Laws and sums then come in pairs: with
no such number among those added up, and with one; (F0, F1) and (G0, G1) add up to (F0 * G0, F1 * G0 + F0 * G1).

**What is left out.** A tilt t, |t| < epsilon, makes w_i(x) exp(-t x) / m_i a probability law, and then

    sum over all x of w(x) alpha**|N - sum x|  =  exp(t N) m_1 ... m_S  E[alpha**|d| exp(-t d)],    d = N - sum x,

with an expectation of at most 1. So u_r = c_r exp(t N) m_1 ... m_S bounds what row r can add, whatever the tilt; one
that brings the mean of the sum near N makes the bound close. Tails of mass c_r are cut from every law and every partial
sum, which loses less than 10 S c_r u_r of row r. c_r is CUT, and for the many rows that matter little it is larger: all
of them together lose no more than the first one does. Rows are taken from the largest u_r on until the bounds of the
rest are below CUT of what was found. The sum of all these bounds, as a part of what was found, is the second result.
With marks, u_r has a factor more: 1 and the sum of the masses of all marks, which are in units of m_i.
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

COARSEST = 1e-4
"""The most that is cut, from rows that add next to nothing."""


Pair = tuple[Floats | None, Floats | None]
"""Without a marked number, and with one; None is nothing."""


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
    mark
        The weights of the same values for a member that is the marked one; None where none of them can be.
    """

    law: Floats
    members: Integers
    starts: Integers
    mark: Floats | None = None


@dataclass(frozen=True, eq=False)
class Row:
    """One set of independent laws: log u_r, the tilt, who has which law, and whether one number is marked."""

    log_bound: float
    tilt: float
    parts: tuple[Part, ...]
    marked: bool = False


def laws(rows: list[Row], total: int, epsilon: float) -> tuple[list[Posterior], float, float]:
    """The law of every number, the part that is left out at most, and the logarithm of the sum of all weights."""
    rows = sorted(rows, key=lambda row: -row.log_bound)
    highest = rows[0].log_bound
    bounds = np.exp(np.array([row.log_bound for row in rows]) - highest)
    rest = np.append(np.cumsum(bounds[::-1])[::-1], 0)
    count = sum(len(part.members) for part in rows[0].parts)
    low, sums = _room(rows, count)
    cuts = np.clip(CUT / (len(rows) * np.maximum(bounds, CUT)), CUT, COARSEST)
    found, taken = 0.0, 0
    while taken < len(rows) and rest[taken] > CUT * found:
        cut = float(cuts[taken])
        weight = bounds[taken] / units(rows[taken].parts)
        row = _shorter(rows[taken], cut) if cut > CUT else rows[taken]
        passed, marginals = _pass(row, total, epsilon, cut)
        found += weight * passed
        for part, marginal in zip(row.parts, marginals, strict=True):
            marginal *= weight
            for member, start in zip(part.members.tolist(), part.starts.tolist(), strict=True):
                at = start - low[member]
                sums[member][at : at + len(marginal)] += marginal
        taken += 1
    left_out = (rest[taken] + 10 * count * float(cuts[:taken] @ bounds[:taken])) / found
    return [_posterior(low[i], sums[i]) for i in range(count)], float(left_out), highest + float(np.log(found))


def units(parts: Iterable[Part]) -> float:
    """The factor of a bound that is for marks: 1 and the sum of their masses."""
    return 1 + sum(len(part.members) * float(part.mark.sum()) for part in parts if part.mark is not None)


def joint(rows: list[Row], total: int, epsilon: float) -> tuple[Integers, Integers, Floats, float]:
    """The law of two numbers together: the values of both, the table, and the part that is left out at most."""
    each, left_out, found = laws(rows, total, epsilon)
    one, other = (posterior.support for posterior in each)
    away = total - np.add.outer(one, other)
    table = np.zeros(away.shape)
    for row in rows:
        if row.log_bound < found + math.log(CUT / len(rows)):
            continue
        (law, mark), (second, marked) = (
            _spread(next(part for part in row.parts if member in part.members), member, support)
            for member, support in ((0, one), (1, other))
        )
        both = np.outer(mark, second) + np.outer(law, marked) if row.marked else np.outer(law, second)
        weight = math.exp(row.log_bound - found) / units(row.parts)
        table += both * np.exp(-epsilon * np.abs(away) - row.tilt * away) * weight
    return one, other, table / table.sum(), left_out


def _spread(part: Part, member: int, support: Integers) -> tuple[Floats, Floats]:
    """The law of one member on a support, and that of its mark."""
    start = int(part.starts[part.members == member][0])
    spread = np.zeros((2, len(support)))
    first, last = max(start, int(support[0])), min(start + len(part.law), int(support[-1]) + 1)
    for row, values in enumerate((part.law, part.mark)):
        if values is not None and first < last:
            spread[row, first - int(support[0]) : last - int(support[0])] = values[first - start : last - start]
    return spread[0], spread[1]


def reach(slope: float) -> int:
    """How far exp(-slope x) is followed: to where the rest holds CUT of what is before."""
    return math.ceil(-math.log(CUT) / slope)


def noise(epsilon: float, tilt: float, room: int) -> tuple[Floats, int]:
    """alpha**|e| exp(-tilt e) for e from the second result on, and not below -room."""
    down = min(room, reach(epsilon - tilt))
    away = np.arange(-down, reach(epsilon + tilt) + 1)
    return np.exp(-epsilon * np.abs(away) - tilt * away), -down


def trim(law: Floats, cut: float | None = None) -> tuple[Floats, int]:
    """A law without tails of mass `cut` (CUT), and how many values went from its lower end."""
    cut = CUT if cut is None else cut
    first = int(law.cumsum().searchsorted(cut, side="right"))
    last = len(law) - int(law[::-1].cumsum().searchsorted(cut, side="right"))
    return law[first:last], first


def _shorter(row: Row, cut: float) -> Row:
    """A row with more cut from its laws."""
    parts = []
    for part in row.parts:
        (law, mark), first = _trimmed((part.law, part.mark), cut)
        assert law is not None
        parts.append(Part(law, part.members, part.starts + first, mark))
    return Row(row.log_bound, row.tilt, tuple(parts), row.marked)


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


class Node(NamedTuple):
    """The law of a sum: of all members of a part, or of two other nodes.

    `start` is its least value less the sum of the starts, `gone` how many values were cut from its lower end. `one` and
    `other` are what was added up: two nodes, or the law of one member of a part and that of all its others.
    """

    law: Pair
    start: int
    gone: int
    one: "Node | Pair"
    other: "Node | Pair"


def _pass(row: Row, total: int, epsilon: float, cut: float) -> tuple[float, list[Floats]]:
    """The expectation of alpha**|d| exp(-t d), and for each part how it is shared among the values of one member."""
    nodes = [_leaf(part, cut) for part in row.parts]
    while len(nodes) > 1:
        pairs = [_joined(*two, cut) for two in zip(nodes[::2], nodes[1::2], strict=False)]
        nodes = [*pairs, *nodes[2 * len(pairs) :]]
    root = nodes[0]
    wanted = root.law[1] if row.marked else root.law[0]
    assert wanted is not None
    lowest = root.start + sum(int(part.starts.sum()) for part in row.parts)
    away = total - lowest - np.arange(len(wanted))
    final = np.exp(-epsilon * np.abs(away) - row.tilt * away)
    return float(wanted @ final), list(_shares(root, (None, final) if row.marked else (final, None)))


def _leaf(part: Part, cut: float) -> Node:
    law = (part.law, part.mark)
    others, shift = _power(law, len(part.members) - 1, cut)
    both, gone = _trimmed(_sum(others, law), cut)
    return Node(both, shift + gone, gone, law, others)


def _joined(one: Node, other: Node, cut: float) -> Node:
    law, gone = _trimmed(_sum(one.law, other.law), cut)
    return Node(law, one.start + other.start + gone, gone, one, other)


def _shares(node: Node, chance: Pair) -> Iterator[Floats]:
    """For each part below a node the weights of the values of one member, given the chance of the total."""
    one, other = (each.law if isinstance(each, Node) else each for each in (node.one, node.other))
    chance = _pad(chance, node.gone, _length(one) + _length(other) - 1)
    if isinstance(node.one, Node) and isinstance(node.other, Node):
        yield from _shares(node.one, _seen(chance, other))
        yield from _shares(node.other, _seen(chance, one))
    else:
        yield _product(one, _seen(chance, other))


def _power(law: Pair, times: int, cut: float) -> tuple[Pair, int]:
    """The law of a sum of so many, and how far its start is above the sum of theirs."""
    result: Pair = (np.ones(1), None)
    shift, square, moved = 0, law, 0
    while times:
        if times & 1:
            result, gone = _trimmed(_sum(result, square), cut)
            shift += moved + gone
        times >>= 1
        if times:
            square, gone = _trimmed(_sum(square, square), cut)
            moved = 2 * moved + gone
    return result, shift


def _sum(one: Pair, other: Pair) -> Pair:
    """The laws of the sum of two independent numbers."""
    return _both(np.convolve, one[0], other[0]), _add(
        _both(np.convolve, one[1], other[0]), _both(np.convolve, one[0], other[1])
    )


def _seen(chance: Pair, law: Pair) -> Pair:
    """The chances of what is seen before a number of this law is added, given those after it."""
    return _add(_both(_correlate, chance[0], law[0]), _both(_correlate, chance[1], law[1])), _both(
        _correlate, chance[1], law[0]
    )


def _product(law: Pair, chance: Pair) -> Floats:
    found = _add(_both(np.multiply, law[0], chance[0]), _both(np.multiply, law[1], chance[1]))
    assert found is not None
    return found


def _correlate(chance: Floats, law: Floats) -> Floats:
    return np.correlate(chance, law, "valid")


def _both(operation: Callable[[Floats, Floats], Floats], one: Floats | None, other: Floats | None) -> Floats | None:
    return None if one is None or other is None else operation(one, other)


def _add(one: Floats | None, other: Floats | None) -> Floats | None:
    return other if one is None else one if other is None else one + other


def _trimmed(law: Pair, cut: float) -> tuple[Pair, int]:
    """Both laws without the values at the ends where their sum has tails of mass `cut`."""
    whole = _add(*law)
    assert whole is not None
    kept, first = trim(whole, cut)
    part = slice(first, first + len(kept))
    return (None if law[0] is None else law[0][part], None if law[1] is None else law[1][part]), first


def _length(law: Pair) -> int:
    known = law[0] if law[1] is None else law[1]
    assert known is not None
    return len(known)


def _pad(values: Pair, before: int, size: int) -> Pair:
    padded: list[Floats | None] = []
    for each in values:
        padded.append(None if each is None else np.zeros(size))
        if each is not None:
            padded[-1][before : before + len(each)] = each  # type: ignore[index]
    return padded[0], padded[1]

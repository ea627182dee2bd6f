"""How many changes lead from 0 to every value of a cycle: the word metric of its neighbours.

A value x has distance d if d differences between neighbours, and no fewer, add up to x. A breadth-first search from 0
over the residues finds all distances (the Cayley graph of Z_s1 x Z_s2 x ... and the differences).

In one dimension, a search with steps that are small beside the size N would take as many rounds as the cycle is long.
But then the shape of the distance is known. Let g be the largest step. Among g steps that are not g, some add up to a
multiple kg with |k| less than their number, and |k| steps g are fewer. So a shortest sum holds fewer than g other
steps. With d the distance among the integers, it follows that

    d(x + g) = d(x) + 1   for x >= (g-1)^2,       x/g <= d(x) <= x/g + 2g,

and for N >= 4 g^2 the distance on the cycle is min(d(x), d(N - x)). So a search of a cycle of 4 g^2 + 4 g is enough.
Steps that are not small may become small if all steps are multiplied by a unit modulo N, which only renames the
residues: 2, 4, 6 on an odd cycle become 1, 2, 3.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from discreet.arrays import Integers
from discreet.domain import Cycle

FEW = 300
"""A round with fewer edges is quicker in plain Python than with arrays."""

SEARCHED = 4_096
"""Most values of a cycle that is always searched as it is."""

UNITS = 64
"""How many units are tried in search of small steps."""


def distances(domain: Cycle, differences: Sequence[int] | Sequence[tuple[int, ...]]) -> Integers:
    """Return the distance of every value from 0, flattened in C order; -1 if no sum of differences leads there.

    `differences` are closed under negation, as `Cycle.neighbours` returns them.
    """
    if len(domain.shape) > 1:
        return _several(domain.shape, differences)  # type: ignore[arg-type]
    size = domain.size
    if size <= SEARCHED:
        return _one(size, _short(size, differences))  # type: ignore[arg-type]
    unit, steps = min(_renamed(size, differences), key=lambda named: named[1][-1])  # type: ignore[arg-type]
    if math.gcd(*steps) > 1 or 4 * (steps[-1] + 1) ** 2 > size:
        return _one(size, _short(size, differences))  # type: ignore[arg-type]
    return _line(steps, size)[np.arange(size) * unit % size]


def _short(size: int, differences: Iterable[int]) -> list[int]:
    """Return the differences the shorter way round, sorted."""
    return sorted({min(d, size - d) for d in differences})


def _renamed(size: int, differences: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield units with the steps they make of the differences: small units, and inverses of units."""
    for unit in [*range(1, min(size, UNITS)), math.gcd(*_short(size, differences))]:
        if math.gcd(unit, size) == 1:
            for named in (unit, pow(unit, -1, size)):
                yield named, _short(size, (named * d % size for d in differences))


def _line(steps: list[int], size: int) -> Integers:
    """Return the distances in one dimension, for steps that are small beside the size and have no common divisor."""
    largest = steps[-1]
    known = _one(4 * largest * (largest + 1), steps)[: largest * (largest + 1) + 1]
    x = np.arange(size + 1)
    beyond = np.maximum(x - len(known) + largest, 0) // largest
    along = known[x - beyond * largest] + beyond
    nearer: Integers = np.minimum(along, along[::-1])[:-1]
    return nearer


def _one(size: int, steps: Sequence[int]) -> Integers:
    """Return the distances in one dimension, by a search in rounds: wide rounds with arrays, narrow ones without."""
    result = np.full(size, -1, dtype=np.int64)
    view = memoryview(result)  # type: ignore[arg-type]
    result[0] = 0
    signed = [*steps, *(-step for step in steps)]
    offsets = np.array(signed)
    frontier: list[int] | Integers = [0]
    distance, left = 0, size - 1
    while left and len(frontier):
        distance += 1
        if len(frontier) * len(signed) < FEW:
            following = []
            for x in frontier:
                for step in signed:
                    y = (x + step) % size
                    if view[y] < 0:
                        view[y] = distance
                        following.append(y)
            frontier = following
        else:
            reached = np.add.outer(np.asarray(frontier), offsets).ravel() % size
            reached = reached[result[reached] < 0]
            result[reached] = distance
            frontier = _distinct(reached, size)
        left -= len(frontier)
    return result


def _several(shape: tuple[int, ...], differences: Sequence[tuple[int, ...]]) -> Integers:
    """Return the distances in several dimensions, by a search in rounds."""
    result = np.full(math.prod(shape), -1, dtype=np.int64)
    result[0] = 0
    frontier = np.zeros(1, dtype=np.int64)
    distance, left = 0, len(result) - 1
    while left and len(frontier):
        distance += 1
        parts = np.unravel_index(frontier, shape)
        following = []
        for difference in differences:
            moved = tuple((part + d) % side for part, d, side in zip(parts, difference, shape, strict=True))
            reached = np.ravel_multi_index(moved, shape)
            reached = reached[result[reached] < 0]
            result[reached] = distance
            following.append(reached)
        frontier = np.concatenate(following)
        left -= len(frontier)
    return result


def _distinct(values: Integers, size: int) -> Integers:
    """Return the values without repetition: by sorting, or by marking if there are many."""
    if len(values) * 20 < size:
        return np.unique(values)
    mark = np.zeros(size, dtype=bool)
    mark[values] = True
    return np.flatnonzero(mark)

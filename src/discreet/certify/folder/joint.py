"""Intervals from all measurements together, recomputed for tables without levels (docs/folder.md, "Intervals").

The estimate of a cell of grouping t is x = sum over measured groupings g, and over sets r of axes that t and g have, of
b(g, r) times the sum of the measurements of g over the cells that agree with the cell on r, where

    b(g, r) = 1/v_g . sum over s from r to the axes of t and g of prod over s minus r of (-1/n_a) / (W_s N(g-s) N(t-s)),
    W_s = sum over measured g that have the axes s of 1 / (v_g N(g-s)).

So a measured cell of g that agrees with the cell on the axes p, and on no other, has as its coefficient the sum of
b(g, r) over r within p. `noise_sums` has the law of sums of noises times these coefficients.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

from .cells import Grouping, Layout, Noise
from .noise_sums import ends
from .tables import Counts
from .weights import Table

Axes = tuple[str, ...]
"""The dimensions of a grouping that have more than one group, in the order of their names."""

FAR, FAR_CHANCE = 25.0, 1e-9
"""A table has a law if at most this share of its noise is beyond so many standard deviations."""

MOST_WORK = 20_000_000
"""The most cells of the groupings of a population that have joint intervals."""

TOLERANCE = 1e-6
"""How near to an integer an end may be that two machines round differently."""


@dataclass(frozen=True)
class Joint:
    """The estimates of a grouping, and the ends of their errors."""

    estimates: list[float]
    lower: float
    upper: float

    def accepts(self, cell: int, count: int, stated: tuple[int, int | None]) -> bool:
        """Return True if a stated interval is that of the estimate, widened to the published count."""
        x = self.estimates[cell]
        slack = TOLERANCE + 1e-9 * abs(x)
        halves = {math.floor(max(-self.lower, self.upper) + move) for move in (-TOLERANCE, TOLERANCE)}
        firsts = {max(0, math.ceil(x - self.upper + move)) for move in (-slack, slack)}
        lasts = {math.floor(x - self.lower + move) for move in (-slack, slack)}
        allowed = {
            (min(first, count), max(max(last, half) if first == 0 else last, count))
            for first, last, half in product(firsts, lasts, halves)
        }
        return stated in allowed

    def in_words(self, cell: int) -> str:
        """Return what the interval is about."""
        x = self.estimates[cell]
        return f"least squares gives {x:.6g}, with errors from {self.lower:.6g} to {self.upper:.6g}"


def has_one_law(table: Table) -> bool:
    """Return True if every count has the same noise, 0 on average, without far outliers."""
    if table.rows or len(table.interior) != 1 or table.upper is not None:
        return False
    row = table.interior[0]
    if sum(z * weight for z, weight in enumerate(row.weights, row.first)):
        return False
    reach = FAR * math.sqrt(variance(table))
    return sum(w for z, w in enumerate(row.weights, row.first) if abs(z) > reach) <= FAR_CHANCE * sum(row.weights)


def variance(table: Table) -> float:
    """Return the variance of noise that is 0 on average."""
    row = table.interior[0]
    return sum(z * z * weight for z, weight in enumerate(row.weights, row.first)) / (1 << table.bits)


def joint_of(
    layout: Layout, indices: Sequence[int], noise: Noise, tables: Sequence[Table], measured: Sequence[Counts | None]
) -> dict[int, Joint] | None:
    """Return estimates and ends of errors of groupings of one population; None if a dimension of them has levels.

    Groupings that the measurements do not determine are left out.

    Parameters
    ----------
    layout
        The groupings of the release.
    indices
        The groupings of the population.
    noise, tables, measured
        The number of the table of every grouping, the tables, and the measurements of every grouping.
    """
    sides: dict[str, int] = {}
    partitions: dict[str, tuple[frozenset[str], ...]] = {}
    for index in indices:
        for axis in layout.groupings[index].axes:
            if len(axis.members) > 1 and partitions.setdefault(axis.dimension, axis.members) != axis.members:
                return None
            if len(axis.members) > 1:
                sides[axis.dimension] = len(axis.members)
    if sum(layout.groupings[index].size for index in indices) > MOST_WORK:
        return {}
    sources = _sources(layout, indices, noise, tables, measured)
    noises = tuple((table.interior[0].first, table.interior[0].weights) for table in tables)
    by_grouping = {}
    for index in dict.fromkeys(indices):
        target = _axes(layout.groupings[index])
        weights = [_weights(source, target, sources, sides) for source in sources]
        if any(own is None for own in weights):
            continue
        terms = _terms([own or {} for own in weights], sources, target, sides)
        arranged = _estimates([own or {} for own in weights], sources, target, sides)
        by_grouping[index] = Joint(_in_file_order(arranged, layout.groupings[index], target), *ends(noises, terms))
    return by_grouping


@dataclass(frozen=True)
class _Source:
    """A measured grouping: its axes, its table and variance, and its measurements with the axes in order."""

    axes: Axes
    table: int
    variance: float
    values: list[int]


def _sources(
    layout: Layout, indices: Sequence[int], noise: Noise, tables: Sequence[Table], measured: Sequence[Counts | None]
) -> list[_Source]:
    """Return the measured groupings. Groupings of the same cells with the same table have one measurement a cell."""
    sources: dict[tuple[Axes, int], _Source] = {}
    for index in indices:
        table, values = noise[index], measured[index]
        if table is not None and values is not None:
            axes = _axes(layout.groupings[index])
            arranged = _in_axis_order(values, layout.groupings[index], axes)
            sources.setdefault((axes, table), _Source(axes, table, variance(tables[table]), arranged))
    return list(sources.values())


def _axes(grouping: Grouping) -> Axes:
    return tuple(sorted(axis.dimension for axis in grouping.axes if len(axis.members) > 1))


def _file_indices(grouping: Grouping, axes: Axes) -> Iterator[int]:
    """Yield for every cell, with the axes in order, its place in the files."""
    sides = {axis.dimension: len(axis.members) for axis in grouping.axes}
    stride, strides = 1, dict[str, int]()
    for axis in reversed(grouping.axes):
        strides[axis.dimension], stride = stride, stride * len(axis.members)
    for steps in product(*(range(0, sides[name] * strides[name], strides[name]) for name in axes)):
        yield sum(steps)


def _in_axis_order(values: Sequence[int], grouping: Grouping, axes: Axes) -> list[int]:
    return [values[index] for index in _file_indices(grouping, axes)]


def _in_file_order(values: Sequence[float], grouping: Grouping, axes: Axes) -> list[float]:
    result = [0.0] * len(values)
    for index, value in zip(_file_indices(grouping, axes), values, strict=True):
        result[index] = value
    return result


def _size(axes: Sequence[str], sides: dict[str, int], without: Sequence[str] = ()) -> int:
    return math.prod(sides[name] for name in axes if name not in without)


def _subsets(axes: Sequence[str]) -> Iterator[Axes]:
    return chain.from_iterable(combinations(axes, size) for size in range(len(axes) + 1))


def _weights(
    source: _Source, target: Axes, sources: Sequence[_Source], sides: dict[str, int]
) -> dict[Axes, float] | None:
    """Return b of a measured grouping for every set of axes; None if the target is not determined."""
    shared = [name for name in target if name in source.axes]
    precision: Callable[[Axes], float] = lambda part: sum(  # noqa: E731
        1 / (other.variance * _size(other.axes, sides, part)) for other in sources if set(part) <= set(other.axes)
    )
    if any(precision(part) == 0 for part in _subsets(target)):
        return None
    result = dict.fromkeys(_subsets(shared), 0.0)
    for part in _subsets(shared):
        share = 1 / (precision(part) * _size(source.axes, sides, part) * _size(target, sides, part) * source.variance)
        for inner in _subsets(part):
            result[inner] += share * math.prod(-1 / sides[name] for name in part if name not in inner)
    return result


def _terms(
    weights: Sequence[dict[Axes, float]], sources: Sequence[_Source], target: Axes, sides: dict[str, int]
) -> tuple[tuple[int, float, int], ...]:
    """Return tables of noise with coefficients, and with the number of measured cells that have each of them."""
    numbers: dict[tuple[int, float], int] = {}
    for source, own in zip(sources, weights, strict=True):
        shared = [name for name in target if name in source.axes]
        for agreed in _subsets(shared):
            value = sum(weight for part, weight in own.items() if set(part) <= set(agreed))
            number = math.prod(sides[name] - 1 for name in shared if name not in agreed)
            number *= _size(source.axes, sides, target)
            key = source.table, float(f"{value:.12e}")
            numbers[key] = numbers.get(key, 0) + number
    return tuple((table, value, number) for (table, value), number in sorted(numbers.items()) if abs(value) > 1e-13)


def _estimates(
    weights: Sequence[dict[Axes, float]], sources: Sequence[_Source], target: Axes, sides: dict[str, int]
) -> list[float]:
    """Return the estimates of a grouping, with the axes in order."""
    result = [0.0] * _size(target, sides)
    for part in _subsets(target):
        total = [0.0] * _size(part, sides)
        for source, own in zip(sources, weights, strict=True):
            if part in own:
                sums = _summed(source, part, sides)
                total = [old + own[part] * value for old, value in zip(total, sums, strict=True)]
        spread = _spread(total, part, target, sides)
        result = [old + value for old, value in zip(result, spread, strict=True)]
    return result


def _summed(source: _Source, part: Axes, sides: dict[str, int]) -> list[int]:
    """Return the sums of the measurements over all axes but some."""
    values, axes = source.values, list(source.axes)
    for name in source.axes:
        if name not in part:
            inner = _size(axes[axes.index(name) + 1 :], sides)
            block = inner * sides[name]
            values = [
                sum(values[start + offset : start + block : inner])
                for start in range(0, len(values), block)
                for offset in range(inner)
            ]
            axes.remove(name)
    return values


def _spread(values: list[float], part: Axes, target: Axes, sides: dict[str, int]) -> list[float]:
    """Return numbers of some axes, repeated along the other axes of a grouping."""
    axes = list(part)
    for position, name in enumerate(target):
        if name not in part:
            axes.insert(position, name)
            inner = _size(axes[position + 1 :], sides)
            values = [
                value
                for start in range(0, len(values), inner)
                for _ in range(sides[name])
                for value in values[start : start + inner]
            ]
    return values

"""What a cube is given: margins, variances, fixed values and levels, checked and put in order."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, Integers
from discreet.errors import InputError, ParameterError
from discreet.exact import is_integer
from discreet.reconcile import inputs, tie_breaking
from discreet.reconcile.axes import Axes, Key, Labels

LARGEST_TABLE = 2**27
"""Cells of one table."""

FAR = 2.0 * inputs.LARGEST
"""Above every count."""


@dataclass(frozen=True)
class Problem:
    """What was given, checked, by canonical keys.

    Attributes
    ----------
    axes
        Sides and levels, the categories of each axis in an order that depends on the numbers alone.
    noisy, variance
        Of every grouping that was measured.
    known
        Public values of groupings, -1 where there is none.
    tables
        The groupings that no other refines.
    names
        For each key as given, its (axis, level) pairs in the order of the axes, and that order.
    orders
        For each axis which of the given categories is at each place.
    """

    axes: Axes
    noisy: dict[Key, Floats]
    variance: dict[Key, Floats]
    known: dict[Key, Integers]
    tables: list[Key]
    names: dict[Key, tuple[Key, tuple[int, ...]]]
    orders: list[Integers]

    def given(self, key: Key, values: npt.NDArray[Any]) -> Any:
        """Numbers of a grouping in the order and shape in which the key was given."""
        named, order = self.names[key]
        values = self.axes.restore(named, values)
        for place, (axis, level) in enumerate(named):
            if level is None:
                values = values.take(np.argsort(self.orders[axis]), axis=place)
        return values.transpose(np.argsort(order)) if len(order) > 1 else np.asarray(values)[()]


@dataclass(frozen=True)
class Naming:
    """How errors speak of margins and their cells: by keys and places, or in words."""

    margin: Callable[[Key], str]
    cell: Callable[[Key, tuple[int, ...]], str]


def _key(named: Key) -> str:
    return str(tuple(axis if name is None else (axis, name) for axis, name in named))


BY_KEY = Naming(_key, lambda named, at: f"margin {_key(named)} at {at}")


def read(
    given: Any, variance: Any, fixed: Any, levels: Any, naming: Naming = BY_KEY, *, ordered: bool = True
) -> Problem:
    """What `cube` is given, checked: every mistake is named here.

    `ordered` puts the categories of every axis into an order that depends on the numbers alone.
    """
    if not isinstance(given, Mapping) or not given:
        raise InputError("there are no margins; give {(): total, (0,): array, ...}")
    if not isinstance(fixed, Mapping):
        raise ParameterError(f"fixed is {fixed!r:.60}; give values by margin, {{(): 1000, (0, 1): {{(2, 3): 0}}}}")
    fixed = {key: values for key, values in fixed.items() if not isinstance(values, Mapping) or values}
    labels = _labels(levels)
    names = {key: _name(key, labels) for key in given}
    extra = {key: _name(key, labels) for key in fixed if key not in names}
    if len({named for named, _ in names.values()}) < len(names):
        raise InputError("the same margin is given twice, with its axes in another order; give it once")
    for key, values in given.items():  # before anything is made of them: they may fit into no memory
        _fits(naming.margin(names[key][0]), getattr(values, "size", 0))
    arrays = {key: inputs.integers(values, f"margin {key}") for key, values in given.items()}
    sides = _sides(names, arrays, labels, extra)

    def shape(named: Key) -> tuple[int, ...]:
        return tuple(sides[axis] if name is None else int(labels[axis, name].max()) + 1 for axis, name in named)

    noisy, spread, known = {}, {}, {}
    for key, (named, order) in names.items():
        if arrays[key].ndim != len(named) or arrays[key].transpose(order).shape != shape(named):
            raise InputError(
                f"margin {key} has the shape {arrays[key].shape}; the other margins make it {shape(named)}"
            )
        noisy[named] = arrays[key].transpose(order)
        inputs.together(noisy[named], f"the counts of {naming.margin(named)}")
        own = inputs.variance(_variance_of(variance, key, names), f"variance of {key}")
        if own.shape not in ((), arrays[key].shape):
            raise ParameterError(f"variance of {key} has the shape {own.shape}; give one number, or one a cell")
        if not np.isfinite(own).all():
            raise ParameterError(f"variance of {key} is inf; give finite ones, and leave out a margin not measured")
        spread[named] = own if own.ndim == 0 else own.transpose(order)
    for key, values in fixed.items():
        named, order = names.get(key) or extra[key]
        known[named] = _known(key, values, shape(named), order)
        inputs.together(known[named].clip(0), f"the fixed values of {naming.margin(named)}")
    raw = _Raw(sides, labels, noisy, spread, known, names)
    straight = raw.problem([np.arange(side) for side in sides], naming)
    for table in straight.tables:
        _fits(naming.margin(table), straight.axes.size(table))
    _check_fixed(straight, naming)
    return raw.problem(raw.orders(), naming) if ordered else straight


def _fits(name: str, size: int) -> None:
    if size > LARGEST_TABLE:
        raise InputError(f"{name} has {size:,} cells, more than {LARGEST_TABLE:,}; reconcile smaller tables")


@dataclass(frozen=True)
class _Raw:
    """What was given, in the order in which it was given, by (axis, level) pairs."""

    sides: list[int]
    labels: Labels
    noisy: dict[Key, Integers]
    variance: dict[Key, Floats]
    known: dict[Key, Integers]
    names: dict[Key, tuple[Key, tuple[int, ...]]]

    @cached_property
    def _levels(self) -> dict[tuple[int, Hashable], int]:
        """The levels of all axes in an order that depends on their numbers, not on their names."""
        content = dict.fromkeys(self.labels, 0)
        for values, other in ((self.noisy, self.variance), (self.known, self.known)):
            for named, numbers in values.items():
                cells = tie_breaking.words(numbers) ^ tie_breaking.mix(
                    tie_breaking.words(np.broadcast_to(other[named], numbers.shape))
                )
                sums = int(tie_breaking.mix(cells).sum(dtype=np.uint64))
                for pair in set(named) & content.keys():
                    content[pair] = (content[pair] + sums) % 2**64
        firsts = {
            pair: np.unique(groups, return_index=True)[1][groups].tolist() for pair, groups in self.labels.items()
        }
        order = sorted(self.labels, key=lambda pair: (pair[0], content[pair], firsts[pair]))
        return {pair: place for place, pair in enumerate(order)}

    def _rank(self, named: Key) -> str:
        return str(tuple((axis, None if level is None else self._levels[axis, level]) for axis, level in named))

    def orders(self) -> list[Integers]:
        """For each axis an order of its categories that depends on the numbers alone."""
        content: dict[Key, tie_breaking.Words] = {}
        for place, named in enumerate(sorted({*self.noisy, *self.known}, key=self._rank)):
            shape = np.shape(self.noisy[named] if named in self.noisy else self.known[named])
            words = np.full(shape, place + 1, dtype=np.uint64)
            for values in (self.noisy.get(named), self.variance.get(named), self.known.get(named)):
                if values is not None:
                    words = tie_breaking.mix(words ^ tie_breaking.words(np.broadcast_to(values, shape)))
            content[named] = words
        lines = [np.zeros(side, dtype=np.uint64) for side in self.sides]
        for _ in range(2):
            before = [tie_breaking.mix(line + np.uint64(axis)) for axis, line in enumerate(lines)]
            lines = [line.copy() for line in lines]
            for named, words in content.items():
                for place, (axis, level) in enumerate(named):
                    own = before[axis] if level is None else self._grouped(axis, level, before[axis])
                    words = words + own.reshape([-1 if at == place else 1 for at in range(len(named))])
                words = tie_breaking.mix(words)
                for place, (axis, level) in enumerate(named):
                    line = words.sum(axis=tuple(at for at in range(len(named)) if at != place), dtype=np.uint64)
                    lines[axis] = lines[axis] + (line if level is None else line[self.labels[axis, level]])
        return [np.argsort(line, kind="stable") for line in lines]

    def _grouped(self, axis: int, level: Hashable, words: tie_breaking.Words) -> tie_breaking.Words:
        groups = self.labels[axis, level]
        found = np.zeros(int(groups.max()) + 1, dtype=np.uint64)
        np.add.at(found, groups, words)
        return found

    def problem(self, orders: list[Integers], naming: Naming) -> Problem:
        """The problem with the categories of every axis in the orders."""
        axes = Axes(self.sides, {pair: self.labels[pair][orders[pair[0]]] for pair in self._levels})

        def arranged(named: Key, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
            for place, (axis, level) in enumerate(named):
                values = values.take(orders[axis], axis=place) if level is None else values
            return axes.arrange(named, values)

        noisy: dict[Key, Floats] = {}
        variance: dict[Key, Floats] = {}
        for named, values in sorted(self.noisy.items(), key=lambda item: self._rank(item[0])):
            key, own = axes.canonical(named), self.variance[named]
            new = arranged(named, values).astype(np.float64)
            spread = np.asarray(own if own.ndim == 0 else arranged(named, own), dtype=np.float64)
            if key in noisy:  # two names of one grouping: the mean by precision
                old, before = noisy[key], variance[key]
                variance[key] = 1 / (1 / before + 1 / spread)
                noisy[key] = variance[key] * (old / before + new / spread)
            else:
                noisy[key], variance[key] = new, spread
        known: dict[Key, Integers] = {}
        for named, values in sorted(self.known.items(), key=lambda item: self._rank(item[0])):
            key, new_known = axes.canonical(named), arranged(named, values)
            other = known.get(key, np.full_like(new_known, -1))
            clash = (other >= 0) & (new_known >= 0) & (other != new_known)
            if clash.any():
                at = _first(clash)
                raise ParameterError(
                    f"fixed contradicts itself: {naming.cell(key, at)} is fixed at {other[at]} and at {new_known[at]};"
                    " correct one of them"
                )
            known[key] = np.maximum(other, new_known)
        return Problem(axes, noisy, variance, known, axes.maximal([*noisy, *known]), self.names, orders)


def _labels(levels: Any) -> dict[tuple[int, Hashable], Integers]:
    labels = {}
    if not isinstance(levels, Mapping):
        raise InputError(f"levels are {levels!r:.60}; give them by axis, {{0: {{'state': group of each category}}}}")
    for axis, named in levels.items():
        if not is_integer(axis) or int(axis) < 0:
            raise InputError(f"levels name the axis {axis!r:.60}; axes are 0, 1, 2, ...")
        if not isinstance(named, Mapping):
            raise InputError(f"the levels of axis {axis} have no names; give {{'state': group of each category}}")
        for name, groups in named.items():
            array = inputs.integers(groups, f"level {name!r} of axis {axis}")
            if array.ndim != 1 or not len(array) or set(array.tolist()) != set(range(int(array.max()) + 1)):
                raise InputError(f"level {name!r} of axis {axis} has groups that are not 0, 1, 2, ... without gaps")
            labels[axis, name] = array
    return labels


def _name(key: Any, labels: Mapping[tuple[int, Hashable], Integers]) -> tuple[Key, tuple[int, ...]]:
    """A key as (axis, level) pairs in the order of the axes, and that order."""
    if not isinstance(key, tuple):
        raise InputError(
            f"a margin is named {key!r:.60}; name it by a tuple of axes: () is the total, (0,) keeps axis 0"
        )
    pairs = []
    for part in key:
        axis, name = part if isinstance(part, tuple) and len(part) == 2 else (part, None)
        if not is_integer(axis) or int(axis) < 0:
            raise InputError(f"margin {key} names the axis {axis!r:.60}; axes are 0, 1, 2, ...")
        if name is not None and (axis, name) not in labels:
            raise InputError(f"margin {key} names the level {name!r:.60} of axis {axis}; describe it in levels")
        pairs.append((int(axis), name))
    if len({axis for axis, _ in pairs}) < len(pairs):
        raise InputError(f"margin {key} names an axis twice; give each axis once")
    order = tuple(sorted(range(len(pairs)), key=lambda place: pairs[place][0]))
    return tuple(pairs[place] for place in order), order


def _sides(
    names: Mapping[Key, tuple[Key, tuple[int, ...]]],
    arrays: Mapping[Key, Integers],
    labels: Mapping[tuple[int, Hashable], Integers],
    extra: Mapping[Key, tuple[Key, tuple[int, ...]]],
) -> list[int]:
    sides: dict[int, tuple[int, str]] = {
        axis: (len(groups), f"level {name!r}") for (axis, name), groups in labels.items()
    }
    for (axis, name), groups in labels.items():
        if sides[axis][0] != len(groups):
            raise InputError(f"levels of axis {axis} have different lengths; {name!r} has {len(groups)} categories")
    for key, (named, order) in names.items():
        if arrays[key].ndim != len(named):
            raise InputError(f"margin {key} has the shape {arrays[key].shape}; it keeps {len(named)} axes")
        for (axis, name), place in zip(named, order, strict=True):
            side = arrays[key].shape[place]
            if name is None and sides.setdefault(axis, (side, f"margin {key}"))[0] != side:
                raise InputError(
                    f"margin {key} has {side} categories on axis {axis}, {sides[axis][1]} has {sides[axis][0]};"
                    " give them the same"
                )
    asked = {axis for named, _ in (*names.values(), *extra.values()) for axis, _ in named}
    if asked != set(range(len(sides))) or set(sides) != asked:
        missing = sorted(asked.symmetric_difference(sides) | (set(range(max(asked, default=-1) + 1)) - asked))
        raise InputError(
            f"no margin tells how many categories axis {missing[0]} has; give one that keeps its finest categories"
        )
    if any(side == 0 for side, _ in sides.values()):
        raise InputError("an axis has no categories; leave it out")
    return [sides[axis][0] for axis in range(len(sides))]


def _variance_of(variance: Any, key: Key, names: Mapping[Key, Any]) -> Any:
    if variance is None:
        return 1.0
    if not isinstance(variance, Mapping):
        return variance
    if unknown := set(variance) - set(names):
        raise ParameterError(f"variance names the margin {next(iter(unknown))}, which is not given")
    if key not in variance:
        raise ParameterError(f"variance has no entry for the margin {key}; give one for each")
    return variance[key]


def _known(key: Key, values: Any, shape: tuple[int, ...], order: tuple[int, ...]) -> Integers:
    known = np.full(shape, -1, dtype=np.int64)
    if isinstance(values, Mapping):
        for index, value in values.items():
            place = index if isinstance(index, tuple) else (index,)
            inside = len(place) == len(shape) and all(
                is_integer(place[at]) and 0 <= place[at] < side for at, side in zip(order, shape, strict=True)
            )
            if not inside:
                raise ParameterError(
                    f"fixed names the cell {index!r:.60} of margin {key}, of shape {shape}; give places from 0"
                )
            known[tuple(place[at] for at in order)] = inputs.known(value, f"cell {index} of margin {key}")
        return known
    array = inputs.integers(values, f"fixed {key}")
    if array.ndim != len(shape) or array.transpose(order).shape != shape:
        raise ParameterError(f"fixed {key} has the shape {array.shape}; the margin has {shape}")
    if array.min() < 0:
        raise ParameterError(f"fixed {key} holds {array.min()}; a count is an integer from 0")
    return array.transpose(order)


def _check_fixed(problem: Problem, naming: Naming) -> None:
    """Fixed values must leave room for each other, as far as one can see from two margins, or one and the cells."""
    axes, keys = problem.axes, sorted(problem.known, key=lambda key: (-problem.axes.size(key), problem.axes.rank(key)))
    spans = {key: _span(problem, key) for key in keys}
    for key in keys:
        known, (least, most) = problem.known[key], spans[key]
        wrong = (known >= 0) & ((known < least) | (known > most))
        if wrong.any():
            at = _first(wrong)
            raise ParameterError(
                f"fixed contradicts itself: {naming.cell(key, at)} is fixed at {known[at]}, and its cells add"
                f" up to at least {least[at]:.0f} and at most {most[at]:.0f}; correct one of them"
            )
    for one, other in combinations(keys, 2):
        shared = axes.meet(one, other)
        sums = [_summed(problem, key, shared, spans[key]) for key in (one, other)]
        for side in (0, 1):  # the least of the one against the most of the other, and the other way round
            first, second = sums[0][side], sums[1][1 - side]
            wrong = np.asarray(first < second if side else first > second)
            if wrong.any():
                at = _first(wrong)
                words = [("at least ", "at most ")[end] for end in (side, 1 - side)]
                words = ["" if (problem.known[k] >= 0).all() else w for k, w in zip((one, other), words, strict=True)]
                raise ParameterError(
                    f"fixed contradicts itself: {naming.margin(one)} adds up to {words[0]}{first[at]:.0f} and"
                    f" {naming.margin(other)} to {words[1]}{second[at]:.0f}"
                    f" {f'for {naming.cell(shared, at)}' if shared else 'in all'}; correct one of them"
                )


def _span(problem: Problem, key: Key) -> tuple[Floats, Floats]:
    """The least and the most that each sum of a margin can be, for the bounds of its cells."""
    least, most = np.zeros(problem.axes.shape(key)), np.full(problem.axes.shape(key), np.inf)
    for table in problem.tables:
        if problem.axes.refines(table, key):
            low, high = bounds(problem, table)
            least = np.maximum(least, problem.axes.add(low, table, key))
            most = np.minimum(most, problem.axes.add(high, table, key))
    return least, most


def _summed(problem: Problem, key: Key, shared: Key, span: tuple[Floats, Floats]) -> list[Floats]:
    """The least and the most that a fixed margin leaves to the sums of a coarser one."""
    known = problem.known[key]
    return [problem.axes.add(np.where(known >= 0, known, bound), key, shared) for bound in span]


def _first(wrong: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(place) for place in np.unravel_index(int(np.argmax(wrong)), wrong.shape))


def bounds(problem: Problem, table: Key) -> tuple[Integers, Integers]:
    """Between which each cell of a table must lie."""
    axes = problem.axes
    low = np.zeros(axes.shape(table), dtype=np.int64)
    high = np.full(axes.shape(table), int(FAR))
    for key, known in problem.known.items():
        if key != table and axes.refines(table, key):
            limit = np.where(known >= 0, known, int(FAR)).reshape(-1)
            high = np.minimum(high, limit[axes.owners(table, key)].reshape(high.shape))
    if table in problem.known:
        known = problem.known[table]
        low, high = np.where(known >= 0, known, low), np.where(known >= 0, known, high)
    return low, high

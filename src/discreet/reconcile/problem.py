"""What a cube is given: margins, variances, fixed values and levels, checked and put in order."""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError, ParameterError
from discreet.reconcile import check
from discreet.reconcile.check import Floats, Integers
from discreet.reconcile.margins import LARGEST_CUBE, Key, Margins


@dataclass(frozen=True)
class Problem:
    """What was given, checked; arrays in the order of the axes.

    Attributes
    ----------
    margins
        The sums, and how to take them.
    full
        The key of the cells.
    names
        For each key as given, the margin it names and the order of its axes.
    noisy, variance, known
        For each margin that was given or fixed: noisy counts (None: not measured), variances, public values (-1: none).
    """

    margins: Margins
    full: Key
    names: dict[Key, tuple[Key, tuple[int, ...]]]
    noisy: dict[Key, Integers]
    variance: dict[Key, Floats]
    known: dict[Key, Integers]


@dataclass(frozen=True)
class Naming:
    """How errors speak of margins and their cells: by keys and places, or in words."""

    margin: Callable[[Key], str]
    cell: Callable[[Key, tuple[int, ...]], str]


def _key(named: Key) -> str:
    return str(tuple(axis if name is None else (axis, name) for axis, name in named))


BY_KEY = Naming(_key, lambda named, at: f"margin {_key(named)} at {at}")


def read(given: Any, variance: Any, fixed: Any, levels: Any, naming: Naming = BY_KEY) -> Problem:
    """What `cube` is given, checked: every mistake is named here."""
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
    arrays = {key: check.integers(values, f"margin {key}") for key, values in given.items()}
    sides = _sides(names, arrays, labels, extra)
    full = tuple((axis, None) for axis in range(len(sides)))
    wanted = [named for named, _ in (*names.values(), *extra.values())]
    margins = Margins(sides, list(dict.fromkeys(wanted)), labels)
    noisy, spread, known = {}, {}, {}
    for key, (named, order) in names.items():
        shape = margins.shape(named)
        if arrays[key].ndim != len(shape) or arrays[key].transpose(order).shape != shape:
            raise InputError(f"margin {key} has the shape {arrays[key].shape}; the other margins make it {shape}")
        noisy[named] = arrays[key].transpose(order)
        check.together(noisy[named], f"the counts of {naming.margin(named)}")
        own = check.variance(_variance_of(variance, key, names), f"variance of {key}")
        if own.shape not in ((), arrays[key].shape):
            raise ParameterError(f"variance of {key} has the shape {own.shape}; give one number, or one a cell")
        if not np.isfinite(own).all():
            raise ParameterError(f"variance of {key} is inf; give finite ones, and leave out a margin not measured")
        spread[named] = own if own.ndim == 0 else own.transpose(order)
    for key, values in fixed.items():
        named, order = names.get(key) or extra[key]
        known[named] = _known(key, values, margins.shape(named), order)
        check.together(known[named].clip(0), f"the fixed values of {naming.margin(named)}")
    problem = Problem(margins, full, names, noisy, spread, known)
    _check_fixed(problem, naming)
    return problem


def _labels(levels: Any) -> dict[tuple[int, Hashable], Integers]:
    labels = {}
    if not isinstance(levels, Mapping):
        raise InputError(f"levels are {levels!r:.60}; give them by axis, {{0: {{'state': group of each category}}}}")
    for axis, named in levels.items():
        if isinstance(axis, bool) or not hasattr(axis, "__index__") or int(axis) < 0:
            raise InputError(f"levels name the axis {axis!r:.60}; axes are 0, 1, 2, ...")
        if not isinstance(named, Mapping):
            raise InputError(f"the levels of axis {axis} have no names; give {{'state': group of each category}}")
        for name, groups in named.items():
            array = check.integers(groups, f"level {name!r} of axis {axis}")
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
        if isinstance(axis, bool) or not hasattr(axis, "__index__") or int(axis) < 0:
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
    cells = int(np.prod([float(side) for side, _ in sides.values()]))
    if cells > LARGEST_CUBE:
        raise InputError(f"the axes make {cells:,} cells, more than {LARGEST_CUBE:,}; reconcile fewer axes at once")
    if cells == 0:
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
                isinstance(place[at], (int, np.integer)) and not isinstance(place[at], bool) and 0 <= place[at] < side
                for at, side in zip(order, shape, strict=True)
            )
            if not inside:
                raise ParameterError(
                    f"fixed names the cell {index!r:.60} of margin {key}, of shape {shape}; give places from 0"
                )
            known[tuple(place[at] for at in order)] = check.known(value, f"cell {index} of margin {key}")
        return known
    array = check.integers(values, f"fixed {key}")
    if array.ndim != len(shape) or array.transpose(order).shape != shape:
        raise ParameterError(f"fixed {key} has the shape {array.shape}; the margin has {shape}")
    if array.min() < 0:
        raise ParameterError(f"fixed {key} holds {array.min()}; a count is an integer from 0")
    return array.transpose(order)


def _check_fixed(problem: Problem, naming: Naming) -> None:
    """Fixed values must leave room for each other, as far as one can see from two margins, or one and the cells."""
    low, high = bounds(problem)
    keys = [named for named in problem.margins.keys if named in problem.known]
    spans = {named: _span(problem, named, low, high) for named in keys}
    for named in keys:
        known, (least, most) = problem.known[named], spans[named]
        wrong = (known >= 0) & ((known < least) | (known > most))
        if wrong.any():
            at = _first(wrong)
            raise ParameterError(
                f"fixed contradicts itself: {naming.cell(named, at)} is fixed at {known[at]}, and its cells add"
                f" up to at least {least[at]:.0f} and at most {most[at]:.0f}; correct one of them"
            )
    for one, other in combinations(keys, 2):
        shared = _shared(one, other)
        sums = [_summed(problem, named, shared, spans[named]) for named in (one, other)]
        for side in (0, 1):  # the least of the one against the most of the other, and the other way round
            first, second = sums[0][side], sums[1][1 - side]
            wrong = np.asarray(first < second if side else first > second)
            if wrong.any():
                at = _first(wrong)
                words = [("at least ", "at most ")[end] for end in (side, 1 - side)]
                words = ["" if (problem.known[n] >= 0).all() else w for n, w in zip((one, other), words, strict=True)]
                raise ParameterError(
                    f"fixed contradicts itself: {naming.margin(one)} adds up to {words[0]}{first[at]:.0f} and"
                    f" {naming.margin(other)} to {words[1]}{second[at]:.0f}"
                    f" {f'for {naming.cell(shared, at)}' if shared else 'in all'}; correct one of them"
                )


def _span(problem: Problem, named: Key, low: Integers, high: Integers) -> tuple[Floats, Floats]:
    """The least and the most that each sum of a margin can be, for the bounds of its cells."""
    owner = problem.margins.owners(named, np.arange(low.size))
    shape = problem.margins.shape(named)
    return _totals(owner, low, shape), _totals(owner, high, shape)


def _shared(one: Key, other: Key) -> Key:
    """The finest margin that both can be added up to, as far as the names of levels tell."""
    levels = dict(other)
    return tuple(
        (axis, levels[axis] if name is None else name)
        for axis, name in one
        if axis in levels and (name is None or levels[axis] in (None, name))
    )


def _summed(problem: Problem, named: Key, shared: Key, span: tuple[Floats, Floats]) -> list[Floats]:
    """The least and the most that a fixed margin leaves to the sums of a coarser one."""
    every = np.arange(math.prod(problem.margins.sides))
    known, shape = problem.known[named].reshape(-1), problem.margins.shape(shared)
    to = np.zeros(known.size, dtype=np.int64)
    to[problem.margins.owners(named, every)] = problem.margins.owners(shared, every)
    return [_totals(to, np.where(known >= 0, known, bound.reshape(-1)), shape) for bound in span]


def _totals(owner: Integers, values: npt.NDArray[Any], shape: tuple[int, ...]) -> Floats:
    return np.bincount(owner, values.reshape(-1), math.prod(shape)).astype(np.float64).reshape(shape)


def _first(wrong: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(place) for place in np.unravel_index(int(np.argmax(wrong)), wrong.shape))


def bounds(problem: Problem) -> tuple[Integers, Integers]:
    """Between which each cell must lie."""
    margins = problem.margins
    low = np.zeros(margins.sides, dtype=np.int64)
    high = np.full(margins.sides, 2 * check.LARGEST)
    for named, known in problem.known.items():
        if named != problem.full:
            place = margins.owners(named, np.arange(low.size)).reshape(low.shape)
            limit = np.where(known >= 0, known, 2 * check.LARGEST).reshape(-1)
            high = np.minimum(high, limit[place])
    if problem.full in problem.known:
        known = problem.known[problem.full]
        low, high = np.where(known >= 0, known, low), np.where(known >= 0, known, high)
    return low, high

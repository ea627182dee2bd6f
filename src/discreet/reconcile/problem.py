"""What a cube is given: margins, variances, fixed values and levels, checked and put in order."""

from collections.abc import Hashable, Mapping
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


def read(given: Any, variance: Any, fixed: Any, levels: Any) -> Problem:
    """What `cube` is given, checked: every mistake is named here."""
    if not isinstance(given, Mapping) or not given:
        raise InputError("there are no margins; give {(): total, (0,): array, ...}")
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
        own = check.variance(_variance_of(variance, key, names), f"variance of {key}")
        if own.shape not in ((), arrays[key].shape) or not np.isfinite(own).all():
            raise ParameterError(f"variance of {key} has the shape {own.shape}; give one finite number, or one a cell")
        spread[named] = own if own.ndim == 0 else own.transpose(order)
    for key, values in fixed.items():
        named, order = names.get(key) or extra[key]
        known[named] = _known(key, values, margins.shape(named), order)
    problem = Problem(margins, full, names, noisy, spread, known)
    _check_fixed(problem)
    return problem


def _labels(levels: Any) -> dict[tuple[int, Hashable], Integers]:
    labels = {}
    for axis, named in levels.items():
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
            f"no margin tells how many categories axis {missing[0]} has; give one that keeps it, or levels"
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
            try:
                ordered = tuple(place[at] for at in order)
                inside = len(place) == len(shape) and all(
                    0 <= at < side for at, side in zip(ordered, shape, strict=True)
                )
            except (IndexError, TypeError):
                inside = False
            if not inside:
                raise ParameterError(f"fixed names the cell {index!r:.60} of margin {key}, which has the shape {shape}")
            known[ordered] = check.known(value, f"cell {index} of margin {key}")
        return known
    array = check.integers(values, f"fixed {key}")
    if array.ndim != len(shape) or array.transpose(order).shape != shape:
        raise ParameterError(f"fixed {key} has the shape {array.shape}; the margin has {shape}")
    if array.min() < 0:
        raise ParameterError(f"fixed {key} holds {array.min()}; a count is an integer from 0")
    return array.transpose(order)


def _check_fixed(problem: Problem) -> None:
    """Fixed values must leave room for each other, as far as one can see from two at a time."""
    low, high = bounds(problem)
    keys = problem.margins.keys
    for named, least, most in zip(
        keys, problem.margins.add(low), problem.margins.add(high.astype(np.float64)), strict=True
    ):
        known = problem.known.get(named)
        if known is None:
            continue
        wrong = (known >= 0) & ((known < least) | (known > most))
        if wrong.any():
            at = _first(wrong)
            raise ParameterError(
                f"fixed contradicts itself: margin {show(named)} at {at} is fixed at {known[at]}, and its cells add"
                f" up to at least {least[at]:.0f} and at most {most[at]:.0f}; correct one of them"
            )
    whole = [named for named in keys if named in problem.known and (problem.known[named] >= 0).all()]
    for one, other in combinations(whole, 2):
        shared = tuple(pair for pair in one if pair in other)
        sums = [
            problem.known[named].sum(axis=tuple(at for at, pair in enumerate(named) if pair not in shared))
            for named in (one, other)
        ]
        if (sums[0] != sums[1]).any():
            at = _first(np.asarray(sums[0] != sums[1]))
            first, second = (np.asarray(total)[at] for total in sums)
            raise ParameterError(
                f"fixed contradicts itself: {show(one)} adds up to {first} and {show(other)} to {second}"
                f"{f' at {at} of {show(shared)}' if shared else ' in all'}; correct one of them"
            )


def _first(wrong: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(place) for place in np.unravel_index(int(np.argmax(wrong)), wrong.shape))


def show(named: Key) -> str:
    """A margin as it is given."""
    return str(tuple(axis if name is None else (axis, name) for axis, name in named))


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

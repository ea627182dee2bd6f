"""Read what a user gives `cube`: margins, variances, fixed values and levels. Every mistake is refused here."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from discreet.arrays import Floats, Integers, fixed_value, integers, noise_variances, require_summable
from discreet.errors import InputError, ParameterError
from discreet.exact import is_integer
from discreet.reconcile.axes import Key, Labels
from discreet.reconcile.problem import (
    BY_KEY,
    Naming,
    Problem,
    UnorderedProblem,
    UserKey,
    UserMargin,
    bounds,
    first_index,
)

LARGEST_TABLE = 2**27
"""Most cells of one table."""


def read_problem(
    margins: Any,
    variance: Any,
    fixed: Any,
    levels: Any,
    naming: Naming = BY_KEY,
    *,
    ordered: bool = True,
    others: Sequence[UserKey] = (),
) -> Problem:
    """Return the arguments of `cube` as a problem.

    Parameters
    ----------
    margins, variance, fixed, levels
        As for `cube`.
    naming
        How messages name margins and cells.
    ordered
        Sort the categories of every axis by their contents (`problem`).
    others
        Margins that are not measured and are asked for. Each is a sum of cells of a measured margin.

    Raises
    ------
    InputError
        Margins or levels are not what they should be.
    ParameterError
        Variances or fixed values are not what they should be, or fixed values contradict each other.
    """
    if not isinstance(margins, Mapping) or not margins:
        raise InputError("margins are empty or no mapping; give {(): total, (0,): array, ...}")
    fixed = {} if fixed is None else fixed
    if not isinstance(fixed, Mapping):
        raise ParameterError(f"fixed is {fixed!r:.60}; give values by margin, {{(): 1000, (0, 1): {{(2, 3): 0}}}}")
    fixed = {key: values for key, values in fixed.items() if not isinstance(values, Mapping) or values}
    labels = _labels({} if levels is None else levels)
    user_margins = {key: _user_margin(key, labels) for key in margins}
    fixed_margins = {key: user_margins.get(key) or _user_margin(key, labels) for key in fixed}
    if len({margin.pairs for margin in user_margins.values()}) < len(user_margins):
        raise InputError("one margin is given twice, with its axes in another order; give it once")
    for key, values in margins.items():  # before arrays are made of them: they may not fit into memory
        _require_small(naming.margin(user_margins[key].pairs), getattr(values, "size", 0))
    counts = {key: integers(values, f"margin {key}") for key, values in margins.items()}
    sides = _sides(user_margins, counts, labels, fixed_margins)

    noisy, variances, known = {}, {}, {}
    for key, (pairs, order) in user_margins.items():
        noisy[pairs] = _measurements(key, counts[key], _shape(pairs, sides, labels), order)
        require_summable(noisy[pairs], f"the counts of {naming.margin(pairs)}")
        margin_variance = _variance(_variance_of(variance, key, user_margins), key, counts[key].shape)
        variances[pairs] = margin_variance.transpose(order) if margin_variance.ndim else margin_variance
    for key, values in fixed.items():
        pairs, order = fixed_margins[key]
        known[pairs] = _known(key, values, _shape(pairs, sides, labels), order)
        require_summable(known[pairs].clip(0), f"the fixed values of {naming.margin(pairs)}")
    asked_for = user_margins | {key: _user_margin(key, labels) for key in others}
    unordered = UnorderedProblem(sides, labels, noisy, variances, known, asked_for)
    problem = unordered.in_user_order(naming)
    for table in problem.tables:
        _require_small(naming.margin(table), problem.axes.size(table))
    _require_consistent_fixed(problem, naming)
    return unordered.in_content_order(naming) if ordered else problem


def _require_small(name: str, size: int) -> None:
    if size > LARGEST_TABLE:
        raise InputError(f"{name} has {size:,} cells, more than {LARGEST_TABLE:,}; reconcile smaller tables")


def _shape(pairs: Key, sides: list[int], labels: Labels) -> tuple[int, ...]:
    return tuple(sides[axis] if level is None else int(labels[axis, level].max()) + 1 for axis, level in pairs)


def _labels(levels: Any) -> dict[tuple[int, Hashable], Integers]:
    """Return the partition of every level, by (axis, level)."""
    if not isinstance(levels, Mapping):
        raise InputError(f"levels are {levels!r:.60}; give levels by axis, {{0: {{'state': group of each category}}}}")
    labels = {}
    for axis, partitions in levels.items():
        if not is_integer(axis) or int(axis) < 0:
            raise InputError(f"levels name the axis {axis!r:.60}; axes are 0, 1, 2, ...")
        if not isinstance(partitions, Mapping):
            raise InputError(f"the levels of axis {axis} have no names; give {{'state': group of each category}}")
        for level, groups in partitions.items():
            array = integers(groups, f"level {level!r} of axis {axis}")
            if array.ndim != 1 or not len(array) or set(array.tolist()) != set(range(int(array.max()) + 1)):
                raise InputError(
                    f"level {level!r} of axis {axis} has gaps in its groups; number the groups 0, 1, 2, ..."
                )
            labels[axis, level] = array
    return labels


def _user_margin(key: Any, labels: Labels) -> UserMargin:
    """Return what a user's key stands for."""
    if not isinstance(key, tuple):
        raise InputError(f"a margin has the key {key!r:.60}; give a tuple of axes: () is the total, (0,) keeps axis 0")
    pairs = []
    for entry in key:
        axis, level = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, None)
        if not is_integer(axis) or int(axis) < 0:
            raise InputError(f"margin {key} names the axis {axis!r:.60}; axes are 0, 1, 2, ...")
        if level is not None and (axis, level) not in labels:
            raise InputError(f"margin {key} names the level {level!r:.60} of axis {axis}; describe it in levels")
        pairs.append((int(axis), level))
    if len({axis for axis, _ in pairs}) < len(pairs):
        raise InputError(f"margin {key} names an axis twice; give each axis once")
    order = tuple(sorted(range(len(pairs)), key=lambda dimension: pairs[dimension][0]))
    return UserMargin(tuple(pairs[dimension] for dimension in order), order)


def _sides(
    user_margins: Mapping[UserKey, UserMargin],
    counts: Mapping[UserKey, Integers],
    labels: Labels,
    fixed_margins: Mapping[UserKey, UserMargin],
) -> list[int]:
    """Return the number of categories of each axis."""
    sides: dict[int, tuple[int, str]] = {
        axis: (len(groups), f"level {level!r}") for (axis, level), groups in labels.items()
    }
    for (axis, level), groups in labels.items():
        if sides[axis][0] != len(groups):
            raise InputError(f"levels of axis {axis} have different lengths; {level!r} has {len(groups)} categories")
    for key, (pairs, order) in user_margins.items():
        if counts[key].ndim != len(pairs):
            raise InputError(f"margin {key} has the shape {counts[key].shape}, but keeps {len(pairs)} axes")
        for (axis, level), dimension in zip(pairs, order, strict=True):
            side = counts[key].shape[dimension]
            if level is None and sides.setdefault(axis, (side, f"margin {key}"))[0] != side:
                raise InputError(
                    f"margin {key} has {side} categories on axis {axis}, {sides[axis][1]} has {sides[axis][0]};"
                    " give the same number"
                )
    named = {axis for margin in (*user_margins.values(), *fixed_margins.values()) for axis, _ in margin.pairs}
    if named != set(range(len(sides))) or set(sides) != named:
        missing = sorted(named.symmetric_difference(sides) | (set(range(max(named, default=-1) + 1)) - named))
        raise InputError(
            f"no margin tells how many categories axis {missing[0]} has; give one that keeps its finest categories"
        )
    if any(side == 0 for side, _ in sides.values()):
        raise InputError("an axis has no categories; leave it out")
    return [sides[axis][0] for axis in range(len(sides))]


def _measurements(key: UserKey, array: Integers, shape: tuple[int, ...], order: tuple[int, ...]) -> Integers:
    """Return the measurements of a margin, with axes in order."""
    if array.ndim != len(shape) or array.transpose(order).shape != shape:
        raise InputError(f"margin {key} has the shape {array.shape}; the other margins make it {shape}")
    return array.transpose(order)


def _variance_of(variance: Any, key: UserKey, user_margins: Mapping[UserKey, UserMargin]) -> Any:
    """Return the part of the argument `variance` that is about one margin."""
    if variance is None:
        return 1.0
    if not isinstance(variance, Mapping):
        return variance
    if unknown := set(variance) - set(user_margins):
        raise ParameterError(f"variance names the margin {next(iter(unknown))}, which is not given")
    if key not in variance:
        raise ParameterError(f"variance has no entry for the margin {key}; give one for each margin")
    return variance[key]


def _variance(values: Any, key: UserKey, shape: tuple[int, ...]) -> Floats:
    """Return the variance of one margin: one number, or one a cell."""
    variance = noise_variances(values, f"variance of {key}")
    if variance.shape not in ((), shape):
        raise ParameterError(f"variance of {key} has the shape {variance.shape}; give one number, or one a cell")
    if not np.isfinite(variance).all():
        raise ParameterError(f"variance of {key} is inf; give finite numbers, and leave out margins not measured")
    return variance


def _known(key: UserKey, values: Any, shape: tuple[int, ...], order: tuple[int, ...]) -> Integers:
    """Return the fixed values of a margin, with axes in order; -1 for cells that are not fixed."""
    if isinstance(values, Mapping):
        known = np.full(shape, -1, dtype=np.int64)
        for user_index, value in values.items():
            index = user_index if isinstance(user_index, tuple) else (user_index,)
            inside = len(index) == len(shape) and all(
                is_integer(index[dimension]) and 0 <= index[dimension] < side
                for dimension, side in zip(order, shape, strict=True)
            )
            if not inside:
                raise ParameterError(
                    f"fixed names the cell {user_index!r:.60} of margin {key}, of shape {shape}; give indices from 0"
                )
            name = f"cell {user_index} of margin {key}"
            known[tuple(index[dimension] for dimension in order)] = fixed_value(value, name)
        return known
    array = integers(values, f"fixed {key}")
    if array.ndim != len(shape) or array.transpose(order).shape != shape:
        raise ParameterError(f"fixed {key} has the shape {array.shape}; the margin has {shape}")
    if array.min() < 0:
        raise ParameterError(f"fixed {key} holds {array.min()}; give integers from 0")
    return array.transpose(order)


def _require_consistent_fixed(problem: Problem, naming: Naming) -> None:
    """Raise ParameterError if two fixed margins, or a fixed margin and fixed cells, contradict each other."""
    axes = problem.axes
    keys = sorted(problem.known, key=lambda key: (-axes.size(key), axes.rank(key)))
    ranges = {key: _possible_sums(problem, key) for key in keys}
    for key in keys:
        known, (least, most) = problem.known[key], ranges[key]
        wrong = (known >= 0) & ((known < least) | (known > most))
        if wrong.any():
            index = first_index(wrong)
            raise ParameterError(
                f"fixed contradicts itself: {naming.cell(key, index)} is fixed at {known[index]}, and its cells add"
                f" up to at least {least[index]:.0f} and at most {most[index]:.0f}; correct one of them"
            )
    for first, second in combinations(keys, 2):
        _require_overlap(problem, naming, (first, second), (ranges[first], ranges[second]))


def _require_overlap(
    problem: Problem, naming: Naming, keys: tuple[Key, Key], ranges: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]
) -> None:
    """Raise ParameterError if two fixed margins leave no common sums to the finest grouping that both refine."""
    shared = problem.axes.meet(*keys)
    first, second = (_sums_left(problem, key, shared, limits) for key, limits in zip(keys, ranges, strict=True))
    for end, wrong in ((0, first[0] > second[1]), (1, first[1] < second[0])):
        if not np.any(wrong):
            continue
        index = first_index(np.asarray(wrong))
        words = [("at least ", "at most ")[side] for side in (end, 1 - end)]
        words = ["" if (problem.known[key] >= 0).all() else word for key, word in zip(keys, words, strict=True)]
        raise ParameterError(
            f"fixed contradicts itself: {naming.margin(keys[0])} adds up to {words[0]}{first[end][index]:.0f} and"
            f" {naming.margin(keys[1])} to {words[1]}{second[1 - end][index]:.0f}"
            f" {f'for {naming.cell(shared, index)}' if shared else 'in all'}; correct one of them"
        )


def _possible_sums(problem: Problem, key: Key) -> tuple[Floats, Floats]:
    """Return the least and the most that each sum of a margin can be within the bounds of its cells."""
    least, most = np.zeros(problem.axes.shape(key)), np.full(problem.axes.shape(key), np.inf)
    for table in problem.tables:
        if problem.axes.refines(table, key):
            low, high = bounds(problem, table)
            least = np.maximum(least, problem.axes.add(low, table, key))
            most = np.minimum(most, problem.axes.add(high, table, key))
    return least, most


def _sums_left(problem: Problem, key: Key, shared: Key, limits: tuple[Floats, Floats]) -> list[Floats]:
    """Return the least and the most that a fixed margin leaves to the sums of a coarser grouping."""
    known = problem.known[key]
    return [problem.axes.add(np.where(known >= 0, known, limit), key, shared) for limit in limits]

"""Crossed tables and their margins, made to add up; hierarchies on the axes if need be.

The unknowns are the cells of the largest groupings that are given, the **tables**; margins that several tables have
are one and the same. Tables x >= 0 are fitted to all measurements by weighted least squares (`least_squares`), which
returns a certificate or fails. Then they are rounded, what tables share first (`whole_numbers`). A single table of one
or two dimensions has every number rounded down or up, where nothing is fixed. In more dimensions, or with levels, that
is not always possible: every cell is rounded down or up so that the margins stay within a unit or two. `moved` tells
how far each margin is from its noisy values.

Categories are first put into an order that depends on their counts only, so the result does not depend on the order in
which the categories of an axis are given, except between categories that agree in everything.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.errors import InputError, SolverError
from discreet.reconcile import inputs, tie_breaking
from discreet.reconcile.axes import Key
from discreet.reconcile.blocks import Block
from discreet.reconcile.least_squares import Fit, fit
from discreet.reconcile.margins import Levels
from discreet.reconcile.problem import BY_KEY, Naming, Problem, read
from discreet.reconcile.settle import settled
from discreet.reconcile.variances import variances
from discreet.reconcile.whole_numbers import whole_numbers

LATENT = 10.0
"""The variance of numbers that were not measured beside fixed ones, against the largest of the noise."""

ROUGH = 1e-2
"""Largest disagreement of simulated tables, in standard deviations of the least noise."""

ROUNDS = 200
"""Fits with numbers that were not measured, each around what the last one found, at most."""

STILL = 1e-3
"""How far measured numbers may move in the last of these rounds, in standard deviations of the least noise."""


def cube(
    margins: Mapping[Key, npt.ArrayLike],
    *,
    variance: Any = None,
    fixed: Mapping[Key, Any] | None = None,
    seed: int | None = None,
    levels: Levels | None = None,
) -> dict[Key, Any]:
    """Non-negative integers that add up, from noisy margins of crossed tables.

    Parameters
    ----------
    margins
        Noisy integers by the axes they keep: {(): total, (0,): array, (0, 1): array, ...}, any set of them, every cell
        of each. An axis at a coarser level is a pair: (0, "state").
    variance
        Of the noise: one number, or one a margin; a margin's may be one number or one a cell. All equal unless given;
        only ratios matter.
    fixed
        Values that are public from elsewhere and must be met exactly: by margin, either all its values or some by
        index, {(): 1000, (0, 1): {(2, 3): 0}}. A structural zero is a cell fixed at 0.
    seed
        Decides ties; None takes a fresh one.
    levels
        Coarser levels of axes: {axis: {name: group of each category}}, groups being 0, 1, 2, ...

    Returns
    -------
    The same keys with int64 values. A margin is the sum of the cells of every table that has it. Tables that form a
    circle (0, 1), (1, 2), (0, 2) agree with each other; that there are microdata with all of them is not promised.

    Raises
    ------
    InputError, ParameterError
        Something given is not what it should be, or fixed values contradict each other.
    SolverError
        Least squares did not converge to within the limits of its certificate, or no integers were found.
    """
    return reconciled(margins, variance, fixed, seed, levels, BY_KEY).values


@dataclass(frozen=True)
class Reconciled:
    """Tables that add up, and how good they are.

    Attributes
    ----------
    values
        The integers, by the keys that were given.
    real
        The least-squares numbers that were rounded, by the same keys.
    free
        Least squares without bounds and without settling anything, by the same keys; None unless it was needed.
    gap, residual
        The certificate of the fit (`least_squares`).
    shift
        The largest step from a real cell to its integer.
    """

    values: dict[Key, Any]
    real: dict[Key, Any]
    free: dict[Key, Any] | None
    gap: float
    residual: float
    shift: float


def reconciled(
    margins: Any,
    variance: Any,
    fixed: Any,
    seed: int | None,
    levels: Any,
    naming: Naming = BY_KEY,
    *,
    total_first: bool = False,
) -> Reconciled:
    """The same as `cube`, with its certificate, and errors in the words of `naming`.

    `total_first`: the total and then the sums along each axis are settled before the tables (`settle`).
    """
    problem = read(margins, variance, {} if fixed is None else fixed, {} if levels is None else levels, naming)
    free = None
    blocks, rounding = blocks_of(problem), problem
    if total_first:
        free = _fitted(problem, [replace(block, low=None, high=None) for block in blocks])
        blocks, rounding = settled(problem, blocks, free.tables)
    try:
        found = _fitted(problem, blocks)
    except SolverError as error:
        if not problem.known:
            raise
        fixed_margins = ", ".join(map(naming.margin, problem.known))
        raise SolverError(
            f"no tables were found that meet the fixed values of {fixed_margins}: they may contradict each other; leave"
            f" one of them out ({error})"
        ) from error
    whole = whole_numbers(rounding, {key: found.tables[key] for key in problem.tables}, tie_breaking.key(seed), naming)
    return Reconciled(
        _by_key(problem, whole.tables),
        _by_key(problem, found.tables),
        None if free is None else _by_key(problem, free.tables),
        found.gap,
        found.residual,
        whole.shift,
    )


def blocks_of(problem: Problem) -> list[Block]:
    """Every grouping that was measured or is fixed; tables are not negative."""
    loose = LATENT * max(float(np.max(value)) for value in problem.variance.values())
    level = {key: max(0.01, float(values.sum())) for key, values in problem.noisy.items()}
    some = max(level.values())
    blocks = []
    for key in dict.fromkeys([*problem.noisy, *problem.known]):
        values = problem.noisy.get(key)
        spread = problem.variance.get(key)
        if values is None or spread is None:
            values, spread = _start(problem, key, some), np.asarray(loose)
        known = problem.known.get(key)
        if known is not None:
            values = np.where(known >= 0, known, values)
            spread = np.where(known >= 0, 0.0, spread)
        blocks.append(Block(key, values, spread, np.asarray(0.0) if key in problem.tables else None))
    return blocks


def _start(problem: Problem, key: Key, total: float) -> Floats:
    """Numbers of a grouping that was not measured: sums of one that was, or all alike."""
    finer = [each for each in problem.noisy if problem.axes.refines(each, key)]
    if not finer:
        return np.full(problem.axes.shape(key), total / problem.axes.size(key))
    chosen = min(finer, key=problem.axes.size)
    return np.asarray(problem.axes.add(problem.noisy[chosen], chosen, key), dtype=np.float64)


def _fitted(problem: Problem, blocks: list[Block]) -> Fit:
    """The fit; numbers that were not measured take rounds, each around what the last one found, until all stand still.

    Each round is least squares with those numbers held near the last ones, so the last one is least squares without
    them.
    """
    found = fit(problem.axes, blocks)
    latent = {key for key, known in problem.known.items() if key not in problem.noisy and (known < 0).any()}
    if not latent:
        return found
    limit = STILL * math.sqrt(min(float(np.min(spread)) for spread in problem.variance.values()))
    for _ in range(ROUNDS):
        blocks = [
            block
            if block.key not in latent
            else replace(block, values=np.where(block.variance > 0, found.tables[block.key], block.values))
            for block in blocks
        ]
        last, found = found, fit(problem.axes, blocks)
        if max(float(np.abs(found.tables[key] - last.tables[key]).max()) for key in problem.noisy) <= limit:
            return found
    raise SolverError(
        f"least squares did not converge in {ROUNDS} rounds: fixed values are given for sums that were not measured;"
        " measure these, or leave the fixed values out"
    )


def real_tables(
    given: Sequence[Mapping[Key, Any]], variance: Mapping[Key, Any], levels: Levels | None
) -> list[tuple[dict[Key, Any], dict[Key, Any]]]:
    """Several cubes of one kind at once, not rounded: least squares without bounds, and the tables with totals first.

    For simulations: parameters are those of `cube`, `given` having the margins of each.
    """
    problems = [read(each, variance, {}, {} if levels is None else levels, ordered=False) for each in given]
    axes = problems[0].axes
    blocks = [[replace(block, copy=number) for block in blocks_of(each)] for number, each in enumerate(problems)]
    unbounded = [replace(block, low=None, high=None) for each in blocks for block in each]
    free = fit(axes, unbounded, ROUGH).copies
    first = [settled(problem, each, below)[0] for problem, each, below in zip(problems, blocks, free, strict=True)]
    kept = [replace(block, copy=number) for number, each in enumerate(first) for block in each]
    real = fit(axes, kept, ROUGH).copies
    return [
        (_by_key(problem, one), _by_key(problem, other))
        for problem, one, other in zip(problems, free, real, strict=True)
    ]


def standard_deviations(
    shapes: Mapping[Key, tuple[int, ...]], variance: Mapping[Key, Any], levels: Levels | None
) -> dict[Key, float] | None:
    """The standard deviation of least squares without bounds, over the cells of each margin; None if not known exactly.

    Parameters are those of `cube`, with the shape of every margin in place of its numbers.
    """
    zeros = {key: np.zeros(shape, dtype=np.int64) for key, shape in shapes.items()}
    problem = read(zeros, variance, {}, {} if levels is None else levels, ordered=False)
    found = variances(problem.axes, blocks_of(problem))
    if found is None:
        return None
    return {key: math.sqrt(found[problem.axes.canonical(named)]) for key, (named, _) in problem.names.items()}


def _by_key(problem: Problem, tables: Mapping[Key, npt.NDArray[Any]]) -> dict[Key, Any]:
    """The numbers of every key that was given, from those of the tables."""
    axes, found = problem.axes, {}
    for key, (named, _) in problem.names.items():
        wanted = axes.canonical(named)
        if wanted in tables:
            values = tables[wanted]
        else:
            table = next(table for table in problem.tables if axes.refines(table, wanted))
            values = axes.add(tables[table], table, wanted).astype(tables[table].dtype)
        found[key] = problem.given(key, values)
    return found


@dataclass(frozen=True)
class Moved:
    """How far reconciled numbers are from the noisy ones."""

    largest: int
    mean: float
    root_mean_square: float


def moved(noisy: Any, reconciled: Any) -> Any:
    """How far reconciliation moved the numbers: one `Moved` for an array, one a margin for those of a cube."""
    if isinstance(noisy, Mapping):
        if not isinstance(reconciled, Mapping) or set(noisy) != set(reconciled):
            raise InputError("the noisy and the reconciled margins have different keys; give those of one cube")
        return {key: moved(noisy[key], reconciled[key]) for key in noisy}
    before, after = inputs.integers(noisy, "noisy"), inputs.integers(reconciled, "reconciled")
    if before.shape != after.shape or not before.size:
        raise InputError(f"noisy has the shape {before.shape}, reconciled {after.shape}; give the same cells")
    distance = np.abs(after - before)
    return Moved(int(distance.max()), float(distance.mean()), float(np.sqrt(np.mean(distance.astype(np.float64) ** 2))))

"""Make crossed tables and their margins add up; axes may have levels.

The unknowns are the cells of the **tables**: the largest groupings that are given. A margin that several tables have is
one and the same grouping. Non-negative tables are fitted to all measurements by weighted least squares
(`least_squares`), which returns a certificate or fails. Then the tables are rounded, the groupings that tables share
first (`whole_numbers`).

In a single table of one or two dimensions, with nothing fixed, every number is rounded down or up. In more dimensions,
or with levels, that is not always possible: every cell is rounded down or up so that the margins stay within a unit or
two. `moved` tells how far each margin is from its measurements.

The categories of an axis are first sorted by their contents (`problem`). So the result does not depend on the
order in which categories are given, except for categories that agree in everything.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats, integers
from discreet.errors import InputError, SolverError
from discreet.reconcile import tie_breaking
from discreet.reconcile.axes import Array, Key
from discreet.reconcile.fit_problem import Block, Fit
from discreet.reconcile.least_squares import fit
from discreet.reconcile.margins import Levels
from discreet.reconcile.problem import BY_KEY, Naming, Problem, UserKey
from discreet.reconcile.read_problem import read_problem
from discreet.reconcile.settle import settle
from discreet.reconcile.variances import variances
from discreet.reconcile.whole_numbers import whole_numbers

LATENT = 10.0
"""Variance of numbers that are not measured in a grouping with fixed values, relative to the largest of the noise."""

ROUGH = 1e-2
"""Largest disagreement of simulated tables, in standard deviations of the least noise."""

ROUNDS = 200
"""Most fits of a problem with numbers that are not measured, each around the numbers of the last fit."""

STILL = 1e-3
"""How far measured numbers may move in the last of these rounds, in standard deviations of the least noise."""


def cube(
    margins: Mapping[UserKey, npt.ArrayLike],
    *,
    variance: Any = None,
    fixed: Mapping[UserKey, Any] | None = None,
    seed: int | None = None,
    levels: Levels | None = None,
) -> dict[UserKey, Any]:
    """Return non-negative integers that add up, from noisy margins of crossed tables.

    Parameters
    ----------
    margins
        Noisy integers by the axes they keep: {(): total, (0,): array, (0, 1): array, ...}. Any set of margins, but all
        cells of each. An axis at a coarser level is a pair: (0, "state").
    variance
        The variance of the noise: one number, or {key: one number, or an array with one number a cell}. Only ratios
        matter. None: all are equal.
    fixed
        Values that are public from elsewhere and are met exactly. By margin, an array of all values or some values by
        index: {(): 1000, (0, 1): {(2, 3): 0}}. A structural zero is a cell fixed at 0.
    seed
        An integer from 0 that decides ties. None takes a fresh one.
    levels
        Coarser levels of axes: {axis: {name: group of each category}}. Groups are 0, 1, 2, ...

    Returns
    -------
    dict
        The same keys with int64 values. Every margin is the sum of the cells of every table that contains it. Tables
        that form a circle, (0, 1), (1, 2), (0, 2), agree with each other; microdata with all of them may not exist.

    Raises
    ------
    InputError, ParameterError
        An argument is not what it should be, or fixed values contradict each other.
    SolverError
        Least squares did not converge to within the limits of its certificate, or no integers were found.

    Examples
    --------
    >>> import discreet as dc
    >>> noisy = {(): 103, (0,): [40, 61], (1,): [55, 33, 16], (0, 1): [[18, 20, -1], [34, 15, 13]]}
    >>> table = dc.reconcile.cube(noisy, seed=1)
    >>> table[0, 1].tolist()
    [[19, 20, 1], [35, 14, 13]]
    >>> table[(0,)].tolist(), table[(1,)].tolist(), int(table[()])
    ([40, 62], [54, 34, 14], 102)

    The total is public, and nobody is in the last cell of the first row:

    >>> table = dc.reconcile.cube(noisy, fixed={(): 100, (0, 1): {(0, 2): 0}}, seed=1)
    >>> table[0, 1].tolist(), int(table[()])
    ([[19, 20, 0], [34, 13, 14]], 100)
    """
    return reconcile_cube(margins, variance, fixed, seed, levels, BY_KEY).values


@dataclass(frozen=True)
class ReconciledCube:
    """Tables that add up, and the certificate of their fit.

    Attributes
    ----------
    values
        The integers, by the user's keys.
    real
        The least-squares numbers that were rounded, by the same keys.
    free
        Least squares without bounds and without settled numbers, by the same keys; None if nothing was settled.
    gap, residual
        The certificate of the fit (`fit_problem`).
    shift
        The largest step from a real cell to its integer.
    """

    values: dict[UserKey, Any]
    real: dict[UserKey, Any]
    free: dict[UserKey, Any] | None
    gap: float
    residual: float
    shift: float


def reconcile_cube(
    margins: Any,
    variance: Any,
    fixed: Any,
    seed: int | None,
    levels: Any,
    naming: Naming = BY_KEY,
    *,
    total_first: bool = False,
    others: Sequence[UserKey] = (),
) -> ReconciledCube:
    """Return the tables of `cube` with their certificate.

    Parameters
    ----------
    margins, variance, fixed, seed, levels
        As for `cube`.
    naming
        How error messages name margins and cells.
    total_first
        Settle the total and the sums along each axis before the tables (`settle`).
    others
        Margins that are not measured and are returned as well: sums of cells of measured margins.

    Raises
    ------
    InputError, ParameterError, SolverError
        As for `cube`.
    """
    problem = read_problem(margins, variance, fixed, levels, naming, others=others)
    free = None
    blocks, rounding = blocks_of(problem), problem
    if total_first:
        free = _fit_with_latent(problem, [replace(block, low=None, high=None) for block in blocks])
        blocks, rounding = settle(problem, blocks, free.tables)
    try:
        fitted = _fit_with_latent(problem, blocks)
    except SolverError as error:
        if not problem.known:
            raise
        fixed_margins = ", ".join(map(naming.margin, problem.known))
        raise SolverError(
            f"no tables were found that meet the fixed values of {fixed_margins}: they may contradict each other; leave"
            f" one of them out ({error})"
        ) from error
    real = {key: fitted.tables[key] for key in problem.tables}
    rounded = whole_numbers(rounding, real, tie_breaking.key(seed), naming)
    return ReconciledCube(
        _by_user_key(problem, rounded.tables),
        _by_user_key(problem, fitted.tables),
        None if free is None else _by_user_key(problem, free.tables),
        fitted.gap,
        fitted.residual,
        rounded.shift,
    )


def blocks_of(problem: Problem) -> list[Block]:
    """Return a block for every grouping that is measured or fixed. Tables have the lower bound 0."""
    latent_variance = LATENT * max(float(np.max(variance)) for variance in problem.variance.values())
    largest_total = max(max(0.01, float(values.sum())) for values in problem.noisy.values())
    blocks = []
    for key in dict.fromkeys([*problem.noisy, *problem.known]):
        values, variance = problem.noisy.get(key), problem.variance.get(key)
        if values is None or variance is None:
            values, variance = _latent_values(problem, key, largest_total), np.asarray(latent_variance)
        known = problem.known.get(key)
        if known is not None:
            values = np.where(known >= 0, known, values)
            variance = np.where(known >= 0, 0.0, variance)
        blocks.append(Block(key, values, variance, np.asarray(0.0) if key in problem.tables else None))
    return blocks


def _latent_values(problem: Problem, key: Key, total: float) -> Floats:
    """Return first numbers of a grouping that is not measured: sums of a finer grouping, or equal shares of a total."""
    finer = [measured for measured in problem.noisy if problem.axes.refines(measured, key)]
    if not finer:
        return np.full(problem.axes.shape(key), total / problem.axes.size(key))
    smallest = min(finer, key=problem.axes.size)
    return np.asarray(problem.axes.add(problem.noisy[smallest], smallest, key), dtype=np.float64)


def _fit_with_latent(problem: Problem, blocks: list[Block]) -> Fit:
    """Return the fit of a problem in which numbers beside fixed values may be latent: not measured.

    Each round is least squares with the latent numbers held near those of the last round. Once all numbers stand still,
    the round is least squares without the latent numbers.
    """
    fitted = fit(problem.axes, blocks)
    latent = {key for key, known in problem.known.items() if key not in problem.noisy and (known < 0).any()}
    if not latent:
        return fitted
    limit = STILL * math.sqrt(min(float(np.min(variance)) for variance in problem.variance.values()))
    for _ in range(ROUNDS):
        blocks = [
            block
            if block.key not in latent
            else replace(block, values=np.where(block.variance > 0, fitted.tables[block.key], block.values))
            for block in blocks
        ]
        last, fitted = fitted, fit(problem.axes, blocks)
        if max(float(np.abs(fitted.tables[key] - last.tables[key]).max()) for key in problem.noisy) <= limit:
            return fitted
    raise SolverError(
        f"least squares did not converge in {ROUNDS} rounds: fixed values are given for sums that were not measured;"
        " measure these sums, or leave the fixed values out"
    )


def fit_cubes(
    cubes: Sequence[Mapping[UserKey, Any]],
    variance: Mapping[UserKey, Any],
    levels: Levels | None,
    others: Sequence[UserKey] = (),
) -> list[tuple[dict[UserKey, Any], dict[UserKey, Any]]]:
    """Return real-valued fits of several cubes with the same keys and shapes, for simulations.

    Parameters
    ----------
    cubes
        The margins of each cube, as for `cube`.
    variance, levels
        As for `cube`.
    others
        As for `reconcile_cube`.

    Returns
    -------
    list
        For each cube, least squares without bounds, and least squares with bounds and totals first; both by key.
    """
    problems = [read_problem(margins, variance, None, levels, ordered=False, others=others) for margins in cubes]
    axes = problems[0].axes
    blocks = [_copied(blocks_of(problem), copy) for copy, problem in enumerate(problems)]
    unbounded = [replace(block, low=None, high=None) for copy_blocks in blocks for block in copy_blocks]
    free = fit(axes, unbounded, ROUGH).copies
    settled = []
    for copy, (problem, copy_blocks, tables) in enumerate(zip(problems, blocks, free, strict=True)):
        settled += _copied(settle(problem, copy_blocks, tables)[0], copy)
    real = fit(axes, settled, ROUGH).copies
    return [
        (_by_user_key(problem, free_tables), _by_user_key(problem, real_tables))
        for problem, free_tables, real_tables in zip(problems, free, real, strict=True)
    ]


def _copied(blocks: Sequence[Block], copy: int) -> list[Block]:
    return [replace(block, copy=copy) for block in blocks]


class Deviation(NamedTuple):
    """The standard deviation of least squares in a margin: in root mean square over its cells, and the largest."""

    typical: float
    largest: float


def standard_deviations(
    shapes: Mapping[UserKey, tuple[int, ...]],
    variance: Mapping[UserKey, Any],
    levels: Levels | None,
    others: Sequence[UserKey] = (),
) -> dict[UserKey, Deviation] | None:
    """Return the standard deviation of least squares without bounds, over the cells of each margin.

    Return None if no formula gives it (`variances`).

    Parameters
    ----------
    shapes
        The shape of every margin, by the keys of `cube`.
    variance, levels
        As for `cube`.
    others
        As for `reconcile_cube`.
    """
    zeros = {key: np.zeros(shape, dtype=np.int64) for key, shape in shapes.items()}
    problem = read_problem(zeros, variance, None, levels, ordered=False, others=others)
    by_key = variances(problem.axes, blocks_of(problem), problem.unmeasured)
    if by_key is None:
        return None
    canonical_keys = {key: problem.axes.canonical(margin.pairs) for key, margin in problem.user_margins.items()}
    return {
        key: Deviation(*(math.sqrt(number) for number in by_key[canonical]))
        for key, canonical in canonical_keys.items()
    }


def _by_user_key(problem: Problem, tables: Mapping[Key, Array]) -> dict[UserKey, Any]:
    """Return the numbers of every key of the user, from the numbers of the tables."""
    axes, result = problem.axes, {}
    for user_key, margin in problem.user_margins.items():
        key = axes.canonical(margin.pairs)
        if key in tables:
            values = tables[key]
        else:
            table = next(table for table in problem.tables if axes.refines(table, key))
            values = axes.add(tables[table], table, key).astype(tables[table].dtype)
        result[user_key] = problem.in_user_order(user_key, values)
    return result


@dataclass(frozen=True)
class Moved:
    """Distances between reconciled numbers and noisy numbers."""

    largest: int
    mean: float
    root_mean_square: float


def moved(noisy: Any, reconciled: Any) -> Any:
    """Return how far reconciliation moved the numbers.

    Parameters
    ----------
    noisy, reconciled
        Two arrays of integers with the same shape, or the margins of one cube before and after.

    Returns
    -------
    Moved or dict
        The distances over all numbers of an array, or over each margin of a cube.

    Raises
    ------
    InputError
        Keys or shapes differ, or values are not integers.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.reconcile.moved([1, 2, 3], [1, 2, 6])
    Moved(largest=3, mean=1.0, root_mean_square=1.7320508075688772)
    """
    if isinstance(noisy, Mapping):
        if not isinstance(reconciled, Mapping) or set(noisy) != set(reconciled):
            raise InputError("noisy and reconciled margins have different keys; give the margins of one cube")
        return {key: moved(noisy[key], reconciled[key]) for key in noisy}
    before, after = integers(noisy, "noisy"), integers(reconciled, "reconciled")
    if before.shape != after.shape or not before.size:
        raise InputError(f"noisy has the shape {before.shape}, reconciled {after.shape}; give the same cells")
    distance = np.abs(after - before)
    return Moved(int(distance.max()), float(distance.mean()), float(np.sqrt(np.mean(distance.astype(np.float64) ** 2))))

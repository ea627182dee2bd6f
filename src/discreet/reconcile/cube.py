"""Crossed tables and their margins, made to add up; hierarchies on the axes if need be.

Cells x >= 0 are fitted to all published margins by weighted least squares (`project`), then rounded so that the
margins, which are the sums of the rounded cells, stay as close as they can. In one and two dimensions every number is
its least-squares value rounded down or up (`controlled`). In more, or with levels, that is not always possible: every
cell is rounded down or up so that the margins stay within a unit or two (`diffuse`). `moved` tells how far each margin
is from its noisy values. Where fixed values are far from the noisy ones the cells are moved further, as evenly as they
allow (`meet`): whatever the noise, they are met if any non-negative integers meet them.

The margins may be any set. Where the cells themselves were not published they are fitted all the same, as evenly as the
margins allow, and not returned.

Categories are first put into an order that depends on their counts only, so the result does not depend on the order in
which the categories of an axis are given, except between categories that agree in everything.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError, SolverError
from discreet.reconcile import check, seeded
from discreet.reconcile.check import Floats, Integers
from discreet.reconcile.controlled import controlled
from discreet.reconcile.diffuse import diffuse
from discreet.reconcile.margins import Key, Levels, Margins
from discreet.reconcile.meet import balance, meet
from discreet.reconcile.misfit import Misfit
from discreet.reconcile.problem import BY_KEY, Naming, Problem, bounds, read
from discreet.reconcile.project import Projection

FIXED = 0.1
"""The variance of a fixed value in the fit, against the smallest of the noise."""

LATENT = 10.0
"""The variance of cells that were not published, against the largest of the noise."""

ROUNDS = 4
"""Fits of cells that were not published, or, at least, with fixed values."""

CLOSER = 50
"""Fits, at most, with fixed values."""

NEAR = 0.1
"""How far a fit may end from a fixed value: rounding makes up for it."""


def cube(
    margins: Mapping[Key, npt.ArrayLike],
    *,
    variance: Any = None,
    fixed: Mapping[Key, Any] | None = None,
    seed: int | None = None,
    levels: Levels | None = None,
) -> dict[Key, Any]:
    """Non-negative integers that add up, from noisy margins of a crossed table.

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
    The same keys with int64 values; every margin is the sum of the same cells.
    """
    return named(margins, variance, fixed, seed, levels, BY_KEY)


def named(margins: Any, variance: Any, fixed: Any, seed: int | None, levels: Any, naming: Naming) -> dict[Key, Any]:
    """The same as `cube`, with errors in the words of `naming`."""
    problem = read(margins, variance, {} if fixed is None else fixed, {} if levels is None else levels, naming)
    orders, canonical = _canonical(problem)
    cells = _integers(canonical, seeded.key(seed), naming)
    for axis, order in enumerate(orders):
        cells = cells.take(np.argsort(order), axis=axis)
    sums = dict(zip(problem.margins.keys, problem.margins.add(cells), strict=True)) | {problem.full: cells}
    return {key: _given_order(sums[margin], order) for key, (margin, order) in problem.names.items()}


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
    before, after = check.integers(noisy, "noisy"), check.integers(reconciled, "reconciled")
    if before.shape != after.shape or not before.size:
        raise InputError(f"noisy has the shape {before.shape}, reconciled {after.shape}; give the same cells")
    distance = np.abs(after - before)
    return Moved(int(distance.max()), float(distance.mean()), float(np.sqrt(np.mean(distance.astype(np.float64) ** 2))))


def _canonical(problem: Problem) -> tuple[list[Integers], Problem]:
    """The same problem with the categories of every axis in an order that depends on the numbers alone."""
    margins, sides = problem.margins, problem.margins.sides
    content = {}
    for place, named in enumerate([problem.full, *margins.keys]):
        words = np.full(margins.shape(named), place + 1, dtype=np.uint64)
        for values in (problem.noisy.get(named), problem.variance.get(named), problem.known.get(named)):
            if values is not None:
                words = seeded.mix(words ^ seeded.words(np.broadcast_to(values, words.shape)))
        content[named] = seeded.mix(words)
    cells = content[problem.full]
    if margins.keys:
        cells = cells + margins.spread([content[named] for named in margins.keys])
    for _ in range(2):
        cells = seeded.mix(cells)
        lines = [
            cells.sum(axis=tuple(a for a in range(len(sides)) if a != axis), dtype=np.uint64)
            for axis in range(len(sides))
        ]
        for axis, line in enumerate(lines):
            cells = cells + seeded.mix(line + np.uint64(axis)).reshape(
                [-1 if a == axis else 1 for a in range(len(sides))]
            )
    orders = [np.argsort(line, kind="stable") for line in lines]
    labels, groups = {}, {}
    for (axis, name), old in margins.labels.items():
        _, first, inverse = np.unique(old[orders[axis]], return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first))
        labels[axis, name] = rank[inverse.reshape(-1)]
        groups[axis, name] = np.argsort(first)

    def arrange(values: Any, named: Key) -> Any:
        if np.ndim(values) == 0:
            return values
        for place, (axis, name) in enumerate(named):
            values = values.take(orders[axis] if name is None else groups[axis, name], axis=place)
        return values

    parts = [
        {named: arrange(values, named) for named, values in part.items()}
        for part in (problem.noisy, problem.variance, problem.known)
    ]
    return orders, Problem(Margins(sides, margins.keys, labels), problem.full, problem.names, *parts)


def _given_order(values: Any, order: tuple[int, ...]) -> Any:
    return values.transpose(np.argsort(order)) if len(order) > 1 else np.asarray(values)[()]


def _integers(problem: Problem, key: int, naming: Naming) -> Integers:
    margins = problem.margins
    low, high = bounds(problem)
    cells = _fit(problem, low, high)
    if not margins.keys:
        return np.rint(cells).astype(np.int64)
    owners, targets = _fixed_sums(problem)
    if _worst(problem, cells) > NEAR:
        cells = balance(cells.reshape(-1), owners, targets, low.reshape(-1), high.reshape(-1)).reshape(cells.shape)
    known = [problem.known.get(named) for named in margins.keys]
    plain = all(name is None for named in margins.keys for _, name in named)
    partial = any(values is not None and (values >= 0).any() and (values < 0).any() for values in known)
    whole = _two_way(problem, cells, key) if plain and not partial and len(margins.sides) <= 2 else None
    aims, weights = _aims(problem, cells)
    if whole is None:
        whole = diffuse(margins, cells, aims, weights, (low, high), key)
    if owners:
        misfit = Misfit(margins, cells.reshape(-1), aims, weights, min(weights), whole.reshape(-1))
        if not meet(misfit, owners, targets, low.reshape(-1), high.reshape(-1), seeded.priorities(key, whole.size)):
            fixed = ", ".join(map(naming.margin, problem.known))
            raise SolverError(
                f"the fixed values of {fixed} cannot all be met by non-negative integers; leave one of them out"
            )
        whole = misfit.whole.reshape(whole.shape)
    return whole


def _aims(problem: Problem, cells: Floats) -> tuple[list[Floats], list[float]]:
    """What each margin is to be close to once cells are integers, and its weight: that of noise, or the largest."""
    sums, weights = [], []
    largest = max(1 / float(np.min(variance)) for variance in problem.variance.values())
    for named, total in zip(problem.margins.keys, problem.margins.add(cells), strict=True):
        known = problem.known.get(named)
        sums.append(total if known is None else np.where(known >= 0, known, total))
        weights.append(largest if known is not None else 1 / float(np.mean(problem.variance[named])))
    return sums, weights


def _two_way(problem: Problem, cells: Floats, key: int) -> Integers | None:
    """Tables of at most two dimensions; a list is a table of one column, whose sum is the total."""
    table = cells.reshape(cells.shape + (1,) * (2 - cells.ndim))
    known = {tuple(axis for axis, _ in named): values for named, values in problem.known.items()}
    rows = known.get((0,)) if cells.ndim > 1 else None
    columns = known.get((1,)) if cells.ndim > 1 else known.get(())
    total = known.get(()) if cells.ndim > 1 else None
    rounded = controlled(table, rows, None if columns is None else np.atleast_1d(columns), total, key)
    return None if rounded is None else rounded.reshape(cells.shape)


def _fixed_sums(problem: Problem) -> tuple[list[Integers], list[Integers]]:
    """For each fixed margin the sum each cell belongs to, -1 for none, and the sums; none that finer ones make up."""
    margins = problem.margins
    owners: list[Integers] = []
    targets: list[Integers] = []
    every = np.arange(math.prod(margins.sides))
    for named in margins.keys:
        if named not in problem.known:
            continue
        known = problem.known[named].reshape(-1)
        owner = margins.owners(named, every)
        owner = np.where(known[owner] >= 0, owner, -1)
        if not any(_implied(owner, finer) for finer in owners):
            owners.append(owner)
            targets.append(known.clip(0))
    return owners, targets


def _worst(problem: Problem, cells: Floats) -> float:
    """How far the cells are, at most, from a fixed sum."""
    worst = 0.0
    for named, total in zip(problem.margins.keys, problem.margins.add(cells), strict=True):
        known = problem.known.get(named)
        if known is not None:
            worst = max(worst, float(np.max(np.where(known >= 0, np.abs(total - known), 0.0))))
    return worst


def _implied(coarse: Integers, fine: Integers) -> bool:
    """Whether every sum of one grouping is made up of sums of the other."""
    if ((coarse >= 0) & (fine < 0)).any():
        return False
    first = np.full(int(fine.max()) + 1, -1)
    first[fine] = coarse
    return np.array_equal(first[fine], coarse)


def _fit(problem: Problem, low: Integers, high: Integers) -> Floats:
    """Cells by least squares. What is fixed, and what was not published, needs several rounds.

    A fixed sum gets a small variance and, after each round, its target is moved by what is still missing; cells that
    were not published get a large variance, around what the last round found.
    """
    margins = problem.margins
    noise = list(problem.variance.values())
    tight = FIXED * min(float(np.min(value)) for value in noise)
    loose = LATENT * max(float(np.max(value)) for value in noise)
    targets, variances, fixed = [], [], []
    for named in margins.keys:
        target, spread, known = problem.noisy.get(named), problem.variance.get(named), problem.known.get(named)
        if known is not None:
            target = np.where(known >= 0, known, 0 if target is None else target)
            spread = np.where(known >= 0, tight, loose if spread is None else spread)
            spread = np.asarray(tight) if (known >= 0).all() else spread
        targets.append(np.asarray(target, dtype=np.float64))
        variances.append(float(spread) if np.ndim(spread) == 0 else np.asarray(spread))  # type: ignore[arg-type]
        fixed.append(np.asarray(False if known is None else known >= 0))
    projection = Projection(margins, variances, low.astype(np.float64), high.astype(np.float64))
    latent = problem.full not in problem.noisy
    if latent:
        own: Any = loose
        centre = np.full(margins.sides, max(0.01, *(float(target.sum()) / low.size for target in targets)))
    else:
        own = problem.variance[problem.full]
        own = float(own) if own.ndim == 0 else own
        centre = problem.noisy[problem.full].astype(np.float64)
    wanted = targets
    cells: Floats = np.clip(centre, low, high)
    missing = np.inf
    for number in range(CLOSER if problem.known else ROUNDS if latent else 1):
        try:
            cells = projection.fit(centre, own, targets)
        except SolverError:
            if not problem.known:
                raise
            break  # what is fixed is met all the same, from where the last round came to
        before, missing = missing, _worst(problem, cells)
        if number + 1 >= ROUNDS and (missing < NEAR or missing > before / 2):
            break
        targets = projection.closer(wanted, fixed)
        centre = cells if latent else centre
    return cells

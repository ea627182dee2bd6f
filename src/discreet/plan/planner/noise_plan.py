"""The plan: which groupings are measured, each with which certified table of noise.

Every kind of noise (geometric, bell-shaped, and between them: `_between`) gets its best shares (`_shares`), at most 16
classes of variance (`_noise_classes`) and certified tables that meet the budget together (`_certified_noise`). The plan
with the least error, by the variances of the certified integers, is taken. To measure all groupings with one noise is a
plan too.

Demands, such as the half width of a grouping, are met or refused (`_demands`).
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.account.composition import MOST_CONTRIBUTIONS, MOST_PARTITIONED
from discreet.certify.ptable import PTable
from discreet.design import parameters
from discreet.design.additive.maxent import SMALLEST_DELTA
from discreet.domain import Counts
from discreet.errors import ParameterError, UndeterminedError
from discreet.exact import Epsilon, Number, exact
from discreet.plan.planner._between import best_between
from discreet.plan.planner._candidates import Candidate, Task, certified, in_classes, one_noise, with_classes
from discreet.plan.planner._certified_noise import is_affordable, noise_of_table, rough_variances
from discreet.plan.planner._demands import are_met, meeting_demands, nearest_plan
from discreet.plan.planner._noise_kinds import GAUSSIAN, GEOMETRIC, Budget, Kind, Persons
from discreet.plan.planner._shares import Search, Split, best_split
from discreet.plan.planner.aim import Aim
from discreet.plan.planner.gaussian_bounds import gaussian_bound, mu_of
from discreet.plan.planner.ledger_units import LedgerUnits
from discreet.plan.planner.workload import Workload

HOPELESS = 4.0
"""A kind whose error in real numbers is this many times the least error of a kind is not certified."""

RICHER = 1.02
"""Shares are sought again if certified noise of a kind can spend this many times the first budget of the search."""

MEANINGS = {
    "margins": "the root mean variance of the groupings",
    "cells": "the root mean variance of the cells",
    "worst": "the largest standard deviation of a grouping",
}


@dataclass(frozen=True)
class NoisePlan:
    """Which groupings are measured, with which noise, and the error of every published grouping.

    Attributes
    ----------
    tables
        The certified tables of noise, at most 16.
    noise_of
        For every grouping the index of its table; None if it is not measured.
    deviations
        The standard deviation of least squares of every grouping, measured or not, from the variances of the tables.
        On average over cells; with levels of unequal groups it is what was minimised (`workload`).
    published_deviations
        The same if all published groupings were measured with one noise.
    composed
        Epsilon of the budget, and an upper bound of delta for one person over all tables together.
    published_table
        The table if all published groupings were measured with one noise.
    kind
        The kind of noise: "geometric", "gaussian", "power" (between them), or, if all groupings have one noise, the
        adviser's design.
    error
        The root of what the aim makes small.
    gaussian_bound
        The least error that Gaussian noise, correlated noise included, could have (ResidualPlanner). Geometric noise
        can have less. None if categories overlap, or tables have filters.
    reason
        Why this plan was chosen, in words.
    """

    tables: tuple[PTable, ...]
    noise_of: tuple[int | None, ...]
    deviations: tuple[float, ...]
    published_deviations: tuple[float, ...]
    composed: tuple[float, float]
    published_table: PTable
    kind: str
    error: float
    gaussian_bound: float | None
    reason: str


def plan_noise(
    workload: Workload,
    aim: Aim | None = None,
    *,
    epsilon: Number,
    delta: Number,
    bits: int | None = None,
    contributions: int = 1,
    groups: Iterable[Iterable[int]] | None = None,
    measured: Iterable[int] | None = None,
    exposure: Callable[[Sequence[tuple[int, ...]]], Persons] | None = None,
    units: LedgerUnits | None = None,
) -> NoisePlan:
    """Return which groupings to measure, and with which certified noise, for the least error that a budget can buy.

    Parameters
    ----------
    workload
        The groupings that are published.
    aim
        What is made small, and what must be reached. None: the mean variance of the groupings.
    epsilon, delta
        The most that one person may lose in all. delta is above 0, because noise on counts must end somewhere.
    bits
        Bits of every table. None: 32, or more if the budget needs more.
    contributions
        Most rows of one person in a grouping.
    groups
        Sets of indices of groupings that must have one noise if they are measured, because they share a cell.
    measured
        Indices of the groupings that may be measured. None: all.
    exposure
        From sets of indices of groupings, each set with one noise, to the number of cells of each noise that hold one
        person, for every kind of person who may lose most. None: sums over the groupings of each set.
    units
        The units of a ledger that the plan may cost. If no plan costs so few, the plan is for epsilon and delta alone,
        and `reason` says so. None: the release has no ledger.

    Returns
    -------
    NoisePlan
        The tables, which grouping has which, and the errors.

    Raises
    ------
    ParameterError
        A parameter is out of range, or no table can hold the noise.
    UndeterminedError
        The groupings that may be measured do not determine a published grouping.
    TargetError
        The budget cannot buy a target. The error says what is possible.

    Examples
    --------
    >>> from discreet.plan.planner import Aim, Workload, plan_noise
    >>> workload = Workload(axes=((1, 12), (1, 5)), groupings=((1, 1), (1, 0), (0, 1), (0, 0)))
    >>> plan = plan_noise(workload, Aim("cells"), epsilon=1, delta="1e-6")
    >>> plan.kind, plan.noise_of
    ('geometric', (0, None, None, None))
    >>> [round(deviation, 2) for deviation in plan.deviations]
    [1.36, 3.03, 4.7, 10.51]
    >>> [round(deviation, 2) for deviation in plan.published_deviations]
    [4.95, 4.95, 4.95, 4.95]
    """
    aim = Aim() if aim is None else aim
    aim.check(workload)
    budget = replace(_budget(epsilon, delta, bits, contributions), units=units)
    task = Task(workload, aim, budget, _slots(workload, groups, measured), exposure=exposure)
    published = one_noise(task)
    candidates = _candidates(task, published)
    if measured is None:
        alone = [published] if units is None else [published, *_with_unit(task, published, units)]
        candidates += [plan for plan in alone if are_met(task, plan, published) and _is_affordable(task, plan)]
    if units is not None and not candidates:
        return _without_units(workload, aim, task, groups, measured, units)
    best = min(candidates, key=task.error) if candidates else nearest_plan(task, published)
    return _plan(task, best, candidates, published)


def _is_affordable(task: Task, candidate: Candidate) -> bool:
    return is_affordable(candidate.noise.tables, task.persons(candidate.slots), task.budget)


def _with_unit(task: Task, published: Candidate, units: LedgerUnits) -> list[Candidate]:
    """Return the plan that measures all groupings with the table of the ledger, if that meets the budget."""
    table = units.unit.ptable
    if not isinstance(table.domain, Counts) or table.domain.lower or table.domain.upper is not None:
        return []
    noise = noise_of_table(table, task.persons(published.slots), task.budget)
    if noise is None or (task.budget.bits is not None and table.bits != task.budget.bits):
        return []
    tau = np.full(len(task.workload.groupings), 1 / noise.variances[0])
    kind = Kind(str(table.design.get("name", "custom")), 2.0, (), 2.0)
    return [Candidate(kind, published.slots, noise, task.workload.variances(tau))]


def _without_units(
    workload: Workload,
    aim: Aim,
    task: Task,
    groups: Iterable[Iterable[int]] | None,
    measured: Iterable[int] | None,
    units: LedgerUnits,
) -> NoisePlan:
    """Return the plan for epsilon and delta alone."""
    budget = task.budget
    plan = plan_noise(
        workload,
        aim,
        epsilon=budget.epsilon.exponent or str(budget.epsilon),
        delta=budget.delta,
        bits=budget.bits,
        contributions=budget.contributions,
        groups=groups,
        measured=measured,
        exposure=task.exposure,
    )
    note = f"no plan costs at most {units.most} units of the ledger, which the budget allows, so units were left aside"
    return replace(plan, reason=f"{plan.reason}; {note}")


def _budget(epsilon: Number, delta: Number, bits: int | None, contributions: int) -> Budget:
    """Return the checked budget."""
    privacy, chance = Epsilon.of(epsilon), exact(delta, "delta")
    if not 0 < chance < 1:
        remedy = " (noise on counts must end somewhere)" if chance == 0 else ""
        raise ParameterError(f"delta is {delta!r}; give a probability above 0 and below 1{remedy}, for example 1e-9")
    if chance < SMALLEST_DELTA:
        raise ParameterError(f"delta is {delta!r}; no table can hold a delta below 1e-200: give a larger delta")
    rows = parameters.integer(contributions, "contributions", 1, MOST_CONTRIBUTIONS, "keep fewer rows of each person")
    size = None if bits is None else parameters.integer(bits, "bits", 8, 62, "32 suits most tables")
    return Budget(privacy, chance, rows, size)


def _slots(
    workload: Workload, groups: Iterable[Iterable[int]] | None, measured: Iterable[int] | None
) -> tuple[tuple[int, ...], ...]:
    """Return the sets of groupings that have one noise, among those that may be measured.

    Raises
    ------
    UndeterminedError
        The groupings that may be measured do not determine a published grouping.
    """
    count = len(workload.groupings)
    allowed = range(count) if measured is None else sorted(set(_indices(measured, count, "measured")))
    first = list(range(count))
    for group in groups or ():
        members = _indices(group, count, "groups")
        joined = {first[member] for member in members}
        first = [min(joined) if root in joined else root for root in first]
    by_root: dict[int, list[int]] = {}
    for grouping in allowed:
        by_root.setdefault(first[grouping], []).append(grouping)
    missing = workload.undetermined(allowed)
    if missing:
        raise UndeterminedError(
            f"the measured groupings do not determine grouping {missing[0]}, {workload.groupings[missing[0]]}; measure"
            " this grouping or a finer one",
            missing[0],
        )
    return tuple(tuple(slot) for slot in by_root.values())


def _indices(values: Iterable[int], count: int, name: str) -> list[int]:
    return [parameters.integer(value, name, 0, count - 1, "give indices of groupings") for value in values]


def _candidates(task: Task, published: Candidate) -> list[Candidate]:
    """Return the best plan of each kind that meets all demands, bell-shaped noise first."""
    free: list[Candidate] = []
    splits: list[tuple[Kind, Split]] = []
    least = math.inf
    for kind in (GAUSSIAN, GEOMETRIC):
        shape = task.shape(kind)
        split = best_split(task.workload, task.slots, shape, task.goal(), HOPELESS * least)
        least = min(least, split.error)
        if split.error > HOPELESS * least:
            continue
        split = in_classes(task, split, shape)
        splits.append((kind, split))
    if task.budget.contributions > MOST_PARTITIONED:
        splits = _best_alone(task, splits)
    for kind, split in splits:
        shape = task.shape(kind)
        candidate = certified(task, kind, split.slots, split.precisions)
        if candidate is None:
            continue
        total = candidate.total(task)
        if total > shape.total * RICHER and task.budget.contributions <= MOST_PARTITIONED:
            shape = replace(shape, total=total)
            again = with_classes(task, kind, best_split(task.workload, task.slots, shape, task.goal()), shape)
            candidate = candidate if again is None else min(candidate, again, key=task.error)
        free.append(candidate)
    between = best_between(task, splits, min(map(task.error, free), default=math.inf))
    if between is not None:
        candidate = certified(task, between.kind, between.split.slots, between.split.precisions)
        free += [] if candidate is None else [candidate]
    met = [meeting_demands(task, candidate, published) for candidate in free]
    return [candidate for candidate in met if candidate is not None]


def _best_alone(task: Task, splits: Sequence[tuple[Kind, Split]]) -> list[tuple[Kind, Split]]:
    """Return the kind with the least error in floats alone: for many rows of one person, tables take long to certify.

    All kinds are returned if there are demands, or if no kind is found in floats.
    """
    if task.aim.no_worse_than_published or task.aim.targets:
        return list(splits)
    errors = {}
    for number, (kind, split) in enumerate(splits):
        variances = rough_variances(kind, split.precisions, task.persons(split.slots), task.budget)
        if variances is not None:
            search = Search(task.workload, split.slots, task.shape(kind))
            by_grouping = task.workload.variances(search.tau(1 / variances))
            errors[number] = task.aim.error(task.workload, by_grouping)
    return [splits[min(errors, key=lambda number: errors[number])]] if errors else list(splits)


def _plan(task: Task, best: Candidate, candidates: Sequence[Candidate], published: Candidate) -> NoisePlan:
    workload, goal = task.workload, task.goal()
    bound = None
    if workload.is_plain:
        mu = mu_of(float(task.budget.epsilon), float(task.budget.delta)) / task.budget.contributions
        bound = math.sqrt(gaussian_bound(workload, goal, best.variances, mu))
    return NoisePlan(
        best.noise.tables,
        best.noise_of(len(workload.groupings)),
        tuple(np.sqrt(best.variances).tolist()),
        tuple(np.sqrt(published.variances).tolist()),
        (float(task.budget.epsilon), best.noise.delta),
        published.noise.tables[0],
        best.kind.name,
        math.sqrt(task.error(best)),
        bound,
        _reason(task, best, candidates, published),
    )


def _reason(task: Task, best: Candidate, candidates: Sequence[Candidate], published: Candidate) -> str:
    measured = sum(len(slot) for slot in best.slots)
    others = [
        f"{math.sqrt(task.error(other)):.4g} with {other.kind.name} noise"
        for other in candidates
        if other is not best and other is not published
    ]
    others.append(f"{math.sqrt(task.error(published)):.4g} if all are measured with one noise")
    units = ""
    if task.budget.units is not None:
        units = f"; the least for at most {task.budget.units.most} units of the ledger, which the budget allows"
    return (
        f"{best.kind.name} noise on {measured} of {len(task.workload.groupings)} groupings:"
        f" {MEANINGS[task.aim.name]} is {math.sqrt(task.error(best)):.4g}, against {' and '.join(others)}{units}"
    )

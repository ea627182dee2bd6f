"""The plan: which groupings are measured, each with which certified table of noise.

Every kind of noise (`_certified_noise.KINDS`) gets its best shares (`_shares`), at most 16 classes of variance
(`_noise_classes`) and certified tables that meet the budget together (`_certified_noise`). The plan with the least
error, by the variances of the certified integers, is taken. To measure all groupings with one noise is a plan too.

Targets are caps of variances. The half width of a grouping is a quantile of the law of its error (`error_law`), and the
cap is the variance that has about this quantile. The quantile is computed from the certified tables, and a cap that was
too loose is lowered, until all targets are met or no plan is found.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.account.composition import MOST_CONTRIBUTIONS
from discreet.arrays import Floats
from discreet.certify.ptable import PTable
from discreet.design import parameters
from discreet.design.additive.maxent import SMALLEST_DELTA
from discreet.errors import ParameterError, TargetError, UndeterminedError
from discreet.exact import Epsilon, Number, exact
from discreet.plan.planner._certified_noise import KINDS, Budget, CertifiedNoise, Kind, certified_noise, mu_of
from discreet.plan.planner._noise_classes import classes
from discreet.plan.planner._shares import Goal, Search, Shape, Split, best_split, gaussian_bound, polished
from discreet.plan.planner.aim import Aim
from discreet.plan.planner.error_law import error_law
from discreet.plan.planner.workload import Workload

HOPELESS = 4.0
"""A kind whose error in real numbers is this many times the least error of a kind is not certified."""

RICHER = 1.02
"""Shares are sought again if certified noise of a kind can spend this many times the first budget of the search."""

OUT_OF_REACH = 0.02
"""Demands are given up for a kind if a variance exceeds its cap by e to this power in real numbers."""

MEANINGS = {
    "margins": "the root mean variance of the groupings",
    "cells": "the root mean variance of the cells",
    "worst": "the largest standard deviation of a grouping",
}

FAR_AWAY = 100.0
"""The cap of a grouping without a demand, in variances of the grouping if all are measured with one noise."""

ROUNDS = 8
"""Most rounds in which caps are lowered because certified tables missed a demand."""

TIGHTER = 0.998
"""A cap that was missed is lowered by this factor, beside the factor by which it was missed."""


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
    kind
        The kind of noise: "geometric" or "gaussian".
    error
        The root of what the aim makes small.
    gaussian_bound
        The least error that Gaussian noise, correlated noise included, could have (ResidualPlanner). Geometric noise
        can have less. None if categories overlap.
    reason
        Why this plan was chosen, in words.
    """

    tables: tuple[PTable, ...]
    noise_of: tuple[int | None, ...]
    deviations: tuple[float, ...]
    published_deviations: tuple[float, ...]
    composed: tuple[float, float]
    kind: str
    error: float
    gaussian_bound: float | None
    reason: str


@dataclass(frozen=True, eq=False)
class _Task:
    """What is planned: the groupings, the aim, the budget, and which groupings have one noise."""

    workload: Workload
    aim: Aim
    budget: Budget
    slots: tuple[tuple[int, ...], ...]
    emphasis: Floats | None = None

    def error(self, candidate: "_Candidate") -> float:
        """Return what the aim makes small, as a variance."""
        return self.aim.error(self.workload, candidate.variances)

    def goal(self, caps: Floats | None = None) -> Goal:
        emphasis = self.aim.emphasis(self.workload) if self.emphasis is None else self.emphasis
        return Goal(emphasis, self.aim.name == "worst", caps)

    def shape(self, kind: Kind) -> Shape:
        """Return how shares become precision, for the budget."""
        rows, epsilon = self.budget.contributions, float(self.budget.epsilon)
        if kind.power == 1:
            return Shape(1.0, epsilon / rows)
        return Shape(kind.power, (mu_of(epsilon, float(self.budget.delta)) / rows) ** kind.power)


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A plan with certified tables.

    Attributes
    ----------
    kind
        The kind of noise.
    slots
        The groupings of each table.
    noise
        The tables.
    variances
        The variance of every published grouping.
    """

    kind: Kind
    slots: tuple[tuple[int, ...], ...]
    noise: CertifiedNoise
    variances: Floats

    def total(self, task: _Task) -> float:
        """Return the budget of the search that has these variances."""
        if self.kind.power == 1:
            shares = 2 * np.arcsinh(np.sqrt(0.5 / self.noise.variances))
        else:
            shares = self.noise.variances ** (-self.kind.power / 2)
        return float((Search(task.workload, self.slots, task.shape(self.kind)).costs * shares).sum())

    def noise_of(self, count: int) -> tuple[int | None, ...]:
        index_of = {grouping: index for index, slot in enumerate(self.slots) for grouping in slot}
        return tuple(index_of.get(grouping) for grouping in range(count))


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
    [4.64, 4.47, 4.05, 3.84]
    """
    aim = Aim() if aim is None else aim
    aim.check(workload)
    budget = _budget(epsilon, delta, bits, contributions)
    task = _Task(workload, aim, budget, _slots(workload, groups, measured))
    published = _published(task)
    candidates = _candidates(task, published)
    if measured is None and aim.no_worse_than_published and not aim.targets:
        candidates.append(published)
    best = min(candidates, key=task.error) if candidates else _nearest(task, published)
    return _plan(task, best, candidates, published)


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


def _published(task: _Task) -> _Candidate:
    """Return the plan that measures all published groupings with one noise."""
    everything = (tuple(range(len(task.workload.groupings))),)
    found = [_certified(task, kind, everything, np.ones(1)) for kind in KINDS]
    candidates = [candidate for candidate in found if candidate is not None]
    if not candidates:
        raise ParameterError(
            f"no noise meets epsilon {task.budget.epsilon} and delta {float(task.budget.delta):g} over"
            f" {sum(task.workload.times)} cells; give a larger epsilon or delta, or publish fewer margins"
        )
    return min(candidates, key=lambda candidate: float(candidate.noise.variances[0]))


def _candidates(task: _Task, published: _Candidate) -> list[_Candidate]:
    """Return the best plan of each kind that meets all demands, bell-shaped noise first."""
    found: list[_Candidate] = []
    least = math.inf
    for kind in sorted(KINDS, key=lambda kind: -kind.power):
        shape = task.shape(kind)
        split = best_split(task.workload, task.slots, shape, task.goal(), HOPELESS * least)
        least = min(least, split.error)
        if split.error > HOPELESS * least:
            continue
        candidate = _with_classes(task, kind, split, shape)
        if candidate is None:
            continue
        shape = replace(shape, total=candidate.total(task))
        if shape.total > task.shape(kind).total * RICHER:
            again = _with_classes(task, kind, best_split(task.workload, task.slots, shape, task.goal()), shape)
            candidate = candidate if again is None else min(candidate, again, key=task.error)
        met = _meeting_demands(task, candidate, shape, published)
        if met is not None:
            found.append(met)
    return found


def _meeting_demands(task: _Task, candidate: _Candidate, shape: Shape, published: _Candidate) -> _Candidate | None:
    """Return the best plan of the kind of a candidate that meets all demands; None if none is found."""
    stretches = _stretches(task, candidate, published)
    if stretches.max() <= 1:
        return candidate
    caps = _caps(candidate, stretches, published)
    split = best_split(task.workload, task.slots, shape, task.goal(caps))
    for _ in range(ROUNDS):
        planned = _with_classes(task, candidate.kind, split, shape, caps)
        if split.excess > OUT_OF_REACH or planned is None:
            return None
        stretches = _stretches(task, planned, published)
        if stretches.max() <= 1:
            return planned
        caps = np.where(stretches > 1, caps * TIGHTER / np.maximum(stretches, 1.0), caps)
        split = polished(split, task.workload, split.slots, shape, task.goal(caps))
    return None


def _nearest(task: _Task, published: _Candidate) -> _Candidate:
    """Return the plan that comes nearest to all demands, if it meets them.

    Raises
    ------
    TargetError
        It does not meet them.
    """
    found = []
    for kind in KINDS:
        shape, near = task.shape(kind), published
        for _ in range(2):  # the second time with the quantiles of the kind
            goal = Goal(1 / _caps(near, _stretches(task, near, published), published), True)
            split = best_split(task.workload, task.slots, shape, goal)
            candidate = _with_classes(replace(task, aim=Aim("worst"), emphasis=goal.emphasis), kind, split, shape)
            if candidate is None:
                break
            near = candidate
            found.append((candidate, _stretches(task, candidate, published)))
    if not found:
        raise ParameterError(
            f"no table holds the noise of a plan with {task.budget.bits} bits; leave bits out, or give a larger budget"
        )
    nearest, stretches = min(found, key=lambda pair: float(pair[1].max()))
    if stretches.max() <= 1:
        return nearest
    grouping = int(stretches.argmax())
    factor = math.sqrt(float(stretches[grouping]))
    target = next((target for target in task.aim.targets if target.grouping == grouping), None)
    what, asked = ("the standard deviation", math.sqrt(float(published.variances[grouping])))
    if target is not None:
        what, asked = f"the half width at level {target.level:g}", target.half_width
    raise TargetError(
        f"{what} of grouping {grouping}, {task.workload.groupings[grouping]}, shall be at most {asked:.4g}; the budget"
        f" can buy {asked * factor:.4g}, if every other demand is stretched by the same factor, {factor:.3g}: ask for"
        " that much, ask less of other groupings, or give a larger budget",
        grouping,
        asked,
        asked * factor,
    )


def _caps(candidate: _Candidate, stretches: Floats, published: _Candidate) -> Floats:
    """Return the largest variances that demands allow, if the shape of the law of the error stays the same.

    Groupings without a demand have caps as well, far away, because a plan must determine them.
    """
    demanded = stretches > 0
    return np.where(demanded, candidate.variances / np.where(demanded, stretches, 1.0), published.variances * FAR_AWAY)


def _stretches(task: _Task, candidate: _Candidate, published: _Candidate) -> Floats:
    """Return for every grouping by which factor its variance exceeds its demands; 0 without a demand."""
    stretches = np.zeros(len(task.workload.groupings))
    if task.aim.no_worse_than_published:
        stretches = candidate.variances / published.variances * (1 - 1e-12)
    noise_of = candidate.noise_of(len(stretches))
    for target in task.aim.targets:
        law = error_law(task.workload, candidate.noise.tables, noise_of, target.grouping)
        stretch = (law.quantile(target.level) / target.half_width) ** 2
        stretches[target.grouping] = max(stretches[target.grouping], stretch)
    return stretches


def _with_classes(
    task: _Task, kind: Kind, split: Split, shape: Shape, caps: Floats | None = None
) -> _Candidate | None:
    """Return the certified plan of a split, after slots of nearly equal precision were put together."""
    parts = split.shares * Search(task.workload, split.slots, shape).costs
    numbers = classes(split.precisions, parts)
    slots = [
        tuple(grouping for index in np.flatnonzero(numbers == number) for grouping in split.slots[index])
        for number in range(int(numbers.max()) + 1)
    ]
    if len(slots) < len(split.slots):
        split = polished(split, task.workload, slots, shape, task.goal(caps))
    return _certified(task, kind, split.slots, split.precisions)


def _certified(
    task: _Task, kind: Kind, slots: Sequence[tuple[int, ...]], precisions: Floats
) -> _Candidate | None:
    search = Search(task.workload, slots, task.shape(kind))
    times = [int(cost) for cost in search.costs]
    noise = certified_noise(kind, precisions, times, task.budget)
    if noise is None:
        return None
    return _Candidate(kind, tuple(slots), noise, task.workload.variances(search.tau(1 / noise.variances)))


def _plan(task: _Task, best: _Candidate, candidates: Sequence[_Candidate], published: _Candidate) -> NoisePlan:
    workload, goal = task.workload, task.goal()
    bound = None
    if max(workload.times) == 1:
        mu = mu_of(float(task.budget.epsilon), float(task.budget.delta)) / task.budget.contributions
        bound = math.sqrt(gaussian_bound(workload, goal, best.variances, mu))
    return NoisePlan(
        best.noise.tables,
        best.noise_of(len(workload.groupings)),
        tuple(np.sqrt(best.variances).tolist()),
        tuple(np.sqrt(published.variances).tolist()),
        (float(task.budget.epsilon), best.noise.delta),
        best.kind.name,
        math.sqrt(task.error(best)),
        bound,
        _reason(task, best, candidates, published),
    )


def _reason(task: _Task, best: _Candidate, candidates: Sequence[_Candidate], published: _Candidate) -> str:
    measured = sum(len(slot) for slot in best.slots)
    others = [
        f"{math.sqrt(task.error(other)):.4g} with {other.kind.name} noise"
        for other in candidates
        if other is not best and other is not published
    ]
    others.append(f"{math.sqrt(task.error(published)):.4g} if all are measured with one noise")
    return (
        f"{best.kind.name} noise on {measured} of {len(task.workload.groupings)} groupings: {MEANINGS[task.aim.name]} is"
        f" {math.sqrt(task.error(best)):.4g}, against {' and '.join(others)}"
    )

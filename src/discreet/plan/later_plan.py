"""Plan a release around what earlier releases under its label measured.

A grouping that was measured keeps its table of noise, and costs what it cost. The other groupings share the rest of the
budget: the planner plans them for a smaller epsilon, and knows the precisions of what was measured. The smaller epsilon
is about the largest one at which old and new tables together, composed exactly, meet the budget of the release. So the
promise covers both releases.

    the rest of the budget is enough        the other groupings are planned, if that makes the aim smaller by `GAIN`
    it is not, and all are determined       nothing new is measured
    it is not                               the release is refused

A grouping whose cells were all measured, in another grouping, has its table of noise: it costs nothing, and its numbers
are known. If some of its cells were measured, and nothing else can determine it, all its cells are measured with that
table, if the budget allows.

With a ledger the other groupings are planned for the units that the budget of the release leaves.

What the publisher demands of single groupings (`within`, `no_worse_than`) is checked for old and new tables together.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.certify.ptable import PTable
from discreet.errors import ExceededBudgetError, ParameterError, ReleaseError, TargetError
from discreet.exact import Epsilon, exact, rounded_up
from discreet.plan.adviser import best_advice
from discreet.plan.guarantee import composed_promise
from discreet.plan.layout import Layout
from discreet.plan.named_groupings import in_words
from discreet.plan.noise_table import ReleaseNoise
from discreet.plan.planner.aim import Aim
from discreet.plan.planner.error_law import error_law
from discreet.plan.planner.gaussian_bounds import mu_of
from discreet.plan.planner.ledger_units import LedgerUnits
from discreet.plan.planner.noise_plan import NoisePlan
from discreet.plan.planner.workload import Workload
from discreet.plan.spec import ReleaseSpec

Planner = Callable[[Workload, Aim, str, str, LedgerUnits | None, Sequence[int]], NoisePlan]
"""Plan a workload with an aim, for epsilon, delta and units of a ledger, by measuring some of its groupings."""

LEAST = 0.02
"""The smallest share of epsilon for which new groupings are planned."""

STEP = 1.25
"""The share is raised and lowered by this factor until it is between one that fits and one that does not."""

CLOSE = 1.06
"""The search for the share ends when these two are this close."""

MOST_PLANS = 8

GAIN = 0.99
"""New groupings are measured if the aim, as a standard deviation, falls below this share, or if they must be."""


@dataclass(frozen=True)
class Given:
    """What was measured, and how a release is planned around it.

    Attributes
    ----------
    spec, layout
        The release.
    workload, index_of
        Its groupings as the planner sees them, and for every grouping of the layout its index there.
    tables
        For every grouping of the workload that was measured its table of noise.
    groups
        Sets of indices in the workload of groupings that share cells. If one was measured, the others are not measured
        with other noise.
    units
        The units of the ledger that the budget of the release allows. None without a ledger.
    """

    spec: ReleaseSpec
    layout: Layout
    workload: Workload
    index_of: Sequence[int]
    tables: Mapping[int, PTable]
    groups: Sequence[Sequence[int]] = ()
    units: LedgerUnits | None = None

    @property
    def open(self) -> list[int]:
        """The groupings of the workload that may be measured: those that share no cell with a measured one."""
        settled = set(self.tables)
        for group in self.groups:
            settled |= set(group) if settled & set(group) else set()
        return [index for index in range(len(self.workload.groupings)) if index not in settled]

    def noise(self, new: Mapping[int, PTable], reason: str) -> ReleaseNoise:
        """Return the noise of a release that measures more groupings of the workload."""
        table_of = {**new, **self.tables}
        ptables = {ptable.table_digest: ptable for ptable in table_of.values()}
        order = list(ptables)
        numbers = [order.index(table_of[index].table_digest) if index in table_of else None for index in self.index_of]
        return ReleaseNoise.in_order(self.layout, list(ptables.values()), numbers, reason)

    def fits(self, noise: ReleaseNoise) -> bool:
        """Return True if old and new tables together meet the budget."""
        try:
            composed_promise(self.spec, noise.ptables, noise.measured.touches(self.spec.unit.contributions))
        except ExceededBudgetError:
            return False
        return True

    def with_shared_cells(self) -> "Given":
        """Return the same, where groupings that share cells with what was measured have its noise, if they can."""
        given = self
        while (joined := given._with_one_more()) is not None:
            given = joined
        return given

    def _with_one_more(self) -> "Given | None":
        """Return the same with one more table of noise; None if no further grouping can have one."""
        undetermined = set(self.undetermined(self.open))
        for index, table in self._neighbours():
            joined = replace(self, tables={**self.tables, index: table})
            is_free = joined._touches() == self._touches()
            if is_free or (index in undetermined and joined.fits(joined.noise({}, ""))):
                return joined
        return None

    def undetermined(self, measured: Sequence[int]) -> list[int]:
        """Return the groupings that neither what was measured nor more measured groupings determine."""
        return self.workload.undetermined([*self.tables, *measured])

    def _neighbours(self) -> Iterator[tuple[int, PTable]]:
        """Yield groupings that share cells with measured groupings of one table, and the table."""
        for group in self.groups:
            tables = {self.tables[index].table_digest: self.tables[index] for index in group if index in self.tables}
            if len(tables) == 1:
                (table,) = tables.values()
                yield from ((index, table) for index in group if index not in self.tables)

    def _touches(self) -> frozenset[frozenset[tuple[str, int]]]:
        """Return how many cells of each table hold one person, for every kind of person."""
        noise = self.noise({}, "")
        digests = [ptable.table_digest for ptable in noise.ptables]
        touches = noise.measured.touches(self.spec.unit.contributions)
        return frozenset(frozenset(zip(digests, numbers, strict=True)) for numbers in touches.by_table)

    @property
    def units_left(self) -> LedgerUnits | None:
        """The units that the budget leaves for new groupings. None without a ledger, and if it leaves none."""
        if self.units is None:
            return None
        noise, rows = self.noise({}, ""), self.spec.unit.contributions
        spent = [self.units.cost(noise.parts(numbers), rows) for numbers in noise.measured.touches(rows).by_table]
        left = 0 if None in spent else self.units.most - max(units for units in spent if units is not None)
        return replace(self.units, most=left) if left > 0 else None


def later_noise(given: Given, aim: Aim, planner: Planner) -> ReleaseNoise:
    """Return the noise of a release: what was measured, and what is planned with the rest of the budget.

    Parameters
    ----------
    given
        The release, and what was measured under its label.
    aim
        What is made small, and what must be reached.
    planner
        How new groupings are planned.

    Raises
    ------
    ExceededBudgetError
        What was measured exceeds the budget alone.
    ReleaseError
        The rest of the budget does not suffice for a grouping that what was measured does not determine.
    TargetError
        A demand is not met.
    """
    require_affordable(given, given.noise({}, ""))
    count, measured = len(given.workload.groupings), len(given.tables)
    given = given.with_shared_cells()
    precisions = [1 / _variance(given.tables[index]) if index in given.tables else 0.0 for index in range(count)]
    workload = replace(given.workload, given=tuple(precisions))
    goal = replace(aim, targets=(), no_worse_than_published=False)
    undetermined = workload.undetermined([])
    plan, share = None, 0.0
    if given.open and not given.undetermined(given.open):
        plan, share = _planned(given, workload, goal, planner)
    kept = f"earlier releases under this version label measured {measured} of {count} groupings"
    if plan is None and undetermined:
        raise _no_room(given, undetermined)
    before = math.inf if undetermined else math.sqrt(aim.error(given.workload, workload.variances(np.zeros(count))))
    if plan is None or plan.error > GAIN * before:
        noise = given.noise({}, f"{kept}; nothing else is measured")
    else:
        new = {index: plan.tables[table] for index, table in enumerate(plan.noise_of) if table is not None}
        rest = f"{plan.kind} noise on {len(new)} others, for the rest of the budget, about epsilon {share:.3g}"
        rest += _units_in_words(given, plan)
        noise = given.noise(new, f"{kept}, which keep their noise; {rest}")
    require_demands(given, aim, noise)
    return noise


def _units_in_words(given: Given, plan: NoisePlan) -> str:
    """Return how many units of its ledger the budget of the release leaves for new groupings, in words."""
    if given.units is None:
        return ""
    left = given.units_left
    if left is None or "left aside" in plan.reason:
        return "; no plan costs as few units of the ledger as the budget leaves, so units were left aside"
    return f" and at most {left.most} units of the ledger"


def require_affordable(given: Given, noise: ReleaseNoise) -> None:
    """Raise ExceededBudgetError if what was measured exceeds the budget of the release alone."""
    try:
        composed_promise(given.spec, noise.ptables, noise.measured.touches(given.spec.unit.contributions))
    except ExceededBudgetError as error:
        raise ExceededBudgetError(
            f"what was measured under the version label {given.spec.version!r:.120} is measured again, with the same"
            f" noise, and exceeds the budget: {error.finding}",
            "give at least the budget of the earlier release, or a new version label",
        ) from None


def _planned(given: Given, workload: Workload, aim: Aim, planner: Planner) -> tuple[NoisePlan | None, float]:
    """Return the plan of the other groupings for about the largest epsilon that is left, and this epsilon."""
    assert given.spec.budget is not None
    epsilon = float(Epsilon.of(given.spec.budget.epsilon))
    delta, units = _rest_of_delta(given), given.units_left
    best, fitting, failing = None, 0.0, math.inf
    share = min(max(_first_share(given, epsilon, delta), LEAST), 1.0)
    for _ in range(MOST_PLANS if delta > 0 else 0):
        plan = _plan_at(given, workload, aim, planner, share * epsilon, delta, units)
        if plan is not None:
            best, fitting = plan, share
        else:
            failing = share
        if fitting >= 1 or failing <= LEAST or failing <= fitting * CLOSE:
            break
        if fitting == 0:
            share = max(share / STEP**2, LEAST)
        elif failing == math.inf:
            share = min(share * STEP, 1.0)
        else:
            share = math.sqrt(fitting * failing)
    return best, fitting * epsilon


def _plan_at(
    given: Given,
    workload: Workload,
    aim: Aim,
    planner: Planner,
    epsilon: float,
    delta: float,
    units: LedgerUnits | None,
) -> NoisePlan | None:
    """Return the plan of the other groupings for a budget; None if old and new tables exceed the whole budget."""
    try:
        plan = planner(workload, aim, f"{epsilon:.4g}", f"{delta:.3g}", units, given.open)
    except ParameterError:
        return None  # no table holds so much noise
    new = {index: plan.tables[table] for index, table in enumerate(plan.noise_of) if table is not None}
    return plan if given.fits(given.noise(new, "")) else None


def _rest_of_delta(given: Given) -> float:
    """Return half of the delta that what was measured leaves at any epsilon."""
    assert given.spec.budget is not None
    noise = given.noise({}, "")
    touches = noise.measured.touches(given.spec.unit.contributions)
    promise = composed_promise(given.spec, noise.ptables, touches)
    floor = 0.0 if promise is None else promise.floor
    return (float(exact(given.spec.budget.delta, "delta")) - floor) / 2


def _first_share(given: Given, epsilon: float, delta: float) -> float:
    """Return a first guess of the share of epsilon that is left: by sums of epsilons, or as for Gaussian noise."""
    rows, summed, loss = given.spec.unit.contributions, 0.0, 0.0
    for kind in given.workload.kinds_of_person:
        tables = [(table, kind[index] * rows) for index, table in given.tables.items()]
        summed = max(summed, sum(float(table.certificate.epsilon) * times for table, times in tables))
        loss = max(loss, sum(times / _variance(table) for table, times in tables))
    if delta <= 0:
        return 0.0
    squares = mu_of(epsilon, 2 * delta) ** 2
    return max(1 - summed / epsilon, math.sqrt(max(1 - loss * rows / squares, 0.0)))


def _no_room(given: Given, undetermined: Sequence[int]) -> ReleaseError:
    """Return the error that says what can be published with the budget."""
    assert given.spec.budget is not None
    noise = given.noise({}, "")
    touches = noise.measured.touches(given.spec.unit.contributions)
    promise = composed_promise(given.spec, noise.ptables, touches)
    names = {index: in_words(grouping) for index, grouping in zip(given.index_of, given.layout.groupings, strict=True)}
    budget = given.spec.budget
    spent = "" if promise is None else f" (delta {rounded_up(promise.delta)} at epsilon {budget.epsilon})"
    possible = [names[index] for index in names if index not in undetermined]
    return ReleaseError(
        f"the budget is epsilon {budget.epsilon} and delta {budget.delta}, and what was measured under the version"
        f" label {given.spec.version!r:.120} takes nearly all of it{spent}; nothing is left for"
        f" {_some([names[index] for index in undetermined])}, which it does not determine. Possible with this budget:"
        f" {_some(possible)}. Publish these alone, or give a larger budget, which is of both releases together"
    )


def _variance(table: PTable) -> float:
    """Return the variance of the noise of a table."""
    return float(table.utility["variance"][1])


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:6])) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def require_demands(given: Given, aim: Aim, noise: ReleaseNoise) -> None:
    """Raise TargetError if the measured groupings do not meet what is asked of single groupings.

    Parameters
    ----------
    given
        The release.
    aim
        What must be reached.
    noise
        The measured groupings, old and new.
    """
    if not aim.targets and not aim.no_worse_than_published:
        return
    workload = given.workload
    numbers: list[int | None] = [None] * len(workload.groupings)
    for planned, number in zip(given.index_of, noise.measured.noise_of, strict=True):
        numbers[planned] = number if numbers[planned] is None else numbers[planned]
    for target in aim.targets:
        law = error_law(workload, noise.ptables, tuple(numbers), target.grouping)
        what = f"the half width at level {target.level:g}"
        _require(workload, target.grouping, what, target.half_width, law.quantile(target.level))
    if aim.no_worse_than_published:
        assert given.spec.budget is not None
        budget = given.spec.budget
        one = best_advice(
            epsilon=budget.epsilon,
            delta=budget.delta,
            cells=max(map(sum, workload.kinds_of_person)),
            contributions=given.spec.unit.contributions,
            bits=given.spec.bits,
        ).ptable
        most = np.sqrt(workload.variances(np.full(len(numbers), 1 / _variance(one))))
        tau = np.array([0.0 if number is None else 1 / _variance(noise.ptables[number]) for number in numbers])
        for grouping, (most_deviation, has) in enumerate(zip(most, np.sqrt(workload.variances(tau)), strict=True)):
            _require(workload, grouping, "the standard deviation", float(most_deviation) * (1 + 1e-9), float(has))


def _require(workload: Workload, grouping: int, what: str, most: float, has: float) -> None:
    if has > most:
        raise TargetError(
            f"{what} of grouping {grouping}, {workload.groupings[grouping]}, shall be at most {most:.4g}; it is"
            f" {has:.4g} with what was measured under this version label, which keeps its noise: ask for that much,"
            " give a larger budget, or give a new version label",
            grouping,
            most,
            has,
        )

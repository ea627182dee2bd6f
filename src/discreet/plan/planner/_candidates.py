"""Plans with certified tables: from shares of a budget to tables, and the plan with one noise for everything."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats
from discreet.plan.planner._certified_noise import CertifiedNoise, advised_noise, certified_noise
from discreet.plan.planner._noise_classes import classes
from discreet.plan.planner._noise_kinds import Budget, Kind, Persons
from discreet.plan.planner._shares import Goal, Search, Shape, Split, polished
from discreet.plan.planner.aim import Aim
from discreet.plan.planner.gaussian_bounds import mu_of
from discreet.plan.planner.workload import Workload


@dataclass(frozen=True, eq=False)
class Task:
    """What is planned.

    Attributes
    ----------
    workload, aim, budget
        The groupings, what is made small, and what may be lost.
    slots
        Sets of groupings that may be measured, each with one noise.
    emphasis
        The factor of every variance; None: the factors of the aim.
    exposure
        From sets of groupings, each with one noise, to the number of cells of each noise that hold one person, for
        every kind of person. None: the sums over groupings that the workload states.
    """

    workload: Workload
    aim: Aim
    budget: Budget
    slots: tuple[tuple[int, ...], ...]
    emphasis: Floats | None = None
    exposure: Callable[[Sequence[tuple[int, ...]]], Persons] | None = None

    def persons(self, slots: Sequence[tuple[int, ...]]) -> Persons:
        """Return how many cells of each noise hold one person, for every kind of person."""
        if self.exposure is not None:
            return self.exposure(slots)
        rows = {
            tuple(sum(row[grouping] for grouping in slot) for slot in slots) for row in self.workload.kinds_of_person
        }
        return sorted(row for row in rows if any(row))

    def error(self, candidate: "Candidate") -> float:
        """Return what the aim makes small, as a variance."""
        return self.aim.error(self.workload, candidate.variances)

    def goal(self, caps: Floats | None = None) -> Goal:
        """Return what the search minimises."""
        emphasis = self.aim.emphasis(self.workload) if self.emphasis is None else self.emphasis
        return Goal(emphasis, self.aim.name == "worst", caps)

    def shape(self, kind: Kind) -> Shape:
        """Return how shares become precision, for the budget."""
        rows, epsilon, p = self.budget.contributions, float(self.budget.epsilon), kind.loss_power
        if p == 1:
            return Shape(1.0, epsilon / rows)
        return Shape(p, (mu_of(epsilon, float(self.budget.delta)) / rows) ** p)


@dataclass(frozen=True, eq=False)
class Candidate:
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

    def total(self, task: Task) -> float:
        """Return the budget of the search that has these variances."""
        if self.kind.loss_power == 1:
            shares = 2 * np.arcsinh(np.sqrt(0.5 / self.noise.variances))
        else:
            shares = self.noise.variances ** (-self.kind.loss_power / 2)
        return float(Search(task.workload, self.slots, task.shape(self.kind)).loads(shares).max())

    def noise_of(self, count: int) -> tuple[int | None, ...]:
        """Return for every one of `count` groupings the index of its table; None if it is not measured."""
        index_of = {grouping: index for index, slot in enumerate(self.slots) for grouping in slot}
        return tuple(index_of.get(grouping) for grouping in range(count))


def one_noise(task: Task) -> Candidate:
    """Return the plan that measures all published groupings with one noise: the adviser's, as a release takes it.

    Raises
    ------
    ParameterError
        No design meets the budget.
    """
    workload = task.workload
    everything = (tuple(range(len(workload.groupings))),)
    noise, name = advised_noise(max(cells for (cells,) in task.persons(everything)), task.budget)
    tau = np.full(len(workload.groupings), 1 / noise.variances[0])
    return Candidate(Kind(name, 2.0, (), 2.0), everything, noise, workload.variances(tau))


def with_classes(task: Task, kind: Kind, split: Split, shape: Shape, caps: Floats | None = None) -> Candidate | None:
    """Return the certified plan of a split, after slots of nearly equal precision were put together."""
    split = in_classes(task, split, shape, caps)
    return certified(task, kind, split.slots, split.precisions)


def in_classes(task: Task, split: Split, shape: Shape, caps: Floats | None = None) -> Split:
    """Return a split in which slots of nearly equal precision are put together."""
    parts = split.shares * Search(task.workload, split.slots, shape).costs
    numbers = classes(split.precisions, parts)
    slots = [
        tuple(grouping for index in np.flatnonzero(numbers == number) for grouping in split.slots[index])
        for number in range(int(numbers.max()) + 1)
    ]
    return polished(split, task.workload, slots, shape, task.goal(caps)) if len(slots) < len(split.slots) else split


def certified(task: Task, kind: Kind, slots: Sequence[tuple[int, ...]], precisions: Floats) -> Candidate | None:
    """Return the plan with certified tables; None if no table holds its noise."""
    search = Search(task.workload, slots, task.shape(kind))
    noise = certified_noise(kind, precisions, task.persons(slots), task.budget)
    if noise is None:
        return None
    return Candidate(kind, tuple(slots), noise, task.workload.variances(search.tau(1 / noise.variances)))

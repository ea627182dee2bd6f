"""What a plan must reach: caps of variances.

No grouping may be worse than with one noise for all groupings, or the half width of a grouping is given. A half width
is a quantile of the law of the error (`error_law`). The cap is the variance that has this quantile if the law keeps its
shape. The quantile is then computed from the certified tables, and a cap that was too loose is lowered, until all
demands are met or no plan is found.
"""

import math
from dataclasses import replace

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ParameterError, TargetError
from discreet.plan.planner._between import best_between
from discreet.plan.planner._candidates import Candidate, Task, certified, in_classes, with_classes
from discreet.plan.planner._noise_kinds import GAUSSIAN, GEOMETRIC, Kind
from discreet.plan.planner._shares import Split, best_split, polished
from discreet.plan.planner.aim import Aim, Target
from discreet.plan.planner.error_law import error_law

OUT_OF_REACH = 0.02
"""Demands are given up for a kind if a variance exceeds its cap by e to this power in real numbers."""

FAR_AWAY = 100.0
"""The cap of a grouping without a demand, in variances of the grouping if all are measured with one noise."""

ROUNDS = 8
"""Most rounds in which caps are lowered because certified tables missed a demand."""

TIGHTER = 0.998
"""A cap that was missed is lowered by this factor, beside the factor by which it was missed."""


def are_met(task: Task, candidate: Candidate, published: Candidate) -> bool:
    """Return True if a plan meets all demands."""
    return bool(_stretches(task, candidate, published).max() <= 1)


def meeting_demands(task: Task, candidate: Candidate, published: Candidate) -> Candidate | None:
    """Return the best plan of the kind of a candidate that meets all demands; None if none is found."""
    stretches = _stretches(task, candidate, published)
    if stretches.max() <= 1:
        return candidate
    caps = _caps(candidate, stretches, published)
    shape = replace(task.shape(candidate.kind), total=candidate.total(task))
    split = best_split(task.workload, task.slots, shape, task.goal(caps))
    for _ in range(ROUNDS):
        planned = with_classes(task, candidate.kind, split, shape, caps)
        if split.excess > OUT_OF_REACH or planned is None:
            return None
        stretches = _stretches(task, planned, published)
        if stretches.max() <= 1:
            return planned
        caps = np.where(stretches > 1, caps * TIGHTER / np.maximum(stretches, 1.0), caps)
        split = polished(split, task.workload, split.slots, shape, task.goal(caps))
    return None


def nearest_plan(task: Task, published: Candidate) -> Candidate:
    """Return the plan that comes nearest to all demands, if it meets them.

    Raises
    ------
    TargetError
        It does not meet them.
    """
    candidates: list[tuple[Candidate, Floats]] = []
    splits: list[tuple[Kind, Split]] = []
    aimed = task
    for kind in (GEOMETRIC, GAUSSIAN):
        shape, near = task.shape(kind), published
        for _ in range(2):  # the second time with the quantiles of the kind
            stretches = _stretches(task, near, published)
            caps = _caps(near, stretches, published)
            caps = np.where(stretches > 0, caps * stretches.max(), caps)  # so what is possible depends on no scale
            aimed = replace(task, aim=Aim("worst"), emphasis=1 / caps)
            split = in_classes(aimed, best_split(task.workload, task.slots, shape, aimed.goal()), shape)
            candidate = certified(aimed, kind, split.slots, split.precisions)
            if candidate is None:
                break
            near = candidate
            splits.append((kind, split))
            candidates.append((candidate, _stretches(task, candidate, published)))
    least = min((float(aimed.goal().error(candidate.variances)) for candidate, _ in candidates), default=math.inf)
    between = best_between(aimed, splits, least)
    if between is not None:
        candidate = certified(aimed, between.kind, between.split.slots, between.split.precisions)
        candidates += [] if candidate is None else [(candidate, _stretches(task, candidate, published))]
    if not candidates:
        raise ParameterError(
            f"no table holds the noise of a plan with {task.budget.bits} bits; leave bits out, or give a larger budget"
        )
    nearest, stretches = min(candidates, key=lambda pair: float(pair[1].max()))
    if stretches.max() <= 1:
        return nearest
    raise _out_of_reach(task, nearest, stretches, published)


def _out_of_reach(task: Task, nearest: Candidate, stretches: Floats, published: Candidate) -> TargetError:
    """Return the error that names the demand that the nearest plan misses most."""
    grouping = int(stretches.argmax())
    factor = math.sqrt(float(stretches[grouping]))
    what, most = "the standard deviation", math.sqrt(float(published.variances[grouping]))
    for target in task.aim.targets:
        if target.grouping == grouping and _target_stretch(task, nearest, target) == stretches[grouping]:
            what, most = f"the half width at level {target.level:g}", target.half_width
    return TargetError(
        f"{what} of grouping {grouping}, {task.workload.groupings[grouping]}, shall be at most {most:.4g}; the budget"
        f" can buy {most * factor:.4g}, if every other demand is stretched by the same factor, {factor:.3g}: ask for"
        " that much, ask less of other groupings, or give a larger budget",
        grouping,
        most,
        most * factor,
    )


def _caps(candidate: Candidate, stretches: Floats, published: Candidate) -> Floats:
    """Return the largest variances that demands allow, if the shape of the law of the error stays the same.

    Groupings without a demand have caps as well, far away, because a plan must determine them.
    """
    demanded = stretches > 0
    return np.where(demanded, candidate.variances / np.where(demanded, stretches, 1.0), published.variances * FAR_AWAY)


def _stretches(task: Task, candidate: Candidate, published: Candidate) -> Floats:
    """Return for every grouping by which factor its variance exceeds its demands; 0 without a demand."""
    stretches = np.zeros(len(task.workload.groupings))
    if task.aim.no_worse_than_published:
        stretches = candidate.variances / published.variances * (1 - 1e-12)
    for target in task.aim.targets:
        stretch = _target_stretch(task, candidate, target)
        stretches[target.grouping] = max(stretches[target.grouping], stretch)
    return stretches


def _target_stretch(task: Task, candidate: Candidate, target: Target) -> float:
    """Return the square of the half width that a plan has, over the half width that is asked for."""
    noise_of = candidate.noise_of(len(task.workload.groupings))
    law = error_law(task.workload, candidate.noise.tables, noise_of, target.grouping)
    return (law.quantile(target.level) / target.half_width) ** 2

"""Noise of a shape between geometric and bell-shaped noise, for plans: which shape, and which shares of the budget.

Noise in proportion to exp(-|x / s|^p) composes like geometric noise over few cells and like a bell over many. No sum of
powers of 1 / s is exact between the two. So shares of the budget are sought for several sums (`_shares`), each of them
is tried with several p, and the composition of the noises, in floats, judges. Shares that were found for geometric and
bell-shaped noise are tried first. If no p gains with them, no others are sought.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from discreet.account.composition import MOST_PARTITIONED
from discreet.plan.planner._candidates import Task, in_classes
from discreet.plan.planner._certified_noise import rough_variances
from discreet.plan.planner._noise_kinds import GAUSSIAN, Kind, power_kind
from discreet.plan.planner._shares import Search, Split, best_split

POWERS = (1.25, 1.5, 1.75)
"""The p that are tried first. Then the step is halved, `HALVINGS` times, around the best one."""

HALVINGS = 2

LOSS_POWERS = (1.5, 1.75)
"""Exponents of the sums for which shares are sought, beside those of geometric (1) and bell-shaped noise (2)."""

GAIN = 0.995
"""Noise between is taken if its error, as a variance, is below this share of the least error of the two others."""


class Between(NamedTuple):
    """Noise between geometric and bell-shaped noise, with shares of the budget.

    Attributes
    ----------
    error
        What the aim makes small, as a variance, in floats.
    kind
        The kind of noise.
    split
        The shares.
    """

    error: float
    kind: Kind
    split: Split


def best_between(task: Task, splits: Sequence[tuple[Kind, Split]], least: float) -> Between | None:
    """Return the best noise between geometric and bell-shaped noise; None if it gains next to nothing.

    Parameters
    ----------
    task
        What is planned.
    splits
        The shares that were found for geometric and for bell-shaped noise.
    least
        The least error of the two, as a variance.
    """
    if task.budget.contributions > MOST_PARTITIONED:
        return None
    tried: list[Between] = []
    for kind, split in splits:
        tried += _tried(task, split, kind.loss_power, POWERS)
    if not tried or min(tried, key=_error).error > GAIN * least:
        return None
    for loss_power in LOSS_POWERS:
        shape = task.shape(power_kind(1.5, loss_power))
        split = best_split(task.workload, task.slots, shape, task.goal())
        tried += _tried(task, in_classes(task, split, shape), loss_power, POWERS)
    step = POWERS[1] - POWERS[0]
    for _ in range(HALVINGS):
        step /= 2
        best = min(tried, key=_error)
        powers = (best.kind.power - step, best.kind.power + step)
        tried += _tried(task, best.split, best.kind.loss_power, powers)
    return min(tried, key=_error)


def _tried(task: Task, split: Split, loss_power: float, powers: Sequence[float]) -> list[Between]:
    """Return one share of the budget with noise of several powers."""
    search = Search(task.workload, split.slots, task.shape(GAUSSIAN))
    persons = task.persons(split.slots)
    tried = []
    for power in powers:
        kind = power_kind(power, loss_power)
        variances = rough_variances(kind, split.precisions, persons, task.budget)
        if variances is not None:
            by_grouping = task.workload.variances(search.tau(1 / variances))
            tried.append(Between(float(task.goal().error(by_grouping)), kind, split))
    return [between for between in tried if math.isfinite(between.error)]


def _error(between: Between) -> float:
    return between.error

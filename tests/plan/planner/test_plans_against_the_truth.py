"""Plans of random workloads against computations that share nothing with the planner.

Standard deviations: dense least squares with the variances of the certified integers. delta: the privacy loss of the
integers, convolved on a lattice. Every loss is rounded down, so that the result is at most the true delta, and in a
second run up, so that the result is at least the true delta.
"""

import math
from collections.abc import Hashable
from itertools import product
from typing import Any

import numpy as np
import pytest

from discreet.certify.ptable import PTable
from discreet.plan.planner import Aim, NoisePlan, Workload, plan_noise
from discreet.reconcile.cubes import standard_deviations
from tests.plan.planner import dense_estimator, summing_matrix

STEP = 2.0**-13
"""The lattice of losses."""

PLAIN = [(1, 2), (1, 3), (1, 5), (1, 7)]
EQUAL = [(1, 2, 6), (1, 3, 6), (1, 2, 4, 8)]
UNEQUAL = [(1, 3, 8), (1, 2, 7), (1, 3, 6, 11)]


def random_workload(seed: int) -> tuple[Workload, str]:
    """Return 2 or 3 axes, some groupings of them, and an aim. Seeds of one remainder by 3 have one sort of axes."""
    generator = np.random.default_rng(seed)
    first = (PLAIN, EQUAL, UNEQUAL)[seed % 3]
    axes = [first[generator.integers(len(first))], *(PLAIN[generator.integers(4)] for _ in range(1 + seed % 2))]
    everything = list(product(*(range(len(sizes)) for sizes in axes)))
    count = int(generator.integers(2, len(everything) + 1))
    chosen = generator.choice(len(everything), count, replace=False)
    aim = ("margins", "cells", "worst")[int(generator.integers(3))]
    return Workload(tuple(axes), tuple(everything[index] for index in sorted(chosen))), aim


def noise_of(table: PTable) -> tuple[Any, Any]:
    """Return the noise of a table and its integer weights."""
    row = table.interior[0]
    return np.arange(len(row.weights)) + row.first, [int(weight) for weight in row.weights]


def exact_variance(table: PTable) -> float:
    """Return the variance of the noise, from integers."""
    noise, weights = noise_of(table)
    whole = sum(weights)
    first = sum(int(value) * weight for value, weight in zip(noise, weights, strict=True))
    second = sum(int(value) ** 2 * weight for value, weight in zip(noise, weights, strict=True))
    assert whole == 2**table.bits
    return float((second * whole - first**2) / whole**2)


def losses(table: PTable, direction: int, up: bool) -> tuple[dict[int, float], float]:
    """Return the chance of every loss, in steps, if one person is added (1) or removed (-1), and of infinite losses."""
    _, weights = noise_of(table)
    chances: dict[int, float] = {}
    infinite = 0.0
    for index, weight in enumerate(weights):
        beside = index - direction
        if weight and (not 0 <= beside < len(weights) or not weights[beside]):
            infinite += weight / 2**table.bits
        elif weight:
            steps = math.log(weight / weights[beside]) / STEP
            place = math.ceil(steps - 1e-9) if up else math.floor(steps + 1e-9)
            chances[place] = chances.get(place, 0.0) + weight / 2**table.bits
    return chances, infinite


def composed_delta(plan: NoisePlan, epsilon: float, direction: int, up: bool) -> float:
    """Return delta of all measured groupings together, at most the true delta, or at least if losses are rounded up."""
    tables = [plan.tables[index] for index in plan.noise_of if index is not None]
    low, together, finite = 0, np.ones(1), 1.0
    for table in tables:
        chances, infinite = losses(table, direction, up)
        first = min(chances)
        own = np.zeros(max(chances) - first + 1)
        for place, chance in chances.items():
            own[place - first] += chance
        size = len(together) + len(own) - 1
        together = np.maximum(np.fft.irfft(np.fft.rfft(together, size) * np.fft.rfft(own, size), size), 0.0)
        low, finite = low + first, finite * (1 - infinite)
    above = (low + np.arange(len(together))) * STEP - epsilon
    return float((together * np.maximum(0.0, -np.expm1(-above))).sum()) + 1 - finite


@pytest.mark.parametrize("seed", range(30))
def test_a_plan_has_the_deviations_and_the_delta_that_it_states(seed: int) -> None:
    workload, aim = random_workload(seed)
    plan = plan_noise(workload, Aim(aim), epsilon=1, delta="1e-6")
    check_delta(plan)
    if seed % 3 == 2:
        check_deviations_of_unequal_groups(plan, workload)
    else:
        check_deviations(plan, workload)


@pytest.mark.parametrize(("count", "kind"), [(1, "geometric"), (6, "power")])
def test_plans_of_both_kinds_have_what_they_state(count: int, kind: str) -> None:
    """Margins of one axis each. Over six measurements, noise between geometric and Gaussian noise is best."""
    several = tuple(tuple(int(axis == own) for axis in range(count)) for own in range(count))
    workload = Workload(((1, 2),) * count, several)
    plan = plan_noise(workload, epsilon=1, delta="1e-6")
    assert plan.kind == kind
    check_delta(plan)
    check_deviations(plan, workload)


def check_delta(plan: NoisePlan) -> None:
    """Assert that the stated delta is between both roundings of the losses, and within the budget."""
    epsilon, stated = plan.composed
    at_least = max(composed_delta(plan, epsilon, direction, up=False) for direction in (1, -1))
    at_most = max(composed_delta(plan, epsilon, direction, up=True) for direction in (1, -1))
    assert at_least * (1 - 1e-7) - 1e-13 <= stated <= 1e-6
    assert stated <= at_most * (1 + 1e-3) + 1e-13


def tau_of(plan: NoisePlan) -> Any:
    """Return the precision of every grouping, from the integers."""
    return [0.0 if index is None else 1 / exact_variance(plan.tables[index]) for index in plan.noise_of]


def dense_variances(plan: NoisePlan, workload: Workload, grouping: int) -> Any:
    """Return the variance of every cell of a grouping by dense least squares."""
    tau = np.array(tau_of(plan))
    estimator, owners = dense_estimator(workload, tau, grouping)
    return (estimator**2 / tau[owners]).sum(axis=1)


def check_deviations(plan: NoisePlan, workload: Workload) -> None:
    """Assert that every cell has the stated deviation, as it has in groups of equal sizes."""
    for grouping, deviation in enumerate(plan.deviations):
        assert np.abs(np.sqrt(dense_variances(plan, workload, grouping)) / deviation - 1).max() < 1e-9


def check_deviations_of_unequal_groups(plan: NoisePlan, workload: Workload) -> None:
    """Assert that the figures that a release states, which are those of the tree, are those of dense least squares."""
    depths = [len(sizes) - 1 for sizes in workload.axes]
    levels: dict[int, dict[Hashable, Any]] = {
        axis: {level: groups(sizes, level) for level in range(1, depths[axis])}
        for axis, sizes in enumerate(workload.axes)
        if depths[axis] > 1
    }
    keys = [
        tuple(axis if level == depths[axis] else (axis, level) for axis, level in enumerate(grouping) if level)
        for grouping in workload.groupings
    ]
    shapes = [
        tuple(sizes[level] for sizes, level in zip(workload.axes, grouping, strict=True) if level)
        for grouping in workload.groupings
    ]
    tau = tau_of(plan)
    measured = {key: shape for key, shape, own in zip(keys, shapes, tau, strict=True) if own}
    variance = {key: 1 / own for key, own in zip(keys, tau, strict=True) if own}
    others = [key for key, own in zip(keys, tau, strict=True) if not own]
    found = standard_deviations(measured, variance, levels, others)
    assert found is not None
    for grouping, key in enumerate(keys):
        dense = dense_variances(plan, workload, grouping)
        assert found[key].typical == pytest.approx(math.sqrt(dense.mean()), rel=1e-9)
        assert found[key].largest == pytest.approx(math.sqrt(dense.max()), rel=1e-9)


def groups(sizes: tuple[int, ...], level: int) -> Any:
    """Return the group of every leaf, as `summing_matrix` has it."""
    workload = Workload((sizes,), ((level,),))
    return summing_matrix(workload, 0).argmax(axis=0)

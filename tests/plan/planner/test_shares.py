import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from discreet.plan.planner import Aim, Workload
from discreet.plan.planner._descent import minimise
from discreet.plan.planner._noise_classes import MOST_CLASSES, SPREAD, classes
from discreet.plan.planner._shares import Goal, Search, Shape, best_split
from discreet.plan.planner.gaussian_bounds import mu_of
from tests.plan.planner import GOLDEN, golden_precisions, golden_workload

GAUSSIAN = Shape(2.0, mu_of(1, 1e-6) ** 2)
GEOMETRIC = Shape(1.0, 1.0)


def goal_of(aim: str, workload: Workload) -> Goal:
    return Goal(Aim(aim).emphasis(workload), aim == "worst")


def single_slots(workload: Workload) -> list[tuple[int, ...]]:
    return [(grouping,) for grouping in range(len(workload.groupings))]


@pytest.mark.parametrize("name", ["town", "adult"])
@pytest.mark.parametrize(("shape", "prefix"), [(GAUSSIAN, "RP {} G"), (GEOMETRIC, "L {}")])
@pytest.mark.parametrize(("aim", "word"), [("margins", "grp"), ("cells", "sum"), ("worst", "max")])
def test_shares_are_as_good_as_those_of_the_golden_plans(
    name: str, shape: Shape, prefix: str, aim: str, word: str
) -> None:
    workload = golden_workload(name)
    plan = GOLDEN[name]["plans"][prefix.format(word)]
    golden = Aim(aim).error(workload, workload.variances(golden_precisions(plan["design"])))
    split = best_split(workload, single_slots(workload), shape, goal_of(aim, workload))
    assert math.sqrt(split.error) < math.sqrt(golden) * 1.0003
    assert (split.shares.sum()) == pytest.approx(shape.total, rel=1e-9)


def test_the_slope_of_the_error_is_its_difference() -> None:
    workload = Workload(((1, 2, 6), (1, 4)), tuple(product(range(3), range(2))), (1, 2, 1, 1, 3, 1))
    slots = [(0, 3), (1,), (2, 5), (4,)]
    point = np.array([[0.3, -0.2, 0.9, 0.1]])
    for shape, aim in product((GAUSSIAN, GEOMETRIC, Shape(1.5)), ("margins", "worst")):
        search, goal = Search(workload, slots, shape), goal_of(aim, workload)
        _, slope = search.function(goal, point)
        for axis in range(4):
            step = np.zeros((1, 4))
            step[0, axis] = 1e-5
            up, down = (search.function(goal, point + sign * step)[0] for sign in (1, -1))
            assert float((up - down)[0]) / 2e-5 == pytest.approx(float(slope[0, axis]), rel=1e-5, abs=1e-9)


def test_caps_are_kept_where_they_can_be() -> None:
    workload = golden_workload("town")
    one_noise = workload.variances(np.full(10, 1 / 180.0))
    free = goal_of("cells", workload)
    capped = Goal(free.emphasis, False, one_noise)
    without = best_split(workload, single_slots(workload), GEOMETRIC, free)
    split = best_split(workload, single_slots(workload), GEOMETRIC, capped)
    variances = workload.variances(Search(workload, split.slots, GEOMETRIC).tau(split.precisions))
    assert (variances / one_noise).max() < 1.001
    assert without.error < split.error < 0.6 * float(free.error(one_noise))


def squares(rows: Any) -> tuple[Any, Any]:
    """Return a quadratic function with the minimum at (1, 2, 3), and its slope."""
    steepness, centre = np.array([1.0, 30.0, 0.02]), np.array([1.0, 2.0, 3.0])
    return (steepness * (rows - centre) ** 2).sum(axis=1), 2 * steepness * (rows - centre)


def test_every_start_comes_to_the_minimum() -> None:
    starts = np.random.default_rng(2).normal(0, 3, (5, 3))
    points, values = minimise(squares, starts, 200, 1e-16)
    assert np.abs(points - [1, 2, 3]).max() < 1e-4
    assert values.max() < 1e-9


def spread(logs: Any, parts: Any, labels: Any) -> float:
    """Return the mean squared distance to the means of classes."""
    total = 0.0
    for label in set(labels):
        chosen = np.array(labels) == label
        mean = np.average(logs[chosen], weights=parts[chosen])
        total += float((parts[chosen] * (logs[chosen] - mean) ** 2).sum())
    return total / float(parts.sum())


def test_no_other_classes_are_tighter() -> None:
    generator = np.random.default_rng(8)
    for count in (1, 2, 3, 4, 5, 6):
        logs, parts = generator.normal(0, 0.1, count).round(3), generator.uniform(0.1, 1, count)
        found = classes(np.exp(logs), parts)
        number = int(found.max()) + 1
        best = min(spread(logs, parts, labels) for labels in product(range(number), repeat=count))
        assert spread(logs, parts, found.tolist()) == pytest.approx(best, abs=1e-9)
        assert best <= SPREAD
        fewer = [spread(logs, parts, labels) for labels in product(range(number - 1), repeat=count)]
        assert not fewer or min(fewer) > SPREAD


def test_there_are_never_more_than_16_classes() -> None:
    precisions = np.exp(np.random.default_rng(1).normal(0, 3, 500))
    found = classes(precisions, np.ones(500))
    assert set(found.tolist()) == set(range(MOST_CLASSES))
    assert (np.diff(found[np.argsort(precisions)]) >= 0).all()

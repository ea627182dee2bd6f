"""Which populations, axes and kinds of person the planner sees, and what a plan with filters costs."""

from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.plan.planned_workload import planned_workload
from discreet.plan.planner import Workload, plan_noise
from discreet.plan.planner.error_law import error_law
from discreet.plan.release_plan import ReleasePlan
from tests.plan.test_planned_noise import DIMENSIONS, spec

WOMEN = {"name": "women", "dimensions": ["age", "place"], "margins": "all", "filter": {"sex": ["f"]}}
MEN = {"name": "men", "dimensions": ["age", "place"], "margins": "all", "filter": {"sex": ["m"]}}


def planned(tables: list[dict[str, Any]], **changes: Any) -> ReleasePlan:
    return dc.release.plan(spec(tables=tables, measure=None, **changes))


def error(plan: ReleasePlan) -> float:
    return max(grouping.error for grouping in dc.release.describe(plan).groupings)


def test_measurements_of_a_population_tell_nothing_about_another_one() -> None:
    alone = Workload(((1, 4),), ((1,), (0,)))
    both = Workload(((1, 4),), ((1,), (0,), (1,), (0,)), populations=(0, 0, 1, 1))
    assert both.variances([1, 0, 0.5, 2]).tolist() == [*alone.variances([1, 0]), *alone.variances([0.5, 2])]
    assert both.undetermined([0, 1]) == [2, 3]
    table = dc.design.geometric(epsilon="0.5").certify()
    law = error_law(both, (table,), (0, 0, 0, 0), 0)
    assert law.deviation == error_law(alone, (table,), (0, 0), 0).deviation


def test_nobody_pays_for_two_tables_of_different_people() -> None:
    one, two = planned([WOMEN]), planned([WOMEN, MEN])
    assert two.touches == one.touches
    assert error(two) == pytest.approx(error(one), rel=0.1)
    assert two.promise is not None
    assert two.promise.delta <= 1e-6


def test_a_part_of_a_table_that_is_measured_costs_nothing() -> None:
    people: dict[str, Any] = {"name": "people", "dimensions": ["place", "age", "sex"], "margins": "all"}
    plan = planned([people, WOMEN])
    of_people, of_women = (
        [index for index in indices if plan.measured.noise_of[index] is not None] for _, indices in plan.layout.tables
    )
    assert of_women
    assert plan.touches == len(of_people)


def test_a_table_whose_categories_overlap_is_measured_with_all_margins() -> None:
    ages = DIMENSIONS["age"] | {"levels": {"band": {"young": ["a", "b"], "not old": ["a", "b", "c", "d"]}}}
    tables: list[dict[str, Any]] = [
        {"name": "bands", "dimensions": [{"dimension": "age", "level": "band"}, "sex"], "margins": "all"},
        {"name": "places", "dimensions": ["place", "sex"], "margins": "all"},
    ]
    plan = planned(tables, dimensions=DIMENSIONS | {"age": ages})
    of_bands = plan.layout.tables[0][1]
    assert all(plan.measured.noise_of[index] is not None for index in of_bands)
    workload = planned_workload(plan.layout, 1).workload
    assert max(max(row) for row in workload.kinds_of_person) == 2


def test_levels_that_are_not_nested_are_planned_within_the_budget() -> None:
    halves = {"left": [f"p{i}" for i in range(5)], "right": [f"p{i}" for i in range(5, 12)]}
    place = DIMENSIONS["place"] | {"levels": {**DIMENSIONS["place"]["levels"], "half": halves}}
    tables = [
        {"name": "states", "dimensions": [{"dimension": "place", "level": "state"}, "age"]},
        {"name": "halves", "dimensions": [{"dimension": "place", "level": "half"}, "age"]},
    ]
    plan = planned(tables, dimensions=DIMENSIONS | {"place": place})
    assert isinstance(plan.spec.measure, list)
    assert plan.promise is not None
    assert plan.promise.delta <= 1e-6


def test_two_kinds_of_person_each_have_the_whole_budget() -> None:
    """Two tables of different people: each has the plan that it has alone."""
    alone = plan_noise(Workload(((1, 6),), ((1,), (0,))), epsilon=1, delta="1e-6")
    two = Workload(((1, 6),), ((1,), (0,), (1,), (0,)), populations=(0, 0, 1, 1), persons=((1, 1, 0, 0), (0, 0, 1, 1)))
    both = plan_noise(two, epsilon=1, delta="1e-6")
    assert np.array(both.deviations) == pytest.approx(np.array(alone.deviations * 2), rel=0.02)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"design": {"name": "geometric", "epsilon": "0.1"}}, "design chooses the noise"),
        ({"reconcile": "none"}, "reconcile is none"),
    ],
)
def test_a_release_that_cannot_be_planned_is_measured_as_published_and_says_why(
    changes: dict[str, Any], why: str
) -> None:
    plan = dc.release.plan(spec(measure=None, **changes))
    assert plan.spec.measure == "published"
    assert plan.why_published is not None
    assert why in plan.why_published
    assert None not in plan.measured.noise_of


def test_a_specification_without_measure_is_planned() -> None:
    asked, default = dc.release.plan(spec()), dc.release.plan(spec(measure=None))
    assert default.spec.measure == asked.spec.measure
    assert default.why_published is None

"""`measure: plan`: from a specification to the groupings that are measured, and back from the published list."""

from typing import Any

import pytest

import discreet as dc
from discreet.errors import SpecError, TargetError
from discreet.plan import noise_table
from discreet.plan.release_plan import ReleasePlan

DIMENSIONS: dict[str, dict[str, Any]] = {
    "sex": {"column": "sex", "categories": ["f", "m"]},
    "age": {"column": "age", "categories": list("abcdef")},
    "place": {
        "column": "place",
        "categories": [f"p{i}" for i in range(12)],
        "levels": {"state": {f"s{i}": [f"p{j}" for j in range(3 * i, 3 * i + 3)] for i in range(4)}},
    },
}


def spec(**changes: Any) -> dict[str, Any]:
    return {
        "version": "1",
        "source": {"csv": "people.csv"},
        "dimensions": DIMENSIONS,
        "tables": [
            {"name": "people", "dimensions": ["place", "age"], "margins": "all"},
            {"name": "sexes", "dimensions": ["sex", "age"], "margins": "all"},
        ],
        "measure": "plan",
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    } | changes


def deviations(plan: ReleasePlan) -> dict[str, float]:
    planned = dc.release.describe(plan)
    return {grouping.name: grouping.error for grouping in planned.groupings}


@pytest.mark.parametrize("aim", ["margins", "cells", "worst"])
def test_the_list_that_is_published_makes_the_same_integers_again(aim: str) -> None:
    plan = dc.release.plan(spec(accuracy={"aim": aim}))
    assert plan.promise is not None
    assert plan.promise.delta <= 1e-6
    assert isinstance(plan.spec.measure, list)
    again = noise_table.choose_noise(plan.spec, plan.layout)
    assert [table.table_digest for table in again.ptables] == [table.table_digest for table in plan.ptables]
    assert again.measured.noise_of == plan.measured.noise_of


def test_a_plan_has_less_error_than_one_noise_for_all() -> None:
    planned, published = dc.release.plan(spec()), dc.release.plan(spec(measure="published"))
    mean = [sum(error**2 for error in deviations(plan).values()) for plan in (planned, published)]
    assert mean[0] < 0.75 * mean[1]
    assert "the planner's choice" in planned.reason


def test_levels_of_a_dimension_are_one_axis() -> None:
    tables = [
        {"name": "places", "dimensions": ["place", "age"], "margins": "all"},
        {"name": "states", "dimensions": [{"dimension": "place", "level": "state"}, "age"], "margins": "all"},
    ]
    plan = dc.release.plan(spec(tables=tables))
    assert [grouping.name for grouping in dc.release.describe(plan).groupings][-2:] == [
        "place (state) by age",
        "place (state)",
    ]
    assert max(deviations(plan).values()) < 40


def test_a_weight_makes_its_margin_better() -> None:
    plain, heavy = (deviations(dc.release.plan(spec(accuracy={"weights": weights}))) for weights in ({}, {"total": 50}))
    assert heavy["total"] < 0.8 * plain["total"]


def test_no_margin_is_worse_than_published() -> None:
    """Errors are compared in root mean square: 95% of them may reach farther, because shapes of noise differ."""
    planned = dc.release.describe(dc.release.plan(spec(accuracy={"no_worse_than": "published"})))
    published = dc.release.describe(dc.release.plan(spec(measure="published")))
    errors = {grouping.name: grouping.typical_error for grouping in published.groupings}
    assert all(grouping.typical_error <= errors[grouping.name] * 1.001 for grouping in planned.groupings)


def test_a_target_is_met_or_refused_with_what_is_possible() -> None:
    target = {"table": "people", "margin": ["age"], "plus_minus": 9}
    assert deviations(dc.release.plan(spec(accuracy={"within": [target]})))["age"] <= 9.2
    with pytest.raises(TargetError) as caught:
        dc.release.plan(spec(accuracy={"within": [target | {"plus_minus": 0.5}]}))
    assert caught.value.requested == 0.5
    assert caught.value.possible > 0.5
    assert "of 'age' shall be" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"accuracy": {"weights": {"nobody": 1}}}, "nobody"),
        ({"accuracy": {"weights": {"total": -1}}}, "total"),
        ({"accuracy": {"weights": {"total": float("nan")}}}, "total"),
        ({"accuracy": {"within": [{"table": "elsewhere", "plus_minus": 3}]}}, "elsewhere"),
        ({"accuracy": {"within": [{"table": "people", "margin": ["sex"], "plus_minus": 3}]}}, "sex"),
        ({"accuracy": {"aim": "everything"}}, "everything"),
        ({"measure": "published", "accuracy": {"aim": "cells"}}, "accuracy"),
        ({"design": {"name": "geometric", "epsilon": "0.1"}}, "design"),
        ({"reconcile": "none"}, "reconcile is none"),
        ({"budget": {"epsilon": 1, "delta": 0}}, "delta"),
    ],
)
def test_what_no_plan_covers_is_refused_by_name(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(dc.DiscreetError) as caught:
        dc.release.plan(spec(**changes))
    assert named in str(caught.value)


def test_nothing_is_demanded_of_levels_with_unequal_groups() -> None:
    """`_other` is a group of one category beside groups of three."""
    tables = [
        {"name": "places", "dimensions": ["place"]},
        {"name": "states", "dimensions": [{"dimension": "place", "level": "state"}]},
    ]
    for demand in ({"no_worse_than": "published"}, {"within": [{"table": "places", "plus_minus": 30}]}):
        with pytest.raises(SpecError, match="place"):
            dc.release.plan(spec(tables=tables, accuracy=demand))


def test_contributor_keys_have_no_plan() -> None:
    unit = {"unit": {"id": "id"}, "key": "contributors", "secret": {"file": "secret.key"}, "budget": None}
    with pytest.raises(SpecError, match="contributors"):
        dc.release.plan(spec(**unit))


def test_a_plan_with_fixed_counts_is_refused_before_anything_is_drawn() -> None:
    """A mistyped total moved every table without a word where the total was not measured."""
    spec: dict[str, Any] = {
        "version": "1",
        "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
        "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
        "fixed": [{"where": {}, "count": 90_000}],
    }
    with pytest.raises(SpecError, match="fixed"):
        dc.release.plan({**spec, "measure": "plan"})
    assert dc.release.plan(spec).why_published is not None

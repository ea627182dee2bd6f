"""Tables meet counts that are public from elsewhere, or the counts are refused before anything is drawn."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SolverError, SpecError
from discreet.reconcile import table_plan
from tests.reconcile.planned import TABLES, assert_additive, noisy, planned


def test_a_plan_that_cannot_meet_fixed_counts_for_any_reason_is_refused_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:

    def broken(*_: Any, **__: Any) -> None:
        raise SolverError("no way")

    monkeypatch.setattr(table_plan, "reconcile_cube", broken)
    with pytest.raises(SpecError, match="no way"):
        planned(TABLES[0], fixed=[{"where": {}, "count": 200}])


FIXED = [
    {"where": {}, "count": 200},
    {"where": {"county": "A"}, "count": 50},
    {"where": {"county": "a1", "sex": "f"}, "count": 7},
    {"where": {"sex": "m", "age": "young"}, "count": 0},
    {"where": {"county": "_other"}, "count": 0},
]


@given(st.integers(0, 2**32))
def test_fixed_counts_are_met(seed: int) -> None:
    layout, plan = planned(TABLES[0], fixed=FIXED)
    tables = plan.tables(noisy(layout, seed))
    assert_additive(layout, tables, [0])
    cells, total = tables[0][0], tables[0][-1]  # cells by county, sex, age
    assert int(total) == 200
    assert cells[:2].sum() == 50
    assert cells[0, 0].sum() == 7
    assert cells[:, 1, 0].sum() == 0
    assert cells[5].sum() == 0


def test_a_fixed_total_is_met_if_no_table_publishes_it() -> None:
    layout, plan = planned(
        [{"name": "t", "dimensions": ["county", "sex"], "margins": "none"}],
        fixed=[{"where": {}, "count": 1000}, {"where": {"county": "sea"}, "count": 10}],
    )
    (counts,) = plan.tables(noisy(layout, 3))[0]
    assert counts.sum() == 1000
    assert counts[[0, 2]].sum() == 10


def test_a_fixed_count_is_about_its_own_population_only() -> None:
    table = {"name": "t", "dimensions": ["county"], "margins": "all", "filter": {"sex": ["f", "m"]}}
    with pytest.raises(SpecError, match="100 for everyone"):
        planned([table], fixed=[{"where": {}, "count": 100}])
    layout, plan = planned(
        [table], fixed=[{"where": {"county": "a1"}, "count": 0}]
    )  # a zero is about every group among them
    assert plan.tables(noisy(layout, 1))[0][0][0] == 0


def test_clamped_tables_show_fixed_counts() -> None:
    layout, plan = planned(
        TABLES[0], reconcile="none", fixed=[literal for literal in FIXED if literal["where"] != {"county": "A"}]
    )
    values = noisy(layout, 8)
    groupings = plan.tables(values)[0]
    assert int(groupings[-1]) == 200
    assert (groupings[0][5] == 0).all()
    assert groupings[0][1, 0].tolist() == values[0][1, 0].clip(0).tolist()
    assert groupings[1][0, 0] == 7  # county by sex


@pytest.mark.parametrize(
    ("fixed", "named"),
    [
        (
            [{"where": {"county": "a1"}, "count": 5}, {"where": {"county": "A"}, "count": 4}],
            "4 for county: A, .*5 for county: a1",
        ),
        ([{"where": {}, "count": 5}, {"where": {"sex": "f"}, "count": 6}], "5 for everyone, .*6 for sex: f"),
        (
            [{"where": {}, "count": 9}, *({"where": {"sex": label}, "count": 2} for label in ("f", "m", "_other"))],
            "9 for everyone, .* 6;",
        ),
        (
            [{"where": {"county": "a1"}, "count": 5}, {"where": {"county": "a1"}, "count": 4}],
            "5 for .* 4 for county: a1",
        ),
        ([{"where": {"county": "zz"}, "count": 5}], "'zz'"),
        ([{"where": {"town": "zz"}, "count": 5}], "'town'"),
    ],
)
@pytest.mark.parametrize("reconcile", ["auto", "none"])
def test_counts_that_cannot_be_met_are_named_before_anything_is_drawn(
    reconcile: str, fixed: list[dict[str, Any]], named: str
) -> None:
    with pytest.raises(SpecError, match=named):
        planned(TABLES[0], fixed=fixed, reconcile=reconcile)


def test_a_zero_does_not_spoil_the_total_or_shared_cells() -> None:
    """If literals leave room for it, totals come first, and a cell in two tables has one count."""
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": ["county", "sex", "age"], "margins": "all"},
        {"name": "u", "dimensions": ["sex", "age"], "margins": "all", "filter": {"county": ["a1"]}},
    ]
    layout, plan = planned(tables, fixed=[{"where": {"county": "b1", "sex": "m"}, "count": 0}])
    for seed in range(10):
        values = noisy(layout, seed)
        tables_made = plan.tables(values)
        assert_additive(layout, tables_made, [0, 1])
        assert tables_made[0][0][2, 1].sum() == 0
        weights = [1 / values[index].size for index in layout.tables[0][1]]
        sums = [int(values[index].sum()) for index in layout.tables[0][1]]
        mean = sum(weight * total for weight, total in zip(weights, sums, strict=True)) / sum(weights)
        assert abs(int(tables_made[0][-1]) - max(0, mean)) < 2  # least squares also knows the zero
        assert tables_made[0][1][0].tolist() == tables_made[1][1].tolist()  # by county and sex; by sex in a1

"""Counts that are public from elsewhere: tables meet them, or they are refused before anything is drawn."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SolverError, SpecError
from discreet.reconcile import table_plan
from tests.reconcile.planned import TABLES, assert_additive, noisy, planned


def test_a_plan_that_cannot_meet_what_is_fixed_is_refused_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the reason."""

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
def test_what_is_fixed_is_met(seed: int) -> None:
    layout, plan = planned(TABLES[0], fixed=FIXED)
    made = plan.tables(noisy(layout, seed))
    assert_additive(layout, made, [0])
    whole, total = made[0][0], made[0][-1]  # county, sex, age
    assert int(total) == 200
    assert whole[:2].sum() == 50
    assert whole[0, 0].sum() == 7
    assert whole[:, 1, 0].sum() == 0
    assert whole[5].sum() == 0


def test_a_total_is_met_though_nobody_published_it() -> None:
    layout, plan = planned(
        [{"name": "t", "dimensions": ["county", "sex"], "margins": "none"}],
        fixed=[{"where": {}, "count": 1000}, {"where": {"county": "sea"}, "count": 10}],
    )
    (counts,) = plan.tables(noisy(layout, 3))[0]
    assert counts.sum() == 1000
    assert counts[[0, 2]].sum() == 10


def test_a_fixed_count_is_about_its_own_population_only() -> None:
    table = {"name": "t", "dimensions": ["county"], "margins": "all", "filter": {"sex": ["f", "m"]}}
    with pytest.raises(SpecError, match="100 for everyone, who are no published cell"):
        planned([table], fixed=[{"where": {}, "count": 100}])
    layout, plan = planned([table], fixed=[{"where": {"county": "a1"}, "count": 0}])  # zero: all among them
    assert plan.tables(noisy(layout, 1))[0][0][0] == 0


def test_clamped_tables_show_what_is_fixed() -> None:
    layout, plan = planned(
        TABLES[0], reconcile="none", fixed=[each for each in FIXED if each["where"] != {"county": "A"}]
    )
    values = noisy(layout, 8)
    made = plan.tables(values)[0]
    assert int(made[-1]) == 200
    assert (made[0][5] == 0).all()
    assert made[0][1, 0].tolist() == values[0][1, 0].clip(0).tolist()
    assert made[1][0, 0] == 7  # county by sex


@pytest.mark.parametrize(
    ("fixed", "said"),
    [
        (
            [{"where": {"county": "a1"}, "count": 5}, {"where": {"county": "A"}, "count": 4}],
            "4 for county: A, and 5 for county: a1, who are some of them and make 5",
        ),
        ([{"where": {}, "count": 5}, {"where": {"sex": "f"}, "count": 6}], "5 for everyone, and 6 for sex: f"),
        (
            [{"where": {}, "count": 9}, *({"where": {"sex": label}, "count": 2} for label in ("f", "m", "_other"))],
            "who are all of them and make 6",
        ),
        ([{"where": {"county": "a1"}, "count": 5}, {"where": {"county": "a1"}, "count": 4}], "the same people"),
        ([{"where": {"county": "zz"}, "count": 5}], "no leaf or group"),
        ([{"where": {"town": "zz"}, "count": 5}], "a dimension of no table"),
    ],
)
@pytest.mark.parametrize("reconcile", ["auto", "none"])
def test_what_cannot_be_met_is_named_before_anything_is_drawn(
    reconcile: str, fixed: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(SpecError, match=said):
        planned(TABLES[0], fixed=fixed, reconcile=reconcile)


def test_a_zero_does_not_spoil_the_total_or_what_is_shared() -> None:
    """Totals first, and one number for one cell, beside literals that leave room for it."""
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": ["county", "sex", "age"], "margins": "all"},
        {"name": "u", "dimensions": ["sex", "age"], "margins": "all", "filter": {"county": ["a1"]}},
    ]
    layout, plan = planned(tables, fixed=[{"where": {"county": "b1", "sex": "m"}, "count": 0}])
    for seed in range(10):
        values = noisy(layout, seed)
        made = plan.tables(values)
        assert_additive(layout, made, [0, 1])
        assert made[0][0][2, 1].sum() == 0
        weights = [1 / values[place].size for place in layout.tables[0][1]]
        sums = [int(values[place].sum()) for place in layout.tables[0][1]]
        best = sum(w * s for w, s in zip(weights, sums, strict=True)) / sum(weights)
        assert abs(int(made[0][-1]) - max(0, best)) < 2  # least squares also knows what is 0
        assert made[0][1][0].tolist() == made[1][1].tolist()  # by county and sex; by sex in a1

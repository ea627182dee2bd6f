"""Tables meet counts that are public from elsewhere, or the counts are refused before anything is drawn."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import SolverError, SpecError
from discreet.plan.fixed import FixedCount
from discreet.plan.layout import Grouping
from discreet.reconcile import fixed_counts, table_plan
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


PEOPLE: list[dict[str, Any]] = [
    {"name": "cells", "dimensions": ["county", "sex", "age"], "margins": "all"},
    {"name": "women", "dimensions": ["county"], "margins": "all", "filter": {"sex": ["f"]}},
    {"name": "young", "dimensions": ["county", "sex"], "margins": "all", "filter": {"age": ["young"], "county": ["A"]}},
    {"name": "lists", "dimensions": [{"dimension": "county", "level": "lists"}, "sex"], "margins": "all"},
]


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "county": st.sampled_from(["A", "a1", "a2", "sea", "_other"]),
            "sex": st.sampled_from(["f", "m", "_other"]),
            "age": st.sampled_from(["young", "_other"]),
        },
    )
)
def test_the_cells_that_make_up_a_population_are_found_if_there_are_any(where: dict[str, str]) -> None:
    """Counted by leaf combination: each one of the population is in one chosen cell, and no other is in any."""
    layout, _ = planned(PEOPLE, fixed=[])
    books = {book.name: book for book in layout.books}
    leaves = {name: books[name].select([label], "fixed, on", ()) for name, label in where.items()}
    literal = FixedCount(leaves, 5, "these people", ())
    everyone = {name: frozenset(range(len(book.leaves))) for name, book in books.items()}
    population = Counter(product(*(leaves.get(name, members) for name, members in everyone.items())))
    for grouping in layout.groupings:
        parts = fixed_counts.parts_of(literal, grouping)
        inside = _inside(grouping, everyone, population)
        covered = sum((_leaf_combinations(grouping, everyone, cell) for cell in inside), Counter())
        if covered == population:
            assert parts is not None
            assert {tuple(index) for index in np.argwhere(parts).tolist()} == set(inside)
        else:
            assert parts is None


def _leaf_combinations(
    grouping: Grouping, everyone: dict[str, frozenset[int]], cell: tuple[int, ...]
) -> Counter[tuple[int, ...]]:
    members = everyone | {book.name: leaves for book, leaves in grouping.within}
    members |= {axis.book.name: axis.members[group] for axis, group in zip(grouping.axes, cell, strict=True)}
    return Counter(product(*(members[name] for name in everyone)))


def _inside(
    grouping: Grouping, everyone: dict[str, frozenset[int]], population: Counter[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    return [cell for cell in np.ndindex(grouping.shape) if _leaf_combinations(grouping, everyone, cell) <= population]

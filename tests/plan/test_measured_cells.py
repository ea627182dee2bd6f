"""Which groupings are measured, with which noise, and what one person loses by all of them."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import ExceededBudgetError, ReleaseError, SpecError
from discreet.plan import touches
from discreet.plan.release_plan import ReleasePlan
from discreet.release.plan_release import plan

DIMENSIONS: dict[str, Any] = {
    "sex": {"column": "sex", "categories": ["f", "m"]},
    "age": {"column": "age", "categories": list("abc")},
    "place": {
        "column": "place",
        "categories": list("wxyz"),
        "levels": {"side": {"low": ["w", "x"], "high": ["y", "z"]}, "two": {"one": ["w", "x"], "both": ["w", "y"]}},
    },
}
PEOPLE = {"name": "people", "dimensions": ["sex", "age"], "margins": "all"}


def noise(epsilon: str) -> dict[str, Any]:
    return {"name": "geometric", "epsilon": epsilon}


def spec(tables: list[Any], measure: Any, **changes: Any) -> dict[str, Any]:
    return {
        "version": "1",
        "source": {"csv": "x"},
        "dimensions": DIMENSIONS,
        "tables": tables,
        "measure": measure,
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
        **changes,
    }


def planned(tables: list[Any], measure: Any, **changes: Any) -> ReleasePlan:
    return plan(spec(tables, measure, **changes))


def delta(parts: list[tuple[discreet.PTable, int]], epsilon: float) -> float:
    """Return delta of one person in so many cells of each table, by every outcome: counts are n and n + 1."""
    p, q = np.ones(1), np.ones(1)
    for ptable, times in parts:
        (row,) = ptable.interior
        weights = np.array([*row.weights, 0], dtype=np.float64) / ptable.table.total
        for _ in range(times):
            p, q = np.outer(p, weights).ravel(), np.outer(q, np.roll(weights, 1)).ravel()
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


def test_the_loss_of_few_precise_cells_is_not_hidden_by_many_noisy_ones() -> None:
    """Women are in one cell of epsilon .9, men in two of .1: two touches at most, and .9 in all, not .2."""
    tables = [
        {"name": "women", "dimensions": [], "filter": {"sex": ["f"]}},
        {"name": "men", "dimensions": ["age"], "margins": "all", "filter": {"sex": ["m"]}},
    ]
    measure = [
        {"table": "women", "design": noise("0.9")},
        {"table": "men", "design": noise("0.1")},
        {"table": "men", "margin": [], "design": noise("0.1")},
    ]
    release = planned(tables, measure, budget={"epsilon": "0.9", "delta": "1e-6"})
    assert release.touches == 2
    assert set(release.exposure.by_table) == {(1, 0), (0, 2)}
    little, much = release.ptables
    assert release.promise is not None
    assert release.promise.delta == pytest.approx(max(delta([(little, 1)], 0.9), delta([(much, 2)], 0.9)), rel=1e-5)
    for epsilon in ("0.2", "0.5", "0.89"):
        with pytest.raises(ExceededBudgetError):
            planned(tables, measure, budget={"epsilon": epsilon, "delta": "1e-6"})


@pytest.mark.parametrize("epsilon", ["0.6", "0.8", "1"])
def test_the_promise_is_the_composition_of_all_tables(epsilon: str) -> None:
    """The same number comes out of every outcome of three cells with three noises."""
    measure = [
        {"table": "people", "design": {"name": "geometric", "epsilon": "0.5", "support": 30}},
        {"table": "people", "margin": ["sex"], "design": {"name": "gaussian", "sigma2": 30, "certify_at": "0.5"}},
        {"table": "people", "margin": [], "design": {"name": "geometric", "epsilon": "0.3", "support": 40}},
    ]
    release = planned([PEOPLE], measure, budget={"epsilon": epsilon, "delta": "0.2"})
    assert release.exposure.by_table == ((1, 1, 1),)
    assert release.promise is not None
    exact = delta([(ptable, 1) for ptable in release.ptables], float(epsilon))
    assert exact <= release.promise.delta <= exact * 1.001 + 1e-9


def test_one_definition_with_two_noises_is_measured_twice() -> None:
    """`_other` is a leaf and a group of its own: with one noise it is one cell, with two noises it is two."""
    places = [
        {"name": "places", "dimensions": ["place"]},
        {"name": "sides", "dimensions": [{"dimension": "place", "level": "side"}]},
    ]
    same = planned(places, [{"table": "places", "design": noise("0.3")}, {"table": "sides", "design": noise("0.3")}])
    other = planned(places, [{"table": "places", "design": noise("0.3")}, {"table": "sides", "design": noise("0.4")}])
    assert len(same.layout.cells.definitions) == 7  # five places with _other, which is also a side, and two sides
    assert (same.measured.size, other.measured.size) == (7, 8)
    assert same.exposure.by_table == ((2,),)
    assert other.exposure.by_table == ((1, 1),)


def test_groupings_with_exactly_the_same_cells_have_one_noise() -> None:
    turned = [PEOPLE, {"name": "turned", "dimensions": ["age", "sex"], "margins": "none"}]
    release = planned(turned, [{"table": "turned", "design": noise("0.5")}])
    assert release.measured.noise_of == (0, None, None, None, 0)
    assert release.touches == 1
    with pytest.raises(SpecError, match="sex by age"):
        planned(turned, [{"table": "people", "design": noise("0.5")}, {"table": "turned", "design": noise("0.4")}])


def test_several_rows_of_a_person_are_counted_in_families_of_one_noise() -> None:
    """Women and men are disjoint: with one noise one family, with two noises two."""
    tables = [
        {"name": name, "dimensions": ["age"], "filter": {"sex": [sex]}} for name, sex in (("women", "f"), ("men", "m"))
    ]
    unit = {"unit": {"id": "id", "contributions": 3}, "budget": {"epsilon": 2, "delta": "1e-6"}}
    one = [{"table": name, "design": noise("0.2")} for name in ("women", "men")]
    two = [one[0], {"table": "men", "design": noise("0.3")}]
    assert planned(tables, one, **unit).exposure == (1, ((1,),))
    assert planned(tables, two, **unit).exposure == (2, ((1, 1),))


def test_tables_with_too_many_combinations_have_a_bound_for_everyone(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = [
        {"table": "people", "design": noise("0.4")},
        {"table": "people", "margin": ["age"], "design": noise("0.2")},
    ]
    exact = planned([PEOPLE], measure)
    monkeypatch.setattr(touches, "MOST_COMBINATIONS", 1)
    assert planned([PEOPLE], measure).exposure == exact.exposure == (2, ((1, 1),))


def test_of_many_combinations_the_largest_of_each_table_stands_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touches, "MOST_KEPT", 1)
    numbers = [np.array([3, 0, 1]), np.array([0, 2, 1])]
    assert touches._largest(numbers) == (3, ((3, 2),))


@pytest.mark.parametrize("seed", range(20))
def test_kept_combinations_are_those_that_no_other_exceeds(seed: int) -> None:
    numbers = list(np.random.default_rng(seed).integers(0, 4, (3, 30)))
    most, kept = touches._largest(numbers)
    rows = set(zip(*(of_table.tolist() for of_table in numbers), strict=True))
    largest = {row for row in rows if not any(row != other and all(map(int.__le__, row, other)) for other in rows)}
    assert set(kept) == largest
    assert len(kept) == len(largest)
    assert most == max(map(sum, rows))


def test_a_release_with_several_tables_has_no_single_one() -> None:
    measure = [{"table": "people", "design": noise("0.4")}, {"table": "people", "margin": [], "design": noise("0.2")}]
    release = planned([PEOPLE], measure)
    with pytest.raises(ReleaseError, match="2 tables of noise"):
        _ = release.ptable
    assert planned([PEOPLE], measure[:1]).ptable.guarantee.epsilon == pytest.approx(0.4)


def test_the_adviser_gets_the_whole_budget_for_the_listed_groupings() -> None:
    listed, published = planned([PEOPLE], [{"table": "people"}]), planned([PEOPLE], "published")
    assert (listed.touches, published.touches) == (1, 4)
    variances = [discreet.Mechanism.from_table(release.ptable.table).variance(1000) for release in (listed, published)]
    assert variances[0] < variances[1] / 4


MARGIN = {"table": "people", "margin": ["sex"]}

REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "nothing": ([], {}, "no grouping"),
    "an unknown table": ([{"table": "persons"}], {}, "persons"),
    "an unknown dimension": ([{"table": "people", "margin": ["place"]}], {}, "place"),
    "a grouping twice": ([{"table": "people"}, {"table": "people", "margin": ["age", "sex"]}], {}, "age by sex"),
    "no design for one of two": ([{"table": "people", "design": noise("0.5")}, MARGIN], {}, "sex"),
    "a list that leaves a table open": ([MARGIN], {}, "sex by age of table 'people'"),
    "a margin of clamped tables": ([{"table": "people"}], {"reconcile": "none"}, "sex of table 'people'"),
    "noise with an end": (
        [{"table": "people", "design": {"name": "geometric", "epsilon": "0.5", "upper": 50}}], {}, "sex of table"
    ),
    "contributor keys": (
        [{"table": "people"}],
        {"key": "contributors", "budget": None, "design": noise("1"), "secret": {"file": "s"}, "unit": {"id": "id"}},
        "contributors",
    ),
    "a certificate and more": ([{"table": "people", "design": {"certificate": "x", "epsilon": 1}}], {}, "epsilon"),
    "a design without a name": ([{"table": "people", "design": {"epsilon": 1}}], {}, "None"),
    "another word": ("everything", {}, "everything"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_list_that_cannot_be_measured_is_refused(name: str) -> None:
    measure, changes, named = REFUSED[name]
    with pytest.raises(SpecError, match=named) as refused:
        planned([PEOPLE], measure, **changes)
    assert "measure" in str(refused.value) or "design" in str(refused.value)


def test_a_margin_that_is_not_published_is_not_measured() -> None:
    with pytest.raises(SpecError, match="margin age of 'people'"):
        planned([PEOPLE | {"margins": [["sex"]]}], [{"table": "people"}, {"table": "people", "margin": ["age"]}])


@pytest.mark.parametrize(("finer", "is_enough"), [("places", True), ("sides", False), ("women", False)])
def test_only_a_finer_table_of_the_same_people_determines_another(finer: str, is_enough: bool) -> None:
    tables = [
        {"name": "sides", "dimensions": [{"dimension": "place", "level": "side"}], "margins": "all"},
        {"name": "places", "dimensions": ["place"], "margins": "none"},
        {"name": "women", "dimensions": ["place"], "filter": {"sex": ["f"]}},
    ]
    measure = [{"table": name, "design": noise("0.2")} for name in sorted({finer, "women"})]
    if is_enough:
        assert planned(tables, measure).measured.noise_of == (None, None, 0, 0)
    else:
        with pytest.raises(SpecError, match="place of table"):
            planned(tables, measure)


def test_overlapping_categories_are_measured_themselves() -> None:
    tables = [{"name": "t", "dimensions": [{"dimension": "place", "level": "two"}], "margins": "all"}]
    with pytest.raises(SpecError, match="total of table 't'"):
        planned(tables, [{"table": "t", "design": noise("0.2")}])
    both = [{"table": "t", "design": noise("0.2")}, {"table": "t", "margin": [], "design": noise("0.3")}]
    assert planned(tables, both).exposure.by_table == ((2, 1),)


@pytest.mark.parametrize("measured", list(itertools.combinations([["sex"], ["age"], []], 2)))
def test_every_published_grouping_has_a_noise_or_none(measured: Any) -> None:
    measure = [{"table": "people", "design": noise("0.2")}]
    measure += [{"table": "people", "margin": margin, "design": noise("0.3")} for margin in measured]
    release = planned([PEOPLE], measure)
    for index, grouping in enumerate(release.layout.groupings):
        names = [axis.book.name for axis in grouping.axes]
        ptable = release.ptable_of(index)
        expected = None if names not in [["sex", "age"], *measured] else "0.3" if len(names) < 2 else "0.2"
        assert (None if ptable is None else ptable.design["epsilon"]) == expected

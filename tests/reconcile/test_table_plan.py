"""Tables made from measurements: they add up, meet what is fixed, and anyone can make them again."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.errors import SpecError
from discreet.measure import secrets
from discreet.publish.verify_folder import verify_folder
from discreet.reconcile.cubes import reconcile_cube
from discreet.release import run
from tests.reconcile.planned import DIMENSIONS, TABLES, assert_additive, noisy, planned, populations, state


@pytest.mark.parametrize("tables", TABLES)
@given(st.integers(0, 2**32))
def test_tables_add_up_and_agree(tables: list[dict[str, Any]], seed: int) -> None:
    layout, plan = planned(tables)
    made = plan.tables(noisy(layout, seed))
    assert_additive(layout, made, list(range(len(tables))))
    for _, part in plan.parts:
        known: dict[int, int] = {}
        for table in part.tables:
            for place, counts in zip(layout.tables[table][1], made[table], strict=True):
                for cell, count in zip(layout.cells[1][place].tolist(), counts.ravel().tolist(), strict=True):
                    assert known.setdefault(cell, count) == count
    again = plan.tables(noisy(layout, seed))
    assert all((x == y).all() for one, other in zip(made, again, strict=True) for x, y in zip(one, other, strict=True))


@pytest.mark.parametrize(("tables", "off"), [(TABLES[0], 0), (TABLES[1], 0), (TABLES[2], 2), (TABLES[3], 2)])
def test_measurements_without_noise_stay_as_they_are(tables: list[dict[str, Any]], off: int) -> None:
    """To a unit or two, where the cells that the tables share a cube with were not published."""
    layout, plan = planned(tables)
    people = np.random.default_rng(1).integers(0, 9, [len(book.leaves) for book in layout.books])
    values: dict[int, Any] = {}
    for number, (_, places) in enumerate(layout.tables):
        for at, place in enumerate(places):
            counted = [sum(int(people[leaf]) for leaf in here) for here in populations(layout, number, at)]
            values[place] = np.array(counted).reshape(layout.groupings[place].shape)
    made = plan.tables([values[place] for place in range(len(layout.groupings))])
    for (_, places), counts in zip(layout.tables, made, strict=True):
        for place, numbers in zip(places, counts, strict=True):
            assert np.abs(numbers - values[place]).max() <= off


def test_a_hierarchy_is_a_tree_and_comes_out_as_one() -> None:
    layout, plan = planned(
        [
            {"name": "t", "dimensions": [state()], "margins": "all"},
            {"name": "u", "dimensions": ["county"], "margins": "none"},
        ],
        seed=5,
    )
    assert plan.methods == [(["t", "u"], "tree")]
    values = noisy(layout, 3)
    (states, total), (counties,) = plan.tables(values)
    noise = np.concatenate([values[1].ravel(), values[0].ravel(), values[2].ravel()])
    parent = [-1, 0, 0, 0, 1, 1, 2, 2, 2, 3]  # total; A, B, _other; a1, a2, b1, b2, b3, _other
    once = np.where(np.isin(np.arange(10), [3, 9]), 2.0, 1.0)  # _other is one cell in both, with one noise
    leaves = np.eye(6)
    sums = np.vstack([leaves.sum(axis=0), leaves[:2].sum(axis=0), leaves[2:5].sum(axis=0), leaves[5], leaves])
    weight = 1 / np.sqrt(once)
    best = np.linalg.lstsq(sums * weight[:, None], noise * weight, rcond=None)[0].sum()
    direct = discreet.reconcile.tree(noise, parent, variance=once, fixed={0: round(best)}, seed=5)
    assert np.concatenate([total.ravel(), states, counties]).tolist() == direct.tolist()


WORLD: dict[str, Any] = {
    "sex": {"column": "sex", "categories": ["f", "m"]},
    "place": {"column": "country", "categories": ["x"], "levels": {"world": {"all": ["x", "_other"]}}},
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("reconcile", ["auto", "tree"])
def test_groupings_of_one_size_nest_in_one_order_only(reconcile: str, turned: bool) -> None:
    """By sex, and by sex and the only group of places: the second is finer, though not larger."""
    world = {"dimension": "place", "level": "world"}
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": ["sex"], "margins": "all"},
        {"name": "u", "dimensions": [world, "sex"], "margins": [[]]},
    ]
    layout, plan = planned(tables[::-1] if turned else tables, dimensions=WORLD, reconcile=reconcile)
    assert [method for _, method in plan.methods] == ["tree"]
    made = plan.tables(noisy(layout, 4))
    assert_additive(layout, made, [0, 1])
    assert len({int(counts.sum()) for table in made for counts in table}) == 1


def test_crossed_dimensions_are_a_cube_and_come_out_as_one() -> None:
    layout, plan = planned([{"name": "t", "dimensions": ["age", "sex"], "margins": "all"}], reconcile="cube", seed=9)
    values = noisy(layout, 4)
    made = plan.tables(values)[0]
    whole, age, sex, total = values
    # the axes are in the order in which dimensions are declared: sex before age
    given = {(0, 1): whole.T, (1,): age, (0,): sex, (): total}
    direct = reconcile_cube(given, plan.variance, None, 9, None, total_first=True).values
    assert made[0].T.tolist() == direct[0, 1].tolist()
    weights = [1 / part.size for part in values]
    assert int(made[3]) == round(sum(int(p.sum()) * w for p, w in zip(values, weights, strict=True)) / sum(weights))


def test_a_total_that_is_settled_first_leaves_every_margin_as_good_as_measured() -> None:
    """Paired errors on one table of 18 x 15 x 12 sparse cells, at every level; clamped margins do not add up."""
    sides = {"a": 18, "b": 15, "c": 12}
    dimensions = {
        name: {"column": name, "categories": [str(at) for at in range(side - 1)]} for name, side in sides.items()
    }
    layout, plan = planned([{"name": "t", "dimensions": [*sides], "margins": "all"}], dimensions=dimensions)
    draw = np.random.default_rng(6)
    truth = draw.poisson(draw.gamma(0.6, 4, list(sides.values())))
    names = [[side.book.name for side in grouping.axes] for grouping in layout.groupings]
    true = [truth.sum(axis=tuple(at for at, name in enumerate(sides) if name not in kept)) for kept in names]
    squares: dict[int, list[Any]] = {}
    for _ in range(30):
        values = [each + draw.geometric(0.4, each.shape) - draw.geometric(0.4, each.shape) for each in true]
        made = plan.tables(values)[0]
        for kept, real, measured, released in zip(names, true, values, made, strict=True):
            errors = [np.mean((each - real) ** 2) for each in (released, measured, measured.clip(0))]
            squares.setdefault(len(kept), []).append(errors)
    for ways, found in squares.items():
        released, measured, clamped = np.mean(found, axis=0)
        assert released < 1.1 * min(measured, clamped), (ways, released, measured, clamped)


@pytest.mark.parametrize("tables", [[["a", "b"]], [["a", "b"], ["a", "c"], ["a", "d"]]])
def test_margins_of_nearly_empty_tables_are_as_good_as_measured(tables: list[list[str]]) -> None:
    """A long axis, half of it empty: cells that cannot be negative must not push its sums, or those across, about."""
    sides = {"a": 120, "b": 2, "c": 9, "d": 9}
    dimensions = {n: {"column": n, "categories": [str(at) for at in range(side - 1)]} for n, side in sides.items()}
    asked = [{"name": "".join(axes), "dimensions": axes, "margins": "all"} for axes in tables]
    layout, plan = planned(asked, dimensions=dimensions)
    draw = np.random.default_rng(7)
    rows = np.stack([draw.integers(0, side // 2, 6000) for side in sides.values()])
    true = []
    for grouping in layout.groupings:
        place = np.zeros(6000, dtype=np.int64)
        for side in grouping.axes:
            place = place * len(side.labels) + rows[list(sides).index(side.book.name)]
        true.append(np.bincount(place, minlength=grouping.size).reshape(grouping.shape))
    squares: dict[str, list[Any]] = {}
    for _ in range(30):
        values = [each + draw.geometric(0.07, each.shape) - draw.geometric(0.07, each.shape) for each in true]
        (found,) = plan.fitted(values)
        for at, grouping in enumerate(layout.groupings):
            errors = [np.mean((each - true[at]) ** 2) for each in (found.counts[at], values[at])]
            squares.setdefault(grouping.name, []).append(errors)
    for name, errors in squares.items():
        published, measured = np.array(errors).T
        uncertain = (published - measured).std() / np.sqrt(len(errors))
        assert published.mean() < measured.mean() + 2 * uncertain, (name, published.mean(), measured.mean())


def test_wang_is_for_a_list_and_its_total() -> None:
    layout, plan = planned([{"name": "t", "dimensions": ["county"], "margins": "all"}], reconcile="wang-3", seed=2)
    values = noisy(layout, 7)
    counts, total = plan.tables(values)[0]
    assert counts.tolist() == discreet.reconcile.wang(values[0], values[1], algorithm="3", seed=2).tolist()
    assert int(total) == counts.sum()
    for tables in (TABLES[0], [{"name": "t", "dimensions": ["county"], "margins": "none"}]):
        with pytest.raises(SpecError, match="for a list and its total"):
            planned(tables, reconcile="wang-3")


def test_tables_that_form_a_circle_agree_wherever_they_meet() -> None:
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": ["county", "sex"], "margins": "all"},
        {"name": "u", "dimensions": ["county", "age"], "margins": "all"},
        {"name": "v", "dimensions": ["sex", "age"], "margins": "all"},
    ]
    layout, plan = planned(tables)
    assert [names for names, _ in plan.methods] == [["t", "u", "v"]]
    for seed in range(20):
        made = plan.tables(noisy(layout, seed))
        assert_additive(layout, made, [0, 1, 2])
        assert len({int(table[-1]) for table in made}) == 1
        assert made[0][1].tolist() == made[1][1].tolist()  # by county
        assert made[0][2].tolist() == made[2][1].tolist()  # by sex
        assert made[1][2].tolist() == made[2][2].tolist()  # by age


def test_categories_that_overlap_are_left_as_they_are() -> None:
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": [state("lists")], "margins": "all"},
        {"name": "u", "dimensions": ["county"], "margins": "all"},
    ]
    layout, plan = planned(tables)
    assert plan.methods == [(["u"], "tree"), (["t"], "none")]
    values = noisy(layout, 1)
    made = plan.tables(values)
    assert made[0][0].tolist() == values[0].clip(0).tolist()
    assert int(made[0][1]) == int(made[1][1])  # the total is settled by the other table
    with pytest.raises(SpecError, match="'t' has categories that overlap"):
        planned(tables, reconcile="cube")


def test_a_tree_is_refused_where_nothing_nests() -> None:
    with pytest.raises(SpecError, match="do not nest"):
        planned(TABLES[0], reconcile="tree")
    with pytest.raises(SpecError, match="it has fixed counts"):
        planned(
            [{"name": "t", "dimensions": ["county"], "margins": "all"}],
            reconcile="tree",
            fixed=[{"where": {}, "count": 1}],
        )


def test_noise_with_an_upper_end_is_not_made_to_add_up() -> None:
    ends = discreet.design.geometric(epsilon=1, upper=50).certify()
    layout, plan = planned(TABLES[0], ends)
    assert plan.methods == [(["t"], "none")]
    values = noisy(layout, 1)
    assert plan.tables(values)[0][0].tolist() == values[0].clip(0).tolist()
    with pytest.raises(SpecError, match="has an upper end"):
        planned(TABLES[0], ends, reconcile="cube")


def test_reconciliation_changes_tables_and_nothing_that_was_drawn(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("county,sex,age\n" + "a1,f,20\nb2,m,50\n" * 30)
    secrets.new_secret(tmp_path / "key")
    spec = {
        "version": "1",
        "source": {"csv": str(tmp_path / "people.csv")},
        "dimensions": DIMENSIONS,
        "tables": TABLES[0],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "secret": {"file": str(tmp_path / "key")},
        "fixed": [{"where": {}, "count": 60}],
    }
    for name in ("auto", "none"):
        run(spec | {"reconcile": name}, tmp_path / name)
        verify_folder(tmp_path / name)
    one, other = (tmp_path / "auto", tmp_path / "none")
    assert (one / "measurements.csv").read_bytes() == (other / "measurements.csv").read_bytes()
    assert (one / "t.csv").read_bytes() != (other / "t.csv").read_bytes()
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (one, other)]
    assert manifests[0]["privacy"] == manifests[1]["privacy"]
    assert [m["reconciled"] for m in manifests] == [
        [{"tables": ["t"], "method": "cube"}],
        [{"tables": ["t"], "method": "none"}],
    ]
    assert "How the tables add up" in (one / "report.html").read_text()
    assert "Why the tables do not add up" in (other / "report.html").read_text()

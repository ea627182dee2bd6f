"""Tables made from measurements: they add up, meet what is fixed, and anyone can make them again."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet import PTable
from discreet.errors import SolverError, SpecError
from discreet.measure import secrets
from discreet.plan.layout import Layout
from discreet.plan.release_plan import plan_with, resolve
from discreet.publish.verify_folder import verify_folder
from discreet.reconcile import table_plan
from discreet.reconcile.cubes import reconciled
from discreet.release import ReleaseSpec, run

DIMENSIONS: dict[str, Any] = {
    "county": {
        "column": "county",
        "categories": ["a1", "a2", "b1", "b2", "b3"],
        "levels": {
            "state": {"A": ["a1", "a2"], "B": ["b1", "b2", "b3"]},
            "coast": {"sea": ["a1", "b1"], "land": ["a2", "b2", "b3"]},
            "lists": {"a": ["a1", "a2"], "ones": ["a1", "b1"]},
        },
    },
    "sex": {"column": "sex", "categories": ["f", "m"]},
    "age": {"column": "age", "ranges": {"young": [0, 30], "old": [30, None]}},
}


NOISE = discreet.design.geometric(epsilon="0.1").certify()


def planned(
    tables: list[dict[str, Any]], ptable: PTable | None = None, **changes: Any
) -> tuple[Layout, table_plan.TablePlan]:
    spec = ReleaseSpec.model_validate(
        {
            "version": "1",
            "source": {"csv": "x"},
            "dimensions": DIMENSIONS,
            "tables": tables,
            "budget": {"epsilon": 1},
            "key": "fresh",
            **changes,
        }
    )
    plan = plan_with(resolve(spec), ptable or NOISE, None)
    return plan.layout, table_plan.make_table_plan(plan)


def noisy(layout: Layout, seed: int, mean: float = 3) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    """Measurements of any kind: the same for the same cell, and nothing else is certain."""
    draw = np.random.default_rng(seed)
    each = draw.poisson(mean, len(layout.cells[0])) * draw.integers(1, 20) - draw.integers(0, 12, len(layout.cells[0]))
    return [each[here].reshape(g.shape) for g, here in zip(layout.groupings, layout.cells[1], strict=True)]


def populations(layout: Layout, table: int, at: int) -> list[frozenset[tuple[int, ...]]]:
    """The leaf combinations of every cell of a grouping, by plain Python."""
    grouping = layout.groupings[layout.tables[table][1][at]]
    found = []
    for cell in product(*(side.members for side in grouping.axes)):
        allowed = {book.name: set(range(len(book.leaves))) for book in layout.books}
        for book, members in grouping.within:
            allowed[book.name] &= members
        for side, members in zip(grouping.axes, cell, strict=True):
            allowed[side.book.name] &= members
        found.append(frozenset(product(*(sorted(allowed[book.name]) for book in layout.books))))
    return found


def assert_additive(layout: Layout, tables: table_plan.Tables, numbers: list[int]) -> None:
    """Every cell is the sum of the cells of the table that lie in it, wherever those make it up."""
    checked = 0
    for number in numbers:
        for fine, coarse in product(range(len(tables[number])), repeat=2):
            inside, outside = populations(layout, number, fine), populations(layout, number, coarse)
            counts, sums = tables[number][fine].ravel(), tables[number][coarse].ravel()
            assert (counts >= 0).all()
            assert counts.dtype == np.int64
            for people, total in zip(outside, sums.tolist(), strict=True):
                held = [at for at, here in enumerate(inside) if here <= people]
                if sum(len(inside[at]) for at in held) == len(people):
                    assert sum(counts[held].tolist()) == total
                    checked += 1
    assert checked


def state(name: str = "state") -> dict[str, str]:
    return {"dimension": "county", "level": name}


TABLES: list[list[dict[str, Any]]] = [
    [{"name": "t", "dimensions": ["county", "sex", "age"], "margins": "all"}],
    [{"name": "t", "dimensions": ["sex", "county"], "margins": [["sex"], ["county"]]}],
    [
        {"name": "t", "dimensions": ["county", "sex"], "margins": "all"},
        {"name": "u", "dimensions": [state(), "age"], "margins": "all"},
        {"name": "v", "dimensions": [state("coast")], "margins": "none"},
    ],
    [
        {"name": "t", "dimensions": ["county", "sex"], "margins": "all", "filter": {"sex": ["f", "m"]}},
        {"name": "u", "dimensions": ["age", state()], "margins": "all", "filter": {"sex": ["f", "m"]}},
        {"name": "v", "dimensions": ["age"], "margins": "all", "filter": {"sex": ["f"], "county": ["A"]}},
        {"name": "w", "dimensions": [], "margins": "none"},
    ],
]


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


def test_a_plan_that_cannot_meet_what_is_fixed_is_refused_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the reason."""

    def broken(*_: Any, **__: Any) -> None:
        raise SolverError("no way")

    monkeypatch.setattr(table_plan, "reconciled", broken)
    with pytest.raises(SpecError, match="no way"):
        planned(TABLES[0], fixed=[{"where": {}, "count": 200}])


def test_crossed_dimensions_are_a_cube_and_come_out_as_one() -> None:
    layout, plan = planned([{"name": "t", "dimensions": ["age", "sex"], "margins": "all"}], reconcile="cube", seed=9)
    values = noisy(layout, 4)
    made = plan.tables(values)[0]
    whole, age, sex, total = values
    # the axes are in the order in which dimensions are declared: sex before age
    given = {(0, 1): whole.T, (1,): age, (0,): sex, (): total}
    direct = reconciled(given, plan.variance, None, 9, None, total_first=True).values
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
    with pytest.raises(SpecError, match="100 for everyone, which is no sum of published cells"):
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

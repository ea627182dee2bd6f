"""Tables made from measurements add up, meet fixed counts, and can be made again by anyone."""

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
    result = plan.tables(noisy(layout, seed))
    assert_additive(layout, result, list(range(len(tables))))
    for _, part in plan.parts:
        known: dict[int, int] = {}
        for table in part.tables:
            for index, counts in zip(layout.tables[table][1], result[table], strict=True):
                for cell, count in zip(layout.cells.indices[index].tolist(), counts.ravel().tolist(), strict=True):
                    assert known.setdefault(cell, count) == count
    again = plan.tables(noisy(layout, seed))
    for groupings, groupings_again in zip(result, again, strict=True):
        assert all(map(np.array_equal, groupings, groupings_again))


@pytest.mark.parametrize(("tables", "off"), [(TABLES[0], 0), (TABLES[1], 0), (TABLES[2], 2), (TABLES[3], 2)])
def test_measurements_without_noise_stay_as_they_are(tables: list[dict[str, Any]], off: int) -> None:
    """To a unit or two, if the cells that the tables have in common were not published."""
    layout, plan = planned(tables)
    people = np.random.default_rng(1).integers(0, 9, [len(book.leaves) for book in layout.books])
    values: dict[int, Any] = {}
    for table, (_, indices) in enumerate(layout.tables):
        for number, index in enumerate(indices):
            counts = [sum(int(people[leaf]) for leaf in cell) for cell in populations(layout, table, number)]
            values[index] = np.array(counts).reshape(layout.groupings[index].shape)
    result = plan.tables([values[index] for index in range(len(layout.groupings))])
    for (_, indices), groupings in zip(layout.tables, result, strict=True):
        for index, numbers in zip(indices, groupings, strict=True):
            assert np.abs(numbers - values[index]).max() <= off


def test_a_hierarchy_is_reconciled_as_a_tree() -> None:
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
    measured = np.concatenate([values[1].ravel(), values[0].ravel(), values[2].ravel()])
    parent = [-1, 0, 0, 0, 1, 1, 2, 2, 2, 3]  # total; A, B, _other; a1, a2, b1, b2, b3, _other
    variance = np.where(np.isin(np.arange(10), [3, 9]), 2.0, 1.0)  # _other is one cell in two groupings, with one noise
    leaves = np.eye(6)
    sums = np.vstack([leaves.sum(axis=0), leaves[:2].sum(axis=0), leaves[2:5].sum(axis=0), leaves[5], leaves])
    weight = 1 / np.sqrt(variance)
    best = np.linalg.lstsq(sums * weight[:, None], measured * weight, rcond=None)[0].sum()
    direct = discreet.reconcile.tree(measured, parent, variance=variance, fixed={0: round(best)}, seed=5)
    assert np.concatenate([total.ravel(), states, counties]).tolist() == direct.tolist()


WORLD: dict[str, Any] = {
    "sex": {"column": "sex", "categories": ["f", "m"]},
    "place": {"column": "country", "categories": ["x"], "levels": {"world": {"all": ["x", "_other"]}}},
}


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("reconcile", ["auto", "tree"])
def test_groupings_of_one_size_nest_in_one_order_only(reconcile: str, backwards: bool) -> None:
    """By sex and the only group of places is finer than by sex, but has as many cells."""
    world = {"dimension": "place", "level": "world"}
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": ["sex"], "margins": "all"},
        {"name": "u", "dimensions": [world, "sex"], "margins": [[]]},
    ]
    layout, plan = planned(tables[::-1] if backwards else tables, dimensions=WORLD, reconcile=reconcile)
    assert [method for _, method in plan.methods] == ["tree"]
    result = plan.tables(noisy(layout, 4))
    assert_additive(layout, result, [0, 1])
    assert len({int(counts.sum()) for groupings in result for counts in groupings}) == 1


def test_crossed_dimensions_are_reconciled_as_a_cube() -> None:
    layout, plan = planned([{"name": "t", "dimensions": ["age", "sex"], "margins": "all"}], reconcile="cube", seed=9)
    values = noisy(layout, 4)
    groupings = plan.tables(values)[0]
    cells, age, sex, total = values
    # the axes are in the order in which dimensions are declared: sex before age
    margins = {(0, 1): cells.T, (1,): age, (0,): sex, (): total}
    direct = reconcile_cube(margins, plan.noise_variances[0], None, 9, None, total_first=True).values
    assert groupings[0].T.tolist() == direct[0, 1].tolist()
    weights = [1 / counts.size for counts in values]
    sums = [int(counts.sum()) * weight for counts, weight in zip(values, weights, strict=True)]
    assert int(groupings[3]) == round(sum(sums) / sum(weights))


def test_a_total_that_is_settled_first_leaves_every_margin_as_good_as_measured() -> None:
    """Paired errors on one table of 18 x 15 x 12 sparse cells, by dimensions of a margin."""
    sides = {"a": 18, "b": 15, "c": 12}
    dimensions = {
        name: {"column": name, "categories": [str(category) for category in range(side - 1)]}
        for name, side in sides.items()
    }
    layout, plan = planned([{"name": "t", "dimensions": [*sides], "margins": "all"}], dimensions=dimensions)
    draw = np.random.default_rng(6)
    truth = draw.poisson(draw.gamma(0.6, 4, list(sides.values())))
    names = [[axis.book.name for axis in grouping.axes] for grouping in layout.groupings]
    true = [truth.sum(axis=tuple(axis for axis, name in enumerate(sides) if name not in kept)) for kept in names]
    squares: dict[int, list[Any]] = {}
    for _ in range(30):
        values = [counts + draw.geometric(0.4, counts.shape) - draw.geometric(0.4, counts.shape) for counts in true]
        groupings = plan.tables(values)[0]
        for kept, real, measured, released in zip(names, true, values, groupings, strict=True):
            errors = [np.mean((counts - real) ** 2) for counts in (released, measured, measured.clip(0))]
            squares.setdefault(len(kept), []).append(errors)
    for ways, of_ways in squares.items():
        released, measured, clamped = np.mean(of_ways, axis=0)
        assert released < 1.1 * min(measured, clamped), (ways, released, measured, clamped)


@pytest.mark.parametrize("tables", [[["a", "b"]], [["a", "b"], ["a", "c"], ["a", "d"]]])
def test_margins_of_nearly_empty_tables_are_as_good_as_measured(tables: list[list[str]]) -> None:
    """One axis is long and half empty: non-negative cells must not push its sums, or the sums across it, about."""
    sides = {"a": 120, "b": 2, "c": 9, "d": 9}
    dimensions = {
        name: {"column": name, "categories": [str(category) for category in range(side - 1)]}
        for name, side in sides.items()
    }
    specs = [{"name": "".join(axes), "dimensions": axes, "margins": "all"} for axes in tables]
    layout, plan = planned(specs, dimensions=dimensions)
    draw = np.random.default_rng(7)
    rows = np.stack([draw.integers(0, side // 2, 6000) for side in sides.values()])
    true = []
    for grouping in layout.groupings:
        cells = np.zeros(6000, dtype=np.int64)
        for axis in grouping.axes:
            cells = cells * len(axis.labels) + rows[list(sides).index(axis.book.name)]
        true.append(np.bincount(cells, minlength=grouping.size).reshape(grouping.shape))
    squares: dict[str, list[Any]] = {}
    for _ in range(30):
        values = [counts + draw.geometric(0.07, counts.shape) - draw.geometric(0.07, counts.shape) for counts in true]
        (fitted,) = plan.fitted(values)
        for index, grouping in enumerate(layout.groupings):
            errors = [np.mean((counts - true[index]) ** 2) for counts in (fitted.counts[index], values[index])]
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
        with pytest.raises(SpecError, match=r"wang-3.*'t'"):
            planned(tables, reconcile="wang-3")


def test_tables_that_form_a_circle_agree_in_shared_margins() -> None:
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": ["county", "sex"], "margins": "all"},
        {"name": "u", "dimensions": ["county", "age"], "margins": "all"},
        {"name": "v", "dimensions": ["sex", "age"], "margins": "all"},
    ]
    layout, plan = planned(tables)
    assert [names for names, _ in plan.methods] == [["t", "u", "v"]]
    for seed in range(20):
        t, u, v = result = plan.tables(noisy(layout, seed))
        assert_additive(layout, result, [0, 1, 2])
        assert len({int(groupings[-1]) for groupings in result}) == 1
        assert t[1].tolist() == u[1].tolist()  # by county
        assert t[2].tolist() == v[1].tolist()  # by sex
        assert u[2].tolist() == v[2].tolist()  # by age


def test_tables_whose_categories_overlap_are_clamped() -> None:
    tables: list[dict[str, Any]] = [
        {"name": "t", "dimensions": [state("lists")], "margins": "all"},
        {"name": "u", "dimensions": ["county"], "margins": "all"},
    ]
    layout, plan = planned(tables)
    assert plan.methods == [(["u"], "tree"), (["t"], "none")]
    values = noisy(layout, 1)
    result = plan.tables(values)
    assert result[0][0].tolist() == values[0].clip(0).tolist()
    assert int(result[0][1]) == int(result[1][1])  # the other table settles the total
    with pytest.raises(SpecError, match=r"cube.*'t'.*overlap"):
        planned(tables, reconcile="cube")


def test_a_tree_is_refused_if_groupings_do_not_nest_or_counts_are_fixed() -> None:
    with pytest.raises(SpecError, match=r"tree.*'t'.*nest"):
        planned(TABLES[0], reconcile="tree")
    with pytest.raises(SpecError, match=r"tree.*'t'.*fixed"):
        planned(
            [{"name": "t", "dimensions": ["county"], "margins": "all"}],
            reconcile="tree",
            fixed=[{"where": {}, "count": 1}],
        )


def test_noise_with_an_upper_end_is_not_made_to_add_up() -> None:
    noise = discreet.design.geometric(epsilon=1, upper=50).certify()
    layout, plan = planned(TABLES[0], noise)
    assert plan.methods == [(["t"], "none")]
    values = noisy(layout, 1)
    assert plan.tables(values)[0][0].tolist() == values[0].clip(0).tolist()
    with pytest.raises(SpecError, match=r"cube.*upper end"):
        planned(TABLES[0], noise, reconcile="cube")


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
    auto, none = (tmp_path / "auto", tmp_path / "none")
    assert (auto / "measurements.csv").read_bytes() == (none / "measurements.csv").read_bytes()
    assert (auto / "t.csv").read_bytes() != (none / "t.csv").read_bytes()
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (auto, none)]
    assert manifests[0]["privacy"] == manifests[1]["privacy"]
    assert [manifest["reconciled"] for manifest in manifests] == [
        [{"tables": ["t"], "method": "cube"}],
        [{"tables": ["t"], "method": "none"}],
    ]
    assert "How the tables add up" in (auto / "report.html").read_text()
    assert "Why the tables do not add up" in (none / "report.html").read_text()

"""Tables for readers, against the published files and against `infer`, for releases of many kinds."""

from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import ParameterError, SpecError, TooLargeTableError, UnpublishedTableError
from discreet.infer.any_table.answered_table import answer, is_published, usable_levels
from discreet.infer.any_table.nearest_tables import nearest
from discreet.infer.any_table.open_release import OpenRelease, open_release
from discreet.infer.any_table.table_question import AxisChoice, TableQuestion, resolve_question
from discreet.publish.cell_intervals import NO_END
from tests.infer.any_table.releases import AREAS, REGIONS, RELEASES, asked, publish, rows


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("any_table")
    return {name: publish(folder, name) for name in RELEASES}


@pytest.fixture(scope="session")
def opened(published: dict[str, Path]) -> dict[str, OpenRelease]:
    return {name: open_release(path) for name, path in published.items()}


@pytest.mark.parametrize("name", RELEASES)
def test_every_published_table_is_shown_as_it_is_published(name: str, opened: dict[str, OpenRelease]) -> None:
    release = opened[name]
    for table, _ in release.layout.tables:
        levels = {axis.dimension: axis.level for axis in table.dimensions}
        for row in rows(release.path / f"{table.name}.intervals.csv"):
            named = [dimension for dimension in levels if row[dimension] != "_total"]
            keep = tuple((name, tuple(labels)) for name, labels in table.filter.items())
            question = TableQuestion(tuple(AxisChoice(name, levels[name]) for name in named), (), keep)
            shown = answer(release, question)
            cell = tuple(axis.labels.index(row[axis.book.name]) for axis in shown.resolved.rows)
            numbers = [int(block[cell]) for block in (shown.cells.counts, shown.cells.low, shown.cells.high)]
            assert numbers == [int(row["count"]), int(row["low"]), int(row["high"] or NO_END)]


@pytest.mark.parametrize("name", ["plain", "no margins", "levels", "two hierarchies"])
def test_a_sum_has_the_interval_of_infer(name: str, opened: dict[str, OpenRelease]) -> None:
    release = opened[name]
    reader = dc.infer.folder(release.path)
    table = release.layout.tables[0][0]
    by_label = {
        axis.dimension: [label for label in release.books[axis.dimension].leaves if label != "_other"]
        for axis in table.dimensions
    }
    rng = np.random.default_rng(3)
    for _ in range(6):
        kept = {
            name: [label for label in labels if rng.random() < 0.6] or labels[:1] for name, labels in by_label.items()
        }
        shown = answer(release, TableQuestion((), (), tuple((name, tuple(labels)) for name, labels in kept.items())))
        selections = [
            ",".join(f'"{name}={label}"' for name, label in zip(kept, labels, strict=True))
            for labels in product(*kept.values())
        ]
        expected = reader.total(selections, table=table.name).interval(0.95)
        count = int(shown.cells.counts)
        assert (int(shown.cells.low), int(shown.cells.high)) == (min(expected[0], count), max(expected[1], count))


@pytest.mark.parametrize("name", ["plain", "no margins", "levels", "two hierarchies", "a fixed total"])
def test_counts_of_a_table_add_up_to_its_margins(name: str, opened: dict[str, OpenRelease]) -> None:
    release = opened[name]
    compared = 0
    questions = [asked("area/region", "age"), asked("area/region", "sex"), asked("area", "sex", area="south")]
    for question in questions:
        if not {axis.dimension for axis in question.axes} <= set(release.books) or not is_published(release, question):
            continue
        shown = answer(release, question)
        assert shown.row_totals is not None
        assert shown.column_totals is not None
        assert shown.total is not None
        assert (shown.cells.counts.sum(axis=1) == shown.row_totals.counts).all()
        assert (shown.cells.counts.sum(axis=0) == shown.column_totals.counts).all()
        assert shown.cells.counts.sum() == shown.total.counts
        compared += 1
    assert compared


def test_a_level_that_is_not_published_is_added_up(opened: dict[str, OpenRelease], published: dict[str, Path]) -> None:
    shown = answer(opened["plain"], asked("area/region"))
    counts = {
        row["area"]: int(row["count"])
        for row in rows(published["plain"] / "people.csv")
        if row["age"] == row["sex"] == "_total"
    }
    assert list(shown.resolved.rows[0].labels) == [*REGIONS, "_other"]
    assert shown.cells.counts.tolist() == [
        sum(counts[area] for area in areas) for areas in [*REGIONS.values(), ["_other"]]
    ]
    assert not shown.cells.is_published
    assert not shown.is_published


def test_a_pivoted_table_has_the_same_numbers(opened: dict[str, OpenRelease]) -> None:
    question = asked("area/region,age", "sex", age="young|old")
    shown, pivoted = (answer(opened["plain"], one) for one in (question, question.pivoted()))
    for name in ("counts", "low", "high"):
        values: Any = getattr(shown.cells, name)
        assert (np.moveaxis(values, 2, 0) == getattr(pivoted.cells, name)).all()


def test_the_order_of_dimensions_is_the_readers(opened: dict[str, OpenRelease]) -> None:
    shapes = {
        order: answer(opened["plain"], asked(",".join(order))).cells.counts
        for size in range(4)
        for order in combinations(("sex", "area", "age"), size)
    }
    assert {order: counts.ndim for order, counts in shapes.items()} == {order: len(order) for order in shapes}
    swapped = answer(opened["plain"], asked("age,sex")).cells.counts
    assert (swapped == shapes["sex", "age"].T).all()


def test_a_table_that_is_not_published_is_refused_with_the_nearest_ones(opened: dict[str, OpenRelease]) -> None:
    release = opened["levels"]
    question = asked("area", "age")
    with pytest.raises(UnpublishedTableError, match="area, age"):
        answer(release, question)
    near = nearest(release, question)
    assert near[0] == asked("area/region", "age")
    assert all(is_published(release, other) for other in near)
    assert nearest(release, asked("area,age", "sex"))


def test_a_population_that_a_filter_hides_is_refused(opened: dict[str, OpenRelease]) -> None:
    release = opened["a filter"]
    with pytest.raises(UnpublishedTableError):
        answer(release, asked("age"))
    shown = answer(release, asked("age", age="young|old"))
    assert shown.cells.is_published
    assert list(shown.resolved.rows[0].labels) == ["young", "old"]
    assert answer(release, asked("area", "", age="old")).cells.is_published


def test_margins_that_no_table_has_are_left_out(opened: dict[str, OpenRelease]) -> None:
    shown = answer(opened["a filter"], asked("area", "age", age="young|old"))
    assert set(shown.blocks) == {"cells", "row_totals", "column_totals", "total"}
    assert set(answer(opened["plain"], asked()).blocks) == {"cells"}
    assert set(answer(opened["plain"], asked("sex")).blocks) == {"cells", "total"}


def test_noise_without_a_law_leaves_large_sums_without_an_end(opened: dict[str, OpenRelease]) -> None:
    release = opened["not made to add up"]
    single = answer(release, asked("area", "", age="child|young"))
    assert (single.cells.high != NO_END).all()  # sums of measurements, by their posteriors
    reader = dc.infer.folder(release.path)
    selections = [f"area={AREAS[0]},age={age}" for age in ("child", "young")]
    low, high = reader.total(selections).interval(0.95)
    count = int(single.cells.counts[0])
    assert (single.cells.low[0], single.cells.high[0]) == (min(low, count), max(high, count))


def test_cells_that_are_mostly_noise_are_marked(opened: dict[str, OpenRelease]) -> None:
    cells = answer(opened["plain"], asked("area,age,sex")).cells
    half = (cells.high - cells.low) / 2
    assert (cells.noisy == (half > cells.counts)).all()
    assert cells.noisy[AREAS.index(AREAS[-1]) + 1].all()  # _other: nobody
    assert not answer(opened["plain"], asked("sex")).cells.noisy[:2].any()


@pytest.mark.parametrize(
    ("question", "named"),
    [
        (asked("town"), "town"),
        (asked("area/county"), "county"),
        (asked("area/"), ""),
        (asked("", "", area="nowhere"), "nowhere"),
        (asked("", "", town="x"), "town"),
        (asked("area", "area/region"), "area"),
        (TableQuestion((), (), (("sex", ()),)), "sex"),
        (TableQuestion((), (), (("sex", ("m",)), ("sex", ("m",)))), "sex"),
        (asked("a\ud800rea"), "rea"),
        (TableQuestion((AxisChoice("area", ""),)), "area"),
    ],
)
def test_unknown_names_are_named(question: TableQuestion, named: str, opened: dict[str, OpenRelease]) -> None:
    if question == asked("area/"):
        assert answer(opened["plain"], question).cells.counts.shape == (10,)
        return
    with pytest.raises((ParameterError, SpecError), match=named):
        answer(opened["plain"], question)


def test_a_table_that_is_too_large_is_refused_with_its_size(opened: dict[str, OpenRelease]) -> None:
    with pytest.raises(TooLargeTableError, match="120") as error:
        resolve_question(asked("area,age", "sex"), opened["plain"].books, most=119)
    assert (error.value.cells, error.value.most) == (120, 119)


def test_levels_that_tables_determine_can_be_used(opened: dict[str, OpenRelease]) -> None:
    assert usable_levels(opened["plain"], "area") == [None, "region"]
    assert usable_levels(opened["levels"], "age") == [None, "legal"]
    assert usable_levels(opened["a filter"], "age") == []


def test_all_ways_to_keep_labels_keep_the_same_people(opened: dict[str, OpenRelease]) -> None:
    """A region and its areas are one population; all labels are no filter."""
    release = opened["plain"]
    by_region, by_areas = (answer(release, asked("sex", "", area=labels)) for labels in ("south", "|".join(AREAS[6:])))
    assert (by_region.cells.counts == by_areas.cells.counts).all()
    assert (by_region.cells.high == by_areas.cells.high).all()
    everyone = answer(release, asked("sex", "", area="|".join(chain(AREAS, ["_other"]))))
    assert everyone.cells.is_published

"""Changes between two release folders: of the same cells, people and units."""

from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.infer.release_folder import FolderReader
from tests.infer.published import AGE, DISTRICT, PEOPLE, SEX, cell, publish, rows


def test_changes_between_versions(tmp_path: Path, held: FolderReader) -> None:
    later = dc.infer.folder(publish(tmp_path, "2", size=900))
    found = rows(later.changes(held, table="people"))
    now, then = rows(later.csv(table="people")), rows(held.csv(table="people"))
    for row, new, old in zip(found, now, then, strict=True):
        assert (row["measured"], row["measured_before"]) == (new["measured"], old["measured"])
        one = dc.infer.posterior(later.release.plan.ptable, int(new["measured"]))
        other = dc.infer.posterior(held.release.plan.ptable, int(old["measured"]))
        moved = dc.infer.difference(one, other)
        assert (int(row["low"]), int(row["high"])) == moved.interval()
        assert float(row["mean"]) == pytest.approx(one.mean() - other.mean(), abs=0.006)
    change = later.total_change(held, ["district=n"], table="people")
    assert change.mean() == pytest.approx(
        later.total(["district=n"], table="people").mean() - held.total(["district=n"], table="people").mean()
    )
    margins = [
        dc.infer.measured_total(each.release.plan.ptable, [cell(each, district="n", sex="_total")])
        for each in (later, held)
    ]
    assert change.probabilities.tolist() == dc.infer.difference(*margins).probabilities.tolist()
    with pytest.raises(ParameterError, match="version '1'"):
        held.changes(held)
    other = publish(tmp_path, "3", tables=[{"name": "people", "dimensions": ["district"], "margins": "none"}])
    with pytest.raises(ParameterError, match="district by sex"):
        later.changes(dc.infer.folder(other), table="people")


@pytest.mark.parametrize(
    ("dimensions", "table", "complaint"),
    [
        ({}, {"filter": {"age": ["old"]}}, "filter on 'age' keeps all there and old here"),
        ({"sex": SEX | {"categories": {"f, female": "m", "m": "f"}}}, {}, "categories of 'sex' are made from"),
        ({"sex": SEX | {"column": "age"}}, {}, "categories of 'sex' are made from"),
        ({"district": {"column": "district", "categories": ["n", "s"]}}, {}, r"categories of 'district' differ \(w\)"),
        ({}, {"filter": {"district": ["n", "s"]}}, "labels of 'district' differ"),
        ({}, {"dimensions": ["sex", "district"]}, "does not have the cells"),
    ],
)
def test_changes_are_of_the_same_people(
    tmp_path: Path, held: FolderReader, dimensions: dict[str, Any], table: dict[str, Any], complaint: str
) -> None:
    every = {"district": DISTRICT, "age": AGE, "sex": SEX} | dimensions
    later = dc.infer.folder(publish(tmp_path, "5", dimensions=every, tables=[PEOPLE | table]))
    with pytest.raises(ParameterError, match=complaint):
        later.changes(held)
    with pytest.raises(ParameterError, match=complaint):
        later.total_change(held, ["district=n"])


def test_a_change_is_of_cells_that_both_folders_have(tmp_path: Path, held: FolderReader) -> None:
    fine = dc.infer.folder(publish(tmp_path, "fine", tables=[PEOPLE | {"margins": [["sex"]]}]))
    assert fine.cells_used(["district=n"], before=held) == [(3, ("district", "sex"))]
    assert fine.cells_used(["sex=m"], before=held) == [(1, ("sex",))]
    assert held.cells_used(["sex=m"], table="people", before=fine) == [(1, ("sex",))]
    assert fine.total_change(held, ["sex=m"]).mean() == pytest.approx(
        cell(fine, sex="m", district="_total") - cell(held, sex="m", district="_total")
    )


@pytest.mark.parametrize(
    ("one", "other", "complaint"),
    [
        ({"id": "person"}, {"id": "person", "contributions": 3}, "one row of each 'person' .* up to 3 rows of each"),
        ({"id": "person"}, {}, "one row of each 'person' .* every row"),
        ({"id": "person"}, {"id": "house"}, "one row of each 'person' .* one row of each 'house'"),
    ],
)
def test_changes_are_of_the_same_units(
    tmp_path: Path, one: dict[str, Any], other: dict[str, Any], complaint: str
) -> None:
    """One file, in which everyone has three rows: what is counted differs, and nothing changed."""
    (tmp_path / "rows.csv").write_text("person,house,sex\n" + "".join(f"{i // 3},{i // 6},f\n" for i in range(300)))
    tables: dict[str, Any] = {
        "dimensions": {"sex": SEX},
        "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
    }
    source = {"csv": str(tmp_path / "rows.csv")}
    before, now = (
        dc.infer.folder(publish(tmp_path, version, source=source, unit=unit, **tables))
        for version, unit in (("u1", one), ("u2", other))
    )
    for change in (lambda: now.changes(before), lambda: now.total_change(before, [""])):
        with pytest.raises(ParameterError, match=complaint):
            change()
    with pytest.raises(ParameterError, match="the same unit"):
        before.changes(now)


def test_changes_of_groups_and_of_filters_that_keep_everyone(tmp_path: Path, held: FolderReader) -> None:
    every = {"district": DISTRICT, "age": AGE, "sex": SEX}
    all_ages = PEOPLE | {"filter": {"age": ["child", "adult", "old", "_other"]}}
    same = dc.infer.folder(publish(tmp_path, "6", dimensions=every, tables=[all_ages]))
    assert same.total_change(held, ["district=n"]).mean() == pytest.approx(0, abs=150)
    moved = {"18+": ["adult"], "65+": ["old"]}
    ages = {"name": "ages", "dimensions": [{"dimension": "age", "level": "legal"}], "margins": "none"}
    later = publish(tmp_path, "7", dimensions=every | {"age": AGE | {"levels": {"legal": moved}}}, tables=[ages])
    with pytest.raises(ParameterError, match="'18\\+' of 'age' holds adult, old there and adult here"):
        dc.infer.folder(later).changes(held)

"""Changes between two release folders are of the same cells, people and units."""

from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.infer.release_folder import FolderReader
from tests.infer.published import AGE, DISTRICT, PEOPLE, SEX, cell, publish, rows


def test_changes_between_versions_are_differences_of_posteriors(tmp_path: Path, clamped: FolderReader) -> None:
    """Tables that are not made to add up."""
    reader, later = clamped, dc.infer.folder(publish(tmp_path, "2", size=900, reconcile="none"))
    changes = rows(later.changes(reader, table="people"))
    now, then = rows(later.csv(table="people")), rows(reader.csv(table="people"))
    for row, new, old in zip(changes, now, then, strict=True):
        assert (row["measured"], row["measured_before"]) == (new["measured"], old["measured"])
        new_count = dc.infer.posterior(later.release.plan.ptable, int(new["measured"]))
        old_count = dc.infer.posterior(reader.release.plan.ptable, int(old["measured"]))
        change = dc.infer.difference(new_count, old_count)
        assert (int(row["low"]), int(row["high"])) == change.interval()
        assert float(row["mean"]) == pytest.approx(new_count.mean() - old_count.mean(), abs=0.006)
    total_change = later.total_change(reader, ["district=n"], table="people")
    assert total_change.mean() == pytest.approx(
        later.total(["district=n"], table="people").mean() - reader.total(["district=n"], table="people").mean()
    )
    margins = [
        dc.infer.measured_total(folder.release.plan.ptable, [cell(folder, district="n", sex="_total")])
        for folder in (later, reader)
    ]
    assert total_change.probabilities.tolist() == dc.infer.difference(*margins).probabilities.tolist()
    with pytest.raises(ParameterError, match="'1'"):
        reader.changes(reader)
    other = publish(tmp_path, "3", tables=[{"name": "people", "dimensions": ["district"], "margins": "none"}])
    with pytest.raises(ParameterError, match="district by sex"):
        later.changes(dc.infer.folder(other), table="people")


@pytest.mark.parametrize(
    ("dimensions", "table", "named"),
    [
        ({}, {"filter": {"age": ["old"]}}, "'age'.* all .* old"),
        ({"sex": SEX | {"categories": {"f, female": "m", "m": "f"}}}, {}, "'sex'"),
        ({"sex": SEX | {"column": "age"}}, {}, "'sex'"),
        ({"district": {"column": "district", "categories": ["n", "s"]}}, {}, r"'district'.*\(w\)"),
        ({}, {"filter": {"district": ["n", "s"]}}, "'district'"),
        ({}, {"dimensions": ["sex", "district"]}, "sex by district"),
    ],
)
def test_changes_are_of_the_same_people(
    tmp_path: Path, reader: FolderReader, dimensions: dict[str, Any], table: dict[str, Any], named: str
) -> None:
    every = {"district": DISTRICT, "age": AGE, "sex": SEX} | dimensions
    later = dc.infer.folder(publish(tmp_path, "5", dimensions=every, tables=[PEOPLE | table]))
    with pytest.raises(ParameterError, match=named):
        later.changes(reader)
    with pytest.raises(ParameterError, match=named):
        later.total_change(reader, ["district=n"])


def test_a_change_uses_cells_that_both_folders_have(tmp_path: Path, clamped: FolderReader) -> None:
    one = [PEOPLE | {"margins": [["sex"]]}]
    reader, fine = clamped, dc.infer.folder(publish(tmp_path, "fine", tables=one, reconcile="none"))
    assert fine.cells_used(["district=n"], before=reader) == [(3, ("district", "sex"))]
    assert fine.cells_used(["sex=m"], before=reader) == [(1, ("sex",))]
    assert reader.cells_used(["sex=m"], table="people", before=fine) == [(1, ("sex",))]
    assert fine.total_change(reader, ["sex=m"]).mean() == pytest.approx(
        cell(fine, sex="m", district="_total") - cell(reader, sex="m", district="_total")
    )


@pytest.mark.parametrize(
    ("unit_before", "unit_now", "named"),
    [
        ({"id": "person"}, {"id": "person", "contributions": 3}, "one row .*'person' .* 3 rows"),
        ({"id": "person"}, {}, "'person' .* every row"),
        ({"id": "person"}, {"id": "house"}, "'person' .*'house'"),
    ],
)
def test_changes_are_of_the_same_units(
    tmp_path: Path, unit_before: dict[str, Any], unit_now: dict[str, Any], named: str
) -> None:
    """In one file, everyone has three rows. The units that are counted differ, and nothing changed."""
    (tmp_path / "rows.csv").write_text("person,house,sex\n" + "".join(f"{i // 3},{i // 6},f\n" for i in range(300)))
    tables: dict[str, Any] = {
        "dimensions": {"sex": SEX},
        "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
    }
    source = {"csv": str(tmp_path / "rows.csv")}
    before, now = (
        dc.infer.folder(publish(tmp_path, version, source=source, unit=unit, **tables))
        for version, unit in (("u1", unit_before), ("u2", unit_now))
    )
    for change in (lambda: now.changes(before), lambda: now.total_change(before, [""])):
        with pytest.raises(ParameterError, match=named):
            change()
    with pytest.raises(ParameterError, match="unit"):
        before.changes(now)


def test_groups_must_hold_the_same_categories_and_a_filter_that_keeps_everyone_is_none(
    tmp_path: Path, reader: FolderReader
) -> None:
    every = {"district": DISTRICT, "age": AGE, "sex": SEX}
    all_ages = PEOPLE | {"filter": {"age": ["child", "adult", "old", "_other"]}}
    same = dc.infer.folder(publish(tmp_path, "6", dimensions=every, tables=[all_ages]))
    assert same.total_change(reader, ["district=n"]).mean() == pytest.approx(0, abs=150)
    other_ages = {"18+": ["adult"], "65+": ["old"]}
    ages = {"name": "ages", "dimensions": [{"dimension": "age", "level": "legal"}], "margins": "none"}
    later = publish(tmp_path, "7", dimensions=every | {"age": AGE | {"levels": {"legal": other_ages}}}, tables=[ages])
    with pytest.raises(ParameterError, match=r"'18\+' of 'age' .*adult, old .* adult"):
        dc.infer.folder(later).changes(reader)

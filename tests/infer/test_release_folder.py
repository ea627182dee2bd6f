"""Inference from a release folder, as readers of the folder use it."""

import csv
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import CertificateError, ParameterError
from discreet.infer import Posterior
from discreet.infer.release_folder import FolderReader
from tests.infer.published import AGE, DISTRICT, PEOPLE, SEX, cell, publish, rows


def test_every_cell_has_its_interval(clamped: FolderReader) -> None:
    """In tables that do not add up, cells are those of measurements.csv, and intervals are those of `posterior`."""
    folder_path, reader = clamped.release.path, clamped
    table = dc.load(folder_path / "certificate.json")
    measured = rows((folder_path / "measurements.csv").read_text())
    cells = rows(reader.csv())
    assert [row["measured"] for row in cells] == [row["measurement"] for row in measured]
    for row in cells:
        count = dc.infer.posterior(table, int(row["measured"]))
        assert (int(row["low"]), int(row["high"])) == count.interval()
        assert int(row["most_likely"]) == count.mode()
        assert row["mean"] == f"{count.mean():.2f}"
    people = rows((folder_path / "people.csv").read_text())
    assert [(row["district"], row["sex"]) for row in cells if row["table"] == "people"] == [
        (row["district"], row["sex"]) for row in people
    ]
    assert {row["age"] for row in cells if row["table"] == "ages"} == {"18+", "65+", "_other"}
    assert rows(reader.csv(table="ages")) == [row for row in cells if row["table"] == "ages"]
    for row in rows(reader.csv(prior="poisson:5", table="people")):
        prior = None if "_total" in (row["district"], row["sex"]) else "poisson:5"
        count = dc.infer.posterior(table, int(row["measured"]), prior)
        assert (int(row["low"]), int(row["high"])) == count.interval()
    narrow = rows(reader.csv("0.5"))
    assert sum(int(row["high"]) - int(row["low"]) for row in narrow) < sum(
        int(row["high"]) - int(row["low"]) for row in cells
    )


def test_every_line_has_the_fields_of_the_header(reader: FolderReader) -> None:
    for text in (reader.csv(), reader.csv(table="ages")):
        header, *lines = csv.reader(text.splitlines())
        assert {len(line) for line in lines} == {len(header)}


def test_negative_measurements_are_used_as_they_are(tmp_path: Path) -> None:
    """Published tables show 0 for them. The interval is that of the measurement."""
    reader = dc.infer.folder(publish(tmp_path, "few", size=3, reconcile="none"))
    negative = [row for row in rows(reader.csv()) if int(row["measured"]) < 0]
    assert negative
    table = reader.release.plan.ptable
    for row in negative:
        assert float(row["mean"]) == pytest.approx(dc.infer.posterior(table, int(row["measured"])).mean(), abs=0.006)
        assert row["low"] == "0"


def test_sums_and_shares_are_those_of_the_cells(reader: FolderReader) -> None:
    table = reader.release.plan.ptable
    sexes = ["f, female", "m", "_other"]
    north = dc.infer.posterior(table, [cell(reader, district="n", sex=sex) for sex in sexes], "poisson:90")
    north_total = reader.total(["district=n"], "poisson:90", "people")
    assert north_total.mean() == pytest.approx(dc.infer.total(north).mean())
    assert north_total.variance() == pytest.approx(dc.infer.total(north).variance())
    women = reader.total(['district=n,"sex=f, female"'], "poisson:90", "people")
    assert women.mean() == pytest.approx(north[0].mean())
    north_and_south = reader.total(["district=n", "district=s,sex=m"], "poisson:90", "people")
    south = reader.total(["district=s,sex=m"], "poisson:90", "people")
    assert north_and_south.mean() == pytest.approx(north_total.mean() + south.mean())
    share = reader.share("district=n,sex=m", ["district=n"], prior="poisson:90", table="people")
    assert share == dc.infer.share(north[1], [north[0], north[2]])
    of_all = reader.share("sex=m", table="people")
    assert 0 < of_all.low < of_all.mean < of_all.high < 1


def test_a_cell_or_margin_has_its_own_measurement(reader: FolderReader) -> None:
    assert reader.measurement("district=n", "people") == cell(reader, district="n", sex="_total")
    assert reader.measurement("", "people") == cell(reader, district="_total", sex="_total")
    assert reader.measurement("district=n,sex=m", "people") == cell(reader, district="n", sex="m")


def test_sums_use_the_fewest_measurements_that_hold_the_selected_people(clamped: FolderReader) -> None:
    """A margin that was measured has one noise. The sum of its cells has a noise for each cell."""
    reader = clamped
    margins = {district: cell(reader, district=district, sex="_total") for district in ("n", "s", "w", "_other")}
    north, south = cell(reader, district="n", sex="m"), cell(reader, district="s", sex="m")

    def added(*measured: int) -> Posterior:
        return dc.infer.measured_total(reader.release.plan.ptable, measured)

    def same(total: Posterior, expected: Posterior) -> None:
        assert total.support.tolist() == expected.support.tolist()
        assert total.probabilities.tolist() == expected.probabilities.tolist()

    same(reader.total(["district=n"], table="people"), added(margins["n"]))
    same(reader.total([""], table="people"), added(cell(reader, district="_total", sex="_total")))
    same(reader.total(["district=n", "district=w"], table="people"), added(margins["n"], margins["w"]))
    same(reader.total(["district=n", "district=s,sex=m"], table="people"), added(margins["n"], south))
    assert reader.cells_used(["district=n", "district=s,sex=m"], table="people") == [
        (1, ("district",)),
        (1, ("district", "sex")),
    ]
    assert reader.cells_used(["district=n"], "poisson:90", "people") == [(3, ("district", "sex"))]

    rest = added(margins["s"], margins["w"], margins["_other"])
    assert reader.share("district=n", table="people") == dc.infer.share(added(margins["n"]), rest)
    assert reader.cells_used_by_share("district=n", table="people") == ([(1, ("district",))], [(3, ("district",))])
    others = [cell(reader, district="n", sex=sex) for sex in ("f, female", "_other")]
    share = reader.share("district=n,sex=m", ["district=n", "district=s"], table="people")
    assert share == dc.infer.share(added(north), added(*others, margins["s"]))
    share = reader.share("district=n", ["district=n", "district=s"], table="people")
    assert share == dc.infer.share(added(margins["n"]), added(margins["s"]))


def test_cells_of_overlapping_labels_cannot_be_added_up_but_their_margin_was_measured(tmp_path: Path) -> None:
    table = {"name": "all", "dimensions": ["district", {"dimension": "age", "level": "legal"}], "margins": "all"}
    reader = dc.infer.folder(publish(tmp_path, "groups", tables=[table]))
    assert reader.cells_used(["district=n"]) == [(1, ("district",))]
    assert reader.cells_used(["district=n,age=18+", "district=s,age=65+"]) == [(2, ("district", "age"))]
    assert reader.cells_used_by_share("district=n") == ([(1, ("district",))], [(3, ("district",))])
    for selection in (["age=18+", "age=65+"], ["district=n", "district=n,age=18+"]):
        with pytest.raises(ParameterError, match=re.escape(selection[1])):
            reader.total(selection)
    with pytest.raises(ParameterError, match=r"'65\+' and '18\+' of 'age'"):
        reader.share("age=18+")
    with pytest.raises(ParameterError, match=r"'65\+' and '18\+' of 'age'"):
        reader.total(["district=n"], "poisson:90")


@pytest.mark.parametrize(
    ("selection", "table", "named"),
    [
        (["district=n", "district=n,sex=m"], "people", "'district=n,sex=m'"),
        (["district=n", "district=n"], "people", "'district=n'"),
        (["age=18+", "age=65+"], "ages", "'age=18+' and 'age=65+'"),
        ([""], "ages", "'65+' and '18+' of 'age'"),
        (["district=x"], "people", "'x'"),
        (["age=child"], "people", "'age'"),
        (["district"], "people", "'district'"),
        (["district=n\nx"], "people", r"'district=n\nx'"),
        (["district=n,district=s"], "people", "'district=n,district=s'"),
        (["district=n"], "person", "'person'"),
        (["district=n"], None, "people, ages"),
    ],
)
def test_cells_that_cannot_be_added_up_are_refused(
    reader: FolderReader, selection: list[str], table: str | None, named: str
) -> None:
    with pytest.raises(ParameterError, match=re.escape(named)):
        reader.total(selection, table=table)


def test_a_part_is_inside_its_whole_and_smaller(reader: FolderReader) -> None:
    with pytest.raises(ParameterError, match="'sex=m'"):
        reader.share("sex=m", ["district=n"], table="people")
    with pytest.raises(ParameterError, match="''"):
        reader.share("", table="people")


def test_a_selection_is_a_text_or_a_list_of_texts(reader: FolderReader) -> None:
    by_text = reader.total("district=n", table="people")
    assert by_text.probabilities.tolist() == reader.total(["district=n"], table="people").probabilities.tolist()
    assert reader.share("sex=m", "", table="people") == reader.share("sex=m", [""], table="people")
    wrong: Any
    for wrong in ([], None, 5, [None], [["sex=m"]]):
        for refused in (
            lambda wrong=wrong: reader.total(wrong, table="people"),
            lambda wrong=wrong: reader.cells_used(wrong, table="people"),
            lambda wrong=wrong: reader.share("sex=m", wrong, table="people"),
        ):
            with pytest.raises(ParameterError, match=re.escape(repr(wrong))):
                refused()


def test_changes_are_since_a_folder_that_was_read(reader: FolderReader) -> None:
    with pytest.raises(ParameterError, match="'other'"):
        reader.changes("other")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="None"):
        reader.total_change(None, ["sex=m"], table="people")  # type: ignore[arg-type]


def test_a_folder_that_differs_from_its_manifest_is_refused(tmp_path: Path) -> None:
    folder = publish(tmp_path, "4")
    original = (folder / "certificate.json").read_bytes()
    dc.design.geometric(epsilon=1).certify().save(folder / "certificate.json")
    with pytest.raises(CertificateError, match=r"certificate\.json"):
        dc.infer.folder(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    digest = hashlib.sha256((folder / "certificate.json").read_bytes()).hexdigest()
    manifest["files"]["certificate.json"] = f"sha256:{digest}"
    (folder / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    with pytest.raises(CertificateError, match="certificate"):
        dc.infer.folder(folder)
    (folder / "certificate.json").write_bytes(original)
    measurements = (folder / "measurements.csv").read_text()
    for wrong in ("nan", "1.5", "many"):
        line = measurements.splitlines()[1]
        (folder / "measurements.csv").write_text(measurements.replace(line, line.rpartition(",")[0] + f",{wrong}"))
        with pytest.raises(CertificateError, match=r"measurements\.csv"):
            dc.infer.folder(folder)
    with pytest.raises(CertificateError, match=re.escape(str(tmp_path))):
        dc.infer.folder(tmp_path)


@pytest.mark.parametrize(
    ("design", "named"),
    [({"name": "geometric", "epsilon": "0.5"}, r"epsilon .*'0\.5'.* 4"), (None, "budget")],
)
def test_a_manifest_forged_for_another_certificate_is_refused(tmp_path: Path, design: object, named: str) -> None:
    """Its digests agree, but its design or its budget does not. Its intervals would be too narrow."""
    folder = publish(tmp_path, "4", design=design, measure="published")
    dc.infer.folder(folder)
    manifest, certificate = (folder / "manifest.json").read_text(), folder / "certificate.json"
    digests = [hashlib.sha256(certificate.read_bytes()).hexdigest(), dc.load(certificate).digest]
    dc.design.geometric(epsilon=4).certify().save(certificate)
    forged_digests = [hashlib.sha256(certificate.read_bytes()).hexdigest(), dc.load(certificate).digest]
    for digest, forged_digest in zip(digests, forged_digests, strict=True):
        manifest = manifest.replace(digest, forged_digest)
    (folder / "manifest.json").write_text(manifest)
    with pytest.raises(CertificateError, match=named):
        dc.infer.folder(folder)


def test_a_group_of_another_level_selects_the_cells_inside(tmp_path: Path) -> None:
    every = {"district": DISTRICT, "age": AGE, "sex": SEX}
    coarse = {"name": "sides", "dimensions": [{"dimension": "district", "level": "side"}], "margins": "none"}
    reader = dc.infer.folder(publish(tmp_path, "8", dimensions=every, tables=[PEOPLE, coarse]))
    group = reader.total(["district=coast"], table="people")
    assert group.interval() == reader.total(["district=n", "district=w"], table="people").interval()
    assert reader.cells_used(["district=coast,sex=m"], table="people") == [(2, ("district", "sex"))]
    assert reader.cells_used(["district=coast"], table="people") == [(2, ("district",))]
    assert reader.measurement("district=coast", "people") is None
    assert reader.measurement("district=coast", "sides") is not None
    with pytest.raises(ParameterError, match=r"'coast' of 'district' .*'n'"):
        reader.total(["district=n"], table="sides")
    with pytest.raises(ParameterError, match="'district=w'"):
        reader.total(["district=coast", "district=w"], table="people")


def test_counts_beyond_the_end_of_the_table_have_no_high_and_no_sum(tmp_path: Path) -> None:
    """There are 600 people, and the table measures all counts of 60 or more alike."""
    with_end: dict[str, Any] = {"design": {"name": "geometric", "epsilon": "0.5", "upper": 60}, "tables": [PEOPLE]}
    first, second = (dc.infer.folder(publish(tmp_path, version, **with_end)) for version in ("9", "10"))
    cells = rows(first.csv("0.9999"))
    everyone = next(row for row in cells if (row["district"], row["sex"]) == ("_total", "_total"))
    assert (everyone["high"], everyone["mean"]) == ("", "")
    assert "60" in everyone["note"]
    empty = next(row for row in cells if (row["district"], row["sex"]) == ("_other", "_other"))
    assert int(empty["high"]) < 60
    assert empty["note"] == ""
    changes = rows(second.changes(first))
    everyone = next(row for row in changes if (row["district"], row["sex"]) == ("_total", "_total"))
    assert (everyone["low"], everyone["high"], everyone["mean"]) == ("", "", "")
    with pytest.raises(ParameterError, match="60"):
        first.total([""])
    assert first.cells_used(["district=_other"]) == [(1, ("district",))]
    assert first.cells_used(["sex=_other"], before=second) == [(1, ("sex",))]
    assert first.cells_used(["sex=m"]) == [(4, ("district", "sex"))]
    assert first.total(["sex=_other,district=_other"]).interval("0.9999")[1] == int(empty["high"])
    assert first.total([""], prior="poisson:100").interval()[0] > 400

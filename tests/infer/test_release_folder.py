"""A release folder as its readers use it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import CertificateError, ParameterError
from discreet.infer import Posterior
from discreet.infer.release_folder import FolderReader
from tests.infer.published import AGE, DISTRICT, PEOPLE, SEX, cell, publish, rows


def test_every_cell_has_its_interval(made: Path, held: FolderReader) -> None:
    """From measurements.csv alone: as many cells, their numbers, and what posterior says of each."""
    table = dc.load(made / "certificate.json")
    measured = rows((made / "measurements.csv").read_text())
    found = rows(held.csv())
    assert [row["measured"] for row in found] == [row["measurement"] for row in measured]
    for row in found:
        belief = dc.infer.posterior(table, int(row["measured"]))
        assert (int(row["low"]), int(row["high"])) == belief.interval()
        assert int(row["most_likely"]) == belief.mode()
        assert row["mean"] == f"{belief.mean():.2f}"
    people = rows((made / "people.csv").read_text())
    assert [(row["district"], row["sex"]) for row in found if row["table"] == "people"] == [
        (row["district"], row["sex"]) for row in people
    ]
    assert {row["age"] for row in found if row["table"] == "ages"} == {"18+", "65+", "_other"}
    assert rows(held.csv(table="ages")) == [row for row in found if row["table"] == "ages"]
    for row in rows(held.csv(prior="poisson:5", table="people")):
        prior = None if "_total" in (row["district"], row["sex"]) else "poisson:5"
        belief = dc.infer.posterior(table, int(row["measured"]), prior)
        assert (int(row["low"]), int(row["high"])) == belief.interval()
    narrow = rows(held.csv("0.5"))
    assert sum(int(row["high"]) - int(row["low"]) for row in narrow) < sum(
        int(row["high"]) - int(row["low"]) for row in found
    )


def test_negative_measurements_are_used_as_they_are(tmp_path: Path) -> None:
    """Tables show 0 for them; the interval is that of the measurement."""
    held = dc.infer.folder(publish(tmp_path, "few", size=3))
    below = [row for row in rows(held.csv()) if int(row["measured"]) < 0]
    assert below
    table = held.release.plan.ptable
    for row in below:
        assert float(row["mean"]) == pytest.approx(dc.infer.posterior(table, int(row["measured"])).mean(), abs=0.006)
        assert row["low"] == "0"


def test_sums_and_shares(held: FolderReader) -> None:
    table = held.release.plan.ptable
    sexes = ["f, female", "m", "_other"]
    north = dc.infer.posterior(table, [cell(held, district="n", sex=sex) for sex in sexes], "poisson:90")
    found = held.total(["district=n"], "poisson:90", "people")
    assert found.mean() == pytest.approx(dc.infer.total(north).mean())
    assert found.variance() == pytest.approx(dc.infer.total(north).variance())
    women = held.total(['district=n,"sex=f, female"'], "poisson:90", "people")
    assert women.mean() == pytest.approx(north[0].mean())
    both = held.total(["district=n", "district=s,sex=m"], "poisson:90", "people")
    south = held.total(["district=s,sex=m"], "poisson:90", "people")
    assert both.mean() == pytest.approx(found.mean() + south.mean())
    share = held.share("district=n,sex=m", ["district=n"], prior="poisson:90", table="people")
    assert share == dc.infer.share(north[1], [north[0], north[2]])
    whole = held.share("sex=m", table="people")
    assert 0 < whole.low < whole.mean < whole.high < 1
    assert held.measurement("district=n", "people") == cell(held, district="n", sex="_total")
    assert held.measurement("", "people") == cell(held, district="_total", sex="_total")
    assert held.measurement("district=n,sex=m", "people") == cell(held, district="n", sex="m")


def test_the_fewest_measurements_that_hold_the_chosen_people(held: FolderReader) -> None:
    """A margin that was measured has one noise, and the sum of its cells as many as there are cells."""
    margins = {district: cell(held, district=district, sex="_total") for district in ("n", "s", "w", "_other")}
    north, south = cell(held, district="n", sex="m"), cell(held, district="s", sex="m")

    def added(*measured: int) -> Posterior:
        return dc.infer.measured_total(held.release.plan.ptable, measured)

    def same(one: Posterior, other: Posterior) -> None:
        assert one.support.tolist() == other.support.tolist()
        assert one.probabilities.tolist() == other.probabilities.tolist()

    same(held.total(["district=n"], table="people"), added(margins["n"]))
    same(held.total([""], table="people"), added(cell(held, district="_total", sex="_total")))
    same(held.total(["district=n", "district=w"], table="people"), added(margins["n"], margins["w"]))
    same(held.total(["district=n", "district=s,sex=m"], table="people"), added(margins["n"], south))
    assert held.cells_used(["district=n", "district=s,sex=m"], table="people") == [
        (1, ("district",)),
        (1, ("district", "sex")),
    ]
    assert held.cells_used(["district=n"], "poisson:90", "people") == [(3, ("district", "sex"))]

    rest = added(margins["s"], margins["w"], margins["_other"])
    assert held.share("district=n", table="people") == dc.infer.share(added(margins["n"]), rest)
    assert held.cells_used_by_share("district=n", table="people") == ([(1, ("district",))], [(3, ("district",))])
    others = [cell(held, district="n", sex=sex) for sex in ("f, female", "_other")]
    found = held.share("district=n,sex=m", ["district=n", "district=s"], table="people")
    assert found == dc.infer.share(added(north), added(*others, margins["s"]))
    found = held.share("district=n", ["district=n", "district=s"], table="people")
    assert found == dc.infer.share(added(margins["n"]), added(margins["s"]))


def test_labels_that_overlap_in_a_dimension_that_a_margin_sums_over(tmp_path: Path) -> None:
    """Cells by district and age group cannot be added up; a margin by district was measured."""
    table = {"name": "all", "dimensions": ["district", {"dimension": "age", "level": "legal"}], "margins": "all"}
    made = dc.infer.folder(publish(tmp_path, "groups", tables=[table]))
    assert made.cells_used(["district=n"]) == [(1, ("district",))]
    assert made.cells_used(["district=n,age=18+", "district=s,age=65+"]) == [(2, ("district", "age"))]
    assert made.cells_used_by_share("district=n") == ([(1, ("district",))], [(3, ("district",))])
    for chosen in (["age=18+", "age=65+"], ["district=n", "district=n,age=18+"]):
        with pytest.raises(ParameterError, match=r"overlap|counts once"):
            made.total(chosen)
    with pytest.raises(ParameterError, match="'65\\+' and '18\\+' of 'age' overlap"):
        made.share("age=18+")
    with pytest.raises(ParameterError, match="'65\\+' and '18\\+' of 'age' overlap"):
        made.total(["district=n"], "poisson:90")


@pytest.mark.parametrize(
    ("chosen", "table", "complaint"),
    [
        (["district=n", "district=n,sex=m"], "people", "counts once"),
        (["district=n", "district=n"], "people", "counts once"),
        (["age=18+", "age=65+"], "ages", "overlap"),
        ([""], "ages", "overlap"),
        (["district=x"], "people", "no label 'x'"),
        (["age=child"], "people", "no dimension 'age'"),
        (["district"], "people", "dimension=label"),
        (["district=n\nx"], "people", "in one line"),
        (["district=n,district=s"], "people", "each dimension once"),
        (["district=n"], "person", "no table 'person'"),
        (["district=n"], None, "choose one of: people, ages"),
    ],
)
def test_cells_that_cannot_be_added_up(
    held: FolderReader, chosen: list[str], table: str | None, complaint: str
) -> None:
    with pytest.raises(ParameterError, match=complaint.replace("+", r"\+")):
        held.total(chosen, table=table)


def test_a_part_is_within_its_whole(held: FolderReader) -> None:
    with pytest.raises(ParameterError, match="outside"):
        held.share("sex=m", ["district=n"], table="people")
    with pytest.raises(ParameterError, match="is the whole"):
        held.share("", table="people")


def test_choices_that_are_none(held: FolderReader, tmp_path: Path) -> None:
    """One text is one choice; anything else that is no list of texts is refused."""
    one = held.total("district=n", table="people")
    assert one.probabilities.tolist() == held.total(["district=n"], table="people").probabilities.tolist()
    assert held.share("sex=m", "", table="people") == held.share("sex=m", [""], table="people")
    for chosen in ([], None, 5, [None], [["sex=m"]]):
        for refused in (
            lambda chosen=chosen: held.total(chosen, table="people"),
            lambda chosen=chosen: held.cells_used(chosen, table="people"),
            lambda chosen=chosen: held.share("sex=m", chosen, table="people"),
        ):
            with pytest.raises(ParameterError, match="give texts such as"):
                refused()
    with pytest.raises(ParameterError, match="give what folder"):
        held.changes(str(tmp_path))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="give what folder"):
        held.total_change(None, ["sex=m"], table="people")  # type: ignore[arg-type]


def test_a_folder_that_is_not_what_its_manifest_says(tmp_path: Path) -> None:
    folder = publish(tmp_path, "4")
    original = (folder / "certificate.json").read_bytes()
    dc.design.geometric(epsilon=1).certify().save(folder / "certificate.json")
    with pytest.raises(CertificateError, match=r"certificate\.json"):
        dc.infer.folder(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    digest = hashlib.sha256((folder / "certificate.json").read_bytes()).hexdigest()
    manifest["files"]["certificate.json"] = f"sha256:{digest}"
    (folder / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
    with pytest.raises(CertificateError, match="not those of its specification and certificate"):
        dc.infer.folder(folder)
    (folder / "certificate.json").write_bytes(original)
    measurements = (folder / "measurements.csv").read_text()
    for bad in ("nan", "1.5", "many"):
        line = measurements.splitlines()[1]
        (folder / "measurements.csv").write_text(measurements.replace(line, line.rpartition(",")[0] + f",{bad}"))
        with pytest.raises(CertificateError, match=r"measurements\.csv"):
            dc.infer.folder(folder)
    with pytest.raises(CertificateError, match="folder of a release"):
        dc.infer.folder(tmp_path)


@pytest.mark.parametrize(
    ("design", "complaint"),
    [({"name": "geometric", "epsilon": "0.5"}, "epsilon is '0.5', and the certificate's 4"), (None, "the budget is")],
)
def test_a_manifest_forged_for_another_certificate(tmp_path: Path, design: object, complaint: str) -> None:
    """Its intervals would be narrower than the truth; its digests agree, and its design or its budget does not."""
    folder = publish(tmp_path, "4", design=design)
    dc.infer.folder(folder)
    raw, old = (folder / "manifest.json").read_text(), folder / "certificate.json"
    digests = [hashlib.sha256(old.read_bytes()).hexdigest(), dc.load(old).digest]
    dc.design.geometric(epsilon=4).certify().save(old)
    forged = [hashlib.sha256(old.read_bytes()).hexdigest(), dc.load(old).digest]
    for here, there in zip(digests, forged, strict=True):
        raw = raw.replace(here, there)
    (folder / "manifest.json").write_text(raw)
    with pytest.raises(CertificateError, match=complaint):
        dc.infer.folder(folder)


def test_a_group_of_another_level_means_the_cells_inside(tmp_path: Path, held: FolderReader) -> None:
    every = {"district": DISTRICT, "age": AGE, "sex": SEX}
    coarse = {"name": "sides", "dimensions": [{"dimension": "district", "level": "side"}], "margins": "none"}
    made = dc.infer.folder(publish(tmp_path, "8", dimensions=every, tables=[PEOPLE, coarse]))
    group = made.total(["district=coast"], table="people")
    assert group.interval() == made.total(["district=n", "district=w"], table="people").interval()
    assert made.cells_used(["district=coast,sex=m"], table="people") == [(2, ("district", "sex"))]
    assert made.cells_used(["district=coast"], table="people") == [(2, ("district",))]
    assert made.measurement("district=coast", "people") is None
    assert made.measurement("district=coast", "sides") is not None
    with pytest.raises(ParameterError, match="'coast' of 'district' is partly inside 'n'"):
        made.total(["district=n"], table="sides")
    with pytest.raises(ParameterError, match="counts once"):
        made.total(["district=coast", "district=w"], table="people")


def test_counts_beyond_the_end_of_the_table(tmp_path: Path) -> None:
    """600 people, and a table that measures 60 or more alike."""
    ended: dict[str, Any] = {"design": {"name": "geometric", "epsilon": "0.5", "upper": 60}, "tables": [PEOPLE]}
    first, second = (dc.infer.folder(publish(tmp_path, version, **ended)) for version in ("9", "10"))
    found = rows(first.csv("0.9999"))
    top = next(row for row in found if (row["district"], row["sex"]) == ("_total", "_total"))
    assert (top["high"], top["mean"], top["note"]) == ("", "", "counts of 60 or more are measured alike")
    empty = next(row for row in found if (row["district"], row["sex"]) == ("_other", "_other"))
    assert int(empty["high"]) < 60
    assert empty["note"] == ""
    moved = rows(second.changes(first))
    top = next(row for row in moved if (row["district"], row["sex"]) == ("_total", "_total"))
    assert (top["low"], top["high"], top["mean"]) == ("", "", "")
    with pytest.raises(ParameterError, match="60 or more"):
        first.total([""])
    assert first.cells_used(["district=_other"]) == [(1, ("district",))]
    assert first.cells_used(["sex=_other"], before=second) == [(1, ("sex",))]
    assert first.cells_used(["sex=m"]) == [(4, ("district", "sex"))]
    assert first.total(["sex=_other,district=_other"]).interval("0.9999")[1] == int(empty["high"])
    assert first.total([""], prior="poisson:100").interval()[0] > 400

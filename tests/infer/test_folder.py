"""A release folder as its readers use it."""

import csv
import hashlib
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import CertificateError, ParameterError
from discreet.infer.folder import Readings
from discreet.release import run, secrets

AGES = {"18+": ["adult", "old"], "65+": ["old"]}


def publish(folder: Path, version: str, size: int = 600, **changes: Any) -> Path:
    """A release of random people with overlapping age groups, one dimension at two levels."""
    draw = random.Random(version)
    lines = [f"{draw.choice('nsw')},{draw.choice(['child', 'adult', 'old'])},{draw.choice('fm')}" for _ in range(size)]
    (folder / f"{version}.csv").write_text("\n".join(["district,age,sex", *lines]) + "\n")
    if not (folder / "secret.key").exists():
        secrets.new_secret(folder / "secret.key")
    spec: dict[str, Any] = {
        "version": version,
        "source": {"csv": str(folder / f"{version}.csv")},
        "dimensions": {
            "district": {"column": "district", "categories": ["n", "s", "w"]},
            "age": {"column": "age", "categories": ["child", "adult", "old"], "levels": {"legal": AGES}},
            "sex": {"column": "sex", "categories": {"f, female": "f", "m": "m"}},
        },
        "tables": [
            {"name": "people", "dimensions": ["district", "sex"], "margins": "all"},
            {"name": "ages", "dimensions": [{"dimension": "age", "level": "legal"}], "margins": "none"},
        ],
        "design": {"name": "geometric", "epsilon": "0.5"},
        "budget": {"epsilon": 9, "delta": "1e-6"},
        "secret": {"file": str(folder / "secret.key")},
    }
    run(spec | changes, folder / f"out{version}")
    return folder / f"out{version}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("first"), "1")


@pytest.fixture(scope="module")
def held(made: Path) -> Readings:
    return dc.infer.folder(made)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_cell_has_its_interval(made: Path, held: Readings) -> None:
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
    table = held.held.ptable
    for row in below:
        assert float(row["mean"]) == pytest.approx(dc.infer.posterior(table, int(row["measured"])).mean(), abs=0.006)
        assert row["low"] == "0"


def cell(held: Readings, **labels: str) -> int:
    return next(
        int(row["measured"])
        for row in rows(held.csv(table="people"))
        if all(row[name] == label for name, label in labels.items())
    )


def test_sums_and_shares(held: Readings) -> None:
    table = held.held.ptable
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
    cells = [cell(held, district="n", sex=sex) for sex in sexes]
    flat = held.total(["district=n"], table="people")
    assert flat.interval() == dc.infer.measured_total(table, cells).interval()
    assert flat.mean() == pytest.approx(sum(cells), abs=1e-6)
    share = held.share("district=n,sex=m", ["district=n"], prior="poisson:90", table="people")
    assert share == dc.infer.share(north[1], [north[0], north[2]])
    whole = held.share("sex=m", table="people")
    assert 0 < whole.low < whole.mean < whole.high < 1
    assert held.number(["district=n", "district=s,sex=m"], "people") == 4
    assert held.measured("district=n", "people") == cell(held, district="n", sex="_total")
    assert held.measured("", "people") == cell(held, district="_total", sex="_total")
    assert held.measured("district=n,sex=m", "people") == cell(held, district="n", sex="m")


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
        (["district=n,district=s"], "people", "each dimension once"),
        (["district=n"], "person", "no table 'person'"),
        (["district=n"], None, "choose one of: people, ages"),
    ],
)
def test_cells_that_cannot_be_added_up(held: Readings, chosen: list[str], table: str | None, complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint.replace("+", r"\+")):
        held.total(chosen, table=table)


def test_a_part_is_within_its_whole(held: Readings) -> None:
    with pytest.raises(ParameterError, match="outside"):
        held.share("sex=m", ["district=n"], table="people")
    with pytest.raises(ParameterError, match="is the whole"):
        held.share("", table="people")


def test_changes_between_versions(tmp_path: Path, held: Readings) -> None:
    later = dc.infer.folder(publish(tmp_path, "2", size=900))
    found = rows(later.changes(held, table="people"))
    now, then = rows(later.csv(table="people")), rows(held.csv(table="people"))
    for row, new, old in zip(found, now, then, strict=True):
        assert (row["measured"], row["measured_before"]) == (new["measured"], old["measured"])
        one = dc.infer.posterior(later.held.ptable, int(new["measured"]))
        other = dc.infer.posterior(held.held.ptable, int(old["measured"]))
        moved = dc.infer.difference(one, other)
        assert (int(row["low"]), int(row["high"])) == moved.interval()
        assert float(row["mean"]) == pytest.approx(one.mean() - other.mean(), abs=0.006)
    change = later.total_change(held, ["district=n"], table="people")
    assert change.mean() == pytest.approx(
        later.total(["district=n"], table="people").mean() - held.total(["district=n"], table="people").mean()
    )
    with pytest.raises(ParameterError, match="version '1'"):
        held.changes(held)
    other = publish(tmp_path, "3", tables=[{"name": "people", "dimensions": ["district"], "margins": "none"}])
    with pytest.raises(ParameterError, match="district by sex"):
        later.changes(dc.infer.folder(other), table="people")


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


DISTRICT = {"column": "district", "categories": ["n", "s", "w"], "levels": {"side": {"coast": ["n", "w"]}}}
AGE = {"column": "age", "categories": ["child", "adult", "old"], "levels": {"legal": AGES}}
SEX = {"column": "sex", "categories": {"f, female": "f", "m": "m"}}
PEOPLE = {"name": "people", "dimensions": ["district", "sex"], "margins": "all"}


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
    tmp_path: Path, held: Readings, dimensions: dict[str, Any], table: dict[str, Any], complaint: str
) -> None:
    every = {"district": DISTRICT, "age": AGE, "sex": SEX} | dimensions
    later = dc.infer.folder(publish(tmp_path, "5", dimensions=every, tables=[PEOPLE | table]))
    with pytest.raises(ParameterError, match=complaint):
        later.changes(held)
    with pytest.raises(ParameterError, match=complaint):
        later.total_change(held, ["district=n"])


def test_changes_of_groups_and_of_filters_that_keep_everyone(tmp_path: Path, held: Readings) -> None:
    every = {"district": DISTRICT, "age": AGE, "sex": SEX}
    all_ages = PEOPLE | {"filter": {"age": ["child", "adult", "old", "_other"]}}
    same = dc.infer.folder(publish(tmp_path, "6", dimensions=every, tables=[all_ages]))
    assert same.total_change(held, ["district=n"]).mean() == pytest.approx(0, abs=150)
    moved = {"18+": ["adult"], "65+": ["old"]}
    ages = {"name": "ages", "dimensions": [{"dimension": "age", "level": "legal"}], "margins": "none"}
    later = publish(tmp_path, "7", dimensions=every | {"age": AGE | {"levels": {"legal": moved}}}, tables=[ages])
    with pytest.raises(ParameterError, match="'18\\+' of 'age' holds adult, old there and adult here"):
        dc.infer.folder(later).changes(held)


def test_a_group_of_another_level_means_the_cells_inside(tmp_path: Path, held: Readings) -> None:
    every = {"district": DISTRICT, "age": AGE, "sex": SEX}
    coarse = {"name": "sides", "dimensions": [{"dimension": "district", "level": "side"}], "margins": "none"}
    made = dc.infer.folder(publish(tmp_path, "8", dimensions=every, tables=[PEOPLE, coarse]))
    group = made.total(["district=coast"], table="people")
    assert group.interval() == made.total(["district=n", "district=w"], table="people").interval()
    assert made.number(["district=coast,sex=m"], "people") == 2
    assert made.measured("district=coast", "people") is None
    assert made.measured("district=coast", "sides") is not None
    with pytest.raises(ParameterError, match="'coast' of 'district' is partly inside 'n'"):
        made.total(["district=n"], table="sides")
    with pytest.raises(ParameterError, match="counts once"):
        made.total(["district=coast", "district=w"], table="people")


def test_counts_beyond_the_end_of_the_table(tmp_path: Path) -> None:
    """600 people, and a table that measures 60 or more alike."""
    ended = {"design": {"name": "geometric", "epsilon": "0.5", "upper": 60}, "tables": [PEOPLE]}
    first, second = (dc.infer.folder(publish(tmp_path, version, **ended)) for version in ("9", "10"))
    found = rows(first.csv())
    top = next(row for row in found if (row["district"], row["sex"]) == ("_total", "_total"))
    assert (top["high"], top["mean"], top["note"]) == ("", "", "counts of 60 or more are measured alike")
    empty = next(row for row in found if (row["district"], row["sex"]) == ("_other", "_other"))
    assert int(empty["high"]) < 30
    assert empty["note"] == ""
    moved = rows(second.changes(first))
    top = next(row for row in moved if (row["district"], row["sex"]) == ("_total", "_total"))
    assert (top["low"], top["high"], top["mean"]) == ("", "", "")
    with pytest.raises(ParameterError, match="60 or more"):
        first.total([""])
    assert first.total(["sex=_other,district=_other"]).interval()[1] == int(empty["high"])
    assert first.total([""], prior="poisson:100").interval()[0] > 400

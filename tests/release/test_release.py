"""A release as a whole: the folder, and what the folder depends on."""

import csv
import errno
import hashlib
import itertools
import json
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import discreet
from discreet.cli import app
from discreet.errors import CertificateError, SpecError
from discreet.measure import lookup, secrets
from discreet.plan.release_plan import resolve
from discreet.publish.manifest import digest
from discreet.publish.verify_folder import verify_folder
from discreet.release import ReleaseSpec, run
from tests import manifests
from tests.release.districts import DISTRICTS, people, save
from tests.town import folder, settle


def truth(rows: list[dict[str, object]], district: str | None, age: str | None, sex: str | None) -> int:
    """Count in plain Python. None stands for everyone."""

    def district_of(row: dict[str, object]) -> str:
        return str(row["district"]) if row["district"] in DISTRICTS else "_other"

    def age_of(row: dict[str, object]) -> str:
        return "_other" if isinstance(row["age"], str) else "young" if int(str(row["age"])) < 30 else "old"

    def sex_of(row: dict[str, object]) -> str:
        return {"f": "female", "m": "male"}[str(row["sex"])]

    return sum(
        (district is None or district_of(row) == district)
        and (age is None or age_of(row) == age)
        and (sex is None or sex_of(row) == sex)
        for row in rows
    )


def test_measurements_are_true_counts_plus_the_noise_of_the_table(spec: dict[str, Any], tmp_path: Path) -> None:
    release = run(spec, tmp_path / "out")
    support = release.ptable.interior[0].first
    rows = people(500)
    errors = []
    with (tmp_path / "out" / "measurements.csv").open() as file:
        for cell in csv.DictReader(file):
            labels = (None if cell[name] == "_total" else cell[name] for name in ("district", "age", "sex"))
            errors.append(int(cell["measurement"]) - truth(rows, *labels))
    assert len(errors) == (4 + 1) * (3 + 1) * (3 + 1)
    assert max(map(abs, errors)) <= -support
    assert abs(np.mean(errors)) < 6 * np.sqrt(float(release.ptable.utility["variance"][1]) / len(errors))
    assert np.var(errors) == pytest.approx(float(release.ptable.utility["variance"][1]), rel=0.8)
    assert release.touches == 8


def test_a_release_does_not_depend_on_the_order_of_rows(spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "one")
    rows = people(500)
    random.Random(2).shuffle(rows)
    save(rows, tmp_path / "people.csv")
    run(spec, tmp_path / "two")
    assert folder(tmp_path / "one") == folder(tmp_path / "two")


def test_another_version_secret_or_design_has_other_noise(spec: dict[str, Any], tmp_path: Path) -> None:
    first = run(spec, tmp_path / "one").measurements[0]
    secrets.new_secret(tmp_path / "other.key")
    changes: list[dict[str, Any]] = [
        {"version": "v2"},
        {"secret": {"file": str(tmp_path / "other.key")}},
        {"design": {"name": "geometric", "epsilon": "0.5000001"}},
        {"unit": {"id": "id", "contributions": 2}, "budget": {"epsilon": 9, "delta": "1e-6"}},
    ]
    for number, change in enumerate(changes):
        (tmp_path / "secret.key.memory").unlink(missing_ok=True)  # the memory would refuse other noise
        changed = run({**spec, **change}, tmp_path / f"changed{number}").measurements[0]
        assert (first != changed).mean() > 0.5


def test_one_person_more_changes_measurements_and_nothing_else(spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "one")
    save([*people(500), {"id": 9999, "district": "nowhere", "age": 3, "sex": "x"}], tmp_path / "people.csv")
    (tmp_path / "secret.key.memory").unlink()  # the memory would refuse other data under the same label
    run(spec, tmp_path / "two")
    first, second = folder(tmp_path / "one"), folder(tmp_path / "two")
    assert set(first) == set(second)
    assert first["certificate.json"] == second["certificate.json"]
    documents = [json.loads(files["manifest.json"]) for files in (first, second)]
    for manifest in documents:
        manifest.pop("files")
    assert documents[0] == documents[1]
    lines = zip(first["measurements.csv"].splitlines(), second["measurements.csv"].splitlines(), strict=True)
    changed = [(before, after) for before, after in lines if before != after]
    assert len(changed) == 8  # the cells that hold this person
    assert {int(after.split(b",")[-1]) - int(before.split(b",")[-1]) for before, after in changed} == {1}


def test_nothing_of_the_source_or_the_secret_is_in_the_folder(spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "out")
    content = b"".join(folder(tmp_path / "out").values())
    secret = (tmp_path / "secret.key").read_text().strip()
    for hidden in (str(tmp_path), secret, bytes.fromhex(secret).hex().upper(), "people.csv", "elsewhere", "unknown"):
        assert hidden.encode() not in content


def test_verify_accepts_the_folder_and_refuses_every_change(spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "out")
    checked = verify_folder(tmp_path / "out")
    assert checked.published.plan.touches == 8
    assert checked.published.plan.promise is not None
    original = folder(tmp_path / "out")

    def refuse(change: dict[str, bytes | None], named: str) -> None:
        for name, data in change.items():
            path = tmp_path / "out" / name
            path.unlink(missing_ok=True)
            if data is not None:
                path.write_bytes(data)
        with pytest.raises(CertificateError, match=named):
            verify_folder(tmp_path / "out")
        for name in change:
            (tmp_path / "out" / name).unlink(missing_ok=True)
            if name in original:
                (tmp_path / "out" / name).write_bytes(original[name])

    def restated(edit: Any, **files: bytes) -> dict[str, bytes | None]:
        """Return changed files and a manifest with their digests."""
        manifest = json.loads(original["manifest.json"])
        edit(manifest)
        for name, data in files.items():
            manifest["files"][name] = digest(data)
        return {**files, "manifest.json": manifests.written(manifest)}

    refuse({"all.csv": None}, r"all\.csv")
    refuse({"all.csv": original["all.csv"].replace(b"north", b"North", 1)}, r"all\.csv")
    refuse({"extra.txt": b"x"}, r"extra\.txt")
    refuse({"manifest.json": original["manifest.json"] + b" "}, "manifest")
    refuse({"manifest.json": b"{"}, "JSON")
    refuse(restated(lambda m: m["privacy"].update(touches=7)), "touches")
    refuse(restated(lambda m: m["privacy"]["composed"].update(delta="1e-30")), "composed delta")
    refuse(restated(lambda m: m["privacy"]["cell"].update(epsilon="0.1")), r"privacy\.cell\.epsilon")
    refuse(restated(lambda m: m["spec"]["budget"].update(epsilon="0.5")), "budget")
    refuse(
        restated(lambda m: m["spec"]["tables"][0].update(margins="none")),
        "80 measurements for 36 cells",
    )
    lines = original["measurements.csv"].splitlines(keepends=True)
    swapped = b"".join([lines[0], lines[2], lines[1], *lines[3:]])
    refuse(restated(lambda m: None, **{"measurements.csv": swapped}), r"measurements\.csv")
    altered = original["measurements.csv"].replace(lines[1], lines[1].rsplit(b",", 1)[0] + b",7777\n")
    refuse(restated(lambda m: None, **{"measurements.csv": altered}), "7777|noise")
    cell, measured = lines[1].rsplit(b",", 1)
    altered = original["measurements.csv"].replace(lines[1], b"%s,%d\n" % (cell, int(measured) + 1))
    refuse(
        restated(lambda m: None, **{"measurements.csv": altered}),
        r"(all\.csv|report\.html): is not what the measurements make",
    )
    refuse(restated(lambda m: None, **{"all.csv": original["all.csv"] + b"x"}), r"all\.csv")
    refuse(restated(lambda m: m["spec"].update(seed=1)), r"(all\.csv|report\.html): is not what")
    refuse(restated(lambda m: m["spec"].update(reconcile="none")), "reconciled")
    refuse(restated(lambda m: m["privacy"].update(no_guarantee="nothing")), "no_guarantee")
    refuse(restated(lambda m: m["files"].update({"../x": "sha256:0"})), r"\.\./x")
    assert verify_folder(tmp_path / "out").manifest == checked.manifest


def test_cells_that_resolve_to_the_same_leaves_are_one(spec: dict[str, Any], tmp_path: Path) -> None:
    spec["dimensions"]["district"]["levels"] = {"side": {"cold": ["north"], "rest": ["south", "west", "_other"]}}
    spec["tables"] = [
        {"name": "fine", "dimensions": ["district"], "margins": "all"},
        {"name": "coarse", "dimensions": [{"dimension": "district", "level": "side"}], "margins": "all"},
        {"name": "filtered", "dimensions": [], "filter": {"district": ["north"]}},
        {"name": "again", "dimensions": ["district"], "filter": {"district": [*DISTRICTS, "_other"]}},
    ]
    release = run(spec, tmp_path / "out")
    fine, _, coarse, filtered = release.measurements
    assert coarse[0] == fine[0] == filtered  # and the table `again` has no new grouping
    layout = resolve(ReleaseSpec.model_validate(spec)).layout
    assert len(layout.cells.definitions) == 4 + 1 + 1
    assert release.touches == 3  # for south: the cells south, rest and total


def test_a_person_in_two_overlapping_groups_is_counted_twice() -> None:
    spec = {
        "version": "1",
        "source": {"csv": "x"},
        "dimensions": {
            "age": {
                "column": "age",
                "ranges": {"0": [0, 18], "18": [18, 65], "65": [65, None]},
                "levels": {"over": {"18+": ["18", "65"], "65+": ["65"]}},
            }
        },
        "tables": [{"name": "t", "dimensions": [{"dimension": "age", "level": "over"}]}],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    }
    assert resolve(ReleaseSpec.model_validate(spec)).layout.touches() == 2


def test_rows_beyond_the_contributions_are_dropped_whatever_their_order(spec: dict[str, Any], tmp_path: Path) -> None:
    rows = [row for row in people(300) for _ in range(1 + int(str(row["id"])) % 3)]
    for number, row in enumerate(rows):
        rows[number] = {**row, "sex": "fm"[number % 2]}
    rows.append({"id": "", "district": "north", "age": 1, "sex": "f"})
    save(rows, tmp_path / "people.csv")
    spec["tables"] = [{"name": "t", "dimensions": ["sex"], "margins": "all"}]
    first = run(spec, tmp_path / "one")
    support = -first.ptable.interior[0].first
    assert abs(int(first.measurements[1]) - 300) <= support  # one row of each person
    random.Random(3).shuffle(rows)
    save(rows, tmp_path / "people.csv")
    run(spec, tmp_path / "two")
    assert folder(tmp_path / "one") == folder(tmp_path / "two")


def test_the_adviser_chooses_if_no_design_is_given(spec: dict[str, Any], tmp_path: Path) -> None:
    spec["design"] = None
    release = run(spec, tmp_path / "out")
    assert release.promise is not None
    assert release.promise.delta <= 1e-6
    assert Fraction(str(release.ptable.guarantee.epsilon)) >= Fraction(5, 8)


def test_fresh_keys_differ_between_releases(spec: dict[str, Any], tmp_path: Path) -> None:
    spec |= {"key": "fresh", "secret": None}
    spec["tables"].append({"name": "again", "dimensions": ["district"]})
    first, second = run(spec, tmp_path / "one"), run(spec, tmp_path / "two")
    assert (first.measurements[0] != second.measurements[0]).any()
    assert first.manifest["key"]["fingerprint"] is None
    verify_folder(tmp_path / "one")


def test_contributor_keys_promise_one_cell_only(spec: dict[str, Any], tmp_path: Path) -> None:
    spec |= {"key": "contributors", "budget": None}
    spec["tables"] = [
        {"name": "t", "dimensions": ["district"]},
        {
            "name": "same",
            "dimensions": ["district", "sex"],
            "filter": {"sex": ["female", "male"]},
            "margins": [["district"]],
        },
    ]
    release = run(spec, tmp_path / "out")
    assert release.promise is None
    assert release.manifest["privacy"]["composed"] is None
    # the same people, the same noise: everybody's sex is declared, so both margins hold the same people
    assert (release.measurements[0] == release.measurements[2]).all()
    verify_folder(tmp_path / "out")


@pytest.mark.parametrize(
    "table", [{"dimensions": ["sex", "gender"]}, {"dimensions": ["sex"], "filter": {"gender": ["female"]}}]
)
def test_one_table_cannot_use_one_codebook_under_two_names(
    spec: dict[str, Any], tmp_path: Path, table: dict[str, Any]
) -> None:
    spec["dimensions"]["gender"] = spec["dimensions"]["sex"]
    with pytest.raises(SpecError, match="'gender' and 'sex'"):
        run(spec | {"tables": [{"name": "t", **table}]}, tmp_path / "out")
    tables = [{"name": "t", "dimensions": ["sex"]}, {"name": "u", "dimensions": ["gender"]}]
    release = run(spec | {"tables": tables}, tmp_path / "out")
    assert release.touches == 1
    assert (release.measurements[0] == release.measurements[1]).all()


def test_a_cell_does_not_depend_on_the_order_of_dimensions(spec: dict[str, Any], tmp_path: Path) -> None:
    orders = list(itertools.permutations(["district", "age", "sex"]))
    spec["tables"] = [{"name": f"t{number}", "dimensions": list(names)} for number, names in enumerate(orders)]
    release = run(spec | {"outputs": ["csv"]}, tmp_path / "out")
    assert release.touches == 1
    for names, part in zip(orders, release.measurements, strict=True):
        axes = [names.index(name) for name in orders[0]]
        assert (np.transpose(part, axes) == release.measurements[0]).all()


def test_run_is_a_public_function(spec: dict[str, Any], tmp_path: Path) -> None:
    release = discreet.release.run(spec, output=tmp_path / "out")
    assert release.folder == tmp_path / "out"


def test_no_true_count_key_or_secret_is_published_printed_or_raised(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every true count is a number that occurs nowhere else."""
    secret = hashlib.sha256(b"a secret that makes no measurement equal to its count").hexdigest()
    (tmp_path / "fixed.key").write_text(secret)
    (tmp_path / "fixed.key").chmod(0o600)
    sizes = {"north": 48611, "south": 39727, "west": 27733, "elsewhere": 15683}
    rows = [district for district, size in sizes.items() for _ in range(size)]
    (tmp_path / "many.csv").write_text("district\n" + "\n".join(rows) + "\n")
    spec |= {
        "source": {"csv": str(tmp_path / "many.csv")},
        "unit": {},
        "tables": [{"name": "all", "dimensions": ["district"], "margins": "none"}],
        "design": {"name": "gaussian", "sigma2": 250_000, "certify_at": "0.1"},
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "secret": {"file": str(tmp_path / "fixed.key")},
    }
    private_numbers: list[Any] = []
    real = lookup.measure

    def recorded(plan: Any, counts: Any, keys: Any) -> Any:
        private_numbers.extend([*counts.tolist(), *(key for of_table in keys for key in of_table.tolist())])
        assert sorted(counts.tolist()) == sorted(sizes.values())
        return real(plan, counts, keys)

    monkeypatch.setattr(lookup, "measure", recorded)
    path = tmp_path / "release.yaml"
    path.write_text(yaml.safe_dump(spec))
    printed = CliRunner().invoke(app, ["release", str(path), "-o", str(tmp_path / "out")])
    assert printed.exit_code == 0
    verified = CliRunner().invoke(app, ["verify", str(tmp_path / "out")])
    texts = [printed.output, verified.output]
    for stage in (
        "discreet.files.write_folder",
        "discreet.reconcile.table_plan.TablePlan.fitted",
        "discreet.files.os.fsync",
    ):
        with mock.patch(stage, side_effect=OSError(errno.EIO, "broken")):
            failed = CliRunner().invoke(app, ["release", str(path), "-o", str(tmp_path / "failed")])
        assert failed.exit_code != 0
        texts += [failed.output, repr(failed.exception)]
    published = b"\n".join(folder(tmp_path / "out").values()).decode("latin-1") + "\n".join(texts)
    assert len(private_numbers) >= 8
    for hidden in [secret, *map(str, private_numbers), *(f"{count:,}" for count in sizes.values())]:
        assert not re.search(rf"(?<![0-9,]){re.escape(hidden)}(?![0-9,])", published), hidden


def test_a_dimension_that_no_table_uses_is_not_published(tmp_path: Path) -> None:
    """Nothing in the folder could show that its codebook is true."""
    spec = settle(tmp_path)
    spec["dimensions"]["side"] = {"column": "side", "categories": ["n", "s"]}
    release = run(spec, tmp_path / "out")
    assert set(release.manifest["spec"]["dimensions"]) == {"sex", "age"}
    assert verify_folder(tmp_path / "out").manifest.document() == release.manifest

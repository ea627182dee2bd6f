"""Releases with `measure: plan`: compared with the truth, checked twice, and with less error than one noise for all."""

import csv
import json
from bisect import bisect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import discreet as dc
from discreet.certify import folder as independent
from discreet.cli import app
from discreet.measure import lookup, secrets
from discreet.publish.verify_folder import verify_folder
from discreet.release import demo_town
from tests.system import noises, truth

SIDES = {"place": 9, "age": 5, "sex": 2}
STARTS, AGES = (0, 16, 25, 45, 67, 80), ("0-15", "16-24", "25-44", "45-66", "67-79", "80+")
PEOPLE = truth.zipf(3, 4000, SIDES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("planned")
    truth.write(path / "people.csv", PEOPLE)
    secrets.new_secret(path / "secret.key")
    return path


def spec(folder: Path, **changes: Any) -> dict[str, Any]:
    return {
        "version": "1",
        "source": {"csv": str(folder / "people.csv")},
        "dimensions": truth.dimensions(SIDES),
        "tables": [
            {"name": "people", "dimensions": ["place", "age"], "margins": "all"},
            {"name": "sexes", "dimensions": ["sex", "age"], "margins": "all"},
        ],
        "measure": "plan",
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    } | changes


def test_a_planned_release_is_right_and_both_checkers_prove_it(folder: Path, tmp_path: Path) -> None:
    keys = {"key": "query", "secret": {"file": str(folder / "secret.key")}}
    release = dc.release.run(spec(folder, **keys), tmp_path / "out")
    largest = max(grouping.typical_error for grouping in dc.release.describe(release.plan).groupings)
    assert truth.wrong_in(release, PEOPLE, deviation=largest) == []
    assert verify_folder(tmp_path / "out").other_software is None
    report = independent.check(tmp_path / "out")
    assert {finding.verdict for finding in report.findings} == {"proved"}, report.failures
    again = dc.release.run(spec(folder, **keys), tmp_path / "again")
    assert again.files == release.files


def test_the_published_list_makes_the_same_release(folder: Path, tmp_path: Path) -> None:
    keys = {"key": "query", "secret": {"file": str(folder / "secret.key")}, "version": "2"}
    planned = dc.release.run(spec(folder, **keys), tmp_path / "planned")
    stated = json.loads((tmp_path / "planned" / "manifest.json").read_text())["spec"]
    listed = dc.release.run(spec(folder, **keys, measure=stated["measure"], bits=stated["bits"]), tmp_path / "listed")
    assert listed.files == planned.files


def test_a_plan_for_cells_has_the_error_that_it_says(tmp_path: Path) -> None:
    """The demo town: root mean square error over all cells in 25 draws, 7.75 with one noise for all."""
    town = demo_town.unpack(tmp_path) | {"measure": "plan", "accuracy": {"aim": "cells"}, "outputs": ["csv"]}
    town.pop("design", None)
    with (tmp_path / "town.csv").open(newline="") as file:
        people = [person | {"age": AGES[bisect(STARTS, int(person["age"])) - 1]} for person in csv.DictReader(file)]
    release = dc.release.run(town)
    true, counts = noises.truth(release, people), noises.counts_of_cells(release, people)
    squares: list[float] = []
    for _ in range(25):
        measurements = release.plan.measured.by_grouping(lookup.measure(release.plan, counts, None))
        for fitted in release.published.table_plan.fitted(measurements):
            for index, numbers in fitted.counts.items():
                squares += ((numbers - true[index]) ** 2).ravel().tolist()
    assert np.sqrt(np.mean(squares)) < 5.0


def test_the_command_shows_the_plan(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(spec(folder)))
    result = CliRunner().invoke(app, ["plan", str(tmp_path / "release.yaml"), "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.output)
    assert document["guarantee"]["delta"] <= 1e-6
    assert any(grouping["noise"] is None for grouping in document["groupings"])

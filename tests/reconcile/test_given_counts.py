"""Counts that are given from elsewhere are compared with their measurements."""

import csv
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet.cli import app
from discreet.errors import FixedCountWarning, ReleaseError, SpecError
from discreet.publish.verify_folder import verify_folder


@pytest.fixture
def spec(tmp_path: Path) -> dict[str, Any]:
    """Two tables of 3,000 people: 2,000 women and 1,000 men, all clerks."""
    with (tmp_path / "people.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sex", "work", "side"])
        writer.writerows([["f" if number % 3 else "m", "clerk", "ns"[number % 2]] for number in range(3000)])
    return {
        "version": "2026",
        "source": {"csv": str(tmp_path / "people.csv")},
        "dimensions": {
            "sex": {"column": "sex", "categories": ["f", "m"]},
            "work": {"column": "work", "categories": ["clerk", "astronaut"]},
            "side": {"column": "side", "categories": ["n", "s"]},
        },
        "tables": [
            {"name": "people", "dimensions": ["sex", "work"], "margins": "all"},
            {"name": "sides", "dimensions": ["side"], "margins": "all"},
        ],
        "measure": "published",
        "budget": {"epsilon": 2, "delta": "1e-6"},
        "key": "fresh",
    }


def test_a_given_count_that_noise_does_not_explain_is_told_everywhere(spec: dict[str, Any], tmp_path: Path) -> None:
    """Otherwise a mistyped total would move every table, and nobody would see why."""
    with pytest.warns(FixedCountWarning, match=r"90,000 for everyone, .*[23],\d\d\d"):
        dc.release.run({**spec, "fixed": [{"where": {}, "count": 90_000}]}, tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Counts that the publisher gave are far from what was measured" in page
    assert "<strong>no</strong>" in page
    (given,) = verify_folder(tmp_path / "out").published.given_counts
    assert (given.count, given.explained) == (90_000, False)
    verified = CliRunner().invoke(app, ["verify", str(tmp_path / "out")])
    assert verified.exit_code == 0
    assert "fixed gives 90,000 for everyone" in verified.output


def test_true_counts_are_explained(spec: dict[str, Any], tmp_path: Path) -> None:
    fixed = [{"where": {}, "count": 3000}, {"where": {"work": "astronaut"}, "count": 0}]
    dc.release.run({**spec, "fixed": fixed}, tmp_path / "out")  # a warning would be an error here
    given = verify_folder(tmp_path / "out").published.given_counts
    assert [count.explained for count in given] == [True, True]
    assert "are far from what was measured" not in (tmp_path / "out" / "report.html").read_text()


def test_a_refusal_names_the_zero_that_is_wrong(spec: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"0 for work: clerk, .*[23],\d\d\d"):
        dc.release.run({**spec, "fixed": [{"where": {"work": "clerk"}, "count": 0}]}, tmp_path / "out")


def test_a_zero_of_people_whom_no_table_shows_is_refused(spec: dict[str, Any]) -> None:
    """No table has side and work, so nothing would show that the count is met."""
    zero = {"where": {"side": "n", "work": "astronaut"}, "count": 0}
    with pytest.raises(SpecError, match="0 for side: n, work: astronaut"):
        dc.release.run({**spec, "fixed": [zero]}, "out")


def test_cells_are_counted_once(spec: dict[str, Any], tmp_path: Path) -> None:
    """There are 3 x 3 cells and their margins, 3 sides, and one total that two tables have."""
    release = dc.release.run(spec, tmp_path / "out")
    assert release.cells == 9 + 3 + 3 + 3 + 1
    verified = CliRunner().invoke(app, ["verify", str(tmp_path / "out")])
    assert "cells            19;" in verified.output


def test_a_promise_is_stated_in_six_digits_and_proved_by_the_second_check(spec: dict[str, Any], tmp_path: Path) -> None:
    release = dc.release.run(spec | {"key": "fresh"}, tmp_path / "out")
    assert release.promise is not None
    assert float(f"{release.promise.delta:.5e}") == release.promise.delta <= 1e-6
    verified = CliRunner().invoke(app, ["verify", str(tmp_path / "out")])
    assert "not shown" not in verified.output

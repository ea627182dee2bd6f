"""Counts that are given from elsewhere are compared with their measurements."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet.cli import app
from discreet.errors import CertificateError, FixedCountWarning, ReleaseError, SpecError
from discreet.publish.verify_folder import verify_folder
from tests.manifests import written


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


WRONG: dict[str, Any] = {"where": {}, "count": 90_000}

DIFFERS: dict[str, Any] = WRONG | {"differs": "register of 2025, with people abroad"}

ONLY_CELLS = [{"table": "people"}, {"table": "sides"}]


@pytest.mark.parametrize("measure", ["published", ONLY_CELLS])
def test_a_given_count_that_noise_does_not_explain_is_refused(
    spec: dict[str, Any], tmp_path: Path, measure: Any
) -> None:
    """Otherwise a mistyped total would move every table, also if the total itself is not measured."""
    with pytest.raises(ReleaseError, match=r"90,000 for everyone, and [23],\d\d\d .*\bdiffers\b"):
        dc.release.run({**spec, "measure": measure, "fixed": [WRONG]}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("where", "count", "near"),
    [
        ({"sex": "f"}, 300, r"[12],\d\d\d"),
        ({"work": "clerk"}, 90_000, r"[23],\d\d\d"),
        ({"side": "n"}, 90_000, r"1,\d\d\d"),
    ],
)
def test_sums_of_measured_cells_are_compared_where_a_margin_is_not_measured(
    spec: dict[str, Any], tmp_path: Path, where: dict[str, str], count: int, near: str
) -> None:
    (name, label), *_ = where.items()
    fixed = [{"where": where, "count": count}]
    with pytest.raises(ReleaseError, match=rf"{count:,} for {name}: {label}, and {near} "):
        dc.release.run({**spec, "measure": ONLY_CELLS, "fixed": fixed}, tmp_path / "out")


LEVELS = {"some": {"f or m": ["f", "m"], "f": ["f"]}}


def test_a_category_that_overlaps_others_is_compared_with_its_measurement(spec: dict[str, Any], tmp_path: Path) -> None:
    """No sum of these categories has each person once, but one category is about exactly these people."""
    sex = {**spec["dimensions"]["sex"], "levels": LEVELS}
    table = {"name": "overlap", "dimensions": [{"dimension": "sex", "level": "some"}]}
    spec = {**spec, "dimensions": {**spec["dimensions"], "sex": sex}, "tables": [table]}
    where = {"sex": "f or m"}
    with pytest.raises(ReleaseError, match=r"90,000 for sex: f or m, and [23],\d\d\d was measured"):
        dc.release.run({**spec, "fixed": [{"where": where, "count": 90_000}]}, tmp_path / "out")
    dc.release.run({**spec, "fixed": [{"where": where, "count": 3000}]}, tmp_path / "out")
    (given,) = verify_folder(tmp_path / "out").published.given_counts
    assert (given.explained, given.cells) == (True, 1)


def test_a_count_that_no_measured_cells_make_up_is_refused_unless_it_differs(
    spec: dict[str, Any], tmp_path: Path
) -> None:
    """The people of the second fifth are in the first group of one level, and not in the first group of the other.

    Only a difference of measurements shows how many they are. Nothing would compare a mistyped count with it.
    """
    fifths = {str(fifth): [fifth * 600, fifth * 600 + 600] for fifth in range(5)}
    levels = {"one": {"x": ["0", "1"], "y": ["2", "3", "4"]}, "two": {"u": ["0"], "v": ["1", "2", "3", "4"]}}
    (tmp_path / "people.csv").write_text("id\n" + "\n".join(map(str, range(3000))) + "\n")
    spec = {**spec, "dimensions": {"id": {"column": "id", "ranges": fifths, "levels": levels}}}
    spec["tables"] = [{"name": name, "dimensions": [{"dimension": "id", "level": name}]} for name in levels]
    wrong = {"where": {"id": "1"}, "count": 700}
    with pytest.raises(SpecError, match=r"700 for id: 1, and no measured cells.*measure a table.*differs"):
        dc.release.run({**spec, "fixed": [wrong]}, tmp_path / "out")
    differs = wrong | {"differs": "another register"}
    dc.release.run({**spec, "fixed": [differs]}, tmp_path / "out")
    verify_folder(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["spec"]["fixed"][0].pop("differs")
    (tmp_path / "out" / "manifest.json").write_bytes(written(manifest))
    with pytest.raises(SpecError, match="no measured cells"):
        verify_folder(tmp_path / "out")


def test_true_sums_of_measured_cells_are_explained(spec: dict[str, Any], tmp_path: Path) -> None:
    fixed = [
        {"where": {}, "count": 3000},
        {"where": {"sex": "f"}, "count": 2000},
        {"where": {"sex": "m"}, "count": 1000},
    ]
    dc.release.run({**spec, "measure": ONLY_CELLS, "fixed": fixed}, tmp_path / "out")  # a warning would be an error
    given = verify_folder(tmp_path / "out").published.given_counts
    assert [(count.explained, count.cells) for count in given] == [(True, 3), (True, 3), (True, 3)]


def test_a_refused_count_is_corrected_without_another_draw(spec: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ReleaseError):
        dc.release.run({**spec, "fixed": [WRONG]}, tmp_path / "out")
    release = dc.release.run({**spec, "fixed": [WRONG | {"count": 3000}]}, tmp_path / "out")
    assert release.resumed is not None
    assert release.published.tables[0][-1].item() == 3000


def test_a_count_that_differs_for_a_stated_reason_is_published_with_the_reason(
    spec: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.warns(FixedCountWarning, match=r"90,000 for everyone, .*[23],\d\d\d"):
        dc.release.run({**spec, "fixed": [DIFFERS]}, tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Counts that the publisher gave are far from what was measured" in page
    assert (
        page.count("register of 2025, with people abroad") == 2
    )  # beside the guarantee, and in the section on adding up
    (given,) = verify_folder(tmp_path / "out").published.given_counts
    assert (given.count, given.explained, given.differs) == (90_000, False, "register of 2025, with people abroad")
    verified = CliRunner().invoke(app, ["verify", str(tmp_path / "out")])
    assert verified.exit_code == 0
    assert "fixed gives 90,000 for everyone" in verified.output
    assert "register of 2025" in verified.output


def test_a_folder_without_the_reason_does_not_verify(spec: dict[str, Any], tmp_path: Path) -> None:
    with pytest.warns(FixedCountWarning):
        dc.release.run({**spec, "fixed": [DIFFERS]}, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["spec"]["fixed"][0].pop("differs")
    (tmp_path / "out" / "manifest.json").write_bytes(written(manifest))
    with pytest.raises(CertificateError, match="fixed: fixed gives 90,000 for everyone"):
        verify_folder(tmp_path / "out")


def test_an_empty_reason_is_refused(spec: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="differs"):
        dc.release.run({**spec, "fixed": [WRONG | {"differs": ""}]}, "out")


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

"""Releases that a ledger pays for: before the draw, once for each cell, and never twice for the same answer."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import BudgetError, DataChangedError, InputError, LedgerError
from discreet.measure import secrets
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.town import folder, ledger, spent

STAGES = (
    "discreet.release.count_and_draw.open_engine",
    "discreet.release.count_and_draw.cell_counts",
    "discreet.measure.lookup.measure",
    "discreet.publish.table_files.tables_as_files",
    "discreet.files.write_folder",
)


def test_the_same_release_is_paid_once_and_has_the_same_folder(paid: dict[str, Any], tmp_path: Path) -> None:
    first = run(paid, tmp_path / "one")
    assert first.manifest["ledger"]["units"] == 2
    assert spent(tmp_path) == 2
    run(paid, tmp_path / "two")
    assert folder(tmp_path / "one") == folder(tmp_path / "two")
    assert spent(tmp_path) == 2


def test_more_cells_of_the_same_data_pay_for_the_new_cells_only(paid: dict[str, Any], tmp_path: Path) -> None:
    paid["unit"] = {}  # every row is a person, so no dimension decides which rows count
    first = run(paid, tmp_path / "one")
    paid["tables"].append({"name": "more", "dimensions": ["sex", "side"], "margins": "all"})
    more = run(paid, tmp_path / "three")
    assert more.touches == 4
    assert spent(tmp_path) == 4  # the total and the margin by sex were paid
    assert (more.measurements[0] == first.measurements[0]).all()
    assert more.measurements[1] == first.measurements[1]
    verify_folder(tmp_path / "three")


def test_a_cell_whose_people_may_keep_other_rows_is_another_cell(paid: dict[str, Any], tmp_path: Path) -> None:
    """Which of a person's rows count depends on the dimensions in use: one key must not serve two true counts."""
    rows = "".join(f"{i},f,n,9\n{i},m,s,9\n" for i in range(200))
    (tmp_path / "people.csv").write_text("id,sex,side,age\n" + rows)
    first = run(paid, tmp_path / "one")
    second = {**paid, "tables": [{"name": "t", "dimensions": ["sex", "side"], "margins": "all"}]}
    other = run(second, tmp_path / "two")
    assert spent(tmp_path) == 2 + 4
    by_sex = next(
        measurements
        for measurements, grouping in zip(other.measurements, other.manifest["groupings"], strict=True)
        if [axis["dimension"] for axis in grouping["dimensions"]] == ["sex"]
    )
    assert (first.measurements[0] != by_sex).any()
    for name, leaves in (("sex", ["m", "f"]), ("side", ["s", "n"])):  # another order of leaves is another order of rows
        reordered = {**paid["dimensions"], name: {"column": name, "categories": leaves}}
        run({**paid, "dimensions": reordered, "tables": [{"name": "t", "dimensions": [name]}]}, tmp_path / name)
    assert spent(tmp_path) == 2 + 4 + 2


def test_a_release_beyond_the_budget_is_refused_before_the_data_are_read(paid: dict[str, Any], tmp_path: Path) -> None:
    versions = ledger(tmp_path).capacity // 2
    for number in range(versions):
        run({**paid, "version": f"v{number}"}, tmp_path / f"out{number}")
    with pytest.raises(BudgetError, match="'last "):
        run({**paid, "version": "last"}, tmp_path / f"out{versions}")
    assert spent(tmp_path) == 2 * versions
    assert not (tmp_path / f"out{versions}").exists()


def test_fresh_keys_pay_every_time(paid: dict[str, Any], tmp_path: Path) -> None:
    for number in range(2):
        run({**paid, "key": "fresh"}, tmp_path / f"out{number}")
    assert spent(tmp_path) == 4


def test_changed_data_under_an_unchanged_label_are_refused_and_cost_nothing(
    paid: dict[str, Any], tmp_path: Path
) -> None:
    paid["unit"] = {}
    run(paid, tmp_path / "one")
    with (tmp_path / "people.csv").open("a") as file:
        file.write("999,f,n,9\n")
    with pytest.raises(DataChangedError, match="'v1 "):
        run(paid, tmp_path / "two")
    paid["tables"] = [{"name": "other", "dimensions": ["side"], "margins": "all"}]
    with pytest.raises(DataChangedError):  # the total was released before
        run(paid, tmp_path / "two")
    assert spent(tmp_path) == 2
    assert not (tmp_path / "two").exists()
    run({**paid, "version": "v2"}, tmp_path / "two")
    assert spent(tmp_path) == 4


def test_changed_data_are_refused_in_whatever_table_a_cell_is_released_again(
    paid: dict[str, Any], tmp_path: Path
) -> None:
    """A refused run leaves nothing behind that would refuse the right data later."""
    paid["unit"] = {}
    original = (tmp_path / "people.csv").read_text()
    paid["tables"] = [{"name": "t", "dimensions": ["sex", "side"]}]
    run(paid, tmp_path / "one")
    (tmp_path / "people.csv").write_text(original + "999,f,n,9\n")
    transposed = {**paid, "tables": [{"name": "t", "dimensions": ["side", "sex"]}]}
    more = {**paid, "tables": [{"name": "u", "dimensions": ["side"]}, {"name": "t", "dimensions": ["side", "sex"]}]}
    for spec in (transposed, more):
        with pytest.raises(DataChangedError):
            run(spec, tmp_path / "two")
    assert spent(tmp_path) == 1
    (tmp_path / "people.csv").write_text(original)
    run(more, tmp_path / "two")
    assert spent(tmp_path) == 2


def test_units_of_a_release_that_fails_before_the_draw_are_given_back(paid: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "people.csv").unlink()
    with pytest.raises(InputError):
        run(paid, tmp_path / "out")
    assert spent(tmp_path) == 0


def test_the_secret_must_be_the_ledgers(paid: dict[str, Any], tmp_path: Path) -> None:
    secrets.new_secret(tmp_path / "other.key")
    with pytest.raises(LedgerError, match=r"town\.ledger .*secret"):
        run({**paid, "secret": {"file": str(tmp_path / "other.key")}}, tmp_path / "out")


@pytest.mark.parametrize("stage", STAGES)
def test_a_process_that_is_killed_leaves_no_folder_and_is_completed(
    paid: dict[str, Any], tmp_path: Path, stage: str
) -> None:
    """After the process is killed at any stage, a second run pays once and leaves a folder that verifies."""
    script = f"""
import os, signal
from unittest import mock
from discreet.release import run
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
with mock.patch({stage!r}, die):
    run({paid!r}, {str(tmp_path / "out")!r})
"""
    process = subprocess.run([sys.executable, "-c", script], check=False, env={**os.environ}, capture_output=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    assert not (tmp_path / "out").exists()
    run(paid, tmp_path / "out")
    assert spent(tmp_path) == 2
    verify_folder(tmp_path / "out")
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []

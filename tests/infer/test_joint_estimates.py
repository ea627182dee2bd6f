"""Counts, sums, changes and shares from all measurements of a folder together."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.infer.release_folder import FolderReader
from discreet.publish.verify_folder import MeasuredFolder, verify_folder
from tests.infer.published import publish, rows

TRUTH = np.array([[0, 3, 0, 400], [40, 25, 3, 0], [7, 0, 60, 11]])
"""Counts of three districts (and of `_other`, nobody) by sex, with a category more for `_other`."""

RUNS = 80


@pytest.fixture(scope="module")
def planned() -> MeasuredFolder:
    """A plan of a table with all margins, of which two groupings are measured with different noise."""
    geometric = {"name": "geometric", "epsilon": "0.4"}
    spec = {
        "version": "1",
        "source": {"csv": "people.csv"},
        "dimensions": {
            "district": {"column": "d", "categories": ["n", "s"]},
            "sex": {"column": "s", "categories": ["f", "m", "x"]},
        },
        "tables": [{"name": "people", "dimensions": ["district", "sex"], "margins": "all"}],
        "measure": [
            {"table": "people", "design": geometric},
            {"table": "people", "margin": ["sex"], "design": geometric | {"epsilon": "0.2"}},
        ],
        "budget": {"epsilon": 5, "delta": "1e-6"},
        "key": "fresh",
    }
    plan = dc.release.plan(spec)
    return MeasuredFolder(Path("simulated"), plan, (None,) * len(plan.layout.groupings))


def drawn(planned: MeasuredFolder, rng: np.random.Generator, version: str = "1") -> FolderReader:
    """Return a folder with fresh measurements of the true counts."""
    plan = planned.plan
    measurements: list[Any] = []
    for index, grouping in enumerate(plan.layout.groupings):
        ptable = plan.ptable_of(index)
        if ptable is None:
            measurements.append(None)
            continue
        row = ptable.interior[0]
        chances = np.array(row.weights, dtype=np.float64) / ptable.table.total
        noise = rng.choice(len(chances), grouping.shape, p=chances) + row.first
        measurements.append((TRUTH if len(grouping.axes) == 2 else TRUTH.sum(axis=0)) + noise)
    spec = plan.spec.model_copy(update={"version": version})
    return FolderReader(replace(planned, plan=replace(plan, spec=spec), measurements=tuple(measurements)))


def test_intervals_are_those_of_the_published_tables(folder_path: Path, reader: FolderReader) -> None:
    """Published intervals are widened to the published count."""
    published = verify_folder(folder_path).published
    ends = published.joint.ends(published.measurements)
    cells = [row for row in rows(reader.csv()) if row["table"] == "people"]
    [_, indices] = next(table for table in published.plan.layout.tables if table[0].name == "people")
    expected = np.concatenate([np.stack([ends[index][0].ravel(), ends[index][1].ravel()]) for index in indices], axis=1)
    assert [[int(row["low"]) for row in cells], [int(row["high"]) for row in cells]] == expected.tolist()
    for row, (low, high) in zip(rows((folder_path / "people.intervals.csv").read_text()), expected.T, strict=True):
        assert (int(row["low"]), int(row["high"])) == (min(low, int(row["count"])), max(high, int(row["count"])))


def test_cells_that_are_not_measured_have_intervals_and_no_measurement(planned: MeasuredFolder) -> None:
    reader = drawn(planned, np.random.default_rng(1))
    cells = rows(reader.csv())
    assert len(cells) == 12 + 3 + 4 + 1
    assert [row["measured"] == "" for row in cells] == [False] * 12 + [True] * 3 + [False] * 4 + [True]
    assert all(int(row["low"]) <= int(row["most_likely"]) <= int(row["high"]) for row in cells)
    assert [row for row in rows(reader.csv(prior="poisson:20")) if row["measured"] == ""] == []


def test_intervals_of_cells_sums_changes_and_shares_hold_the_truth(planned: MeasuredFolder) -> None:
    """Below 86% by chance once in 1,000, for a chance of 95%."""
    rng = np.random.default_rng(7)
    north_and_men = TRUTH[0].sum() + TRUTH[1, 1]
    inside = dict.fromkeys(("sum", "change", "share", "small share", "total"), 0)
    for _ in range(RUNS):
        now, before = drawn(planned, rng, "2"), drawn(planned, rng)
        low, high = now.total(["district=n", "district=s,sex=m"]).interval()
        inside["sum"] += low <= north_and_men <= high
        low, high = now.total("").interval()
        inside["total"] += low <= TRUTH.sum() <= high
        low, high = now.total_change(before, ["sex=m", "district=_other,sex=f"]).interval()
        inside["change"] += low <= 0 <= high
        share = now.share("district=n")
        inside["share"] += share.low <= TRUTH[0].sum() / TRUTH.sum() <= share.high
        share = now.share("district=n,sex=m")
        inside["small share"] += share.low <= 3 / TRUTH.sum() <= share.high
    assert all(number >= 0.86 * RUNS for number in inside.values()), inside


def test_changes_of_all_cells_are_differences_of_estimates(planned: MeasuredFolder) -> None:
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(20):
        now, before = drawn(planned, rng, "2"), drawn(planned, rng)
        changes = rows(now.changes(before))
        assert len(changes) == 20
        held += sum(int(row["low"]) <= 0 <= int(row["high"]) for row in changes)
        single = now.total_change(before, ["district=n,sex=f"])
        assert (int(changes[0]["low"]), int(changes[0]["high"])) == single.interval()
    assert 0.92 * 400 <= held <= 0.99 * 400


def test_a_sum_of_cells_is_no_wider_than_its_margin_and_has_the_same_estimate(planned: MeasuredFolder) -> None:
    reader = drawn(planned, np.random.default_rng(3))
    margin = reader.total(["district=n"])
    cells = reader.total(["district=n,sex=f", "district=n,sex=m", "district=n,sex=x", "district=n,sex=_other"])
    assert cells.interval() == margin.interval()
    assert cells.estimated is not None
    assert margin.estimated is not None
    assert cells.estimated.value == pytest.approx(margin.estimated.value, abs=1e-9)
    assert cells.mean() == pytest.approx(margin.mean())
    assert reader.cells_used(["district=n"]) == [(1, ("district",))]


def test_posteriors_far_above_0_are_centred_on_the_estimate(planned: MeasuredFolder) -> None:
    reader = drawn(planned, np.random.default_rng(4))
    count = reader.total("")
    assert count.estimated is not None
    assert count.mean() == pytest.approx(count.estimated.value, abs=0.01)
    assert count.variance() == pytest.approx(count.estimated.law.deviation**2, rel=0.02)
    with pytest.raises(ParameterError, match=r"0\.9999"):
        count.interval("0.99999")


def test_a_release_with_counts_from_elsewhere_keeps_the_intervals_of_single_measurements(tmp_path: Path) -> None:
    folder = publish(tmp_path, "1", fixed=[{"where": {"district": "w", "sex": "_other"}, "count": 0}])
    reader = dc.infer.folder(folder)
    table = reader.release.plan.ptable
    for row in rows(reader.csv(table="people")):
        assert (int(row["low"]), int(row["high"])) == dc.infer.posterior(table, int(row["measured"])).interval()

"""The interval beside each published count: exact ends, the truth inside, and no count outside."""

import json
import shutil
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.certify import folder as second_checker
from discreet.certify.ptable import PTable
from discreet.errors import CertificateError, FixedCountWarning
from discreet.publish.cell_intervals import NO_END, own_intervals
from discreet.publish.manifest import digest
from discreet.publish.reachable import is_reachable
from discreet.publish.verify_folder import verify_folder
from tests import manifests
from tests.certify.released import KINDS, Forger, forged, released

FORMAT_1 = Path(__file__).with_name("format_1")

DESIGNS: dict[str, dict[str, Any]] = {
    "geometric": {"epsilon": "0.5"},
    "gaussian": {"sigma2": 30},
    "maxent": {"support": 12, "variance": 20},
    "bounded": {"epsilon": 1, "eta": "0.2", "support": 6},
    "staircase": {"epsilon": "0.5", "sensitivity": 2},
}


def certified(name: str) -> PTable:
    mechanism = getattr(dc.design, name)(**DESIGNS[name])
    table: PTable = mechanism.certify(1 if name in ("gaussian", "maxent") else None)
    return table


def possible(table: PTable, first: int, last: int) -> Any:
    """Return the measurements between two numbers that the table can give."""
    numbers = np.arange(first, last)
    return numbers[is_reachable(table.table, numbers)]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("released")


@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_of_measurements_above_0_are_the_credible_intervals_of_infer(name: str) -> None:
    table = certified(name)
    measurements = possible(table, 1, 400)
    own, credible = own_intervals(table.table, [measurements])[0], dc.infer.intervals(table, measurements)
    np.testing.assert_array_equal(own.low, credible.low)
    np.testing.assert_array_equal(own.high, credible.high)


@pytest.mark.parametrize("name", DESIGNS)
def test_an_interval_that_begins_at_0_is_not_shorter_than_half_an_interval_far_above_0(name: str) -> None:
    table = certified(name)
    measurements = possible(table, -2000, 400)
    own = own_intervals(table.table, [measurements])[0]
    half = -(-(own.high[-1] - own.low[-1]) // 2)
    assert half > 0
    assert own.high[own.low == 0].min() >= half


def test_an_interval_that_reaches_the_end_of_the_noise_has_no_end() -> None:
    table = dc.design.geometric(epsilon=1, upper=20).certify()
    own = own_intervals(table.table, [np.arange(21)])[0]
    credible = dc.infer.intervals(table, np.arange(21))
    np.testing.assert_array_equal(own.high == NO_END, credible.open_end)
    np.testing.assert_array_equal(own.high[~credible.open_end], credible.high[~credible.open_end])


@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_hold_the_truth_with_a_chance_of_95_percent_on_average_over_counts(name: str) -> None:
    table = certified(name)
    assert _average_coverage(table, range(200)) >= Fraction(95, 100)


def _average_coverage(table: PTable, counts: range) -> Fraction:
    """Return the exact chance that the interval of a measurement holds its count, averaged over counts."""
    covered = 0
    for count in counts:
        row = table.table.row(count)
        outputs = np.arange(row.first, row.first + len(row.weights))
        chosen = [index for index, weight in enumerate(row.weights) if weight]
        own = own_intervals(table.table, [outputs[chosen]])[0]
        covered += sum(
            row.weights[index]
            for index, low, high in zip(chosen, own.low.tolist(), own.high.tolist(), strict=True)
            if low <= count <= high
        )
    return Fraction(covered, len(counts) * table.table.total)


def test_published_intervals_of_simulated_releases_hold_the_truth_with_a_chance_of_95_percent(tmp_path: Path) -> None:
    rng = np.random.default_rng(15)
    places, sexes = rng.choice(6, 4000, p=[0.5, 0.3, 0.1, 0.07, 0.02, 0.01]), rng.integers(0, 2, 4000)
    rows = "".join(f"p{place},{'fm'[sex]}\n" for place, sex in zip(places, sexes, strict=True))
    (tmp_path / "people.csv").write_text("place,sex\n" + rows)
    truth = {
        (place, sex): sum(
            1 for p, s in zip(places, sexes, strict=True) if place in ("_total", f"p{p}") and sex in ("_total", "fm"[s])
        )
        for place in [*(f"p{k}" for k in range(6)), "_other", "_total"]
        for sex in ["f", "m", "_other", "_total"]
    }
    spec = {
        "version": "1",
        "source": {"csv": str(tmp_path / "people.csv")},
        "dimensions": {
            "place": {"column": "place", "categories": [f"p{k}" for k in range(6)]},
            "sex": {"column": "sex", "categories": ["f", "m"]},
        },
        "tables": [{"name": "t", "dimensions": ["place", "sex"], "margins": "all"}],
        "design": {"name": "geometric", "epsilon": "0.5"},
        "budget": {"epsilon": 2, "delta": "1e-6"},
        "key": "fresh",
    }
    inside = []
    for run in range(20):
        folder = dc.release.run(spec, tmp_path / f"released-{run}").folder
        head, *lines = (folder / "t.intervals.csv").read_text().splitlines()
        assert head == "place,sex,count,low,high"
        for line in lines:
            place, sex, count, low, high = line.split(",")
            assert int(low) <= int(count) <= int(high)
            inside.append(int(low) <= truth[place, sex] <= int(high))
    assert np.mean(inside) >= 0.92  # cells share measurements: with chance of its own, the share was 93.4% once


@pytest.mark.parametrize("kind", KINDS)
def test_every_published_count_lies_inside_its_interval(kind: str, directory: Path) -> None:
    published = verify_folder(released(directory, kind)).published
    for tables, ends in zip(published.tables, published.intervals, strict=True):
        for counts, interval in zip(tables, ends, strict=True):
            assert (interval.low >= 0).all()
            assert ((interval.low <= counts) & ((counts <= interval.high) | (interval.high == NO_END))).all()


def test_a_fixed_count_is_its_own_interval(directory: Path) -> None:
    published = verify_folder(released(directory, "counts from elsewhere")).published
    ends = {grouping.shape: pair for (grouping, *pair) in _by_grouping(published)}
    assert (ends[()][0].item(), ends[()][1].item()) == (600, 600)
    cells, (low, high) = (0, 2), ends[(4, 4)]
    assert (low[cells], high[cells]) == (0, 0)
    assert (high > low).sum() == low.size - 1


def _by_grouping(published: Any) -> list[tuple[Any, Any, Any]]:
    layout = published.plan.layout
    return [
        (layout.groupings[index], ends.low, ends.high)
        for index, ends in zip(layout.tables[0][1], published.intervals[0], strict=True)
    ]


def test_an_interval_is_widened_to_a_published_count_outside(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FixedCountWarning)
        folder = released(tmp_path, "clamped, with counts from elsewhere")
    published = verify_folder(folder).published
    own = own_intervals(published.plan.ptable.table, [part for part in published.measurements if part is not None])
    for index, ends, counts in zip(
        published.plan.layout.tables[0][1], published.intervals[0], published.tables[0], strict=True
    ):
        free = ends.high > ends.low
        assert (ends.low[free] == np.minimum(own[index].low, counts)[free]).all()
        assert (ends.high[free] == np.maximum(own[index].high, counts)[free]).all()


def narrower(column: int, by: int) -> Any:
    def change(forger: Forger) -> None:
        def shift(rows: list[list[str]]) -> None:
            rows[1][column] = str(int(rows[1][column]) + by)

        forger.rows("t.intervals.csv", shift)

    return change


@pytest.mark.parametrize(("column", "by"), [(-2, 1), (-2, -1), (-1, 1), (-1, -1), (-1, -1000)])
def test_both_checkers_refuse_an_interval_with_another_end(
    column: int, by: int, directory: Path, tmp_path: Path
) -> None:
    path = forged(directory, tmp_path, "plain", narrower(column, by))
    with pytest.raises(CertificateError) as caught:
        verify_folder(path)
    assert caught.value.failures == ("t.intervals.csv: is not what the measurements make",)
    assert [line.split(":")[0] for line in second_checker.check(path).failures] == ["intervals"]


def test_both_checkers_refuse_a_changed_interval_in_json_stat(directory: Path, tmp_path: Path) -> None:
    def change(forger: Forger) -> None:
        path = forger.path / "t.json"
        document = json.loads(path.read_bytes())
        document["value"][1] -= 1
        path.write_text(json.dumps(document, separators=(",", ":")) + "\n")

    path = forged(directory, tmp_path, "three dimensions, two formats", change)
    with pytest.raises(CertificateError, match=r"t\.json"):
        verify_folder(path)
    assert second_checker.check(path).failures


@pytest.mark.parametrize("name", ["crossed", "contributors"])
def test_folders_of_version_1_still_verify(name: str) -> None:
    verified = verify_folder(FORMAT_1 / name)
    assert set(verified.not_replayed) <= {"report.html"}
    assert second_checker.check(FORMAT_1 / name).failures == []


def test_folders_that_name_filters_in_the_report_only_still_verify() -> None:
    path = Path(__file__).parent / "format_5" / "crossed"
    assert set(verify_folder(path).not_replayed) <= {"report.html"}
    assert second_checker.check(path).failures == []


@pytest.mark.parametrize("name", ["format_2/crossed", "format_3/noises"])
def test_folders_with_intervals_of_single_measurements_still_verify(name: str) -> None:
    """Versions 2 and 3: everything but the report is made again byte for byte."""
    path = Path(__file__).parent / name
    verified = verify_folder(path)
    assert set(verified.not_replayed) <= {"report.html"}
    assert second_checker.check(path).failures == []
    published = verified.published
    for intervals, (_, indices) in zip(published.intervals, published.plan.layout.tables, strict=True):
        for ends, index in zip(intervals, indices, strict=True):
            numbers, ptable = published.measurements[index], published.plan.ptable_of(index)
            if numbers is not None and ptable is not None:
                own = own_intervals(ptable.table, [numbers])[0]
                assert (ends.low <= own.low).all()
                assert (ends.high >= own.high).all()


def test_a_folder_of_version_1_with_another_count_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "crossed"
    shutil.copytree(FORMAT_1 / "crossed", path)
    file = path / "people.csv"
    head, first, *rest = file.read_text().splitlines(keepends=True)
    file.write_text(head + first.replace(",", ",", 1).rstrip("\n") + "9\n" + "".join(rest))
    document = json.loads((path / "manifest.json").read_bytes())
    document["files"]["people.csv"] = digest(file.read_bytes())
    (path / "manifest.json").write_bytes(manifests.written(document))
    with pytest.raises(CertificateError, match=r"people\.csv"):
        verify_folder(path)
    assert second_checker.check(path).failures

"""Releases whose groupings have different noise, or are not measured: right, verified, and paid for."""

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.stats import binom
from typer.testing import CliRunner

import discreet as dc
from discreet.certify import folder as independent
from discreet.cli import app
from discreet.errors import CertificateError, DataChangedError, FixedCountWarning, ParameterError, ReleaseError
from discreet.measure import lookup
from discreet.publish.cell_intervals import least_squares_intervals
from discreet.publish.planned_release import describe
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from tests.publish.changed import Copy
from tests.publish.pending.kept import nothing_is_drawn, refuse
from tests.system import noises
from tests.system.noises import RELEASES, entry, geometric


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.filterwarnings(f"ignore::{FixedCountWarning.__module__}.{FixedCountWarning.__name__}")
def test_a_release_is_right_and_both_checkers_prove_it(name: str, tmp_path: Path) -> None:
    release = run(noises.spec(tmp_path, name, outputs=["csv", "json-stat", "sdmx-csv"]), tmp_path / "out")
    assert verify_folder(tmp_path / "out").other_software is None
    report = independent.check(tmp_path / "out")
    assert {finding.verdict for finding in report.findings} == {"proved"}, report.failures
    layout, true, plan = release.plan.layout, noises.truth(release), release.published.table_plan
    exact = plan.exact_deviations()
    for (_, indices), counts, ends in zip(
        layout.tables, release.published.tables, release.published.intervals, strict=True
    ):
        for index, numbers, interval in zip(indices, counts, ends, strict=True):
            errors = numbers - true[index]
            cells = layout.groupings[indices[0]].size // errors.size  # a margin that is not measured is their sum
            largest = math.sqrt(max(plan.noise_variances) * cells)
            limit = exact[index].largest if index in exact else largest
            assert numbers.min() >= 0
            spread = 1 + 3 / math.sqrt(errors.size) + 6 / errors.size  # one cell may be 10 deviations off
            assert math.sqrt(float(np.mean(errors**2))) <= limit * spread + 1
            held = (interval.low <= true[index]) & ((true[index] <= interval.high) | (interval.high == -1))
            assert (~held).sum() <= binom.isf(1e-6, held.size, 0.05)
        if plan.parts:
            finest = dict(zip(indices, counts, strict=True))
            assert {int(numbers.sum()) for numbers in finest.values()} == {int(counts[0].sum())}


@pytest.mark.parametrize("name", ["a cube with two noises", "a hierarchy whose total is not measured", "bells"])
def test_intervals_of_margins_that_are_not_measured_hold_the_truth(name: str, tmp_path: Path) -> None:
    """Over repeated draws, at least 95% of the intervals of each such margin hold the true count."""
    release = run(noises.spec(tmp_path, name), tmp_path / "out")
    plan, table_plan, noise = release.plan, release.published.table_plan, release.published.noise
    true, counts = noises.truth(release), noises.counts_of_cells(release)
    held: dict[int, list[float]] = {}
    for _ in range(60):
        fitted = table_plan.fitted(plan.measured.by_grouping(lookup.measure(plan, counts, None)))
        for index, ends in least_squares_intervals(table_plan, noise, fitted).items():
            held.setdefault(index, []).append(float(np.mean((ends.low <= true[index]) & (true[index] <= ends.high))))
    assert sorted(held) == [index for index, table in enumerate(plan.measured.noise_of) if table is None]
    assert min(np.mean(chances) for chances in held.values()) >= 0.95


@pytest.mark.parametrize(("cells", "total"), [("0.9", "0.05"), ("0.05", "0.9")])
def test_a_total_rests_on_what_is_measured_best(cells: str, total: str, tmp_path: Path) -> None:
    """Its mean square error is at most twice the variance of least squares that knows the noise of both."""
    measure = [entry("people", geometric(cells)), entry("people", geometric(total), [])]
    release = run(noises.spec(tmp_path, "bells", tables=noises.TWO[:1], measure=measure))
    plan, true = release.plan, noises.truth(release)
    index = next(index for index, numbers in enumerate(true) if numbers.size == 1)
    errors = []
    for _ in range(60):
        measurements = plan.measured.by_grouping(lookup.measure(plan, noises.counts_of_cells(release), None))
        (fitted,) = release.published.table_plan.fitted(measurements)
        errors.append(int(fitted.counts[index].sum() - true[index].sum()))
    by_cells, by_total = (2 * math.exp(x) / math.expm1(x) ** 2 for x in (float(cells), float(total)))
    by_cells *= max(numbers.size for numbers in true)
    assert np.mean(np.square(errors)) < 2 / (1 / by_cells + 1 / by_total) + 1


def test_measurements_have_measured_groupings_only(tmp_path: Path) -> None:
    release = run(noises.spec(tmp_path, "a cube with two noises"), tmp_path / "out")
    rows = (tmp_path / "out" / "measurements.csv").read_text().splitlines()[1:]
    names = dict.fromkeys(row.split(",")[0] for row in rows)
    assert list(names) == ["people: sex by age by place", "people: sex by age", "people: place"]
    assert len(rows) == release.cells == 3 * 5 * 8 + 3 * 5 + 8
    assert [part is None for part in release.measurements] == [False, False, True, True, True, True, False, True]
    assert [entry["ptable"] is None for entry in release.manifest["groupings"]] == [
        part is None for part in release.measurements
    ]
    assert sorted(path.name for path in (tmp_path / "out" / "certificates").iterdir()) == ["1.json", "2.json"]
    assert release.manifest["version"] == 7
    assert len(release.ptables) == 2


def test_a_list_of_all_groupings_with_one_noise_draws_the_same(tmp_path: Path) -> None:
    """Keys depend on the integers of the table alone, however groupings are listed."""
    plain = noises.spec(tmp_path, "measurements as they are", measure="published", design=geometric("0.2"))
    listed = plain | {
        "measure": [entry("people", None, margin) for margin in (None, ["sex"], ["age"], [])],
    }
    first, second = run(plain, tmp_path / "plain"), run(listed, tmp_path / "listed")
    assert [part.tolist() for part in first.measurements] == [part.tolist() for part in second.measurements]
    assert (first.manifest["version"], second.manifest["version"]) == (6, 7)
    assert (tmp_path / "listed" / "certificate.json").exists()
    assert first.promise == second.promise


def swap(copy: Copy) -> None:
    first, second = (copy.folder / "certificates" / f"{number}.json" for number in (1, 2))
    contents = first.read_bytes(), second.read_bytes()
    second.write_bytes(contents[0])
    first.write_bytes(contents[1])


def swap_everywhere(copy: Copy) -> None:
    swap(copy)
    entries = copy.manifest["certificates"]
    for name in ("ptable", "touches"):
        entries[0][name], entries[1][name] = entries[1][name], entries[0][name]


def another_table(copy: Copy) -> None:
    copy.manifest["groupings"][1]["ptable"] = copy.manifest["certificates"][0]["ptable"]


def not_measured(copy: Copy) -> None:
    copy.manifest["groupings"][1]["ptable"] = None


def drop(copy: Copy) -> None:
    (copy.folder / "certificates" / "2.json").unlink()
    del copy.manifest["files"]["certificates/2.json"]


def forget(copy: Copy) -> None:
    drop(copy)
    del copy.manifest["certificates"][1]


def understate(copy: Copy) -> None:
    for name in ("delta", "floor"):
        composed = copy.manifest["privacy"]["composed"]
        composed[name] = repr(float(composed[name]) * 0.5)


def understate_epsilon(copy: Copy) -> None:
    copy.manifest["spec"]["budget"]["epsilon"] = copy.manifest["privacy"]["composed"]["epsilon"] = "0.9"


def fewer_touches(copy: Copy) -> None:
    copy.manifest["privacy"]["touches"] = 2


def fewer_touches_of_a_table(copy: Copy) -> None:
    copy.manifest["certificates"][1]["touches"] = 1


def one_cell(copy: Copy) -> None:
    copy.manifest["privacy"]["cell"]["epsilon"] = "0.3"


def version(copy: Copy) -> None:
    copy.manifest["version"] = 2


def more_files(copy: Copy) -> None:
    shutil.copy(copy.folder / "certificates" / "1.json", copy.folder / "certificates" / "3.json")


def unlisted(copy: Copy) -> None:
    del copy.manifest["spec"]["measure"][2]


def planned_again(copy: Copy) -> None:
    copy.manifest["spec"]["measure"] = "plan"


def empty_digest(copy: Copy) -> None:
    copy.manifest["groupings"][0]["ptable"] = ""


TAMPERED = [
    swap, swap_everywhere, another_table, not_measured, drop, forget, understate, understate_epsilon, fewer_touches,
    fewer_touches_of_a_table, one_cell, version, more_files, unlisted, planned_again, empty_digest,
]  # fmt: skip


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("several")
    run(noises.spec(folder, "a cube with two noises"), folder / "out")
    return folder / "out"


def refused_by_both(folder: Path) -> None:
    assert independent.check(folder).failures
    with pytest.raises(dc.DiscreetError):
        verify_folder(folder)


@pytest.mark.parametrize("change", TAMPERED, ids=lambda change: change.__name__)
def test_both_checkers_refuse_a_changed_folder(change: Callable[[Copy], None], released: Path, tmp_path: Path) -> None:
    shutil.copytree(released, tmp_path / "copy")
    copy = Copy(tmp_path / "copy")
    change(copy)
    copy.sign()
    refused_by_both(copy.folder)


def test_a_measurement_beyond_its_own_noise_is_refused_even_if_another_noise_reaches_it(tmp_path: Path) -> None:
    """Noise of epsilon 2 ends long before noise of epsilon .05 does."""
    measure = [entry("people", geometric("2")), entry("people", geometric("0.05"), ["sex"])]
    budget = {"epsilon": 3, "delta": "1e-6"}
    release = run(
        noises.spec(tmp_path, "measurements as they are", reconcile="auto", measure=measure, budget=budget),
        tmp_path / "out",
    )
    little, much = (-ptable.interior[0].first for ptable in release.ptables)
    for value in (-little - 1, -much - 1):
        shutil.copytree(tmp_path / "out", tmp_path / f"copy {value}")
        copy = Copy(tmp_path / f"copy {value}")
        file = copy.folder / "measurements.csv"
        rows = file.read_text().splitlines()
        rows[1] = ",".join([*rows[1].split(",")[:-1], str(value)])
        file.write_text("\n".join(rows) + "\n")
        copy.sign()
        failures = independent.check(copy.folder).failures
        assert any("measurements.csv" in line and str(value) in line for line in failures)
        with pytest.raises(CertificateError, match=str(value)):
            verify_folder(copy.folder)


def test_a_link_in_place_of_the_certificates_is_refused(released: Path, tmp_path: Path) -> None:
    shutil.copytree(released, tmp_path / "copy")
    (tmp_path / "copy" / "certificates").rename(tmp_path / "elsewhere")
    (tmp_path / "copy" / "certificates").symlink_to(tmp_path / "elsewhere")
    refused_by_both(tmp_path / "copy")


@pytest.mark.parametrize("key", ["query", "fresh"])
def test_a_release_that_failed_after_the_draw_goes_on_with_all_its_noises(key: str, tmp_path: Path) -> None:
    spec = noises.spec(tmp_path, "two tables with four noises", key=key)
    kept = refuse(spec, tmp_path / "out")
    with nothing_is_drawn():
        release = run(spec | {"tables": [*spec["tables"][::-1]]}, tmp_path / "out")
    distinct = np.concatenate([np.ravel(part) for part in release.measurements if part is not None])
    assert sorted(kept["measurements"]) == sorted(distinct[_first(release)].tolist())
    verify_folder(tmp_path / "out")
    assert not independent.check(tmp_path / "out").failures


def _first(release: Any) -> Any:
    """Return the positions of measured cells where they first occur, over all measured groupings."""
    cells = np.concatenate([indices for indices in release.plan.measured.indices if indices is not None])
    return np.unique(cells, return_index=True)[1]


def test_another_noise_under_one_label_is_refused_as_it_would_be_another_draw(tmp_path: Path) -> None:
    """A grouping whose noise stays has the same measurements; one with other noise has others."""
    spec = noises.spec(tmp_path, "a cube with two noises")
    first = run(spec, tmp_path / "one")
    spec["measure"][1] = entry("people", geometric("0.29"), ["sex", "age"])
    with pytest.raises(ReleaseError, match=r"15 cells .* drawn before"):
        run(spec, tmp_path / "two")
    (tmp_path / "secret.key.memory").unlink()  # nothing shows that a memory was lost
    second = run(spec, tmp_path / "two")
    assert (first.measurements[0] == second.measurements[0]).all()
    assert (first.measurements[6] == second.measurements[6]).all()
    assert (first.measurements[1] != second.measurements[1]).any()


def test_changed_data_under_one_label_are_noticed_for_every_noise(tmp_path: Path) -> None:
    spec = noises.spec(tmp_path, "a cube with two noises")
    run(spec, tmp_path / "one")
    with (tmp_path / "people.csv").open("a") as file:
        file.write("one more,f,a,p1\n")
    with pytest.raises(DataChangedError):
        run(spec, tmp_path / "two")


def test_a_ledger_is_charged_for_all_noises_of_one_person_and_only_once(tmp_path: Path) -> None:
    budget = {"epsilon": "1.3", "delta": "1e-6"}
    spec = noises.spec(tmp_path, "a cube with two noises", ledger=str(tmp_path / "ledger"), budget=budget)
    secret = bytes.fromhex((tmp_path / "secret.key").read_text().strip())
    unit = dc.design.geometric(epsilon="0.1").certify()
    ledger = dc.account.Ledger.open(tmp_path / "ledger", unit=unit, epsilon=20, delta="1e-6", secret=secret)
    planned = describe(dc.release.plan(spec))
    first = run(spec, tmp_path / "one")
    much, little = first.ptables  # one cell of epsilon .4, two of epsilon .3
    expected = ledger.cost([(much, 1), (little, 2)])
    assert expected >= 10
    assert planned.charge is not None
    assert planned.charge.units == first.manifest["ledger"]["units"] == expected == ledger.show().spent
    assert run(spec, tmp_path / "again").manifest == first.manifest
    assert ledger.show().spent == expected
    spec["measure"].append(entry("people", geometric("0.2"), ["age"]))
    more = run(spec, tmp_path / "more")
    assert more.manifest["ledger"]["units"] == ledger.cost([(more.ptables[-1], 1)])
    spec["measure"][-1] = entry("people", geometric("0.3"), ["age"])  # other noise for the same cells is paid again
    assert run(spec, tmp_path / "other").manifest["ledger"]["units"] == ledger.cost([(little, 1)])


def test_a_ledger_charges_what_the_most_exposed_person_costs(tmp_path: Path) -> None:
    """Women are in one cell of epsilon .9, men in two of .1."""
    tables = [
        {"name": "women", "dimensions": [], "filter": {"sex": ["f"]}},
        {"name": "men", "dimensions": ["age"], "margins": "all", "filter": {"sex": ["m"]}},
    ]
    measure = [entry("women", geometric("0.9")), entry("men", geometric("0.1")), entry("men", geometric("0.1"), [])]
    spec = noises.spec(tmp_path, "bells", tables=tables, measure=measure, ledger=str(tmp_path / "ledger"))
    secret = bytes.fromhex((tmp_path / "secret.key").read_text().strip())
    unit = dc.design.geometric(epsilon="0.1").certify()
    ledger = dc.account.Ledger.open(tmp_path / "ledger", unit=unit, epsilon=20, delta="1e-6", secret=secret)
    release = run(spec, tmp_path / "out")
    little, much = release.ptables
    assert ledger.cost([(much, 2)]) == 2
    assert release.manifest["ledger"]["units"] == ledger.cost([(little, 1)]) >= 9


def test_commands_show_every_noise_and_what_is_not_measured(tmp_path: Path) -> None:
    path, out = tmp_path / "spec.yaml", tmp_path / "out"
    path.write_text(yaml.safe_dump(noises.spec(tmp_path, "a cube with two noises")))
    invoke = CliRunner().invoke
    planned = invoke(app, ["plan", str(path)])
    assert planned.exit_code == 0
    assert planned.output.count("not measured") == 5
    document = json.loads(invoke(app, ["plan", str(path), "--json"]).output)
    assert [noise["touches"] for noise in document["noises"]] == [1, 2]
    assert [grouping["measured"] for grouping in document["groupings"]].count(False) == 5
    assert all(grouping["error_95"] > 0 for grouping in document["groupings"])
    log = tmp_path / "log.json"
    released = invoke(app, ["release", str(path), "-o", str(out), "--log", str(log)])
    assert released.exit_code == 0, released.output
    assert [part["error_of_measurements"] is None for part in json.loads(log.read_text())["groupings"]].count(True) == 5
    verified = invoke(app, ["verify", str(out)])
    assert verified.exit_code == 0
    assert "every claim holds" in verified.output
    rows = invoke(app, ["infer", str(out), "-o", str(tmp_path / "intervals.csv")])
    assert rows.exit_code == 0, rows.output
    assert len((tmp_path / "intervals.csv").read_text().splitlines()) == 1 + (3 + 1) * (5 + 1) * (8 + 1)


def test_sums_of_cells_with_different_noise_are_inferred(tmp_path: Path) -> None:
    """The sum of a place and of an age of another place uses two margins with different noise."""
    release = run(noises.spec(tmp_path, "a cube with two noises"), tmp_path / "out")
    reader = dc.infer.folder(tmp_path / "out")
    true = noises.truth(release)
    mixed = reader.total(["place=p0", "place=p1,sex=f"])
    assert reader.cells_used(["place=p0", "place=p1,sex=f"]) == [(1, ("place",)), (1, ("sex", "place"))]
    exact = int(true[6][0] + true[0][0, :, 1].sum())
    low, high = mixed.interval(0.9999)
    assert low <= exact <= high < low + 200
    assert reader.measurement("sex=f") is None
    low, high = reader.total("sex=f").interval(0.9999)
    assert low <= int(true[4][0]) <= high


def test_a_table_that_is_not_measured_has_intervals_from_the_others(tmp_path: Path) -> None:
    tables = [*noises.CUBE, {"name": "small", "dimensions": ["sex"], "margins": "none"}]
    measure = [entry("people", geometric("0.5"))]
    release = run(noises.spec(tmp_path, "a cube with two noises", tables=tables, measure=measure), tmp_path / "out")
    low, high = dc.infer.folder(tmp_path / "out").total("sex=f", table="small").interval(0.9999)
    assert low <= int(noises.truth(release)[4][0]) <= high < low + 300
    narrow, usual, wide = (release.table("small", level=level, to="arrow") for level in (0.8, 0.95, 0.999))
    for part, whole in ((narrow, usual), (usual, wide)):
        widths = [np.subtract(table["high"], table["low"]).sum() for table in (part, whole)]
        assert widths[0] < widths[1]
    with pytest.raises(ParameterError, match="level"):
        release.table("small", level=1.5)

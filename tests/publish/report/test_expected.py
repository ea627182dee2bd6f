"""The errors that a report states are the errors of repeated releases."""

import json
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import discreet
from discreet.errors import CertificateError, SolverError
from discreet.plan.noise_table import ReleaseNoise
from discreet.plan.release_plan import ReleasePlan, plan_with, resolve
from discreet.publish.folder import Published
from discreet.publish.report.expected import expected
from discreet.publish.verify_folder import verify_folder
from discreet.reconcile.table_plan import TablePlan, make_table_plan
from discreet.release import ReleaseSpec, run
from tests import town

NOISE = discreet.design.geometric(epsilon="0.3").certify()
LEVELS = {"half": {"low": ["0", "1"], "high": ["2", "3", "4"]}}
HALF = [{"dimension": name, "level": "half"} for name in "ab"]


def planned(spec: ReleaseSpec) -> ReleasePlan:
    """Return a plan without a promise."""
    resolved = resolve(spec)
    return plan_with(resolved, ReleaseNoise.of_one_table(resolved.layout, NOISE), None)


def published(tables: list[Any], truth: Any = None) -> tuple[Published, Any]:
    """Return tables made from one draw, and the true count of each distinct cell."""
    spec = ReleaseSpec.model_validate(
        {
            "version": "1",
            "source": {"csv": "x"},
            "dimensions": {
                name: {"column": name, "categories": list("01234"), "levels": LEVELS} for name in ("a", "b", "c")
            },
            "tables": [
                {"name": f"t{index}", "dimensions": axes, "margins": "all"} for index, axes in enumerate(tables)
            ],
            "budget": {"epsilon": 1},
            "key": "fresh",
        }
    )
    plan = planned(spec)
    layout = plan.layout
    if truth is None:
        codes = np.random.default_rng(1).geometric(0.4, (3, 4000)).clip(1, 5) - 1
        truth = np.zeros(len(layout.cells.definitions), dtype=np.int64)
        for grouping, cells in zip(layout.groupings, layout.cells.indices, strict=True):
            cell_index = np.zeros(4000, dtype=np.int64)
            for axis in grouping.axes:
                group = {leaf: index for index, members in enumerate(axis.members) for leaf in members}
                group_of_leaf = np.array([group[leaf] for leaf in range(len(axis.book.leaves))])
                cell_index = cell_index * len(axis.members) + group_of_leaf[codes["abc".index(axis.book.name)]]
            truth[cells] = np.bincount(cell_index, minlength=grouping.size)
    values = plan.measured.by_grouping(np.asarray(NOISE.perturb(truth), dtype=np.int64))
    table_plan = make_table_plan(plan)
    return Published(plan, table_plan, values, table_plan.fitted(values)), truth


@pytest.mark.parametrize("tables", [[["a", "b"], ["b", "c"]], [["a", "b", "c"]], [[HALF[0], "c"], ["a", "b"]], [["a"]]])
def test_stated_errors_are_the_errors_of_repeated_releases(tables: list[Any]) -> None:
    release, truth = published(tables)
    stated = expected(release)
    assert stated.runs
    errors: dict[int, list[Any]] = {}
    for _ in range(60):
        values = release.plan.measured.by_grouping(np.asarray(NOISE.perturb(truth), dtype=np.int64))
        (fit,) = release.table_plan.fitted(values)
        assert fit.free is not None
        for index, cells in enumerate(release.plan.layout.cells.indices):
            true = truth[cells].reshape(release.plan.layout.groupings[index].shape)
            errors.setdefault(index, []).append(
                [np.mean((x - true) ** 2) for x in (fit.free[index], fit.counts[index])]
            )
    for index, errors_stated in stated.of.items():
        observed = np.array(errors[index])
        for column, number in enumerate((errors_stated.least_squares, errors_stated.published)):
            if number is not None:
                uncertain = observed[:, column].std() / np.sqrt(len(observed))
                assert abs(number**2 - observed[:, column].mean()) < 4 * uncertain + 0.25 * number**2, (index, column)


def test_two_dimensions_with_levels_have_no_exact_error() -> None:
    """No formula covers them, so nothing is stated as exact."""
    stated = expected(published([["a", "b"], HALF])[0])
    assert all(errors.least_squares is None for errors in stated.of.values())


def test_tables_that_follow_other_tables_have_no_exact_error() -> None:
    """A filtered table takes its total from the whole table, with the error that the total has there."""
    release, _ = published([["a", "b"]])
    tables = [
        *release.plan.spec.model_dump()["tables"],
        {"name": "f", "dimensions": ["a"], "filter": {"b": ["0", "1"]}},
    ]
    spec = ReleaseSpec.model_validate({**release.plan.spec.model_dump(), "tables": tables})
    plan = planned(spec)
    table_plan = make_table_plan(plan)
    values = plan.measured.by_grouping(np.full(plan.measured.size, 50, dtype=np.int64))
    stated = expected(Published(plan, table_plan, values, table_plan.fitted(values)))
    assert [table_plan.follows(part) for _, part in table_plan.parts] == [False, True]
    for _, part in table_plan.parts:
        for index in part.grouping_indices:
            assert (stated.of[index].least_squares is None) == table_plan.follows(part)


def test_a_total_is_no_better_than_least_squares() -> None:
    release, _ = published([["a", "b"], ["b", "c"]])
    index = next(i for i, grouping in enumerate(release.plan.layout.groupings) if grouping.name == "total")
    fit = expected(release).of[index]
    assert fit.published is not None
    assert fit.least_squares is not None
    assert fit.published**2 == pytest.approx(fit.least_squares**2 + 1 / 12)


def test_a_simulation_that_does_not_converge_is_reported_and_stops_no_release(tmp_path: Path) -> None:
    """The report leaves out one column, report and log give the reason, and `verify` gets the same result."""
    spec = town.settle(tmp_path)
    run(spec, tmp_path / "usual", log=tmp_path / "usual.json")
    with mock.patch.object(TablePlan, "simulated", side_effect=SolverError("least squares did not converge")):
        run(spec, tmp_path / "out", log=tmp_path / "log.json")
        verify_folder(tmp_path / "out")
    usual, report = ((tmp_path / name / "report.html").read_text() for name in ("usual", "out"))
    assert "as published</th>" in usual
    assert "as published</th>" not in report
    assert "of least squares</th>" in report
    assert "could not be simulated" in report
    assert "could not be simulated" not in usual
    assert "expected_errors" not in json.loads((tmp_path / "usual.json").read_text())
    reason = json.loads((tmp_path / "log.json").read_text())["expected_errors"]
    assert reason == "left out of the report, as they could not be simulated: least squares did not converge"
    with pytest.raises(CertificateError, match="report"):
        verify_folder(tmp_path / "out")  # the simulation converges here, so the report should be another

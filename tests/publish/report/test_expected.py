"""The errors that a report states are those that releases have."""

import json
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import discreet
from discreet.errors import CertificateError, SolverError
from discreet.measure import lookup
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
    """Without a promise."""
    return plan_with(resolve(spec), NOISE, None)


def published(tables: list[Any], truth: Any = None) -> tuple[Published, Any]:
    """Tables made from a draw, and the true counts of every distinct cell."""
    spec = ReleaseSpec.model_validate(
        {
            "version": "1",
            "source": {"csv": "x"},
            "dimensions": {
                name: {"column": name, "categories": list("01234"), "levels": LEVELS} for name in ("a", "b", "c")
            },
            "tables": [{"name": f"t{at}", "dimensions": axes, "margins": "all"} for at, axes in enumerate(tables)],
            "budget": {"epsilon": 1},
            "key": "fresh",
        }
    )
    plan = planned(spec)
    layout = plan.layout
    if truth is None:
        codes = np.random.default_rng(1).geometric(0.4, (3, 4000)).clip(1, 5) - 1
        truth = np.zeros(len(layout.cells[0]), dtype=np.int64)
        for grouping, here in zip(layout.groupings, layout.cells[1], strict=True):
            place = np.zeros(4000, dtype=np.int64)
            for side in grouping.axes:
                group = {leaf: at for at, members in enumerate(side.members) for leaf in members}
                to = np.array([group[leaf] for leaf in range(len(side.book.leaves))])
                place = place * len(side.members) + to[codes["abc".index(side.book.name)]]
            truth[here] = np.bincount(place, minlength=grouping.size)
    values = tuple(lookup.by_grouping(layout, np.asarray(NOISE.perturb(truth), dtype=np.int64)))
    table_plan = make_table_plan(plan)
    return Published(plan, table_plan, values, table_plan.fitted(values)), truth


@pytest.mark.parametrize("tables", [[["a", "b"], ["b", "c"]], [["a", "b", "c"]], [[HALF[0], "c"], ["a", "b"]], [["a"]]])
def test_stated_errors_are_those_of_repeated_releases(tables: list[Any]) -> None:
    made, truth = published(tables)
    stated = expected(made)
    assert stated.runs
    errors: dict[int, list[Any]] = {}
    for _ in range(60):
        values = lookup.by_grouping(made.plan.layout, np.asarray(NOISE.perturb(truth), dtype=np.int64))
        (found,) = made.table_plan.fitted(values)
        assert found.free is not None
        for place, here in enumerate(made.plan.layout.cells[1]):
            true = truth[here].reshape(made.plan.layout.groupings[place].shape)
            errors.setdefault(place, []).append(
                [np.mean((x - true) ** 2) for x in (found.free[place], found.counts[place])]
            )
    for place, told in stated.of.items():
        observed = np.array(errors[place])
        for at, number in enumerate((told.least_squares, told.published)):
            if number is not None:
                uncertain = observed[:, at].std() / np.sqrt(len(observed))
                assert abs(number**2 - observed[:, at].mean()) < 4 * uncertain + 0.25 * number**2, (place, at)


def test_no_formula_is_claimed_where_there_is_none() -> None:
    """Two dimensions with levels: what is stated is measured or simulated, and never passed off as exact."""
    stated = expected(published([["a", "b"], HALF])[0])
    assert all(errors.least_squares is None for errors in stated.of.values())


def test_no_formula_is_claimed_for_tables_that_take_counts_over() -> None:
    """A filtered table follows the whole one: its total comes from there, with the error that it has there."""
    made, _ = published([["a", "b"]])
    tables = [*made.plan.spec.model_dump()["tables"], {"name": "f", "dimensions": ["a"], "filter": {"b": ["0", "1"]}}]
    spec = ReleaseSpec.model_validate({**made.plan.spec.model_dump(), "tables": tables})
    plan = planned(spec)
    table_plan = make_table_plan(plan)
    values = tuple(lookup.by_grouping(plan.layout, np.full(len(plan.layout.cells[0]), 50, dtype=np.int64)))
    stated = expected(Published(plan, table_plan, values, table_plan.fitted(values)))
    assert [table_plan.follows(part) for _, part in table_plan.parts] == [False, True]
    for _, part in table_plan.parts:
        for place in part.places:
            assert (stated.of[place].least_squares is None) == table_plan.follows(part)


def test_a_total_is_no_better_than_least_squares() -> None:
    made, _ = published([["a", "b"], ["b", "c"]])
    place = next(at for at, each in enumerate(made.plan.layout.groupings) if each.name == "total")
    found = expected(made).of[place]
    assert found.published is not None
    assert found.least_squares is not None
    assert found.published**2 == pytest.approx(found.least_squares**2 + 1 / 12)


def test_a_simulation_that_does_not_converge_stops_no_release_and_is_told(tmp_path: Path) -> None:
    """The report leaves one column out and says why, the steward's log has the reason, and `verify` finds the same."""
    asked = town.settle(tmp_path)
    run(asked, tmp_path / "usual", log=tmp_path / "usual.json")
    with mock.patch.object(TablePlan, "simulated", side_effect=SolverError("least squares did not converge")):
        run(asked, tmp_path / "out", log=tmp_path / "log.json")
        verify_folder(tmp_path / "out")
    usual, report = ((tmp_path / name / "report.html").read_text() for name in ("usual", "out"))
    assert "as published</th>" in usual
    assert "as published</th>" not in report
    assert "of least squares</th>" in report
    assert "could not be simulated" in report
    assert "could not be simulated" not in usual
    assert "expected_errors" not in json.loads((tmp_path / "usual.json").read_text())
    told = json.loads((tmp_path / "log.json").read_text())["expected_errors"]
    assert told == "left out of the report, as they could not be simulated: least squares did not converge"
    with pytest.raises(CertificateError, match="report"):
        verify_folder(tmp_path / "out")  # the simulation converges here, so the report should be another

"""What a plan says of the errors to expect, against the certified integers and against simulated least squares."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet import design
from discreet.cli import app
from discreet.measure import secrets
from discreet.publish.noise_in_words import error_within
from discreet.publish.plan_in_words import summary
from discreet.publish.planned_release import describe, units_in_words
from discreet.reconcile.table_plan import make_table_plan
from discreet.release import run
from discreet.release.plan_release import plan
from tests.town import settle


def spec(**changes: Any) -> dict[str, Any]:
    return {
        "version": "1",
        "source": {"csv": "no-such-file.csv"},
        "dimensions": {
            "sex": {"column": "sex", "categories": ["f", "m"]},
            "age": {"column": "age", "ranges": {"young": [0, 40], "old": [40, None]}},
        },
        "tables": [{"name": "people", "dimensions": ["sex", "age"], "margins": "all"}],
        "design": {"name": "geometric", "epsilon": "0.25"},
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    } | changes


@pytest.mark.parametrize(
    "ptable",
    [
        design.geometric(epsilon="0.3").certify(),
        design.gaussian(sigma2=50, support=60).certify(epsilon=1, bits=62),
        design.geometric(epsilon="0.7", upper=9).certify(),
    ],
    ids=["geometric", "gaussian", "counts to 9"],
)
def test_the_error_of_a_measurement_is_the_smallest_that_holds_95_percent(ptable: Any) -> None:
    error = error_within(ptable)
    counts = range(10) if ptable.domain.upper is not None else [1000]
    chances = []
    for count in counts:
        row = ptable.table.row(count)
        noise = np.abs(np.arange(row.first, row.first + len(row.weights)) - count)
        weights = np.array(row.weights, dtype=float) / sum(row.weights)
        assert weights[noise <= error].sum() >= 0.95 - 1e-12
        chances.append(weights[noise <= error - 1].sum())
    assert min(chances) < 0.95


def test_the_error_of_least_squares_is_that_of_simulated_measurements() -> None:
    released = plan(spec())
    planned, table_plan = describe(released), make_table_plan(released)
    shapes = [grouping.shape for grouping in released.layout.groupings]
    random = np.random.default_rng(3)
    noise = math.sqrt(table_plan.noise_variances[0])
    runs = [[random.normal(0, noise, shape).round().astype(np.int64) for shape in shapes] for _ in range(400)]
    fits = [table_plan.fitted([np.int64(100_000) * 0 + part for part in run])[0].free for run in runs]
    for index, grouping in enumerate(planned.groupings):
        assert grouping.basis == "law"
        squares = [np.mean(fit[index] ** 2) for fit in fits if fit is not None]
        assert math.sqrt(np.mean(squares)) == pytest.approx(grouping.typical_error, rel=0.06)


def test_the_error_to_expect_is_half_the_width_of_the_published_intervals(tmp_path: Path) -> None:
    """Far above 0 an interval is as wide as the plan says, up to the rounding of its two ends."""
    people = "".join(f"{'fm'[i % 2]},{i % 3},{i % 5}\n" for i in range(9000))
    (tmp_path / "people.csv").write_text("sex,place,age\n" + people)
    names = {"sex": ["f", "m"], "place": ["0", "1", "2"], "age": ["0", "1", "2", "3", "4"]}
    specification = {
        "version": "1",
        "source": {"csv": str(tmp_path / "people.csv")},
        "dimensions": {name: {"column": name, "categories": values} for name, values in names.items()},
        "tables": [
            {"name": "people", "dimensions": ["sex", "place", "age"], "margins": "all"},
            {"name": "women", "dimensions": ["place", "age"], "margins": "all", "filter": {"sex": ["f"]}},
        ],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    }
    for measure in ("plan", "published"):
        release = run(specification | {"measure": measure})
        planned = describe(release.plan).groupings
        for (_, indices), own in zip(release.plan.layout.tables, release.published.intervals, strict=True):
            for index, ends in zip(indices, own, strict=True):
                widths = (ends.high - ends.low)[ends.low > 0]
                assert planned[index].basis == "law"
                assert np.abs(widths / 2 - planned[index].error).max() <= 1


def test_clamped_tables_have_the_error_of_their_measurements() -> None:
    planned = describe(plan(spec(reconcile="none")))
    assert {(grouping.basis, grouping.error) for grouping in planned.groupings} == {
        ("measured", float(error_within(planned.plan.ptable)))
    }


def test_tables_that_no_formula_covers_say_so() -> None:
    planned = describe(plan(spec(fixed=[{"where": {}, "count": 1000}])))
    assert {grouping.basis for grouping in planned.groupings} == {"no formula"}


def test_a_plan_is_short_in_python() -> None:
    planned = describe(plan(spec()))
    assert len(repr(planned)) < 200
    assert len(repr(planned.plan)) < 120
    assert "geometric" in repr(planned.plan)


def test_what_a_ledger_would_be_charged_is_shown_and_nothing_is_reserved(tmp_path: Path) -> None:
    from discreet.account.ledger.ledger import Ledger

    secret = tmp_path / "secret.key"
    secret.write_bytes(bytes(range(32)))
    secret.chmod(0o600)
    unit = design.geometric(epsilon="0.25").certify()
    ledger = Ledger.open(tmp_path / "town", unit=unit, epsilon=4, delta="1e-6", secret=secrets.read_secret(secret))
    before = ledger.head
    released = plan(spec(ledger=str(tmp_path / "town"), secret={"file": str(secret)}))
    charge = describe(released).charge
    assert charge is not None
    assert (charge.units, charge.left, charge.capacity) == (4, ledger.capacity, ledger.capacity)
    assert ledger.head == before


@pytest.mark.parametrize(("epsilon", "is_limited"), [("0.1", True), ("1", False)])
def test_the_error_of_a_plan_stands_beside_that_without_the_units_of_its_ledger(
    tmp_path: Path, epsilon: str, is_limited: bool
) -> None:
    """Ten units of epsilon 0.1 do not pay for one geometric measurement of epsilon 1; one unit of epsilon 1 does."""
    town = settle(tmp_path)
    unit, secret = dc.design.geometric(epsilon=epsilon).certify(), secrets.read_secret(tmp_path / "secret.key")
    dc.account.Ledger.open(tmp_path / "ledger", unit=unit, epsilon=5, delta="1e-5", secret=secret)
    spec = {**town, "design": None, "budget": {"epsilon": 1, "delta": "1e-6"}, "ledger": str(tmp_path / "ledger")}
    planned = describe(dc.release.plan(spec))
    alone = describe(dc.release.plan({**spec, "ledger": None}))
    assert [grouping.unlimited_error for grouping in planned.groupings] == [each.error for each in alone.groupings]
    assert all(grouping.unlimited_error is None for grouping in alone.groupings)
    ratio = sum(grouping.error for grouping in planned.groupings) / sum(each.error for each in alone.groupings)
    assert (ratio > 1.2) == is_limited
    assert "without its limit" in str(units_in_words(planned))
    document = planned.document()
    assert [each["unlimited_error_95"] for each in document["groupings"]] == [each.error for each in alone.groupings]
    runner, file = CliRunner(), tmp_path / "spec.yaml"
    file.write_text(json.dumps(spec))
    assert "without unit" in runner.invoke(app, ["plan", str(file)]).output


def test_leaves_in_no_group_of_a_level_are_named_also_where_only_a_filter_uses_the_level() -> None:
    place = {
        "column": "place",
        "categories": ["a", "b", "c"],
        "levels": {"side": {"north": ["a"]}, "all": {"x": ["a"]}},
    }
    specification = {
        "version": "1",
        "source": {"csv": "people.csv"},
        "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}, "place": place},
        "tables": [
            {"name": "sides", "dimensions": [{"dimension": "place", "level": "side"}]},
            {"name": "sexes", "dimensions": ["sex"], "filter": {"place": ["x"]}},
            {"name": "leaves", "dimensions": ["sex"], "filter": {"place": ["b", "c"]}},
        ],
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    }
    planned = describe(plan(specification))
    leaves = {"dimension": "place", "leaves": ["b", "c"]}
    assert planned.document()["in_no_group"] == [leaves | {"level": "side"}]
    assert planned.document()["outside_filters"] == [leaves | {"table": "sexes", "level": "all"}]
    assert all(word in summary(planned.plan)["levels"] for word in ("side", "all", "sexes"))

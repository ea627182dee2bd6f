"""Releases with many rows of one person: the promise, and both checks of the folder."""

import csv
import itertools
import json
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

from discreet.account import compose
from discreet.certify import folder as second_check
from discreet.errors import ParameterError, SpecError
from discreet.plan.guarantee import GROUP, PARTITIONS
from discreet.publish.verify_folder import verify_folder
from discreet.release import run
from discreet.release.plan_release import plan


def spec(contributions: Any, **changes: Any) -> dict[str, Any]:
    return {
        "version": "1",
        "source": {"csv": "people.csv"},
        "unit": {"id": "id", "contributions": contributions},
        "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
        "tables": [{"name": "people", "dimensions": ["sex"], "margins": "all"}],
        "budget": {"epsilon": 2, "delta": "1e-6"},
        "key": "fresh",
    } | changes


@pytest.mark.parametrize("contributions", [0, -1, 10**9, 1.5, "many"])
def test_contributions_out_of_range_are_refused(contributions: Any) -> None:
    with pytest.raises(SpecError, match=r"unit\.contributions"):
        plan(spec(contributions))


@pytest.mark.parametrize(("contributions", "method"), [(1, PARTITIONS), (3, PARTITIONS), (11, GROUP), (50, GROUP)])
def test_the_promise_covers_the_certified_noise_and_says_by_which_method(contributions: int, method: str) -> None:
    planned = plan(spec(contributions))
    assert planned.promise is not None
    assert planned.promise.method == method
    together = compose(planned.ptable, planned.touches, contributions=None if contributions == 1 else contributions)
    assert together.delta(2) <= planned.promise.delta <= 1e-6
    assert together.floor <= planned.promise.floor


def test_noise_grows_in_proportion_to_the_rows() -> None:
    deviations = [float(plan(spec(rows)).ptable.utility["variance"][1]) ** 0.5 for rows in (20, 40)]
    assert deviations[1] / deviations[0] == pytest.approx(2, rel=0.02)


def test_a_budget_that_the_rows_exceed_is_refused() -> None:
    with pytest.raises(ParameterError, match="100000 rows"):
        plan(spec(10**5, budget={"epsilon": "0.01", "delta": "1e-9"}))


def test_pure_noise_meets_a_budget_without_delta() -> None:
    planned = plan(spec(20, design={"name": "geometric", "epsilon": "0.05", "upper": 40}, budget={"epsilon": 2}))
    assert planned.promise is not None
    assert planned.promise.delta == 0


def test_twenty_rows_of_a_household_count_and_the_numbers_are_near_the_kept_rows(tmp_path: Path) -> None:
    """Households of 1 to 30 people. Households above 20 lose rows, and rows without id never count."""
    random = Random(5)
    sizes = itertools.cycle([1, 2, 3, 10, 20, 30])
    rows: list[tuple[str, str, str]] = []
    kept: Counter[str] = Counter()
    for household in range(1500):
        for _ in range(next(sizes)):
            household_id = f"h{household}" if len(rows) % 97 else ""
            rows.append((household_id, random.choice(["Female", "Male"]), random.choice(["<=50K", ">50K"])))
    by_household: dict[str, Counter[str]] = defaultdict(Counter)
    for household_id, sex, _ in rows:
        if household_id:
            by_household[household_id][sex] += 1
    for counts in by_household.values():
        if counts.total() <= 20:
            kept += counts
    cut = sum(20 for counts in by_household.values() if counts.total() > 20)
    with (tmp_path / "people.csv").open("w") as file:
        csv.writer(file).writerows([("id", "sex", "income"), *rows])
    release = run(
        spec(
            20,
            source={"csv": str(tmp_path / "people.csv")},
            dimensions={
                "sex": {"column": "sex", "categories": ["Female", "Male"]},
                "income": {"column": "income", "categories": ["<=50K", ">50K"]},
            },
            tables=[{"name": "people", "dimensions": ["sex", "income"], "margins": "all"}],
            measure="published",
        ),
        tmp_path / "out",
        log=tmp_path / "log.json",
    )
    private = json.loads((tmp_path / "log.json").read_text())
    assert private["rows_counted"] == kept.total() + cut
    deviation = float(release.ptable.utility["variance"][1]) ** 0.5
    total = int(release.measurements[-1].item())
    assert abs(total - private["rows_counted"]) < 12 * deviation
    with (tmp_path / "out" / "people.csv").open() as file:
        published = {(row["sex"], row["income"]): int(row["count"]) for row in csv.DictReader(file)}
    for sex in ("Female", "Male"):
        assert kept[sex] - 12 * deviation < published[sex, "_total"] < kept[sex] + cut + 12 * deviation
    verify_folder(tmp_path / "out")
    report = second_check.check(tmp_path / "out")
    assert not report.failures
    assert {finding.claim: finding.verdict for finding in report.findings}["promise"] == "proved"

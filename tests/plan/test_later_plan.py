"""A later plan under one label: cells that were measured are not measured anew, and the ledger is not overdrawn."""

from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.measure import secrets
from discreet.publish.verify_folder import verify_folder
from discreet.release import plan, run
from discreet.release.release_value import Release
from tests.town import settle

BOTH = {"name": "both", "dimensions": ["sex", "age"]}
WOMEN = {"name": "women", "dimensions": ["age"], "filter": {"sex": ["f"]}}
MORE = {"name": "more", "dimensions": ["side", "sex"], "margins": "all"}
LARGER = {"epsilon": 2, "delta": "2e-6"}


@pytest.fixture
def spec(tmp_path: Path) -> dict[str, Any]:
    town = settle(tmp_path)
    del town["design"]
    return {
        **town,
        "unit": {},
        "dimensions": {**town["dimensions"], "side": {"column": "side", "categories": ["n", "s"]}},
        "tables": [BOTH],
        "measure": "plan",
        "budget": {"epsilon": 1, "delta": "1e-6"},
    }


def numbers(release: Release, table: str) -> list[int]:
    """Return the measurements of a table without its margins."""
    (index,) = (indices[0] for each, indices in release.plan.layout.tables if each.name == table)
    measurements = release.measurements[index]
    assert measurements is not None
    return [int(number) for number in measurements.ravel()]


@pytest.mark.parametrize("tables", [[BOTH, WOMEN], [BOTH, WOMEN, MORE]])
def test_women_of_a_table_by_sex_were_measured(spec: dict[str, Any], tmp_path: Path, tables: list[Any]) -> None:
    first = run(spec, tmp_path / "one")
    budget = spec["budget"] if len(tables) == 2 else LARGER
    second = run({**spec, "tables": tables, "budget": budget}, tmp_path / "two")
    assert numbers(second, "both") == numbers(first, "both")
    assert numbers(second, "women") == numbers(first, "both")[:3]
    assert second.touches == len(tables) - 1
    verify_folder(tmp_path / "two")


def test_a_table_by_sex_is_measured_with_the_noise_of_its_women(spec: dict[str, Any], tmp_path: Path) -> None:
    """Nobody is a woman and a man, so the cells of men cost no more than those of women."""
    first = run({**spec, "tables": [WOMEN]}, tmp_path / "one")
    second = run({**spec, "tables": [BOTH, WOMEN]}, tmp_path / "two")
    assert numbers(second, "women") == numbers(first, "women") == numbers(second, "both")[:3]
    assert second.touches == 1
    verify_folder(tmp_path / "two")


@pytest.fixture
def paid(spec: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """The same with a ledger of Gaussian units, of which geometric noise costs many."""
    unit = dc.design.gaussian(sigma2=400, support=170).certify("0.5", bits=62)
    secret = secrets.read_secret(tmp_path / "secret.key")
    dc.account.Ledger.open(tmp_path / "town.ledger", unit=unit, epsilon=5, delta="1e-5", secret=secret)
    return {**spec, "ledger": str(tmp_path / "town.ledger")}


def test_both_releases_together_cost_no_more_units_than_the_budget_allows(paid: dict[str, Any], tmp_path: Path) -> None:
    first = run(paid, tmp_path / "one")
    later = {**paid, "tables": [BOTH, MORE], "budget": LARGER}
    at_once = dc.release.describe(plan({**later, "version": "v2"}))
    second = run(later, tmp_path / "two")
    assert first.charge is not None
    assert second.charge is not None
    assert at_once.charge is not None
    assert first.charge.units + second.charge.units == at_once.charge.units  # both use all that the budget allows
    assert f"at most {second.charge.units} units of the ledger" in second.plan.reason

"""A release of the people of three districts."""

from pathlib import Path
from typing import Any

import pytest

from discreet.measure import secrets
from tests.release.districts import DISTRICTS, people, save


@pytest.fixture
def spec(tmp_path: Path) -> dict[str, Any]:
    save(people(500), tmp_path / "people.csv")
    secrets.new_secret(tmp_path / "secret.key")
    return {
        "version": "v1",
        "source": {"csv": str(tmp_path / "people.csv")},
        "unit": {"id": "id"},
        "dimensions": {
            "district": {"column": "district", "categories": DISTRICTS, "levels": {"side": {"ns": ["north", "south"]}}},
            "age": {"column": "age", "ranges": {"young": [0, 30], "old": [30, None]}},
            "sex": {"column": "sex", "categories": {"female": "f", "male": ["m"]}},
        },
        "tables": [{"name": "all", "dimensions": ["district", "age", "sex"], "margins": "all"}],
        "design": {"name": "geometric", "epsilon": "0.5"},
        "budget": {"epsilon": 5, "delta": "1e-6"},
        "secret": {"file": str(tmp_path / "secret.key")},
        "outputs": ["csv", "parquet", "json-stat"],
    }

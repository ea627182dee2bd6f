"""A release that is paid for."""

from pathlib import Path
from typing import Any

import pytest

from . import town


@pytest.fixture
def paid(tmp_path: Path) -> dict[str, Any]:
    """The specification of a table by sex that is paid from a ledger; a side of the river is declared, too."""
    asked = town.settle(tmp_path)
    asked["dimensions"]["side"] = {"column": "side", "categories": ["n", "s"]}
    return asked | {
        "tables": [{"name": "t", "dimensions": ["sex"], "margins": "all"}],
        "ledger": town.endow(tmp_path),
    }

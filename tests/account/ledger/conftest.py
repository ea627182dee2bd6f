"""Places for ledgers."""

import itertools
from pathlib import Path

import pytest

_NUMBERS = itertools.count()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where there is no ledger yet: a file, and an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "town.ledger")
    server = request.getfixturevalue("postgres")
    name = f"ledger{next(_NUMBERS)}"
    server.execute(f"CREATE DATABASE {name}")
    return str(server.url(name))

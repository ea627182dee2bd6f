"""Locations for ledgers."""

import itertools
from pathlib import Path

import pytest

_NUMBERS = itertools.count()


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A location without a ledger: the path of no file yet, and the address of an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "town.ledger")
    server = request.getfixturevalue("postgres")
    name = f"ledger{next(_NUMBERS)}"
    server.execute(f"CREATE DATABASE {name}")
    return str(server.url(name))

"""Releases with both kinds of key, with and without a ledger."""

from typing import Any

import pytest


@pytest.fixture(params=["fresh", "query"])
def key(request: pytest.FixtureRequest) -> str:
    """Return each kind of key whose guarantees compose."""
    return str(request.param)


@pytest.fixture(params=["ledger", "no ledger"])
def spec(request: pytest.FixtureRequest, paid: dict[str, Any], key: str) -> dict[str, Any]:
    """Return a specification with a ledger, and one without."""
    return {**paid, "key": key, "ledger": paid["ledger"] if request.param == "ledger" else None}

"""Releases with both kinds of key, with and without a ledger."""

from typing import Any

import pytest


@pytest.fixture(params=["fresh", "query"])
def key(request: pytest.FixtureRequest) -> str:
    """Both kinds of key that guarantees compose with."""
    return str(request.param)


@pytest.fixture(params=["ledger", "no ledger"])
def spec(request: pytest.FixtureRequest, paid: dict[str, Any], key: str) -> dict[str, Any]:
    """With and without a ledger."""
    return {**paid, "key": key, "ledger": paid["ledger"] if request.param == "ledger" else None}

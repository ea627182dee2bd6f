"""The words of a plan: what a guarantee covers, and what it does not."""

from pathlib import Path
from typing import Any

import pytest

from discreet.publish.plan_in_words import guarantee_in_words, summary
from discreet.release import plan
from tests import town


@pytest.mark.parametrize(
    ("change", "is_alone"), [({"key": "fresh", "secret": None}, True), ({"key": "fresh"}, True), ({}, False)]
)
def test_a_guarantee_with_fresh_keys_is_of_one_release_alone(
    tmp_path: Path, change: dict[str, Any], is_alone: bool
) -> None:
    """Nothing adds up what several of them cost. With query keys the same release costs nothing more."""
    planned = plan({**town.settle(tmp_path), **change})
    assert ("for this release alone" in guarantee_in_words(planned)) == is_alone
    assert summary(planned)["guarantee"] == guarantee_in_words(planned)


def test_a_ledger_adds_fresh_releases_up(paid: dict[str, Any]) -> None:
    assert "alone" not in guarantee_in_words(plan({**paid, "key": "fresh"}))

"""Draws under one label are counted in one place: in one folder, in one ledger, in one memory."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from discreet import design
from discreet.account.ledger.ledger import Ledger
from discreet.count.cell_counts import cell_counts
from discreet.errors import DataChangedError, ReleaseError, SecretError
from discreet.measure import keys, secret_memory, secrets
from discreet.measure.secret_memory import Memory
from discreet.release import plan, run
from tests.publish.pending.kept import nothing_is_drawn
from tests.town import folder, spent

SIDES = [{"name": "sides", "dimensions": ["side"]}]


@pytest.fixture
def paid(paid: dict[str, Any]) -> dict[str, Any]:
    """Every row is a person, so that the same cells have the same definitions whatever else is published."""
    return {**paid, "unit": {}}


@pytest.fixture
def unpaid(paid: dict[str, Any]) -> dict[str, Any]:
    return {**paid, "ledger": None}


@pytest.fixture
def paid_elsewhere(paid: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """The same release, which another ledger of the same secret pays for."""
    unit = design.geometric(epsilon="0.25").certify()
    secret = secrets.read_secret(tmp_path / "secret.key")
    Ledger.open(tmp_path / "other.ledger", unit=unit, epsilon=3, delta="1e-6", secret=secret)
    return {**paid, "ledger": str(tmp_path / "other.ledger")}


def memory_of(tmp_path: Path) -> Memory:
    secret = secrets.read_secret(tmp_path / "secret.key")
    return Memory(tmp_path / "secret.key.memory", keys.derive_key(secret, "memory"))


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [
        ("unpaid", "paid", "without a ledger"),
        ("paid", "unpaid", "from the ledger [0-9a-f]{8}"),
        ("paid", "paid_elsewhere", "from the ledger [0-9a-f]{8}"),
    ],
)
@pytest.mark.parametrize("change", [{}, {"tables": SIDES}, {"key": "fresh"}])
def test_draws_that_nobody_adds_to_earlier_ones_are_refused(
    request: pytest.FixtureRequest, tmp_path: Path, first: str, second: str, where: str, change: dict[str, Any]
) -> None:
    """Counterexample: the same cells under one label, with and without a ledger. Each promise states one of two draws.

    The keys depend on the ledger, so even the same noise is drawn again. Other cells are refused, too: a plan without a
    ledger says that its promise covers all that was measured under the label.
    """
    one, two = request.getfixturevalue(first), {**request.getfixturevalue(second), **change}
    run(one, tmp_path / "one")
    with nothing_is_drawn(), pytest.raises(ReleaseError, match=f"'v1' {where}.*{where}, as then.*new version label"):
        run(two, tmp_path / "two")
    assert not (tmp_path / "two").exists()
    assert spent(tmp_path) == (0 if first == "unpaid" else 2)
    run(one, tmp_path / "again")
    assert folder(tmp_path / "one") == folder(tmp_path / "again")
    run({**two, "version": "v2"}, tmp_path / "two")


def test_one_ledger_charges_every_draw_under_a_label(paid: dict[str, Any], tmp_path: Path) -> None:
    run(paid, tmp_path / "one")
    run({**paid, "tables": [*paid["tables"], *SIDES]}, tmp_path / "two")
    run({**paid, "key": "fresh"}, tmp_path / "three")
    assert spent(tmp_path) == 2 + 1 + 2


@pytest.mark.parametrize(
    "stage", ["discreet.release.count_and_draw.open_engine", "discreet.account.ledger.grant.Grant.spend"]
)
def test_a_release_that_fails_before_its_units_are_spent_leaves_the_label_free(
    paid: dict[str, Any], unpaid: dict[str, Any], tmp_path: Path, stage: str
) -> None:
    with mock.patch(stage, side_effect=OSError("the machine stops")), pytest.raises(OSError, match="stops"):
        run(paid, tmp_path / "one")
    run(unpaid, tmp_path / "two")


def test_changed_data_leave_the_label_as_it_was(paid: dict[str, Any], unpaid: dict[str, Any], tmp_path: Path) -> None:
    run(paid, tmp_path / "one")
    with (tmp_path / "people.csv").open("a") as file:
        file.write("999,f,n,9\n")
    with pytest.raises(DataChangedError):
        run(paid, tmp_path / "two")
    run({**unpaid, "version": "v2"}, tmp_path / "two")


def test_two_releases_that_check_at_the_same_time_do_not_both_draw(
    paid: dict[str, Any], unpaid: dict[str, Any], tmp_path: Path
) -> None:
    """The other release draws after the first check, while this one counts."""

    def count(*arguments: Any) -> Any:
        with mock.patch("discreet.release.count_and_draw.cell_counts", cell_counts):
            run(unpaid, tmp_path / "other")
        return cell_counts(*arguments)

    with (
        mock.patch("discreet.release.count_and_draw.cell_counts", count),
        pytest.raises(ReleaseError, match="without a ledger"),
    ):
        run(paid, tmp_path / "one")
    assert spent(tmp_path) == 0


def as_written_before(memory: Path, *statements: str, seal: str = secret_memory.SECOND_SEAL) -> None:
    """Change a memory by hand, and seal it as an earlier version did."""
    earlier = memory_of(memory.parent)
    parts = secret_memory.PARTS if seal else secret_memory.FIRST_PARTS
    with closing(sqlite3.connect(memory)) as connection:
        connection.executescript(";".join((*statements, "DELETE FROM seals")))
        for part in parts:
            connection.execute("INSERT INTO seals VALUES (?, ?)", (part, earlier._mac(connection, part, seal)))
        connection.commit()


def test_a_memory_of_an_earlier_version_does_not_know_the_labels_of_its_ledgers(
    paid: dict[str, Any], unpaid: dict[str, Any], paid_elsewhere: dict[str, Any], tmp_path: Path
) -> None:
    run(paid, tmp_path / "one")
    as_written_before(tmp_path / "secret.key.memory", "DELETE FROM draws")
    for refused in (unpaid, paid_elsewhere, {**unpaid, "version": "v2"}):
        with nothing_is_drawn(), pytest.raises(SecretError, match="new_label"):
            run(refused, tmp_path / "two")
    run({**paid, "tables": [*paid["tables"], *SIDES]}, tmp_path / "two")
    run({**paid, "version": "v2"}, tmp_path / "three")
    declared = {"file": str(tmp_path / "secret.key"), "new_label": "v3"}
    run({**unpaid, "version": "v3", "secret": declared}, tmp_path / "four")
    run({**unpaid, "version": "v3", "tables": SIDES}, tmp_path / "five")  # said once
    with pytest.raises(ReleaseError, match="without a ledger"):
        run({**paid, "version": "v3", "secret": declared}, tmp_path / "six")


def test_a_ledger_does_not_know_what_an_earlier_version_released_without_it(
    paid: dict[str, Any], unpaid: dict[str, Any], tmp_path: Path
) -> None:
    run(unpaid, tmp_path / "one")
    as_written_before(tmp_path / "secret.key.memory", "DROP TABLE draws", "DROP TABLE plans", seal="")
    with nothing_is_drawn(), pytest.raises(SecretError, match="new_label"):
        run(paid, tmp_path / "two")
    declared = {"file": str(tmp_path / "secret.key"), "new_label": "v2"}
    run({**paid, "version": "v2", "secret": declared}, tmp_path / "two")
    run({**paid, "version": "v2", "tables": SIDES}, tmp_path / "three")  # said once


def test_fresh_keys_of_an_earlier_version_left_only_the_path_of_their_measurements(
    unpaid: dict[str, Any], tmp_path: Path
) -> None:
    """Earlier versions kept no cells of releases with fresh keys: such a memory is not the memory of a new secret."""
    run({**unpaid, "key": "fresh"}, tmp_path / "one")
    as_written_before(tmp_path / "secret.key.memory", "DROP TABLE draws", "DROP TABLE plans", seal="")
    for key in ("fresh", "query"):
        with nothing_is_drawn(), pytest.raises(SecretError, match="new_label"):
            run({**unpaid, "key": key}, tmp_path / "two")
    declared = {"file": str(tmp_path / "secret.key"), "new_label": "v2"}
    run({**unpaid, "version": "v2", "secret": declared}, tmp_path / "two")


def test_a_second_memory_of_a_secret_is_refused(unpaid: dict[str, Any], tmp_path: Path) -> None:
    run(unpaid, tmp_path / "one")
    other = {**unpaid, "secret": {**unpaid["secret"], "memory": str(tmp_path / "other")}, "design": None}
    other["measure"] = "plan"
    for use in (lambda: run(other, tmp_path / "two"), lambda: plan(other)):
        with nothing_is_drawn(), pytest.raises(SecretError, match=r"/other'.*secret\.key\.memory'.*: move"):
            use()
        assert not (tmp_path / "other").exists()
    os.replace(tmp_path / "secret.key.memory", tmp_path / "other")
    assert "kept under this version label" in run(other, tmp_path / "two").plan.reason
    Memory(tmp_path / "secret.key.memory", b"k" * 32).head("a")
    with pytest.raises(SecretError, match=r"/other'.*secret\.key\.memory'.*both files exist"):
        run({**other, "version": "v3"}, tmp_path / "three")


def test_a_link_at_the_path_of_the_memory_is_the_same_memory(unpaid: dict[str, Any], tmp_path: Path) -> None:
    run(unpaid, tmp_path / "one")
    (tmp_path / "folder").symlink_to(tmp_path)
    named = {**unpaid["secret"], "memory": str(tmp_path / "folder" / "secret.key.memory")}
    run({**unpaid, "secret": named}, tmp_path / "two")
    assert folder(tmp_path / "one") == folder(tmp_path / "two")

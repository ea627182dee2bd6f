"""The ledger page shows what the ledger says, verifies the chain, and exports the entries."""

from pathlib import Path

import discreet as dc
from discreet.account.ledger.ledger import Ledger
from discreet.measure import secrets
from tests.web.workbench.steward import Steward, words
from tests.web.workbench.test_journey import SETTINGS, ready


def with_ledger(folder: Path) -> Steward:
    """Return a steward whose specification names a secret and a ledger of 50 units."""
    steward = ready(folder)
    assert steward.send("new-secret", {"name": "secret.key"}).status_code == 200
    assert (folder / "secret.key").stat().st_mode & 0o777 == 0o600
    unit = dc.design.geometric(epsilon="0.1").certify()
    secret = secrets.read_secret(folder / "secret.key")
    Ledger.open(folder / "town.ledger", unit=unit, epsilon=5, delta="1e-6", secret=secret)
    settings = SETTINGS | {"key": "query", "secret": "secret.key", "ledger": "town.ledger"}
    assert steward.send("settings", settings).status_code == 200
    assert steward.send("save", {"name": "ledger.yaml"}).status_code == 200
    return steward


def test_a_release_is_charged_and_shown(tmp_path: Path) -> None:
    steward = with_ledger(tmp_path)
    units = steward.workspace.planned()[0].charge
    assert units is not None
    assert f"units of the ledger, of {units.left} left {units.units}" in words(steward.get("plan"))
    steward.send("release", {"folder": "out"})
    steward.wait()
    assert f"Units charged to the ledger: {units.units}" in words(steward.get("progress"))
    page = words(steward.get("ledger"))
    assert f"units spent {units.units} " in page
    assert f"units left {units.left - units.units} " in page
    assert "complete" in page
    assert "Every check holds" in words(steward.send("verify-ledger"))


def test_the_entries_are_exported_to_a_new_file_of_the_folder(tmp_path: Path) -> None:
    steward = with_ledger(tmp_path)
    assert steward.send("export-ledger", {"name": "entries.jsonl"}).status_code == 200
    assert "discreet-ledger" in (tmp_path / "entries.jsonl").read_text()
    for name in ("entries.jsonl", "../x", "", "town.ledger", "secret.key"):
        assert steward.send("export-ledger", {"name": name}).status_code == 422


def test_a_ledger_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    steward = with_ledger(tmp_path)
    (tmp_path / "town.ledger").write_bytes(b"something else")
    assert steward.get("ledger").status_code == 422
    assert steward.send("verify-ledger").status_code == 422
    assert "town.ledger" in words(steward.get("plan"))


def test_a_secret_is_never_overwritten(tmp_path: Path) -> None:
    steward = with_ledger(tmp_path)
    before = (tmp_path / "secret.key").read_bytes()
    for name in ("secret.key", "../secret.key", "", "/tmp/secret.key"):
        assert steward.send("new-secret", {"name": name}).status_code == 422
    assert (tmp_path / "secret.key").read_bytes() == before

"""A town of 300 people, its specification, and its ledger."""

from pathlib import Path
from typing import Any

from discreet import design
from discreet.account.ledger.ledger import Ledger
from discreet.measure import secrets


def settle(folder: Path) -> dict[str, Any]:
    """Write the people and a secret. Return the specification of one table by sex and age."""
    rows = "".join(f"{i},{'fm'[i % 2]},{'ns'[i % 3 % 2]},{i % 50}\n" for i in range(300))
    (folder / "people.csv").write_text("id,sex,side,age\n" + rows)
    secrets.new_secret(folder / "secret.key")
    return {
        "version": "v1",
        "source": {"csv": str(folder / "people.csv")},
        "unit": {"id": "id"},
        "dimensions": {
            "sex": {"column": "sex", "categories": ["f", "m"]},
            "age": {"column": "age", "ranges": {"child": [0, 16], "adult": [16, 40]}},
        },
        "tables": [{"name": "t", "dimensions": ["sex", "age"], "margins": "all"}],
        "design": {"name": "geometric", "epsilon": "0.25"},
        "budget": {"epsilon": 3, "delta": "1e-6"},
        "secret": {"file": str(folder / "secret.key")},
    }


def endow(folder: Path) -> str:
    """Open a ledger for the town. Return its path."""
    unit = design.geometric(epsilon="0.25").certify()
    secret = secrets.read_secret(folder / "secret.key")
    Ledger.open(folder / "town.ledger", unit=unit, epsilon=3, delta="1e-6", secret=secret)
    return str(folder / "town.ledger")


def ledger(folder: Path) -> Ledger:
    """Return the ledger of the town."""
    return Ledger.at(folder / "town.ledger", secrets.read_secret(folder / "secret.key"))


def spent(folder: Path) -> int:
    """Return the spent units of the ledger. Fail if units are still reserved."""
    statement = ledger(folder).verify()
    assert statement.reserved == 0
    return statement.spent


def folder(path: Path) -> dict[str, bytes]:
    """Return the content of each file of a folder, by file name."""
    return {file.name: file.read_bytes() for file in path.iterdir()}

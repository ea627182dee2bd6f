"""A town of 300 people, releases of it, and the ledger that they are paid from."""

from pathlib import Path
from typing import Any

from discreet import design
from discreet.account.ledger.ledger import Ledger
from discreet.measure import secrets


def settle(place: Path) -> dict[str, Any]:
    """Put the people and a secret into a folder; the specification of one table of them, by sex and age."""
    rows = "".join(f"{i},{'fm'[i % 2]},{'ns'[i % 3 % 2]},{i % 50}\n" for i in range(300))
    (place / "people.csv").write_text("id,sex,side,age\n" + rows)
    secrets.new_secret(place / "secret.key")
    return {
        "version": "v1",
        "source": {"csv": str(place / "people.csv")},
        "unit": {"id": "id"},
        "dimensions": {
            "sex": {"column": "sex", "categories": ["f", "m"]},
            "age": {"column": "age", "ranges": {"child": [0, 16], "adult": [16, 40]}},
        },
        "tables": [{"name": "t", "dimensions": ["sex", "age"], "margins": "all"}],
        "design": {"name": "geometric", "epsilon": "0.25"},
        "budget": {"epsilon": 3, "delta": "1e-6"},
        "secret": {"file": str(place / "secret.key")},
    }


def endow(place: Path) -> str:
    """Open a ledger for the town."""
    unit = design.geometric(epsilon="0.25").certify()
    secret = secrets.secret(place / "secret.key")
    Ledger.open(place / "town.ledger", unit=unit, epsilon=3, delta="1e-6", secret=secret)
    return str(place / "town.ledger")


def ledger(place: Path) -> Ledger:
    """The town's."""
    return Ledger.at(place / "town.ledger", secrets.secret(place / "secret.key"))


def spent(place: Path) -> int:
    """Units of the ledger; nothing is left reserved."""
    statement = ledger(place).verify()
    assert statement.reserved == 0
    return statement.spent


def folder(path: Path) -> dict[str, bytes]:
    """The files of a release."""
    return {file.name: file.read_bytes() for file in path.iterdir()}

"""`discreet keys` and `discreet ledger` as a steward uses them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.account.ledger.ledger import Ledger
from discreet.measure.secrets import secret


@pytest.fixture
def town(discreet):  # type: ignore[no-untyped-def]
    """A certificate, a secret and a ledger of ten units."""
    assert discreet("design", "geometric", "--epsilon", "0.1", "--upper", "20", "-o", "unit.json").code == 0
    assert discreet("keys", "new", "secret").code == 0
    made = discreet("ledger", "open", "town", "--unit", "unit.json", "--epsilon", "1", "--name", "a [town]", *SECRET)
    assert made.code == 0
    assert "holds 10 units" in made.out
    return discreet


SECRET = ("--secret", "secret")


def reserve(name: str, cost: int):  # type: ignore[no-untyped-def]
    return Ledger.at("town", secret("secret")).reserve(name, cost, [], {"by": "[me]"})


def test_keys(discreet) -> None:  # type: ignore[no-untyped-def]
    made = discreet("keys", "new", "secret")
    assert made.code == 0
    shown = discreet("keys", "fingerprint", "secret")
    assert re.fullmatch(r"[0-9a-f]{16}\n", shown.out)
    assert shown.out.strip() in made.out
    assert Path("secret").read_text().strip() not in made.out
    again = discreet("keys", "new", "secret")
    assert (again.code, again.out) == (2, "")
    Path("secret").chmod(0o644)
    assert "chmod 600" in discreet("keys", "fingerprint", "secret").err


def test_show(town, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    grant = reserve("census [2026]", 3)
    grant.spend()
    reserve("survey", 2)
    monkeypatch.setenv("DISCREET_SECRET", Path("secret").read_text())
    shown = town("ledger", "show", "town")
    assert shown.code == 0
    for part in (
        "a [town]",
        "epsilon 1, delta 0: 10 units",
        "census [2026]",
        "by [me]",
        "5 units cost at most epsilon 0.5 at",
        "reserved",
    ):
        assert part in shown.out
    assert re.search(r"spent +3 units\s+reserved +2 units\s+left +5 units", shown.out)


def test_verify_with_and_without_a_head(town) -> None:  # type: ignore[no-untyped-def]
    before = Path("town").read_bytes()
    reserve("census", 3)
    head = re.search(r"head +(\S+)", town("ledger", "verify", "town", *SECRET).out)
    assert head is not None
    assert "every check holds" in town("ledger", "verify", "town", "--head", head[1], *SECRET).out
    Path("town").write_bytes(before)
    assert town("ledger", "verify", "town", *SECRET).code == 0
    older = town("ledger", "verify", "town", "--head", head[1], *SECRET)
    assert (older.code, older.out) == (2, "")
    assert "older copy" in older.err
    assert "a number, a colon" in town("ledger", "verify", "town", "--head", "x", *SECRET).err


def test_an_export_overwrites_nothing(town) -> None:  # type: ignore[no-untyped-def]
    """Neither the ledger nor the secret."""
    held = {name: Path(name).read_bytes() for name in ("town", SECRET[-1])}
    for name, content in held.items():
        refused = town("ledger", "export", "town", "-o", name, *SECRET)
        assert (refused.code, refused.out) == (2, "")
        assert "exists already; choose another name" in refused.err
        assert Path(name).read_bytes() == content


def test_refund(town) -> None:  # type: ignore[no-untyped-def]
    reserve("census", 3)
    assert "3 units of census given back" in town("ledger", "refund", "town", "census", *SECRET).out
    reserve("survey", 2).spend()
    refused = town("ledger", "refund", "town", "survey", *SECRET)
    assert refused.code == 2
    assert "cannot be given back" in refused.err
    assert "never reserved" in town("ledger", "refund", "town", "other", *SECRET).err


def test_export(town) -> None:  # type: ignore[no-untyped-def]
    reserve("census", 3)
    assert town("ledger", "export", "town", "-o", "out.jsonl", *SECRET).code == 0
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [line.get("kind") for line in lines] == [None, "open", "reserve"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("open", "town", "--unit", "unit.json", "--epsilon", "1"), "never overwritten"),
        (("open", "new", "--unit", "unit.json", "--epsilon", "0.05"), "do not hold one unit"),
        (("open", "new", "--unit", "secret", "--epsilon", "1"), "secret"),
        (("open", "new", "--unit", "unit.json", "--epsilon", "x"), "epsilon is 'x'"),
        (("show", "unit.json"), "not a ledger"),
        (("show", "none"), "there is no ledger"),
    ],
)
def test_mistakes_are_one_message(town, arguments: tuple[str, ...], said: str) -> None:  # type: ignore[no-untyped-def]
    refused = town("ledger", *arguments, *SECRET)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert Path("secret").read_text().strip() not in refused.err
    assert not Path("new").exists()
    assert not Path("none").exists()


def test_what_is_piped_is_not_cut() -> None:
    """The head of a ledger is longer than a line of a terminal, and is given back as it was printed."""
    code = "from discreet.cli import show; show.console.print('head', 'a' * 90)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == f"head {'a' * 90}\n"

"""`discreet keys` and `discreet ledger` as a steward uses them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.account.ledger.grant import Grant
from discreet.account.ledger.ledger import Ledger
from discreet.measure.secrets import read_secret
from tests.cli.conftest import Run


@pytest.fixture
def town(discreet: Run) -> Run:
    """Make a certificate, a secret and a ledger of ten units. Return the command."""
    assert discreet("design", "geometric", "--epsilon", "0.1", "--upper", "20", "-o", "unit.json").code == 0
    assert discreet("keys", "new", "secret").code == 0
    opened = discreet("ledger", "open", "town", "--unit", "unit.json", "--epsilon", "1", "--name", "a [town]", *SECRET)
    assert opened.code == 0
    assert "10 units" in opened.out
    return discreet


SECRET = ("--secret", "secret")


def reserve(name: str, cost: int) -> Grant:
    """Reserve units of the ledger for a release."""
    return Ledger.at("town", read_secret("secret")).reserve(name, cost, [], {"by": "[me]"})


def test_a_new_secret_is_written_once_and_shown_by_its_fingerprint_only(discreet: Run) -> None:
    created = discreet("keys", "new", "secret")
    assert created.code == 0
    fingerprint = discreet("keys", "fingerprint", "secret")
    assert re.fullmatch(r"[0-9a-f]{16}\n", fingerprint.out)
    assert fingerprint.out.strip() in created.out
    assert Path("secret").read_text().strip() not in created.out
    second = discreet("keys", "new", "secret")
    assert (second.code, second.out) == (2, "")
    Path("secret").chmod(0o644)
    assert "chmod 600" in discreet("keys", "fingerprint", "secret").err


def test_show_lists_releases_and_what_is_left(town: Run, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_verify_finds_an_older_copy_only_by_a_head(town: Run) -> None:
    before = Path("town").read_bytes()
    reserve("census", 3)
    head = re.search(r"head +(\S+)", town("ledger", "verify", "town", *SECRET).out)
    assert head is not None
    assert "every check holds" in town("ledger", "verify", "town", "--head", head[1], *SECRET).out
    Path("town").write_bytes(before)
    assert town("ledger", "verify", "town", *SECRET).code == 0
    older = town("ledger", "verify", "town", "--head", head[1], *SECRET)
    assert (older.code, older.out) == (2, "")
    assert "older" in older.err
    assert "--head is 'x'" in town("ledger", "verify", "town", "--head", "x", *SECRET).err


def test_an_export_overwrites_neither_the_ledger_nor_the_secret(town: Run) -> None:
    contents = {name: Path(name).read_bytes() for name in ("town", SECRET[-1])}
    for name, content in contents.items():
        refused = town("ledger", "export", "town", "-o", name, *SECRET)
        assert (refused.code, refused.out) == (2, "")
        assert name in refused.err
        assert Path(name).read_bytes() == content


def test_only_units_that_were_not_spent_are_given_back(town: Run) -> None:
    reserve("census", 3)
    assert "3 units of census" in town("ledger", "refund", "town", "census", *SECRET).out
    reserve("survey", 2).spend()
    refused = town("ledger", "refund", "town", "survey", *SECRET)
    assert refused.code == 2
    assert "survey" in refused.err
    assert "'other'" in town("ledger", "refund", "town", "other", *SECRET).err


def test_an_export_has_one_line_for_each_entry(town: Run) -> None:
    reserve("census", 3)
    assert town("ledger", "export", "town", "-o", "out.jsonl", *SECRET).code == 0
    lines = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [line.get("kind") for line in lines] == [None, "open", "reserve"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("open", "town", "--unit", "unit.json", "--epsilon", "1"), "town"),
        (("open", "new", "--unit", "unit.json", "--epsilon", "0.05"), "0.05"),
        (("open", "new", "--unit", "secret", "--epsilon", "1"), "secret"),
        (("open", "new", "--unit", "unit.json", "--epsilon", "x"), "epsilon is 'x'"),
        (("show", "unit.json"), "unit.json"),
        (("show", "none"), "none"),
    ],
)
def test_a_mistake_is_one_message(town: Run, arguments: tuple[str, ...], named: str) -> None:
    refused = town("ledger", *arguments, *SECRET)
    assert (refused.code, refused.out) == (2, "")
    assert named in refused.err
    assert Path("secret").read_text().strip() not in refused.err
    assert not Path("new").exists()
    assert not Path("none").exists()


def test_long_lines_are_not_cut_in_a_pipe() -> None:
    """The head of a ledger is longer than a line of a terminal, and users copy it."""
    code = "from discreet.cli import _show; _show.console.print('head', 'a' * 90)"
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert piped.stdout == f"head {'a' * 90}\n"

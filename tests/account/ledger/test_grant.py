"""Many processes, crashes, and every order of steps: the sum of all grants never exceeds the capacity."""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from discreet.account.ledger.grant import Grant
from discreet.account.ledger.ledger import Ledger
from discreet.errors import BudgetError, LedgerError
from tests.account.ledger.town import SECRET, cells, new

CAPACITY = 10
NAMES = st.sampled_from(["a", "b", "c", "d"])


class Books(RuleBasedStateMachine):
    """A ledger, and a model of it in a few lines of Python."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "ledger"
        self.ledger = new(self.path, CAPACITY)
        self.grants: dict[str, Grant] = {}
        self.states: dict[str, str] = {}
        self.costs: dict[str, int] = {}
        self.spent: set[bytes] = set()

    def teardown(self) -> None:
        self.folder.cleanup()

    def used(self) -> int:
        return sum(cost for name, cost in self.costs.items() if self.states[name] != "refunded")

    @rule(name=NAMES, cost=st.integers(0, 6))
    def reserve(self, name: str, cost: int) -> None:
        is_open = self.states.get(name, "refunded") != "refunded"
        if is_open and cost != self.costs[name]:
            with pytest.raises(LedgerError, match=f"'{name}' was reserved before, for {self.costs[name]} units"):
                self.ledger.reserve(name, cost, cells(name, "shared"), {})
        elif not is_open and self.used() + cost > CAPACITY:
            with pytest.raises(BudgetError):
                self.ledger.reserve(name, cost, cells(name, "shared"), {})
        else:
            self.grants[name] = self.ledger.reserve(name, cost, cells(name, "shared"), {})
            self.costs[name] = cost
            self.states[name] = self.states[name] if is_open else "reserved"
            assert self.grants[name].state == self.states[name]

    @precondition(lambda self: self.grants)
    @rule(data=st.data(), step=st.sampled_from(["spend", "refund", "complete"]))
    def step(self, data: st.DataObject, step: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.grants)))
        after = {
            "spend": {"reserved": "spent", "spent": "spent", "complete": "complete"},
            "refund": {"reserved": "refunded", "refunded": "refunded"},
            "complete": {"spent": "complete", "complete": "complete"},
        }[step].get(self.states[name])
        if after is None:
            with pytest.raises(LedgerError):
                getattr(self.grants[name], step)()
            return
        getattr(self.grants[name], step)()
        assert self.grants[name].state == after
        self.states[name] = after
        if after == "spent":
            self.spent |= set(cells(name, "shared"))

    @rule()
    def open_again(self) -> None:
        self.ledger = Ledger.at(self.path, SECRET)

    @invariant()
    def agree(self) -> None:
        assert self.used() <= CAPACITY
        statement = self.ledger.verify()
        assert statement.left == CAPACITY - self.used()
        assert {record.release: record.state for record in statement.records} == self.states
        assert self.ledger.known(cells("a", "b", "c", "d", "shared")) == self.spent


TestBooks = Books.TestCase
TestBooks.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)


def office(location: str, number: int) -> "subprocess.Popen[str]":
    """Start a process that asks for 20 grants and prints the names of the releases that were granted."""
    command = [sys.executable, "-W", "error", "-m", "tests.account.ledger.town", location, f"office {number}", "20"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_eight_processes_ask_for_160_grants_where_120_fit(location: str) -> None:
    ledger = new(location, 120)
    offices = [office(location, number) for number in range(8)]
    granted = [line for process in offices for line in process.communicate()[0].splitlines()]
    assert [process.returncode for process in offices] == [0] * 8
    assert len(set(granted)) == len(granted) == 120
    assert office(location, 8).communicate()[0] == ""
    statement = ledger.verify()
    assert (statement.spent, statement.left) == (120, 0)
    assert {record.release for record in statement.records} == set(granted)
    assert ledger.known(cells(*granted)) == set(cells(*granted))


CRASH = """
import os, signal, sys
from tests.account.ledger.town import *
from discreet.account.ledger.entries import ChainStore
from discreet.account.ledger import spent_cells

location, moment, step = sys.argv[1:]
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
def dying(function, kind):
    def run(*arguments, **named):
        result = function(*arguments, **named)
        if moment == "inside" and (kind is None or kind in arguments):
            die()
        return result
    return run
if step == "cells":
    spent_cells.record = dying(spent_cells.record, None)
else:
    ChainStore.append = dying(ChainStore.append, step)
ledger = Ledger.at(location, SECRET)
grant = ledger.reserve("census", 3, cells("a", "b"), {})
if (moment, step) == ("after", "reserve"): die()
grant.spend()
if (moment, step) == ("after", "spend"): die()
grant.complete()
if (moment, step) == ("after", "complete"): die()
"""


@pytest.mark.parametrize(
    ("moment", "step", "state"),
    [
        ("inside", "reserve", None),
        ("after", "reserve", "reserved"),
        ("inside", "spend", "reserved"),
        ("inside", "cells", "reserved"),
        ("after", "spend", "spent"),
        ("inside", "complete", "spent"),
        ("after", "complete", "complete"),
    ],
)
def test_a_crash_leaves_whole_steps_and_the_release_can_be_completed(
    location: str, moment: str, step: str, state: str | None
) -> None:
    new(location)
    killed = subprocess.run([sys.executable, "-c", CRASH, location, moment, step], check=False)
    assert killed.returncode == -signal.SIGKILL
    ledger = Ledger.at(location, SECRET)
    grant = ledger.find("census")
    assert (grant and grant.state) == state
    spent = state in ("spent", "complete")
    assert ledger.known(cells("a", "b")) == (set(cells("a", "b")) if spent else set())
    assert ledger.known(cells("a", "b"), release="census") == set()
    statement = ledger.verify()
    assert (statement.spent, statement.reserved) == (3 if spent else 0, 3 if state == "reserved" else 0)
    if state == "reserved":
        assert grant is not None
        grant.refund()
        assert ledger.verify().left == 300
    again = ledger.reserve("census", 3, cells("a", "b"), {})
    again.spend()
    again.complete()
    assert ledger.verify().spent == 3

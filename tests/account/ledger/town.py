"""A ledger for the tests of this folder, and those who ask it for grants."""

import functools
import hashlib
import os
import sys
from collections.abc import Iterator

import discreet as dc
from discreet.account.ledger.ledger import Ledger
from discreet.certify.ptable import PTable
from discreet.errors import BudgetError

SECRET = bytes(range(100, 132))


@functools.cache
def table(epsilon: str = "0.01", upper: int = 20) -> PTable:
    """Geometric noise, with no delta."""
    return dc.design.geometric(epsilon=epsilon, upper=upper).certify()


def new(place: str | os.PathLike[str], capacity: int = 300) -> Ledger:
    """A ledger of so many units."""
    return Ledger.open(place, unit=table(), epsilon=f"{capacity}/100", delta=0, secret=SECRET, name="town")


def cells(*names: str) -> list[bytes]:
    """Digests of cells."""
    return [hashlib.sha256(name.encode()).digest()[:16] for name in names]


def ask(place: str, who: str, times: int) -> Iterator[str]:
    """Reserve, spend and complete one unit, time after time; the names of what was granted."""
    ledger = Ledger.at(place, SECRET)
    for number in range(times):
        release = f"{who} {number}"
        try:
            grant = ledger.reserve(release, 1, cells(release), {"by": who})
        except BudgetError:
            continue
        grant.spend()
        grant.complete()
        yield release


if __name__ == "__main__":
    for name in ask(sys.argv[1], sys.argv[2], int(sys.argv[3])):
        print(name)

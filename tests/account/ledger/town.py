"""A ledger for the tests of this folder, and an office that asks the ledger for grants."""

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
    """Return a table of geometric noise without delta."""
    return dc.design.geometric(epsilon=epsilon, upper=upper).certify()


def new(location: str | os.PathLike[str], capacity: int = 300) -> Ledger:
    """Make a ledger of `capacity` units."""
    return Ledger.open(location, unit=table(), epsilon=f"{capacity}/100", delta=0, secret=SECRET, name="town")


def cells(*names: str) -> list[bytes]:
    """Return digests of cells."""
    return [hashlib.sha256(name.encode()).digest()[:16] for name in names]


def ask(location: str, office: str, times: int) -> Iterator[str]:
    """Reserve, spend and complete one unit, time after time; yield the names of the releases that were granted."""
    ledger = Ledger.at(location, SECRET)
    for number in range(times):
        release = f"{office} {number}"
        try:
            grant = ledger.reserve(release, 1, cells(release), {"by": office})
        except BudgetError:
            continue
        grant.spend()
        grant.complete()
        yield release


if __name__ == "__main__":
    for name in ask(sys.argv[1], sys.argv[2], int(sys.argv[3])):
        print(name)

"""What a ledger says of itself: its budget, what was spent, and what is left."""

from dataclasses import dataclass

from discreet.account.ledger.chain import Head, Record
from discreet.account.ledger.currency import Budget


@dataclass(frozen=True)
class Statement:
    """The state of a ledger.

    Attributes
    ----------
    ledger, name
        The id of the ledger, and its name if it has one.
    unit
        The digest of the certificate that the budget is counted in.
    contributions
        Most rows that one person has in a grouping.
    capacity, spent, reserved
        Units: of the whole ledger, spent, and held by releases that are not drawn yet.
    epsilon
        An upper bound for all units held, at the budget's delta.
    delta
        An upper bound for all units held, at the budget's epsilon.
    protects
        Whose privacy was spent; None if no release said so.
    records
        Every release that was reserved.
    head
        The last entry.
    """

    ledger: str
    name: str | None
    unit: str
    contributions: int
    budget: Budget
    capacity: int
    spent: int
    reserved: int
    epsilon: float
    delta: float
    protects: str | None
    records: tuple[Record, ...]
    head: Head

    @property
    def left(self) -> int:
        """Units that can still be granted."""
        return self.capacity - self.spent - self.reserved

"""The units of a ledger that a plan may cost.

A budget of a release, epsilon and delta, allows as many units as its ledger would hold if this were the budget of the
ledger. A plan for a release with a ledger is the best that costs no more: geometric noise may have the least error for
epsilon and delta, and cost a ledger of Gaussian units many times as much as Gaussian noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from discreet.account.composition import Composition, compose
from discreet.account.ledger.currency import Unit, dominated
from discreet.certify.ptable import PTable


@dataclass(frozen=True, eq=False)
class LedgerUnits:
    """The units of a ledger that a release may cost.

    Attributes
    ----------
    unit
        The unit of the ledger.
    most
        The most units that the release may cost, 1 or more.
    """

    unit: Unit
    most: int

    @cached_property
    def _together(self) -> Composition:
        return compose(self.unit.pair, self.most, step=self.unit.pair.step)

    @property
    def floor(self) -> float:
        """The chance with which all units together reveal the truth."""
        return self._together.floor

    def dominate(self, release: Composition) -> bool:
        """Return True if the units are proved to cover a release."""
        return dominated(release, self._together)

    def cover(self, parts: Sequence[tuple[PTable, int]], contributions: int) -> bool:
        """Return True if a ledger would charge no more units for certified tables.

        Parameters
        ----------
        parts
            Tables, each with the number of cells that hold one person.
        contributions
            Most rows of one person in a grouping.
        """
        return self.cost(parts, contributions) is not None

    def cost(self, parts: Sequence[tuple[PTable, int]], contributions: int) -> int | None:
        """Return the units that a ledger would charge for certified tables; None if these are more than `most`.

        Parameters
        ----------
        parts, contributions
            As for `cover`.
        """
        return self.unit.cost(parts, contributions, self.most)

"""What many cells cost one person together, and the ledger of what was spent.

Composed guarantees are upper bounds, and are called so.
"""

from typing import TYPE_CHECKING, Any

from discreet.account.composition import Composition, compose
from discreet.account.dominating_pair import Pair
from discreet.account.privacy_profile import Profile, profile
from discreet.account.renyi_divergence import Renyi, renyi

if TYPE_CHECKING:
    from discreet.account.ledger.ledger import Ledger

__all__ = ["Composition", "Ledger", "Pair", "Profile", "Renyi", "compose", "profile", "renyi"]


def __getattr__(name: str) -> Any:
    if name == "Ledger":  # loads its database
        from discreet.account.ledger.ledger import Ledger

        return Ledger
    raise AttributeError(f"module 'discreet.account' has no attribute {name!r}")

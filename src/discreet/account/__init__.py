"""What all cells that one person touches cost together: upper bounds, and called so. `ledger` keeps what was spent."""

from discreet.account.composition import Composition, compose
from discreet.account.dominating_pair import Pair
from discreet.account.privacy_profile import Profile, profile

__all__ = ["Composition", "Pair", "Profile", "compose", "profile"]

"""What all cells that one person touches cost together: upper bounds, and called so. `ledger` keeps what was spent."""

from discreet.account.compose import Composition, compose
from discreet.account.pair import Pair
from discreet.account.profile import Profile, profile

__all__ = ["Composition", "Pair", "Profile", "compose", "profile"]

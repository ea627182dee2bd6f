"""Composition: what all the cells that one person touches cost together. Upper bounds, and called so."""

from discreet.account.compose import Composition, compose
from discreet.account.pair import Pair
from discreet.account.profile import Profile, profile

__all__ = ["Composition", "Pair", "Profile", "compose", "profile"]

"""Noisy counts made to add up: non-negative integers, every total the sum of its parts, at no cost in privacy."""

from discreet.reconcile.tree import tree
from discreet.reconcile.wang import wang

__all__ = ["tree", "wang"]

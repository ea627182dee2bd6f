"""Noisy counts made to add up: non-negative integers, every total the sum of its parts, at no cost in privacy."""

from discreet.reconcile.cube import Moved, cube, moved
from discreet.reconcile.tree import tree
from discreet.reconcile.wang import wang

__all__ = ["Moved", "cube", "moved", "tree", "wang"]

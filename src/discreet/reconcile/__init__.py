"""Noisy counts made to add up: non-negative integers, every total the sum of its parts, at no cost in privacy."""

from discreet.reconcile.cubes import Moved, cube, moved
from discreet.reconcile.trees import tree
from discreet.reconcile.wang_lists import wang

__all__ = ["Moved", "cube", "moved", "tree", "wang"]

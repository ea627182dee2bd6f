"""Measurements to tables that add up: least squares, then non-negative integers.

The tables are made from measurements alone, so they cost no privacy.
"""

from discreet.reconcile.cubes import Moved, cube, moved
from discreet.reconcile.trees import tree
from discreet.reconcile.wang_lists import wang

__all__ = ["Moved", "cube", "moved", "tree", "wang"]

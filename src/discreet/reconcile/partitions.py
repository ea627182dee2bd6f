"""Partitions of the categories of an axis, and the keys that name groupings.

A **partition** is an array with the group of every category: 0, 1, 2, ... without gaps. The finest partition has one
group a category. A **level** is a partition with a name (counties in states). Level None is the finest partition.

A **key** names a grouping by the axes that it keeps: pairs (axis, level) in the order of the axes. () is the total.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.arrays import Integers

Array = npt.NDArray[Any]
Key = tuple[tuple[int, Hashable], ...]
Labels = Mapping[tuple[int, Hashable], Integers]
"""The partition of every level, by (axis, level)."""


def containing_groups(fine: Integers, coarse: Integers) -> Integers | None:
    """Return, for every group of a fine partition, the group of a coarse partition that contains it.

    Return None if some group of the fine partition lies in more than one group of the coarse partition.
    """
    container = np.zeros(int(fine.max()) + 1, dtype=np.int64)
    container[fine] = coarse
    return container if np.array_equal(container[fine], coarse) else None


def sorted_by_group(groups: Integers) -> tuple[Integers, Integers]:
    """Return the order that puts the members of each group together, and where each group starts in that order."""
    order = np.argsort(groups, kind="stable")
    return order, np.searchsorted(groups[order], np.arange(int(groups.max()) + 1))


def join(first: Integers, second: Integers) -> Integers:
    """Return the finest partition that both partitions refine; its groups may be numbered with gaps.

    Every category starts with its group of `first`. Then every group of either partition takes the least number of its
    categories, again and again, until nothing changes.
    """
    groups = first.copy()
    while True:
        before = groups
        for partition in (second, first):
            least = np.full(int(partition.max()) + 1, len(groups))
            np.minimum.at(least, partition, groups)
            groups = least[partition]
        if np.array_equal(groups, before):
            return groups


def along(values: Array, dimension: int, dimensions: int) -> Array:
    """Return a vector shaped so that it broadcasts along one dimension of an array."""
    return values.reshape([-1 if number == dimension else 1 for number in range(dimensions)])
